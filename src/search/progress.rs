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

/// Between two looks at the clock lies about this part of the interval, or less.
const SHARE: u32 = 64;
/// It looks again when it was asked so often in any case.
const LONGEST: u32 = 1024;

/// Calls back when the interval is over. It is asked very often, and looks at the clock seldom: not
/// again before it was asked so many times as took a small part of the interval.
pub(super) struct Pace<'a> {
    every: Duration,
    last: Instant,
    /// When it looked at the clock, how often it is asked until it looks again, and how often it was.
    looked: Instant,
    stride: u32,
    asked: u32,
    tell: &'a mut dyn FnMut(&Progress),
}

impl<'a> Pace<'a> {
    pub(super) fn new(every: Duration, tell: &'a mut dyn FnMut(&Progress)) -> Self {
        let now = Instant::now();
        Pace { every, last: now, looked: now, stride: 1, asked: 0, tell }
    }

    /// Tell what `progress` answers, if it is time.
    pub(super) fn tick(&mut self, progress: impl FnOnce() -> Progress) {
        self.asked += 1;
        if self.asked < self.stride {
            return;
        }
        let now = Instant::now();
        let short = (now - self.looked) * SHARE < self.every;
        self.stride = if short { (self.stride * 2).min(LONGEST) } else { (self.stride / 2).max(1) };
        (self.asked, self.looked) = (0, now);
        if now - self.last >= self.every {
            (self.tell)(&progress());
            self.last = Instant::now();
        }
    }
}
