//! Receipts: how often each kind of action happened among the generated transitions. A step inside
//! which its node died counts for its own kind and as `CRASH` too.

use crate::action::Kind;

/// Generated transitions per [`Kind`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Receipts {
    counts: [u64; Kind::ALL.len()],
}

impl Receipts {
    /// How many transitions of `kind` were generated.
    pub fn count(&self, kind: Kind) -> u64 {
        self.counts[kind as usize - 1]
    }

    /// Each of `kinds` with its count, those that never happened included.
    pub fn of<'a>(&'a self, kinds: &'a [Kind]) -> impl Iterator<Item = (Kind, u64)> + 'a {
        kinds.iter().map(|&kind| (kind, self.count(kind)))
    }

    /// Count so many transitions; `crashed` when their nodes died inside them.
    pub(super) fn add(&mut self, kind: Kind, crashed: bool, count: u64) {
        self.counts[kind as usize - 1] += count;
        if crashed {
            self.counts[Kind::Crash as usize - 1] += count;
        }
    }

    /// Count what `others` counts.
    pub(super) fn merge(&mut self, others: &Receipts) {
        self.counts.iter_mut().zip(others.counts).for_each(|(count, other)| *count += other);
    }
}
