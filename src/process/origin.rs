//! The origins of local states: whole memories that have the same identity, each with the history
//! that produces it. The first is the one that steps are learned from; the others are there to show
//! that it does not matter which. Origins that a level brings are taken at its barrier in the order
//! of (world, action), so that the first never depends on timing.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use super::history::History;
use super::state::StateId;
use crate::action::Action;

/// A whole memory of a local state.
#[derive(Clone, Debug)]
pub struct Origin {
    /// How it came about.
    pub history: Arc<History>,
    /// The digest of the memory.
    pub memory: u128,
}

/// Where an origin turned up: the world's index, the action, and its place among the origins of
/// that step.
pub type Rank = (u64, Option<Action>, u32);

/// An origin that waits for the barrier.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The node.
    pub node: usize,
    /// The local state that it is a memory of.
    pub state: StateId,
    /// Where it turned up first.
    pub rank: Rank,
    /// The memory.
    pub origin: Origin,
}

/// What became of an origin that was offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// Its memory was known.
    Known,
    /// It has this place among the origins of its state.
    New(usize),
    /// There are as many as are kept.
    Excess,
}

/// The origins of all local states.
#[derive(Debug)]
pub struct Origins {
    limit: usize,
    kept: RwLock<HashMap<(usize, StateId), Vec<Origin>>>,
    waiting: Mutex<Vec<Candidate>>,
    excess: AtomicU64,
}

impl Origins {
    /// Keep up to `limit` origins of each state.
    pub fn new(limit: usize) -> Self {
        Origins {
            limit,
            kept: RwLock::default(),
            waiting: Mutex::default(),
            excess: AtomicU64::new(0),
        }
    }

    /// The history that steps from `state` are learned from.
    pub fn first(&self, node: usize, state: StateId) -> Option<Arc<History>> {
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(origin) = kept.get(&(node, state)).and_then(|origins| origins.first()) {
            return Some(Arc::clone(&origin.history));
        }
        // A walk goes on from a state before its barrier.
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let same = waiting.iter().filter(|c| (c.node, c.state) == (node, state));
        same.min_by_key(|candidate| candidate.rank).map(|c| Arc::clone(&c.origin.history))
    }

    /// The origins of `state`.
    pub fn of(&self, node: usize, state: StateId) -> Vec<Origin> {
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        kept.get(&(node, state)).cloned().unwrap_or_default()
    }

    /// Let an origin wait for the barrier; its place among those that wait.
    pub fn offer(&self, candidate: Candidate) -> usize {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.push(candidate);
        waiting.len() - 1
    }

    /// The origin at `place` among those that wait turned up again.
    pub fn seen_again(&self, place: usize, rank: Rank) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(candidate) = waiting.get_mut(place) {
            candidate.rank = candidate.rank.min(rank);
        }
    }

    /// Those that wait, in the order in which they are to be kept; none wait any more.
    pub fn take_waiting(&self) -> Vec<Candidate> {
        let waiting = &mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let mut taken = std::mem::take(waiting);
        taken.sort_by_key(|candidate| candidate.rank);
        taken
    }

    /// Keep an origin, if it is new and there is room.
    pub fn keep(&self, node: usize, state: StateId, origin: Origin) -> Kept {
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        let origins = kept.entry((node, state)).or_default();
        if origins.iter().any(|known| known.memory == origin.memory) {
            return Kept::Known;
        }
        if origins.len() >= self.limit {
            self.excess.fetch_add(1, Ordering::Relaxed);
            return Kept::Excess;
        }
        origins.push(origin);
        Kept::New(origins.len() - 1)
    }

    /// How many origins were not kept.
    pub fn excess(&self) -> u64 {
        self.excess.load(Ordering::Relaxed)
    }

    /// How many states have more than one origin, and how many have one.
    pub fn counts(&self) -> (u64, u64) {
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        let several = kept.values().filter(|origins| origins.len() > 1).count() as u64;
        (several, kept.len() as u64 - several)
    }

    /// Give every state that has several origins its last one as the first: a lie for tests, which
    /// the audit must find.
    #[doc(hidden)]
    pub fn swap_for_tests(&self) -> usize {
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        let mut states: Vec<_> =
            kept.iter().map(|(key, origins)| (*key, origins.clone())).collect();
        states.sort_by_key(|(key, _)| *key);
        let count = states.len();
        for index in 0..count {
            let (key, _) = states[index];
            let next = (index + 1..count).chain(0..index).find(|&other| states[other].0.0 == key.0);
            if let Some(next) = next {
                kept.insert(key, states[next].1.clone());
            }
        }
        count
    }
}
