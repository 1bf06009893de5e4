//! Who met a world first, among the worlds that a wave met and that were not known, or not so near. It
//! spares work: an arrival is dropped where another one makes it of no effect, wherever the workers
//! are.
//!
//! When a wave is gone through in order, an arrival matters if nothing before it led to the same world
//! on as short a way. One is dropped only behind an arrival at the same world that stands before it, or
//! at the same place and was met before, and is as near. So those that matter are kept, whoever met what
//! when, and the others that are kept change nothing.

use std::collections::hash_map::Entry;
use std::sync::Mutex;

use super::crew::held;
use crate::fingerprint::{Fingerprint, FingerprintMap};

/// The high bits of a fingerprint that say in which map it is; a map is locked for a moment.
const BITS: u32 = 6;

/// The arrivals that were kept.
pub(super) struct Claims(Vec<Map>);

/// Some of them, on cache lines of their own.
#[derive(Default)]
#[repr(align(128))]
struct Map(Mutex<FingerprintMap<Claim>>);

/// Where a world was met.
#[derive(Clone, Copy)]
struct Claim {
    task: usize,
    depth: u64,
}

/// What is to be done with an arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Claimed {
    /// Nothing: it has no effect.
    Behind,
    /// It is not the first, but nearer.
    Nearer,
    /// It is the first so far.
    First,
}

impl Default for Claims {
    fn default() -> Self {
        Claims((0..1 << BITS).map(|_| Map::default()).collect())
    }
}

impl Claims {
    /// The expansion of task number `task` led to `fingerprint` at this depth.
    pub(super) fn claim(&self, fingerprint: Fingerprint, task: usize, depth: u64) -> Claimed {
        let at = (fingerprint.0 >> (u128::BITS - BITS)) as usize;
        match held(&self.0[at].0).entry(fingerprint) {
            Entry::Vacant(place) => {
                place.insert(Claim { task, depth });
                Claimed::First
            }
            Entry::Occupied(mut place) => {
                let known = place.get_mut();
                let first = task < known.task;
                if !first && known.depth <= depth {
                    return Claimed::Behind;
                }
                // One that is before, or nearer, but not both, leaves the other half as it is: to
                // drop less is always right.
                if first && depth <= known.depth {
                    *known = Claim { task, depth };
                }
                if first { Claimed::First } else { Claimed::Nearer }
            }
        }
    }

    /// Forget all.
    pub(super) fn clear(&mut self) {
        let maps = self.0.iter_mut();
        maps.for_each(|map| map.0.get_mut().unwrap_or_else(|broken| broken.into_inner()).clear());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORLD: Fingerprint = Fingerprint(7);

    #[test]
    fn what_matters_is_kept_in_whatever_order_it_comes() {
        // Task and depth of some arrivals at one world, in their order.
        let arrivals = [(0, 9), (1, 9), (1, 8), (3, 8), (4, 5), (6, 6)];
        let matters = |kept: &[(usize, u64)]| {
            let mut nearest = u64::MAX;
            let mut matter = Vec::new();
            for &(task, depth) in kept {
                if depth < nearest {
                    nearest = depth;
                    matter.push((task, depth));
                }
            }
            matter
        };
        let expected = matters(&arrivals);
        assert_eq!(expected, [(0, 9), (1, 8), (4, 5)]);
        // All orders that keep those of one task in theirs.
        let mut orders = vec![vec![]];
        for next in 0..arrivals.len() {
            orders = orders
                .iter()
                .flat_map(|order: &Vec<usize>| {
                    (0..=order.len()).map(|at| {
                        let mut order = order.clone();
                        order.insert(at, next);
                        order
                    })
                })
                .collect();
        }
        let place = |order: &[usize], of| order.iter().position(|&at| at == of);
        orders.retain(|order| place(order, 1) < place(order, 2));
        let mut dropped = 0;
        for order in orders {
            let claims = Claims::default();
            let claim = |&at: &usize| {
                let (task, depth): (usize, u64) = arrivals[at];
                claims.claim(WORLD, task, depth) != Claimed::Behind
            };
            let mut kept: Vec<_> = order.iter().copied().filter(|at| claim(at)).collect();
            dropped += arrivals.len() - kept.len();
            kept.sort_unstable();
            let kept: Vec<_> = kept.into_iter().map(|at| arrivals[at]).collect();
            assert_eq!(matters(&kept), expected, "{order:?}");
        }
        assert!(dropped > 0);
    }

    #[test]
    fn the_first_so_far_is_told_from_one_that_is_only_nearer() {
        let mut claims = Claims::default();
        assert_eq!(claims.claim(WORLD, 5, 9), Claimed::First);
        assert_eq!(claims.claim(WORLD, 5, 9), Claimed::Behind);
        assert_eq!(claims.claim(WORLD, 6, 8), Claimed::Nearer);
        assert_eq!(claims.claim(WORLD, 4, 9), Claimed::First);
        assert_eq!(claims.claim(Fingerprint(u128::MAX), 9, 9), Claimed::First);
        claims.clear();
        assert_eq!(claims.claim(WORLD, 9, 10), Claimed::First);
    }
}
