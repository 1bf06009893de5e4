//! A wave: worlds from the top of the stack of a depth-first search, which are expanded at once. The
//! workers read what is known and write nothing but their own [`Haul`]; the calling thread goes
//! through the hauls afterwards, in the order of the wave. Every world of a wave is expanded, also
//! behind one that ends the search, so that what the system was asked does not depend on timing.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::Search;
use super::claims::{Claimed, Claims};
use super::crew::guarded;
use super::expand::{Expander, Transition};
use super::judge::{Judge, Judged, Trouble};
use super::level::Worlds;
use super::random::Random;
use super::way::Way;
use crate::action::{Kind, Label};
use crate::fingerprint::{Fingerprint, FingerprintMap};
use crate::system::{Position, Stop, System};

/// What is remembered of a world.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    /// The smallest depth at which it was reached.
    pub(super) depth: u64,
    pub(super) stage: Stage,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// Stored, and not expanded.
    Waiting,
    /// Not expanded because of the bound, and something is possible in it.
    Open,
    Expanded,
}

/// What is remembered of all worlds stored.
pub(super) type Known = FingerprintMap<Mark>;

/// A world that waits to be expanded.
pub(super) struct Pending {
    pub(super) fingerprint: Fingerprint,
    pub(super) way: Way,
}

/// The worlds that are expanded at once.
#[derive(Default)]
pub(super) struct Wave {
    /// In the order of the stack, the top first.
    pub(super) tasks: Vec<Task>,
    pub(super) worlds: Worlds,
    /// How many worlds were expanded before.
    pub(super) before: u64,
    /// In which order they are taken, if not in their own.
    order: Option<Vec<usize>>,
    taken: Taken,
    claims: Claims,
}

/// How many tasks were taken; on a cache line of its own, as all else of a wave is read all the time.
#[derive(Default)]
#[repr(align(128))]
struct Taken(AtomicUsize);

/// A world of a wave.
pub(super) struct Task {
    pub(super) pending: Pending,
    /// It was expanded before, at a larger depth: its transitions were judged and counted then.
    pub(super) again: bool,
    /// It stands at the bound: it is not expanded if anything is possible in it.
    pub(super) last: bool,
}

impl Wave {
    /// Empty again; `before` worlds were expanded.
    pub(super) fn reset(&mut self, before: u64) {
        self.tasks.clear();
        self.worlds.clear();
        (self.before, self.order) = (before, None);
        *self.taken.0.get_mut() = 0;
        self.claims.clear();
    }

    /// Let the tasks be taken in a random order.
    pub(super) fn shuffle(&mut self, seed: u64) {
        let mut order: Vec<_> = (0..self.tasks.len()).collect();
        Random::new(seed, self.before).shuffle(&mut order);
        self.order = Some(order);
    }

    fn take(&self) -> Option<usize> {
        let at = self.taken.0.fetch_add(1, Ordering::Relaxed);
        (at < self.tasks.len()).then(|| self.order.as_ref().map_or(at, |order| order[at]))
    }
}

/// What the workers read while a wave is expanded, and the calling thread writes between waves.
pub(super) struct Sea<'p> {
    pub(super) judge: Judge<'p>,
    pub(super) known: Known,
    pub(super) wave: Wave,
}

pub(super) fn read<'s, 'p>(sea: &'s RwLock<Sea<'p>>) -> RwLockReadGuard<'s, Sea<'p>> {
    sea.read().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn write<'s, 'p>(sea: &'s RwLock<Sea<'p>>) -> RwLockWriteGuard<'s, Sea<'p>> {
    sea.write().unwrap_or_else(PoisonError::into_inner)
}

/// What one worker found in a wave, on cache lines of its own.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct Haul {
    pub(super) outcomes: Vec<Outcome>,
    pub(super) notes: Vec<Note>,
    /// The worlds that the notes lead to.
    pub(super) worlds: Worlds,
    /// What was generated: the kind of action, and whether the node died inside the step.
    pub(super) generated: Vec<(Kind, bool)>,
}

/// What became of a task.
pub(super) struct Outcome {
    /// Its place in the wave.
    pub(super) task: usize,
    /// Its parts of the haul.
    pub(super) notes: Range<usize>,
    pub(super) generated: Range<usize>,
    pub(super) end: Ended,
}

/// How the expansion of a world ended.
pub(super) enum Ended {
    /// It stands at the bound, and something is possible in it.
    Open,
    /// It stands at the bound, and nobody knows whether anything is possible in it.
    Unknown(Box<Trouble>),
    /// It was expanded, as far as there was nothing wrong that ends the search.
    Expanded,
    /// It was expanded, and there is this wrong with the world itself.
    Wrong(Box<Trouble>),
}

/// A transition of which there is something to say.
pub(super) struct Note {
    pub(super) label: Label,
    /// Where the transition's part of what was generated ends.
    pub(super) generated: usize,
    /// The world that it leads to, if that was not known, or not so near.
    pub(super) arrival: Option<Arrival>,
    /// What else is wrong with it, in the order in which it is judged.
    pub(super) wrong: Vec<Trouble>,
}

/// A world to be stored, or to be expanded again.
pub(super) struct Arrival {
    pub(super) fingerprint: Fingerprint,
    /// Its place among the worlds of the haul.
    pub(super) at: usize,
    /// What is to be said of it, if it was not known.
    pub(super) said: Option<Box<Judged>>,
}

impl Haul {
    /// Nothing, in memory that is used again.
    pub(super) fn clear(&mut self) {
        self.outcomes.clear();
        self.notes.clear();
        self.worlds.clear();
        self.generated.clear();
    }
}

/// Expand worlds of the wave, until none is left.
pub(super) fn serve<S: System>(
    sea: &RwLock<Sea<'_>>,
    search: &Search<'_>,
    system: &S,
    worker: &mut S::Worker,
    haul: &mut Haul,
) {
    let Sea { judge, known, wave } = &*read(sea);
    let mut expander = Expander::new(system, worker);
    while !search.interrupted()
        && let Some(task) = wave.take()
    {
        let (number, task) = (task, &wave.tasks[task]);
        let claims = &wave.claims;
        let mut swimmer = Swimmer { search, system, judge, known, claims, number, task, haul };
        let world = wave.worlds.get(number);
        let (notes, generated) = (swimmer.haul.notes.len(), swimmer.haul.generated.len());
        let index = wave.before + number as u64;
        let ended = guarded(|| swimmer.expand(&mut expander, index, world));
        let end = ended.unwrap_or_else(|panic| Ended::Wrong(Box::new(panic.into())));
        let notes = notes..haul.notes.len();
        let generated = generated..haul.generated.len();
        haul.outcomes.push(Outcome { task: number, notes, generated, end });
    }
}

/// A worker at one world.
struct Swimmer<'a, 'p, S: System> {
    search: &'a Search<'a>,
    system: &'a S,
    judge: &'a Judge<'p>,
    known: &'a Known,
    claims: &'a Claims,
    /// The task's place in the wave.
    number: usize,
    task: &'a Task,
    haul: &'a mut Haul,
}

impl<S: System> Swimmer<'_, '_, S> {
    fn expand(&mut self, expander: &mut Expander<'_, S>, index: u64, world: &[u8]) -> Ended {
        if self.task.last {
            match expander.can_act(world) {
                Ok(true) => return Ended::Open,
                Ok(false) => (), // Then it is expanded in no time.
                Err(stop) => return Ended::Unknown(Box::new(stop.into())),
            }
        }
        let position = Position { index, path: &self.task.pending.way };
        let acted = expander.expand(position, world, |transition, result| {
            self.transition(world, &transition, result)
        });
        let ended = match acted {
            Ok(false) if self.search.deadlock => self.judge.end(self.system.view(world)),
            Ok(_) => Ok(()),
            Err(stop) => Err(stop.into()),
        };
        ended.map_or_else(|trouble| Ended::Wrong(Box::new(trouble)), |()| Ended::Expanded)
    }

    /// Look at one transition; break if the search ends there at the latest.
    fn transition(
        &mut self,
        world: &[u8],
        transition: &Transition<'_>,
        result: Result<&[u8], Stop>,
    ) -> ControlFlow<()> {
        let again = self.task.again;
        if !again && !matches!(result, Err(Stop::Error(_))) {
            self.haul.generated.push((transition.action.kind, transition.crashed()));
        }
        let (mut arrival, mut wrong) = (None, Vec::new());
        match result {
            Ok(next) => self.arrive(world, next, &mut arrival, &mut wrong),
            Err(Stop::Violated(_)) if again => (),
            Err(stop) => wrong.push(stop.into()),
        }
        let said = arrival.as_ref().and_then(|arrival| arrival.said.as_ref()?.trouble.as_ref());
        let ends = said.into_iter().chain(&wrong).any(|trouble| self.judge.ends(trouble));
        if arrival.is_some() || !wrong.is_empty() {
            let (label, generated) = (transition.label(), self.haul.generated.len());
            self.haul.notes.push(Note { label, generated, arrival, wrong });
        }
        match ends {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    /// Look at the world `next`, and at the step to it.
    fn arrive(
        &mut self,
        world: &[u8],
        next: &[u8],
        arrival: &mut Option<Arrival>,
        wrong: &mut Vec<Trouble>,
    ) {
        let (fingerprint, view) = (Fingerprint::of(next), self.system.view(next));
        let (again, depth) = (self.task.again, self.task.pending.way.states() + 1);
        let claim = || self.claims.claim(fingerprint, self.number, depth);
        let said = match self.known.get(&fingerprint) {
            Some(mark) => (mark.depth > depth && claim() != Claimed::Behind).then_some(None),
            None => match self.judge.admits(view) {
                Err(trouble) => return wrong.push(trouble),
                Ok(true) => match claim() {
                    Claimed::First => Some(self.judge.world(view)),
                    Claimed::Nearer => Some(None),
                    Claimed::Behind => None,
                },
                Ok(false) => {
                    let judged = if again { Ok(()) } else { self.judge.outsider(view) };
                    wrong.extend(judged.err());
                    None
                }
            },
        };
        if let Some(said) = said {
            *arrival = Some(Arrival { fingerprint, at: self.haul.worlds.len(), said });
            self.haul.worlds.push(next);
        }
        if !again {
            wrong.extend(self.judge.step(self.system.view(world), view).err());
        }
    }
}
