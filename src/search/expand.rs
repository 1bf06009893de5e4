//! The loop body of an exhaustive search: every successor of one world, over its actions and over
//! the choices inside each, in the order that defines the successors' ordinals.

use std::ops::ControlFlow;

use super::choices::Odometer;
use crate::action::{Action, Label};
use crate::system::{Position, Stop, System};

/// One worker and its scratch memory; a step allocates nothing.
pub(super) struct Expander<'a, S: System> {
    system: &'a S,
    worker: &'a mut S::Worker,
    actions: Vec<Action>,
    next: Vec<u8>,
    odometer: Odometer,
}

/// One transition out of the world that is expanded.
#[derive(Clone, Copy)]
pub(super) struct Transition<'a> {
    /// Its ordinal, from 1.
    pub(super) ordinal: u32,
    /// The action.
    pub(super) action: Action,
    odometer: &'a Odometer,
}

impl Transition<'_> {
    /// The action with the choices taken.
    pub(super) fn label(&self) -> Label {
        self.odometer.label(self.action)
    }

    /// The same, written over `label`.
    #[inline]
    pub(super) fn write_label(&self, label: &mut Label) {
        match label.choices.is_empty() && self.odometer.is_plain() {
            true => label.action = self.action,
            false => *label = self.label(),
        }
    }

    /// Whether the node died inside the step.
    #[inline]
    pub(super) fn crashed(&self) -> bool {
        self.odometer.crashed()
    }
}

impl<'a, S: System> Expander<'a, S> {
    pub(super) fn new(system: &'a S, worker: &'a mut S::Worker) -> Self {
        Expander {
            system,
            worker,
            actions: Vec::new(),
            next: Vec::new(),
            odometer: Odometer::default(),
        }
    }

    /// Whether any action is possible in `world`.
    pub(super) fn can_act(&mut self, world: &[u8]) -> Result<bool, Stop> {
        self.actions.clear();
        self.system.enabled(self.worker, world, &mut self.actions)?;
        Ok(!self.actions.is_empty())
    }

    /// Call `each` with every transition out of `world` and its successor, or why there is none,
    /// until it breaks; it may keep the successor and leave other memory. Answers whether there is any. `Err` when the actions could not be listed.
    pub(super) fn expand(
        &mut self,
        at: Position<'_>,
        world: &[u8],
        mut each: impl FnMut(Transition<'_>, Result<&mut Vec<u8>, Stop>) -> ControlFlow<()>,
    ) -> Result<bool, Stop> {
        if !self.can_act(world)? {
            return Ok(false);
        }
        let mut ordinal = 0;
        for action in &self.actions {
            self.odometer.reset();
            loop {
                ordinal += 1;
                let applied = self.system.apply(
                    self.worker,
                    at,
                    world,
                    action,
                    &mut self.odometer,
                    &mut self.next,
                );
                let result = match self.odometer.fault() {
                    Some(error) => Err(Stop::Error(error)),
                    None => applied.map(|()| &mut self.next),
                };
                let transition = Transition { ordinal, action: *action, odometer: &self.odometer };
                if each(transition, result).is_break() {
                    return Ok(true);
                }
                if !self.odometer.advance() {
                    break;
                }
            }
        }
        Ok(true)
    }
}
