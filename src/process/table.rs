//! The step table: what each node did from each local state for each cause. A step is a function of
//! the two and of the answers it asks for, so an entry is a decision tree over answers whose leaves
//! say what was done, in order, and what became of the node. It is filled by running a process once.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError, RwLock};

use smallvec::SmallVec;
use xxhash_rust::xxh3::xxh3_128;

use super::effects;
use super::state::{Digests, Resting, StateId};
use super::step::{Answers, Cause, Event, Query, Trigger};
use crate::bytes::put_uint;
use crate::system::Breach;

/// What became of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It waits.
    Rests(Resting),
    /// It has exited.
    Exited,
    /// It broke a built-in rule.
    Broke(Breach),
}

/// What a step did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// What it asked for, in order, and was told.
    pub asked: Vec<(Query, i64)>,
    /// What it did, in order.
    pub events: Vec<Event>,
    /// What became of the node.
    pub ending: Ending,
}

/// A leaf of the table.
#[derive(Debug)]
pub struct Leaf {
    /// What it is looked up by, its answers apart.
    pub key: u128,
    /// The node.
    pub node: usize,
    /// The local state that the step started in; `None` for a boot.
    pub before: Option<StateId>,
    /// Why the node ran.
    pub cause: Cause,
    /// What it was told.
    pub answers: Answers,
    /// What it did.
    pub done: Done,
    /// How many of its events are effects.
    pub effects: usize,
    /// How many of its look-ups were drawn for an audit.
    pub drawn: AtomicU32,
    /// Place among the origins that wait for the barrier, plus one; 0 if there is none.
    pub waiting: AtomicU32,
    /// The index of the first world at which the origin that waits is known to have turned up.
    pub first: AtomicU64,
}

impl Leaf {
    /// Whether it is what `step` does.
    pub fn is(&self, step: &Step<'_>) -> bool {
        self.node == step.node
            && self.before == step.before
            && self.cause.trigger() == step.trigger
            && self.done.asked.iter().all(|&(query, answer)| step.answers.to(query) == answer)
    }
}

/// The part of an entry that is behind some answers.
#[derive(Debug)]
enum Tree {
    /// The place of a leaf in the list.
    Leaf(usize),
    Ask(Query, Vec<(i64, Tree)>),
}

impl Tree {
    fn find(&self, answers: Answers) -> Option<usize> {
        match self {
            Tree::Leaf(leaf) => Some(*leaf),
            Tree::Ask(query, branches) => {
                let answer = answers.to(*query);
                let (_, tree) = branches.iter().find(|(known, _)| *known == answer)?;
                tree.find(answers)
            }
        }
    }

    /// A tree that asks for `asked` and then is `leaf`.
    fn of(asked: &[(Query, i64)], leaf: usize) -> Self {
        match asked.split_first() {
            None => Tree::Leaf(leaf),
            Some((&(query, answer), rest)) => {
                Tree::Ask(query, vec![(answer, Tree::of(rest, leaf))])
            }
        }
    }

    /// Add the way to `leaf`. False if it asks for other things than the ways there are, although it
    /// was told the same: then the step is no function of what it was told.
    fn add(&mut self, asked: &[(Query, i64)], leaf: usize) -> bool {
        match (self, asked.split_first()) {
            (Tree::Ask(query, branches), Some((&(asks, answer), rest))) if *query == asks => {
                match branches.iter_mut().find(|(known, _)| *known == answer) {
                    Some((_, tree)) => tree.add(rest, leaf),
                    None => {
                        branches.push((answer, Tree::of(rest, leaf)));
                        true
                    }
                }
            }
            _ => false,
        }
    }
}

/// The table of all nodes.
#[derive(Debug, Default)]
pub struct Table {
    /// Keys of steps that some worker is running.
    claimed: Mutex<HashSet<u128>>,
    freed: Condvar,
    entries: RwLock<HashMap<u128, Tree, Digests>>,
    /// Places of the leaves whose origin waits for the barrier.
    waiting: Mutex<Vec<usize>>,
    leaves: boxcar::Vec<Leaf>,
}

/// What an entry is looked up by: node, local state and cause, as a digest.
pub fn key(node: usize, before: Option<u128>, trigger: Trigger<'_>) -> u128 {
    let mut bytes: SmallVec<[u8; 128]> = SmallVec::new();
    bytes.push(node as u8);
    bytes.extend_from_slice(&before.unwrap_or(0).to_le_bytes());
    let (tag, text) = match trigger {
        Trigger::Boot(None) => (0, None),
        Trigger::Boot(Some(record)) => (1, Some(record)),
        Trigger::Accepted { synthetic } => (2 + u8::from(synthetic), None),
        Trigger::Expired => (4, None),
        Trigger::Bytes(input) => (5, Some(input)),
        Trigger::Tick => (6, None),
    };
    bytes.push(tag);
    if let Some(text) = text {
        let mut length = Vec::new();
        put_uint(&mut length, text.len() as u64);
        bytes.extend_from_slice(&length);
        bytes.extend_from_slice(text);
    }
    xxh3_128(&bytes)
}

impl Table {
    /// The leaf for `key` and `answers`, if that step was learned.
    pub fn find(&self, key: u128, answers: Answers) -> Option<(usize, &Leaf)> {
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        let place = entries.get(&key)?.find(answers)?;
        drop(entries);
        Some((place, &self.leaves[place]))
    }

    /// Wait until no other worker runs a step with this key, and keep others from it. What they have
    /// learned meanwhile can then be found, so that each step is run once however many workers ask.
    pub fn claim(&self, key: u128) -> Claim<'_> {
        let mut claimed = self.claimed.lock().unwrap_or_else(PoisonError::into_inner);
        while !claimed.insert(key) {
            claimed = self.freed.wait(claimed).unwrap_or_else(PoisonError::into_inner);
        }
        Claim { table: self, key }
    }

    /// Learn a step; `None` if it asked for other things than it did before under the same answers.
    /// `waiting` is the place of the origin it ended in among those that wait for the barrier, and the
    /// index of the world at which it turned up.
    pub fn learn(
        &self,
        key: u128,
        step: Step<'_>,
        done: Done,
        waiting: Option<(usize, u64)>,
    ) -> Option<&Leaf> {
        let asked = done.asked.clone();
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        let place = self.leaves.push(Leaf {
            key,
            node: step.node,
            before: step.before,
            cause: step.trigger.cause(),
            answers: step.answers,
            effects: effects::count(&done.events),
            done,
            drawn: AtomicU32::new(0),
            waiting: AtomicU32::new(waiting.map_or(0, |(place, _)| place as u32 + 1)),
            first: AtomicU64::new(waiting.map_or(0, |(_, index)| index)),
        });
        if waiting.is_some() {
            self.waiting.lock().unwrap_or_else(PoisonError::into_inner).push(place);
        }
        let fits = match entries.get_mut(&key) {
            Some(tree) => tree.add(&asked, place),
            None => {
                entries.insert(key, Tree::of(&asked, place));
                true
            }
        };
        fits.then(|| &self.leaves[place])
    }

    /// The leaf at `place`.
    pub fn leaf(&self, place: usize) -> &Leaf {
        &self.leaves[place]
    }

    /// Every leaf from `first` on with its place, in the order in which they were learned, while nobody
    /// learns.
    pub fn leaves(&self, first: usize) -> impl Iterator<Item = (usize, &Leaf)> {
        (first..self.leaves.count()).map(|place| (place, &self.leaves[place]))
    }

    /// The origins that wait are taken: no leaf has one any more.
    pub fn none_waits(&self) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        for place in waiting.drain(..) {
            self.leaves[place].waiting.store(0, Ordering::Relaxed);
        }
    }

    /// Put another leaf in place of the one at `place`.
    #[doc(hidden)]
    pub fn replace_for_tests(&self, place: usize, done: Done) {
        let old = &self.leaves[place];
        let step = Step {
            node: old.node,
            before: old.before,
            trigger: old.cause.trigger(),
            answers: old.answers,
        };
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        entries.remove(&old.key);
        drop(entries);
        self.learn(old.key, step, done, None);
    }
}

/// The right to run the steps with one key.
#[derive(Debug)]
pub struct Claim<'a> {
    table: &'a Table,
    key: u128,
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        let mut claimed = self.table.claimed.lock().unwrap_or_else(PoisonError::into_inner);
        claimed.remove(&self.key);
        self.table.freed.notify_all();
    }
}

/// A step that is looked up or learned.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// The node.
    pub node: usize,
    /// The local state that it starts in; `None` for a boot.
    pub before: Option<StateId>,
    /// Why the node runs.
    pub trigger: Trigger<'a>,
    /// What it is told.
    pub answers: Answers,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(answers: Answers) -> Step<'static> {
        Step { node: 0, before: None, trigger: Trigger::Boot(None), answers }
    }

    fn done(asked: &[(Query, i64)]) -> Done {
        Done { asked: asked.to_vec(), events: Vec::new(), ending: Ending::Exited }
    }

    #[test]
    fn an_entry_branches_over_the_answers_it_asked_for() {
        let table = Table::default();
        let at = |clock, boots| Answers { clock, boots };
        let first = table.learn(1, step(at(5, 1)), done(&[(Query::Clock, 5)]), None);
        assert!(first.is_some());
        assert!(table.find(1, at(5, 9)).is_some());
        assert!(table.find(1, at(6, 1)).is_none());
        let second = done(&[(Query::Clock, 6), (Query::Boots, 1)]);
        assert!(table.learn(1, step(at(6, 1)), second, None).is_some());
        assert!(table.find(1, at(6, 1)).is_some());
        assert!(table.find(1, at(6, 2)).is_none());
        assert!(table.find(2, at(5, 1)).is_none());
    }

    #[test]
    fn a_step_that_asks_for_other_things_under_the_same_answers_is_refused() {
        let table = Table::default();
        let answers = Answers { clock: 5, boots: 1 };
        assert!(table.learn(1, step(answers), done(&[(Query::Clock, 5)]), None).is_some());
        assert!(table.learn(1, step(answers), done(&[(Query::Boots, 1)]), None).is_none());
        assert!(table.learn(1, step(answers), done(&[]), None).is_none());
    }
}
