//! A worker in a window: expands worlds one after the other, and keeps what it finds. It looks at its
//! transitions in batches, in the order in which it made them; that changes nothing, because it looks
//! at each that is not behind an event.

use std::mem::{replace, take};
use std::ops::{ControlFlow, Range};
use std::sync::atomic::AtomicU64;

use super::batch::{Batch, Group, KNOWN, LARGE, Pending};
use super::chunk::Chunk;
use super::crew::guarded;
use super::expand::{Expander, Transition};
use super::gather::{Arrival, Gather};
use super::harvest::{Event, Harvest};
use super::judge::Trouble;
use super::key::Key;
use super::report::{Part, Place, Report};
use super::tally::Tally;
use super::window::{Known, Pulse};
use crate::action::Label;
use crate::brood::{Brood, Run};
use crate::error::Error;
use crate::fingerprint::{Fingerprint, Kin};
use crate::system::{Position, Stop, System};

/// What a worker uses again in each window, so that its memory is taken once.
#[derive(Default)]
pub(super) struct Nest {
    batch: Batch,
    resting: (Batch, Brood),
    pub(super) brood: Brood,
    /// What it brought; before the next window that is nothing, with a ledger's memory.
    pub(super) harvest: Harvest,
}

impl Nest {
    /// Bytes of memory that it takes.
    pub(super) fn bytes(&self) -> u64 {
        let Nest { batch, resting, brood, harvest } = self;
        let batches = batch.bytes() + resting.0.bytes();
        (batches + resting.1.memory() + brood.memory() + harvest.ledger.bytes()) as u64
    }
}

/// A worker in a window.
pub(super) struct Hand<'a, S: System> {
    system: &'a S,
    known: Known<'a>,
    gather: Gather<'a>,
    /// So many transitions wait before any is looked at: those that were made at once, and others.
    most: [usize; 2],
    /// The transitions that were made last; the worlds that they lead to are with who expands.
    batch: Batch,
    /// Those that were made before them, with their worlds, and wait.
    resting: (Batch, Brood),
    /// The world that is expanded, for the fingerprints of its successors.
    kin: Kin,
    harvest: Harvest,
    tally: Tally<'a>,
    /// Where the expansion is.
    at: Key,
    pulse: Pulse<'a>,
}

impl<'a, S: System> Hand<'a, S> {
    /// A worker that looks at nothing behind `limit`.
    pub(super) fn new(
        limit: &'a AtomicU64,
        system: &'a S,
        known: Known<'a>,
        gather: Gather<'a>,
        pulse: Pulse<'a>,
        nest: &mut Nest,
    ) -> Self {
        // What takes long to be made does not wait for nothing.
        let most = [LARGE, if known.large { LARGE } else { 1 }];
        let most = known.search.batch.map_or(most, |batch| [batch; 2]);
        let Nest { batch, resting, harvest, .. } = nest;
        Hand {
            system,
            known,
            gather,
            most,
            batch: take(batch),
            resting: take(resting),
            kin: Kin::default(),
            harvest: take(harvest),
            tally: Tally::new(limit),
            at: Key { parent: 0, ordinal: 0 },
            pulse,
        }
    }

    /// From here on collect what is found in `chunk`, behind the parents from `first` on.
    pub(super) fn open(&mut self, chunk: Chunk, first: u64) {
        self.gather.open(chunk, first);
    }

    /// Look at all that waits, the last of it in `brood`; answers the chunk.
    pub(super) fn close(&mut self, brood: &mut Brood) -> Chunk {
        self.turn(brood);
        self.turn(brood);
        self.gather.close()
    }

    /// All chunks are closed: leave what it brought, and what is used again.
    pub(super) fn leave(self, nest: &mut Nest) {
        (nest.batch, nest.resting, nest.harvest) = (self.batch, self.resting, self.harvest);
    }

    /// Expand worlds one after the other, up to an event; `brood` is that of the expansions before. A panic
    /// is an event too, at the transition where it happened; what it left of the worker is used for
    /// nothing but worlds before that event.
    pub(super) fn expand(
        &mut self,
        expander: &mut Expander<'_, S>,
        mut parents: Range<u64>,
        brood: &mut Brood,
    ) {
        // All of them at once: to be ready for a panic costs something each time.
        let expanded = guarded(|| parents.try_for_each(|it| self.expand_one(expander, it, brood)));
        brood.tell_nobody(); // What a panic left.
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

    /// Expand one world, unless nobody needs it.
    #[inline]
    fn expand_one(
        &mut self,
        expander: &mut Expander<'_, S>,
        parent: u64,
        brood: &mut Brood,
    ) -> Result<(), Trouble> {
        let Known { search, judge, log, level, .. } = self.known;
        if self.harvest.interrupted || search.interrupted() {
            return Err(Error::Interrupted.into());
        }
        self.at = Key { parent, ordinal: 0 };
        if self.tally.is_behind(self.at) {
            return Ok(());
        }
        let (world, at) = (level.get_in_order(parent), Position { index: parent, path: log });
        self.harvest.ledger.open(parent);
        self.kin.stand(world);
        let acted = match expander.at_once(world, brood, &mut |brood| self.take_in(brood)) {
            Some(acted) => {
                let _ = self.take_in(brood);
                acted?
            }
            None => expander.enumerate(at, world, |transition, result| {
                self.at.ordinal = transition.ordinal;
                let ended = self.transition(&transition, result, brood);
                self.at.ordinal += 1;
                ended
            })?,
        };
        if !acted && search.deadlock {
            judge.end(self.system.view(world))?;
        }
        self.harvest.expanded += u64::from(!self.harvest.interrupted);
        Ok(())
    }

    /// Take in all transitions that were made at once; break at an event.
    #[inline]
    fn take_in(&mut self, brood: &mut Brood) -> ControlFlow<()> {
        let ended = brood.tell(|run, told| {
            // There are transitions: the expansion is behind the listing.
            self.at.ordinal = self.at.ordinal.max(1);
            match told {
                Ok(worlds) => self.run(run, worlds),
                Err(stop) => {
                    let ended = self.stopped(Label::plain(run.action), false, stop);
                    self.at.ordinal += 1;
                    ended
                }
            }
        });
        self.turn_in_time(brood, self.most[0]);
        ended
    }

    /// Take in some transitions.
    #[inline]
    fn run(&mut self, run: &Run, worlds: &[u8]) -> ControlFlow<()> {
        let worlds = &worlds[run.start..];
        match Fingerprint::is_whole(run.len) {
            true => self.each_of(run, worlds, |_, world| Ok(Fingerprint::whole(world))),
            false => self.each_of(run, worlds, |kin, world| kin.fingerprint(world, run.touched)),
        }
    }

    /// The same, with what makes the fingerprints.
    #[inline(always)]
    fn each_of(
        &mut self,
        run: &Run,
        worlds: &[u8],
        fingerprint: impl Fn(&mut Kin, &[u8]) -> Result<Fingerprint, Error>,
    ) -> ControlFlow<()> {
        let (mut nth, mut place, mut failed, recent) = (0, 0usize, None, self.gather.recent());
        let mut places = self.batch.open(self.at, run, Box::default());
        while nth < run.count {
            let fingerprint = match fingerprint(&mut self.kin, &worlds[place..][..run.len]) {
                Ok(fingerprint) => fingerprint,
                Err(error) => {
                    failed = Some(error);
                    break;
                }
            };
            recent.expect(fingerprint);
            places.put(nth, fingerprint);
            nth += 1;
            place = place.wrapping_add(run.stride);
        }
        self.batch.fill(nth as usize);
        self.harvest.ledger.generated_many(run.action.kind, nth);
        self.at.ordinal += nth;
        match failed {
            Some(error) => self.stopped(Label::plain(run.action(nth)), false, error.into()),
            None => self.goes_on(self.at),
        }
    }

    /// Take in one transition; break at an event.
    fn transition(
        &mut self,
        transition: &Transition<'_>,
        result: Result<&[u8], Stop>,
        brood: &mut Brood,
    ) -> ControlFlow<()> {
        let (key, crashed) = (self.at, transition.crashed());
        let made = result.and_then(|next| {
            let fingerprint = self.kin.fingerprint(next, transition.touched)?;
            Ok((next, fingerprint))
        });
        let (next, fingerprint) = match made {
            Err(stop) => return self.stopped(transition.label(), crashed, stop),
            Ok(made) => made,
        };
        self.harvest.ledger.generated(transition.action.kind, crashed);
        let (action, touched, len) = (transition.action, transition.touched, next.len());
        let run = Run { action, count: 1, start: brood.keep(next), stride: len, len, touched };
        let mut places = self.batch.open(key, &run, transition.label().choices);
        places.put(0, fingerprint);
        self.batch.fill(1);
        self.turn_in_time(brood, self.most[1]);
        self.goes_on(Key { ordinal: key.ordinal + 1, ..key })
    }

    /// Take in one transition that has no successor; break at an event.
    #[cold]
    fn stopped(&mut self, label: Label, crashed: bool, stop: Stop) -> ControlFlow<()> {
        let key = self.at;
        let ledger = &mut self.harvest.ledger;
        match stop {
            Stop::Error(Error::Interrupted) => {
                // Not an event: another worker may have found one behind it, which is worth more.
                self.harvest.interrupted = true;
                return ControlFlow::Break(());
            }
            Stop::Error(_) => ledger.failed(),
            Stop::Violated(_) => ledger.generated(label.action.kind, crashed),
        }
        let _ = self.judged(key, Part::Step, &label, Err(stop.into()));
        self.goes_on(Key { ordinal: key.ordinal + 1, ..key })
    }

    /// Break if nothing from the transition `key` on is needed.
    #[inline]
    fn goes_on(&self, key: Key) -> ControlFlow<()> {
        match self.tally.is_behind(key) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    /// Look at the transitions that wait, if the last are `most` or more and wait in their place.
    #[inline]
    fn turn_in_time(&mut self, brood: &mut Brood, most: usize) {
        if self.batch.len() >= most || brood.is_full() {
            self.turn(brood);
            if most == 1 {
                self.turn(brood);
            }
        }
    }

    /// Look at the transitions that wait, and let the last wait.
    fn turn(&mut self, brood: &mut Brood) {
        let Hand { batch: last, gather, known, resting, .. } = self;
        let all = known.judge.has_steps();
        last.sift(all, |pending| gather.remember(pending.fingerprint));
        let (mut batch, mut worlds) = take(resting);
        // The memory for the last is asked for between looks at those before: a processor can wait for
        // few pieces at once, and forgets what it is asked for beyond them.
        let mut unknown = last.unknown();
        let ahead = |pending: &mut Pending| pending.home = gather.ahead(pending.fingerprint);
        // What was stored before was judged then, and is inside the constraints.
        batch.sift(all, |it| {
            if let Some(pending) = unknown.next() {
                ahead(pending);
            }
            it.home == KNOWN || gather.has(it.home, it.fingerprint)
        });
        unknown.for_each(ahead);
        for pending in batch.waiting() {
            let _ = self.look(batch.group(pending), pending, worlds.bytes());
        }
        batch.clear();
        worlds.clear();
        let Harvest { expanded, ledger, .. } = &self.harvest;
        self.pulse.beat(*expanded, ledger.len(), self.gather.fresh);
        self.resting = (replace(&mut self.batch, batch), replace(brood, worlds));
    }

    /// Look at a world that is missing, or at the step to one that is not.
    fn look(&mut self, group: &Group, pending: &Pending, worlds: &[u8]) -> ControlFlow<()> {
        let Known { judge, level, .. } = self.known;
        let (key, world) = (group.key(pending), group.world(pending, worlds));
        if self.tally.is_behind(key) {
            return ControlFlow::Break(());
        }
        let (fingerprint, label) = (pending.fingerprint, &group.label(pending));
        if pending.home != KNOWN {
            self.world(Arrival { fingerprint, key, label, world })?;
        }
        if judge.has_steps() {
            let before = self.system.view(level.get(key.parent));
            let after = self.system.view(world);
            let stepped = guarded(|| judge.step(before, after));
            let stepped = stepped.unwrap_or_else(|panic| Err(panic.into()));
            return self.judged(key, Part::Step, label, stepped);
        }
        ControlFlow::Continue(())
    }

    /// Take in a world that was not stored before this window; break if the search ends at the step.
    #[inline]
    fn world(&mut self, arrival: Arrival<'_>) -> ControlFlow<()> {
        let judge = self.known.judge;
        if judge.has_constraints() {
            let view = self.system.view(arrival.world);
            let outside = guarded(|| match judge.admits(view)? {
                true => Ok(None),
                false => judge.outsider(view).map(Some),
            });
            match outside.unwrap_or_else(|panic| Err(panic.into())) {
                Ok(None) => (),
                Ok(Some(())) => return ControlFlow::Continue(()),
                Err(trouble) => {
                    return self.judged(arrival.key, Part::World, arrival.label, Err(trouble));
                }
            }
        }
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
