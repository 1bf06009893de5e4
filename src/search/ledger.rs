//! What was generated while one level is expanded: one byte a transition, so that the counts up to
//! any key are exact when the level ends in a violation.

use std::ops::Range;

use super::key::Key;
use super::receipts::Receipts;
use crate::action::Kind;

const CRASHED: u8 = 0x80;
const NOTHING: u8 = 0;

/// The transitions of one level, grouped by parent.
pub(super) struct Ledger {
    first: u64,
    marks: Vec<u8>,
    spans: Vec<Range<usize>>,
}

impl Ledger {
    /// For the `count` parents from index `first` on.
    pub(super) fn new(first: u64, count: usize) -> Self {
        Ledger { first, marks: Vec::new(), spans: vec![0..0; count] }
    }

    /// How many transitions were noted.
    pub(super) fn len(&self) -> u64 {
        self.marks.len() as u64
    }

    /// From here on the transitions of the parent with index `parent` are noted.
    pub(super) fn open(&mut self, parent: u64) {
        self.spans[(parent - self.first) as usize] = self.marks.len()..self.marks.len();
    }

    /// Note the next transition of `parent`; `crashed` when the node died inside it.
    pub(super) fn generated(&mut self, parent: u64, kind: Kind, crashed: bool) {
        self.note(parent, kind as u8 | if crashed { CRASHED } else { 0 });
    }

    /// Note that the next transition of `parent` could not be made.
    pub(super) fn failed(&mut self, parent: u64) {
        self.note(parent, NOTHING);
    }

    fn note(&mut self, parent: u64, mark: u8) {
        self.marks.push(mark);
        self.spans[(parent - self.first) as usize].end = self.marks.len();
    }

    /// Add the transitions up to and including `last` to `receipts`, and answer how many they are.
    pub(super) fn count(&self, last: Key, receipts: &mut Receipts) -> u64 {
        let mut generated = 0;
        for (span, parent) in self.spans.iter().zip(self.first..=last.parent) {
            let mut marks = &self.marks[span.clone()];
            if parent == last.parent {
                marks = &marks[..marks.len().min(last.ordinal as usize)];
            }
            for mark in marks {
                if let Some(&kind) = Kind::ALL.get((mark & !CRASHED).wrapping_sub(1) as usize) {
                    receipts.add(kind, mark & CRASHED != 0);
                    generated += 1;
                }
            }
        }
        generated
    }
}
