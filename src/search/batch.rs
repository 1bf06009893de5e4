//! Transitions that were made and not looked at yet. Looking a world up in a large set waits for
//! memory; so a worker asks for the memory as soon as it has a successor, goes on, and looks when it
//! has made some more. They are looked at in the order in which they were made.

use super::expand::Transition;
use super::key::Key;
use crate::action::{Action, Kind, Label};
use crate::fingerprint::Fingerprint;
use crate::short;

/// So many wait where a look-up waits for memory.
pub(super) const LARGE: usize = 24;

/// A world of more bytes does not wait: to copy it takes longer than the memory does.
const LARGEST: usize = 2048;

/// Where worlds start: properties may read them as a core's state.
const ALIGNMENT: usize = 16;

/// A transition to a world.
pub(super) struct Pending {
    pub(super) fingerprint: Fingerprint,
    pub(super) key: Key,
    pub(super) label: Label,
    /// Where its world is.
    start: usize,
    len: usize,
}

impl Pending {
    /// A transition that does not wait, to a world that lies alone.
    pub(super) fn alone(fingerprint: Fingerprint, key: Key, label: Label, world: &[u8]) -> Self {
        Pending { fingerprint, key, label, start: 0, len: world.len() }
    }

    /// The world that it leads to, among the worlds of its batch.
    #[inline]
    pub(super) fn world<'a>(&self, worlds: &'a [u8]) -> &'a [u8] {
        &worlds[self.start..][..self.len]
    }
}

/// The transitions that wait, in memory that is used again and again.
#[derive(Default)]
pub(super) struct Batch {
    slots: Vec<Pending>,
    waiting: usize,
    /// The worlds, and room for more.
    bytes: Vec<u8>,
    /// Where the next world goes.
    end: usize,
}

impl Batch {
    /// Empty; for `size` transitions. Where that is one, none waits.
    pub(super) fn new(size: usize) -> Self {
        let empty = || Pending {
            fingerprint: Fingerprint(0),
            key: Key::END,
            label: Label::plain(Action { kind: Kind::Action, subject: 0, argument: 0 }),
            start: 0,
            len: 0,
        };
        let slots = (0..size.max(1)).map(|_| empty()).collect();
        Batch { slots, waiting: 0, bytes: Vec::new(), end: 0 }
    }

    /// Whether transitions to `world` wait.
    #[inline]
    pub(super) fn takes(&self, world: &[u8]) -> bool {
        self.slots.len() > 1 && world.len() <= LARGEST
    }

    /// Whether none waits.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.waiting == 0
    }

    /// Append one to the world `next`; answers whether there are enough.
    #[inline(always)]
    pub(super) fn push(
        &mut self,
        fingerprint: Fingerprint,
        key: Key,
        transition: &Transition<'_>,
        next: &[u8],
    ) -> bool {
        let (start, len) = (self.end, next.len());
        if self.bytes.len() - start < len {
            self.grow(len);
        }
        short::copy(next, &mut self.bytes[start..][..len]);
        self.end = (start + len).next_multiple_of(ALIGNMENT);
        let slot = &mut self.slots[self.waiting];
        slot.fingerprint = fingerprint;
        slot.key = key;
        transition.write_label(&mut slot.label);
        (slot.start, slot.len) = (start, len);
        self.waiting += 1;
        self.waiting == self.slots.len()
    }

    /// Make room for a world of `len` bytes more.
    #[cold]
    fn grow(&mut self, len: usize) {
        let size = (self.end + len).next_power_of_two().max(1 << 10);
        self.bytes.resize(size, 0);
    }

    /// Call `each` with all of them, and with what [`Pending::world`] wants.
    #[inline]
    pub(super) fn drain(&mut self, mut each: impl FnMut(&Pending, &[u8])) {
        let waiting = std::mem::take(&mut self.waiting);
        self.end = 0;
        self.slots[..waiting].iter().for_each(|slot| each(slot, &self.bytes));
    }
}
