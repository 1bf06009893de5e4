//! How far a search is, told at most once in an interval.

use std::time::{Duration, Instant};

/// How far a search is. Numbers that its strategy does not have are `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Distinct worlds so far; those of an unfinished level may still be dropped.
    pub distinct: Option<u64>,
    /// Worlds generated so far.
    pub generated: u64,
    /// The level that is expanded, or the longest walk, in states.
    pub depth: u64,
    /// Worlds stored and not yet expanded.
    pub queue: Option<u64>,
    /// Walks finished.
    pub walks: Option<u64>,
}

/// Calls back when the interval is over.
pub(super) struct Pace<'a> {
    every: Duration,
    last: Instant,
    tell: &'a mut dyn FnMut(&Progress),
}

impl<'a> Pace<'a> {
    pub(super) fn new(every: Duration, tell: &'a mut dyn FnMut(&Progress)) -> Self {
        Pace { every, last: Instant::now(), tell }
    }

    /// Tell what `progress` answers, if it is time.
    pub(super) fn tick(&mut self, progress: impl FnOnce() -> Progress) {
        if self.last.elapsed() >= self.every {
            (self.tell)(&progress());
            self.last = Instant::now();
        }
    }
}
