//! Looks for what never comes true where a search is not complete, after MaceMC (Killian, Anderson,
//! Jhala, Vahdat, *Life, death, and the critical transition*, NSDI 2007): long random walks from
//! initial worlds and from a sample of the stored ones. On a walk of the full length on which a
//! property does not come true, its critical transition is searched by bisection: the step before
//! which random walks still made it true, and behind which none did.
//!
//! That no walk of some number and length made it true is no proof: it is a suspicion, and the search
//! stays incomplete. What breaks a rule on a walk, or ends where nothing is possible before the
//! property came true, is a violation like any other. That nothing is suspected means nothing.

use super::super::found::{Found, Liveness, Suspicion, Violation};
use super::super::initial::Initial;
use super::super::judge::{Judge, Trouble};
use super::super::links::Links;
use super::super::random::Random;
use super::super::sample::Sample;
use super::super::seen::Seen;
use super::super::walker::Walker;
use super::super::{Search, Walks};
use super::Awaited;
use crate::property::Property;
use crate::system::System;
use crate::trace::Trace;

/// Walks from each state that the bisection looks at.
const TRIED: u64 = 20;

/// Their streams of the seed: other ones than those of a simulation and of the sample.
const WALKS: u64 = 1 << 62;
const TRIES: u64 = 1 << 63;

/// Why the walks end early.
type Ended = Box<Found>;

struct Look<'a, S: System> {
    search: &'a Search<'a>,
    length: u64,
    worker: S::Worker,
    walker: Walker<'a, S>,
    initial: Initial,
    /// The ordinals of the initial worlds.
    links: Links,
    suspicions: Vec<Suspicion>,
    /// Bisections so far.
    tries: u64,
}

/// What `found`, which is incomplete, becomes when `bounds` walks were taken.
pub(super) fn look<S: System>(
    search: &Search<'_>,
    bounds: Walks,
    system: &S,
    properties: &[Property],
    sample: &Sample,
    found: Found,
) -> Found {
    let mut worker = match system.worker(0) {
        Ok(worker) => worker,
        Err(stop) => return found.overruled(Found::troubled(stop.into(), None)),
    };
    let (mut links, mut judge) = (Links::default(), Judge::new(properties, false));
    let initial =
        Initial::of(system, &mut worker, &mut judge, u64::MAX, &mut Seen::default(), &mut links);
    if let Some(missing) = initial.missing() {
        return found.overruled(missing);
    }
    let walker = Walker::new(system, judge, 0);
    let (length, suspicions) = (bounds.length, Vec::new());
    let mut look = Look { search, length, worker, walker, initial, links, suspicions, tries: 0 };
    let awaited: Vec<_> = Awaited::among(properties).collect();
    for walk in 0..bounds.walks {
        if search.interrupted() {
            return found.overruled(Found::interrupted());
        }
        if let Err(ended) = look.walk(walk, sample, &awaited) {
            return Found { liveness: Some(Liveness::Walks), ..found.overruled(*ended) };
        }
        let rested = system.barrier(std::slice::from_mut(&mut look.worker));
        if let Err(stop) = rested {
            return found.overruled(Found::troubled(stop.into(), None));
        }
    }
    let suspicions = look.suspicions;
    let why = suspicions.first().map(|Suspicion { property, length, .. }| {
        format!("\"{property}\" came true on no walk of {length} steps: a suspicion, and no proof")
    });
    let why = why.or(found.why);
    Found { liveness: Some(Liveness::Walks), suspicions, why, ..found }
}

impl<S: System> Look<'_, S> {
    /// Take a walk, and look into what does not come true on it.
    fn walk(&mut self, number: u64, sample: &Sample, awaited: &[Awaited<'_>]) -> Result<(), Ended> {
        let mut random = Random::new(self.search.seed, WALKS | number);
        let traces = sample.traces();
        let start = match number % 2 == 1 && !traces.is_empty() {
            true => traces[random.below(traces.len())].clone(),
            false => self.links.trace(random.below(self.initial.worlds.len()) as u64, None),
        };
        let mut unmet: Vec<_> = awaited.to_vec();
        unmet.retain(|it| !self.suspicions.iter().any(|known| known.property == it.property.name));
        self.begin(&start);
        self.miss(&mut unmet)?;
        for label in &start.labels {
            if let Err(trouble) = self.walker.follow(&mut self.worker, label) {
                return Err(self.troubled(trouble));
            }
            self.miss(&mut unmet)?;
        }
        if !self.go_on(&mut random, &mut unmet)? {
            return Ok(());
        }
        let trace = self.walker.trace.clone();
        for awaited in unmet {
            let suspicion = self.suspect(awaited, &trace)?;
            self.suspicions.extend(suspicion);
        }
        Ok(())
    }

    /// Go on at random for the full length, as long as anything is unmet; answers whether it came to
    /// the full length with something unmet.
    fn go_on(&mut self, random: &mut Random, unmet: &mut Vec<Awaited<'_>>) -> Result<bool, Ended> {
        for _ in 0..self.length {
            let Some(first) = unmet.first().copied() else { return Ok(false) };
            match self.walker.can_act(&mut self.worker) {
                Ok(true) => (),
                Ok(false) => {
                    if self.search.deadlock
                        && let Err(trouble) = self.walker.end()
                    {
                        return Err(self.troubled(trouble));
                    }
                    return match self.walker.system.bound(&self.walker.world) {
                        None => Err(self.never(first)),
                        // Nobody knows how it would go on.
                        Some(_) => Ok(false),
                    };
                }
                Err(stop) => return Err(self.troubled(stop.into())),
            }
            match self.walker.draw(&mut self.worker, random) {
                Ok(true) => self.miss(unmet)?,
                // Nobody knows how it would go on.
                Ok(false) => return Ok(false),
                Err(trouble) => return Err(self.troubled(trouble)),
            }
            if self.search.interrupted() {
                return Ok(false);
            }
        }
        Ok(!unmet.is_empty())
    }

    /// Search the critical transition of a walk on which `awaited` does not come true. `None` when it
    /// does come true behind the walk.
    fn suspect(&mut self, awaited: Awaited<'_>, trace: &Trace) -> Result<Option<Suspicion>, Ended> {
        let last = trace.labels.len();
        if self.may_come(awaited, trace, last)? {
            return Ok(None);
        }
        let critical = if self.may_come(awaited, trace, 0)? {
            let (mut alive, mut dead) = (0, last);
            while dead - alive > 1 {
                let middle = alive + (dead - alive) / 2;
                match self.may_come(awaited, trace, middle)? {
                    true => alive = middle,
                    false => dead = middle,
                }
            }
            Some(dead as u64)
        } else {
            None
        };
        let property = awaited.property.name.clone();
        let (trace, length) = (trace.clone(), self.length);
        // An interrupt looks like a walk on which nothing came true.
        let suspicion = Suspicion { property, trace, critical, tried: TRIED, length };
        Ok((!self.search.interrupted()).then_some(suspicion))
    }

    /// Whether some random walk from state `at` of `trace` makes `awaited` true.
    fn may_come(&mut self, awaited: Awaited<'_>, trace: &Trace, at: usize) -> Result<bool, Ended> {
        self.begin(trace);
        for label in &trace.labels[..at] {
            if let Err(trouble) = self.walker.follow(&mut self.worker, label) {
                return Err(self.troubled(trouble));
            }
        }
        let (world, way) = (self.walker.world.clone(), self.walker.trace.clone());
        for _ in 0..TRIED {
            let mut random = Random::new(self.search.seed, TRIES | self.tries);
            self.tries += 1;
            self.walker.stand(&world, way.clone());
            let mut unmet = vec![awaited];
            self.go_on(&mut random, &mut unmet)?;
            if unmet.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Stand in the initial world of `trace`.
    fn begin(&mut self, trace: &Trace) {
        let ordinal = trace.initial;
        let at = (0..self.initial.worlds.len())
            .find(|&at| self.links.trace(at as u64, None).initial == ordinal)
            .expect("every walk begins in an initial world that was stored");
        self.walker.stand(self.initial.worlds.get(at), Trace { initial: ordinal, labels: vec![] });
    }

    /// Leave in `unmet` what is not true here.
    fn miss(&self, unmet: &mut Vec<Awaited<'_>>) -> Result<(), Ended> {
        let view = self.walker.system.view(&self.walker.world);
        let mut failed = None;
        unmet.retain(|awaited| match (awaited.holds)(&view) {
            Ok(holds) => !holds,
            Err(error) => {
                failed.get_or_insert((awaited.property.name.clone(), error));
                true
            }
        });
        match failed {
            None => Ok(()),
            Some((name, error)) => {
                Err(self.troubled(Trouble::Failed { property: Some(name), error }))
            }
        }
    }

    fn troubled(&self, trouble: Trouble) -> Ended {
        Found::troubled(trouble, Some(self.walker.trace.clone())).into()
    }

    fn never(&self, awaited: Awaited<'_>) -> Ended {
        let violation = Violation::never(awaited, self.walker.trace.clone(), None);
        Found::violated(vec![violation], 1).into()
    }
}
