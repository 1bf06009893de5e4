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

    /// Every kind with its count, in listing order, those that never happened included.
    pub fn iter(&self) -> impl Iterator<Item = (Kind, u64)> + '_ {
        Kind::ALL.iter().map(|&kind| (kind, self.count(kind)))
    }

    /// Count one transition; `crashed` when its node died inside it.
    pub(super) fn add(&mut self, kind: Kind, crashed: bool) {
        self.counts[kind as usize - 1] += 1;
        if crashed {
            self.counts[Kind::Crash as usize - 1] += 1;
        }
    }
}
