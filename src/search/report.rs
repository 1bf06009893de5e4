//! The violations behind which a search goes on, while a level lasts: each worker keeps those with
//! the smallest places, as many as can be told in the end. Nothing is lost by that: what is among
//! the first of all of them, or of those before some place, is among the first of its worker.

use super::found::TOLD;
use super::key::Key;
use crate::action::Label;

/// Where a violation stands: the transition, and there first the world, then the step to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) key: Key,
    pub(super) part: Part,
}

/// What of a transition is judged, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// The world that it leads to; also the list of actions.
    World,
    /// The step.
    Step,
    /// The bound on states, which a world that does not fit runs into.
    Bound,
}

/// A broken rule.
pub(super) struct Report {
    pub(super) place: Place,
    pub(super) label: Label,
    pub(super) property: String,
    pub(super) why: String,
}

/// The first of many.
#[derive(Default)]
pub(super) struct Reports {
    kept: Vec<Report>,
}

impl Reports {
    /// Take in one more.
    pub(super) fn add(&mut self, report: Report) {
        self.kept.push(report);
        // Sorting now and then costs little for each.
        if self.kept.len() >= 2 * TOLD {
            self.cut(None);
        }
    }

    /// Take in those of another worker.
    pub(super) fn merge(&mut self, other: Reports) {
        self.kept.extend(other.kept);
    }

    /// The first of those before `end`, in order.
    pub(super) fn finish(mut self, end: Option<Place>) -> Vec<Report> {
        self.cut(end);
        self.kept
    }

    fn cut(&mut self, end: Option<Place>) {
        if let Some(end) = end {
            self.kept.retain(|report| report.place < end);
        }
        self.kept.sort_by_key(|report| report.place);
        self.kept.truncate(TOLD);
    }
}
