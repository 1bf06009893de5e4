//! One walk through a system, step by step: drawn, or along a known path. What it meets is judged.

use super::choices::{Draw, Script};
use super::judge::{Judge, Trouble};
use super::random::Random;
use super::receipts::Receipts;
use crate::action::{Action, Label};
use crate::error::Error;
use crate::system::{Path, Position, Stop, System};
use crate::trace::Trace;

/// The bits of an index that number the states of a walk; those above number the walk. No walk is
/// longer: its trace would not fit into any memory.
const STATES: u32 = 48;

/// Someone on the way.
pub(super) struct Walker<'a, S: System> {
    pub(super) system: &'a S,
    pub(super) judge: Judge<'a>,
    /// Its number among those that are on the way at once: what they bring is ordered by it.
    number: u64,
    /// Where it stands.
    pub(super) world: Vec<u8>,
    /// How it came there; the last label is the one in trouble, if there is trouble.
    pub(super) trace: Trace,
    /// The steps made, in all walks.
    pub(super) generated: u64,
    pub(super) receipts: Receipts,
    /// The `sometimes` that it reached.
    pub(super) reached: Vec<usize>,
    /// The longest way to a world, in states.
    pub(super) longest: u64,
    actions: Vec<Action>,
    next: Vec<u8>,
}

/// The history of the walk with a number.
struct Way<'a>(&'a Trace);

impl Path for Way<'_> {
    fn labels(&self, index: u64, out: &mut Vec<Label>) -> u64 {
        self.0.labels(index & ((1 << STATES) - 1), out)
    }
}

impl<'a, S: System> Walker<'a, S> {
    pub(super) fn new(system: &'a S, judge: Judge<'a>, number: u64) -> Self {
        Walker {
            system,
            judge,
            number,
            world: Vec::new(),
            trace: Trace { initial: 0, labels: Vec::new() },
            generated: 0,
            receipts: Receipts::default(),
            reached: Vec::new(),
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
    pub(super) fn can_act(&mut self, worker: &mut S::Worker) -> Result<bool, Stop> {
        self.actions.clear();
        self.system.enabled(worker, &self.world, &mut self.actions)?;
        Ok(!self.actions.is_empty())
    }

    /// Nothing is possible where it stands: a deadlock, unless a terminal predicate holds.
    pub(super) fn end(&self) -> Result<(), Trouble> {
        self.judge.end(self.system.view(&self.world))
    }

    /// Take one of the actions that [`Walker::can_act`] found. Answers whether the next world is inside
    /// the constraints; the walk goes on there only if it is.
    pub(super) fn draw(
        &mut self,
        worker: &mut S::Worker,
        random: &mut Random,
    ) -> Result<bool, Trouble> {
        let action = self.actions[random.below(self.actions.len())];
        let mut draw = Draw::new(random);
        let (path, index) = (&Way(&self.trace), self.index());
        let position = Position { index, path };
        let next = &mut self.next;
        let applied = self.system.apply(worker, position, &self.world, &action, &mut draw, next);
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
            self.reached.extend(reached);
        }
        self.judge.step(self.system.view(&self.world), after)?;
        let inside = reached.is_some();
        if inside {
            std::mem::swap(&mut self.world, &mut self.next);
        }
        Ok(inside)
    }

    /// Take the step `label`, which was taken here before and was sound.
    pub(super) fn follow(&mut self, worker: &mut S::Worker, label: &Label) -> Result<(), Trouble> {
        let mut script = Script::new(&label.choices);
        let (path, index) = (&Way(&self.trace), self.index());
        let position = Position { index, path };
        let (action, next) = (&label.action, &mut self.next);
        let applied = self.system.apply(worker, position, &self.world, action, &mut script, next);
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

    /// Give back the memory of where it stood and came along, but for what it counted.
    pub(super) fn leave(&mut self) {
        self.trace.labels = Vec::new();
        (self.world, self.next, self.actions) = (Vec::new(), Vec::new(), Vec::new());
    }

    /// The index of where it stands: other than that of anybody who is on the way too.
    fn index(&self) -> u64 {
        self.number << STATES | self.trace.labels.len() as u64
    }
}
