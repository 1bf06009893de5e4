//! What the workers of a breadth-first search share, and what each does with it when it is called.

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::Search;
use super::fresh::{self, Fresh, Shared};
use super::intake::Alone;
use super::judge::Judge;
use super::level::Level;
use super::links::Links;
use super::round::{Count, Known, Round};
use super::rows::Rows;
use super::seen::Seen;
use super::store::Store;
use crate::system::System;

/// What the workers read during a round, and the calling thread writes between rounds. The lock
/// never waits: it says so to the compiler.
pub(super) struct Stage<'a> {
    pub(super) judge: Judge<'a>,
    pub(super) seen: Seen,
    pub(super) links: Links,
    /// The new worlds of a worker that is alone; between rounds their memory.
    pub(super) rows: Rows,
    /// Those of the others.
    pub(super) fresh: Fresh,
    /// The level whose worlds are expanded next.
    pub(super) level: Level,
    pub(super) phase: Phase,
}

/// What the workers do.
pub(super) enum Phase {
    Rest,
    /// Expand the level.
    Expand(Round),
    /// Store what they found there.
    Store(Store),
}

impl<'p> Stage<'p> {
    /// Empty, and at rest.
    pub(super) fn new(judge: Judge<'p>) -> Self {
        Stage {
            judge,
            seen: Seen::default(),
            links: Links::default(),
            rows: Rows::default(),
            fresh: Fresh::default(),
            level: Level::default(),
            phase: Phase::Rest,
        }
    }
}

pub(super) fn read<'s, 'p>(stage: &'s RwLock<Stage<'p>>) -> RwLockReadGuard<'s, Stage<'p>> {
    stage.read().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn write<'s, 'p>(stage: &'s RwLock<Stage<'p>>) -> RwLockWriteGuard<'s, Stage<'p>> {
    stage.write().unwrap_or_else(PoisonError::into_inner)
}

/// What a worker does when it is called.
pub(super) fn serve<S: System>(
    stage: &RwLock<Stage<'_>>,
    search: &Search<'_>,
    system: &S,
    alone: bool,
    worker: &mut S::Worker,
    count: &Count,
    tick: &mut dyn FnMut(),
) {
    if alone {
        let Stage { judge, seen, links, level, rows, phase, .. } = &mut *write(stage);
        let known = Known { search, judge, large: seen.is_large(), links, level };
        if let Phase::Expand(round) = phase {
            round.work(system, known, Alone { seen, rows }, worker, count, tick);
        }
        return;
    }
    let Stage { judge, seen, links, level, fresh, phase, .. } = &*read(stage);
    let known = Known { search, judge, large: seen.is_large(), links, level };
    match phase {
        Phase::Expand(round) => {
            let size = search.batch.unwrap_or(if known.large { fresh::LARGE } else { 1 });
            let intake = Shared::new(seen, fresh, size, search.shuffle.is_none());
            round.work(system, known, intake, worker, count, tick);
        }
        Phase::Store(store) => store.work(seen),
        Phase::Rest => unreachable!("a phase begins before workers are called"),
    }
}
