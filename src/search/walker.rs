//! One walk through a system, step by step: drawn, or along a known path. What it meets is judged.

use super::choices::{Draw, Script};
use super::judge::{Judge, Trouble};
use super::random::Random;
use super::receipts::Receipts;
use crate::action::{Action, Label};
use crate::error::Error;
use crate::system::{Position, Stop, System};
use crate::trace::Trace;

/// A worker on its way.
pub(super) struct Walker<'a, S: System> {
    pub(super) system: &'a S,
    pub(super) worker: S::Worker,
    pub(super) judge: Judge<'a>,
    /// Where it stands.
    pub(super) world: Vec<u8>,
    /// How it came there; the last label is the one in trouble, if there is trouble.
    pub(super) trace: Trace,
    /// The steps made, in all walks.
    pub(super) generated: u64,
    pub(super) receipts: Receipts,
    /// The longest way to a world, in states.
    pub(super) longest: u64,
    actions: Vec<Action>,
    next: Vec<u8>,
}

impl<'a, S: System> Walker<'a, S> {
    pub(super) fn new(system: &'a S, worker: S::Worker, judge: Judge<'a>) -> Self {
        Walker {
            system,
            worker,
            judge,
            world: Vec::new(),
            trace: Trace { initial: 0, labels: Vec::new() },
            generated: 0,
            receipts: Receipts::default(),
            longest: 0,
            actions: Vec::new(),
            next: Vec::new(),
        }
    }

    /// Go to `world`, which is at the end of `trace`.
    pub(super) fn stand(&mut self, world: &[u8], trace: Trace) {
        self.world.clear();
        self.world.extend_from_slice(world);
        self.longest = self.longest.max(trace.states());
        self.trace = trace;
    }

    /// Whether anything is possible where it stands.
    pub(super) fn can_act(&mut self) -> Result<bool, Stop> {
        self.actions.clear();
        self.system.enabled(&mut self.worker, &self.world, &mut self.actions)?;
        Ok(!self.actions.is_empty())
    }

    /// Take one of the actions that [`Walker::can_act`] found. Answers whether the next world is inside
    /// the constraints; the walk goes on there only if it is.
    pub(super) fn draw(&mut self, random: &mut Random) -> Result<bool, Trouble> {
        let action = self.actions[random.below(self.actions.len())];
        let mut draw = Draw::new(random);
        let position = Position { index: self.trace.labels.len() as u64, path: &self.trace };
        let applied = self.system.apply(
            &mut self.worker,
            position,
            &self.world,
            &action,
            &mut draw,
            &mut self.next,
        );
        let (label, crashed, fault) = draw.finish(action);
        self.trace.labels.push(label);
        if let Some(error) = fault {
            return Err(error.into());
        }
        if !matches!(applied, Err(Stop::Error(_))) {
            self.generated += 1;
            self.receipts.add(action.kind, crashed, 1);
        }
        applied?;
        self.longest = self.longest.max(self.trace.states());
        let after = self.system.view(&self.next);
        let reached = self.judge.visit(after)?;
        if let Some(reached) = &reached {
            self.judge.reach(reached);
        }
        self.judge.step(self.system.view(&self.world), after)?;
        let inside = reached.is_some();
        if inside {
            std::mem::swap(&mut self.world, &mut self.next);
        }
        Ok(inside)
    }

    /// Take the step `label`, which was taken here before and was sound.
    pub(super) fn follow(&mut self, label: &Label) -> Result<(), Trouble> {
        let mut script = Script::new(&label.choices);
        let position = Position { index: self.trace.labels.len() as u64, path: &self.trace };
        let applied = self.system.apply(
            &mut self.worker,
            position,
            &self.world,
            &label.action,
            &mut script,
            &mut self.next,
        );
        let (_, _, fault) = script.finish(label.action);
        self.trace.labels.push(label.clone());
        match (fault, applied) {
            (Some(error), _) | (None, Err(Stop::Error(error))) => Err(error.into()),
            (None, Err(Stop::Violated(breach))) => Err(Error::Divergence(format!(
                "a step that was repeated broke \"{}\" ({}), and did not before; \
                 the system is not deterministic",
                breach.property, breach.why
            ))
            .into()),
            (None, Ok(())) => {
                std::mem::swap(&mut self.world, &mut self.next);
                Ok(())
            }
        }
    }
}
