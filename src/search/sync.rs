//! What [`super::gate`] and [`super::share`] are made of, which a checker of interleavings replaces by its
//! own.

pub(super) use std::sync::atomic::{AtomicUsize, Ordering};
pub(super) use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
