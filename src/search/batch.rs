//! Transitions that were made and not looked at yet. Looking a world up in a large set waits for
//! memory; so a worker asks for the memory as soon as it has a successor, goes on, and looks when it
//! has made some more. They are looked at in the order in which they were made.

use super::key::Key;
use crate::action::Label;
use crate::fingerprint::Fingerprint;

/// So many wait for memory at once.
const LARGE: usize = 24;

/// A transition to a world.
pub(super) struct Pending {
    pub(super) fingerprint: Fingerprint,
    pub(super) key: Key,
    pub(super) label: Label,
    /// Its place in the ledger.
    pub(super) mark: usize,
    pub(super) world: Vec<u8>,
}

/// The transitions that wait.
pub(super) struct Batch {
    waiting: Vec<Pending>,
    size: usize,
    /// Memory for worlds.
    spare: Vec<Vec<u8>>,
}

impl Batch {
    /// Empty; for one transition at a time where waiting is not worth it.
    pub(super) fn new(large: bool) -> Self {
        let size = if large { LARGE } else { 1 };
        Batch { waiting: Vec::with_capacity(size), size, spare: vec![Vec::new(); size] }
    }

    /// Append one to the world `next`, which is exchanged for memory; answers whether there are
    /// enough.
    pub(super) fn push(
        &mut self,
        fingerprint: Fingerprint,
        key: Key,
        label: Label,
        mark: usize,
        next: &mut Vec<u8>,
    ) -> bool {
        let spare = self.spare.pop().unwrap_or_default();
        let world = std::mem::replace(next, spare);
        self.waiting.push(Pending { fingerprint, key, label, mark, world });
        self.waiting.len() == self.size
    }

    /// Take all of them out.
    pub(super) fn take(&mut self) -> Vec<Pending> {
        std::mem::take(&mut self.waiting)
    }

    /// Give the memory back.
    pub(super) fn give_back(&mut self, mut waiting: Vec<Pending>) {
        self.spare.extend(waiting.drain(..).map(|pending| pending.world));
        self.waiting = waiting;
    }
}
