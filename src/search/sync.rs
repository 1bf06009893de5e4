//! The locks of [`super::gate`], which a checker of interleavings replaces by its own.

pub(super) use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
