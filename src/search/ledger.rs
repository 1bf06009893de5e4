//! What one worker generated while a level is expanded: one byte a transition, so that the counts up
//! to any place are exact when the level ends in an event.

use super::key::Key;
use super::receipts::Receipts;
use super::report::{Part, Place};
use crate::action::Kind;

const CRASHED: u8 = 0x80;
/// A world outside the constraints broke a rule.
const WORLD: u8 = 0x40;
/// The step broke one.
const STEP: u8 = 0x20;
const KIND: u8 = 0x1f;
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
    #[inline]
    pub(super) fn generated(&mut self, kind: Kind, crashed: bool) {
        self.marks.push(kind as u8 | if crashed { CRASHED } else { 0 });
    }

    /// Note that the next transition could not be made.
    pub(super) fn failed(&mut self) {
        self.marks.push(NOTHING);
    }

    /// Note that the transition number `mark`, from 0, broke a rule, and that the search goes on.
    pub(super) fn broken(&mut self, mark: usize, part: Part) {
        self.marks[mark] |= if part == Part::World { WORLD } else { STEP };
    }

    /// Add the transitions up to and including that of `end` to `receipts`. Answers how many they
    /// are, and how many rules they broke before `end`.
    pub(super) fn count(&self, end: Option<Place>, receipts: &mut Receipts) -> (u64, u64) {
        let Some(end) = end else { return self.count_all(receipts) };
        let last = end.key;
        let (mut generated, mut broken) = (0, 0);
        let starts = self.parents.iter().skip(1).map(|&(_, start)| start).chain([self.marks.len()]);
        for (&(parent, start), behind) in self.parents.iter().zip(starts) {
            let mut marks = &self.marks[start..behind];
            match parent.cmp(&last.parent) {
                std::cmp::Ordering::Less => (),
                std::cmp::Ordering::Equal => {
                    marks = &marks[..marks.len().min(last.ordinal as usize)];
                }
                std::cmp::Ordering::Greater => continue,
            }
            for (mark, ordinal) in marks.iter().zip(1..) {
                if let Some(kind) = Kind::of(mark & KIND) {
                    receipts.add(kind, mark & CRASHED != 0, 1);
                    generated += 1;
                }
                if mark & (WORLD | STEP) != 0 {
                    let key = Key { parent, ordinal };
                    for (bit, part) in [(WORLD, Part::World), (STEP, Part::Step)] {
                        let counts = Place { key, part } < end;
                        broken += u64::from(mark & bit != 0 && counts);
                    }
                }
            }
        }
        (generated, broken)
    }

    fn count_all(&self, receipts: &mut Receipts) -> (u64, u64) {
        // Several counters for each value: to count one up waits for the last time.
        let mut counts = [[0u64; 256]; 4];
        let (fours, rest) = self.marks.as_chunks::<4>();
        for four in fours {
            for (counts, mark) in counts.iter_mut().zip(four) {
                counts[usize::from(*mark)] += 1;
            }
        }
        rest.iter().for_each(|mark| counts[0][usize::from(*mark)] += 1);
        let (mut generated, mut broken) = (0, 0);
        for mark in 0..=u8::MAX {
            let count = counts.iter().map(|counts| counts[usize::from(mark)]).sum();
            if let Some(kind) = Kind::of(mark & KIND) {
                receipts.add(kind, mark & CRASHED != 0, count);
                generated += count;
            }
            broken += count * u64::from((mark & (WORLD | STEP)).count_ones());
        }
        (generated, broken)
    }
}
