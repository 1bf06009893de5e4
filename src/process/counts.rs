//! What learned steps count: for the receipts, and while it happens.

use std::sync::atomic::{AtomicU64, Ordering};

/// What the step table did, for the receipts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Steps that a process ran, each once.
    pub run: u64,
    /// Steps that were looked up.
    pub hits: u64,
    /// Executions of learned steps that agreed.
    pub audited: u64,
    /// Executions of learned steps that did something else.
    pub disagreed: u64,
    /// Local states with more than one memory.
    pub audited_states: u64,
    /// Local states with one memory, so that there was nothing to compare.
    pub unaudited_states: u64,
    /// Memories that were not kept, because their states have enough.
    pub excess: u64,
    /// Executions of learned steps without a normal form, which agreed.
    pub plain: u64,
    /// Local states of kind `memory` that have their raw form.
    pub raw_fallbacks: u64,
    /// Whether every memory was kept and every learned step was executed from each.
    pub full: bool,
}

/// How many steps one worker looked up. Only it counts, in memory that no other worker writes.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct Hits(AtomicU64);

impl Hits {
    /// How many so far.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// One more.
    pub fn count(&self) {
        self.0.store(self.get() + 1, Ordering::Relaxed);
    }
}
