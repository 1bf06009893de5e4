//! Transitions that were made and not looked at yet. Looking a world up in a large set waits for
//! memory; so a worker asks for the memory as soon as it has a successor, goes on, and looks when it
//! has made some more. They are looked at in the order in which they were made.

use super::key::Key;
use crate::action::{Action, Label};
use crate::brood::Run;
use crate::fingerprint::Fingerprint;

/// So many wait where a look-up waits for memory.
pub(super) const LARGE: usize = 48;

/// The home of a world that is nothing new.
pub(super) const KNOWN: usize = usize::MAX;

/// A transition to a world.
#[derive(Clone, Copy)]
pub(super) struct Pending {
    pub(super) fingerprint: Fingerprint,
    /// Where the set of stored worlds has it, if it does; or [`KNOWN`].
    pub(super) home: usize,
    /// The number of its group, and its own there.
    group: u32,
    nth: u32,
}

/// Transitions that were made at once.
pub(super) struct Group {
    /// The key and the action of the first; those of the others follow.
    key: Key,
    action: Action,
    /// Where their worlds are in the brood.
    start: usize,
    stride: usize,
    len: usize,
    /// The choices that were taken in each.
    choices: Box<[u16]>,
}

/// The transitions that wait, in memory that is used again and again.
#[derive(Default)]
pub(super) struct Batch {
    groups: Vec<Group>,
    slots: Vec<Pending>,
    waiting: usize,
}

impl Batch {
    /// Bytes of memory that they take.
    pub(super) fn bytes(&self) -> usize {
        self.groups.capacity() * size_of::<Group>() + self.slots.capacity() * size_of::<Pending>()
    }

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

    /// The group of one of them.
    #[inline]
    pub(super) fn group(&self, pending: &Pending) -> &Group {
        &self.groups[pending.group as usize]
    }

    /// The transitions of `run` follow, the first of which has this key; answers their places, to be filled
    /// in, all or the first of them.
    #[inline(always)]
    pub(super) fn open(&mut self, key: Key, run: &Run, choices: Box<[u16]>) -> Places<'_> {
        let count = run.count as usize;
        if self.slots.len() - self.waiting < count {
            self.grow(count);
        }
        // Fewer than 2^32 groups fit into a brood.
        let number = self.groups.len() as u32;
        let Run { action, start, stride, len, .. } = *run;
        self.groups.push(Group { key, action, start, stride, len, choices });
        Places { slots: &mut self.slots[self.waiting..][..count], group: number }
    }

    /// So many places were filled in.
    #[inline]
    pub(super) fn fill(&mut self, count: usize) {
        self.waiting += count;
    }

    /// Let those that lead to a known world wait no longer; or `all` the same, without a home. Whether one
    /// is known decides no branch: nobody could predict it, and so they wait for memory together.
    #[inline(always)]
    pub(super) fn sift(&mut self, all: bool, mut is_known: impl FnMut(&Pending) -> bool) {
        let (slots, mut kept) = (&mut self.slots[..self.waiting], 0);
        for at in 0..slots.len() {
            let pending = slots[at];
            let known = is_known(&pending);
            let home = if known { KNOWN } else { pending.home };
            slots[kept] = Pending { home, ..pending };
            kept += usize::from(!known | all);
        }
        self.waiting = kept;
    }

    /// Those that lead to worlds which are not known.
    #[inline(always)]
    pub(super) fn unknown(&mut self) -> impl Iterator<Item = &mut Pending> {
        self.slots[..self.waiting].iter_mut().filter(|pending| pending.home != KNOWN)
    }

    /// None waits.
    #[inline]
    pub(super) fn clear(&mut self) {
        self.groups.clear();
        self.waiting = 0;
    }

    #[cold]
    fn grow(&mut self, count: usize) {
        let empty = Pending { fingerprint: Fingerprint(0), home: KNOWN, group: 0, nth: 0 };
        self.slots.resize((self.waiting + count).next_power_of_two(), empty);
    }
}

/// Places for what a group leads to.
pub(super) struct Places<'a> {
    slots: &'a mut [Pending],
    group: u32,
}

impl Places<'_> {
    /// The `nth` of the group leads to a world with this fingerprint.
    #[inline]
    pub(super) fn put(&mut self, nth: u32, fingerprint: Fingerprint) {
        self.slots[nth as usize] = Pending { fingerprint, home: 0, group: self.group, nth };
    }
}

impl Group {
    /// The key of one of them.
    #[inline]
    pub(super) fn key(&self, pending: &Pending) -> Key {
        Key { ordinal: self.key.ordinal + pending.nth, ..self.key }
    }

    /// What it is called.
    #[inline]
    pub(super) fn label(&self, pending: &Pending) -> Label {
        let action = self.action.nth(pending.nth);
        match self.choices.is_empty() {
            true => Label::plain(action),
            false => Label { action, choices: self.choices.clone() },
        }
    }

    /// The world that it leads to, in `worlds`.
    #[inline]
    pub(super) fn world<'w>(&self, pending: &Pending, worlds: &'w [u8]) -> &'w [u8] {
        &worlds[self.start + pending.nth as usize * self.stride..][..self.len]
    }
}
