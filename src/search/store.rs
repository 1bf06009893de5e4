//! The end of a level that several workers expanded: its fingerprints go into the set of stored
//! worlds, part by part. Each part is written by the one worker that took it, so nothing of it is
//! shared, and what is in the set in the end does not depend on who that was.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::seen::{PARTS, Seen, Slots};
use crate::fingerprint::Fingerprint;

/// Work that is to be done: fingerprints by part, and the set's old slots if it grows.
pub(super) struct Store {
    fingerprints: Vec<Vec<Fingerprint>>,
    old: Option<Slots>,
    taken: AtomicUsize,
}

impl Store {
    /// Put `fingerprints`, listed by part and none of them known, into `seen`.
    pub(super) fn new(seen: &mut Seen, fingerprints: Vec<Vec<Fingerprint>>) -> Self {
        let old = seen.reserve(&fingerprints);
        Store { fingerprints, old, taken: AtomicUsize::new(0) }
    }

    /// What a worker does: parts that nobody has taken, as long as there are any.
    pub(super) fn work(&self, seen: &Seen) {
        loop {
            let part = self.taken.fetch_add(1, Ordering::Relaxed);
            if part >= PARTS {
                return;
            }
            seen.extend(part, self.old.as_ref(), &self.fingerprints[part]);
        }
    }

    /// The fingerprints, when all workers are done.
    pub(super) fn finish(self) -> Vec<Vec<Fingerprint>> {
        self.fingerprints
    }
}
