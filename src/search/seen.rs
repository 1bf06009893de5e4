//! The set of fingerprints of all stored worlds: open addressing, linear probing, 16 bytes a slot.
//!
//! The set of fingerprints is exact. A value is put into the first empty slot at or behind its home
//! slot, nothing is ever removed, and growing puts every value in anew; so there is never an empty
//! slot between a value's home and its place, and a look-up that reaches an empty slot has seen
//! every place where the value could be. It ends, because a quarter of the slots stays empty.
//! Hence a world is wrongly taken for a known one only if another world has its fingerprint
//! ([`crate::fingerprint::collision_estimate`]). The home slot is the fingerprint's low bits, which
//! the hash has mixed already. An empty slot holds 0; the fingerprint 0 is kept apart.

use super::memory::{prefetch, use_large_pages};
use crate::fingerprint::Fingerprint;

/// Where a fingerprint that is not in the set belongs, until the set changes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place(usize);

/// The place of the fingerprint 0.
const ZERO: Place = Place(usize::MAX);

/// A growing set of fingerprints.
pub(super) struct Seen {
    slots: Vec<u128>,
    filled: usize,
    zero: bool,
}

impl Seen {
    /// An empty set.
    pub(super) fn new() -> Self {
        Seen { slots: vec![0; 1 << 10], filled: 0, zero: false }
    }

    /// How many places for fingerprints it has, used or not; 16 bytes each.
    pub(super) fn slots(&self) -> u64 {
        self.slots.len() as u64
    }

    /// Whether looking into it is likely to wait for memory.
    pub(super) fn is_large(&self) -> bool {
        self.slots.len() >= 1 << 16
    }

    /// Get ready to look for `fingerprint`.
    #[inline]
    pub(super) fn prefetch(&self, fingerprint: Fingerprint) {
        prefetch(&self.slots[fingerprint.0 as usize & (self.slots.len() - 1)]);
    }

    /// Whether `fingerprint` is in the set.
    pub(super) fn contains(&self, fingerprint: Fingerprint) -> bool {
        self.missing(fingerprint).is_none()
    }

    /// Where `fingerprint` belongs, if it is not in the set.
    #[inline]
    pub(super) fn missing(&self, fingerprint: Fingerprint) -> Option<Place> {
        match fingerprint.0 {
            0 => (!self.zero).then_some(ZERO),
            value => {
                let (place, found) = self.place(value);
                (!found).then_some(Place(place))
            }
        }
    }

    /// Put `fingerprint` into the set, which was missing from `place` and still is.
    #[inline]
    pub(super) fn fill(&mut self, place: Place, fingerprint: Fingerprint) {
        let Place(place) = place;
        let value = fingerprint.0;
        if value == 0 {
            self.zero = true;
            return;
        }
        debug_assert!(self.slots[place] == 0 && self.place(value) == (place, false));
        self.slots[place] = value;
        self.filled += 1;
        if self.filled > self.slots.len() / 4 * 3 {
            self.grow();
        }
    }

    /// Put `fingerprint` into the set; `true` when it is new.
    pub(super) fn insert(&mut self, fingerprint: Fingerprint) -> bool {
        let missing = self.missing(fingerprint);
        if let Some(place) = missing {
            self.fill(place, fingerprint);
        }
        missing.is_some()
    }

    /// The slot that holds `value`, or the empty one where it belongs, and whether it holds it.
    #[inline]
    fn place(&self, value: u128) -> (usize, bool) {
        let slots = self.slots.as_slice();
        let mask = slots.len() - 1;
        let mut place = value as usize & mask;
        loop {
            let slot = slots[place];
            if slot == value {
                return (place, true);
            }
            if slot == 0 {
                return (place, false);
            }
            place = (place + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let mut larger = vec![0; self.slots.len() * 2];
        use_large_pages(&mut larger);
        for value in std::mem::replace(&mut self.slots, larger) {
            if value != 0 {
                let (place, _) = self.place(value);
                self.slots[place] = value;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_set_answers_like_a_plain_one_while_it_grows() {
        let (mut seen, mut plain) = (Seen::new(), HashSet::new());
        for round in 0..40_000u128 {
            // Every value comes twice, and groups of values share their home slot.
            let value = (round % 20_000 / 7 * 8) | ((round % 20_000 % 7) << 64);
            let fingerprint = Fingerprint(value);
            assert_eq!(seen.contains(fingerprint), plain.contains(&value));
            assert_eq!(seen.insert(fingerprint), plain.insert(value));
            assert!(seen.contains(fingerprint));
        }
        assert!(!seen.contains(Fingerprint(u128::MAX)));
    }

    #[test]
    fn the_fingerprint_zero_is_a_value_like_any_other() {
        let mut seen = Seen::new();
        assert!(!seen.contains(Fingerprint(0)));
        assert!(seen.insert(Fingerprint(0)));
        assert!(seen.contains(Fingerprint(0)));
        assert!(!seen.insert(Fingerprint(0)));
    }

    #[test]
    fn probing_wraps_around_the_end() {
        let mut seen = Seen::new();
        let last = seen.slots.len() as u128 - 1;
        let values = [last, last | 1 << 80, last | 1 << 90];
        assert!(values.iter().all(|&value| seen.insert(Fingerprint(value))));
        assert!(values.iter().all(|&value| seen.contains(Fingerprint(value))));
        assert!(!seen.contains(Fingerprint(last | 1 << 100)));
    }
}
