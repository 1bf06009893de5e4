//! What [`super::gate`] and [`super::share`] are made of, which a checker of interleavings replaces by its
//! own.

pub(super) use std::sync::atomic::{AtomicUsize, Ordering};
pub(super) use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// So often a thread looks again before it sleeps: some 40 microseconds, where it pauses for 15
/// nanoseconds each time.
pub(super) const LINGER: u32 = 3000;
