//! Results: everything a search or a replay has to say, written out once, so that it never changes
//! and needs neither the model nor the system that was checked.
#![allow(unsafe_code)] // pointers of callers, and exported names: ours all start with cmc_

use std::ffi::{CString, c_char, c_int};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::error::{CmcStatus, Failure, c_text};
use super::guard::guard;
use super::handle::{self, Out};
use super::model;
use super::violation::Violation;
use super::world::CmcWorld;
use crate::action::Kind;
use crate::check::model::Model;
use crate::check::outcome::Outcome;
use crate::check::save::{self, Unsaved};
use crate::check::{json, report};
use crate::error::Error;
use crate::search::{Receipts, Verdict};

/// The answer of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
#[allow(non_camel_case_types)]
pub enum CmcVerdict {
    /// A complete search: every property held.
    CMC_PASS = 1,
    /// A property or a built-in rule is broken.
    CMC_VIOLATED = 2,
    /// Nothing is broken as far as was looked, and not everything was looked at.
    CMC_INCOMPLETE = 3,
    /// It could not be checked; cmc_result_why() says why.
    CMC_ERROR = 4,
}

/// What happens in a step. Numbers from 15 on are for later kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
#[allow(non_camel_case_types, missing_docs)]
pub enum CmcActionKind {
    CMC_DELIVER = 1,
    CMC_DROP = 2,
    CMC_DUP = 3,
    CMC_FIRE = 4,
    CMC_FLUSH = 5,
    CMC_WAKE = 6,
    CMC_CLIENT = 7,
    CMC_CRASH = 8,
    CMC_RESET = 9,
    CMC_ACCEPT = 10,
    CMC_EOF = 11,
    CMC_TIMEOUT = 12,
    CMC_ACTION = 13,
    CMC_RESTART = 14,
}

/// What was counted. Numbers that have no meaning for an outcome are UINT64_MAX.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
#[allow(missing_docs)]
pub struct CmcCounts {
    pub distinct: u64,
    pub generated: u64,
    pub depth: u64,
    pub queue_left: u64,
    pub violations: u64,
    pub seconds: f64,
}

/// One step of a counterexample. Texts and world live while the result does.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct CmcStep {
    /// A CmcActionKind; 0 for the start.
    pub kind: u8,
    /// The node that it concerns, or -1.
    pub node: i16,
    /// Its name in a trace; "" for the start.
    pub action: *const c_char,
    /// What happens, in words.
    pub text: *const c_char,
    /// The world behind it; NULL when the step broke a built-in rule and has none.
    pub world: *const CmcWorld,
}

/// What was found.
pub struct CmcResult {
    verdict: CmcVerdict,
    why: CString,
    counts: CmcCounts,
    receipts: Receipts,
    bounds: Vec<CString>,
    violations: Vec<Violation>,
    text: CString,
    json: CString,
    /// A call on it panicked.
    poisoned: AtomicBool,
}

impl CmcResult {
    /// What `outcome` of a check of `model` says.
    pub(super) fn new(model: &Model, outcome: Outcome) -> Self {
        let found = &outcome.found;
        let number = |number: Option<u64>| number.unwrap_or(u64::MAX);
        let settings: Option<Arc<[u8]>> = model::settings(model).map(Arc::from);
        CmcResult {
            verdict: match found.verdict {
                Verdict::Pass => CmcVerdict::CMC_PASS,
                Verdict::Violated => CmcVerdict::CMC_VIOLATED,
                Verdict::Incomplete => CmcVerdict::CMC_INCOMPLETE,
                Verdict::Error(_) => CmcVerdict::CMC_ERROR,
            },
            why: c_text(found.why.as_deref().unwrap_or_default()),
            counts: CmcCounts {
                distinct: number(found.distinct),
                generated: number(found.generated),
                depth: number(found.depth),
                queue_left: number(found.queue_left),
                violations: found.violation_count,
                seconds: outcome.seconds,
            },
            receipts: found.receipts.clone(),
            bounds: found.bounds.iter().map(|bound| c_text(bound)).collect(),
            text: c_text(&report::text(&model.name, &outcome)),
            json: c_text(&format!("{:#}\n", json::object(&outcome))),
            violations: Violation::told(outcome, settings.as_ref()),
            poisoned: AtomicBool::new(false),
        }
    }

    fn violation(&self, index: usize) -> Result<&Violation, Failure> {
        let count = self.violations.len();
        self.violations.get(index).ok_or_else(|| Failure::range("violation", index, count))
    }
}

/// Run an accessor of a result.
///
/// # Safety
/// `result` is NULL, or was handed out and lives.
unsafe fn read(
    result: *const CmcResult,
    call: impl FnOnce(&CmcResult) -> Result<(), Failure>,
) -> CmcStatus {
    let status = guard(|| {
        // SAFETY: as the caller vouches; a result is shared by reference only.
        let result = unsafe { handle::lent(result, "result") }?;
        if result.poisoned.load(Ordering::Relaxed) {
            let text = "an earlier call on this result panicked; free it".into();
            return Err(Failure { status: CmcStatus::CMC_ERR_INTERNAL, text });
        }
        call(result)
    });
    if status == CmcStatus::CMC_ERR_INTERNAL {
        // SAFETY: as above; NULL is no internal error.
        unsafe { (*result).poisoned.store(true, Ordering::Relaxed) };
    }
    status
}

/// Write what a result holds to the parameter `name`.
///
/// # Safety
/// As for [`read`]; `place` is NULL or can be written to.
unsafe fn tell<T>(
    result: *const CmcResult,
    place: *mut T,
    name: &str,
    value: impl FnOnce(&CmcResult) -> T,
) -> CmcStatus {
    // SAFETY: the caller vouches for both pointers.
    unsafe {
        read(result, |result| {
            Out::new(place, name)?.put(value(result));
            Ok(())
        })
    }
}

/// All functions of results but free: threads many. Texts live while the result does.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_result_verdict(
    result: *const CmcResult,
    verdict: *mut CmcVerdict,
) -> CmcStatus {
    // SAFETY: the caller vouches for both pointers.
    unsafe { tell(result, verdict, "verdict", |result| result.verdict) }
}

/// What cut the search short, or why the verdict is no pass, in a sentence; "" for a pass.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_result_why(
    result: *const CmcResult,
    why: *mut *const c_char,
) -> CmcStatus {
    // SAFETY: the caller vouches for both pointers.
    unsafe { tell(result, why, "why", |result| result.why.as_ptr()) }
}

/// What was counted.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_result_counts(
    result: *const CmcResult,
    counts: *mut CmcCounts,
) -> CmcStatus {
    // SAFETY: the caller vouches for both pointers.
    unsafe { tell(result, counts, "counts", |result| result.counts) }
}

/// How often actions of a kind were generated; `kind` is a CmcActionKind.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_result_receipt(
    result: *const CmcResult,
    kind: c_int,
    count: *mut u64,
) -> CmcStatus {
    // SAFETY: the caller vouches for both pointers.
    unsafe {
        read(result, |result| {
            let count = Out::new(count, "count")?;
            let known = u8::try_from(kind).ok().and_then(Kind::of).ok_or_else(|| {
                Failure::argument(format!("kind is {kind}; it is a CmcActionKind"))
            })?;
            count.put(result.receipts.count(known));
            Ok(())
        })
    }
}

/// The bounds that cut something, counted from 0: "depth", "states", "interrupt".
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_result_bound(
    result: *const CmcResult,
    index: usize,
    bound: *mut *const c_char,
) -> CmcStatus {
    // SAFETY: the caller vouches for both pointers.
    unsafe {
        read(result, |result| {
            let place = Out::new(bound, "bound")?;
            let bounds = &result.bounds;
            let bound =
                bounds.get(index).ok_or_else(|| Failure::range("bound", index, bounds.len()))?;
            place.put(bound.as_ptr());
            Ok(())
        })
    }
}

/// How many violations are told: 0 or 1, with all_violations up to 16. CmcCounts has the number of all.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_result_violations(
    result: *const CmcResult,
    count: *mut usize,
) -> CmcStatus {
    // SAFETY: the caller vouches for both pointers.
    unsafe { tell(result, count, "count", |result| result.violations.len()) }
}

/// The name of the property that violation `index` breaks, and why.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_result_violation(
    result: *const CmcResult,
    index: usize,
    property: *mut *const c_char,
    why: *mut *const c_char,
) -> CmcStatus {
    // SAFETY: the caller vouches for all pointers.
    unsafe {
        read(result, |result| {
            let (property, why) = (Out::new(property, "property")?, Out::new(why, "why")?);
            let violation = result.violation(index)?;
            property.put(violation.property.as_ptr());
            why.put(violation.why.as_ptr());
            Ok(())
        })
    }
}

/// The states of the counterexample of violation `index`, the start included; 0 for a property of
/// cmc_model_sometimes(), which no run shows to be false.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_result_steps(
    result: *const CmcResult,
    index: usize,
    count: *mut usize,
) -> CmcStatus {
    // SAFETY: the caller vouches for both pointers.
    unsafe {
        read(result, |result| {
            let count = Out::new(count, "count")?;
            count.put(result.violation(index)?.steps.len());
            Ok(())
        })
    }
}

/// One step of the counterexample of violation `index`; 0 is the start.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_result_step(
    result: *const CmcResult,
    index: usize,
    step: usize,
    out: *mut CmcStep,
) -> CmcStatus {
    // SAFETY: the caller vouches for both pointers.
    unsafe {
        read(result, |result| {
            let out = Out::new(out, "out")?;
            let steps = &result.violation(index)?.steps;
            let found = steps.get(step).ok_or_else(|| Failure::range("step", step, steps.len()))?;
            out.put(CmcStep {
                kind: found.kind,
                node: found.node,
                action: found.action.as_ptr(),
                text: found.text.as_ptr(),
                world: found.world.as_ref().map_or(ptr::null(), |world| world.pointer()),
            });
            Ok(())
        })
    }
}

/// The whole result as text, as cmc(1) prints it.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_result_text(
    result: *const CmcResult,
    text: *mut *const c_char,
) -> CmcStatus {
    // SAFETY: the caller vouches for both pointers.
    unsafe { tell(result, text, "text", |result| result.text.as_ptr()) }
}

/// The whole result as JSON.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_result_json(
    result: *const CmcResult,
    json: *mut *const c_char,
) -> CmcStatus {
    // SAFETY: the caller vouches for both pointers.
    unsafe { tell(result, json, "json", |result| result.json.as_ptr()) }
}

/// Write the trace of violation `index` to the file `path`.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_result_save(
    result: *const CmcResult,
    index: usize,
    path: *const c_char,
) -> CmcStatus {
    // SAFETY: the caller vouches for both pointers.
    unsafe {
        read(result, |result| {
            let path = handle::path(path, "path")?;
            let trace = result.violation(index)?.trace.as_ref().ok_or_else(|| {
                Failure::argument(format!("violation {index} has no counterexample to write down"))
            })?;
            save::save(trace, path).map_err(|unsaved| match unsaved {
                Unsaved::Text(error) => error,
                Unsaved::File(error) => {
                    Error::host(&path.display().to_string(), &error, "name another file")
                }
            })?;
            Ok(())
        })
    }
}

/// Free a result. Threads: one.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_result_free(result: *mut CmcResult) {
    guard(|| {
        if !result.is_null() {
            // SAFETY: it was handed out, and the caller has done with it.
            drop(unsafe { handle::take(result) });
        }
        Ok(())
    });
}
