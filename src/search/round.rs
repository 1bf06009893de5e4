//! One level while it is expanded, by all workers at once. They read the levels before it, which
//! nobody writes meanwhile, and put new worlds where their [`Intake`] says; all else that a worker
//! finds it keeps in a [`Harvest`] of its own. [`super::key`] says why it does not matter who expands
//! what.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Search;
use super::crew::held;
use super::expand::Expander;
use super::hand::{Hand, Harvest};
use super::intake::Intake;
use super::judge::Judge;
use super::level::Level;
use super::links::Links;
use super::random::Random;
use crate::system::System;

/// Parents that are handed out at once, at most.
const CHUNK: u64 = 64;
/// Into how many chunks for each worker the rest of a level is cut, so that all end together.
const CHUNKS: u64 = 8;

/// What all workers read while a level is expanded, and nobody writes.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) search: &'a Search<'a>,
    pub(super) judge: &'a Judge<'a>,
    /// Whether looking a world up waits for memory.
    pub(super) large: bool,
    pub(super) links: &'a Links,
    pub(super) level: &'a Level,
}

/// How far a worker is, on a cache line of its own: it writes this after every world.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct Count {
    expanded: AtomicU64,
    generated: AtomicU64,
    fresh: AtomicU64,
}

impl Count {
    /// Worlds expanded, transitions generated, new worlds found, in this level.
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

/// A level that is being expanded.
pub(super) struct Round {
    parents: Range<u64>,
    /// The parents in another order than that of their indices.
    order: Option<Vec<u64>>,
    workers: u64,
    /// How many parents were handed out.
    handed: AtomicU64,
    /// A parent at which, or before which, there is an event: none behind it needs to be expanded.
    pub(super) limit: AtomicU64,
    pub(super) room: Option<Room>,
    harvests: Mutex<Vec<Harvest>>,
}

/// How many new worlds fit into the bound on states.
pub(super) struct Room {
    most: u64,
    /// How many there are so far.
    taken: AtomicU64,
    /// No parent that one of them was first reached from is behind this one.
    last: AtomicU64,
}

impl Room {
    /// A new world was reached from `parent`. If more are known now than fit, answers a parent up to
    /// which there are too many.
    pub(super) fn take(&self, parent: u64) -> Option<u64> {
        // In this order: who counts a world sees its parent too.
        self.last.fetch_max(parent, Ordering::AcqRel);
        let taken = self.taken.fetch_add(1, Ordering::AcqRel) + 1;
        (taken > self.most).then(|| self.last.load(Ordering::Acquire))
    }
}

impl Round {
    /// The level `number`, whose worlds are `level`; `stored` worlds are known.
    pub(super) fn new(
        search: &Search<'_>,
        workers: usize,
        number: u64,
        level: &Level,
        stored: u64,
    ) -> Self {
        let order = search.shuffle.map(|seed| {
            let mut parents: Vec<u64> = level.indices().collect();
            Random::new(seed, number).shuffle(&mut parents);
            parents
        });
        // A small level keeps few busy, however many there are.
        let workers = workers.min(level.len());
        let room = |most| Room { most, taken: AtomicU64::new(0), last: AtomicU64::new(0) };
        Round {
            parents: level.indices(),
            order,
            workers: workers as u64,
            handed: AtomicU64::new(0),
            limit: AtomicU64::new(u64::MAX),
            room: search.max_states.map(|most| room(most - stored)),
            harvests: Mutex::default(),
        }
    }

    /// What a worker does: expand parents that nobody has taken, as long as there are any.
    pub(super) fn work<S: System>(
        &self,
        system: &S,
        known: Known<'_>,
        intake: impl Intake,
        worker: &mut S::Worker,
        count: &Count,
        tick: &mut dyn FnMut(),
    ) {
        let mut hand = Hand::new(self, system, known, intake);
        let mut expander = Expander::new(system, worker);
        'level: while let Some(chunk) = self.claim() {
            for place in chunk {
                if known.search.interrupted() {
                    hand.harvest.interrupted = true;
                    break 'level;
                }
                let parent = match &self.order {
                    Some(order) => order[place as usize],
                    None => self.parents.start + place,
                };
                if parent > self.limit.load(Ordering::Relaxed) {
                    continue;
                }
                hand.expand(&mut expander, parent);
                if hand.harvest.interrupted {
                    break 'level;
                }
                hand.harvest.expanded += 1;
                count.write(hand.harvest.expanded, hand.harvest.ledger.len(), hand.fresh());
                tick();
            }
        }
        held(&self.harvests).push(hand.finish());
    }

    /// The end of the level: what all workers brought.
    pub(super) fn finish(self) -> Vec<Harvest> {
        std::mem::take(&mut *held(&self.harvests))
    }

    /// The places of some parents that nobody has taken.
    fn claim(&self) -> Option<Range<u64>> {
        let count = self.parents.end - self.parents.start;
        let chunk = |handed: u64| ((count - handed) / (CHUNKS * self.workers)).clamp(1, CHUNK);
        let after = |handed| (handed < count).then(|| handed + chunk(handed));
        let start = self.handed.fetch_update(Ordering::Relaxed, Ordering::Relaxed, after).ok()?;
        Some(start..start + chunk(start))
    }
}
