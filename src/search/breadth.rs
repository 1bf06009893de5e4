//! Breadth first, level by level, and each level in windows of consecutive parents.
//!
//! A window goes through three phases, in each of which all workers take part and claim what nobody has
//! claimed. Its parents are expanded, chunk by chunk, and what is not in the set of stored worlds is
//! collected ([`super::window`]); the set takes it in, portion by portion, and says what was new
//! ([`super::store`]); and that becomes part of the next level and of the log ([`super::admit`]).
//! Between the phases only this thread runs. Nothing is locked for longer than it takes to claim it,
//! and nothing is sorted: chunks are gone through in the order of their parents, and in each what was
//! found is in the order of keys. [`super::key`] says why then nothing that is found depends on the
//! number of workers.
//!
//! A window that ends in an event is cut at that event; a window for which there is no memory did not
//! happen. The system's barrier is called between levels, and not for one that ends the search.

use std::mem::{replace, take};
use std::ops::Range;
use std::sync::{Arc, Mutex};

use super::admit::Sizes;
use super::budget::Budget;
use super::chunk::Chunk;
use super::crew::Crew;
use super::expand::Expander;
use super::found::{End, Found, TOLD, Violation};
use super::initial::Initial;
use super::judge::{Judge, Trouble};
use super::level::{Level, Piece};
use super::links::Links;
use super::log::Log;
use super::memory::Full;
use super::phases::{Phases, exclusive};
use super::progress::{Pace, Progress};
use super::receipts::Receipts;
use super::report::Report;
use super::sample::Sample;
use super::seen::Seen;
use super::settle::{Stop, Yield, first_too_many, leads_to_a_newcomer, take_in};
use super::spare::Spare;
use super::stride::Stride;
use super::{Observer, Search};
use crate::action::Label;
use crate::fingerprint::collision_estimate;
use crate::property::Property;
use crate::system::System;

/// Into how many chunks for each worker a window is cut, so that all end together.
const CHUNKS: usize = 16;

struct Breadth<'a, 'p, S: System> {
    search: &'a Search<'a>,
    system: &'a S,
    crew: &'a Crew<S::Worker>,
    phases: Phases<'a, S>,
    judge: Judge<'p>,
    log: Log,
    /// What of the budget is taken by all but the set.
    taken: u64,
    stride: Stride,
    /// What is left of the level that is expanded, the index of its first world, and its number: also
    /// the largest level of a stored world.
    level: Level,
    first: u64,
    depth: u64,
    /// The level behind it.
    next: Level,
    chunks: Vec<Mutex<Chunk>>,
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
    let budget = Arc::new(Budget::new(search.max_memory));
    let Ok(seen) = Seen::new(Arc::clone(&budget)) else { return Found::bounded("memory") };
    let lead = |crew: &Crew<S::Worker>| {
        let mut breadth = Breadth {
            search,
            system,
            crew,
            phases: Phases::new(search, system, crew, seen),
            judge: Judge::new(properties, search.keep_going),
            log: Log::default(),
            taken: 0,
            stride: Stride::new(search, budget.most()),
            level: Level::new(0),
            first: 0,
            depth: 1,
            next: Level::new(0),
            chunks: Vec::new(),
            generated: 0,
            receipts: Receipts::default(),
            violations: Vec::new(),
            violation_count: 0,
        };
        let found = breadth.run(observer, pace);
        let log = &breadth.log;
        sample.draw(log.len(), |index| log.trace(index, None));
        found
    };
    let found = Crew::run(search.threads(), &|number| system.worker(number), lead);
    found.unwrap_or_else(|stop| Found::troubled(stop.into(), None))
}

impl<S: System> Breadth<'_, '_, S> {
    fn run(&mut self, observer: &mut dyn Observer, pace: &mut Pace<'_>) -> Found {
        let mut links = Links::default();
        let initial = {
            let Breadth { search, system, crew, judge, phases, .. } = self;
            let (most, seen) = (search.max_states.unwrap_or(u64::MAX), &mut phases.seen);
            crew.first(|worker| Initial::of(*system, worker, judge, most, seen, &mut links))
        };
        if let Some(found) = initial.missing() {
            return found;
        }
        self.generated = initial.generated;
        self.violations = initial.violations;
        self.violation_count = initial.violation_count;
        self.log.next_level();
        let initials = links.initial();
        self.log.append(initials.into(), initials.len());
        self.level.push(initial.worlds.into());
        self.observe(observer);
        if initial.full || initial.out_of_memory {
            let bound = if initial.full { "states" } else { "memory" };
            return self.finish(End::Bound(bound), self.level.len());
        }
        loop {
            let barrier = self.crew.gather(|workers| self.system.barrier(workers));
            if let Err(stop) = barrier.unwrap_or_else(|error| Err(error.into())) {
                return self.finish(End::Trouble(stop.into(), None), self.level.len());
            }
            if self.level.len() == 0 {
                return self.finish(End::Complete, 0);
            }
            if self.search.depth == Some(self.depth) {
                let (end, left) = self.look_at_the_last_level();
                return self.finish(end, left);
            }
            let ended = self.expand(pace);
            self.depth += u64::from(self.next.len() > 0);
            self.level = replace(&mut self.next, Level::new(self.log.len()));
            self.observe(observer);
            if let Some((end, left, interrupted)) = ended {
                let mut found = self.finish(end, left);
                // Then the window was not expanded up to the event, and the counts are not exact.
                if interrupted && !found.bounds.iter().any(|bound| bound == "interrupt") {
                    found.bounds.push("interrupt".into());
                }
                return found;
            }
        }
    }

    /// Expand the level, all but what is behind an event. Answers how the search ends, if it does, with
    /// how many worlds left, and whether it was interrupted.
    fn expand(&mut self, pace: &mut Pace<'_>) -> Option<(End, u64, bool)> {
        self.first = self.level.first();
        self.next = Level::new(self.log.len());
        self.log.next_level();
        while let Some(piece) = self.level.pop() {
            let Range { mut start, end } = piece.indices();
            while start < end {
                let room = self.search.max_states.map(|most| most - self.log.len());
                let parents = start..start + self.stride.parents(end - start, room);
                start = parents.end;
                let before = parents.start;
                let ended =
                    self.count_memory(&piece).and_then(|()| self.window(&piece, parents, pace));
                match ended {
                    Ok(None) => (),
                    Ok(ended) => return ended,
                    Err(Full) => {
                        return Some((End::Bound("memory"), self.log.len() - before, false));
                    }
                }
            }
            self.phases.spare.give(piece.recycle());
        }
        None
    }

    /// Take what all but the set has in memory from the budget; `piece` is under way.
    fn count_memory(&mut self, piece: &Piece) -> Result<(), Full> {
        let chunks = self.chunks.iter_mut().map(|chunk| exclusive(chunk).bytes()).sum::<u64>();
        let levels = piece.bytes() + self.level.bytes() + self.next.bytes();
        let needed = chunks + levels + self.log.bytes() + self.phases.kept();
        let Phases { spare, seen, .. } = &mut self.phases;
        if seen.budget.change(self.taken, needed + spare.bytes()).is_ok() {
            self.taken = needed + spare.bytes();
            return Ok(());
        }
        *spare = Spare::default();
        seen.budget.change(self.taken, needed)?;
        self.taken = needed;
        Ok(())
    }

    /// Expand some parents, which are in `piece`. Answers as [`Breadth::expand`] does; without memory
    /// nothing that can be seen has happened.
    fn window(
        &mut self,
        piece: &Piece,
        parents: Range<u64>,
        pace: &mut Pace<'_>,
    ) -> Result<Option<(End, u64, bool)>, Full> {
        let count = (parents.end - parents.start) as usize;
        let chunks = count.min(CHUNKS * self.crew.len());
        if self.chunks.len() < chunks {
            self.chunks.resize_with(chunks, Mutex::default);
        }
        let mut all = take(&mut self.chunks);
        let known = (&self.judge, &self.log, piece);
        let (log, before, depth) = (&self.log, self.generated, self.depth);
        let brought = self.phases.find(known, parents.clone(), &all[..chunks], &mut |counts| {
            pace.tick(|| {
                let [expanded, generated, fresh] = counts();
                let queue = log.len() - parents.start + fresh;
                Progress {
                    distinct: Some(log.len() + fresh),
                    generated: before + generated,
                    depth,
                    queue: Some(queue.saturating_sub(expanded)),
                    walks: None,
                }
            });
        });
        let ended = self.settle(&mut all[..chunks], brought, parents);
        self.chunks = all;
        ended
    }

    /// The end of a window: store what is new, up to the event that cuts it, if there is one, and count
    /// what was generated up to there.
    fn settle(
        &mut self,
        chunks: &mut [Mutex<Chunk>],
        mut brought: Yield,
        parents: Range<u64>,
    ) -> Result<Option<(End, u64, bool)>, Full> {
        let seen: Vec<&Chunk> = chunks.iter_mut().map(|chunk| &*exclusive(chunk)).collect();
        let stop = brought.stop(&seen, &self.judge, &self.log.labels);
        self.phases.store(&seen, stop.as_ref().map(|stop| stop.place.key), &mut self.log)?;
        let sizes = Sizes::new(&seen, &self.phases.winners);
        let (new, bytes) = (sizes.count(), sizes.bytes());
        let (mut piece, rows) = self.phases.admit(chunks, sizes, self.first)?;

        let seen: Vec<&Chunk> = chunks.iter_mut().map(|chunk| &*exclusive(chunk)).collect();
        let room = self.search.max_states.map(|most| most - self.log.len());
        let room = room.and_then(|room| usize::try_from(room).ok()).filter(|&room| room < new);
        let full = room.and_then(|room| first_too_many(&seen, room));
        // Trouble comes before the bound on states at the same key.
        let trouble = stop.as_ref().map(|stop| stop.place);
        let bounded = full.is_some_and(|full| trouble.is_none_or(|trouble| full < trouble));
        let end = if bounded { full } else { trouble };
        let fitting = room.filter(|_| bounded).unwrap_or(new);
        // TLC puts a world into the queue only when nothing is wrong with it and the step to it.
        let unqueued = !bounded && end.is_some_and(|end| leads_to_a_newcomer(&seen, end.key));

        let reports = &mut brought.reports;
        self.violation_count += take_in(&seen, end, &mut self.judge, &self.log.labels, reports);
        piece.truncate(fitting);
        self.next.push(piece);
        self.phases.rows = self.log.append(rows, fitting);
        if self.crew.len() == 1 {
            // Nobody else would do it meanwhile, and now they are in the cache.
            self.log.write();
        }
        let before = self.generated;
        for ledger in &brought.ledgers {
            let (generated, broken) = ledger.count(end, &mut self.receipts);
            self.generated += generated;
            self.violation_count += broken;
        }
        self.phases.give_back(brought.ledgers);
        self.tell(brought.reports.finish(end));
        let count = parents.end - parents.start;
        self.stride.note(count, self.generated - before, (new, bytes), self.log.len());

        let why = match stop.filter(|_| !bounded) {
            Some(Stop { place, label, trouble }) => self.end(trouble, place.key.parent, label),
            None if bounded => End::Bound("states"),
            None if brought.interrupted => End::Bound("interrupt"),
            None => return Ok(None),
        };
        let expanded = end.map_or(parents.start + brought.expanded, |end| end.key.parent + 1);
        let left = self.log.len() - expanded - u64::from(unqueued);
        Ok(Some((why, left, brought.interrupted)))
    }

    /// The end in `trouble` at the world `parent`, or at the step `label` from there.
    fn end(&self, trouble: Trouble, parent: u64, label: Option<Label>) -> End {
        End::Trouble(trouble, Some(self.log.trace(parent, label)))
    }

    /// Add to the violations, as far as they are told.
    fn tell(&mut self, reports: Vec<Report>) {
        let log = &self.log;
        let room = TOLD - self.violations.len();
        self.violations.extend(reports.into_iter().take(room).map(|report| {
            let Report { place, label, property, why } = report;
            let trace = Some(log.trace(place.key.parent, Some(label)));
            Violation { property, why, trace, lasso: None }
        }));
    }

    /// The worlds at the bound on depth are not expanded; the search is complete if none of them
    /// could have been, and none is a deadlock. Answers how it ends, and how many are left.
    fn look_at_the_last_level(&self) -> (End, u64) {
        let mut open = 0;
        for (index, world) in self.level.worlds() {
            let unseen = self.log.len() - index;
            if self.search.interrupted() {
                return (End::Bound("interrupt"), open + unseen);
            }
            let acts = |worker: &mut _| Expander::new(self.system, worker).can_act(world);
            let acts = self.crew.first(acts).map_err(Trouble::from).and_then(|acts| {
                if !acts && self.search.deadlock {
                    self.judge.end(self.system.view(world))?;
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
        if observer.observes() {
            self.level.worlds().for_each(|(_, world)| observer.stored(world));
        }
    }

    /// The answer, with `left` worlds stored and not expanded.
    fn finish(&mut self, end: End, left: u64) -> Found {
        let (violations, count) = (take(&mut self.violations), self.violation_count);
        let distinct = self.log.len();
        Found {
            distinct: Some(distinct),
            generated: Some(self.generated),
            depth: Some(self.depth),
            queue_left: Some(left),
            receipts: self.receipts.clone(),
            collision: Some(collision_estimate(distinct, self.generated)),
            slots: Some(self.phases.seen.slots()),
            ..Found::ended(end, self.judge.unreached(), violations, count)
        }
    }
}
