//! The history of a local state: what a node was given on its way there, so that it can be given the
//! same again ([`super::zygotes`]).

use std::hash::Hash;
use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3;

use super::images::Image;
use super::step::{Answers, Cause, Event};
use super::zygotes::Executed;

/// How a node came to a local state: what it was given, and told, step by step since it booted.
#[derive(Debug)]
pub struct History {
    /// What came before; `None` for a boot.
    pub before: Option<Arc<History>>,
    /// Why it ran.
    pub cause: Cause,
    /// What it was told.
    pub answers: Answers,
    /// The memory that it leads to, as long as that is kept.
    pub image: Arc<Image>,
    /// What the last step of it was when it ran; `None` where that is not known.
    pub seen: Option<Seen>,
}

/// What a step was, as far as another run of it is to be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// A digest of what it did.
    pub events: u128,
    /// The digest of the whole memory that it ended in.
    pub memory: u128,
    /// Whether its process was put into a memory.
    pub restored: bool,
}

impl Seen {
    /// A digest of what a step did.
    pub fn digest(events: &[Event]) -> u128 {
        let mut hash = Xxh3::new();
        events.hash(&mut hash);
        hash.digest128()
    }
}

impl Drop for History {
    fn drop(&mut self) {
        // A long history must not be dropped by recursion.
        let mut before = self.before.take();
        while let Some(mut history) = before.and_then(Arc::into_inner) {
            before = history.before.take();
        }
    }
}

impl History {
    /// One step behind `before`.
    pub fn new(before: Option<Arc<History>>, cause: Cause, answers: Answers) -> Self {
        History { before, cause, answers, image: Arc::default(), seen: None }
    }

    /// The same, of which the last step was `executed`.
    pub fn seen(mut self, executed: &Executed) -> Self {
        let events = Seen::digest(&executed.done.events);
        let restored = executed.restored;
        self.seen = executed.memory.map(|memory| Seen { events, memory, restored });
        self
    }

    /// The steps, oldest first.
    pub fn steps(&self) -> Vec<&History> {
        let mut steps = vec![self];
        let mut last = self;
        while let Some(before) = &last.before {
            steps.push(before);
            last = before;
        }
        steps.reverse();
        steps
    }
}
