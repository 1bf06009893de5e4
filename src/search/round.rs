//! One level while it is expanded, by all workers at once. They read the levels before it, which
//! nobody writes meanwhile, and put new worlds where their [`Intake`] says; all else that a worker
//! finds it keeps in a [`Harvest`] of its own. [`super::key`] says why it does not matter who expands
//! what, and so it does not matter either that a worker looks at its transitions in batches: it looks
//! at each that is not behind an event.

use std::ops::{ControlFlow, Range};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::batch::{Batch, Pending};
use super::crew::{guarded, held};
use super::expand::{Expander, Transition};
use super::fresh::{Arrival, Fresh, Intake, Met};
use super::judge::{Judge, Trouble};
use super::key::Key;
use super::ledger::Ledger;
use super::level::Level;
use super::links::Links;
use super::random::Random;
use super::report::{Part, Place, Report, Reports};
use super::{Search, seen};
use crate::action::Label;
use crate::error::Error;
use crate::fingerprint::Fingerprint;
use crate::system::{Position, Stop, System};

/// Parents that are handed out at once, at most.
const CHUNK: u64 = 64;
/// Into how many chunks for each worker the rest of a level is cut, so that all end together.
const CHUNKS: u64 = 8;

/// What went wrong on a transition, or when a world's actions were listed (no label): they could not
/// be, or there are none.
pub(super) struct Event {
    pub(super) place: Place,
    pub(super) label: Option<Label>,
    pub(super) trouble: Trouble,
}

/// What one worker brought.
#[derive(Default)]
pub(super) struct Harvest {
    pub(super) ledger: Ledger,
    /// The smallest event that is not a new world's trouble.
    pub(super) event: Option<Event>,
    /// What was broken and ended nothing, but for new worlds' troubles.
    pub(super) reports: Reports,
    pub(super) expanded: u64,
    pub(super) interrupted: bool,
}

impl Harvest {
    /// Keep `event` if it is the smallest so far.
    pub(super) fn note(&mut self, event: Event) {
        if self.event.as_ref().is_none_or(|known| event.place < known.place) {
            self.event = Some(event);
        }
    }
}

/// What all workers read while a level is expanded, and nobody writes.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) judge: &'a Judge<'a>,
    /// Whether looking a world up waits for memory.
    pub(super) large: bool,
    pub(super) links: &'a Links,
    pub(super) level: &'a Level,
}

/// How far a worker is, on a cache line of its own: it writes this after every world.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct Count {
    expanded: AtomicU64,
    generated: AtomicU64,
    fresh: AtomicU64,
}

impl Count {
    /// Worlds expanded, transitions generated, new worlds found, in this level.
    pub(super) fn read(&self) -> [u64; 3] {
        [&self.expanded, &self.generated, &self.fresh].map(|count| count.load(Ordering::Relaxed))
    }

    /// Set all of it.
    pub(super) fn write(&self, expanded: u64, generated: u64, fresh: u64) {
        self.expanded.store(expanded, Ordering::Relaxed);
        self.generated.store(generated, Ordering::Relaxed);
        self.fresh.store(fresh, Ordering::Relaxed);
    }
}

/// A level that is being expanded.
pub(super) struct Round {
    parents: Range<u64>,
    /// The parents in another order than that of their indices.
    order: Option<Vec<u64>>,
    workers: u64,
    /// How many parents were handed out.
    handed: AtomicU64,
    /// A parent at which, or before which, there is an event: none behind it needs to be expanded.
    limit: AtomicU64,
    /// The new worlds, where they are shared.
    pub(super) fresh: Fresh,
    room: Option<Room>,
    /// Whether a world where nothing is possible is looked at.
    deadlock: bool,
    /// Whether a broken rule ends nothing.
    keep_going: bool,
    harvests: Mutex<Vec<Harvest>>,
}

/// How many new worlds fit into the bound on states.
struct Room {
    most: u64,
    /// How many there are so far.
    taken: AtomicU64,
    /// No parent that one of them was first reached from is behind this one.
    last: AtomicU64,
}

impl Room {
    /// A new world was reached from `parent`. If more are known now than fit, answers a parent up to
    /// which there are too many.
    fn take(&self, parent: u64) -> Option<u64> {
        // In this order: who counts a world sees its parent too.
        self.last.fetch_max(parent, Ordering::AcqRel);
        let taken = self.taken.fetch_add(1, Ordering::AcqRel) + 1;
        (taken > self.most).then(|| self.last.load(Ordering::Acquire))
    }
}

impl Round {
    /// The level `number`, whose worlds are `level`; `stored` worlds are known.
    pub(super) fn new(
        search: &Search<'_>,
        workers: usize,
        number: u64,
        level: &Level,
        stored: u64,
    ) -> Self {
        let order = search.shuffle.map(|seed| {
            let mut parents: Vec<u64> = level.indices().collect();
            Random::new(seed, number).shuffle(&mut parents);
            parents
        });
        // A small level keeps few busy, however many there are.
        let workers = workers.min(level.len());
        let room = |most| Room { most, taken: AtomicU64::new(0), last: AtomicU64::new(0) };
        Round {
            parents: level.indices(),
            order,
            workers: workers as u64,
            handed: AtomicU64::new(0),
            limit: AtomicU64::new(u64::MAX),
            fresh: Fresh::new(workers),
            room: search.max_states.map(|most| room(most - stored)),
            deadlock: search.deadlock,
            keep_going: search.keep_going,
            harvests: Mutex::default(),
        }
    }

    /// What a worker does: expand parents that nobody has taken, as long as there are any.
    pub(super) fn work<S: System>(
        &self,
        search: &Search<'_>,
        system: &S,
        known: Known<'_>,
        intake: impl Intake,
        worker: &mut S::Worker,
        count: &Count,
        tick: &mut dyn FnMut(),
    ) {
        let mut hand = Hand {
            round: self,
            system,
            known,
            intake,
            batch: Batch::new(known.large),
            harvest: Harvest::default(),
            fresh: 0,
            at: Key { parent: 0, ordinal: 0 },
            end: Key::END,
        };
        let mut expander = Expander::new(system, worker);
        'level: while let Some(chunk) = self.claim() {
            for place in chunk {
                if search.interrupted() {
                    hand.harvest.interrupted = true;
                    break 'level;
                }
                let parent = match &self.order {
                    Some(order) => order[place as usize],
                    None => self.parents.start + place,
                };
                if parent > self.limit.load(Ordering::Relaxed) {
                    continue;
                }
                hand.expand(&mut expander, parent);
                if hand.harvest.interrupted {
                    break 'level;
                }
                hand.harvest.expanded += 1;
                count.write(hand.harvest.expanded, hand.harvest.ledger.len(), hand.fresh);
                tick();
            }
        }
        hand.look();
        held(&self.harvests).push(hand.harvest);
    }

    /// The end of the level: what all workers brought, and the new worlds of those that shared them.
    pub(super) fn finish(self) -> (Vec<Harvest>, Fresh) {
        (std::mem::take(&mut *held(&self.harvests)), self.fresh)
    }

    /// The places of some parents that nobody has taken.
    fn claim(&self) -> Option<Range<u64>> {
        let count = self.parents.end - self.parents.start;
        let chunk = |handed: u64| ((count - handed) / (CHUNKS * self.workers)).clamp(1, CHUNK);
        let after = |handed| (handed < count).then(|| handed + chunk(handed));
        let start = self.handed.fetch_update(Ordering::Relaxed, Ordering::Relaxed, after).ok()?;
        Some(start..start + chunk(start))
    }
}

/// A worker in a round.
struct Hand<'a, S: System, I: Intake> {
    round: &'a Round,
    system: &'a S,
    known: Known<'a>,
    intake: I,
    batch: Batch,
    harvest: Harvest,
    /// New worlds that this worker was the first to find.
    fresh: u64,
    /// Where the expansion is.
    at: Key,
    /// There is an event here or before: this worker needs to look at nothing behind it.
    end: Key,
}

impl<S: System, I: Intake> Hand<'_, S, I> {
    /// Expand one world, up to an event. A panic is an event too, at the transition where it
    /// happened; what it left of the worker is used for nothing but worlds before that event.
    fn expand(&mut self, expander: &mut Expander<'_, S>, parent: u64) {
        let Known { judge, links, level, .. } = self.known;
        let world = level.get(parent);
        let position = Position { index: parent, path: links };
        self.at = Key { parent, ordinal: 0 };
        self.harvest.ledger.open(parent);
        let expanded = guarded(|| {
            let acted = expander.expand(position, world, |transition, result| {
                self.at.ordinal = transition.ordinal;
                let ended = self.transition(&transition, result);
                self.at.ordinal += 1;
                ended
            })?;
            match acted || !self.round.deadlock {
                true => Ok(()),
                false => judge.end(self.system.view(world)),
            }
        });
        match expanded.unwrap_or_else(|panic| Err(panic.into())) {
            Ok(()) => (),
            Err(Trouble::Failed { error: Error::Interrupted, .. }) => {
                self.harvest.interrupted = true;
            }
            Err(trouble) => {
                let place = Place { key: self.at, part: Part::World };
                self.note(Event { place, label: None, trouble });
            }
        }
    }

    /// Take in one transition; break at an event.
    #[inline]
    fn transition(
        &mut self,
        transition: &Transition<'_>,
        result: Result<&mut Vec<u8>, Stop>,
    ) -> ControlFlow<()> {
        let key = self.at;
        let ledger = &mut self.harvest.ledger;
        let mark = ledger.len() as usize;
        match result {
            Ok(next) => {
                ledger.generated(transition.action.kind, transition.crashed());
                let fingerprint = Fingerprint::of(next);
                self.intake.ahead(fingerprint);
                if self.batch.push(fingerprint, key, transition.label(), mark, next) {
                    self.look();
                }
            }
            Err(Stop::Error(Error::Interrupted)) => {
                // Not an event: another worker may have found one behind it, which is worth more.
                self.harvest.interrupted = true;
                return ControlFlow::Break(());
            }
            Err(stop) => {
                match &stop {
                    Stop::Violated(_) => {
                        ledger.generated(transition.action.kind, transition.crashed());
                    }
                    Stop::Error(_) => ledger.failed(),
                }
                let label = transition.label();
                let _ = self.judged(key, Part::Step, &label, mark, Err(stop.into()));
            }
        }
        match self.is_behind(key) || key == self.end {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    /// Whether nothing of a transition is needed, because there is an event before it.
    fn is_behind(&self, key: Key) -> bool {
        key > self.end || key.parent > self.round.limit.load(Ordering::Relaxed)
    }

    /// Look at the worlds that wait.
    fn look(&mut self) {
        let waiting = self.batch.take();
        for pending in &waiting {
            if !self.is_behind(pending.key) {
                let _ = self.arrive(pending);
            }
        }
        self.batch.give_back(waiting);
    }

    /// Look at the world that a transition leads to, and at the step.
    #[inline]
    fn arrive(&mut self, pending: &Pending) -> ControlFlow<()> {
        let Known { judge, level, .. } = self.known;
        let Pending { key, mark, .. } = *pending;
        // What was stored before was judged then, and is inside the constraints.
        if let Some(place) = self.intake.missing(pending.fingerprint) {
            self.world(place, pending)?;
        }
        if judge.has_steps() {
            let before = self.system.view(level.get(key.parent));
            let after = self.system.view(&pending.world);
            let stepped = guarded(|| judge.step(before, after));
            let stepped = stepped.unwrap_or_else(|panic| Err(panic.into()));
            return self.judged(key, Part::Step, &pending.label, mark, stepped);
        }
        ControlFlow::Continue(())
    }

    /// Take in a world that was not stored before this level; break if the search ends at it.
    fn world(&mut self, place: seen::Place, pending: &Pending) -> ControlFlow<()> {
        let judge = self.known.judge;
        let Pending { fingerprint, key, mark, .. } = *pending;
        let (world, view) = (pending.world.as_slice(), self.system.view(&pending.world));
        if judge.has_constraints() {
            let outside = guarded(|| match judge.admits(view)? {
                true => Ok(None),
                false => judge.outsider(view).map(Some),
            });
            match outside.unwrap_or_else(|panic| Err(panic.into())) {
                Ok(None) => (),
                Ok(Some(())) => return ControlFlow::Continue(()),
                Err(trouble) => {
                    return self.judged(key, Part::World, &pending.label, mark, Err(trouble));
                }
            }
        }
        let label = pending.label.clone();
        match self.intake.take(place, Arrival { fingerprint, key, label, world }, judge, view) {
            Met::Known => return ControlFlow::Continue(()),
            Met::New => (),
            Met::End => return self.limit(key),
        }
        self.fresh += 1;
        let room = self.round.room.as_ref();
        if let Some(last) = room.and_then(|room| room.take(key.parent)) {
            // All of the worlds that are too many were reached up to this key, or up to the end of
            // the parent `last`.
            self.round.limit.fetch_min(last, Ordering::Relaxed);
            if last <= key.parent {
                self.end = self.end.min(key);
            }
        }
        ControlFlow::Continue(())
    }

    /// What is wrong at a transition, if anything is, ends the search or is reported.
    fn judged(
        &mut self,
        key: Key,
        part: Part,
        label: &Label,
        mark: usize,
        judged: Result<(), Trouble>,
    ) -> ControlFlow<()> {
        let place = Place { key, part };
        match judged {
            Ok(()) => ControlFlow::Continue(()),
            Err(Trouble::Broken { property, why }) if self.round.keep_going => {
                self.harvest.ledger.broken(mark, part);
                let label = label.clone();
                self.harvest.reports.add(Report { place, label, property, why });
                ControlFlow::Continue(())
            }
            Err(trouble) => {
                self.note(Event { place, label: Some(label.clone()), trouble });
                ControlFlow::Break(())
            }
        }
    }

    /// Nothing behind `key` needs to be looked at.
    fn limit(&mut self, key: Key) -> ControlFlow<()> {
        self.end = self.end.min(key);
        self.round.limit.fetch_min(key.parent, Ordering::Relaxed);
        ControlFlow::Break(())
    }

    fn note(&mut self, event: Event) {
        let _ = self.limit(event.place.key);
        self.harvest.note(event);
    }
}
