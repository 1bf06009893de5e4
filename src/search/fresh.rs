//! The new worlds that are found while a level is expanded. Each keeps the smallest key that
//! reached it with the label taken there, and is judged once: it is the same world on every way.
//!
//! They lie in shards by fingerprint, each behind a lock, so that workers seldom meet at one. A
//! world is judged outside the lock, by the worker that put it in; nobody needs the answer before
//! the level ends, because an event that is noted late only means that more was expanded in vain.

use std::collections::hash_map::Entry;
use std::sync::{Mutex, PoisonError};

use super::crew::{guarded, held};
use super::judge::{Judge, Judged};
use super::key::Key;
use super::level::{Spot, Worlds};
use crate::action::Label;
use crate::fingerprint::{Fingerprint, FingerprintMap};
use crate::world::View;

/// Shards for each worker, where there are several.
const SHARDS: usize = 32;

/// A new world.
pub(super) struct Newcomer {
    pub(super) fingerprint: Fingerprint,
    pub(super) key: Key,
    pub(super) label: Label,
    /// What the judge said, where there is anything to say.
    pub(super) judged: Option<Box<Judged>>,
}

impl Newcomer {
    /// Whether the search ends at it.
    fn ends(&self, judge: &Judge<'_>) -> bool {
        let trouble = self.judged.as_ref().and_then(|judged| judged.trouble.as_ref());
        trouble.is_some_and(|trouble| judge.ends(trouble))
    }
}

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

/// The new worlds of a level that is being expanded.
pub(super) struct Fresh {
    shards: Box<[Mutex<Shard>]>,
}

#[derive(Default)]
struct Shard {
    rank: FingerprintMap<usize>,
    newcomers: Vec<Newcomer>,
    worlds: Worlds,
}

impl Fresh {
    /// No world yet; for so many workers.
    pub(super) fn new(workers: usize) -> Self {
        let count = if workers > 1 { (workers * SHARDS).next_power_of_two() } else { 1 };
        Fresh { shards: (0..count).map(|_| Mutex::default()).collect() }
    }

    /// A world was reached by the transition `key`, `label`.
    pub(super) fn meet(
        &self,
        fingerprint: Fingerprint,
        key: Key,
        label: impl FnOnce() -> Label,
        world: &[u8],
        judge: &Judge<'_>,
        view: View<'_>,
    ) -> Met {
        // The map takes the lower half.
        let shard = &self.shards[(fingerprint.0 >> 64) as usize & (self.shards.len() - 1)];
        let mut holding = held(shard);
        let Shard { rank, newcomers, worlds } = &mut *holding;
        let at = match rank.entry(fingerprint) {
            Entry::Occupied(known) => {
                let newcomer = &mut newcomers[*known.get()];
                if key > newcomer.key {
                    return Met::Known;
                }
                newcomer.key = key;
                newcomer.label = label();
                return if newcomer.ends(judge) { Met::End } else { Met::Known };
            }
            Entry::Vacant(place) => *place.insert(newcomers.len()),
        };
        worlds.push(world);
        newcomers.push(Newcomer { fingerprint, key, label: label(), judged: None });
        drop(holding);
        // A panic in a property is the world's trouble: it happens on every way to it.
        let judged = guarded(|| judge.world(view))
            .unwrap_or_else(|panic| Judged { trouble: Some(panic.into()), ..Judged::default() });
        if judged.is_plain() {
            return Met::New;
        }
        let newcomer = &mut held(shard).newcomers[at];
        newcomer.judged = Some(Box::new(judged));
        if newcomer.ends(judge) { Met::End } else { Met::New }
    }

    /// The end of the level.
    pub(super) fn finish(self) -> Newcomers {
        let shards = self.shards.into_iter().map(Mutex::into_inner);
        let shards = shards.map(|shard| shard.unwrap_or_else(PoisonError::into_inner));
        let (newcomers, worlds): (Vec<_>, _) =
            shards.map(|shard| (shard.newcomers, shard.worlds)).unzip();
        let mut by_key = Vec::with_capacity(newcomers.iter().map(Vec::len).sum());
        for (shard, newcomers) in (0..).zip(&newcomers) {
            by_key.extend((0..).zip(newcomers).map(|(at, n)| (n.key, Spot { shard, at })));
        }
        by_key.sort_unstable_by_key(|(key, _)| *key);
        Newcomers { newcomers, worlds, by_key }
    }
}

/// The new worlds of a level that was expanded.
pub(super) struct Newcomers {
    newcomers: Vec<Vec<Newcomer>>,
    /// Their bytes.
    pub(super) worlds: Vec<Worlds>,
    /// In the order of keys, where each stands.
    pub(super) by_key: Vec<(Key, Spot)>,
}

impl Newcomers {
    /// Take the one at `spot` out; for its label and judgement there is one taker.
    pub(super) fn take(&mut self, spot: Spot) -> Newcomer {
        let place = &mut self.newcomers[spot.shard as usize][spot.at as usize];
        let Newcomer { fingerprint, key, label: Label { action, .. }, .. } = *place;
        let choices = std::mem::take(&mut place.label.choices);
        let judged = place.judged.take();
        Newcomer { fingerprint, key, label: Label { action, choices }, judged }
    }

    /// The smallest key of one at which the search ends.
    pub(super) fn end(&self, judge: &Judge<'_>) -> Option<Key> {
        let all = self.newcomers.iter().flatten();
        all.filter(|newcomer| newcomer.ends(judge)).map(|newcomer| newcomer.key).min()
    }
}
