//! The gate of a search's threads, in all interleavings (loom, after B. Norris and B. Demsky,
//! *CDSChecker*, 2013): helpers that take turns as they do in `src/search/crew.rs`, portions that are
//! claimed as in `src/search/phases.rs`, and chunks that are shared out as in `src/search/window.rs`.

#[path = "../src/search/gate.rs"]
mod gate;
#[path = "../src/search/share.rs"]
mod share;

/// What they are made of.
mod sync {
    pub(super) use loom::sync::atomic::{AtomicUsize, Ordering};
    pub(super) use loom::sync::{Condvar, Mutex, MutexGuard};
    pub(super) use std::sync::PoisonError;

    /// Each further look is like the first.
    pub(super) const LINGER: u32 = 1;
}

use std::panic::{AssertUnwindSafe, catch_unwind};

use loom::cell::UnsafeCell;
use loom::model::Builder;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use gate::Gate;
use share::Shares;

const PORTIONS: usize = 3;

/// What the threads share. A cell that two of them touch at once is an error.
struct Shared {
    gate: Gate<usize>,
    claimed: AtomicUsize,
    portions: [UnsafeCell<u32>; PORTIONS],
    /// What the calling thread writes between rounds, and all read in them.
    known: UnsafeCell<u32>,
}

/// What is done wrong.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    /// A helper reports back before it has done the job.
    Early,
    /// A helper goes on when nobody called it.
    Uncalled,
    /// Who claims a portion looks and then says so.
    Torn,
}

impl Shared {
    /// The job: every portion once, by whoever claims it.
    fn work(&self, round: usize, fault: Fault) {
        // SAFETY: loom watches that nobody writes meanwhile.
        assert_eq!(self.known.with(|known| unsafe { *known }), round as u32);
        loop {
            let number = match fault {
                Fault::Torn => {
                    let number = self.claimed.load(Relaxed);
                    self.claimed.store(number + 1, Relaxed);
                    number
                }
                _ => self.claimed.fetch_add(1, Relaxed),
            };
            let Some(portion) = self.portions.get(number) else { return };
            // SAFETY: loom watches that nobody else touches it meanwhile.
            portion.with_mut(|portion| unsafe { *portion += 1 });
        }
    }

    fn serve(&self, number: usize, fault: Fault) {
        self.gate.back();
        let mut known = 0;
        while let Some(round) = self.gate.wait(number, &mut known) {
            if fault == Fault::Early {
                self.gate.back();
                self.work(round, fault);
            } else {
                self.work(round, fault);
                self.gate.back();
            }
        }
        if fault == Fault::Uncalled {
            self.work(0, fault);
        }
    }
}

/// Rounds to which so many helpers are called, of two.
fn rounds(called: &'static [usize], fault: Fault) {
    let mut model = Builder::new();
    model.preemption_bound = Some(2);
    model.check(move || {
        let shared = Arc::new(Shared {
            gate: Gate::new(2),
            claimed: AtomicUsize::new(0),
            portions: std::array::from_fn(|_| UnsafeCell::new(0)),
            known: UnsafeCell::new(0),
        });
        let helper = |number| {
            let shared = Arc::clone(&shared);
            loom::thread::spawn(move || shared.serve(number, fault))
        };
        let helpers = [helper(1), helper(2)];
        shared.gate.await_all(&mut || ());
        for (round, &called) in (1..).zip(called) {
            // SAFETY: loom watches that no helper reads.
            shared.known.with_mut(|known| unsafe { *known = round as u32 });
            shared.claimed.store(0, Relaxed);
            if called > 0 {
                shared.gate.open(called, round);
            }
            shared.work(round, fault);
            if called > 0 {
                shared.gate.await_all(&mut || ());
            }
            for portion in &shared.portions {
                // SAFETY: loom watches that no helper writes.
                assert_eq!(portion.with(|portion| unsafe { *portion }), round as u32);
            }
        }
        shared.gate.close();
        helpers.into_iter().for_each(|helper| helper.join().unwrap());
    });
}

#[test]
fn every_portion_is_done_once_a_round_and_nobody_waits_for_ever() {
    rounds(&[2], Fault::None);
    rounds(&[1, 2], Fault::None);
    rounds(&[0, 1], Fault::None);
}

#[test]
fn a_gate_that_is_used_wrongly_is_found_out() {
    for fault in [Fault::Early, Fault::Uncalled, Fault::Torn] {
        let found = catch_unwind(AssertUnwindSafe(|| rounds(&[1, 2], fault)));
        assert!(found.is_err());
    }
}

#[test]
fn a_worker_has_its_own_share_and_then_what_others_have_left() {
    for (pieces, workers) in [(0, 1), (1, 3), (7, 2), (10, 3)] {
        loom::model(move || {
            let shares = Shares::new(pieces, workers);
            for worker in (0..workers).rev() {
                let own = pieces * worker / workers..pieces * (worker + 1) / workers;
                let claimed = own.clone().take(2).map(|_| shares.claim(worker));
                assert!(claimed.eq(own.take(2).map(Some)));
            }
            let rest: Vec<_> = std::iter::from_fn(|| shares.claim(workers - 1)).collect();
            let left = |worker: usize| {
                (pieces * worker / workers..pieces * (worker + 1) / workers).skip(2)
            };
            let others = (0..workers - 1).flat_map(left);
            assert!(rest.into_iter().eq(left(workers - 1).chain(others)));
        });
    }
}

#[test]
fn pieces_are_of_all_things_in_order_and_become_smaller_in_each_share() {
    for (pieces, workers) in [(1, 1), (2, 2), (1, 3), (7, 2), (32, 2), (40, 3)] {
        loom::model(move || {
            let shares = Shares::new(pieces, workers);
            for things in [0, 1, pieces as u64, 1000, 1 << 50] {
                let parts: Vec<_> = (0..pieces).map(|piece| shares.part(piece, things)).collect();
                assert_eq!((parts[0].start, parts[pieces - 1].end), (0, things));
                assert!(parts.windows(2).all(|pair| pair[0].end == pair[1].start));
                for worker in 0..workers {
                    let own = pieces * worker / workers..pieces * (worker + 1) / workers;
                    let sizes = parts[own].iter().map(|part| part.end - part.start);
                    // Rounded down, they may differ by one.
                    assert!(sizes.is_sorted_by(|one, other| one + 1 >= *other));
                }
            }
        });
    }
    loom::model(|| {
        // Of 272 each: 16, 15, ..., 1 and once more.
        let (shares, things) = (Shares::new(32, 2), 272);
        assert_eq!(
            [0, 15, 16, 31].map(|piece| shares.part(piece, things)),
            [0..16, 135..136, 136..152, 271..272]
        );
    });
}

#[test]
fn each_piece_of_work_is_claimed_once() {
    for pieces in [1, 3, 4] {
        loom::model(move || {
            let shares = Arc::new(Shares::new(pieces, 2));
            let claim = |worker| {
                let shares = Arc::clone(&shares);
                move || std::iter::from_fn(|| shares.claim(worker)).collect::<Vec<_>>()
            };
            let other = loom::thread::spawn(claim(1));
            let mut all = claim(0)();
            all.extend(other.join().unwrap());
            all.sort_unstable();
            assert_eq!(all, (0..pieces).collect::<Vec<_>>());
        });
    }
}
