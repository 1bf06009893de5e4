//! One portion of the set of stored worlds ([`super::seen`]): ordered linear probing (O. Amble and
//! D. E. Knuth, *Ordered hash tables*, 1974), 16 bytes a slot, up to nine tenths of them filled.
//!
//! A value's home is the product of its leading bits and the number of homes, so homes grow with
//! values. The invariant: the filled slots hold ascending values, each at or behind its home, and no
//! slot between a value's home and its place is empty. So a look-up, which goes from the home on,
//! has seen every place where the value could be when it comes to an empty slot or to a greater value.
//! It ends, because the last slot stays empty. A value that is new is put where its look-up ended, and
//! the filled slots from there to the next empty one move up by one: they stay in order, and none
//! of them gets an empty slot below it that it had not. Without the order, a look-up in vain among nine
//! filled slots of ten would look at 50 of them; with it, at 5.
//!
//! It grows by a quarter, where it is. The values, which are in order, are packed together at the end
//! of the new homes, and then taken from there one by one to where they belong: to its home, or behind
//! the value before it. A value is never taken to a place behind that where it is packed, or the pack
//! moves up first; so nothing is overwritten before it was taken. If a cluster at the end does not
//! fit behind the homes, it grows again; each time there is a quarter more place behind them, so that
//! this ends even with values that all have one home.
//!
//! An empty slot holds 0; the value 0 is kept apart.

use super::budget::Budget;
use super::memory::{Full, Region, installed, prefetch};
use crate::fingerprint::Fingerprint;

/// The high bits of a fingerprint that say in which portion it is.
pub(super) const BITS: u32 = 5;

/// Slots behind the homes beyond a quarter of them: a small portion may have its clusters there.
const TAIL: usize = 64;

/// Some of the fingerprints.
pub(super) struct Portion {
    slots: Region,
    homes: usize,
    filled: usize,
    zero: bool,
}

impl Portion {
    /// Empty, with so many homes.
    pub(super) fn new(homes: usize) -> Result<Self, Full> {
        // Twice the memory of the machine for all of them together.
        let slots = Region::new(installed() >> (BITS - 1))?;
        let mut portion = Portion { slots, homes: 0, filled: 0, zero: false };
        portion.become_large(homes)?;
        Ok(portion)
    }

    /// How many homes it has: the places that it is made for.
    pub(super) fn homes(&self) -> u64 {
        self.homes as u64
    }

    /// Bytes that it takes.
    pub(super) fn bytes(&self) -> u64 {
        (self.homes * size_of::<u128>()) as u64
    }

    /// Get ready to look for `fingerprint`.
    #[inline]
    pub(super) fn prefetch(&self, fingerprint: Fingerprint) {
        prefetch(&raw const self.slots[self.home(fingerprint.0)]);
    }

    /// Whether `fingerprint` is in it.
    #[inline]
    pub(super) fn contains(&self, fingerprint: Fingerprint) -> bool {
        let value = fingerprint.0;
        match value {
            0 => self.zero,
            _ => self.slots[self.place(value)] == value,
        }
    }

    /// Put `fingerprint` into it; answers whether it is new. Where there is no memory for it, nothing
    /// in the portion can be found any more.
    pub(super) fn insert(&mut self, fingerprint: Fingerprint, budget: &Budget) -> Result<bool, Full> {
        let value = fingerprint.0;
        if value == 0 {
            return Ok(!std::mem::replace(&mut self.zero, true));
        }
        loop {
            let place = self.place(value);
            if self.slots[place] == value {
                return Ok(false);
            }
            if self.filled < self.homes - self.homes / 10 {
                let behind = &self.slots[place..];
                let free = place + behind.iter().take_while(|&&slot| slot != 0).count();
                if free + 1 < self.slots.len() {
                    self.slots.copy_within(place..free, place + 1);
                    self.slots[place] = value;
                    self.filled += 1;
                    return Ok(true);
                }
            }
            self.grow(budget)?;
        }
    }

    /// The slot that holds `value`, which is not 0, or where its look-up ends.
    #[inline]
    fn place(&self, value: u128) -> usize {
        let slots = &*self.slots;
        let mut place = self.home(value);
        // An empty slot is greater than everything here.
        while slots[place].wrapping_sub(1) < value - 1 {
            place += 1;
        }
        place
    }

    #[inline]
    fn home(&self, value: u128) -> usize {
        let leading = (value >> 64) as u64;
        (u128::from(leading << BITS) * self.homes as u128 >> 64) as usize
    }

    /// Become a quarter larger, or more if that is not enough.
    #[cold]
    fn grow(&mut self, budget: &Budget) -> Result<(), Full> {
        loop {
            let (before, homes) = (self.homes, self.homes + self.homes / 4);
            let more = ((homes - before) * size_of::<u128>()) as u64;
            budget.take(more)?;
            let used = self.slots.iter().rposition(|&slot| slot != 0).map_or(0, |last| last + 1);
            if let Err(full) = self.become_large(homes) {
                budget.change(more, 0)?;
                return Err(full);
            }
            if self.spread(used) {
                return Ok(());
            }
        }
    }

    fn become_large(&mut self, homes: usize) -> Result<(), Full> {
        self.slots.grow(homes + homes / 4 + TAIL, homes)?;
        self.homes = homes;
        Ok(())
    }

    /// Put the values, which are in the first `used` slots, where they belong. If they do not fit,
    /// answers `false`, and they are in order, but not where they belong.
    fn spread(&mut self, used: usize) -> bool {
        let mut end = used.max(self.homes + TAIL);
        let mut from = end;
        for place in (0..used).rev() {
            let value = std::mem::take(&mut self.slots[place]);
            if value != 0 {
                from -= 1;
                self.slots[from] = value;
            }
        }
        let mut next = 0;
        while from < end {
            let place = self.home(self.slots[from]).max(next);
            if place > from {
                let up = (place - from).max(TAIL);
                // The last slot stays empty.
                if end + up >= self.slots.len() {
                    return false;
                }
                self.slots.copy_within(from..end, from + up);
                self.slots[from..end.min(from + up)].fill(0);
                (from, end) = (from + up, end + up);
            }
            let value = std::mem::take(&mut self.slots[from]);
            self.slots[place] = value;
            from += 1;
            next = place + 1;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The invariant that the head comment states.
    fn holds(portion: &Portion) {
        let filled = portion.slots.iter().enumerate().filter(|(_, slot)| **slot != 0);
        let (mut last, mut count) = (0, 0);
        for (place, &value) in filled {
            assert!(value > last, "out of order at {place}");
            let home = portion.home(value);
            assert!(portion.slots[home..=place].iter().all(|&slot| slot != 0), "a hole at {place}");
            last = value;
            count += 1;
        }
        assert_eq!(count, portion.filled);
        assert_eq!(portion.slots.last(), Some(&0));
    }

    fn agrees(values: impl Iterator<Item = u128>) {
        let (mut portion, budget) = (Portion::new(64).unwrap(), Budget::new(None));
        let mut plain = BTreeSet::new();
        let mut homes = portion.homes;
        for value in values {
            assert_eq!(portion.contains(Fingerprint(value)), plain.contains(&value));
            assert_eq!(portion.insert(Fingerprint(value), &budget), Ok(plain.insert(value)));
            if std::mem::replace(&mut homes, portion.homes) != portion.homes {
                holds(&portion);
            }
        }
        holds(&portion);
        assert!(plain.iter().all(|&value| portion.contains(Fingerprint(value))));
        assert!(plain.iter().all(|&value| {
            let other = value ^ 1;
            portion.contains(Fingerprint(other)) == plain.contains(&other)
        }));
    }

    const MIX: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;

    #[test]
    fn it_answers_like_a_plain_set_while_it_grows() {
        agrees((0..40_000u128).map(|number| (number % 20_000).wrapping_mul(MIX) >> BITS));
    }

    #[test]
    fn groups_with_one_home_and_values_in_any_order_are_kept_apart() {
        // Seven at each home, the last homes among them, going down and up.
        let group = |number: u128| !0 >> BITS & !((number / 7) << 100) & !(number % 7);
        agrees((0..3_000).map(group));
        agrees((0..3_000).rev().map(group));
    }

    #[test]
    fn values_that_all_have_one_home_end_too() {
        for home in [0, !0 >> 64 << 64 >> BITS] {
            agrees((1..600).map(|low| home | low));
            agrees((1..600).rev().map(|low| home | low));
        }
    }

    #[test]
    fn the_value_zero_is_one_like_any_other() {
        agrees([0, 0, 5, 0].into_iter());
    }

    #[test]
    fn without_memory_it_says_so() {
        let (mut portion, budget) = (Portion::new(64).unwrap(), Budget::new(Some(1000)));
        let values = (1..).map(|number: u128| Fingerprint(number.wrapping_mul(MIX) >> BITS));
        let mut taken = values.map(|value| portion.insert(value, &budget));
        assert_eq!(taken.find(|taken| *taken != Ok(true)), Some(Err(Full)));
        // 1000 bytes are 62 homes more than the 64 at first.
        assert_eq!(portion.homes, 125);
    }
}
