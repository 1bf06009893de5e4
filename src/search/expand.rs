//! The loop body of an exhaustive search: every successor of one world, over its actions and over
//! the choices inside each, in the order that defines the successors' ordinals.

use std::mem::take;
use std::ops::ControlFlow;

use super::choices::Odometer;
use crate::action::{Action, Label};
use crate::brood::Brood;
use crate::system::{Position, Stop, System};
use crate::world::Touched;

/// One worker and its scratch memory; a step allocates nothing.
pub(super) struct Expander<'a, S: System> {
    system: &'a S,
    worker: &'a mut S::Worker,
    actions: Vec<Action>,
    next: Vec<u8>,
    brood: Brood,
    odometer: Odometer,
}

/// One transition out of the world that is expanded.
#[derive(Clone, Copy)]
pub(super) struct Transition<'a> {
    /// Its ordinal, from 1.
    pub(super) ordinal: u32,
    /// The action.
    pub(super) action: Action,
    /// Where the successor may differ from the world.
    pub(super) touched: Touched,
    /// The choices taken; `None` where none can be asked for.
    choices: Option<&'a Odometer>,
}

impl Transition<'_> {
    /// The action with the choices taken.
    pub(super) fn label(&self) -> Label {
        match self.choices {
            None => Label::plain(self.action),
            Some(choices) => choices.label(self.action),
        }
    }

    /// Whether the node died inside the step.
    #[inline]
    pub(super) fn crashed(&self) -> bool {
        self.choices.is_some_and(Odometer::crashed)
    }
}

impl<'a, S: System> Expander<'a, S> {
    pub(super) fn new(system: &'a S, worker: &'a mut S::Worker) -> Self {
        Expander {
            system,
            worker,
            actions: Vec::new(),
            next: Vec::new(),
            brood: Brood::default(),
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
    /// until it breaks. Answers whether there is any. `Err` when the actions could not be listed.
    #[inline]
    pub(super) fn expand(
        &mut self,
        at: Position<'_>,
        world: &[u8],
        mut each: impl FnMut(Transition<'_>, Result<&[u8], Stop>) -> ControlFlow<()>,
    ) -> Result<bool, Stop> {
        let (mut ordinal, mut brood) = (0, take(&mut self.brood));
        let mut look = |brood: &mut Brood| {
            brood.each(|action, touched, result| {
                ordinal += 1;
                each(Transition { ordinal, action, touched, choices: None }, result)
            })
        };
        let acted = self.at_once(world, &mut brood, &mut look);
        let _ = look(&mut brood);
        self.brood = brood;
        acted.unwrap_or_else(|| self.enumerate(at, world, each))
    }

    /// [`System::successors`].
    #[inline]
    pub(super) fn at_once(
        &mut self,
        world: &[u8],
        brood: &mut Brood,
        look: &mut impl FnMut(&mut Brood) -> ControlFlow<()>,
    ) -> Option<Result<bool, Stop>> {
        self.system.successors(self.worker, world, brood, look)
    }

    /// [`Expander::expand`] action by action, through all choices of each.
    pub(super) fn enumerate(
        &mut self,
        at: Position<'_>,
        world: &[u8],
        mut each: impl FnMut(Transition<'_>, Result<&[u8], Stop>) -> ControlFlow<()>,
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
                    None => applied.map(|()| self.next.as_slice()),
                };
                let (action, touched) = (*action, Touched::ALL);
                let transition =
                    Transition { ordinal, action, touched, choices: Some(&self.odometer) };
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
