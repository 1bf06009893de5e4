//! The set of fingerprints of all stored worlds: open addressing, linear probing, 16 bytes a slot, in
//! one piece of memory that is cut into parts by the highest bits of a fingerprint.
//!
//! The set of fingerprints is exact. A value belongs to one part, and is put into the first empty slot
//! at or behind its home slot there, going round at the part's end; nothing is ever removed, and
//! growing puts every value in anew; so there is never an empty slot between a value's home and its
//! place, and a look-up that reaches an empty slot has seen every place where the value could be. It
//! ends, because a quarter of the slots of every part stays empty. Hence a world is wrongly taken for
//! a known one only if another world has its fingerprint ([`crate::fingerprint::collision_estimate`]).
//! The home slot is the fingerprint's highest bits, which the hash has mixed already; so growing goes
//! through both pieces of memory in order. An empty slot holds 0; the fingerprint 0 is kept apart.
//!
//! The slots are atomic so that several workers may write at once, each to parts that nobody else
//! touches ([`super::store`]); no order between two slots is asked for. Whoever reads the set was
//! given it behind all that was written: the lock of the search's stage orders that.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::memory::{prefetch, zeros};
use crate::fingerprint::Fingerprint;

/// The high bits of a fingerprint that are its part.
const BITS: u32 = 4;
/// How many parts there are.
pub(super) const PARTS: usize = 1 << BITS;

/// The part that `fingerprint` belongs to.
#[inline]
pub(super) fn part_of(fingerprint: Fingerprint) -> usize {
    (fingerprint.0 >> (u128::BITS - BITS)) as usize
}

/// Where a fingerprint that is not in the set belongs, until the set changes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place(usize);

/// The place of the fingerprint 0.
const ZERO: Place = Place(usize::MAX);

/// A growing set of fingerprints.
pub(super) struct Seen {
    slots: Slots,
    /// How many slots of each part are filled.
    filled: [usize; PARTS],
    zero: bool,
}

impl Default for Seen {
    fn default() -> Self {
        Seen { slots: Slots::new(1 << 8), filled: [0; PARTS], zero: false }
    }
}

impl Seen {
    /// How many places for fingerprints it has, used or not; 16 bytes each.
    pub(super) fn slots(&self) -> u64 {
        self.slots.slots.len() as u64
    }

    /// Whether looking into it is likely to wait for memory.
    pub(super) fn is_large(&self) -> bool {
        self.slots() >= 1 << 16
    }

    /// Get ready to look for `fingerprint`.
    #[inline]
    pub(super) fn prefetch(&self, fingerprint: Fingerprint) {
        self.slots.prefetch(fingerprint);
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
            _ => {
                let (place, found) = self.slots.place(fingerprint);
                (!found).then_some(Place(place))
            }
        }
    }

    /// Put `fingerprint` into the set, which was missing from `place` and still is.
    #[inline]
    pub(super) fn fill(&mut self, place: Place, fingerprint: Fingerprint) {
        let Place(place) = place;
        if fingerprint.0 == 0 {
            self.zero = true;
            return;
        }
        debug_assert!(self.slots.place(fingerprint) == (place, false));
        self.slots.set(place, fingerprint);
        let filled = &mut self.filled[part_of(fingerprint)];
        *filled += 1;
        if *filled > self.slots.most() {
            let old = self.grow(self.slots.size * 2);
            (0..PARTS).for_each(|part| self.slots.refill(part, &old));
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

    /// Make room for these fingerprints, listed by part, none of which is in the set, and count them
    /// as if they were. Answers what [`Seen::extend`] must be called with for each part before the
    /// set is read.
    pub(super) fn reserve(&mut self, fingerprints: &[Vec<Fingerprint>]) -> Option<Slots> {
        let zero = fingerprints[part_of(Fingerprint(0))].contains(&Fingerprint(0));
        self.zero |= zero;
        self.filled.iter_mut().zip(fingerprints).for_each(|(filled, new)| *filled += new.len());
        self.filled[part_of(Fingerprint(0))] -= usize::from(zero);
        let (most, mut size) = (self.filled.iter().max(), self.slots.size);
        while most.is_some_and(|&most| most > size / 4 * 3) {
            size *= 2;
        }
        (size > self.slots.size).then(|| self.grow(size))
    }

    /// Put those of one part into the set. Each part must be given to one worker.
    pub(super) fn extend(&self, part: usize, old: Option<&Slots>, fingerprints: &[Fingerprint]) {
        const AHEAD: usize = 16;
        if let Some(old) = old {
            self.slots.refill(part, old);
        }
        for (at, &fingerprint) in fingerprints.iter().enumerate() {
            if let Some(&later) = fingerprints.get(at + AHEAD) {
                self.prefetch(later);
            }
            if fingerprint.0 != 0 {
                self.slots.set(self.slots.place(fingerprint).0, fingerprint);
            }
        }
    }

    /// Take empty slots, `size` for each part; answers those that there were.
    fn grow(&mut self, size: usize) -> Slots {
        std::mem::replace(&mut self.slots, Slots::new(size))
    }
}

/// The slots of all parts, one part behind the other.
pub(super) struct Slots {
    slots: Vec<[AtomicU64; 2]>,
    /// How many there are for each part: a power of 2.
    size: usize,
    /// How many bits of the higher half of a fingerprint lie below those that are its home.
    shift: u32,
}

impl Slots {
    fn new(size: usize) -> Self {
        let slots = zeros(size * PARTS);
        Slots { shift: u64::BITS - slots.len().ilog2(), slots, size }
    }

    /// How many of a part may be filled.
    #[inline]
    fn most(&self) -> usize {
        self.size / 4 * 3
    }

    #[inline]
    fn home(&self, fingerprint: Fingerprint) -> usize {
        ((fingerprint.0 >> 64) as u64 >> self.shift) as usize
    }

    #[inline]
    fn prefetch(&self, fingerprint: Fingerprint) {
        prefetch(&self.slots[self.home(fingerprint)]);
    }

    #[inline]
    fn get(&self, place: usize) -> u128 {
        let [low, high] = &self.slots[place];
        u128::from(low.load(Relaxed)) | u128::from(high.load(Relaxed)) << 64
    }

    #[inline]
    fn set(&self, place: usize, fingerprint: Fingerprint) {
        let [low, high] = &self.slots[place];
        low.store(fingerprint.0 as u64, Relaxed);
        high.store((fingerprint.0 >> 64) as u64, Relaxed);
    }

    /// The slot that holds `fingerprint`, which is not 0, or the empty one where it belongs, and
    /// whether it holds it.
    #[inline]
    fn place(&self, fingerprint: Fingerprint) -> (usize, bool) {
        let mask = self.size - 1;
        let mut place = self.home(fingerprint);
        loop {
            let slot = self.get(place);
            if slot == fingerprint.0 {
                return (place, true);
            }
            if slot == 0 {
                return (place, false);
            }
            place = (place & !mask) | ((place + 1) & mask);
        }
    }

    /// Put in what a part holds in `old`.
    fn refill(&self, part: usize, old: &Slots) {
        for place in part * old.size..(part + 1) * old.size {
            let fingerprint = Fingerprint(old.get(place));
            if fingerprint.0 != 0 {
                self.set(self.place(fingerprint).0, fingerprint);
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
        let (mut seen, mut plain) = (Seen::default(), HashSet::new());
        for round in 0..40_000u128 {
            // Every value comes twice, and groups of values share their home slot.
            let value = ((round % 20_000 / 7) << 114) | (round % 20_000 % 7);
            let fingerprint = Fingerprint(value);
            assert_eq!(seen.contains(fingerprint), plain.contains(&value));
            assert_eq!(seen.insert(fingerprint), plain.insert(value));
            assert!(seen.contains(fingerprint));
        }
        assert!(!seen.contains(Fingerprint(u128::MAX)));
    }

    #[test]
    fn the_fingerprint_zero_is_a_value_like_any_other() {
        let mut seen = Seen::default();
        assert!(!seen.contains(Fingerprint(0)));
        assert!(seen.insert(Fingerprint(0)));
        assert!(seen.contains(Fingerprint(0)));
        assert!(!seen.insert(Fingerprint(0)));
    }

    #[test]
    fn probing_goes_round_at_the_end_of_every_part() {
        let mut seen = Seen::default();
        for part in 0..PARTS as u128 {
            let last = part << 124 | u128::MAX >> 4;
            let values = [0, 1, 2].map(|less| Fingerprint(last - less));
            assert!(values.iter().all(|&value| seen.insert(value)));
            assert!(values.iter().all(|&value| seen.contains(value)));
            assert!(!seen.contains(Fingerprint(last - 3)));
        }
        assert_eq!(seen.filled, [3; PARTS]);
    }

    #[test]
    fn parts_that_are_stored_each_for_itself_hold_what_one_by_one_holds() {
        let (mut whole, mut parts) = (Seen::default(), Seen::default());
        let mut next = 0u128;
        for count in [1, 700, 3, 40_000, 9_000] {
            let mut new = vec![Vec::new(); PARTS];
            for _ in 0..count {
                let fingerprint = Fingerprint(next);
                next = next.wrapping_add(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
                new[part_of(fingerprint)].push(fingerprint);
                assert!(whole.insert(fingerprint));
            }
            let old = parts.reserve(&new);
            let each = |part: usize| parts.extend(part, old.as_ref(), &new[part]);
            std::thread::scope(|scope| {
                scope.spawn(|| (0..PARTS / 2).for_each(each));
                (PARTS / 2..PARTS).for_each(each);
            });
            assert_eq!(parts.slots(), whole.slots());
            assert!(new.iter().flatten().all(|&fingerprint| parts.contains(fingerprint)));
            assert!(!parts.contains(Fingerprint(next)));
            assert_eq!(parts.filled, whole.filled);
        }
    }
}
