//! The set of fingerprints of all stored worlds, cut into portions by their highest bits.
//!
//! The set of fingerprints is exact: a value belongs to one portion, and [`super::portion`] says why
//! each portion is exact and every look-up ends. Hence a world is wrongly taken for a known one only
//! if another world has its fingerprint ([`crate::fingerprint::collision_estimate`]).
//!
//! The portions begin with different sizes and grow by the same factor, so that of portions which fill
//! alike one grows after the other, and the whole is at every time nearly as full as in the mean.
//!
//! Their slots are one piece of memory, cut into strides of equal length, one for each portion. While
//! strides are short, all portions move to strides twice as long when one could outgrow its own. Then
//! each has pages of its own, and strides are as long as they can be: what of them is not in use takes no
//! memory. That is so from an eighth of a large page on, as each move has the kernel clear new memory; or
//! from a whole one on, where the search may not take much. All but the first pages are large ones, if
//! they come fast ([`super::pages`]).
//!
//! While the set is read, by all workers at once, nobody writes it; while it is written, each portion
//! is lent to one worker ([`super::store`]), and nobody reads. Who may do what is a matter of borrowing,
//! which the compiler checks; no slot is shared between one who writes and anybody else.

use std::array;
use std::mem::replace;
use std::sync::{Arc, Mutex};

use super::budget::Budget;
use super::crew::held;
use super::memory::{Full, LARGE_PAGE, Region, installed, prefetch};
use super::portion::Portion;
use super::slots::{BITS, GLANCE, LOOKED_AT, home, leading, place};
use crate::fingerprint::Fingerprint;

/// How many portions there are.
pub(super) const PORTIONS: usize = 1 << BITS;

/// The homes of the smallest portion, at first.
const FEWEST: f64 = 96.0;

/// Slots in a large page.
const PAGE: usize = LARGE_PAGE / size_of::<u128>();

/// From strides of so many slots on, new memory is in large pages.
const LARGE: usize = 2 * PAGE / PORTIONS;

/// In so many bytes there is room for large pages before they are full.
const GENEROUS: u64 = 1 << 30;

/// The portion that `fingerprint` belongs to.
#[inline]
pub(super) fn portion_of(fingerprint: Fingerprint) -> usize {
    (fingerprint.0 >> (u128::BITS - BITS)) as usize
}

/// Does a piece of work for each number below one.
pub(super) type Each<'a> = dyn Fn(usize, &(dyn Fn(usize) + Sync)) + 'a;

fn one_by_one(count: usize, job: &(dyn Fn(usize) + Sync)) {
    (0..count).for_each(job);
}

/// A growing set of fingerprints.
pub(super) struct Seen {
    portions: Vec<Portion>,
    slots: Region,
    stride: usize,
    /// With strides up to this portions lie close together. Beyond, each has pages of its own, from where
    /// it never moves.
    together: usize,
    pub(super) budget: Arc<Budget>,
}

/// A portion, lent to one who writes it.
pub(super) struct Lent<'a> {
    portion: &'a mut Portion,
    slots: &'a mut [u128],
    budget: &'a Budget,
}

/// The set while nobody writes it, with what says where to look close together.
pub(super) struct Lookup<'a> {
    seen: &'a Seen,
    slots: &'a [u128],
    stride: usize,
    /// By portion.
    homes: [usize; PORTIONS],
}

impl Lookup<'_> {
    /// Where to look for `fingerprint`.
    #[inline]
    pub(super) fn home(&self, fingerprint: Fingerprint) -> usize {
        let number = portion_of(fingerprint);
        number * self.stride + home(leading(fingerprint.0), self.homes[number])
    }

    /// Get ready to look there.
    #[inline]
    pub(super) fn prefetch(&self, home: usize) {
        let home = self.slots.as_ptr().wrapping_add(home);
        (0..LOOKED_AT).step_by(GLANCE).for_each(|nth| prefetch(home.wrapping_add(nth)));
    }

    /// Whether `fingerprint`, which is to be looked for at `home`, is in the set.
    #[inline(always)]
    pub(super) fn contains(&self, home: usize, fingerprint: Fingerprint) -> bool {
        match leading(fingerprint.0) {
            0 => self.has_apart(fingerprint),
            _ => place(self.slots, home, fingerprint.0).1,
        }
    }

    #[cold]
    fn has_apart(&self, fingerprint: Fingerprint) -> bool {
        self.seen.portions[0].has_apart(fingerprint.0 as u64)
    }
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
        let portions: Vec<_> = (0..PORTIONS).map(|at| Portion::new(homes(at))).collect();
        let slots = Region::new(installed().saturating_mul(2))?;
        let generous = budget.most() >= GENEROUS;
        let together = if generous { PAGE / 8 } else { PAGE };
        let mut seen = Seen { portions, slots, stride: 0, together, budget };
        seen.make_room(|_| 0, &one_by_one)?;
        Ok(seen)
    }

    /// How many places for fingerprints it has, used or not; 16 bytes each.
    pub(super) fn slots(&self) -> u64 {
        self.portions.iter().map(|portion| portion.homes() as u64).sum()
    }

    /// Whether looking into it is likely to wait for memory.
    pub(super) fn is_large(&self) -> bool {
        self.portions[0].homes() >= (1 << 16) / PORTIONS
    }

    /// Whether `fingerprint` is in the set.
    pub(super) fn contains(&self, fingerprint: Fingerprint) -> bool {
        let lookup = self.lookup();
        lookup.contains(lookup.home(fingerprint), fingerprint)
    }

    /// The set, for who looks for many.
    pub(super) fn lookup(&self) -> Lookup<'_> {
        let homes = array::from_fn(|number| self.portions[number].homes());
        Lookup { seen: self, slots: &self.slots, stride: self.stride, homes }
    }

    /// Put `fingerprint` into the set; answers whether it is new.
    pub(super) fn insert(&mut self, fingerprint: Fingerprint) -> Result<bool, Full> {
        let number = portion_of(fingerprint);
        self.make_room(|at| usize::from(at == number), &one_by_one)?;
        self.lend().nth(number).expect("there are so many").insert(fingerprint)
    }

    /// See to it that so `many` values can be put into each portion; `each` may share the work out.
    pub(super) fn make_room(
        &mut self,
        many: impl Fn(usize) -> usize,
        each: &Each<'_>,
    ) -> Result<(), Full> {
        let needed = self.portions.iter().enumerate().map(|(at, it)| it.size_with(many(at)));
        let needed = needed.max().unwrap_or(0);
        if needed <= self.stride {
            return Ok(());
        }
        let doubled = needed.next_power_of_two();
        let together = doubled <= self.together;
        let mut stride = doubled;
        if !together {
            stride = (self.slots.most() / PORTIONS / PAGE * PAGE).max(needed);
        }
        while let Err(full) = self.slots.grow(stride * PORTIONS) {
            // Some systems count addresses as memory.
            stride = if stride / 2 < doubled { return Err(full) } else { stride / 2 };
        }
        let (budget, pages) = (&self.budget, &self.budget.large_pages);
        if stride >= LARGE {
            pages.ask(&mut self.slots);
        }
        if !together {
            // The last portion's are new: then it is known how they come.
            let new = (self.stride * PORTIONS).max((PORTIONS - 1) * stride);
            pages.touch(&mut self.slots[new..], 0, 1);
        }
        let takes = |portion: &Portion| match together {
            true => stride,
            false => portion.takes(stride, pages),
        };
        self.portions.iter_mut().try_for_each(|it| it.pay(takes(it), budget))?;
        if self.stride * PORTIONS <= stride && self.stride > 0 {
            self.part(stride, each);
        } else {
            self.widen(stride, each);
        }
        Ok(())
    }

    /// Let the portions move on to longer strides: those at once whose places are behind all that is still
    /// where it was. That is half of them where strides become twice as long, then half of the others, and
    /// so on. The first stays where it is.
    fn widen(&mut self, stride: usize, each: &Each<'_>) {
        let before = replace(&mut self.stride, stride);
        let (portions, pages) = (&self.portions, &self.budget.large_pages);
        // Where portions lie close together, all of it is paid for and will be used.
        if (LARGE..=self.together).contains(&stride) {
            let new = &mut self.slots[before * PORTIONS..];
            let skip = new.as_ptr().align_offset(LARGE_PAGE).min(new.len());
            let new: Vec<_> = new[skip..].chunks_exact_mut(PAGE).map(Mutex::new).collect();
            each(new.len(), &|at| pages.touch(&mut held(&new[at]), 0, PAGE));
        }
        let mut left = if before > 0 { PORTIONS } else { 0 };
        while left > 1 {
            let first = (left * before).div_ceil(stride).min(left - 1);
            let (from, to) = (first * before, first * stride);
            let end = left * before;
            if end <= to {
                let (old, new) = self.slots.split_at_mut(to);
                let old = old[from..end].chunks_exact_mut(before);
                let moves: Vec<_> = old.zip(new.chunks_exact_mut(stride)).map(Mutex::new).collect();
                each(moves.len(), &|at| {
                    let (old, new) = &mut *held(&moves[at]);
                    let size = portions[first + at].size().min(before);
                    new[..size].copy_from_slice(&old[..size]);
                    old[..size].fill(0);
                });
                drop(moves);
                if before >= PAGE {
                    // Their large pages go back.
                    self.slots.clear(from..end);
                }
            } else {
                let size = portions[first].size().min(before);
                self.slots.copy_within(from..from + size, to);
                self.slots.clear(from..to);
            }
            left = first;
        }
    }

    /// The same, where all are in what the first will have alone. The memory of the others is new,
    /// so to clear it is most of the work.
    fn part(&mut self, stride: usize, each: &Each<'_>) {
        let before = replace(&mut self.stride, stride);
        let (together, places) = self.slots.split_at_mut(stride);
        let (together, portions, budget) = (&*together, &self.portions[1..], &self.budget);
        let places: Vec<_> = places.chunks_exact_mut(stride).map(Mutex::new).collect();
        each(places.len(), &|at| {
            let (portion, from) = (&portions[at], (at + 1) * before);
            let (size, place) = (portion.size().min(before), &mut *held(&places[at]));
            budget.large_pages.touch(place, 0, size);
            place[..size].copy_from_slice(&together[from..from + size]);
        });
        drop(places);
        self.slots.clear(before..before * PORTIONS);
    }

    /// Each portion, to be written.
    pub(super) fn lend(&mut self) -> impl Iterator<Item = Lent<'_>> {
        let Seen { portions, slots, stride, budget, .. } = self;
        let lent = portions.iter_mut().zip(slots.chunks_exact_mut(*stride));
        lent.map(|(portion, slots)| Lent { portion, slots, budget })
    }
}

impl Lent<'_> {
    /// Get ready to look for `fingerprint`.
    #[inline]
    pub(super) fn prefetch(&self, fingerprint: Fingerprint) {
        self.portion.prefetch(self.slots, fingerprint);
    }

    /// Put `fingerprint` into the portion, which is its; answers whether it is new.
    #[inline]
    pub(super) fn insert(&mut self, fingerprint: Fingerprint) -> Result<bool, Full> {
        self.portion.insert(self.slots, fingerprint, self.budget)
    }
}

#[cfg(test)]
mod tests {
    use super::super::pages::LONG;
    use super::*;

    /// Bytes of the mapping of `slots` that are in memory.
    fn resident(slots: &Region) -> u64 {
        let whole = slots.as_ptr().addr()..slots.as_ptr().addr() + slots.len() * size_of::<u128>();
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let (mut inside, mut sum) = (false, 0);
        for line in maps.lines() {
            let number = |text: &str| usize::from_str_radix(text, 16).ok();
            if let Some((start, _)) = line.split_once('-')
                && let Some(start) = number(start)
            {
                inside = whole.contains(&start);
            } else if let Some(rest) = line.strip_prefix("Rss:")
                && inside
            {
                let kilobytes: u64 = rest.trim().trim_end_matches(" kB").parse().unwrap();
                sum += kilobytes << 10;
            }
        }
        sum
    }

    #[test]
    fn a_large_set_takes_the_memory_that_it_counts_and_loses_nothing_where_it_moves() {
        let page = LARGE_PAGE as u64;
        for (most, apart, slow) in
            [(GENEROUS, page / 8, false), (GENEROUS - 1, page, false), (GENEROUS, page / 8, true)]
        {
            let mut seen = Seen::new(Arc::new(Budget::new(Some(most)))).unwrap();
            seen.budget.large_pages.came(if slow { LONG * 2 } else { LONG / 2 });
            let value = |number: u128| {
                Fingerprint(number.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835))
            };
            let mut count = 0u128;
            for bytes in [page / 16, page * 3 / 2] {
                while (seen.portions[PORTIONS - 1].size() * size_of::<u128>()) < bytes as usize {
                    count += 1;
                    assert_eq!(seen.insert(value(count)), Ok(true));
                }
                assert!((1..=count).all(|number| seen.contains(value(number))));
                assert!((count + 1..2 * count).all(|number| !seen.contains(value(number))));
                let (resident, taken) = (resident(&seen.slots), seen.budget.taken());
                let used = seen.slots() * size_of::<u128>() as u64;
                assert!(resident >= used && taken >= used, "{resident} and {taken} of {used}");
                // Beside its tail a portion has less than a large page in vain, or two thirds of its stride.
                let vain = match bytes > apart {
                    true if slow => PORTIONS as u64 * page / 16,
                    true => PORTIONS as u64 * page,
                    false => 2 * used,
                };
                assert!(resident < used + used / 10 + vain, "{resident} of {used}");
                assert!(resident <= taken + taken / 10, "{resident} of {taken}");
                assert!(taken < used + used / 10 + vain, "{taken} of {used}");
            }
            assert!(seen.stride * size_of::<u128>() > LARGE_PAGE);
        }
    }

    #[test]
    fn portions_move_to_strides_of_any_length() {
        let value = |number: u128| {
            Fingerprint(number.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835))
        };
        let mut seen = Seen::default();
        assert!((1..=2000).all(|number| seen.insert(value(number)) == Ok(true)));
        for more in [1, 7, 64, 300, 2000, 3000, 40_000] {
            let stride = seen.stride + more;
            seen.slots.grow(stride * PORTIONS).unwrap();
            seen.widen(stride, &one_by_one);
            assert!((1..=2000).all(|number| seen.contains(value(number))), "{stride}");
            assert_eq!(seen.slots.iter().filter(|slot| **slot != 0).count(), 2000, "{stride}");
        }
    }

    #[test]
    fn what_portions_do_not_use_takes_no_memory_where_addresses_are_scarce() {
        let mut seen = Seen::default();
        assert!((1..=2000).all(|number| seen.insert(Fingerprint(number << 114)) == Ok(true)));
        (0..10_000).for_each(|_| seen.budget.large_pages.came(LONG / 2));
        // As if there were no more addresses: elsewhere strides are as long as they can be.
        for pages in [4, 16] {
            let stride = pages * PAGE;
            seen.slots.grow(stride * PORTIONS).unwrap();
            seen.budget.large_pages.ask(&mut seen.slots);
            seen.widen(stride, &one_by_one);
            let (resident, each) = (resident(&seen.slots), LARGE_PAGE as u64);
            assert!(resident <= 2 * PORTIONS as u64 * each, "{resident}");
        }
        assert!((1..=2000).all(|number| seen.contains(Fingerprint(number << 114))));
    }

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
