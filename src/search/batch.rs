//! Transitions that were made and not looked at yet. Looking a world up in a large set waits for
//! memory; so a worker asks for the memory as soon as it has a successor, goes on, and looks when it
//! has made some more. They are looked at in the order in which they were made.

use super::expand::Transition;
use super::key::Key;
use crate::action::{Action, Kind, Label};
use crate::fingerprint::Fingerprint;

/// So many wait where a look-up waits for memory.
pub(super) const LARGE: usize = 24;

/// The home of a world that is nothing new.
pub(super) const KNOWN: usize = usize::MAX;

/// A transition to a world.
pub(super) struct Pending {
    pub(super) fingerprint: Fingerprint,
    /// Where the set of stored worlds has it, if it does; or [`KNOWN`].
    pub(super) home: usize,
    pub(super) key: Key,
    pub(super) label: Label,
    /// Where its world is in the brood.
    pub(super) start: usize,
    pub(super) len: usize,
}

impl Default for Pending {
    fn default() -> Self {
        Pending {
            fingerprint: Fingerprint(0),
            home: 0,
            key: Key::END,
            label: Label::plain(Action { kind: Kind::Action, subject: 0, argument: 0 }),
            start: 0,
            len: 0,
        }
    }
}

impl Pending {
    /// It is made by `action`, without choices.
    #[inline]
    pub(super) fn label_plainly(&mut self, action: Action) {
        match self.label.choices.is_empty() {
            true => self.label.action = action,
            false => self.label = Label::plain(action),
        }
    }

    /// It is this transition.
    #[inline]
    pub(super) fn label(&mut self, transition: &Transition<'_>) {
        transition.write_label(&mut self.label);
    }
}

/// The transitions that wait, in memory that is used again and again.
#[derive(Default)]
pub(super) struct Batch {
    slots: Vec<Pending>,
    waiting: usize,
}

impl Batch {
    /// How many wait.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.waiting
    }

    /// Those that wait.
    #[inline]
    pub(super) fn waiting(&self) -> &[Pending] {
        &self.slots[..self.waiting]
    }

    /// Let `count` more wait; answers them, to be written over.
    #[inline]
    pub(super) fn more(&mut self, count: usize) -> &mut [Pending] {
        let start = self.waiting;
        if self.slots.len() - start < count {
            self.grow(count);
        }
        self.waiting = start + count;
        &mut self.slots[start..][..count]
    }

    /// The last `count` do not wait.
    #[inline]
    pub(super) fn less(&mut self, count: usize) {
        self.waiting -= count;
    }

    /// None waits.
    pub(super) fn clear(&mut self) {
        self.waiting = 0;
    }

    #[cold]
    fn grow(&mut self, count: usize) {
        self.slots.resize_with((self.waiting + count).next_power_of_two(), Pending::default);
    }
}
