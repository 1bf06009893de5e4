//! Where the new worlds of a level are put while it is expanded. Each keeps the smallest key that
//! reached it with the label taken there, and is judged once: it is the same world on every way.
//!
//! A worker that is alone and goes through a level in order meets every world by its smallest key
//! first, so it puts it into the set of stored worlds at once ([`Alone`]). What it stores behind the
//! event at which a search ends is never read again.
//!
//! Several workers, or one in another order, leave that set as it is until the level ends ([`Shared`]).
//! Their new worlds lie in shards by fingerprint, each behind a lock, so that workers seldom meet at
//! one. A world is judged outside the lock, by the worker that put it in; nobody needs the answer
//! before the level ends, because an event that is noted late only means that more was expanded in
//! vain.

use std::collections::hash_map::Entry;
use std::sync::{Mutex, PoisonError};

use super::crew::{guarded, held};
use super::judge::{Judge, Judged};
use super::key::Key;
use super::level::Spot;
use super::newcomers::Newcomers;
use super::rows::Rows;
use super::seen::{Place, Seen};
use crate::action::Label;
use crate::fingerprint::{Fingerprint, FingerprintMap};
use crate::world::View;

/// Shards for each worker, where there are several.
const SHARDS: usize = 32;

/// What is known of a world that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Met {
    /// It was reached before in this level.
    Known,
    /// It was not, and nothing is wrong with it that ends the search.
    New,
    /// The search ends at it, and it was not reached by a smaller key so far.
    End,
}

/// A transition to a world.
pub(super) struct Arrival<'a> {
    pub(super) fingerprint: Fingerprint,
    pub(super) key: Key,
    pub(super) label: Label,
    pub(super) world: &'a [u8],
}

/// Where a worker puts new worlds.
pub(super) trait Intake {
    /// Get ready to look for `fingerprint`.
    fn ahead(&self, fingerprint: Fingerprint);

    /// `None` if the world is known to be stored, else where it is missing: the next call must be to
    /// [`Intake::take`] with it, or to this.
    fn missing(&self, fingerprint: Fingerprint) -> Option<Place>;

    /// Take in a world that is missing from `place`.
    fn take(
        &mut self,
        place: Place,
        arrival: Arrival<'_>,
        judge: &Judge<'_>,
        view: View<'_>,
    ) -> Met;
}

/// The only worker, in order.
pub(super) struct Alone<'a> {
    pub(super) seen: &'a mut Seen,
    pub(super) rows: &'a mut Rows,
}

impl Intake for Alone<'_> {
    fn ahead(&self, fingerprint: Fingerprint) {
        self.seen.prefetch(fingerprint);
    }

    fn missing(&self, fingerprint: Fingerprint) -> Option<Place> {
        self.seen.missing(fingerprint)
    }

    fn take(
        &mut self,
        place: Place,
        arrival: Arrival<'_>,
        judge: &Judge<'_>,
        view: View<'_>,
    ) -> Met {
        let Arrival { fingerprint, key, label, world } = arrival;
        self.seen.fill(place, fingerprint);
        let at = self.rows.push(key, label, world);
        let said = judged(judge, view);
        let ends = said.is_some_and(|said| self.rows.judge(at, said, judge));
        if ends { Met::End } else { Met::New }
    }
}

/// One of several workers.
pub(super) struct Shared<'a> {
    pub(super) seen: &'a Seen,
    pub(super) fresh: &'a Fresh,
}

impl Intake for Shared<'_> {
    fn ahead(&self, fingerprint: Fingerprint) {
        self.seen.prefetch(fingerprint);
    }

    fn missing(&self, fingerprint: Fingerprint) -> Option<Place> {
        self.seen.missing(fingerprint)
    }

    fn take(&mut self, _: Place, arrival: Arrival<'_>, judge: &Judge<'_>, view: View<'_>) -> Met {
        self.fresh.meet(arrival, judge, view)
    }
}

/// What the judge says. A panic in a property is the world's trouble: it happens on every way to it.
fn judged(judge: &Judge<'_>, view: View<'_>) -> Option<Box<Judged>> {
    guarded(|| judge.world(view)).unwrap_or_else(|panic| {
        let trouble = Some(panic.into());
        Some(Box::new(Judged { trouble, ..Judged::default() }))
    })
}

/// The new worlds of a level that is being expanded by several workers.
pub(super) struct Fresh {
    shards: Box<[Mutex<Shard>]>,
}

#[derive(Default)]
struct Shard {
    /// The smallest key of each world so far, and its row.
    met: FingerprintMap<(Key, u32)>,
    fingerprints: Vec<Fingerprint>,
    rows: Rows,
}

impl Fresh {
    /// No world yet; for so many workers.
    pub(super) fn new(workers: usize) -> Self {
        let count = if workers > 1 { (workers * SHARDS).next_power_of_two() } else { 1 };
        Fresh { shards: (0..count).map(|_| Mutex::default()).collect() }
    }

    fn meet(&self, arrival: Arrival<'_>, judge: &Judge<'_>, view: View<'_>) -> Met {
        let Arrival { fingerprint, key, label, world } = arrival;
        // The map takes the lower half.
        let shard = &self.shards[(fingerprint.0 >> 64) as usize & (self.shards.len() - 1)];
        let mut holding = held(shard);
        let Shard { met, fingerprints, rows } = &mut *holding;
        let at = match met.entry(fingerprint) {
            Entry::Occupied(mut known) => {
                let (first, at) = *known.get();
                if key > first {
                    return Met::Known;
                }
                known.insert((key, at));
                rows.replace(at, key, label);
                return if rows.ends(at, judge) { Met::End } else { Met::Known };
            }
            Entry::Vacant(place) => place.insert((key, rows.push(key, label, world))).1,
        };
        fingerprints.push(fingerprint);
        drop(holding);
        let said = judged(judge, view);
        let ends = said.is_some_and(|said| held(shard).rows.judge(at, said, judge));
        if ends { Met::End } else { Met::New }
    }

    /// The end of the level.
    pub(super) fn finish(self) -> Newcomers {
        let shards = self.shards.into_iter().map(Mutex::into_inner);
        let shards = shards.map(|shard| shard.unwrap_or_else(PoisonError::into_inner));
        let (rows, fingerprints): (Vec<_>, Vec<_>) =
            shards.map(|shard| (shard.rows, shard.fingerprints)).unzip();
        let mut order = Vec::with_capacity(rows.iter().map(Rows::len).sum());
        for (shard, rows) in (0..).zip(&rows) {
            let places = (0..rows.len() as u32).map(|at| (rows.key(at), Spot { shard, at }));
            order.extend(places);
        }
        order.sort_unstable_by_key(|(key, _)| *key);
        Newcomers::shared(rows, fingerprints, order)
    }
}
