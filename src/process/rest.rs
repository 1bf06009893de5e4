//! A node that has come to rest: it is read, brought to its normal form if its state kind is
//! `memory`, and its identity is taken.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use xxhash_rust::xxh3::xxh3_128;

use super::Processes;
use super::config::StateKind;
use super::content;
use super::history::History;
use super::node::Node;
use super::normal;
use super::phases::Phase;
use super::snapshot::Snapshot;
use super::state::{LocalState, Resting, StateId};
use super::step::{Query, Wait};
use super::subject::{Compared, Read};
use super::zygotes::Zygotes;
use crate::error::Error;
use crate::system::Stop;

/// What a node has come to rest in.
#[derive(Debug)]
pub struct Taken {
    /// Its local state.
    pub state: Resting,
    /// Its whole memory, if that was asked for or is the state.
    pub whole: Option<Whole>,
}

/// The whole memory of a node, as it goes on from here.
#[derive(Debug)]
pub struct Whole {
    /// The digest of it, and of the addresses that the checker holds where the state is without them.
    pub digest: u128,
    /// The memory itself.
    pub snapshot: Snapshot,
    /// That of the node's twin, if it has one.
    pub twin: Option<Snapshot>,
}

/// A node of kind `memory` in a local state that was found before.
#[derive(Debug)]
pub struct Again {
    /// The node.
    pub read: Read,
    /// Its twin.
    pub twin: Option<Read>,
}

impl Processes {
    /// Node `number`, of kind `memory`, once more in the local state `state`, to which `history` has
    /// led.
    pub(super) fn again(
        &self,
        zygotes: &mut Zygotes,
        number: usize,
        history: &History,
        state: StateId,
    ) -> Result<Again, Stop> {
        let saves = zygotes.saves(self, self.restores.backend, number)?;
        let (mut node, saved, _) = zygotes.lead(self, saves, false, number, (state, history))?;
        let call = node.waits_in();
        let read = self.normalise(&mut node, call.get(2..).unwrap_or_default())?;
        let twin = self.normalise_twin(&mut node)?;
        if let Some(saved) = saved {
            zygotes.pool(number).join(node, saved);
        }
        Ok(Again { read, twin })
    }

    /// The local state of `node`, which waits in `wait` by the call `call`; its whole memory if
    /// `whole` asks for it or the state holds it. A node of kind `memory` goes on in normal form. The
    /// node is left stopped.
    pub fn take_state(
        &self,
        node: &mut Node,
        wait: Wait,
        call: &[u64],
        whole: bool,
    ) -> Result<Taken, Stop> {
        if node.asked.contains(&Query::Clock) {
            self.ledger.clock_read.store(true, Ordering::Relaxed);
        }
        let number = node.number();
        let config = &self.config.nodes[number];
        if config.state == StateKind::Memory {
            return self.take_memory(node, wait, call);
        }
        let halted = node.halt()?;
        let registers = halted.registers()?;
        let callers = &self.callers[number];
        let (callers, whole) = match whole || config.state == StateKind::Raw {
            true => {
                let snapshot = node.snapshot(registers)?;
                let callers = callers.of_snapshot(node.memory(), &snapshot);
                let digest = snapshot.digest(&snapshot.registers);
                (callers, Some(Whole { digest, snapshot, twin: None }))
            }
            false => (callers.of(node.memory(), &registers), None),
        };
        node.stay(halted);
        let digest = || {
            let whole = whole.as_ref().map(|whole| whole.digest);
            whole.ok_or_else(|| Error::Internal("a memory was not read".into()).into())
        };
        let content = content::read(node, config, &self.programs[number], digest)?;
        let mut kept = Vec::new();
        node.local.encode(&mut kept);
        let call = [call, &callers].concat();
        let state = LocalState { content, wait, call, kept, raw: false };
        Ok(Taken { state: self.reader.states.intern(state)?, whole })
    }

    /// The same for a node of kind `memory`.
    fn take_memory(&self, node: &mut Node, wait: Wait, call: &[u64]) -> Result<Taken, Stop> {
        let (number, place, arguments) = (node.number(), &call[..2], &call[2..]);
        let read = self.normalise(node, arguments)?;
        let twin = self.normalise_twin(node)?;
        let subject = self.subject(number)?;
        let compared = subject.form(&read, twin.as_ref(), &self.dropped, &self.ledger.phases);
        let Compared { digest: form, hidden } = compared.map_err(|wrong| {
            node.cannot(&format!("it has overwritten the records of its heap: {wrong}"))
        })?;
        let raw = hidden.is_some() || node.hides;
        node.hides = raw;
        if let Some(place) = hidden {
            let mut known = self.ledger.hidden.lock().unwrap_or_else(PoisonError::into_inner);
            let places = known.entry(number).or_default();
            places.insert(place);
            // Whoever comes first, the same are left.
            if places.len() > HIDDEN {
                places.pop_last();
            }
        }
        let digest = read.snapshot.digest(&read.registers);
        let mut content = if raw { digest } else { form }.to_le_bytes().to_vec();
        let config = &self.config.nodes[number];
        content.extend(content::reads(node, config, &self.programs[number])?);
        let mut kept = Vec::new();
        // What may be an address is in the form.
        match raw {
            true => node.local.encode(&mut kept),
            false => node.local.encode_without_addresses(&mut kept),
        }
        let arguments = if raw { arguments } else { &[] };
        let call = [place, arguments, &read.stack.callers()].concat();
        let state = self.reader.states.intern(LocalState { content, wait, call, kept, raw })?;
        let twin = twin.map(|twin| twin.snapshot);
        let digest = with_held(digest, &read.held);
        Ok(Taken { state, whole: Some(Whole { digest, snapshot: read.snapshot, twin }) })
    }

    /// The places of node `number` that held addresses that could not be followed; the first of them.
    pub fn hidden(&self, number: usize) -> String {
        let known = self.ledger.hidden.lock().unwrap_or_else(PoisonError::into_inner);
        let places = known.get(&number).map_or(Vec::new(), |places| places.iter().collect());
        places.into_iter().cloned().collect::<Vec<_>>().join(", ")
    }

    /// Let `node`, which waits, go on as every node of its state kind does, without its state; the
    /// digest of its whole memory, if `whole` asks for it.
    pub fn settle(&self, node: &mut Node, whole: bool) -> Result<Option<u128>, Stop> {
        if self.config.nodes[node.number()].state == StateKind::Memory {
            let call = node.waits_in();
            let read = self.normalise(node, call.get(2..).unwrap_or_default())?;
            self.normalise_twin(node)?;
            return Ok(whole.then(|| with_held(read.snapshot.digest(&read.registers), &read.held)));
        }
        if !whole {
            return Ok(None);
        }
        let halted = node.halt()?;
        let snapshot = node.snapshot(halted.registers()?)?;
        node.stay(halted);
        Ok(Some(snapshot.digest(&snapshot.registers)))
    }

    fn normalise_twin(&self, node: &mut Node) -> Result<Option<Read>, Stop> {
        let Some(mut twin) = node.twin.take() else { return Ok(None) };
        let call = twin.waits_in();
        let read = self.normalise(&mut twin, call.get(2..).unwrap_or_default());
        node.twin = Some(twin);
        read.map(Some)
    }

    /// Read `node`, which waits in a call with these arguments, bring it to its normal form, and
    /// leave it stopped.
    fn normalise(&self, node: &mut Node, arguments: &[u64]) -> Result<Read, Stop> {
        let phases = &self.ledger.phases;
        let (halted, registers) = phases.time(Phase::Stop, || {
            let halted = node.halt()?;
            let registers = halted.registers()?;
            Ok::<_, Error>((halted, registers))
        })?;
        let mut snapshot = phases.time(Phase::Read, || node.snapshot(registers))?;
        let stack = phases.time(Phase::Normalise, || {
            let stack = self.callers[node.number()].stack(node.memory(), &snapshot);
            let mut dead = self.subject(node.number())?.dead(&snapshot, &stack, arguments);
            dead.extend(self.buried(node.number(), node.bias()));
            normal::clear(&mut snapshot, &stack, &dead);
            Ok::<_, Error>(stack)
        })?;
        phases.time(Phase::Write, || {
            if !snapshot.write_back(node.memory()) {
                return Err(Stop::from(node.cannot("its memory cannot be written")));
            }
            Ok(halted.set(&snapshot.registers)?)
        })?;
        node.stay(halted);
        let registers = normal::visible(&snapshot, &stack);
        let held = [arguments, &node.local.held()].concat();
        Ok(Read { snapshot, registers, stack, held })
    }
}

/// Places of hidden addresses that are named of one node.
const HIDDEN: usize = 4;

/// Memories that differ in what the checker holds for them are two, and audited, though the same words
/// are in both.
fn with_held(digest: u128, held: &[u64]) -> u128 {
    let mut bytes = digest.to_le_bytes().to_vec();
    bytes.extend(held.iter().flat_map(|word| word.to_le_bytes()));
    xxh3_128(&bytes)
}
