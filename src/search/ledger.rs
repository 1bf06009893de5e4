//! What one worker generated while a level is expanded, so that the counts up to any place are exact
//! when the level ends in an event. Transitions that follow one another are mostly of one kind, so two
//! bytes stand for up to 255 of them.

use std::cmp::Ordering;
use std::iter::repeat_n;

use super::key::Key;
use super::receipts::Receipts;
use super::report::Place;
use crate::action::Kind;

/// The node died inside the step.
const CRASHED: u8 = 0x80;
const KIND: u8 = 0x1f;
/// No kind: the transition could not be made.
const NOTHING: u8 = 0;

/// The transitions of one worker in one level, grouped by parent.
#[derive(Default)]
pub(super) struct Ledger {
    /// Marks, each with how often it comes in a row; without the last of them.
    runs: Vec<(u8, u8)>,
    last: (u8, u8),
    len: u64,
    stretches: Vec<Stretch>,
    /// For each parent, how many transitions were noted before it, from the start of its stretch on.
    starts: Vec<u32>,
    /// Where a rule was broken and the search went on.
    broken: Vec<Place>,
}

/// Parents whose indices follow one another.
struct Stretch {
    parent: u64,
    /// How many transitions were noted before it.
    start: u64,
    /// How many parents there were before it.
    before: usize,
}

impl Ledger {
    /// Begin with nothing, in the memory that there is.
    pub(super) fn clear(&mut self) {
        let Ledger { runs, last, len, stretches, starts, broken } = self;
        (*last, *len) = ((NOTHING, 0), 0);
        runs.clear();
        stretches.clear();
        starts.clear();
        broken.clear();
    }

    /// Bytes of memory that it takes.
    pub(super) fn bytes(&self) -> usize {
        let Ledger { runs, stretches, starts, broken, .. } = self;
        runs.capacity() * size_of::<(u8, u8)>()
            + stretches.capacity() * size_of::<Stretch>()
            + starts.capacity() * size_of::<u32>()
            + broken.capacity() * size_of::<Place>()
    }

    /// How many transitions were noted.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// From here on the transitions of the parent with index `parent` are noted.
    pub(super) fn open(&mut self, parent: u64) {
        let follows = |it: &&Stretch| parent == it.parent + (self.starts.len() - it.before) as u64;
        let stretch = self.stretches.last().filter(follows);
        let start = stretch.and_then(|it| u32::try_from(self.len - it.start).ok());
        if start.is_none() {
            self.stretches.push(Stretch { parent, start: self.len, before: self.starts.len() });
        }
        self.starts.push(start.unwrap_or(0));
    }

    /// Note the next transition; `crashed` when the node died inside it.
    #[inline]
    pub(super) fn generated(&mut self, kind: Kind, crashed: bool) {
        self.note(kind as u8 | if crashed { CRASHED } else { 0 });
    }

    /// Note that the next `count` transitions are of this kind, and that no node died in them.
    #[inline]
    pub(super) fn generated_many(&mut self, kind: Kind, count: u32) {
        let mark = kind as u8;
        let (last, before) = self.last;
        match u8::try_from(u32::from(before) + count) {
            Ok(sum) if last == mark => {
                self.last.1 = sum;
                self.len += u64::from(count);
            }
            _ => (0..count).for_each(|_| self.note(mark)),
        }
    }

    /// Note that the next transition could not be made.
    pub(super) fn failed(&mut self) {
        self.note(NOTHING);
    }

    #[inline]
    fn note(&mut self, mark: u8) {
        let (last, count) = self.last;
        self.last.1 = match last == mark && count < u8::MAX {
            true => count + 1,
            false => self.turn(mark),
        };
        self.len += 1;
    }

    /// The next run begins, with one `mark`.
    fn turn(&mut self, mark: u8) -> u8 {
        if self.last.1 > 0 {
            self.runs.push(self.last);
        }
        self.last.0 = mark;
        1
    }

    /// Note that a rule was broken at `place`, and that the search goes on.
    pub(super) fn broken(&mut self, place: Place) {
        self.broken.push(place);
    }

    /// Add the transitions up to and including that of `end` to `receipts`. Answers how many they
    /// are, and how many rules they broke before `end`.
    pub(super) fn count(&self, end: Option<Place>, receipts: &mut Receipts) -> (u64, u64) {
        let mut generated = 0;
        let mut add = |mark: u8, count: u64| {
            if let Some(kind) = Kind::of(mark & KIND) {
                receipts.add(kind, mark & CRASHED != 0, count);
                generated += count;
            }
        };
        match end {
            None => self.runs().for_each(|(mark, count)| add(mark, count.into())),
            Some(end) => self.up_to(end.key).for_each(|mark| add(mark, 1)),
        }
        let broken = self.broken.iter().filter(|place| end.is_none_or(|end| **place < end));
        (generated, broken.count() as u64)
    }

    /// Each parent, and how many transitions were noted before it.
    fn parents(&self) -> impl Iterator<Item = (u64, u64)> {
        let ends = self.stretches.iter().skip(1).map(|it| it.before).chain([self.starts.len()]);
        self.stretches.iter().zip(ends).flat_map(|(it, end)| {
            let starts = self.starts[it.before..end].iter();
            (it.parent..).zip(starts.map(|&start| it.start + u64::from(start)))
        })
    }

    fn runs(&self) -> impl Iterator<Item = (u8, u8)> {
        self.runs.iter().copied().chain([self.last])
    }

    /// The marks of transitions up to and including `last`.
    fn up_to(&self, last: Key) -> impl Iterator<Item = u8> {
        let starts = self.parents().skip(1).map(|(_, start)| start).chain([self.len]);
        let wanted = self.parents().zip(starts).flat_map(move |((parent, start), behind)| {
            let count = behind - start;
            let first = match parent.cmp(&last.parent) {
                Ordering::Less => count,
                Ordering::Equal => count.min(last.ordinal.into()),
                Ordering::Greater => 0,
            };
            (0..count).map(move |place| place < first)
        });
        let marks = self.runs().flat_map(|(mark, count)| repeat_n(mark, count.into()));
        marks.zip(wanted).filter(|(_, wanted)| *wanted).map(|(mark, _)| mark)
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::Part;
    use super::*;

    /// Parent 7 delivers, crashing inside every third step, parent 3 fails once, parent 9 fires.
    fn ledger() -> Ledger {
        let mut ledger = Ledger::default();
        ledger.open(7);
        (0..600).for_each(|step| ledger.generated(Kind::Deliver, step % 3 == 0));
        ledger.open(3);
        ledger.failed();
        ledger.generated(Kind::Deliver, false);
        ledger.open(9);
        (0..1000).for_each(|_| ledger.generated(Kind::Fire, false));
        ledger
    }

    fn counted(end: Option<Key>) -> [u64; 4] {
        let mut receipts = Receipts::default();
        let end = end.map(|key| Place { key, part: Part::Step });
        let (generated, _) = ledger().count(end, &mut receipts);
        let of = |kind| receipts.count(kind);
        [generated, of(Kind::Deliver), of(Kind::Crash), of(Kind::Fire)]
    }

    #[test]
    fn counts_up_to_any_place_are_exact() {
        let key = |parent, ordinal| Some(Key { parent, ordinal });
        assert_eq!(ledger().len(), 1602);
        assert_eq!(counted(None), [1601, 601, 200, 1000]);
        assert_eq!(counted(key(9, 300)), [901, 601, 200, 300]);
        assert_eq!(counted(key(7, 4)), [5, 5, 2, 0]);
        assert_eq!(counted(key(3, 1)), [0, 0, 0, 0]);
        assert_eq!(counted(key(2, 5)), [0, 0, 0, 0]);
    }

    #[test]
    fn counts_are_exact_among_parents_that_follow_one_another_and_others() {
        let parents = [5, 6, 7, 8, 20, 21, 6_000_000_000, 6_000_000_001, 3, 4];
        let (mut ledger, mut plain) = (Ledger::default(), Vec::new());
        for (parent, count) in parents.into_iter().zip([3, 0, 700, 2, 1, 0, 4, 5, 0, 6]) {
            ledger.open(parent);
            ledger.generated_many(Kind::Fire, count);
            plain.extend((1..=count).map(|ordinal| Key { parent, ordinal }));
        }
        for last in parents.iter().flat_map(|&parent| [0, 1, 3, 500].map(|it| (parent, it))) {
            let key = Key { parent: last.0, ordinal: last.1 };
            let end = Some(Place { key, part: Part::Step });
            let expected = plain.iter().filter(|it| **it <= key).count() as u64;
            assert_eq!(ledger.count(end, &mut Receipts::default()).0, expected, "{last:?}");
        }
    }

    #[test]
    fn what_was_broken_counts_before_the_end() {
        let mut ledger = ledger();
        let place = |ordinal, part| Place { key: Key { parent: 7, ordinal }, part };
        for part in [Part::World, Part::Step] {
            ledger.broken(place(4, part));
        }
        let broken = |end| ledger.count(end, &mut Receipts::default()).1;
        assert_eq!(broken(None), 2);
        assert_eq!(broken(Some(place(4, Part::Step))), 1);
        assert_eq!(broken(Some(place(4, Part::World))), 0);
    }
}
