//! How many parents are expanded at once. What they lead to shall fit into the cache beside what is
//! looked up, and be enough for all workers; so it follows from what those before led to. Where much is
//! stored, nearly all that is looked up waits for memory anyhow, and larger windows go through the set
//! less often. It does not depend on the number of workers, nor on time.

use std::ops::RangeInclusive;

use super::Search;

/// Bytes that what a window brings shall take: one for each stored world, within these bounds.
const TARGET: RangeInclusive<u64> = 4 << 20..=16 << 20;
/// This part of the memory that a search may take is enough for it.
const SHARE: u64 = 32;
/// The parents of the first window.
const FIRST: u64 = 1 << 8;
/// A window has so many times the parents of the one before, at most.
const FACTOR: u64 = 8;
/// Fewer parents than this are nothing to wait for all workers for.
const FEWEST: u64 = 1 << 6;

/// The parents of a window.
pub(super) struct Stride {
    fixed: Option<u64>,
    most: u64,
    next: u64,
}

impl Stride {
    /// In `most` bytes of memory.
    pub(super) fn new(search: &Search<'_>, most: u64) -> Self {
        let fixed = search.batch.map(|batch| batch.max(1) as u64);
        Stride { fixed, most: most / SHARE, next: FIRST }
    }

    /// How many parents come next, of so many that are `left`, which are cut into windows that are alike;
    /// where only `room` new worlds fit, not many more than that.
    pub(super) fn parents(&self, left: u64, room: Option<u64>) -> u64 {
        let next = room.map_or(self.next, |room| self.next.min(room.max(FEWEST)));
        match self.fixed {
            Some(fixed) => fixed.min(left),
            None => left.div_ceil(((left + next / 2) / next).max(1)),
        }
    }

    /// So many parents led to `generated` worlds, of which `new` were new and had so many bytes; now there
    /// are so many `stored`.
    pub(super) fn note(
        &mut self,
        parents: u64,
        generated: u64,
        (new, bytes): (usize, usize),
        stored: u64,
    ) {
        let target = stored.clamp(*TARGET.start(), *TARGET.end()).min(self.most);
        // Of a new world more is kept than its bytes, and of each some bytes.
        let taken = (bytes + 64 * new) as u64 + 2 * generated;
        let fits = target.saturating_mul(parents) / taken.max(1);
        self.next = fits.clamp(FEWEST, self.next.saturating_mul(FACTOR).clamp(FEWEST, 1 << 24));
    }
}
