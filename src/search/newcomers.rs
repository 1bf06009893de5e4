//! The new worlds of a level that was expanded, in the order of their keys.

use super::judge::{Judge, Judged};
use super::key::Key;
use super::level::{Level, Spot, Worlds};
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

    /// The fingerprint of world number `rank`, if it is to be stored.
    pub(super) fn fingerprint(&self, rank: usize) -> Option<Fingerprint> {
        let Spot { shard, at } = self.spot(rank);
        self.fingerprints.get(shard as usize).map(|all| all[at as usize])
    }

    /// The smallest key of one at which the search ends.
    pub(super) fn end(&self, judge: &Judge<'_>) -> Option<Key> {
        self.shards.iter().filter_map(|rows| rows.end(judge)).min()
    }

    /// The level of the first `count` of them, with indices from `first`. Answers the rest of the
    /// first shard, for its memory.
    pub(super) fn level(mut self, first: u64, count: usize) -> (Level, Rows) {
        let worlds = self.shards.iter_mut().map(|rows| std::mem::take(&mut rows.worlds));
        let worlds: Vec<Worlds> = worlds.collect();
        let order =
            self.order.map(|order| order.into_iter().take(count).map(|(_, spot)| spot).collect());
        (Level::new(first, worlds, order, count), self.shards.swap_remove(0))
    }

    fn spot(&self, rank: usize) -> Spot {
        match &self.order {
            Some(order) => order[rank].1,
            None => Spot { shard: 0, at: rank as u32 },
        }
    }
}
