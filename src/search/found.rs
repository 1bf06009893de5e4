//! What a search found. A number that has no meaning for an outcome is `None`, never 0.

use super::judge::Trouble;
use super::receipts::Receipts;
use crate::error::Error;
use crate::trace::Trace;

/// The answer of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A complete search: every property held, every `sometimes` was reached.
    Pass,
    /// A property or a built-in rule is broken.
    Violated,
    /// Nothing is broken as far as was looked, and not everything was looked at.
    Incomplete,
    /// It could not be checked.
    Error(Error),
}

/// How many violations are told one by one; the rest is counted.
pub(super) const TOLD: usize = 1000;

/// A rule that is broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The property, or the built-in rule.
    pub property: String,
    /// What happened, in a sentence.
    pub why: String,
    /// The way to it; a `sometimes` that is not reached has none.
    pub trace: Option<Trace>,
    /// The state of the trace, from 0, to which its last step leads back: what comes between goes
    /// round for ever.
    pub lasso: Option<usize>,
}

/// What came true on no random walk; no proof that it never does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspicion {
    /// The property.
    pub property: String,
    /// A walk on which it does not come true.
    pub trace: Trace,
    /// The critical transition: the number of the step, from 1, before which it came true on some
    /// walk, and behind which on none. `None` if on none from the first state on.
    pub critical: Option<u64>,
    /// How many walks were tried from each state that was looked at.
    pub tried: u64,
    /// Of how many steps.
    pub length: u64,
}

/// How it was decided whether properties come true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Liveness {
    /// By all fair runs.
    Exact,
    /// By random walks, which decide nothing.
    Walks,
}

/// How an exhaustive search ends.
pub(super) enum End {
    /// All was looked at.
    Complete,
    /// A bound cut something.
    Bound(&'static str),
    /// In trouble, at the end of a trace.
    Trouble(Trouble, Option<Trace>),
}

/// What a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The answer.
    pub verdict: Verdict,
    /// The property that is broken, or that could not be evaluated.
    pub property: Option<String>,
    /// Why the verdict is no pass, in a sentence.
    pub why: Option<String>,
    /// Distinct worlds stored.
    pub distinct: Option<u64>,
    /// Worlds generated: every initial world and every successor that was produced, each time.
    pub generated: Option<u64>,
    /// The largest level of a stored world, or the longest path or walk, in states.
    pub depth: Option<u64>,
    /// Worlds stored and not expanded.
    pub queue_left: Option<u64>,
    /// States of the trace, the initial one and one for a step that stopped included.
    pub trace_len: Option<u64>,
    /// The way to the violation or to the error, its label included.
    pub trace: Option<Trace>,
    /// What is broken, in the order in which one worker comes to it; the first 1000. A search that
    /// does not keep going ends at the first.
    pub violations: Vec<Violation>,
    /// How often something was broken: once for each world stored, each time a world outside the
    /// constraints was generated, each step.
    pub violation_count: u64,
    /// The state of `trace`, from 0, to which its last step leads back.
    pub lasso: Option<usize>,
    /// How the properties that must come true were looked at; `None` when they were not.
    pub liveness: Option<Liveness>,
    /// What came true on no walk.
    pub suspicions: Vec<Suspicion>,
    /// The walk of a simulation that found it.
    pub walk: Option<u64>,
    /// The bounds that cut something: `depth`, `states`, `memory`, `interrupt`.
    pub bounds: Vec<String>,
    /// What happened, and how often.
    pub receipts: Receipts,
    /// The names of the `sometimes` that no world reached.
    pub unreached: Vec<String>,
    /// The probability that two worlds were taken for one.
    pub collision: Option<f64>,
    /// The places of the seen set, used or not, of 16 bytes each.
    pub slots: Option<u64>,
}

impl Violation {
    /// A complete search did not reach the `sometimes` called `name`.
    pub(super) fn unreached(name: &str) -> Self {
        let why = "it is true in no reachable state".into();
        Violation { property: name.into(), why, trace: None, lasso: None }
    }
}

impl Found {
    /// `verdict`, and nothing else known.
    pub(super) fn new(verdict: Verdict) -> Self {
        Found {
            verdict,
            property: None,
            why: None,
            distinct: None,
            generated: None,
            depth: None,
            queue_left: None,
            trace_len: None,
            trace: None,
            violations: Vec::new(),
            violation_count: 0,
            lasso: None,
            liveness: None,
            suspicions: Vec::new(),
            walk: None,
            bounds: Vec::new(),
            receipts: Receipts::default(),
            unreached: Vec::new(),
            collision: None,
            slots: None,
        }
    }

    /// The search ended in `trouble`, at the end of `trace`.
    pub(super) fn troubled(trouble: Trouble, trace: Option<Trace>) -> Self {
        match trouble {
            // Whoever stops a search in the middle of a step stops the search.
            Trouble::Failed { error: Error::Interrupted, .. } => Found::interrupted(),
            Trouble::Broken { property, why } => {
                Found::violated(vec![Violation { property, why, trace, lasso: None }], 1)
            }
            Trouble::Failed { property, error } => Found {
                property,
                why: Some(error.to_string()),
                trace_len: trace.as_ref().map(Trace::states),
                trace,
                ..Found::new(Verdict::Error(error))
            },
        }
    }

    /// The search found these violations, of `count`; there is at least one.
    pub(super) fn violated(violations: Vec<Violation>, count: u64) -> Self {
        let Violation { property, why, trace, lasso } = violations[0].clone();
        Found {
            property: Some(property),
            why: Some(why),
            trace_len: trace.as_ref().map(Trace::states),
            trace,
            lasso,
            violations,
            violation_count: count,
            ..Found::new(Verdict::Violated)
        }
    }

    /// The search ended in `trouble` at the initial world `ordinal`, where nothing is counted yet.
    pub(super) fn troubled_initially(ordinal: u64, trouble: Trouble) -> Self {
        let trace = Trace { initial: ordinal, labels: Vec::new() };
        Found::troubled(trouble, Some(trace))
    }

    /// An exhaustive search ended so, behind `violations`, of `count`; these `sometimes` were not
    /// reached.
    pub(super) fn ended(
        end: End,
        unreached: Vec<String>,
        mut violations: Vec<Violation>,
        mut count: u64,
    ) -> Self {
        let found = match end {
            End::Complete => {
                violations.extend(unreached.iter().map(|name| Violation::unreached(name)));
                count += unreached.len() as u64;
                Found::new(Verdict::Pass)
            }
            End::Bound(bound) => Found::bounded(bound),
            End::Trouble(trouble, trace) => {
                let found = Found::troubled(trouble, trace);
                violations.extend_from_slice(&found.violations);
                count += found.violation_count;
                found
            }
        };
        let found = match found.verdict {
            _ if violations.is_empty() => found,
            Verdict::Error(_) => Found { violations, violation_count: count, ..found },
            _ => Found { bounds: found.bounds, ..Found::violated(violations, count) },
        };
        Found { unreached, ..found }
    }

    /// What was found did not happen again: `error`, and nothing else that it says counts.
    pub fn contradicted(self, error: Error) -> Self {
        Found {
            why: Some(error.to_string()),
            verdict: Verdict::Error(error),
            violations: Vec::new(),
            violation_count: 0,
            ..self
        }
    }

    /// What a search found counts, and what was found behind it is the answer.
    pub(super) fn overruled(self, by: Found) -> Self {
        Found {
            verdict: by.verdict,
            property: by.property,
            why: by.why,
            trace_len: by.trace_len,
            trace: by.trace,
            lasso: by.lasso,
            violations: by.violations,
            violation_count: by.violation_count,
            bounds: [self.bounds, by.bounds].concat(),
            ..self
        }
    }

    /// The search could not begin.
    pub fn failed(error: Error) -> Self {
        Found::troubled(error.into(), None)
    }

    /// The user stopped the search.
    pub fn interrupted() -> Self {
        Found::bounded("interrupt")
    }

    /// The search was cut by `bound`.
    pub(super) fn bounded(bound: &str) -> Self {
        let why = match bound {
            "depth" => "the bound on depth cut the search",
            "states" => "the bound on states cut the search",
            "memory" => "the bound on memory cut the search",
            _ => "the search was interrupted",
        };
        Found {
            why: Some(why.into()),
            bounds: vec![bound.into()],
            ..Found::new(Verdict::Incomplete)
        }
    }
}
