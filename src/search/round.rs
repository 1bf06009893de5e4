//! One level while it is expanded, by all workers at once. They read the levels before it, which
//! nobody writes meanwhile, and share what they find through [`Fresh`]; all else that a worker finds
//! it keeps in a [`Harvest`] of its own. [`super::key`] says why it does not matter who expands what.

use std::ops::{ControlFlow, Range};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Search;
use super::crew::{guarded, held};
use super::expand::{Expander, Transition};
use super::fresh::{Fresh, Met, Newcomers};
use super::judge::{Judge, Trouble};
use super::key::Key;
use super::ledger::Ledger;
use super::level::Level;
use super::links::Links;
use super::random::Random;
use super::seen::Seen;
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
    pub(super) key: Key,
    pub(super) label: Option<Label>,
    pub(super) trouble: Trouble,
}

/// What one worker brought.
#[derive(Default)]
pub(super) struct Harvest {
    pub(super) ledger: Ledger,
    /// The smallest event that is not a new world's trouble.
    pub(super) event: Option<Event>,
    pub(super) expanded: u64,
    pub(super) interrupted: bool,
}

impl Harvest {
    /// Keep `event` if it is the smallest so far.
    pub(super) fn note(&mut self, event: Event) {
        if self.event.as_ref().is_none_or(|known| event.key < known.key) {
            self.event = Some(event);
        }
    }
}

/// What all workers read while a level is expanded, and nobody writes.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) judge: &'a Judge<'a>,
    pub(super) seen: &'a Seen,
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
    fresh: Fresh,
    room: Option<Room>,
    /// Whether a world where nothing is possible is looked at.
    deadlock: bool,
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
            harvests: Mutex::default(),
        }
    }

    /// What a worker does: expand parents that nobody has taken, as long as there are any.
    pub(super) fn work<S: System>(
        &self,
        search: &Search<'_>,
        system: &S,
        known: Known<'_>,
        worker: &mut S::Worker,
        count: &Count,
        tick: &mut dyn FnMut(),
    ) {
        let mut harvest = Harvest::default();
        let mut hand = Hand { round: self, system, known, harvest: &mut harvest, fresh: 0 };
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
        held(&self.harvests).push(harvest);
    }

    /// The end of the level: what all workers brought, and the new worlds.
    pub(super) fn finish(self) -> (Vec<Harvest>, Newcomers) {
        (std::mem::take(&mut *held(&self.harvests)), self.fresh.finish())
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
struct Hand<'a, S: System> {
    round: &'a Round,
    system: &'a S,
    known: Known<'a>,
    harvest: &'a mut Harvest,
    /// New worlds that this worker was the first to find.
    fresh: u64,
}

impl<S: System> Hand<'_, S> {
    /// Expand one world, up to an event. A panic is an event too, at the transition where it
    /// happened; what it left of the worker is used for nothing but worlds before that event.
    fn expand(&mut self, expander: &mut Expander<'_, S>, parent: u64) {
        let Known { judge, links, level, .. } = self.known;
        let world = level.get(parent);
        let position = Position { index: parent, path: links };
        let mut at = Key { parent, ordinal: 0 };
        self.harvest.ledger.open(parent);
        let expanded = guarded(|| {
            let acted = expander.expand(position, world, |transition, result| {
                at.ordinal = transition.ordinal;
                let ended = self.transition(world, at, &transition, result);
                at.ordinal += 1;
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
            Err(trouble) => self.note(Event { key: at, label: None, trouble }),
        }
    }

    /// Take in one transition; break at an event.
    fn transition(
        &mut self,
        world: &[u8],
        key: Key,
        transition: &Transition<'_>,
        result: Result<&[u8], Stop>,
    ) -> ControlFlow<()> {
        let Known { judge, seen, .. } = self.known;
        if matches!(result, Err(Stop::Error(Error::Interrupted))) {
            // Not an event: another worker may have found one behind it, which is worth more.
            self.harvest.interrupted = true;
            return ControlFlow::Break(());
        }
        let ledger = &mut self.harvest.ledger;
        if matches!(result, Err(Stop::Error(_))) {
            ledger.failed();
        } else {
            ledger.generated(transition.action.kind, transition.crashed());
        }
        let mut limit = Key::END;
        let judged = result.map_err(Trouble::from).and_then(|next| {
            let (fingerprint, view) = (Fingerprint::of(next), self.system.view(next));
            if seen.contains(fingerprint) {
                // It was judged when it was stored, and is inside the constraints.
            } else if !judge.admits(view)? {
                judge.outsider(view)?;
            } else {
                let judged = || {
                    // A panic in a property is the world's trouble: it happens on every way to it.
                    let judged = guarded(|| judge.world(view));
                    judged.unwrap_or_else(|panic| Err(panic.into())).map_err(Box::new)
                };
                let label = || transition.label();
                match self.round.fresh.meet(fingerprint, key, label, next, judged) {
                    Met::Known => (),
                    Met::New => {
                        self.fresh += 1;
                        let room = self.round.room.as_ref();
                        if let Some(last) = room.and_then(|room| room.take(key.parent)) {
                            // All of the worlds that are too many were reached up to this key, or
                            // up to the end of the parent `last`.
                            self.round.limit.fetch_min(last, Ordering::Relaxed);
                            if last <= key.parent {
                                limit = key;
                            }
                        }
                    }
                    Met::Troubled => limit = key,
                }
            }
            judge.step(self.system.view(world), view)
        });
        if let Err(trouble) = judged {
            limit = key;
            self.note(Event { key, label: Some(transition.label()), trouble });
        }
        if limit == key {
            self.round.limit.fetch_min(key.parent, Ordering::Relaxed);
        }
        match limit == key || key.parent > self.round.limit.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    fn note(&mut self, event: Event) {
        self.round.limit.fetch_min(event.key.parent, Ordering::Relaxed);
        self.harvest.note(event);
    }
}
