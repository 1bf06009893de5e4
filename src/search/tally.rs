//! How far a worker needs to look, and how many new worlds it was the first to find.

use std::sync::atomic::Ordering;

use super::key::Key;
use super::round::Round;

/// What a worker counts of a round.
pub(super) struct Tally<'a> {
    round: &'a Round,
    /// There is an event here or before: this worker needs to look at nothing behind it.
    end: Key,
    fresh: u64,
}

impl<'a> Tally<'a> {
    /// Nothing so far.
    pub(super) fn new(round: &'a Round) -> Self {
        Tally { round, end: Key::END, fresh: 0 }
    }

    /// New worlds that this worker was the first to find.
    pub(super) fn fresh(&self) -> u64 {
        self.fresh
    }

    /// Whether nothing of a transition is needed, because there is an event before it.
    #[inline]
    pub(super) fn is_behind(&self, key: Key) -> bool {
        // Never behind the parent of `end`.
        let limit = self.round.limit.load(Ordering::Relaxed);
        key.parent >= limit && (key.parent > limit || key > self.end)
    }

    /// Nothing behind `key` needs to be looked at.
    pub(super) fn limit(&mut self, key: Key) {
        self.end = self.end.min(key);
        self.round.limit.fetch_min(key.parent, Ordering::Relaxed);
    }

    /// Count a new world that was reached by `key`.
    #[inline]
    pub(super) fn count(&mut self, key: Key) {
        self.fresh += 1;
        let room = self.round.room.as_ref();
        if let Some(last) = room.and_then(|room| room.take(key.parent)) {
            self.round.limit.fetch_min(last, Ordering::Relaxed);
        }
    }
}
