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
use super::world::{CmcWorld, World};
use crate::action::Kind;
use crate::check::model::Model;
use crate::check::outcome::Outcome;
use crate::check::save::{self, Unsaved};
use crate::check::{json, report};
use crate::error::Error;
use crate::search::{Receipts, Verdict};
use crate::trace::TraceFile;

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

struct Violation {
    property: CString,
    why: CString,
    steps: Vec<Step>,
    trace: Option<TraceFile>,
}

struct Step {
    kind: u8,
    node: i16,
    action: CString,
    text: CString,
    /// Boxed because it must not move.
    world: Option<Box<World<'static>>>,
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
                violations: u64::from(found.verdict == Verdict::Violated),
                seconds: outcome.seconds,
            },
            receipts: found.receipts.clone(),
            bounds: found.bounds.iter().map(|bound| c_text(bound)).collect(),
            text: c_text(&report::text(&model.name, &outcome)),
            json: c_text(&format!("{:#}\n", json::object(&outcome))),
            violations: Violation::told(outcome, settings.as_ref()).into_iter().collect(),
            poisoned: AtomicBool::new(false),
        }
    }

    fn violation(&self, index: usize) -> Result<&Violation, Failure> {
        let count = self.violations.len();
        self.violations.get(index).ok_or_else(|| Failure::range("violation", index, count))
    }
}

impl Violation {
    /// The violation that `outcome` tells, if it is one.
    fn told(outcome: Outcome, settings: Option<&Arc<[u8]>>) -> Option<Self> {
        if outcome.found.verdict != Verdict::Violated {
            return None;
        }
        let found = &outcome.found;
        let labels = found.trace.as_ref().map_or(&[][..], |trace| &trace.labels);
        let scenes = outcome.story.as_ref().map_or(&[][..], |story| &story.steps);
        let mut worlds = outcome
            .worlds
            .into_iter()
            .map(|snapshot| Box::new(World::kept(snapshot, settings.cloned())));
        let mut steps = Vec::with_capacity(scenes.len() + 1);
        if outcome.story.is_some() {
            let (action, text) = (CString::default(), c_text("start"));
            steps.push(Step { kind: 0, node: -1, action, text, world: worlds.next() });
        }
        steps.extend(labels.iter().zip(scenes).map(|(label, scene)| Step {
            kind: label.action.kind as u8,
            node: scene.node.and_then(|node| i16::try_from(node).ok()).unwrap_or(-1),
            action: c_text(&scene.action),
            text: c_text(&scene.words),
            world: worlds.next(),
        }));
        Some(Violation {
            property: c_text(found.property.as_deref().unwrap_or_default()),
            why: c_text(found.why.as_deref().unwrap_or_default()),
            steps,
            trace: outcome.trace_file,
        })
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

/// All functions of results but free: threads many. Texts live while the result does.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_result_verdict(
    result: *const CmcResult,
    verdict: *mut CmcVerdict,
) -> CmcStatus {
    // SAFETY: the caller vouches for both pointers.
    unsafe {
        read(result, |result| {
            Out::new(verdict, "verdict")?.put(result.verdict);
            Ok(())
        })
    }
}

/// What cut the search short, or why the verdict is no pass, in a sentence; "" for a pass.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_result_why(
    result: *const CmcResult,
    why: *mut *const c_char,
) -> CmcStatus {
    // SAFETY: the caller vouches for both pointers.
    unsafe {
        read(result, |result| {
            Out::new(why, "why")?.put(result.why.as_ptr());
            Ok(())
        })
    }
}

/// What was counted.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_result_counts(
    result: *const CmcResult,
    counts: *mut CmcCounts,
) -> CmcStatus {
    // SAFETY: the caller vouches for both pointers.
    unsafe {
        read(result, |result| {
            Out::new(counts, "counts")?.put(result.counts);
            Ok(())
        })
    }
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

/// How many violations are told: 0 or 1, more with all_violations.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_result_violations(
    result: *const CmcResult,
    count: *mut usize,
) -> CmcStatus {
    // SAFETY: the caller vouches for both pointers.
    unsafe {
        read(result, |result| {
            Out::new(count, "count")?.put(result.violations.len());
            Ok(())
        })
    }
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
    unsafe {
        read(result, |result| {
            Out::new(text, "text")?.put(result.text.as_ptr());
            Ok(())
        })
    }
}

/// The whole result as JSON.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_result_json(
    result: *const CmcResult,
    json: *mut *const c_char,
) -> CmcStatus {
    // SAFETY: the caller vouches for both pointers.
    unsafe {
        read(result, |result| {
            Out::new(json, "json")?.put(result.json.as_ptr());
            Ok(())
        })
    }
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
