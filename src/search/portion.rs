//! One portion of the set of stored worlds ([`super::seen`]): ordered linear probing (O. Amble and
//! D. E. Knuth, *Ordered hash tables*, 1974), 16 bytes a slot, up to nine tenths of them filled.
//!
//! A value's home is the product of its leading bits and the number of homes, rounded down to where a
//! cache line begins, so homes grow with values. The invariant: the filled slots hold ascending values,
//! each at or behind its home, and no slot between a value's home and its place is empty. So a look-up,
//! which goes from the home on, has seen every place where the value could be when it comes to an empty
//! slot or to a greater value. It ends, because the last slot stays empty. It compares leading halves,
//! of 64 bits, and looks at the others only where those are equal. A value that is new is put where
//! its look-up ended, and the filled slots from there to the next empty one move up by one: they stay
//! in order, and none of them gets an empty slot below it that it had not. Without the order, a look-up
//! in vain among nine filled slots of ten would look at 50 of them; with it, at 5.
//!
//! It grows by a quarter, where it is. All slots move up to the end of the new homes, and then the values,
//! which are in order, are taken from there one by one to where they belong: to its home, or behind
//! the value before it. A value is never taken to a place behind that to which it moved, or those that
//! are left move up once more; so nothing is overwritten before it was taken. If a cluster at the end
//! does not fit behind the homes, it grows again; each time there is more place behind them too, so that
//! this ends even with values that all have one home.
//!
//! An empty slot holds 0. Values whose leading half is 0 are kept apart, so that an empty slot can be told
//! by its own; of those that hashes give there is one in 2^64. A portion does not know where its slots
//! are: they are handed to it, more than it has homes for.

use std::collections::BTreeSet;

use super::budget::Budget;
use super::memory::{Full, prefetch};
use super::pages::LargePages;
use super::slots::{GLANCE, home, leading, place, put};
use crate::fingerprint::Fingerprint;

/// Slots behind the homes, beyond a share of them: a small portion may have its clusters there.
const TAIL: usize = 64;
/// That share of them.
const SHARE: usize = 16;

/// As many are looked at or moved by an insertion, on average a few less.
const MOVED: usize = 5 * GLANCE;

/// Some of the fingerprints. On cache lines of its own: while one is written, somebody else writes the next.
#[repr(align(128))]
pub(super) struct Portion {
    homes: usize,
    filled: usize,
    /// The values whose leading half is 0.
    apart: BTreeSet<u64>,
    /// Slots that were taken from the budget.
    paid: usize,
}

/// The places of all slots of a portion with so many homes.
fn size(homes: usize) -> usize {
    homes + homes / SHARE + TAIL
}

impl Portion {
    /// Empty, with so many homes.
    pub(super) fn new(homes: usize) -> Self {
        Portion { homes, filled: 0, apart: BTreeSet::new(), paid: 0 }
    }

    /// How many homes it has: the places that it is made for.
    pub(super) fn homes(&self) -> usize {
        self.homes
    }

    /// So many slots are taken from the budget, if they were not before.
    pub(super) fn pay(&mut self, slots: usize, budget: &Budget) -> Result<(), Full> {
        if let Some(more) = slots.checked_sub(self.paid) {
            budget.take((more * size_of::<u128>()) as u64)?;
            self.paid = slots;
        }
        Ok(())
    }

    /// How many slots it has.
    pub(super) fn size(&self) -> usize {
        size(self.homes)
    }

    /// How many slots it may need to take in `more` values, unless they are unlike all others.
    pub(super) fn size_with(&self, more: usize) -> usize {
        let mut homes = self.homes;
        while homes - homes / 10 < self.filled + more {
            homes = larger(homes);
        }
        // Once more, for a cluster at the end.
        size(larger(homes))
    }

    /// How many of so many slots take memory.
    pub(super) fn takes(&self, slots: usize, pages: &LargePages) -> usize {
        pages.taken(self.size(), slots)
    }

    /// Get ready to put `value` into it.
    #[inline]
    pub(super) fn prefetch(&self, slots: &[u128], value: Fingerprint) {
        let home = slots.as_ptr().wrapping_add(home(leading(value.0), self.homes));
        (0..MOVED).step_by(GLANCE).for_each(|nth| prefetch(home.wrapping_add(nth)));
    }

    /// Whether a value with this trailing half is among those whose leading half is 0.
    pub(super) fn has_apart(&self, trailing: u64) -> bool {
        self.apart.contains(&trailing)
    }

    /// Put `fingerprint` into it; answers whether it is new. Where there is no memory for it, nothing
    /// in the portion can be found any more.
    pub(super) fn insert(
        &mut self,
        slots: &mut [u128],
        fingerprint: Fingerprint,
        budget: &Budget,
    ) -> Result<bool, Full> {
        let value = fingerprint.0;
        if leading(value) == 0 {
            return Ok(self.apart.insert(value as u64));
        }
        loop {
            let used = &mut slots[..self.size()];
            let (place, found) = place(used, home(leading(value), self.homes), value);
            if found {
                return Ok(false);
            }
            if self.filled < self.homes - self.homes / 10 {
                put(used, place, value);
                self.filled += 1;
                // The last slot stays empty.
                if used.last() != Some(&0) {
                    self.grow(slots, budget)?;
                }
                return Ok(true);
            }
            self.grow(slots, budget)?;
        }
    }

    /// Become a quarter larger, or more if that is not enough.
    #[cold]
    fn grow(&mut self, slots: &mut [u128], budget: &Budget) -> Result<(), Full> {
        let mut used = Some(self.used(slots));
        while let Some(values) = used {
            let homes = larger(self.homes);
            if size(homes) > slots.len() {
                return Err(Full);
            }
            self.pay(budget.large_pages.taken(size(homes), slots.len()), budget)?;
            budget.large_pages.touch(slots, self.size(), size(homes));
            self.homes = homes;
            // A page that is read before it is written is replaced then; this slot is read very often.
            slots[self.size() - 1] = 0;
            used = self.spread(slots, values);
        }
        Ok(())
    }

    /// Behind how many slots there is no value. Reads none behind that, where nothing was written yet.
    fn used(&self, slots: &[u128]) -> usize {
        // Behind the homes there is no hole before a value: its home is one of them.
        let (homes, tail) = slots[..self.size()].split_at(self.homes);
        match tail.iter().take_while(|slot| **slot != 0).count() {
            0 => homes.iter().rposition(|slot| *slot != 0).map_or(0, |last| last + 1),
            count => self.homes + count,
        }
    }

    /// Put the values, which are in the first `used` slots, where they belong. If they do not fit,
    /// answers behind how many slots there is none of them; then they are in order, but not where they
    /// belong.
    fn spread(&self, slots: &mut [u128], used: usize) -> Option<usize> {
        let mut end = used.max(self.homes + TAIL);
        let mut from = end - used;
        slots.copy_within(..used, from);
        slots[..from].fill(0);
        let mut next = 0;
        while from < end {
            // An empty slot stays behind: what it leaves where the next value goes is overwritten.
            let value = slots[from];
            let place = home(leading(value), self.homes).max(next);
            if place > from {
                let up = (place - from).max(TAIL);
                // The last slot stays empty.
                if end + up >= self.size() {
                    return Some(end);
                }
                slots.copy_within(from..end, from + up);
                slots[from..end.min(from + up)].fill(0);
                (from, end) = (from + up, end + up);
            }
            slots[from] = 0;
            slots[place] = value;
            from += 1;
            next = place + usize::from(value != 0);
        }
        None
    }
}

/// The homes of a portion that had so many and grows.
fn larger(homes: usize) -> usize {
    homes + homes / 4
}

#[cfg(test)]
mod tests {
    use super::super::slots::BITS;
    use super::*;
    use std::collections::BTreeSet;

    /// The invariant that the head comment states.
    fn holds(portion: &Portion, slots: &[u128]) {
        let filled = slots.iter().enumerate().filter(|(_, slot)| **slot != 0);
        let (mut last, mut count) = (0, 0);
        for (place, &value) in filled {
            assert!(value > last, "out of order at {place}");
            let home = home(leading(value), portion.homes);
            assert!(slots[home..=place].iter().all(|&slot| slot != 0), "a hole at {place}");
            last = value;
            count += 1;
        }
        assert_eq!(count, portion.filled);
        assert!(slots[portion.size() - 1..].iter().all(|&slot| slot == 0));
    }

    fn contains(portion: &Portion, slots: &[u128], value: u128) -> bool {
        match leading(value) {
            0 => portion.has_apart(value as u64),
            leading => place(slots, home(leading, portion.homes), value).1,
        }
    }

    fn agrees(values: impl Iterator<Item = u128>) {
        let (mut portion, budget) = (Portion::new(64), Budget::new(None));
        let mut slots = vec![0; 1 << 17];
        let mut plain = BTreeSet::new();
        let mut homes = portion.homes;
        for value in values {
            assert_eq!(contains(&portion, &slots, value), plain.contains(&value));
            assert_eq!(
                portion.insert(&mut slots, Fingerprint(value), &budget),
                Ok(plain.insert(value))
            );
            if std::mem::replace(&mut homes, portion.homes) != portion.homes {
                holds(&portion, &slots);
            }
        }
        holds(&portion, &slots);
        assert!(plain.iter().all(|&value| contains(&portion, &slots, value)));
        assert!(plain.iter().all(|&value| {
            let other = value ^ 1;
            contains(&portion, &slots, other) == plain.contains(&other)
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
        for home in [1 << 64, !0 >> 64 << 64 >> BITS] {
            agrees((1..600).map(|low| home | low));
            agrees((1..600).rev().map(|low| home | low));
        }
    }

    #[test]
    fn values_whose_leading_half_is_that_of_an_empty_slot_are_like_any_others() {
        agrees([0, 0, 5, 0, !0 >> 64, 5, 1 << 64, 6, 1 << 64].into_iter());
    }

    #[test]
    fn values_with_one_leading_half_are_told_apart_by_the_other() {
        let value = |number: u128| (number / 9 + 1) << 90 | (number % 9).wrapping_mul(MIX) >> 64;
        agrees((0..900).map(value));
        agrees((0..900).rev().map(value));
    }

    #[test]
    fn without_memory_it_says_so() {
        let (mut portion, budget) = (Portion::new(64), Budget::new(Some(1000)));
        portion.paid = portion.size();
        let mut slots = vec![0; 1 << 10];
        let values = (1..).map(|number: u128| Fingerprint(number.wrapping_mul(MIX) >> BITS));
        let mut taken = values.map(|value| portion.insert(&mut slots, value, &budget));
        assert_eq!(taken.find(|taken| *taken != Ok(true)), Some(Err(Full)));
        // 1000 bytes are 62 slots more than those at first.
        assert_eq!(portion.homes, 100);
    }
}
