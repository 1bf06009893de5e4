//! Whether a handle of the C interface may be used: by one call at a time, and no more once a call on
//! it panicked. A call that never comes back, because a callback left it by `longjmp()` or by an
//! exception, keeps the handle: what it was in the middle of cannot be trusted.

use std::sync::atomic::{AtomicU8, Ordering};

const FREE: u8 = 0;
const BUSY: u8 = 1;
const POISONED: u8 = 2;

/// Lets one call at a time in.
#[derive(Debug, Default)]
pub struct Latch {
    state: AtomicU8,
}

/// Why a call is not let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// Another one has not returned.
    Busy,
    /// An earlier one panicked.
    Poisoned,
}

/// A call that was let in; it is over when this is dropped.
#[derive(Debug)]
pub struct Entered<'a>(&'a Latch);

impl Latch {
    /// Let a call in.
    pub fn enter(&self) -> Result<Entered<'_>, Refused> {
        // Acquire and Release: the next call sees what this one did.
        match self.state.compare_exchange(FREE, BUSY, Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => Ok(Entered(self)),
            Err(POISONED) => Err(Refused::Poisoned),
            Err(_) => Err(Refused::Busy),
        }
    }

    /// Let no call in any more.
    pub fn poison(&self) {
        self.state.store(POISONED, Ordering::Release);
    }

    /// Whether a call on it panicked.
    pub fn is_poisoned(&self) -> bool {
        self.state.load(Ordering::Acquire) == POISONED
    }

    /// Whether a call has been let in and has not returned.
    pub fn is_busy(&self) -> bool {
        self.state.load(Ordering::Acquire) == BUSY
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        let after = if std::thread::panicking() { POISONED } else { FREE };
        // What was poisoned meanwhile stays so.
        let _ = self.0.state.compare_exchange(BUSY, after, Ordering::Release, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_call_at_a_time_and_none_that_never_returned() {
        let latch = Latch::default();
        let first = latch.enter().expect("free");
        assert_eq!(latch.enter().err(), Some(Refused::Busy));
        drop(first);
        std::mem::forget(latch.enter().expect("free again"));
        assert_eq!(latch.enter().err(), Some(Refused::Busy));
        assert!(latch.is_busy() && !latch.is_poisoned());
    }

    #[test]
    fn a_panic_inside_a_call_poisons() {
        let latch = Latch::default();
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _entered = latch.enter();
            std::panic::resume_unwind(Box::new(()));
        }));
        assert!(panicked.is_err());
        assert_eq!(latch.enter().err(), Some(Refused::Poisoned));
    }

    #[test]
    fn what_was_poisoned_in_a_call_stays_so() {
        let latch = Latch::default();
        let entered = latch.enter().expect("free");
        latch.poison();
        drop(entered);
        assert!(latch.is_poisoned());
    }
}
