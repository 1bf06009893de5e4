//! Predicates of callers as rules of a model. A predicate is called with worlds that are lent to it,
//! on whatever thread of the search has them, several at once where the search has several workers.
#![allow(unsafe_code)] // it calls functions of callers in C

use std::ffi::c_void;

use super::flag::Flag;
use super::lend::{Extra, lend};
use super::world::CmcWorld;
use crate::error::Error;
use crate::property::{StatePredicate, StepPredicate};

/// A predicate on a world: invariants and their like. An accessor that fails in it makes the check an
/// error. May be called on several threads at once when the search has several workers.
pub type CmcHolds = Option<unsafe extern "C" fn(user: *mut c_void, world: *const CmcWorld) -> Flag>;

/// A predicate on a step.
pub type CmcHoldsStep = Option<
    unsafe extern "C" fn(
        user: *mut c_void,
        before: *const CmcWorld,
        after: *const CmcWorld,
    ) -> Flag,
>;

/// What a caller wants to get back with each call.
#[derive(Clone, Copy)]
pub(super) struct User(*mut c_void);

// SAFETY: it is only handed back to the caller's function, and the header says that this may happen
// on any thread, on several at once.
unsafe impl Send for User {}
// SAFETY: as above.
unsafe impl Sync for User {}

impl User {
    /// `pointer`, to be handed back.
    ///
    /// # Safety
    /// The functions that get it may be called with it on any thread, on several at once.
    pub(super) unsafe fn new(pointer: *mut c_void) -> Self {
        User(pointer)
    }

    /// By way of `self`, so that a closure takes the whole and not the pointer in it.
    pub(super) fn pointer(self) -> *mut c_void {
        self.0
    }
}

/// Where a predicate belongs.
pub(super) struct Owner {
    /// The name of the property.
    pub(super) name: String,
    /// What is true of all worlds.
    pub(super) extra: Extra,
}

impl Owner {
    fn answer(&self, answer: Result<Flag, String>) -> Result<bool, Error> {
        let named = |text| Error::Property { name: self.name.clone(), text };
        answer.map(Flag::is_set).map_err(named)
    }
}

/// `holds` as a predicate of `owner`.
///
/// # Safety
/// The function is what its type says, and may be called on any thread for as long as the predicate
/// lives.
pub(super) unsafe fn on_worlds(
    owner: Owner,
    holds: unsafe extern "C" fn(*mut c_void, *const CmcWorld) -> Flag,
    user: *mut c_void,
) -> StatePredicate {
    // SAFETY: the caller vouches for the function on any thread.
    let user = unsafe { User::new(user) };
    Box::new(move |view| {
        let answer = lend([view], &owner.extra, |[world]| {
            // SAFETY: the caller vouches for the function; the world lives as long as the call.
            unsafe { holds(user.pointer(), world) }
        });
        owner.answer(answer)
    })
}

/// `holds` as a predicate of `owner` on steps.
///
/// # Safety
/// As for [`on_worlds`].
pub(super) unsafe fn on_steps(
    owner: Owner,
    holds: unsafe extern "C" fn(*mut c_void, *const CmcWorld, *const CmcWorld) -> Flag,
    user: *mut c_void,
) -> StepPredicate {
    // SAFETY: the caller vouches for the function on any thread.
    let user = unsafe { User::new(user) };
    Box::new(move |before, after| {
        let answer = lend([before, after], &owner.extra, |[before, after]| {
            // SAFETY: the caller vouches for the function; the worlds live as long as the call.
            unsafe { holds(user.pointer(), before, after) }
        });
        owner.answer(answer)
    })
}
