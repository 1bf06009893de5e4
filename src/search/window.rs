//! Some consecutive parents of a level while they are expanded, by all workers at once. They read the
//! worlds stored before the window, which nobody writes meanwhile. The parents are cut into chunks,
//! which workers claim; what is found behind the parents of a chunk is collected with it, so that it is
//! in the order of keys whoever expanded it ([`super::key`]). All else that a worker finds it keeps
//! in a harvest of its own ([`super::harvest`]).
//!
//! Parents that are near each other have many successors in common, of which a worker remembers some.
//! So each worker has chunks that follow one another ([`super::share`]), each smaller than the one before
//! it, and takes another's only when it has no more.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Search;
use super::chunk::Chunk;
use super::crew::held;
use super::expand::Expander;
use super::gather::Gather;
use super::hand::{Hand, Nest};
use super::judge::Judge;
use super::level::Piece;
use super::log::Log;
use super::random::Random;
use super::share::Shares;
use crate::system::System;

/// What all workers read while a window is expanded, and nobody writes.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) search: &'a Search<'a>,
    pub(super) judge: &'a Judge<'a>,
    /// Whether looking a world up waits for memory.
    pub(super) large: bool,
    pub(super) log: &'a Log,
    /// The worlds among which the parents are.
    pub(super) level: &'a Piece,
}

/// How far a worker is, on a cache line of its own: it writes this very often.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct Count {
    expanded: AtomicU64,
    generated: AtomicU64,
    fresh: AtomicU64,
}

impl Count {
    /// Worlds expanded, transitions generated, worlds found that may be new, in this window.
    pub(super) fn read(&self) -> [u64; 3] {
        [&self.expanded, &self.generated, &self.fresh].map(|count| count.load(Ordering::Relaxed))
    }

    /// Set all of it.
    pub(super) fn write(&self, expanded: u64, generated: u64, fresh: u64) {
        self.expanded.store(expanded, Ordering::Relaxed);
        self.generated.store(generated, Ordering::Relaxed);
        self.fresh.store(fresh, Ordering::Relaxed);
    }
}

/// Where a worker says how far it is, and what it calls then.
pub(super) struct Pulse<'a> {
    pub(super) count: &'a Count,
    pub(super) tick: &'a mut dyn FnMut(),
}

impl Pulse<'_> {
    /// Say it: as [`Count::read`] will answer.
    pub(super) fn beat(&mut self, expanded: u64, generated: u64, fresh: u64) {
        self.count.write(expanded, generated, fresh);
        (self.tick)();
    }
}

/// A window that is being expanded.
pub(super) struct Window<'a> {
    parents: Range<u64>,
    /// The chunks, in the order of their parents.
    chunks: &'a [Mutex<Chunk>],
    /// Another order in which they are claimed.
    order: Option<Vec<usize>>,
    shares: Shares,
    /// A parent at which, or before which, there is an event: none behind it needs to be expanded.
    pub(super) limit: AtomicU64,
}

impl<'a> Window<'a> {
    /// These parents, for so many workers, cut into as many chunks as there are in `chunks`: at least
    /// one, and no more than there are parents.
    pub(super) fn new(
        search: &Search<'_>,
        parents: Range<u64>,
        chunks: &'a [Mutex<Chunk>],
        workers: usize,
    ) -> Self {
        let order = search.shuffle.map(|seed| {
            let mut order: Vec<usize> = (0..chunks.len()).collect();
            Random::new(seed, parents.start).shuffle(&mut order);
            order
        });
        Window {
            parents,
            chunks,
            order,
            shares: Shares::new(chunks.len(), workers),
            limit: AtomicU64::new(u64::MAX),
        }
    }

    /// What the worker with this number does: expand the parents of chunks that nobody has claimed, as
    /// long as there are any.
    pub(super) fn work<'w, S: System>(
        &'w self,
        system: &'w S,
        known: Known<'w>,
        gather: Gather<'w>,
        (number, worker): (usize, &mut S::Worker),
        pulse: Pulse<'w>,
        nest: &mut Nest,
    ) {
        let mut hand = Hand::new(&self.limit, system, known, gather, pulse, nest);
        let (mut expander, brood) = (Expander::new(system, worker), &mut nest.brood);
        while let Some(at) = self.claim(number) {
            let mut chunk = held(&self.chunks[at]);
            let parents = self.parents_of(at);
            hand.open(std::mem::take(&mut *chunk), parents.start);
            hand.expand(&mut expander, parents, brood);
            *chunk = hand.close(brood);
        }
        hand.leave(nest);
    }

    fn claim(&self, worker: usize) -> Option<usize> {
        let at = self.shares.claim(worker)?;
        Some(self.order.as_ref().map_or(at, |order| order[at]))
    }

    fn parents_of(&self, chunk: usize) -> Range<u64> {
        let part = self.shares.part(chunk, self.parents.end - self.parents.start);
        self.parents.start + part.start..self.parents.start + part.end
    }
}
