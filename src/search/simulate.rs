//! Seeded random walks. Walk `i` draws from stream `i` of the seed, so each is reproducible by
//! itself. Uniform among the initial worlds, among the actions of a world, and in each choice. A
//! world outside the constraints is judged and ends its walk. A walk that finds nothing proves
//! nothing: the verdict is never a pass.
//!
//! The workers take the walks of a batch ([`super::excursion`]). What is found is what the walks up to
//! the first in trouble find one after the other, that with the smallest number: those behind it do
//! not count, whether they were taken or not. The size of a batch does not depend on how many workers
//! there are, so neither do the system's barriers.

use std::sync::RwLock;
use std::sync::atomic::Ordering;

use super::Search;
use super::crew::Crew;
use super::excursion::{self, Excursion, Starts, State, Told, Walk, read, write};
use super::found::{Found, Verdict};
use super::initial::Initial;
use super::judge::Judge;
use super::links::Links;
use super::muster::Muster;
use super::progress::{Pace, Progress};
use super::receipts::Receipts;
use super::seen::Seen;
use crate::property::Property;
use crate::system::{Stop, System};

struct Simulation<'a, 'p, S: System> {
    search: &'a Search<'a>,
    system: &'p S,
    crew: &'a Crew<S::Worker>,
    excursion: &'a RwLock<Excursion<'p, S>>,
    told: &'a Told,
    /// Whether the bound on depth cut a walk.
    cut: bool,
    /// The initial world of every walk, and its steps.
    generated: u64,
    receipts: Receipts,
    longest: u64,
}

pub(super) fn run<S: System>(
    search: &Search<'_>,
    walks: u64,
    depth: u64,
    system: &S,
    properties: &[Property],
    pace: &mut Pace<'_>,
) -> Found {
    let excursion = RwLock::new(Excursion::new(system, depth, Judge::new(properties, false)));
    let told = Told::default();
    let lead = |crew: &Crew<S::Worker>| {
        let mut links = Links::default();
        let initial = crew.first(|worker| {
            let judge = &mut write(&excursion).judge;
            Initial::of(system, worker, judge, u64::MAX, &mut Seen::default(), &mut links)
        });
        if let Some(found) = initial.missing() {
            return found;
        }
        let count = initial.worlds.len() as u64;
        let ordinals = (0..count).map(|at| links.trace(at, None).initial).collect();
        write(&excursion).starts = Starts { worlds: initial.worlds, ordinals };
        let simulation = Simulation {
            search,
            system,
            crew,
            excursion: &excursion,
            told: &told,
            cut: false,
            generated: 0,
            receipts: Receipts::default(),
            longest: 0,
        };
        simulation.run(walks, pace)
    };
    let found = Crew::run(search.threads(), &|number| system.worker(number), lead);
    found.unwrap_or_else(|stop| Found::troubled(stop.into(), None))
}

impl<S: System> Simulation<'_, '_, S> {
    fn run(mut self, walks: u64, pace: &mut Pace<'_>) -> Found {
        let mut found = match self.walks(walks, pace) {
            Ok(None) => Found {
                why: Some(format!("{walks} random walks broke nothing; walks are never a pass")),
                ..Found::new(Verdict::Incomplete)
            },
            Ok(Some(found)) => found,
            Err(stop) => Found::troubled(stop.into(), None),
        };
        if self.cut {
            found.bounds.push("depth".into());
        }
        Found {
            generated: Some(self.generated),
            depth: (self.longest > 0).then_some(self.longest),
            receipts: self.receipts,
            unreached: read(self.excursion).judge.unreached(),
            ..found
        }
    }

    /// Take walks; what ended them early, if anything did.
    fn walks(&mut self, walks: u64, pace: &mut Pace<'_>) -> Result<Option<Found>, Stop> {
        self.rest()?;
        let (excursion, search, told) = (self.excursion, self.search, self.told);
        let job = |_: usize, worker: &mut S::Worker, tick: &mut dyn FnMut()| {
            excursion::serve(excursion, search, worker, told, tick);
        };
        let most = read(self.excursion).most();
        // Whole walks are worth it.
        let mut muster = Muster::new(self.search.shuffle.is_some() || !self.system.in_step());
        let mut first = 0;
        while first < walks {
            let count = most.min(walks - first);
            write(self.excursion).begin(self.search, first, count);
            let mut tick = || {
                pace.tick(|| {
                    let told = self.told;
                    Progress {
                        distinct: None,
                        generated: told.generated.load(Ordering::Relaxed),
                        depth: told.longest.load(Ordering::Relaxed),
                        queue: None,
                        walks: Some(told.finished.load(Ordering::Relaxed)),
                    }
                });
            };
            loop {
                muster.round(self.crew, &job, count as usize, &mut tick);
                if self.search.interrupted() || !write(self.excursion).goes_on() {
                    break;
                }
                self.rest()?;
            }
            if let Some(found) = self.count() {
                return Ok(Some(found));
            }
            self.rest()?;
            first += count;
        }
        Ok(None)
    }

    fn rest(&self) -> Result<(), Stop> {
        let rested = self.crew.gather(|workers| self.system.barrier(workers));
        rested.unwrap_or_else(|error| Err(error.into()))
    }

    /// Count the walks of a batch, in order, up to the first in trouble; what ended the search, if
    /// anything did.
    fn count(&mut self) -> Option<Found> {
        let mut excursion = write(self.excursion);
        let (mut found, mut unfinished) = (None, false);
        for walk in excursion.finish() {
            self.generated += walk.generated();
            let Walk { number, walker, cut, state, .. } = walk;
            self.receipts.merge(&walker.receipts);
            self.longest = self.longest.max(walker.longest);
            excursion.judge.reach(&walker.reached);
            match state {
                State::Over => self.cut |= cut,
                State::InTrouble(trouble) => {
                    let troubled = Found::troubled(trouble, Some(walker.trace));
                    found = Some(Found { walk: Some(number), ..troubled });
                }
                State::Before | State::UnderWay | State::Stopped => unfinished = true,
            }
        }
        match found {
            None if unfinished || self.search.interrupted() => Some(Found::bounded("interrupt")),
            Some(mut found) if unfinished => {
                // Then a walk before may have found something too.
                found.bounds.push("interrupt".into());
                Some(found)
            }
            found => found,
        }
    }
}
