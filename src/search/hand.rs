//! A worker in a window: expands worlds one after the other, and keeps what it finds. It looks at its
//! transitions in batches, in the order in which it made them; that changes nothing, because it looks
//! at each that is not behind an event.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicU64;

use super::batch::{Batch, LARGE, Pending};
use super::chunk::Chunk;
use super::crew::guarded;
use super::expand::{Expander, Transition};
use super::gather::{Arrival, Gather};
use super::judge::Trouble;
use super::key::Key;
use super::ledger::Ledger;
use super::report::{Part, Place, Report, Reports};
use super::tally::Tally;
use super::window::Known;
use crate::action::Label;
use crate::error::Error;
use crate::fingerprint::Kin;
use crate::system::{Position, Stop, System};

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

/// A worker in a window.
pub(super) struct Hand<'a, S: System> {
    system: &'a S,
    known: Known<'a>,
    gather: Gather<'a>,
    batch: Batch,
    /// The world that is expanded, for the fingerprints of its successors.
    kin: Kin,
    pub(super) harvest: Harvest,
    tally: Tally<'a>,
    /// Where the expansion is.
    at: Key,
}

impl<'a, S: System> Hand<'a, S> {
    /// A worker that looks at nothing behind `limit`.
    pub(super) fn new(
        limit: &'a AtomicU64,
        system: &'a S,
        known: Known<'a>,
        gather: Gather<'a>,
    ) -> Self {
        let size = known.search.batch.unwrap_or(if known.large { LARGE } else { 1 });
        Hand {
            system,
            known,
            gather,
            batch: Batch::new(size),
            kin: Kin::default(),
            harvest: Harvest::default(),
            tally: Tally::new(limit),
            at: Key { parent: 0, ordinal: 0 },
        }
    }

    /// Worlds that it found and that may be new.
    pub(super) fn fresh(&self) -> u64 {
        self.gather.fresh
    }

    /// From here on collect what is found in `chunk`, behind the parents from `first` on.
    pub(super) fn open(&mut self, chunk: Chunk, first: u64) {
        self.gather.open(chunk, first);
    }

    /// Look at all that waits; answers the chunk.
    pub(super) fn close(&mut self) -> Chunk {
        self.look();
        self.gather.close()
    }

    /// Expand one world, up to an event. A panic is an event too, at the transition where it
    /// happened; what it left of the worker is used for nothing but worlds before that event.
    pub(super) fn expand(&mut self, expander: &mut Expander<'_, S>, parent: u64) {
        let Known { judge, log, level, .. } = self.known;
        let world = level.get(parent);
        let position = Position { index: parent, path: log };
        self.at = Key { parent, ordinal: 0 };
        self.harvest.ledger.open(parent);
        self.kin.stand(world);
        let expanded = guarded(|| {
            let acted = expander.expand(position, world, |transition, result| {
                self.at.ordinal = transition.ordinal;
                let ended = self.transition(&transition, result);
                self.at.ordinal += 1;
                ended
            })?;
            match acted || !self.known.search.deadlock {
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
        result: Result<&[u8], Stop>,
    ) -> ControlFlow<()> {
        let key = self.at;
        let (next, fingerprint) = match result {
            Err(stop) => return self.stopped(transition, stop),
            Ok(next) => match self.kin.fingerprint(next, transition.touched) {
                Err(error) => return self.stopped(transition, error.into()),
                Ok(fingerprint) => (next, fingerprint),
            },
        };
        self.harvest.ledger.generated(transition.action.kind, transition.crashed());
        self.gather.ahead(fingerprint);
        if !self.batch.takes(next) {
            self.look();
            let pending = Pending::alone(fingerprint, key, transition.label(), next);
            let _ = self.arrive(&pending, next);
        } else if self.batch.push(fingerprint, key, transition, next) {
            self.look();
        }
        self.goes_on(key)
    }

    /// Take in one transition that has no successor; break at an event.
    #[cold]
    fn stopped(&mut self, transition: &Transition<'_>, stop: Stop) -> ControlFlow<()> {
        let key = self.at;
        let ledger = &mut self.harvest.ledger;
        match stop {
            Stop::Error(Error::Interrupted) => {
                // Not an event: another worker may have found one behind it, which is worth more.
                self.harvest.interrupted = true;
                return ControlFlow::Break(());
            }
            Stop::Error(_) => ledger.failed(),
            Stop::Violated(_) => {
                ledger.generated(transition.action.kind, transition.crashed());
            }
        }
        let label = transition.label();
        let _ = self.judged(key, Part::Step, &label, Err(stop.into()));
        self.goes_on(key)
    }

    /// Break if nothing behind the transition `key` is needed.
    #[inline]
    fn goes_on(&self, key: Key) -> ControlFlow<()> {
        match self.tally.is_behind(Key { ordinal: key.ordinal + 1, ..key }) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    /// Look at the worlds that wait.
    fn look(&mut self) {
        if self.batch.is_empty() {
            return;
        }
        let mut batch = std::mem::take(&mut self.batch);
        batch.drain(|pending, worlds| {
            let _ = self.arrive(pending, worlds);
        });
        self.batch = batch;
    }

    /// Look at the world that a transition leads to, and at the step.
    #[inline]
    fn arrive(&mut self, pending: &Pending, worlds: &[u8]) -> ControlFlow<()> {
        let Known { judge, level, .. } = self.known;
        let key = pending.key;
        if self.tally.is_behind(key) {
            return ControlFlow::Break(());
        }
        // What was stored before was judged then, and is inside the constraints.
        if self.gather.is_missing(pending.fingerprint) {
            self.world(pending, pending.world(worlds))?;
        }
        if judge.has_steps() {
            let before = self.system.view(level.get(key.parent));
            let after = self.system.view(pending.world(worlds));
            let stepped = guarded(|| judge.step(before, after));
            let stepped = stepped.unwrap_or_else(|panic| Err(panic.into()));
            return self.judged(key, Part::Step, &pending.label, stepped);
        }
        ControlFlow::Continue(())
    }

    /// Take in a world that was not stored before this window; break if the search ends at the step.
    fn world(&mut self, pending: &Pending, world: &[u8]) -> ControlFlow<()> {
        let judge = self.known.judge;
        let Pending { fingerprint, key, .. } = *pending;
        let view = self.system.view(world);
        if judge.has_constraints() {
            let outside = guarded(|| match judge.admits(view)? {
                true => Ok(None),
                false => judge.outsider(view).map(Some),
            });
            match outside.unwrap_or_else(|panic| Err(panic.into())) {
                Ok(None) => (),
                Ok(Some(())) => return ControlFlow::Continue(()),
                Err(trouble) => {
                    return self.judged(key, Part::World, &pending.label, Err(trouble));
                }
            }
        }
        let arrival = Arrival { fingerprint, key, label: &pending.label, world };
        self.gather.take(arrival, self.system, judge, &mut self.tally);
        ControlFlow::Continue(())
    }

    /// What is wrong at a transition, if anything is, ends the search or is reported.
    fn judged(
        &mut self,
        key: Key,
        part: Part,
        label: &Label,
        judged: Result<(), Trouble>,
    ) -> ControlFlow<()> {
        let place = Place { key, part };
        match judged {
            Ok(()) => ControlFlow::Continue(()),
            Err(Trouble::Broken { property, why }) if self.known.search.keep_going => {
                self.harvest.ledger.broken(place);
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

    fn note(&mut self, event: Event) {
        self.tally.limit(event.place.key);
        self.harvest.note(event);
    }
}
