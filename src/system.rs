//! The seam: a labelled transition system over canonical worlds. A front end implements it, a
//! search sees nothing else, and neither can name the other.

pub mod det;

use std::ops::ControlFlow;

use crate::action::{Action, ChoiceKind, Kind, Label};
use crate::brood::Brood;
use crate::error::Error;
use crate::world::View;

/// Why a step has no successor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The step broke a built-in rule (`signal`, `exit`, `cap:NAME` …). The step counts as
    /// generated and is the last of its trace.
    Violated(Breach),
    /// It could not be checked.
    Error(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Stop::Error(error)
    }
}

/// A built-in rule that was broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// The reserved name of the rule.
    pub property: String,
    /// What happened, in a sentence.
    pub why: String,
}

/// Answers the choices that a step asks for. The search enumerates them, simulation draws them,
/// replay reads them.
pub trait Choice {
    /// One of `0..count`; `count` is at least 1.
    fn choose(&mut self, kind: ChoiceKind, count: usize) -> usize;
}

/// How a world was reached: the way back to an initial world.
pub trait Path {
    /// Write the ordinal of the initial world of `index` and the labels from there to `index`.
    fn labels(&self, index: u64, out: &mut Vec<Label>) -> u64;
}

/// A world's place in the search, for systems that rebuild a world by repeating its history.
#[derive(Clone, Copy)]
pub struct Position<'a> {
    /// The world's index: its rank in discovery order, or depth first that of its expansion, or on a
    /// walk the number of the walk and of the state. No two of what is done between two barriers agree.
    pub index: u64,
    /// Where its history is kept.
    pub path: &'a dyn Path,
}

/// What an action means in a world, for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// The node that the action concerns, if it concerns one.
    pub node: Option<usize>,
    /// What happens, in words: `reads "SET a" from client 0 on descriptor 4`.
    pub words: String,
    /// The bytes that move, if any do.
    pub payload: Option<Vec<u8>>,
}

/// A labelled transition system over canonical worlds. Shared by all workers.
pub trait System: Sync {
    /// What one worker needs for itself: scratch memory, processes.
    type Worker: Send;

    /// Make the worker with number `id`. It is called on the thread that will use the worker from
    /// then on, and that lives until the worker is dropped on it; worker 0 has the calling thread.
    fn worker(&self, id: usize) -> Result<Self::Worker, Stop>;

    /// Call `each` with the initial worlds, in order.
    fn initial(&self, worker: &mut Self::Worker, each: &mut dyn FnMut(&[u8])) -> Result<(), Stop>;

    /// Append the actions that are possible in `world` to `out`, in canonical order.
    fn enabled(
        &self,
        worker: &mut Self::Worker,
        world: &[u8],
        out: &mut Vec<Action>,
    ) -> Result<(), Stop>;

    /// Write the successor of `world` under `action` to `next`, which is overwritten. `at` is where
    /// `world` stands.
    fn apply(
        &self,
        worker: &mut Self::Worker,
        at: Position<'_>,
        world: &[u8],
        action: &Action,
        choose: &mut dyn Choice,
        next: &mut Vec<u8>,
    ) -> Result<(), Stop>;

    /// Append to `brood` for every action that is possible in `world`, in canonical order, what
    /// [`System::apply`] would write or answer, with where that may differ from `world`; answers whether
    /// any is possible. `look` is called when the brood is full and more follow: it takes what is there,
    /// and no more is wanted when it breaks. For a system that can do once what all steps out of a world
    /// need, none of whose steps asks for a choice or looks at where its world stands. All others leave it
    /// at `None`, and whoever asks goes by [`System::enabled`] and [`System::apply`], which every system
    /// has.
    #[inline]
    fn successors(
        &self,
        _worker: &mut Self::Worker,
        _world: &[u8],
        _brood: &mut Brood,
        _look: &mut impl FnMut(&mut Brood) -> ControlFlow<()>,
    ) -> Option<Result<bool, Stop>> {
        None
    }

    /// What properties and reports may read of `world`.
    fn view<'a>(&'a self, world: &'a [u8]) -> View<'a>;

    /// The kinds of action that its worlds can offer, in listing order: what receipts are about.
    fn kinds(&self) -> &'static [Kind];

    /// What `action`, which is possible in `world`, is called in traces: one line, no ` @` and no ` #`
    /// outside a quoted string. Two actions of a world with one name have the same successors.
    fn name(&self, world: &[u8], action: &Action) -> String;

    /// Which action of weak fairness `action` of `world` is: two actions of different worlds that are
    /// the same event to whoever waits for it have the same number.
    fn fairness(&self, _world: &[u8], action: &Action) -> u64 {
        (action.kind as u64) << 40 | u64::from(action.subject) << 32 | u64::from(action.argument)
    }

    /// What bounds `world`, where nothing is possible: `Some`, in words, if more would be under a
    /// larger bound of the model on what goes on by itself. Such an end is the model's, not the system's.
    fn bound(&self, _world: &[u8]) -> Option<&'static str> {
        None
    }

    /// What `action` means in `world`.
    fn tell(&self, world: &[u8], action: &Action) -> Result<Told, Error>;

    /// Whether the walks of a batch are taken in step, a barrier behind each step: for systems to which
    /// it matters which of two things came first, if they came between the same barriers.
    fn in_step(&self) -> bool {
        false
    }

    /// End of a level, of some expansions, or of a batch of walks, or of a step of each. All workers rest, and are handed over
    /// to the thread of worker 0: what is bound to a thread may be used of that one only.
    fn barrier(&self, _workers: &mut [Self::Worker]) -> Result<(), Stop> {
        Ok(())
    }
}
