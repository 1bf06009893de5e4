//! A core as the engine keeps it: what a caller filled in, read once, checked, and copied. Whoever
//! has a [`Core`] may call its functions; that they are what `cmc.h` says is what the caller of
//! [`Core::read`] vouches for, and as far as it can be seen from outside, `super::call` checks it.
#![allow(unsafe_code)] // it reads what a caller in C points to

use std::ffi::c_void;

use super::abi::{CmcCore, CmcEvent, CmcNode, CmcOut};
use super::sized::{self, Filled};
use crate::error::Error;

/// Bytes of a state, at most.
const LARGEST_STATE: usize = 65536;

// SAFETY: it is repr(C), starts with `size`, and holds numbers, pointers and optional functions.
unsafe impl Filled for CmcCore {
    const NAME: &'static str = "CmcCore";
}

pub(super) type InitialCount = unsafe extern "C" fn(*const CmcNode) -> u32;
pub(super) type Init = unsafe extern "C" fn(*const CmcNode, u32, *mut c_void, *mut CmcOut);
pub(super) type Step =
    unsafe extern "C" fn(*const CmcNode, *mut c_void, *const CmcEvent, *mut CmcOut);
pub(super) type ApplyPersist = unsafe extern "C" fn(*const CmcNode, *mut c_void, *const u8, usize);
pub(super) type DirectActions =
    unsafe extern "C" fn(*const CmcNode, *const c_void, *mut CmcEvent, usize) -> usize;

/// A protocol as pure functions over a state of fixed size.
#[derive(Clone, Debug)]
pub struct Core {
    name: String,
    state_size: usize,
    durable_size: usize,
    pub(super) initial_count: Option<InitialCount>,
    pub(super) init: Init,
    pub(super) step: Step,
    pub(super) apply_persist: Option<ApplyPersist>,
    pub(super) direct_actions: Option<DirectActions>,
}

impl Core {
    /// Check and copy a core.
    ///
    /// # Safety
    /// `core` is NULL, or points to as many readable bytes as its `size` says; its name is NULL or
    /// ends in NUL; its functions are what the text of `CmcCore` in `cmc.h` asks of them, for as long
    /// as this value or a copy of it lives.
    pub unsafe fn read(core: *const CmcCore) -> Result<Self, Error> {
        // SAFETY: the caller vouches for the structure.
        let raw = unsafe { sized::read(core) }?;
        // SAFETY: the caller vouches for the name.
        let name = unsafe { sized::text(raw.name) }.unwrap_or_else(|| "core".into());
        Core::checked(name, &raw).map_err(Error::Model)
    }

    fn checked(name: String, raw: &CmcCore) -> Result<Self, String> {
        let fault = |text: String| Err(format!("core {name}: {text}"));
        let CmcCore { state_size, durable_size, .. } = *raw;
        if state_size == 0 || state_size > LARGEST_STATE {
            return fault(format!(
                "state_size is {state_size}; a state has 1 to {LARGEST_STATE} bytes: \
                 give the sizeof of the state's structure"
            ));
        }
        if durable_size > state_size {
            return fault(format!(
                "durable_size is {durable_size} and state_size {state_size}; the durable bytes are \
                 the first bytes of the state: make durable_size no larger"
            ));
        }
        let Some(init) = raw.init else {
            return fault("init is NULL; give the function that writes a first state".into());
        };
        let Some(step) = raw.step else {
            return fault("step is NULL; give the function that takes an event".into());
        };
        match (durable_size, raw.apply_persist) {
            (1.., None) => {
                return fault(format!(
                    "apply_persist is NULL and durable_size {durable_size}; give the function that \
                     puts a record into the durable bytes, or make durable_size 0"
                ));
            }
            (0, Some(_)) => {
                return fault(
                    "durable_size is 0 and apply_persist is not NULL; say how many bytes are \
                     durable, or make apply_persist NULL"
                        .into(),
                );
            }
            _ => (),
        }
        if raw.direct_actions.is_some() && durable_size > 0 {
            return fault(format!(
                "durable_size is {durable_size} and direct_actions is not NULL; a core that lists \
                 its own actions has nothing durable: make durable_size 0"
            ));
        }
        Ok(Core {
            state_size,
            durable_size,
            initial_count: raw.initial_count,
            init,
            step,
            apply_persist: raw.apply_persist,
            direct_actions: raw.direct_actions,
            name,
        })
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The bytes of a node's state.
    pub fn state_size(&self) -> usize {
        self.state_size
    }

    /// How many of them, from the first, survive a crash.
    pub fn durable_size(&self) -> usize {
        self.durable_size
    }

    /// Whether it lists its own actions (calibration mode).
    pub fn is_direct(&self) -> bool {
        self.direct_actions.is_some()
    }
}
