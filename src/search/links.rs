//! How every stored world was first reached: its parent's index and the label taken there. Worlds
//! are numbered in order of discovery, the initial ones first. 16 bytes a world; the rare labels
//! with choices keep them in a table beside.

use std::collections::HashMap;

use crate::action::{Action, Label};
use crate::system::Path;
use crate::trace::Trace;

/// The parent links of all stored worlds.
#[derive(Default)]
pub(super) struct Links {
    /// The ordinals of the initial worlds that were stored.
    initial: Vec<u64>,
    /// The parents of the worlds behind the initial ones.
    parents: Vec<u64>,
    actions: Vec<Action>,
    choices: HashMap<u64, Box<[u16]>>,
}

impl Links {
    /// How many worlds are stored: the index of the next one.
    pub(super) fn len(&self) -> u64 {
        (self.initial.len() + self.parents.len()) as u64
    }

    /// Store an initial world, the `ordinal`-th that the system produced.
    pub(super) fn push_initial(&mut self, ordinal: u64) {
        assert!(self.parents.is_empty(), "initial worlds come before all others");
        self.initial.push(ordinal);
    }

    /// The ordinals of the initial worlds.
    pub(super) fn initial(&self) -> &[u64] {
        &self.initial
    }

    /// Store a world that was reached from `parent` by `label`.
    pub(super) fn push(&mut self, parent: u64, label: Label) {
        let index = self.len();
        if !label.choices.is_empty() {
            self.choices.insert(index, label.choices);
        }
        self.parents.push(parent);
        self.actions.push(label.action);
    }

    /// The trace to world `index`, and on by `last` if there is one.
    pub(super) fn trace(&self, index: u64, last: Option<Label>) -> Trace {
        let mut labels = Vec::new();
        let initial = self.labels(index, &mut labels);
        labels.extend(last);
        Trace { initial, labels }
    }
}

impl Path for Links {
    fn labels(&self, mut index: u64, out: &mut Vec<Label>) -> u64 {
        out.clear();
        let first = self.initial.len() as u64;
        while index >= first {
            let row = (index - first) as usize;
            out.push(Label {
                action: self.actions[row],
                choices: self.choices.get(&index).cloned().unwrap_or_default(),
            });
            index = self.parents[row];
        }
        out.reverse();
        self.initial[index as usize]
    }
}

/// A single path is its own history: index `n` stands behind its first `n` labels.
impl Path for Trace {
    fn labels(&self, index: u64, out: &mut Vec<Label>) -> u64 {
        out.clear();
        out.extend_from_slice(&self.labels[..index as usize]);
        self.initial
    }
}
