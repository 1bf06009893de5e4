//! The way to a world, as a list that leads back: worlds that wait on a stack share what their ways
//! have in common, and what no way needs any more is gone.

use std::sync::Arc;

use crate::action::Label;
use crate::system::Path;
use crate::trace::Trace;

/// A way from an initial world.
#[derive(Clone)]
pub(super) struct Way {
    initial: u64,
    states: u64,
    last: Option<Arc<Step>>,
}

/// The last step of a way.
struct Step {
    label: Label,
    before: Option<Arc<Step>>,
}

impl Way {
    /// The way to the initial world with this ordinal.
    pub(super) fn initial(initial: u64) -> Self {
        Way { initial, states: 1, last: None }
    }

    /// On by `label`.
    pub(super) fn then(&self, label: Label) -> Self {
        let last = Some(Arc::new(Step { label, before: self.last.clone() }));
        Way { initial: self.initial, states: self.states + 1, last }
    }

    /// How many states it has, both ends included.
    pub(super) fn states(&self) -> u64 {
        self.states
    }

    /// The same as a trace, and on by `last` if there is one.
    pub(super) fn trace(&self, last: Option<Label>) -> Trace {
        let mut labels = Vec::with_capacity(self.states as usize);
        let initial = self.labels(0, &mut labels);
        labels.extend(last);
        Trace { initial, labels }
    }
}

/// A way is the history of its end, whatever the index.
impl Path for Way {
    fn labels(&self, _: u64, out: &mut Vec<Label>) -> u64 {
        out.clear();
        let mut last = self.last.as_deref();
        while let Some(step) = last {
            out.push(step.label.clone());
            last = step.before.as_deref();
        }
        out.reverse();
        self.initial
    }
}

impl Drop for Step {
    // Step by step: a long way dropped by recursion would need a long call stack.
    fn drop(&mut self) {
        let mut before = self.before.take();
        while let Some(step) = before {
            before = Arc::into_inner(step).and_then(|mut step| step.before.take());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::{Action, Kind};

    fn label(argument: u32) -> Label {
        Label::plain(Action { kind: Kind::Action, subject: 0, argument })
    }

    #[test]
    fn ways_share_their_beginning_and_keep_their_ends_apart() {
        let both = Way::initial(7).then(label(1));
        let (left, right) = (both.then(label(2)), both.then(label(3)));
        drop(both);
        assert_eq!(left.trace(None).labels, [label(1), label(2)]);
        let trace = right.trace(Some(label(4)));
        assert_eq!((trace.initial, trace.states()), (7, right.states() + 1));
        assert_eq!(trace.labels, [label(1), label(3), label(4)]);
    }

    #[test]
    fn a_long_way_is_dropped_without_a_long_call_stack() {
        let mut way = Way::initial(0);
        for step in 0..1_000_000 {
            way = way.then(label(step));
        }
        assert_eq!(way.states(), 1_000_001);
        drop(way);
    }
}
