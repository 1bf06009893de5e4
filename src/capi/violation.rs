//! A violation as a result keeps it: the property, and the run that breaks it, step by step.

use std::ffi::CString;
use std::sync::Arc;

use super::error::c_text;
use super::lend::World;
use crate::check::outcome::{Outcome, Telling};
use crate::search;
use crate::trace::TraceFile;

/// Something that is broken.
pub(super) struct Violation {
    /// The property.
    pub(super) property: CString,
    /// Why.
    pub(super) why: CString,
    /// The start and the steps; none where no run shows it.
    pub(super) steps: Vec<Step>,
    /// The same as a trace file.
    pub(super) trace: Option<TraceFile>,
}

/// One step, or the start.
pub(super) struct Step {
    /// The kind of its action; 0 for the start.
    pub(super) kind: u8,
    /// The node that it concerns, or -1.
    pub(super) node: i16,
    /// What it is called in a trace.
    pub(super) action: CString,
    /// What happens, in words.
    pub(super) text: CString,
    /// The world behind it. Boxed because it must not move.
    pub(super) world: Option<Box<World<'static>>>,
}

impl Violation {
    /// The violations that `outcome` tells.
    pub(super) fn told(outcome: Outcome, settings: Option<&Arc<[u8]>>) -> Vec<Self> {
        let mut told = outcome.told.into_iter();
        let mut violations = Vec::new();
        for violation in outcome.found.violations {
            // What no world satisfies has no way that leads there; of the others the first are told.
            let telling = match violation.trace {
                Some(_) => told.next(),
                None => None,
            };
            if telling.is_some() || violation.trace.is_none() {
                violations.push(Violation::new(violation, telling, settings));
            }
        }
        violations
    }

    fn new(
        violation: search::Violation,
        telling: Option<Telling>,
        settings: Option<&Arc<[u8]>>,
    ) -> Self {
        let (property, why) = (c_text(&violation.property), c_text(&violation.why));
        let Some(Telling { story, worlds, trace_file }) = telling else {
            return Violation { property, why, steps: Vec::new(), trace: None };
        };
        let labels = violation.trace.map(|trace| trace.labels).unwrap_or_default();
        let kept = |snapshot| Box::new(World::kept(snapshot, settings.cloned()));
        let mut worlds = worlds.into_iter().map(kept);
        let mut steps = Vec::with_capacity(story.steps.len() + 1);
        let (action, text) = (CString::default(), c_text("start"));
        steps.push(Step { kind: 0, node: -1, action, text, world: worlds.next() });
        steps.extend(labels.iter().zip(&story.steps).map(|(label, scene)| Step {
            kind: label.action.kind as u8,
            node: scene.node.and_then(|node| i16::try_from(node).ok()).unwrap_or(-1),
            action: c_text(&scene.action),
            text: c_text(&scene.words),
            world: worlds.next(),
        }));
        Violation { property, why, steps, trace: Some(trace_file) }
    }
}
