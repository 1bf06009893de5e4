//! Why there are so many local states: each one that a search has found is reached once more, its form
//! is read word by word, and every word is put under its name.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use xxhash_rust::xxh3::xxh3_64;

use super::Processes;
use super::canonical::place::Place;
use super::canonical::{Value, describe};
use super::config::StateKind;
use super::debug::Place as Written;
use super::ignore;
use super::multipliers::{Multipliers, Parts};
use super::naming::names::NameId;
use super::naming::{Namer, Scene};
use super::origin::Origins;
use super::rest::Again;
use super::state::StateId;
use super::zygotes::Zygotes;
use crate::error::Error;
use crate::system::Stop;

/// Names that are told of one node.
const TOLD: usize = 200;

/// What multiplies the local states of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Multiplied {
    /// The node.
    pub node: usize,
    /// How many local states it has.
    pub states: u64,
    /// How many of them were looked at.
    pub looked_at: u64,
    /// The names of words that are not the same in all of them: those whose absence saves most come
    /// first. At most [`TOLD`].
    pub words: Vec<Word>,
    /// Names beyond these.
    pub more: u64,
}

/// The words of one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// What they are called.
    pub name: String,
    /// How many values they have, all taken together.
    pub values: u64,
    /// How many states fewer there would be without them.
    pub saved: u64,
    /// The same without those before them too that can be left out; `None` if these cannot.
    pub together: Option<u64>,
}

impl Processes {
    /// What multiplies the local states of each node of kind `memory`, of which `states` says those
    /// that were found, by node and digest, and `origins` how they came about.
    pub fn why_so_many(
        &self,
        origins: &Origins,
        states: &[Vec<u128>],
    ) -> Result<Vec<Multiplied>, Stop> {
        let mut zygotes = Zygotes::default();
        let mut all = Vec::new();
        for (node, states) in states.iter().enumerate() {
            if self.config.nodes[node].state == StateKind::Memory && !states.is_empty() {
                all.push(self.multiplied(&mut zygotes, origins, node, states)?);
            }
        }
        Ok(all)
    }

    fn multiplied(
        &self,
        zygotes: &mut Zygotes,
        origins: &Origins,
        node: usize,
        states: &[u128],
    ) -> Result<Multiplied, Stop> {
        // Timing decides on the numbers of states, not on their digests.
        let mut order = states.to_vec();
        order.sort_unstable();
        let mut contents = HashSet::new();
        let mut known = Vec::new();
        for digest in order {
            let state = self.reader.states.find(digest)?.id;
            if contents.insert(&self.reader.states.get(state).content) {
                known.push(state);
            }
        }
        let mut multipliers = Multipliers::default();
        let mut looked_at = 0;
        // Nodes of one program have the same variables, but their states are apart.
        let mut namer: Option<Namer> = None;
        for &state in &known {
            let first = origins.first(node, state);
            let history =
                first.ok_or_else(|| Error::Internal("a local state without origin".into()))?;
            let again = self.again(zygotes, node, &history, state)?;
            let namer = match &mut namer {
                Some(namer) => namer,
                none => none.insert(Namer::new(self.subject(node)?.binaries())),
            };
            if !multipliers.add(&self.parts(node, state, &again, namer)?) {
                break;
            }
            looked_at += 1;
        }
        let Some(namer) = namer else {
            return Err(Error::Internal("a node without local states".into()).into());
        };
        let (words, more) = self.words(node, &multipliers, &namer);
        Ok(Multiplied { node, states: known.len() as u64, looked_at, words, more })
    }

    /// What `state` is made of.
    fn parts(
        &self,
        node: usize,
        state: StateId,
        again: &Again,
        namer: &mut Namer,
    ) -> Result<Parts, Stop> {
        let subject = self.subject(node)?;
        let mut parts = Parts::default();
        let state = self.reader.states.get(state);
        if state.raw {
            let hidden = subject.hidden_in(&again.read, again.twin.as_ref(), namer)?;
            let name = match hidden {
                Some(word) => format!("where heap objects lie: an address is hidden in {word}"),
                None => "where heap objects lie: an address was hidden before".into(),
            };
            parts.add(namer.names.number(&name), xxh3_64(&state.content));
        }
        // Fields of the model are in the content whatever is left out.
        const DIGEST: usize = 16;
        if let Some(fields) = state.content.get(DIGEST..).filter(|fields| !fields.is_empty()) {
            parts.add(namer.names.number("fields of the model"), xxh3_64(fields));
        }
        subject.with_input(&again.read, |input, heap, node| {
            let mut words = Vec::new();
            let seen = describe(input, &mut |place, value| words.push((*place, value)));
            let mut scene = namer.scene(node, heap, seen);
            for (place, value) in &words {
                add(&mut scene, place, *value, &mut parts);
            }
        })?;
        Ok(parts)
    }

    fn words(&self, node: usize, multipliers: &Multipliers, namer: &Namer) -> (Vec<Word>, u64) {
        let debug = self.programs[node].debug();
        let mut list = multipliers.list(|name| namer.names.get(name));
        let more = list.len().saturating_sub(TOLD) as u64;
        list.truncate(TOLD);
        let can_be_left_out = |name: NameId| {
            let place = Written::parse(namer.names.get(name)).ok();
            place.is_some_and(|place| ignore::target(&place, debug).is_ok())
        };
        let names = list.iter().map(|one| one.name);
        let left_out: Vec<NameId> = names.filter(|name| can_be_left_out(*name)).collect();
        let together = multipliers.together(&left_out);
        let words = list.iter().map(|one| Word {
            name: namer.names.get(one.name).to_owned(),
            values: one.values,
            saved: one.saved,
            together: left_out.iter().position(|name| *name == one.name).map(|at| together[at]),
        });
        (words.collect(), more)
    }
}

/// Add a word to what a state is made of, byte by byte where it has several names. What is zero adds
/// nothing.
fn add(scene: &mut Scene<'_, '_>, place: &Place, value: Value, parts: &mut Parts) {
    let Value::Bits(bits, length) = value else {
        let name = match value {
            Value::Name(_) => scene.name(place, 0).0,
            Value::LeftOut(_) => scene.left_out(),
            _ => scene.length_of(place),
        };
        return parts.add(name, hash(place, 0, value));
    };
    if bits == 0 {
        return;
    }
    let (length, mut at) = (u64::from(length), 0);
    while at < length {
        let (name, run) = scene.name(place, at);
        let run = run.clamp(1, length - at);
        let own = bits >> (8 * at) & (u64::MAX >> (64 - 8 * run));
        if own != 0 {
            parts.add(name, hash(place, at, Value::Bits(own, run as u8)));
        }
        at += run;
    }
}

fn hash(place: &Place, byte: u64, value: Value) -> u64 {
    // It has no key, so that it is the same in every run.
    let mut hasher = DefaultHasher::new();
    (place, byte, value).hash(&mut hasher);
    hasher.finish()
}
