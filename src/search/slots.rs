//! Slots that hold ascending values, and empty ones among them: where a value is, and where it goes
//! ([`super::portion`]). How far that is nobody can predict, so several slots are looked at together,
//! without a branch.

use std::hint::select_unpredictable;
use std::mem::swap;

/// The high bits of a fingerprint that say in which portion it is.
pub(super) const BITS: u32 = 5;

/// The leading half.
#[inline]
pub(super) fn leading(value: u128) -> u64 {
    (value >> 64) as u64
}

/// The home of a value with this leading half in a portion that has so many.
#[inline]
pub(super) fn home(leading: u64, homes: usize) -> usize {
    ((u128::from(leading << BITS) * homes as u128) >> 64) as usize / GLANCE * GLANCE
}

/// So many slots are looked at together.
pub(super) const GLANCE: usize = 4;

/// Few look-ups go further than so many slots.
pub(super) const LOOKED_AT: usize = 2 * GLANCE;

/// Where the look-up of `value` ends that begins at `home`, and whether `value` is there; if it is not,
/// that is where it belongs. Its leading half is not 0. How far it goes nobody can predict, so slots are
/// looked at several at once, without a branch.
#[inline(always)]
pub(super) fn place(slots: &[u128], home: usize, value: u128) -> (usize, bool) {
    let most = leading(value).wrapping_sub(1);
    // An empty slot is greater than everything here.
    let is_less = |slot: &u128| leading(*slot).wrapping_sub(1) < most;
    let mut at = home;
    while let Some(glance) = slots[at..].first_chunk::<GLANCE>() {
        // They are in order, so those that are less come first.
        let less: usize = glance.iter().map(|slot| usize::from(is_less(slot))).sum();
        at += less;
        if less < GLANCE {
            break;
        }
    }
    // Only where there is less than a glance left. The last slot is empty.
    while is_less(&slots[at]) {
        at += 1;
    }
    let slot = slots[at];
    match leading(slot) == leading(value) && slot < value {
        true => among_equals(slots, at, value),
        false => (at, slot == value),
    }
}

/// Put `value` at `place`; what is there, and behind it up to the next empty slot, moves up. The last slot
/// is empty. Where the empty one is nobody can predict, so among some slots it is found without a branch.
#[inline(always)]
pub(super) fn put(slots: &mut [u128], mut place: usize, value: u128) {
    let mut moved = value;
    let is_empty = |slot: u128| leading(slot) == 0;
    while let Some(glance) = slots[place..].first_chunk_mut::<GLANCE>() {
        let old = *glance;
        let new = [moved, old[0], old[1], old[2]];
        if !old.iter().fold(false, |any, slot| any | is_empty(*slot)) {
            *glance = new;
            moved = old[GLANCE - 1];
            place += GLANCE;
            continue;
        }
        let mut stays = false;
        for nth in 0..GLANCE {
            glance[nth] = select_unpredictable(stays, old[nth], new[nth]);
            stays |= is_empty(old[nth]);
        }
        return;
    }
    // Only where there is less than a glance left.
    while moved != 0 {
        swap(&mut moved, &mut slots[place]);
        place += 1;
    }
}

/// What [`place`] answers, from the first slot on whose value has the leading half of `value`.
#[cold]
fn among_equals(slots: &[u128], first: usize, value: u128) -> (usize, bool) {
    let less = |&&slot: &&u128| leading(slot) == leading(value) && slot < value;
    let at = first + slots[first..].iter().take_while(less).count();
    (at, slots[at] == value)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIX: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;

    #[test]
    fn a_glance_sees_what_is_seen_slot_by_slot() {
        let mut drawn = (1..).map(|number: u128| number.wrapping_mul(MIX) >> 120);
        let mut places = 0;
        for len in 1..40 {
            for _ in 0..20 {
                let mut slots: Vec<u128> = (1..len).map(|at| (at / 3 + 1) << 64 | at).collect();
                slots.iter_mut().for_each(|slot| *slot *= u128::from(drawn.next() < Some(200)));
                slots.push(0);
                for from in 0..slots.len() {
                    let empty = from + slots[from..].iter().position(|slot| *slot == 0).unwrap();
                    let (mut moved, mut plain) = (slots.clone(), slots.clone());
                    put(&mut moved, from, !0);
                    plain.remove(empty);
                    plain.insert(from, !0);
                    assert_eq!(moved, plain);
                    // No look-up begins where something less is behind an empty slot.
                    let behind = slots[empty..].iter().find(|slot| **slot != 0).copied();
                    for value in
                        (1..=len / 3 + 2).flat_map(|it| [it << 64, it << 64 | (3 * it - 2)])
                    {
                        if behind.is_none_or(|behind| leading(value) < leading(behind)) {
                            let ends = |slot: &u128| *slot == 0 || *slot >= value;
                            let at = from + slots[from..].iter().position(ends).unwrap();
                            assert_eq!(place(&slots, from, value), (at, slots[at] == value));
                            places += 1;
                        }
                    }
                }
            }
        }
        assert!(places > 10_000);
    }
}
