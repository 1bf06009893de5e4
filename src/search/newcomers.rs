//! The new worlds of a level that was expanded, in the order of their keys.

use super::judge::{Judge, Judged};
use super::key::Key;
use super::level::{Level, Spot, Worlds};
use super::report::{Part, Place};
use super::rows::Rows;
use crate::action::Label;
use crate::fingerprint::Fingerprint;

/// New worlds.
pub(super) struct Newcomers {
    shards: Vec<Rows>,
    /// By shard, the fingerprints; those of a worker that was alone are stored already.
    fingerprints: Vec<Vec<Fingerprint>>,
    /// Where they stand, by key; `None` for one shard in order.
    order: Option<Vec<(Key, Spot)>>,
}

impl Newcomers {
    /// Those of a worker that was alone.
    pub(super) fn alone(rows: Rows) -> Self {
        Newcomers { shards: vec![rows], fingerprints: Vec::new(), order: None }
    }

    /// Those of several.
    pub(super) fn shared(
        shards: Vec<Rows>,
        fingerprints: Vec<Vec<Fingerprint>>,
        order: Vec<(Key, Spot)>,
    ) -> Self {
        Newcomers { shards, fingerprints, order: Some(order) }
    }

    pub(super) fn len(&self) -> usize {
        self.order.as_ref().map_or_else(|| self.shards[0].len(), Vec::len)
    }

    /// The key of the world number `rank`.
    pub(super) fn key(&self, rank: usize) -> Key {
        match &self.order {
            Some(order) => order[rank].0,
            None => self.shards[0].key(rank as u32),
        }
    }

    /// Take out how world number `rank` was reached, and what the judge said of it.
    pub(super) fn take(&mut self, rank: usize) -> (Label, Option<Box<Judged>>) {
        let Spot { shard, at } = self.spot(rank);
        self.shards[shard as usize].take(at)
    }

    /// Take out, by shard, the fingerprints that are not stored yet: those up to `end`, as the search
    /// stops there.
    pub(super) fn take_fingerprints(&mut self, end: Option<Place>) -> Vec<Vec<Fingerprint>> {
        if let Some(end) = end {
            let part = Part::World;
            for (all, rows) in self.fingerprints.iter_mut().zip(&self.shards) {
                let mut keys = rows.keys().iter();
                let fits = |key: &Key| {
                    Place { key: *key, part } <= end && (end.part != Part::Bound || *key < end.key)
                };
                all.retain(|_| keys.next().is_some_and(fits));
            }
        }
        std::mem::take(&mut self.fingerprints)
    }

    /// Take back their memory.
    pub(super) fn give_back(&mut self, fingerprints: Vec<Vec<Fingerprint>>) {
        self.fingerprints = fingerprints;
    }

    /// The smallest key of one at which the search ends.
    pub(super) fn end(&self, judge: &Judge<'_>) -> Option<Key> {
        self.shards.iter().filter_map(|rows| rows.end(judge)).min()
    }

    /// The level of the first `count` of them, with indices from `first`. Answers the rest, for its
    /// memory.
    pub(super) fn level(
        mut self,
        first: u64,
        count: usize,
    ) -> (Level, Vec<Rows>, Vec<Vec<Fingerprint>>) {
        let worlds = self.shards.iter_mut().map(|rows| std::mem::take(&mut rows.worlds));
        let worlds: Vec<Worlds> = worlds.collect();
        let order =
            self.order.map(|order| order.into_iter().take(count).map(|(_, spot)| spot).collect());
        (Level::new(first, worlds, order, count), self.shards, self.fingerprints)
    }

    fn spot(&self, rank: usize) -> Spot {
        match &self.order {
            Some(order) => order[rank].1,
            None => Spot { shard: 0, at: rank as u32 },
        }
    }
}
