//! Search strategies over a [`System`]; they know nothing else. A search answers with what it
//! [`Found`] and never prints. Its numbers are TLC's with one worker, whatever the order in which
//! the worlds of a level are expanded, and by how many workers.

mod admit;
mod batch;
mod breadth;
mod budget;
mod choices;
mod chunk;
mod claims;
mod crew;
mod deepen;
mod depth;
mod excursion;
mod expand;
mod found;
mod gate;
mod gather;
mod hand;
mod harvest;
mod initial;
mod judge;
mod key;
mod labels;
mod ledger;
mod level;
mod links;
mod liveness;
mod log;
mod memory;
mod muster;
mod pages;
mod phases;
mod portion;
mod progress;
mod random;
mod receipts;
mod replay;
mod report;
mod sample;
mod seen;
mod settle;
mod share;
mod simulate;
mod slots;
mod spare;
mod store;
mod stride;
mod sync;
mod tally;
mod unwritten;
mod walker;
mod wave;
mod way;
mod window;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::error::Error;
use crate::property::{Property, Rule};
use crate::system::System;

use sample::Sample;

pub use found::{Found, Liveness, Suspicion, Verdict, Violation};
pub use progress::Progress;
pub use receipts::Receipts;
pub use replay::{Run, confirm, confirm_among, follow, replay};

/// How to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// Everything, breadth first: the shortest counterexample.
    Breadth,
    /// Depth first, to paths of so many states: in little memory a violation, not a shortest one.
    /// What it stores, its verdict, and where nothing is wrong all that it counts are those of a
    /// breadth-first search bound to this depth. A world that is reached again on a shorter way is
    /// expanded again, and counted once.
    Depth {
        /// The states of a path, at most.
        bound: u64,
    },
    /// Depth first to 1, 2, 3 … states, up to a bound: a shortest counterexample. `generated` and the
    /// receipts are of all rounds together, the other counts of the last.
    Iterative {
        /// The states of a path, at most.
        bound: u64,
    },
    /// Seeded random walks; never a pass.
    Simulate {
        /// How many walks.
        walks: u64,
        /// The states of a walk, at most.
        depth: u64,
    },
}

/// Random walks that look for what never comes true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walks {
    /// How many.
    pub walks: u64,
    /// Of how many steps.
    pub length: u64,
}

/// Is told of the worlds that a search stores.
pub trait Observer {
    /// Called once for each stored world: at the end of its level in the order of indices, or depth
    /// first when it is stored.
    fn stored(&mut self, world: &[u8]);

    /// Whether it wants to be called.
    fn observes(&self) -> bool {
        true
    }
}

impl Observer for () {
    fn stored(&mut self, _: &[u8]) {}

    fn observes(&self) -> bool {
        false
    }
}

/// A search to be run.
pub struct Search<'a> {
    /// How to search.
    pub strategy: Strategy,
    /// The states of a path, at most; at least 1.
    pub depth: Option<u64>,
    /// The worlds stored, at most; at least 1. Not for walks, which store none. One that breaks a
    /// rule is reported, and counted, even where it is the first too many.
    pub max_states: Option<u64>,
    /// Bytes of memory for what is stored and what is under way, at most; `None` for as much as there
    /// is. A search that needs more is incomplete, and what it counted is exact. Breadth first, and
    /// not for what is decided behind a complete search.
    pub max_memory: Option<u64>,
    /// Whether a world in which nothing is possible, and no [`crate::property::Rule::Terminal`]
    /// holds, breaks the rule [`crate::property::DEADLOCK`]. It is found when the world is expanded,
    /// so a violation of the level behind it that is generated before comes first.
    pub deadlock: bool,
    /// Go on behind a broken rule: a world that breaks one is reported, stored and expanded like any
    /// other, and a step that does is reported. A deadlock ends the search all the same, as in TLC;
    /// so does whatever cannot be checked. Breadth first, or depth first to a bound.
    pub keep_going: bool,
    /// How to look at properties that must come true ([`crate::property::Rule::Eventually`]) where the
    /// search is not complete, so that they cannot be decided; `None` for not at all. A complete
    /// search that finds nothing wrong always decides them.
    pub liveness: Option<Walks>,
    /// The seed of everything drawn.
    pub seed: u64,
    /// How many threads expand worlds; 0 for one on each processor that this process may use. What is
    /// found is the same, but for where an interrupt ends the search. What must come true is looked at
    /// by one.
    pub workers: usize,
    /// Becomes `true` when the search shall end early.
    pub stop: &'a AtomicBool,
    /// The shortest time between two reports of progress.
    pub progress_every: Duration,
    /// Expand the worlds of each level, or what else workers share out, in a random order of this
    /// seed, and let all of them do so however little it is. What is found is the same; the tests hold
    /// the search to that.
    pub shuffle: Option<u64>,
    /// Depth first, so many worlds are expanded at once; `None` for one at first, and then more. This
    /// is part of the order of the search.
    pub width: Option<usize>,
    /// Look at so many transitions at once; `None` for what is fastest. What is found is the same; the
    /// tests hold the search to that.
    pub batch: Option<usize>,
}

impl<'a> Search<'a> {
    /// Breadth first without bounds, by one worker, told of progress twice a second.
    pub fn new(stop: &'a AtomicBool) -> Self {
        Search {
            strategy: Strategy::Breadth,
            depth: None,
            max_states: None,
            max_memory: None,
            deadlock: false,
            keep_going: false,
            liveness: None,
            seed: 0,
            workers: 1,
            stop,
            progress_every: Duration::from_millis(500),
            shuffle: None,
            width: None,
            batch: None,
        }
    }

    /// How many threads the search runs on.
    pub fn threads(&self) -> usize {
        match self.workers {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            workers => workers,
        }
    }

    /// Search `system` for worlds and steps that break `properties`. `observer` and `progress` are
    /// called on this thread only.
    pub fn run<S: System>(
        &self,
        system: &S,
        properties: &[Property],
        observer: &mut dyn Observer,
        progress: &mut dyn FnMut(&Progress),
    ) -> Found {
        if let Err(error) = self.check(properties) {
            return Found::troubled(error.into(), None);
        }
        let mut pace = progress::Pace::new(self.progress_every, progress);
        let (pace, sample) = (&mut pace, &mut Sample::new(self.seed, self.liveness.is_some()));
        let found = match self.strategy {
            Strategy::Breadth => breadth::run(self, system, properties, observer, sample, pace),
            Strategy::Depth { bound } => {
                let bounds = [self.at_most(bound)];
                deepen::run(self, bounds, system, properties, observer, sample, pace)
            }
            Strategy::Iterative { bound } => {
                let bounds = 1..=self.at_most(bound);
                deepen::run(self, bounds, system, properties, observer, sample, pace)
            }
            Strategy::Simulate { walks, depth } => {
                simulate::run(self, walks, self.at_most(depth), system, properties, pace)
            }
        };
        liveness::decide(self, system, properties, sample, found)
    }

    /// A strategy's bound on depth, cut by that of all strategies.
    fn at_most(&self, bound: u64) -> u64 {
        self.depth.map_or(bound, |depth| depth.min(bound))
    }

    fn check(&self, properties: &[Property]) -> Result<(), Error> {
        let awaited = properties.iter().any(|it| matches!(it.rule, Rule::Eventually { .. }));
        let bound = match self.strategy {
            Strategy::Breadth => self.depth,
            Strategy::Depth { bound } | Strategy::Iterative { bound } => Some(self.at_most(bound)),
            Strategy::Simulate { depth, .. } => Some(self.at_most(depth)),
        };
        let walks = matches!(self.strategy, Strategy::Simulate { .. });
        let fault = if bound == Some(0) {
            "a depth of 0 leaves no state to look at; give 1 or more"
        } else if self.max_states == Some(0) {
            "a bound of 0 states leaves nothing to look at; give 1 or more"
        } else if self.max_states.is_some() && walks {
            "random walks store no states; leave the bound on states out"
        } else if self.keep_going && walks {
            "random walks end at the first violation; do not ask them to keep going"
        } else if self.keep_going && matches!(self.strategy, Strategy::Iterative { .. }) {
            "iterative deepening ends at a shortest counterexample; search breadth first to keep going"
        } else if self.liveness.is_some_and(|bounds| bounds.walks == 0 || bounds.length == 0) {
            "no walks, or walks of no step, look at nothing; give 1 or more"
        } else if self.liveness.is_some() && !awaited {
            "there is no property that must come true for long walks to look at; leave them out, or \
             check an [eventually] property"
        } else {
            return Ok(());
        };
        Err(Error::Argument(fault.into()))
    }

    fn interrupted(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
