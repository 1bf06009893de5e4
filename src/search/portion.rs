//! The new worlds of a level that belong to one part of the set of stored worlds, found by their
//! fingerprints: open addressing over the places of rows, 8 bytes a slot, half of them empty at
//! least. A slot holds a row's place plus 1 and 32 bits of its fingerprint, so that rows are seldom
//! looked at in vain; the row has all of the fingerprint, which decides.

use super::judge::{Judge, Judged};
use super::key::Key;
use super::memory::prefetch;
use super::rows::Rows;
use crate::action::Label;
use crate::fingerprint::Fingerprint;

/// What is known of a world that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Met {
    /// It was reached before in this level.
    Known,
    /// It was not; its row.
    New(u32),
    /// The search ends at it, and it was not reached by a smaller key so far.
    End,
}

/// New worlds.
pub(super) struct Portion {
    slots: Vec<u64>,
    fingerprints: Vec<Fingerprint>,
    rows: Rows,
}

impl Default for Portion {
    fn default() -> Self {
        let (fingerprints, rows) = (Vec::new(), Rows::default());
        Portion { slots: vec![0; FEWEST], fingerprints, rows }
    }
}

/// The slots of an empty portion.
const FEWEST: usize = 16;

impl Portion {
    /// Get ready to look for `fingerprint`.
    #[inline]
    pub(super) fn prefetch(&self, fingerprint: Fingerprint) {
        prefetch(&self.slots[self.home(fingerprint)]);
    }

    /// The slots being there, get ready to look at the row of `fingerprint`.
    #[inline]
    pub(super) fn prefetch_row(&self, fingerprint: Fingerprint) {
        let slot = self.slots[self.home(fingerprint)];
        if slot != 0 {
            let at = row(slot);
            prefetch(&self.fingerprints[at as usize]);
            self.rows.prefetch(at);
        }
    }

    /// The world was reached by this transition; if it is new, its label is taken, else where it is
    /// the first.
    pub(super) fn meet(
        &mut self,
        fingerprint: Fingerprint,
        key: Key,
        label: &mut Label,
        world: &[u8],
        judge: &Judge<'_>,
    ) -> Met {
        let take = |label: &mut Label| std::mem::replace(label, Label::plain(label.action));
        let (slot, known) = self.find(fingerprint);
        if let Some(at) = known {
            if key > self.rows.key(at) {
                return Met::Known;
            }
            self.rows.replace(at, key, take(label));
            return if self.rows.ends(at, judge) { Met::End } else { Met::Known };
        }
        let at = self.rows.push(key, take(label), world);
        self.fingerprints.push(fingerprint);
        self.slots[slot] = filled(fingerprint, at);
        if self.fingerprints.len() > self.slots.len() / 2 {
            let size = self.slots.len() * 2;
            self.index(size);
        }
        Met::New(at)
    }

    /// Keep what the judge said; answers whether the search ends at this world.
    pub(super) fn judge(&mut self, at: u32, said: Box<Judged>, judge: &Judge<'_>) -> bool {
        self.rows.judge(at, said, judge)
    }

    /// The end of the level: its rows, and their fingerprints.
    pub(super) fn finish(&mut self) -> (Rows, Vec<Fingerprint>) {
        (std::mem::take(&mut self.rows), std::mem::take(&mut self.fingerprints))
    }

    /// No world, in this memory. The next level is likely to have as many as the last.
    pub(super) fn reuse(&mut self, rows: Rows, mut fingerprints: Vec<Fingerprint>) {
        let size = (fingerprints.len() * 2).next_power_of_two().max(FEWEST);
        fingerprints.clear();
        (self.rows, self.fingerprints) = (rows, fingerprints);
        self.index(size);
    }

    /// The row of `fingerprint`, if there is one, and its slot or the empty one where it belongs.
    #[inline]
    fn find(&self, fingerprint: Fingerprint) -> (usize, Option<u32>) {
        let mask = self.slots.len() - 1;
        let mut place = self.home(fingerprint);
        loop {
            let slot = self.slots[place];
            if slot == 0 {
                return (place, None);
            }
            let at = row(slot);
            if slot == filled(fingerprint, at) && self.fingerprints[at as usize] == fingerprint {
                return (place, Some(at));
            }
            place = (place + 1) & mask;
        }
    }

    /// Put all rows into `size` slots.
    fn index(&mut self, size: usize) {
        self.slots.clear();
        self.slots.resize(size, 0);
        for (at, &fingerprint) in (0..).zip(&self.fingerprints) {
            let mut place = self.home(fingerprint);
            while self.slots[place] != 0 {
                place = (place + 1) & (size - 1);
            }
            self.slots[place] = filled(fingerprint, at);
        }
    }

    #[inline]
    fn home(&self, fingerprint: Fingerprint) -> usize {
        fingerprint.0 as usize & (self.slots.len() - 1)
    }
}

/// A slot with the row `at`.
#[inline]
fn filled(fingerprint: Fingerprint, at: u32) -> u64 {
    // Other bits than those that the home slot and the part are made of.
    ((fingerprint.0 >> 64) as u64) << 32 | u64::from(at + 1)
}

/// The row that a slot holds, which is not empty.
#[inline]
fn row(slot: u64) -> u32 {
    slot as u32 - 1
}
