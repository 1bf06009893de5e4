//! What one worker generated while a level is expanded: one byte a transition, so that the counts up
//! to any key are exact when the level ends in a violation.

use super::key::Key;
use super::receipts::Receipts;
use crate::action::Kind;

const CRASHED: u8 = 0x80;
const NOTHING: u8 = 0;

/// The transitions of one worker in one level, grouped by parent.
#[derive(Default)]
pub(super) struct Ledger {
    marks: Vec<u8>,
    /// Each parent, and where its marks start.
    parents: Vec<(u64, usize)>,
}

impl Ledger {
    /// How many transitions were noted.
    pub(super) fn len(&self) -> u64 {
        self.marks.len() as u64
    }

    /// From here on the transitions of the parent with index `parent` are noted.
    pub(super) fn open(&mut self, parent: u64) {
        self.parents.push((parent, self.marks.len()));
    }

    /// Note the next transition; `crashed` when the node died inside it.
    pub(super) fn generated(&mut self, kind: Kind, crashed: bool) {
        self.marks.push(kind as u8 | if crashed { CRASHED } else { 0 });
    }

    /// Note that the next transition could not be made.
    pub(super) fn failed(&mut self) {
        self.marks.push(NOTHING);
    }

    /// Add the transitions up to and including `last` to `receipts`, and answer how many they are.
    pub(super) fn count(&self, last: Key, receipts: &mut Receipts) -> u64 {
        let mut generated = 0;
        let ends = self.parents.iter().skip(1).map(|&(_, start)| start).chain([self.marks.len()]);
        for (&(parent, start), end) in self.parents.iter().zip(ends) {
            let mut marks = &self.marks[start..end];
            match parent.cmp(&last.parent) {
                std::cmp::Ordering::Less => (),
                std::cmp::Ordering::Equal => {
                    marks = &marks[..marks.len().min(last.ordinal as usize)];
                }
                std::cmp::Ordering::Greater => continue,
            }
            for mark in marks {
                if let Some(kind) = Kind::of(mark & !CRASHED) {
                    receipts.add(kind, mark & CRASHED != 0);
                    generated += 1;
                }
            }
        }
        generated
    }
}
