//! The set of fingerprints of all stored worlds, cut into portions by their highest bits.
//!
//! The set of fingerprints is exact: a value belongs to one portion, and [`super::portion`] says why
//! each portion is exact and every look-up ends. Hence a world is wrongly taken for a known one only
//! if another world has its fingerprint ([`crate::fingerprint::collision_estimate`]).
//!
//! The portions begin with different sizes and grow by the same factor, so that of portions which fill
//! alike one grows after the other, and the whole is at every time nearly as full as in the mean.
//!
//! While the set is read, by all workers at once, nobody writes it; while it is written, each portion
//! is lent to one worker ([`super::store`]), and nobody reads. Who may do what is a matter of borrowing,
//! which the compiler checks; no slot is shared between one who writes and anybody else.

use std::sync::Arc;

use super::budget::Budget;
use super::memory::Full;
use super::portion::{BITS, Portion};
use crate::fingerprint::Fingerprint;

/// How many portions there are.
pub(super) const PORTIONS: usize = 1 << BITS;

/// The homes of the smallest portion, at first.
const FEWEST: f64 = 96.0;

/// The portion that `fingerprint` belongs to.
#[inline]
pub(super) fn portion_of(fingerprint: Fingerprint) -> usize {
    (fingerprint.0 >> (u128::BITS - BITS)) as usize
}

/// A growing set of fingerprints.
pub(super) struct Seen {
    pub(super) portions: Vec<Portion>,
    pub(super) budget: Arc<Budget>,
}

impl Default for Seen {
    fn default() -> Self {
        Seen::new(Arc::new(Budget::new(None))).expect("an empty set takes next to nothing")
    }
}

impl Seen {
    /// Empty; its memory is taken from `budget`.
    pub(super) fn new(budget: Arc<Budget>) -> Result<Self, Full> {
        let homes = |at| (FEWEST * 1.25f64.powf(at as f64 / PORTIONS as f64)) as usize;
        let portions: Result<Vec<_>, _> = (0..PORTIONS).map(|at| Portion::new(homes(at))).collect();
        let seen = Seen { portions: portions?, budget };
        seen.budget.take(seen.portions.iter().map(Portion::bytes).sum())?;
        Ok(seen)
    }

    /// How many places for fingerprints it has, used or not; 16 bytes each.
    pub(super) fn slots(&self) -> u64 {
        self.portions.iter().map(Portion::homes).sum()
    }

    /// Whether looking into it is likely to wait for memory.
    pub(super) fn is_large(&self) -> bool {
        self.portions[0].homes() >= (1 << 16) / PORTIONS as u64
    }

    /// Get ready to look for `fingerprint`.
    #[inline]
    pub(super) fn prefetch(&self, fingerprint: Fingerprint) {
        self.portions[portion_of(fingerprint)].prefetch(fingerprint);
    }

    /// Whether `fingerprint` is in the set.
    #[inline]
    pub(super) fn contains(&self, fingerprint: Fingerprint) -> bool {
        self.portions[portion_of(fingerprint)].contains(fingerprint)
    }

    /// Put `fingerprint` into the set; answers whether it is new.
    pub(super) fn insert(&mut self, fingerprint: Fingerprint) -> Result<bool, Full> {
        self.portions[portion_of(fingerprint)].insert(fingerprint, &self.budget)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_set_stays_four_fifths_full_while_it_grows() {
        let mut seen = Seen::default();
        let mut next = 0u128;
        let (mut least, mut sum, mut looks) = (1f64, 0.0, 0.0);
        for count in 1..400_000u64 {
            next = next.wrapping_add(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
            assert_eq!(seen.insert(Fingerprint(next)), Ok(true));
            if count > 50_000 && count % 500 == 0 {
                let load = count as f64 / seen.slots() as f64;
                (least, sum, looks) = (least.min(load), sum + load, looks + 1.0);
            }
        }
        assert!(least > 0.77 && sum / looks > 0.8, "{least}, {}", sum / looks);
        assert!(!seen.contains(Fingerprint(next.wrapping_add(1))));
    }
}
