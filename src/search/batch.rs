//! Transitions that were made and not looked at yet. Looking a world up in a large set waits for
//! memory; so a worker asks for the memory as soon as it has a successor, goes on, and looks when it
//! has made some more. They are looked at in the order in which they were made.

use super::expand::Transition;
use super::key::Key;
use crate::action::{Action, Kind, Label};
use crate::fingerprint::Fingerprint;

/// So many wait where a look-up waits for memory.
pub(super) const LARGE: usize = 24;

/// A transition to a world.
pub(super) struct Pending {
    pub(super) fingerprint: Fingerprint,
    pub(super) key: Key,
    pub(super) label: Label,
    /// Its place in the ledger.
    pub(super) mark: usize,
    pub(super) world: Vec<u8>,
}

/// The transitions that wait, in memory that is used again and again.
#[derive(Default)]
pub(super) struct Batch {
    slots: Vec<Pending>,
    waiting: usize,
}

impl Batch {
    /// Empty; for `size` transitions, at least one.
    pub(super) fn new(size: usize) -> Self {
        let empty = || Pending {
            fingerprint: Fingerprint(0),
            key: Key::END,
            label: Label::plain(Action { kind: Kind::Action, subject: 0, argument: 0 }),
            mark: 0,
            world: Vec::new(),
        };
        Batch { slots: (0..size.max(1)).map(|_| empty()).collect(), waiting: 0 }
    }

    /// Append one to the world `next`, which is exchanged for memory; answers whether there are
    /// enough.
    #[inline]
    pub(super) fn push(
        &mut self,
        fingerprint: Fingerprint,
        key: Key,
        transition: &Transition<'_>,
        mark: usize,
        next: &mut Vec<u8>,
    ) -> bool {
        let slot = &mut self.slots[self.waiting];
        slot.fingerprint = fingerprint;
        slot.key = key;
        transition.write_label(&mut slot.label);
        slot.mark = mark;
        std::mem::swap(&mut slot.world, next);
        self.waiting += 1;
        self.waiting == self.slots.len()
    }

    /// Call `each` with all of them.
    #[inline]
    pub(super) fn drain(&mut self, each: impl FnMut(&Pending)) {
        let waiting = std::mem::take(&mut self.waiting);
        self.slots[..waiting].iter().for_each(each);
    }
}
