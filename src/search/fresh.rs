//! The new worlds of a level that several workers expand, or one in another order. They leave the set
//! of stored worlds as it is until the level ends; what is missing from it a worker collects by part
//! of the set, and hands over many at once to the new worlds of that part, of which it has the lock
//! meanwhile. So a lock is seldom taken and nearly never waited for, the memory of all that it looks
//! for is asked for before it is needed, and a level that has ten ways to every new world needs no
//! memory for nine of them.
//!
//! A world is judged outside the lock, by the worker that put it in; nobody needs the answer before
//! the level ends, because an event that is noted late only means that more was expanded in vain.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::crew::held;
use super::intake::{Arrival, Intake, judged};
use super::judge::Judge;
use super::key::Key;
use super::level::Spot;
use super::newcomers::Newcomers;
use super::portion::{Met, Portion};
use super::rows::Rows;
use super::seen::{PARTS, Place, Seen, part_of};
use super::tally::Tally;
use crate::action::Label;
use crate::fingerprint::Fingerprint;
use crate::system::System;

/// So many worlds are handed over at once where a look-up waits for memory.
pub(super) const LARGE: usize = 64;

/// Fewer, where worlds of so many bytes wait.
const BYTES: usize = 1 << 16;

/// How many worlds a worker remembers to have taken in; a power of 2.
const RECENT: usize = 1 << 13;

/// Where worlds start in a buffer: properties may read them as a core's state.
const ALIGNMENT: usize = 16;

/// The new worlds, by part of the set of stored worlds.
#[derive(Default)]
pub(super) struct Fresh {
    portions: [Mutex<Portion>; PARTS],
}

impl Fresh {
    /// The end of a level with these parents.
    pub(super) fn finish(&mut self, parents: Range<u64>) -> Newcomers {
        let portions = self.portions.iter_mut();
        let portions = portions.map(|it| it.get_mut().unwrap_or_else(PoisonError::into_inner));
        let (rows, fingerprints): (Vec<_>, Vec<_>) = portions.map(Portion::finish).unzip();
        let order = sorted(&rows, parents);
        Newcomers::shared(rows, fingerprints, order)
    }

    /// Take back the memory of what was finished.
    pub(super) fn reuse(&mut self, rows: Vec<Rows>, fingerprints: Vec<Vec<Fingerprint>>) {
        for ((portion, rows), fingerprints) in self.portions.iter_mut().zip(rows).zip(fingerprints)
        {
            let portion = portion.get_mut().unwrap_or_else(PoisonError::into_inner);
            portion.reuse(rows, fingerprints);
        }
    }
}

/// Where all of `rows` stand, by key: counted by parent, as nearly every parent has few of them.
fn sorted(rows: &[Rows], parents: Range<u64>) -> Vec<(Key, Spot)> {
    let mut ends = vec![0usize; (parents.end - parents.start) as usize + 1];
    let place = |key: Key| (key.parent - parents.start) as usize;
    for key in rows.iter().flat_map(Rows::keys) {
        ends[place(*key) + 1] += 1;
    }
    let mut sum = 0;
    for end in &mut ends {
        sum += *end;
        *end = sum;
    }
    let mut order = vec![(Key::END, Spot { shard: 0, at: 0 }); sum];
    // The start of a parent's worlds moves to their end.
    for (shard, rows) in (0..).zip(rows) {
        for (at, key) in (0..).zip(rows.keys()) {
            let start = &mut ends[place(*key)];
            order[*start] = (*key, Spot { shard, at });
            *start += 1;
        }
    }
    let mut start = 0;
    for &end in &ends[..ends.len() - 1] {
        order[start..end].sort_unstable_by_key(|(key, _)| key.ordinal);
        start = end;
    }
    order
}

/// One of several workers.
pub(super) struct Shared<'a> {
    seen: &'a Seen,
    fresh: &'a Fresh,
    buffers: [Buffer; PARTS],
    /// So many worlds are handed over at once.
    size: usize,
    /// Where keys only grow: what was taken in, each at the place of its low bits. There a world that
    /// comes again is nothing new.
    recent: Vec<Fingerprint>,
    /// What was new among them: its place in the buffer, and in the portion.
    new: Vec<(usize, u32)>,
}

/// Worlds of one part.
#[derive(Default)]
struct Buffer {
    waiting: Vec<Waiting>,
    bytes: Vec<u8>,
}

struct Waiting {
    fingerprint: Fingerprint,
    key: Key,
    label: Label,
    world: Range<usize>,
}

impl<'a> Shared<'a> {
    /// A worker that hands over so many worlds at once, and meets transitions `in_order` of their keys
    /// or in any.
    pub(super) fn new(seen: &'a Seen, fresh: &'a Fresh, size: usize, in_order: bool) -> Self {
        let recent = if in_order && size > 1 { RECENT } else { 0 };
        // At first a value at each place that belongs to another.
        let recent = (0..recent as u128).map(|place| Fingerprint(!place)).collect();
        Shared { seen, fresh, buffers: Default::default(), size, recent, new: Vec::new() }
    }

    fn hand_over<S: System>(
        &mut self,
        part: usize,
        system: &S,
        judge: &Judge<'_>,
        tally: &mut Tally<'_>,
    ) {
        let Buffer { waiting, bytes } = &mut self.buffers[part];
        let mut portion = held(&self.fresh.portions[part]);
        waiting.iter().for_each(|it| portion.prefetch(it.fingerprint));
        waiting.iter().for_each(|it| portion.prefetch_row(it.fingerprint));
        for (place, it) in waiting.iter_mut().enumerate() {
            let world = &bytes[it.world.clone()];
            match portion.meet(it.fingerprint, it.key, &mut it.label, world, judge) {
                Met::Known => (),
                Met::New(at) => self.new.push((place, at)),
                Met::End => tally.limit(it.key),
            }
        }
        drop(portion);
        for (place, at) in self.new.drain(..) {
            let Waiting { key, world, .. } = &waiting[place];
            let said = judged(judge, system.view(&bytes[world.clone()]));
            let end = |said| held(&self.fresh.portions[part]).judge(at, said, judge);
            match said.is_some_and(end) {
                true => tally.limit(*key),
                false => tally.count(*key),
            }
        }
        waiting.clear();
        bytes.clear();
    }
}

impl Intake for Shared<'_> {
    #[inline]
    fn ahead(&self, fingerprint: Fingerprint) {
        self.seen.prefetch(fingerprint);
    }

    #[inline]
    fn missing(&self, fingerprint: Fingerprint) -> Option<Place> {
        self.seen.missing(fingerprint)
    }

    fn take<S: System>(
        &mut self,
        _: Place,
        arrival: Arrival<'_>,
        system: &S,
        judge: &Judge<'_>,
        tally: &mut Tally<'_>,
    ) {
        let Arrival { fingerprint, key, label, world } = arrival;
        if let Some(recent) = self.recent.get_mut(fingerprint.0 as usize & (RECENT - 1)) {
            if *recent == fingerprint {
                return;
            }
            *recent = fingerprint;
        }
        let part = part_of(fingerprint);
        let Buffer { waiting, bytes } = &mut self.buffers[part];
        bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
        let start = bytes.len();
        bytes.extend_from_slice(world);
        waiting.push(Waiting { fingerprint, key, label, world: start..bytes.len() });
        if waiting.len() >= self.size || bytes.len() >= BYTES {
            self.hand_over(part, system, judge, tally);
        }
    }

    fn finish<S: System>(&mut self, system: &S, judge: &Judge<'_>, tally: &mut Tally<'_>) {
        for part in 0..PARTS {
            self.hand_over(part, system, judge, tally);
        }
    }
}
