//! Where a worker puts what it finds in a window and cannot find in the set of stored worlds, which
//! nobody writes meanwhile: into the chunk of the parents that it expands. A world is judged there,
//! before anybody knows whether it is the first of its kind, because a search that ends at it shall
//! not expand much behind it; it is the same world on every way, and what is said of the others is
//! forgotten.

use std::mem::{replace, take};

use super::chunk::Chunk;
use super::crew::guarded;
use super::judge::{Judge, Judged};
use super::key::Key;
use super::labels::{Labels, Remembered};
use super::memory::prefetch;
use super::seen::{Lookup, Seen};
use super::tally::Tally;
use crate::action::Label;
use crate::fingerprint::Fingerprint;
use crate::system::System;

/// How many worlds a worker remembers; a power of 2. As many as a processor's second cache may hold.
const RECENT: usize = 1 << 16;
/// As long as no more are stored: the search may be over before the memory for more is cleared.
const FEW: usize = 1 << 12;

/// What a worker remembers from window to window. On cache lines of its own.
#[repr(align(128))]
pub(super) struct Memory {
    /// What transitions led to, or was taken in, each at the place of its low bits.
    recent: Box<[u128; RECENT]>,
    /// The places in use are those up to this one.
    last: usize,
    labels: Remembered,
}

impl Memory {
    /// Bytes that it takes, at most.
    pub(super) const BYTES: u64 = (RECENT * size_of::<u128>()) as u64;

    /// From here on remember so many, and nothing of before.
    fn remember(&mut self, count: usize) {
        // At each place a value that belongs to another. It is written: a page that is read before it is
        // written is one that all share, and to replace it then has every processor stop.
        self.recent[..count].fill(u128::MAX);
        self.last = count - 1;
        self.recent[self.last] = 0;
    }
}

/// What a worker remembers, to be looked at soon.
#[derive(Clone, Copy)]
pub(super) struct Recent<'a>(&'a [u128; RECENT], usize);

impl Recent<'_> {
    /// Get ready to [`Gather::remember`].
    #[inline]
    pub(super) fn expect(self, fingerprint: Fingerprint) {
        prefetch(&raw const self.0[place(fingerprint, self.1)]);
    }
}

impl Default for Memory {
    fn default() -> Self {
        // What is not in use takes no memory.
        let recent = vec![0; RECENT].into_boxed_slice().try_into().expect("there are so many");
        let mut memory = Memory { recent, last: 0, labels: Remembered::default() };
        memory.remember(FEW);
        memory
    }
}

/// The place of `fingerprint` among those up to the `last`: that of its low bits.
#[inline]
fn place(fingerprint: Fingerprint, last: usize) -> usize {
    fingerprint.0 as usize & last & (RECENT - 1)
}

/// A transition to a world.
pub(super) struct Arrival<'a> {
    pub(super) fingerprint: Fingerprint,
    pub(super) key: Key,
    pub(super) label: &'a Label,
    pub(super) world: &'a [u8],
}

/// Where one worker puts what it finds.
pub(super) struct Gather<'a> {
    seen: Lookup<'a>,
    labels: &'a Labels,
    memory: &'a mut Memory,
    /// Where the chunk starts that is furthest behind of those that it opened.
    latest: u64,
    /// Whether it takes in every world that is missing: so that it may remember one as soon as a
    /// transition leads there.
    takes_all: bool,
    /// Whether it looks at what it remembers.
    remembers: bool,
    chunk: Chunk,
    /// How many it took in.
    pub(super) fresh: u64,
}

impl<'a> Gather<'a> {
    /// A worker with its memory, in a window.
    pub(super) fn new(
        seen: &'a Seen,
        labels: &'a Labels,
        memory: &'a mut Memory,
        judge: &Judge<'_>,
    ) -> Self {
        if seen.slots() > FEW as u64 && memory.last < RECENT - 1 {
            memory.remember(RECENT);
        }
        Gather {
            seen: seen.lookup(),
            labels,
            memory,
            latest: 0,
            takes_all: !judge.has_constraints(),
            remembers: false,
            chunk: Chunk::default(),
            fresh: 0,
        }
    }

    /// From here on collect what is behind the parents from `first` on. What it has taken in is nothing
    /// new if it comes again with a greater key: so it looks at what it remembers as long as it goes on
    /// from chunk to chunk, and not when it is back before one that it has been to.
    pub(super) fn open(&mut self, chunk: Chunk, first: u64) {
        self.remembers = first >= self.latest;
        self.latest = self.latest.max(first);
        self.chunk = chunk;
        self.chunk.open(first);
    }

    /// All is collected.
    pub(super) fn close(&mut self) -> Chunk {
        self.chunk.close();
        take(&mut self.chunk)
    }

    /// What it remembers.
    #[inline]
    pub(super) fn recent(&self) -> Recent<'_> {
        Recent(&self.memory.recent, self.memory.last)
    }

    /// A transition leads to a world with this fingerprint. Answers whether it remembers one before that
    /// did: so this one leads to nothing new.
    #[inline]
    pub(super) fn remember(&mut self, fingerprint: Fingerprint) -> bool {
        let place = &mut self.memory.recent[place(fingerprint, self.memory.last)];
        let last = if self.takes_all { replace(place, fingerprint.0) } else { *place };
        last == fingerprint.0 && self.remembers
    }

    /// Get ready to look for `fingerprint`; answers where that will be.
    #[inline]
    pub(super) fn ahead(&self, fingerprint: Fingerprint) -> usize {
        let home = self.seen.home(fingerprint);
        self.seen.prefetch(home);
        home
    }

    /// Whether the world with this fingerprint, which is to be looked for at `home`, is stored.
    #[inline(always)]
    pub(super) fn has(&self, home: usize, fingerprint: Fingerprint) -> bool {
        self.seen.contains(home, fingerprint)
    }

    /// Take in a world that is missing.
    #[inline]
    pub(super) fn take<S: System>(
        &mut self,
        arrival: Arrival<'_>,
        system: &S,
        judge: &Judge<'_>,
        tally: &mut Tally<'_>,
    ) {
        let Arrival { fingerprint, key, label, world } = arrival;
        if !self.takes_all {
            self.memory.recent[place(fingerprint, self.memory.last)] = fingerprint.0;
        }
        self.fresh += 1;
        let label = self.memory.labels.number(label, self.labels);
        self.chunk.push(fingerprint, key, label, world);
        // A panic in a property is the world's trouble: it happens on every way to it.
        let said = guarded(|| judge.world(system.view(world))).unwrap_or_else(|panic| {
            let trouble = Some(panic.into());
            Some(Box::new(Judged { trouble, ..Judged::default() }))
        });
        if let Some(said) = said {
            if said.trouble.as_ref().is_some_and(|trouble| judge.ends(trouble)) {
                tally.limit(key);
            }
            self.chunk.judge(said);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_remembered_at_first() {
        let mut memory = Memory::default();
        for count in [FEW, RECENT] {
            memory.remember(count);
            let belongs = |at: usize| place(Fingerprint(memory.recent[at]), memory.last) == at;
            assert!(!(0..count).any(belongs));
            let places = (0..RECENT).map(|low| place(Fingerprint(low as u128), memory.last));
            assert_eq!(places.max(), Some(count - 1));
        }
    }
}
