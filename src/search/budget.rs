//! How much memory a search may take, and takes: the set of stored worlds, the log of parents, two
//! levels and what a window of transitions needs. What is taken is counted before it is.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::memory::Full;
use super::pages::LargePages;

/// Bytes.
pub(super) struct Budget {
    most: u64,
    taken: AtomicU64,
    /// How the kernel gives it.
    pub(super) large_pages: LargePages,
}

impl Budget {
    /// Nothing is taken, of `most` bytes.
    pub(super) fn new(most: Option<u64>) -> Self {
        let most = most.unwrap_or(u64::MAX);
        Budget { most, taken: AtomicU64::new(0), large_pages: LargePages::default() }
    }

    /// The most.
    pub(super) fn most(&self) -> u64 {
        self.most
    }

    /// What is taken.
    #[cfg(test)]
    pub(super) fn taken(&self) -> u64 {
        self.taken.load(Relaxed)
    }

    /// Take `bytes` more, if they are there.
    pub(super) fn take(&self, bytes: u64) -> Result<(), Full> {
        let more = |taken: u64| taken.checked_add(bytes).filter(|&taken| taken <= self.most);
        self.taken.fetch_update(Relaxed, Relaxed, more).map(drop).map_err(|_| Full)
    }

    /// What had `before` bytes has `after`.
    pub(super) fn change(&self, before: u64, after: u64) -> Result<(), Full> {
        match after.checked_sub(before) {
            Some(more) => self.take(more),
            None => {
                self.taken.fetch_sub(before - after, Relaxed);
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_back_can_be_taken_and_no_more_than_there_is() {
        let budget = Budget::new(Some(100));
        assert_eq!(budget.take(60), Ok(()));
        assert_eq!(budget.take(41), Err(Full));
        assert_eq!(budget.change(60, 20), Ok(()));
        assert_eq!(budget.change(20, 100), Ok(()));
        assert_eq!(budget.take(1), Err(Full));
        assert_eq!(Budget::new(None).take(u64::MAX), Ok(()));
    }
}
