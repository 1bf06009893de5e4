//! Pieces of work that follow one another, shared out: each worker has some that are neighbours, and
//! claims them from the first on. Who has none left helps others with theirs, in the same order. Each is
//! claimed once, because whoever adds one to how many are claimed has what was there before for itself;
//! `capi-tests/gate.rs` runs it in all interleavings.

use std::ops::Range;

use super::sync::{AtomicUsize, Ordering};

/// One worker's share, on a cache line of its own.
#[repr(align(128))]
struct Share {
    pieces: Range<usize>,
    claimed: AtomicUsize,
}

/// The shares, by worker.
pub(super) struct Shares(Vec<Share>);

impl Shares {
    /// So many `pieces` of work for so many `workers`.
    pub(super) fn new(pieces: usize, workers: usize) -> Self {
        let start = |worker: usize| pieces * worker / workers;
        let share = |worker| Share {
            pieces: start(worker)..start(worker + 1),
            claimed: AtomicUsize::new(0),
        };
        Shares((0..workers).map(share).collect())
    }

    /// The next piece for `worker`; `None` when all are claimed.
    pub(super) fn claim(&self, worker: usize) -> Option<usize> {
        let (before, from) = self.0.split_at(worker);
        from.iter().chain(before).find_map(Share::claim)
    }
}

impl Share {
    fn claim(&self) -> Option<usize> {
        // What was written before a round is seen in it, and no piece says anything of another's.
        let claimed = self.claimed.load(Ordering::Relaxed);
        if claimed >= self.pieces.len() {
            return None;
        }
        self.pieces.clone().nth(self.claimed.fetch_add(1, Ordering::Relaxed))
    }
}
