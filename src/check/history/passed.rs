//! The logs that were judged and found good, by fingerprint: a search meets one log in many worlds,
//! so that these are few beside the worlds themselves.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use crate::fingerprint::Fingerprint;

/// So many that workers seldom meet.
const SHARDS: usize = 64;

/// A set that all workers share.
pub(super) struct Passed([Mutex<HashSet<u128>>; SHARDS]);

impl Default for Passed {
    fn default() -> Self {
        Passed(std::array::from_fn(|_| Mutex::default()))
    }
}

impl Passed {
    pub(super) fn contains(&self, print: Fingerprint) -> bool {
        self.shard(print).lock().unwrap_or_else(PoisonError::into_inner).contains(&print.0)
    }

    pub(super) fn insert(&self, print: Fingerprint) {
        self.shard(print).lock().unwrap_or_else(PoisonError::into_inner).insert(print.0);
    }

    fn shard(&self, print: Fingerprint) -> &Mutex<HashSet<u128>> {
        &self.0[print.0 as usize % SHARDS]
    }
}
