//! How calls end: the codes of the C interface, one for each cause that a caller can act on, and the
//! sentence of a thread's last failure.
#![allow(unsafe_code)] // an exported name could collide with one elsewhere: ours all start with cmc_

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int};

use crate::error::Error;

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
#[allow(non_camel_case_types)]
pub enum CmcStatus {
    /// It did what it is for, and only then wrote to its last parameters.
    CMC_OK = 0,
    /// An argument is wrong, NULL, or a structure's size is.
    CMC_ERR_ARGUMENT = -1,
    /// A structure is of a newer version and says something that this library does not know.
    CMC_ERR_VERSION = -2,
    /// A model file or a core says something that it cannot mean.
    CMC_ERR_MODEL = -3,
    /// A program cannot be a node, or a node did what the checker does not cover.
    CMC_ERR_PROCESS = -4,
    /// A trace is malformed, or the run departed from it.
    CMC_ERR_TRACE = -5,
    /// The host refused something.
    CMC_ERR_SYSTEM = -6,
    /// The checker contradicts itself, or panicked; the handle is of no more use.
    CMC_ERR_INTERNAL = -7,
    /// There is no such step, node, message: past the end.
    CMC_ERR_RANGE = -8,
}

use CmcStatus::*;

/// Every status, and what it means.
const MEANINGS: [(CmcStatus, &CStr); 9] = [
    (CMC_OK, c"success"),
    (CMC_ERR_ARGUMENT, c"an argument is wrong"),
    (CMC_ERR_VERSION, c"a structure is of a newer version"),
    (CMC_ERR_MODEL, c"the model or the core is wrong"),
    (CMC_ERR_PROCESS, c"a program cannot be checked"),
    (CMC_ERR_TRACE, c"the trace is malformed, or the run departed from it"),
    (CMC_ERR_SYSTEM, c"the host refused something"),
    (CMC_ERR_INTERNAL, c"internal error of the checker"),
    (CMC_ERR_RANGE, c"past the end"),
];

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The class.
    pub status: CmcStatus,
    /// The sentence.
    pub text: String,
}

impl Failure {
    /// An argument is wrong.
    pub fn argument(text: impl Into<String>) -> Self {
        Failure { status: CMC_ERR_ARGUMENT, text: text.into() }
    }

    /// There are `count` of `what`, and none at `index`.
    pub fn range(what: &str, index: usize, count: usize) -> Self {
        let text = match count {
            0 => format!("there is no {what} {index}: there is none"),
            _ => format!("there is no {what} {index}: the last one is {}", count - 1),
        };
        Failure { status: CMC_ERR_RANGE, text }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let status = match &error {
            Error::Argument(_) => CMC_ERR_ARGUMENT,
            Error::Version(_) => CMC_ERR_VERSION,
            Error::Model(_) | Error::Property { .. } => CMC_ERR_MODEL,
            Error::Program(_) | Error::Node { .. } | Error::Divergence(_) => CMC_ERR_PROCESS,
            Error::Trace(_) => CMC_ERR_TRACE,
            Error::Host(_) | Error::Interrupted => CMC_ERR_SYSTEM,
            Error::Internal(_) => CMC_ERR_INTERNAL,
        };
        Failure { status, text: error.to_string() }
    }
}

thread_local! {
    /// The sentence of this thread's last failure.
    static LAST: RefCell<Option<CString>> = const { RefCell::new(None) };
}

/// `text` for C, where a NUL would end it.
pub(super) fn c_text(text: &str) -> CString {
    CString::new(text.replace('\0', "\\0")).unwrap_or_default()
}

/// Keep the sentence of a failure for `cmc_last_error()`.
pub(super) fn keep(text: &str) {
    // A thread that ends has no last failure any more.
    let _ = LAST.try_with(|last| *last.borrow_mut() = Some(c_text(text)));
}

/// What a status means: a static text. Threads: any.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub extern "C" fn cmc_strerror(status: c_int) -> *const c_char {
    let known = MEANINGS.iter().find(|(known, _)| *known as c_int == status);
    known.map_or(c"no status of this library", |(_, meaning)| meaning).as_ptr()
}

/// The sentence of this thread's last failure, until its next call of libcmc; "" before the first.
/// Threads: any.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub extern "C" fn cmc_last_error() -> *const c_char {
    let kept = LAST.try_with(|last| last.borrow().as_ref().map(|text| text.as_ptr()));
    kept.ok().flatten().unwrap_or(c"".as_ptr())
}

/// The sentence of this thread's last failure.
#[cfg(test)]
pub(super) fn kept() -> String {
    LAST.with_borrow(|last| last.clone().unwrap_or_default().into_string().expect("UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_has_a_meaning_of_its_own() {
        for (at, (status, meaning)) in MEANINGS.iter().enumerate() {
            assert_eq!(*status as c_int, -(at as c_int));
            assert!(!MEANINGS[..at].iter().any(|(_, other)| other == meaning));
        }
    }

    #[test]
    fn a_sentence_with_a_zero_byte_is_kept_whole() {
        keep("a\0b");
        assert_eq!(kept(), "a\\0b");
    }
}
