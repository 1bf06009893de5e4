//! Pieces of work that follow one another, shared out: each worker has some that are neighbours, and
//! claims them from the first on. Who has none left helps others with theirs, in the same order. Pieces
//! become smaller towards the end of a share, so that nobody waits long for who has the last. Each is
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

    /// Which of so many things, all in order, are those of a piece.
    pub(super) fn part(&self, piece: usize, things: u64) -> Range<u64> {
        let all = self.0.last().map_or(0, |share| share.pieces.end) as u128;
        let share = self.0.partition_point(|share| share.pieces.end <= piece);
        let pieces = &self.0[share].pieces;
        let up_to = |piece: usize| u128::from(things) * piece as u128 / all;
        let (start, end) = (up_to(pieces.start), up_to(pieces.end));
        // The sizes of a share's pieces are as count, count - 1, ..., 1.
        let count = pieces.len() as u128;
        let before = |nth| (end - start) * (nth * (2 * count + 1 - nth)) / (count * (count + 1));
        let nth = (piece - pieces.start) as u128;
        (start + before(nth)) as u64..(start + before(nth + 1)) as u64
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
