//! How far a worker needs to look: not behind an event, whoever found it.

use std::sync::atomic::{AtomicU64, Ordering};

use super::key::Key;

/// What a worker knows of events.
pub(super) struct Tally<'a> {
    /// A parent at which, or before which, there is an event that somebody found.
    limit: &'a AtomicU64,
    /// There is an event here or before: this worker needs to look at nothing behind it.
    end: Key,
}

impl<'a> Tally<'a> {
    /// Nothing so far but what all share.
    pub(super) fn new(limit: &'a AtomicU64) -> Self {
        Tally { limit, end: Key::END }
    }

    /// Whether nothing of a transition is needed, because there is an event before it.
    #[inline]
    pub(super) fn is_behind(&self, key: Key) -> bool {
        // Never behind the parent of `end`.
        let limit = self.limit.load(Ordering::Relaxed);
        key.parent >= limit && (key.parent > limit || key > self.end)
    }

    /// Nothing behind `key` needs to be looked at.
    pub(super) fn limit(&mut self, key: Key) {
        self.end = self.end.min(key);
        self.limit.fetch_min(key.parent, Ordering::Relaxed);
    }
}
