//! A batch of walks. What a walk draws depends on the seed and on its number alone, and each keeps
//! what it finds for itself; so it does not matter which worker takes it, nor when.
//!
//! Walks are taken from their beginning to their end, or all in step, where the system wants its
//! barrier behind each step ([`System::in_step`]). One in trouble makes those behind it useless: they
//! are given up, in step behind the round, so that what the system was asked does not depend on timing.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::Search;
use super::crew::{guarded, held};
use super::judge::{Judge, Trouble};
use super::level::Worlds;
use super::random::Random;
use super::walker::Walker;
use crate::error::Error;
use crate::system::System;
use crate::trace::Trace;

/// Walks of a batch where each is taken to its end. None is taken in vain, so there may be many.
const AT_ONCE: u64 = 1024;
/// Walks of a batch in step. When one ends the search, those behind it were taken in vain so far.
const IN_STEP: u64 = 64;

/// Where walks begin.
#[derive(Default)]
pub(super) struct Starts {
    pub(super) worlds: Worlds,
    /// Their ordinals among the initial worlds.
    pub(super) ordinals: Vec<u64>,
}

/// The batch, which the workers read in a round; the calling thread writes between rounds.
pub(super) struct Excursion<'p, S: System> {
    system: &'p S,
    /// The states of a walk, at most.
    depth: u64,
    pub(super) judge: Judge<'p>,
    pub(super) starts: Starts,
    walks: Vec<Mutex<Walk<'p, S>>>,
    /// In which order they are taken, if not in their own.
    order: Option<Vec<usize>>,
    taken: AtomicUsize,
    /// Where there is trouble: nothing behind this walk counts.
    limit: AtomicUsize,
}

/// What is told of the walks as progress.
#[derive(Default)]
pub(super) struct Told {
    pub(super) finished: AtomicU64,
    pub(super) generated: AtomicU64,
    pub(super) longest: AtomicU64,
}

/// A walk, on cache lines of its own: who takes the next one writes to it with each step.
#[repr(align(128))]
pub(super) struct Walk<'p, S: System> {
    pub(super) number: u64,
    pub(super) walker: Walker<'p, S>,
    random: Random,
    /// Whether the bound on depth cut it.
    pub(super) cut: bool,
    pub(super) state: State,
}

/// How far a walk is.
pub(super) enum State {
    /// It did not begin.
    Before,
    UnderWay,
    Over,
    InTrouble(Trouble),
    /// In the middle of a step, by whoever stops the search.
    Stopped,
}

pub(super) fn read<'s, 'p, S: System>(
    excursion: &'s RwLock<Excursion<'p, S>>,
) -> RwLockReadGuard<'s, Excursion<'p, S>> {
    excursion.read().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn write<'s, 'p, S: System>(
    excursion: &'s RwLock<Excursion<'p, S>>,
) -> RwLockWriteGuard<'s, Excursion<'p, S>> {
    excursion.write().unwrap_or_else(PoisonError::into_inner)
}

impl<'p, S: System> Excursion<'p, S> {
    /// No walks yet; of at most `depth` states.
    pub(super) fn new(system: &'p S, depth: u64, judge: Judge<'p>) -> Self {
        Excursion {
            system,
            depth,
            judge,
            starts: Starts::default(),
            walks: Vec::new(),
            order: None,
            taken: AtomicUsize::new(0),
            limit: AtomicUsize::new(usize::MAX),
        }
    }

    /// How many walks a batch has, at most.
    pub(super) fn most(&self) -> u64 {
        if self.system.in_step() { IN_STEP } else { AT_ONCE }
    }

    /// Begin `count` walks with numbers from `first`.
    pub(super) fn begin(&mut self, search: &Search<'_>, first: u64, count: u64) {
        let walk = |at: u64| Walk {
            number: first + at,
            walker: Walker::new(self.system, self.judge.clone(), at),
            random: Random::new(search.seed, first + at),
            cut: false,
            state: State::Before,
        };
        self.walks = (0..count).map(|at| Mutex::new(walk(at))).collect();
        self.order = search.shuffle.map(|seed| {
            let mut order: Vec<_> = (0..self.walks.len()).collect();
            Random::new(seed, first).shuffle(&mut order);
            order
        });
        *self.limit.get_mut() = usize::MAX;
        *self.taken.get_mut() = 0;
    }

    /// The end of a round: whether another one is needed.
    pub(super) fn goes_on(&mut self) -> bool {
        *self.taken.get_mut() = 0;
        let mut under_way = false;
        for (at, walk) in self.walks.iter_mut().enumerate() {
            match walk.get_mut().unwrap_or_else(PoisonError::into_inner).state {
                State::InTrouble(_) => {
                    *self.limit.get_mut() = at;
                    break;
                }
                State::Before | State::UnderWay => under_way = true,
                State::Over | State::Stopped => (),
            }
        }
        under_way
    }

    /// The end of the batch: its walks, in order, up to the first in trouble.
    pub(super) fn finish(&mut self) -> impl Iterator<Item = Walk<'p, S>> + use<'p, S> {
        self.goes_on();
        let limit = *self.limit.get_mut();
        let walks = std::mem::take(&mut self.walks).into_iter().take(limit.saturating_add(1));
        walks.map(|walk| walk.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn take(&self) -> Option<usize> {
        let at = self.taken.fetch_add(1, Ordering::Relaxed);
        (at < self.walks.len()).then(|| self.order.as_ref().map_or(at, |order| order[at]))
    }
}

/// Take walks of the batch, until none is left: to their ends, or one step of each.
pub(super) fn serve<S: System>(
    excursion: &RwLock<Excursion<'_, S>>,
    search: &Search<'_>,
    worker: &mut S::Worker,
    told: &Told,
    tick: &mut dyn FnMut(),
) {
    let excursion = read(excursion);
    let Excursion { system, limit, .. } = &*excursion;
    let in_step = system.in_step();
    while !search.interrupted()
        && let Some(at) = excursion.take()
    {
        let walk = &mut *held(&excursion.walks[at]);
        if walk.is_over() {
            continue;
        }
        let before = walk.generated();
        let useless = || at > limit.load(Ordering::Relaxed) || search.interrupted();
        let gone = guarded(|| {
            while !walk.is_over() && !useless() {
                if !walk.go(&excursion, search, worker)? {
                    walk.state = State::Over;
                } else if in_step {
                    break;
                }
            }
            Ok(())
        });
        match gone.unwrap_or_else(|panic| Err(panic.into())) {
            Ok(()) if walk.is_over() => walk.walker.leave(),
            Ok(()) => (),
            // No trouble of this walk: another one may have found something, which is worth more.
            Err(Trouble::Failed { error: Error::Interrupted, .. }) => walk.state = State::Stopped,
            Err(trouble) => {
                walk.state = State::InTrouble(trouble);
                if !in_step {
                    limit.fetch_min(at, Ordering::Relaxed);
                }
            }
        }
        told.generated.fetch_add(walk.generated() - before, Ordering::Relaxed);
        told.finished.fetch_add(u64::from(walk.is_over()), Ordering::Relaxed);
        told.longest.fetch_max(walk.walker.longest, Ordering::Relaxed);
        tick();
    }
}

impl<S: System> Walk<'_, S> {
    fn is_over(&self) -> bool {
        !matches!(self.state, State::Before | State::UnderWay)
    }

    /// Worlds that were generated on it, the initial one included.
    pub(super) fn generated(&self) -> u64 {
        self.walker.generated + u64::from(!matches!(self.state, State::Before))
    }

    /// Begin, and take a step; whether it goes on.
    fn go(
        &mut self,
        excursion: &Excursion<'_, S>,
        search: &Search<'_>,
        worker: &mut S::Worker,
    ) -> Result<bool, Trouble> {
        if matches!(self.state, State::Before) {
            let Starts { worlds, ordinals } = &excursion.starts;
            let start = self.random.below(worlds.len());
            let trace = Trace { initial: ordinals[start], labels: Vec::new() };
            self.walker.stand(worlds.get(start), trace);
            self.state = State::UnderWay;
        }
        if !self.walker.can_act(worker)? {
            return match search.deadlock {
                true => self.walker.end().map(|()| false),
                false => Ok(false),
            };
        }
        if self.walker.trace.states() == excursion.depth {
            self.cut = true;
            return Ok(false);
        }
        self.walker.draw(worker, &mut self.random)
    }
}
