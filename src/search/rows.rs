//! New worlds of a level in the order in which they were found: how each was reached first, and what
//! the judge said of it. One piece of memory for each column; the rare things lie beside.

use std::collections::HashMap;

use super::judge::{Judge, Judged};
use super::key::Key;
use super::level::Worlds;
use super::memory::prefetch;
use crate::action::{Action, Label};

/// New worlds.
#[derive(Default)]
pub(super) struct Rows {
    keys: Vec<Key>,
    actions: Vec<Action>,
    pub(super) worlds: Worlds,
    /// The choices of labels that have any.
    choices: HashMap<u32, Box<[u16]>>,
    /// What the judge said, where there was anything to say.
    judged: HashMap<u32, Box<Judged>>,
}

impl Rows {
    /// No world, in the memory of `worlds`.
    pub(super) fn reuse(&mut self, mut worlds: Worlds) {
        worlds.clear();
        self.keys.clear();
        self.actions.clear();
        self.choices.clear();
        self.judged.clear();
        self.worlds = worlds;
    }

    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    pub(super) fn key(&self, at: u32) -> Key {
        self.keys[at as usize]
    }

    pub(super) fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// Get ready to look at the key of the row `at`.
    #[inline]
    pub(super) fn prefetch(&self, at: u32) {
        prefetch(&self.keys[at as usize]);
    }

    /// Append a world that was reached by the transition `key`, `label`; answers its place.
    pub(super) fn push(&mut self, key: Key, label: Label, world: &[u8]) -> u32 {
        let at = u32::try_from(self.keys.len()).expect("a level has fewer than 2^32 worlds");
        self.keys.push(key);
        self.actions.push(label.action);
        if !label.choices.is_empty() {
            self.choices.insert(at, label.choices);
        }
        self.worlds.push(world);
        at
    }

    /// It was reached by this transition, which comes first.
    pub(super) fn replace(&mut self, at: u32, key: Key, label: Label) {
        self.keys[at as usize] = key;
        self.actions[at as usize] = label.action;
        match label.choices.is_empty() {
            true => self.choices.remove(&at),
            false => self.choices.insert(at, label.choices),
        };
    }

    /// Keep what the judge said; answers whether the search ends at this world.
    pub(super) fn judge(&mut self, at: u32, said: Box<Judged>, judge: &Judge<'_>) -> bool {
        self.judged.insert(at, said);
        self.ends(at, judge)
    }

    /// Whether the search ends at this world.
    pub(super) fn ends(&self, at: u32, judge: &Judge<'_>) -> bool {
        let trouble = self.judged.get(&at).and_then(|judged| judged.trouble.as_ref());
        trouble.is_some_and(|trouble| judge.ends(trouble))
    }

    /// The smallest key of a world at which the search ends.
    pub(super) fn end(&self, judge: &Judge<'_>) -> Option<Key> {
        let ends = self.judged.keys().filter(|at| self.ends(**at, judge));
        ends.map(|at| self.key(*at)).min()
    }

    /// Take out the label, and what the judge said.
    pub(super) fn take(&mut self, at: u32) -> (Label, Option<Box<Judged>>) {
        let label = Label {
            action: self.actions[at as usize],
            choices: match self.choices.is_empty() {
                true => Box::default(),
                false => self.choices.remove(&at).unwrap_or_default(),
            },
        };
        let judged = match self.judged.is_empty() {
            true => None,
            false => self.judged.remove(&at),
        };
        (label, judged)
    }
}
