//! Decides what must come true at some time in every fair run ([`Rule::Eventually`]), behind a search
//! that found nothing wrong. A complete search is decided exactly, by [`graph`]; one that is not can
//! only be looked at by random walks, which suspect and never prove ([`walks`]).

mod components;
mod graph;
mod lasso;
mod proof;
mod walks;

use super::Search;
use super::found::{Found, Liveness, Verdict, Violation};
use super::sample::Sample;
use crate::action::Kind;
use crate::property::{Kinds, Property, Rule, StatePredicate};
use crate::system::System;
use crate::trace::Trace;

use graph::{Answer, Unmet};
pub(super) use proof::prove;

/// A property that must come true.
#[derive(Clone, Copy)]
pub(super) struct Awaited<'a> {
    pub(super) property: &'a Property,
    pub(super) holds: &'a StatePredicate,
    pub(super) fair: Kinds,
}

impl<'a> Awaited<'a> {
    /// Whether no run ends where an action of this kind is possible.
    pub(super) fn goes_on(self, kind: Kind) -> bool {
        self.fair.contains(kind) || !Kinds::FAULTS.contains(kind)
    }

    /// Those among `properties`.
    pub(super) fn among(properties: &'a [Property]) -> impl Iterator<Item = Awaited<'a>> {
        properties.iter().filter_map(|property| match &property.rule {
            Rule::Eventually { holds, fair } => Some(Awaited { property, holds, fair: *fair }),
            _ => None,
        })
    }
}

/// What `found` becomes when the properties that must come true are looked at.
pub(super) fn decide<S: System>(
    search: &Search<'_>,
    system: &S,
    properties: &[Property],
    sample: &Sample,
    found: Found,
) -> Found {
    if Awaited::among(properties).next().is_none() {
        return found;
    }
    let complete = found.verdict == Verdict::Pass;
    let found = match complete {
        true => exactly(search, system, properties, found),
        false => found,
    };
    let undecided = found.verdict == Verdict::Incomplete && !search.interrupted();
    match search.liveness {
        Some(bounds) if undecided => walks::look(search, bounds, system, properties, sample, found),
        None if undecided && !complete => {
            let why = found.why.unwrap_or_default();
            let names = Awaited::among(properties).map(|it| format!("\"{}\"", it.property.name));
            let names = names.collect::<Vec<_>>().join(", ");
            let why = format!("{why}; only a complete search decides {names}");
            Found { why: Some(why), ..found }
        }
        _ => found,
    }
}

/// Decide behind a complete search; without keeping going, up to the first that is violated.
fn exactly<S: System>(
    search: &Search<'_>,
    system: &S,
    properties: &[Property],
    found: Found,
) -> Found {
    let (mut violations, mut cut) = (Vec::new(), Vec::new());
    for awaited in Awaited::among(properties) {
        let most = found.distinct.unwrap_or(u64::MAX);
        match Unmet::decide(search, system, properties, awaited, most) {
            Ok(Answer::Comes) => (),
            Ok(Answer::Cut(bound)) => {
                let name = &awaited.property.name;
                cut.push(format!("{bound} cuts runs on which \"{name}\" had not come true yet"));
            }
            Ok(Answer::Never(violation)) => {
                violations.push(violation);
                if !search.keep_going {
                    break;
                }
            }
            Ok(Answer::Interrupted) => return found.overruled(Found::interrupted()),
            Err((trouble, trace)) => return found.overruled(Found::troubled(trouble, trace)),
        }
    }
    let found = Found { liveness: Some(Liveness::Exact), ..found };
    let count = violations.len() as u64;
    if count > 0 {
        return found.overruled(Found::violated(violations, count));
    }
    if cut.is_empty() {
        return found;
    }
    let why = format!("{}; a wider bound may decide it", cut.join("; "));
    Found { verdict: Verdict::Incomplete, why: Some(why), liveness: None, ..found }
}

impl Violation {
    /// `awaited` never comes true on `trace`, which ends, or goes round from its state `lasso` on.
    pub(super) fn never(awaited: Awaited<'_>, trace: Trace, lasso: Option<usize>) -> Self {
        let why = match lasso {
            None => "it never comes true: nothing need happen in the last state".into(),
            Some(0) => {
                "it need never come true: the last step leads back to the first state".into()
            }
            Some(step) => format!(
                "it need never come true: the last step leads back to the state behind step {step}"
            ),
        };
        Violation { property: awaited.property.name.clone(), why, trace: Some(trace), lasso }
    }
}
