//! Pieces of work that follow one another, shared out: each worker has some that are neighbours, and
//! claims them from the first on. Who has none left takes the last one of another's. Each is claimed once,
//! because what is left of a share is one word, which is only ever exchanged for a smaller one;
//! `capi-tests/gate.rs` runs it in all interleavings.

use super::sync::{AtomicU64, Ordering};

/// What is left of one worker's share: where it starts, and where it ends, in 32 bits each. On a cache
/// line of its own.
#[repr(align(128))]
struct Left(AtomicU64);

/// The shares, by worker.
pub(super) struct Shares(Vec<Left>);

impl Shares {
    /// `pieces` of work, fewer than 2^32, for so many `workers`.
    pub(super) fn new(pieces: usize, workers: usize) -> Self {
        let start = |worker: usize| (pieces * worker / workers) as u64;
        let left = |worker| Left(AtomicU64::new(start(worker) << 32 | start(worker + 1)));
        Shares((0..workers).map(left).collect())
    }

    /// The next piece of `worker`; `None` when all are claimed.
    pub(super) fn claim(&self, worker: usize) -> Option<usize> {
        let own = self.0[worker].take(|start, end| (start, start + 1, end));
        own.or_else(|| {
            let others = (worker + 1..self.0.len()).chain(0..worker);
            others
                .into_iter()
                .find_map(|other| self.0[other].take(|start, end| (end - 1, start, end - 1)))
        })
    }
}

impl Left {
    /// Take a piece, if any is left; `how` says which, and what is left then.
    fn take(&self, how: impl Fn(u64, u64) -> (u64, u64, u64)) -> Option<usize> {
        // What was written before a round is seen in it, and no piece says anything of another's.
        let mut left = self.0.load(Ordering::Relaxed);
        loop {
            let (start, end) = (left >> 32, left & u64::from(u32::MAX));
            if start == end {
                return None;
            }
            let (piece, start, end) = how(start, end);
            let less = start << 32 | end;
            match self.0.compare_exchange(left, less, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Some(piece as usize),
                Err(now) => left = now,
            }
        }
    }
}
