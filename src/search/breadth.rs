//! Breadth first, level by level. The worlds of a level may be expanded in any order and by any
//! number of workers ([`super::key`] says why); its new worlds are numbered when it ends. A level
//! that ends in an event is cut at that event, and the system's barrier is not called for it.

use std::mem::{replace, take};
use std::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::crew::Crew;
use super::expand::Expander;
use super::found::{End, Found, TOLD, Violation};
use super::hand::Event;
use super::initial::Initial;
use super::judge::{Judge, Judged, Trouble};
use super::key::Key;
use super::level::Level;
use super::newcomers::Newcomers;
use super::progress::{Pace, Progress};
use super::receipts::Receipts;
use super::report::{Part, Place, Report, Reports};
use super::round::{Count, Round};
use super::sample::Sample;
use super::stage::{Phase, Stage, read, serve, write};
use super::store::Store;
use super::{Observer, Search};
use crate::action::Label;
use crate::fingerprint::collision_estimate;
use crate::property::Property;
use crate::system::System;

/// Fewer new worlds than this are nothing to wake anybody for.
const FEW: usize = 1 << 12;

struct Breadth<'a, 'p, S: System> {
    search: &'a Search<'a>,
    system: &'a S,
    crew: &'a Crew<'a, S::Worker>,
    counts: &'a [Count],
    /// Whether one worker goes through every level in order.
    alone: bool,
    stage: &'a RwLock<Stage<'p>>,
    /// The number of the level; also the largest level of a stored world.
    depth: u64,
    generated: u64,
    receipts: Receipts,
    /// What was broken and did not end the search.
    violations: Vec<Violation>,
    violation_count: u64,
}

pub(super) fn run<S: System>(
    search: &Search<'_>,
    system: &S,
    properties: &[Property],
    observer: &mut dyn Observer,
    sample: &mut Sample,
    pace: &mut Pace<'_>,
) -> Found {
    let stage = RwLock::new(Stage::new(Judge::new(properties, search.keep_going)));
    let workers = search.threads();
    // In another order a world may be met by its smallest key last.
    let alone = workers == 1 && search.shuffle.is_none();
    let counts: Vec<Count> = (0..workers).map(|_| Count::default()).collect();
    let job = |number: usize, worker: &mut S::Worker, tick: &mut dyn FnMut()| {
        serve(&stage, search, system, alone, worker, &counts[number], tick);
    };
    let lead = |crew: &Crew<'_, S::Worker>| {
        let breadth = Breadth {
            search,
            system,
            crew,
            counts: &counts,
            alone,
            stage: &stage,
            depth: 1,
            generated: 0,
            receipts: Receipts::default(),
            violations: Vec::new(),
            violation_count: 0,
        };
        let found = breadth.run(observer, pace);
        let links = &read(&stage).links;
        sample.draw(links.len(), |index| links.trace(index, None));
        found
    };
    let found = Crew::run(workers, &|number| system.worker(number), &job, lead);
    found.unwrap_or_else(|stop| Found::troubled(stop.into(), None))
}

impl<'p, S: System> Breadth<'_, 'p, S> {
    fn read(&self) -> RwLockReadGuard<'_, Stage<'p>> {
        read(self.stage)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Stage<'p>> {
        write(self.stage)
    }

    fn run(mut self, observer: &mut dyn Observer, pace: &mut Pace<'_>) -> Found {
        let initial = {
            let Stage { judge, seen, links, .. } = &mut *self.write();
            let most = self.search.max_states.unwrap_or(u64::MAX);
            self.crew.first(|worker| Initial::of(self.system, worker, judge, most, seen, links))
        };
        if let Some(found) = initial.missing() {
            return found;
        }
        self.generated = initial.generated;
        self.violations = initial.violations;
        self.violation_count = initial.violation_count;
        self.write().level = Level::initial(initial.worlds);
        self.observe(observer);
        let mut count = self.read().level.len();
        if initial.full {
            return self.finish(End::Bound("states"), count as u64);
        }
        loop {
            let barrier = self.crew.gather(|workers| self.system.barrier(workers));
            if let Err(stop) = barrier.unwrap_or_else(|error| Err(error.into())) {
                return self.finish(End::Trouble(stop.into(), None), count as u64);
            }
            if count == 0 {
                return self.finish(End::Complete, 0);
            }
            if self.search.depth == Some(self.depth) {
                let (end, left) = self.look_at_the_last_level();
                return self.finish(end, left);
            }
            let round = self.expand(count, pace);
            if let Some(found) = self.settle(round, observer) {
                return found;
            }
            count = self.read().level.len();
        }
    }

    /// Expand the `count` worlds of the level, all but those behind an event.
    fn expand(&mut self, count: usize, pace: &mut Pace<'_>) -> Round {
        let stored = {
            let Stage { level, links, phase, .. } = &mut *self.write();
            let workers = self.crew.len();
            let round = Round::new(self.search, workers, self.depth, level, links.len());
            *phase = Phase::Expand(round);
            links.len()
        };
        self.counts.iter().for_each(|count| count.write(0, 0, 0));
        let mut tick = || {
            pace.tick(|| {
                let sum = |all: [u64; 3], one: &Count| {
                    let one = one.read();
                    [all[0] + one[0], all[1] + one[1], all[2] + one[2]]
                };
                let [expanded, generated, fresh] = self.counts.iter().fold([0; 3], sum);
                Progress {
                    distinct: Some(stored + fresh),
                    generated: self.generated + generated,
                    depth: self.depth,
                    queue: Some((count as u64).saturating_sub(expanded) + fresh),
                    walks: None,
                }
            });
        };
        // A level of one world is nothing to wake anybody for.
        self.crew.round(count, &mut tick);
        match self.rest() {
            Phase::Expand(round) => round,
            _ => unreachable!("only this thread changes the phase"),
        }
    }

    /// Put the fingerprints of new worlds up to `end` into the set, where they are not yet.
    fn store(&self, newcomers: &mut Newcomers, end: Option<Place>) {
        if self.alone {
            return;
        }
        {
            let Stage { seen, phase, .. } = &mut *self.write();
            *phase = Phase::Store(Store::new(seen, newcomers.take_fingerprints(end)));
        }
        self.crew.round(newcomers.len() / FEW + 1, &mut || ());
        match self.rest() {
            Phase::Store(store) => newcomers.give_back(store.finish()),
            _ => unreachable!("only this thread changes the phase"),
        }
    }

    /// The end of a phase.
    fn rest(&self) -> Phase {
        replace(&mut self.write().phase, Phase::Rest)
    }

    /// The new worlds of the level.
    fn newcomers(&self) -> Newcomers {
        let Stage { fresh, level, rows, .. } = &mut *self.write();
        match self.alone {
            true => Newcomers::alone(take(rows)),
            false => fresh.finish(level.indices()),
        }
    }

    /// End the level: number its new worlds up to the event that cuts it, if there is one, and
    /// count what was generated up to there.
    fn settle(&mut self, round: Round, observer: &mut dyn Observer) -> Option<Found> {
        let harvests = round.finish();
        let mut newcomers = self.newcomers();
        let mut ledgers = Vec::with_capacity(harvests.len());
        let mut reports = Reports::default();
        let (mut event, mut expanded, mut interrupted) = (None::<Event>, 0, false);
        for harvest in harvests {
            if let Some(new) = harvest.event
                && event.as_ref().is_none_or(|known| new.place < known.place)
            {
                event = Some(new);
            }
            expanded += harvest.expanded;
            interrupted |= harvest.interrupted;
            ledgers.push(harvest.ledger);
            reports.merge(harvest.reports);
        }
        let stored = self.read().links.len();
        let room = self.search.max_states.map(|most| most - stored);
        let full = room.and_then(|room| usize::try_from(room).ok());
        let full = full.filter(|&room| room < newcomers.len());
        let full = full.map(|room| Place { key: newcomers.key(room), part: Part::Bound });

        // At the same key a new world's own trouble comes before that of the step to it, as its
        // invariants are evaluated first, and both come before the bound on states.
        let bad = newcomers.end(&self.read().judge);
        let bad = bad.map(|key| Place { key, part: Part::World });
        let event = event.filter(|event| bad.is_none_or(|bad| event.place < bad));
        let trouble = event.as_ref().map(|event| event.place).or(bad);
        let bounded = full.is_some_and(|full| trouble.is_none_or(|trouble| full < trouble));
        let end = if bounded { full } else { trouble };
        let parents = self.read().level.first();
        self.store(&mut newcomers, end);

        let (last, trouble) = self.number(newcomers, end, &mut reports);
        let new = self.read().links.len() - stored;
        // TLC puts a world into the queue only when nothing is wrong with it and the step to it.
        let unqueued = end.is_some_and(|end| last == Some(end.key));
        let trouble = match event.filter(|_| !bounded) {
            Some(event) => Some(self.end(event.trouble, event.place.key.parent, event.label)),
            None => trouble,
        };
        for ledger in ledgers {
            let (generated, broken) = ledger.count(end, &mut self.receipts);
            self.generated += generated;
            self.violation_count += broken;
        }
        self.tell(reports.finish(end));
        self.depth += u64::from(new > 0);
        self.observe(observer);

        let why = match trouble {
            Some(trouble) => Some(trouble),
            None if bounded => Some(End::Bound("states")),
            None if interrupted => Some(End::Bound("interrupt")),
            None => None,
        };
        let expanded = end.map_or(expanded, |end| end.key.parent - parents + 1);
        let left = stored + new - parents - expanded - u64::from(unqueued);
        let mut found = self.finish(why?, left);
        // Then the level was not expanded up to the event, and the counts are not exact.
        if interrupted && !found.bounds.iter().any(|bound| bound == "interrupt") {
            found.bounds.push("interrupt".into());
        }
        Some(found)
    }

    /// Number new worlds by key, up to `end`, and make them the level. What is broken and ends
    /// nothing is counted and reported, also where it runs into the bound on states. Answers the key
    /// of the last, and the trouble of the one at which the search ends.
    fn number(
        &mut self,
        mut newcomers: Newcomers,
        end: Option<Place>,
        reports: &mut Reports,
    ) -> (Option<Key>, Option<End>) {
        let mut stage = write(self.stage);
        let Stage { judge, links, level, rows, fresh, .. } = &mut *stage;
        let first = links.len();
        let (mut last, mut bad) = (None, None);
        for rank in 0..newcomers.len() {
            let key = newcomers.key(rank);
            if end.is_some_and(|end| key > end.key) {
                break;
            }
            let fits = end.is_none_or(|end| key < end.key || end.part != Part::Bound);
            let (label, said) = newcomers.take(rank);
            let Judged { reached, trouble } = said.map_or_else(Judged::default, |said| *said);
            match trouble {
                None => (),
                Some(Trouble::Broken { property, why }) if self.search.keep_going => {
                    self.violation_count += 1;
                    let place = Place { key, part: Part::World };
                    reports.add(Report { place, label: label.clone(), property, why });
                }
                Some(trouble) => bad = Some((trouble, key.parent, label.clone())),
            }
            if fits {
                judge.reach(&reached);
                links.push(key.parent, label);
                last = Some(key);
            }
        }
        let (next, mut memory, fingerprints) =
            newcomers.level(first, (links.len() - first) as usize);
        let mut old = replace(level, next).recycle().into_iter();
        memory.iter_mut().for_each(|rows| rows.reuse(old.next().unwrap_or_default()));
        match self.alone {
            true => *rows = memory.swap_remove(0),
            false => fresh.reuse(memory, fingerprints),
        }
        drop(stage);
        (last, bad.map(|(trouble, parent, label)| self.end(trouble, parent, Some(label))))
    }

    /// The end in `trouble` at the world `parent`, or at the step `label` from there.
    fn end(&self, trouble: Trouble, parent: u64, label: Option<Label>) -> End {
        End::Trouble(trouble, Some(self.read().links.trace(parent, label)))
    }

    /// Add to the violations, as far as they are told.
    fn tell(&mut self, reports: Vec<Report>) {
        let links = &read(self.stage).links;
        let room = TOLD - self.violations.len();
        self.violations.extend(reports.into_iter().take(room).map(|report| {
            let Report { place, label, property, why } = report;
            let trace = Some(links.trace(place.key.parent, Some(label)));
            Violation { property, why, trace, lasso: None }
        }));
    }

    /// The worlds at the bound on depth are not expanded; the search is complete if none of them
    /// could have been, and none is a deadlock. Answers how it ends, and how many are left.
    fn look_at_the_last_level(&self) -> (End, u64) {
        let mut open = 0;
        let Stage { level, judge, .. } = &*self.read();
        for index in level.indices() {
            let unseen = level.indices().end - index;
            if self.search.interrupted() {
                return (End::Bound("interrupt"), open + unseen);
            }
            let world = level.get(index);
            let acts = |worker: &mut _| Expander::new(self.system, worker).can_act(world);
            let acts = self.crew.first(acts).map_err(Trouble::from).and_then(|acts| {
                if !acts && self.search.deadlock {
                    judge.end(self.system.view(world))?;
                }
                Ok(acts)
            });
            match acts {
                Ok(acts) => open += u64::from(acts),
                Err(trouble) => {
                    return (self.end(trouble, index, None), open + unseen - 1);
                }
            }
        }
        match open {
            0 => (End::Complete, 0),
            _ => (End::Bound("depth"), open),
        }
    }

    fn observe(&self, observer: &mut dyn Observer) {
        let level = &self.read().level;
        for index in level.indices() {
            observer.stored(level.get(index));
        }
    }

    /// The answer, with `left` worlds stored and not expanded.
    fn finish(&mut self, end: End, left: u64) -> Found {
        let (violations, count) = (take(&mut self.violations), self.violation_count);
        let Stage { judge, links, seen, .. } = &*read(self.stage);
        let distinct = links.len();
        Found {
            distinct: Some(distinct),
            generated: Some(self.generated),
            depth: Some(self.depth),
            queue_left: Some(left),
            receipts: self.receipts.clone(),
            collision: Some(collision_estimate(distinct, self.generated)),
            slots: Some(seen.slots()),
            ..Found::ended(end, judge.unreached(), violations, count)
        }
    }
}
