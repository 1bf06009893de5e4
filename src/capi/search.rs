//! Searches and replays: a `CmcSearch` in, a result out. What cannot be meant is refused before
//! anything runs; what is found out later is part of the result, except where the checker
//! contradicts itself.
#![allow(unsafe_code)] // pointers of callers, and exported names: ours all start with cmc_

use std::ffi::{c_char, c_void};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::error::{CmcStatus, Failure};
use super::flag::Flag;
use super::guard::guard_work;
use super::handle::{self, Out};
use super::model::on_model;
use super::result::CmcResult;
use crate::check::model::{Model, Subject};
use crate::check::outcome::Outcome;
use crate::check::read;
use crate::check::run::{self, BackEnd, LONGEST_WALK, MOST_WORKERS, Options};
use crate::cores::sized::{self, Filled};
use crate::error::Error;
use crate::process::audit::Policy;
use crate::process::restore::Backend;
use crate::process::whole_replay::Start;
use crate::search::{Progress, Strategy, Verdict, Walks};

/// How to look at worlds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
#[allow(non_camel_case_types)]
pub enum CmcStrategy {
    /// Breadth first: a shortest counterexample, and TLC's counts.
    CMC_SEARCH_BFS = 0,
    /// Depth first, to a bound on depth, which is required.
    CMC_SEARCH_DFS = 1,
    /// Depth first to 1, 2, 3 ... states, up to a bound on depth, which is required.
    CMC_SEARCH_ITERATIVE = 2,
    /// Random walks; never a pass.
    CMC_SEARCH_SIMULATE = 3,
}

/// How worlds of a process model are reached; see cmc(1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
#[allow(non_camel_case_types, missing_docs)]
pub enum CmcBackEnd {
    CMC_BACK_END_LEARNED = 0,
    CMC_BACK_END_WHOLE_REPLAY = 1,
    CMC_BACK_END_ZYGOTE = 2,
}

/// Audit no table hits.
pub const CMC_AUDIT_NONE: u16 = 0xfffe;

/// Audit every learned step from every memory that its state has.
pub const CMC_AUDIT_FULL: u16 = 0xffff;

/// How far a search is. Numbers that a strategy does not have are UINT64_MAX.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
#[allow(missing_docs)]
pub struct CmcProgress {
    pub distinct: u64,
    pub generated: u64,
    pub depth: u64,
    pub queue: u64,
    pub walks: u64,
    pub seconds: f64,
}

/// How to search.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct CmcSearch {
    /// sizeof(CmcSearch).
    pub size: usize,
    /// A CmcStrategy.
    pub strategy: u8,
    /// A CmcBackEnd; process models only.
    pub back_end: u8,
    /// Run every step twice and compare; cores only.
    pub det: Flag,
    /// Go on behind violations: report all violating worlds.
    pub all_violations: Flag,
    /// A world without actions that no cmc_model_terminal() allows is the violation deadlock.
    pub deadlock: Flag,
    /// Share of table hits to audit, in thousandths, or CMC_AUDIT_...; 0: 10. Process models only.
    pub audit: u16,
    /// Threads that search; 0: one on each processor.
    pub workers: u32,
    /// The states of a path, at most; 0: no bound, but 1000 for CMC_SEARCH_SIMULATE.
    pub depth: u64,
    /// The worlds stored, at most; 0: no bound.
    pub max_states: u64,
    /// Walks of CMC_SEARCH_SIMULATE.
    pub walks: u64,
    /// The seed of everything drawn.
    pub seed: u64,
    /// Walks that look for suspicious runs where the search does not decide every
    /// cmc_model_eventually(); 0: none.
    pub live: u64,
    /// cmc-preload.so; NULL: beside the library, or in cmc/ beside it. Process models only.
    pub preload: *const c_char,
    /// NULL, or called about twice a second, on the thread that called cmc_search(); false ends the
    /// search, which is then incomplete.
    pub progress: Option<unsafe extern "C" fn(user: *mut c_void, now: *const CmcProgress) -> Flag>,
    /// What `progress` is given first.
    pub user: *mut c_void,
}

// SAFETY: it is repr(C), starts with `size`, and holds numbers, pointers and an optional function.
unsafe impl Filled for CmcSearch {
    const NAME: &'static str = "CmcSearch";
}

impl CmcSearch {
    /// Breadth first on all processors.
    const DEFAULT: CmcSearch = CmcSearch {
        size: size_of::<CmcSearch>(),
        strategy: CmcStrategy::CMC_SEARCH_BFS as u8,
        back_end: CmcBackEnd::CMC_BACK_END_LEARNED as u8,
        det: Flag::NO,
        all_violations: Flag::NO,
        deadlock: Flag::NO,
        audit: 0,
        workers: 0,
        depth: 0,
        max_states: 0,
        walks: 0,
        seed: 0,
        live: 0,
        preload: std::ptr::null(),
        progress: None,
        user: std::ptr::null_mut(),
    };

    /// # Safety
    /// `how` is NULL or as the header says.
    unsafe fn read(how: *const CmcSearch) -> Result<CmcSearch, Failure> {
        match how.is_null() {
            true => Ok(CmcSearch::DEFAULT),
            // SAFETY: the caller vouches for the structure.
            false => Ok(unsafe { sized::read(how) }?),
        }
    }

    /// # Safety
    /// `self` is what a caller filled in, as the header says.
    unsafe fn options(&self, model: &Model) -> Result<Options, Failure> {
        let programs = matches!(model.subject, Subject::Programs(_));
        if !programs && (self.back_end != 0 || self.audit != 0) {
            return Err(Failure::argument(
                "back_end and audit are for models of programs; leave them 0 for a core",
            ));
        }
        if programs && self.det.is_set() {
            return Err(Failure::argument(
                "det is for cores; learned steps of programs are audited: see audit",
            ));
        }
        if u64::from(self.workers) > MOST_WORKERS {
            return Err(Failure::argument(format!(
                "workers is {}; at most {MOST_WORKERS} threads search",
                self.workers
            )));
        }
        let strategy = self.strategy()?;
        let bounded = matches!(strategy, Strategy::Depth { .. } | Strategy::Iterative { .. });
        Ok(Options {
            back_end: self.back_end()?,
            restore: Backend::Auto,
            inline: true,
            max_memory: None,
            stats: false,
            why_so_many: false,
            strategy,
            workers: self.workers as usize,
            depth: Some(self.depth).filter(|depth| *depth > 0 && !bounded),
            max_states: Some(self.max_states).filter(|states| *states > 0),
            deadlock: self.deadlock.is_set(),
            keep_going: self.all_violations.is_set(),
            liveness: Some(self.live)
                .filter(|walks| *walks > 0)
                .map(|walks| Walks { walks, length: LONGEST_WALK }),
            seed: self.seed,
            det: self.det.is_set(),
            // SAFETY: the caller vouches for the text.
            preload: unsafe { self.preload() }?,
            interrupt: Arc::new(AtomicBool::new(false)),
        })
    }

    fn strategy(&self) -> Result<Strategy, Failure> {
        let bound = |name: &str| match self.depth {
            0 => Err(Failure::argument(format!("depth is 0; {name} needs a bound on it"))),
            bound => Ok(bound),
        };
        let walks = self.strategy == CmcStrategy::CMC_SEARCH_SIMULATE as u8;
        if !walks && self.walks > 0 {
            return Err(Failure::argument(
                "walks are for CMC_SEARCH_SIMULATE; leave them 0, or set strategy to that",
            ));
        }
        if walks && self.max_states > 0 {
            return Err(Failure::argument("random walks store no states; leave max_states 0"));
        }
        match self.strategy {
            0 => Ok(Strategy::Breadth),
            1 => bound("CMC_SEARCH_DFS").map(|bound| Strategy::Depth { bound }),
            2 => bound("CMC_SEARCH_ITERATIVE").map(|bound| Strategy::Iterative { bound }),
            3 if self.walks == 0 => Err(Failure::argument(
                "walks is 0; say how many walks CMC_SEARCH_SIMULATE is to take",
            )),
            3 => {
                let depth = if self.depth == 0 { LONGEST_WALK } else { self.depth };
                Ok(Strategy::Simulate { walks: self.walks, depth })
            }
            other => {
                Err(Failure::argument(format!("strategy is {other}; it is one of CMC_SEARCH_...")))
            }
        }
    }

    fn back_end(&self) -> Result<BackEnd, Failure> {
        let policy = match self.audit {
            0 => Policy::Sampled(10),
            CMC_AUDIT_NONE => Policy::Sampled(0),
            CMC_AUDIT_FULL => Policy::Full,
            share @ 1..=1000 => Policy::Sampled(share.into()),
            other => {
                return Err(Failure::argument(format!(
                    "audit is {other}; it is a number of thousandths up to 1000, or one of \
                     CMC_AUDIT_..."
                )));
            }
        };
        let whole = |start| match self.audit {
            0 => Ok(BackEnd::WholeReplay(start)),
            _ => Err(Failure::argument("whole replay learns no steps to audit; leave audit 0")),
        };
        match self.back_end {
            0 => Ok(BackEnd::Learned(policy)),
            1 => whole(Start::Execve),
            2 => whole(Start::Zygote),
            other => Err(Failure::argument(format!(
                "back_end is {other}; it is one of CMC_BACK_END_..."
            ))),
        }
    }

    /// # Safety
    /// `self.preload` is NULL or a text.
    unsafe fn preload(&self) -> Result<Option<PathBuf>, Failure> {
        if self.preload.is_null() {
            return Ok(None);
        }
        // SAFETY: the caller vouches for the text.
        unsafe { handle::path(self.preload, "preload") }.map(|path| Some(path.to_owned()))
    }

    /// Tell the caller how far the search is; `false` when it shall end.
    fn tell(&self, now: &Progress, start: Instant) -> bool {
        let Some(progress) = self.progress else { return true };
        let now = CmcProgress {
            distinct: now.distinct.unwrap_or(u64::MAX),
            generated: now.generated,
            depth: now.depth,
            queue: now.queue.unwrap_or(u64::MAX),
            walks: now.walks.unwrap_or(u64::MAX),
            seconds: start.elapsed().as_secs_f64(),
        };
        // SAFETY: whoever filled the structure in vouches for the function, and `now` lives as long
        // as the call.
        unsafe { progress(self.user, &raw const now) }.is_set()
    }
}

/// What was found, unless the caller asked for what cannot be, or the checker contradicts itself.
fn trusted(outcome: Outcome) -> Result<Outcome, Failure> {
    match &outcome.found.verdict {
        Verdict::Error(error @ (Error::Argument(_) | Error::Internal(_))) => {
            Err(error.clone().into())
        }
        _ => Ok(outcome),
    }
}

/// Search; NULL for `how` is breadth first on all processors. Threads: one.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_search(
    model: *const Model,
    how: *const CmcSearch,
    result: *mut *mut CmcResult,
) -> CmcStatus {
    // SAFETY: the caller vouches for all pointers, and for the functions of the model and of `how`.
    guard_work(|| unsafe {
        on_model(model, |model| {
            let (place, how) = (Out::new(result, "result")?, CmcSearch::read(how)?);
            let options = how.options(model)?;
            let start = Instant::now();
            let outcome = run::check(model, &options, &mut |progress| {
                if !how.tell(progress, start) {
                    options.interrupt.store(true, Ordering::Relaxed);
                }
            })?;
            place.give(CmcResult::new(model, trusted(outcome)?));
            Ok(())
        })
    })
}

/// Run the trace file `path` again on `model`. Of `how` only `preload` is read. A run that departs
/// from the trace is CMC_ERR_TRACE. Threads: one.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_replay(
    model: *const Model,
    path: *const c_char,
    how: *const CmcSearch,
    result: *mut *mut CmcResult,
) -> CmcStatus {
    // SAFETY: the caller vouches for all pointers, and for the functions of the model.
    guard_work(|| unsafe {
        on_model(model, |model| {
            let (place, how) = (Out::new(result, "result")?, CmcSearch::read(how)?);
            let trace = read::trace(handle::path(path, "path")?)?;
            let only = CmcSearch { preload: how.preload, ..CmcSearch::DEFAULT };
            let outcome = run::replay_on(model, &trace, &only.options(model)?)?;
            match &outcome.found.verdict {
                Verdict::Error(error @ (Error::Trace(_) | Error::Divergence(_))) => {
                    // That the core has changed explains the rest.
                    let said = std::iter::once(error.to_string()).chain(outcome.notes.clone());
                    let text = said.collect::<Vec<_>>().join("; ");
                    Err(Failure { status: CmcStatus::CMC_ERR_TRACE, text })
                }
                _ => {
                    place.give(CmcResult::new(model, trusted(outcome)?));
                    Ok(())
                }
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::error;
    use super::super::model::{cmc_model_free, cmc_model_invariant, cmc_model_new};
    use super::*;
    use crate::cores::abi::{CmcCore, CmcEvent, CmcNode, CmcOut};
    use crate::property::Rule;

    unsafe extern "C" fn init(_: *const CmcNode, _: u32, _: *mut c_void, _: *mut CmcOut) {}

    unsafe extern "C" fn step(
        _: *const CmcNode,
        _: *mut c_void,
        _: *const CmcEvent,
        _: *mut CmcOut,
    ) {
    }

    #[test]
    fn a_panic_in_a_search_is_an_internal_error_and_its_model_is_refused() {
        let core = CmcCore {
            size: size_of::<CmcCore>(),
            name: std::ptr::null(),
            state_size: 1,
            durable_size: 0,
            initial_count: None,
            init: Some(init),
            step: Some(step),
            apply_persist: None,
            direct_actions: None,
        };
        let (mut model, mut result) = (std::ptr::null_mut(), std::ptr::null_mut());
        let null = std::ptr::null_mut();
        // SAFETY: the pointers are to locals of the right types, and the model is alive to the end.
        unsafe {
            let made = cmc_model_new(&raw const core, std::ptr::null(), &raw mut model);
            assert_eq!(made, CmcStatus::CMC_OK);
            let breaks = Rule::Invariant(Box::new(|_| panic!("a defect")));
            (*model).add("breaks", breaks).expect("a name");
            let ended = cmc_search(model, std::ptr::null(), &raw mut result);
            assert_eq!((ended, result.is_null()), (CmcStatus::CMC_ERR_INTERNAL, true));
            assert!(error::kept().contains("a defect"), "{}", error::kept());
            let refused = cmc_model_invariant(model, c"late".as_ptr(), None, null);
            assert_eq!(refused, CmcStatus::CMC_ERR_INTERNAL);
            assert!(error::kept().contains("panicked; free it"), "{}", error::kept());
            cmc_model_free(model);
        }
    }
}
