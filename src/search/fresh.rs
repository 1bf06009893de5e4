//! The new worlds that are found while a level is expanded. Each keeps the smallest key that
//! reached it with the label taken there, and is judged once: it is the same world on every way.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::judge::Trouble;
use super::key::Key;
use super::level::Worlds;
use crate::action::Label;
use crate::fingerprint::Fingerprint;

/// What the judge said of a world: the `sometimes` that it reaches, or its trouble.
pub(super) type Judged = Result<Box<[usize]>, Trouble>;

/// A new world.
pub(super) struct Newcomer {
    pub(super) fingerprint: Fingerprint,
    pub(super) key: Key,
    pub(super) label: Label,
    pub(super) judged: Judged,
}

/// The new worlds of a level that is being expanded.
pub(super) struct Fresh {
    rank: HashMap<Fingerprint, usize>,
    newcomers: Vec<Newcomer>,
    worlds: Worlds,
    bound: Key,
}

impl Fresh {
    pub(super) fn new() -> Self {
        Fresh {
            rank: HashMap::new(),
            newcomers: Vec::new(),
            worlds: Worlds::default(),
            bound: Key { parent: 0, ordinal: 0 },
        }
    }

    pub(super) fn len(&self) -> usize {
        self.newcomers.len()
    }

    /// No key of a world found so far is behind this one.
    pub(super) fn bound(&self) -> Key {
        self.bound
    }

    /// A world was reached by the transition `key`, `label`. Answers whether it is in trouble with
    /// `key` as its smallest key so far.
    pub(super) fn meet(
        &mut self,
        fingerprint: Fingerprint,
        key: Key,
        label: impl FnOnce() -> Label,
        world: &[u8],
        judge: impl FnOnce() -> Judged,
    ) -> bool {
        let at = match self.rank.entry(fingerprint) {
            Entry::Occupied(known) => {
                let newcomer = &mut self.newcomers[*known.get()];
                if key > newcomer.key {
                    return false;
                }
                newcomer.key = key;
                newcomer.label = label();
                *known.get()
            }
            Entry::Vacant(place) => {
                let at = *place.insert(self.newcomers.len());
                self.worlds.push(world);
                self.bound = self.bound.max(key);
                self.newcomers.push(Newcomer { fingerprint, key, label: label(), judged: judge() });
                at
            }
        };
        self.newcomers[at].judged.is_err()
    }

    /// The new worlds by key, each with its place among the worlds.
    pub(super) fn by_key(self) -> (Vec<(usize, Newcomer)>, Worlds) {
        let mut sorted: Vec<_> = self.newcomers.into_iter().enumerate().collect();
        sorted.sort_unstable_by_key(|(_, newcomer)| newcomer.key);
        (sorted, self.worlds)
    }
}
