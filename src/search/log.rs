//! How every stored world was first reached: 8 bytes a world, in the order of discovery. A world's row
//! is the place of its parent in the level before, and the number of the label taken there; that of an
//! initial world is its ordinal.
//!
//! Rows are only read to tell the way to a world. So all but the last go to a file without a name, in
//! large pieces, and are read from there. They are written and not mapped: nothing of them needs to
//! be in this process, and a full disk is an error that comes back from the call. From then on, and
//! where no file can be made, they stay in memory.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};

use nix::sys::statfs::{TMPFS_MAGIC, fstatfs};

use super::labels::Labels;
use crate::action::Label;
use crate::system::Path;
use crate::trace::Trace;

/// The bits of a row that are the number of a label.
const LABEL: u32 = 24;
/// Bytes of a row.
const ROW: usize = size_of::<u64>();
/// Bytes that go to the file at once.
const PIECE: usize = 1 << 20;

/// The rows of all stored worlds.
#[derive(Default)]
pub(super) struct Log {
    /// The index of each level's first world.
    starts: Vec<u64>,
    pub(super) labels: Labels,
    /// `None` before it is needed.
    file: Option<Option<File>>,
    /// Bytes in the file.
    filed: u64,
    /// The pieces behind them that are in memory.
    kept: Vec<Vec<u8>>,
    /// The rows behind those, less than a piece.
    last: Vec<u8>,
}

impl Log {
    /// How many worlds are stored: the index of the next one.
    pub(super) fn len(&self) -> u64 {
        (self.filed + (self.kept.len() * PIECE + self.last.len()) as u64) / ROW as u64
    }

    /// Bytes of memory that it takes.
    pub(super) fn bytes(&self) -> u64 {
        (self.kept.len() * PIECE + self.last.capacity()) as u64
    }

    /// The row of a world that is reached by the label number `label` from the world at the place
    /// `parent` of the level before; `None` if they are more than a row can say.
    #[inline]
    pub(super) fn row(parent: u64, label: u32) -> Option<u64> {
        let fits = parent >> (u64::BITS - LABEL) == 0 && label >> LABEL == 0;
        fits.then_some(parent << LABEL | u64::from(label))
    }

    /// What is appended from here on is of the next level.
    pub(super) fn next_level(&mut self) {
        self.starts.push(self.len());
    }

    /// Append rows of the level; in the first they are ordinals.
    pub(super) fn append(&mut self, mut rows: &[u64]) {
        while !rows.is_empty() {
            let room = (PIECE - self.last.len()) / ROW;
            let (now, later) = rows.split_at(rows.len().min(room));
            self.last.extend(now.iter().flat_map(|row| row.to_ne_bytes()));
            rows = later;
            if self.last.len() == PIECE {
                self.put_away();
            }
        }
    }

    /// Put the last rows, which are a piece, into the file, or keep them.
    fn put_away(&mut self) {
        let file = self.file.get_or_insert_with(unnamed);
        let written = self.kept.is_empty()
            && file.as_ref().is_some_and(|it| it.write_all_at(&self.last, self.filed).is_ok());
        if written {
            self.filed += PIECE as u64;
            self.last.clear();
        } else {
            self.kept.push(std::mem::replace(&mut self.last, Vec::with_capacity(PIECE)));
        }
    }

    fn read(&self, index: u64) -> u64 {
        let mut row = [0; ROW];
        let byte = index * ROW as u64;
        match byte.checked_sub(self.filed) {
            None => {
                let file = self.file.iter().flatten().next().expect("it has been written to");
                file.read_exact_at(&mut row, byte).expect("what was written can be read");
            }
            Some(behind) => {
                let behind = behind as usize;
                let piece = self.kept.get(behind / PIECE).unwrap_or(&self.last);
                row.copy_from_slice(&piece[behind % PIECE..][..ROW]);
            }
        }
        u64::from_ne_bytes(row)
    }

    /// The trace to world `index`, and on by `last` if there is one.
    pub(super) fn trace(&self, index: u64, last: Option<Label>) -> Trace {
        let mut labels = Vec::new();
        let initial = self.labels(index, &mut labels);
        labels.extend(last);
        Trace { initial, labels }
    }
}

impl Path for Log {
    fn labels(&self, mut index: u64, out: &mut Vec<Label>) -> u64 {
        out.clear();
        let levels = self.starts.partition_point(|&start| start <= index);
        for level in (1..levels).rev() {
            let row = self.read(index);
            out.push(self.labels.get((row & ((1 << LABEL) - 1)) as u32));
            index = self.starts[level - 1] + (row >> LABEL);
        }
        out.reverse();
        self.read(index)
    }
}

/// A file without a name, on a disk.
fn unnamed() -> Option<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(0o600).custom_flags(libc::O_TMPFILE);
    let file = options.open(std::env::temp_dir()).ok()?;
    // One that is kept in memory would take it where nobody counts it.
    let on_disk = fstatfs(&file).is_ok_and(|it| it.filesystem_type() != TMPFS_MAGIC);
    on_disk.then_some(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::{Action, Kind};

    /// A line of worlds in which every level has three, each reached from that before it.
    fn filled(file: Option<Option<File>>, levels: u64) -> Log {
        let mut log = Log { file, ..Log::default() };
        log.next_level();
        log.append(&[10, 11, 12]);
        for level in 1..levels {
            log.next_level();
            let row = |place: u64| {
                let action =
                    Action { kind: Kind::Action, subject: 0, argument: (level % 7) as u32 };
                Log::row(place, log.labels.number(&Label::plain(action))).unwrap()
            };
            let rows = [0, 1, 2].map(row);
            log.append(&rows);
        }
        log
    }

    #[test]
    fn every_world_is_told_the_way_to_wherever_its_rows_are() {
        let full = OpenOptions::new().read(true).write(true).open("/dev/full").unwrap();
        for file in [None, Some(None), Some(Some(full))] {
            let (levels, kept) = (100_000, file.is_some());
            let log = filled(file, levels);
            assert_eq!(log.len(), 3 * levels);
            assert_eq!((log.kept.len(), log.filed > 0), if kept { (2, false) } else { (0, true) });
            for level in [0, 1, 50_000, levels - 1] {
                for place in 0..3 {
                    let trace = log.trace(3 * level + place, None);
                    assert_eq!((trace.initial, trace.labels.len() as u64), (10 + place, level));
                    let told = trace.labels.iter().zip(1..);
                    assert!(told.into_iter().all(|(label, at)| label.action.argument == at % 7));
                }
            }
        }
    }

    #[test]
    fn a_row_holds_more_than_32_bits_of_a_place_and_refuses_more_than_it_can_say() {
        assert_eq!(Log::row((1 << 40) - 1, (1 << LABEL) - 1), Some(u64::MAX));
        assert_eq!(Log::row(1 << 40, 0), None);
        assert_eq!(Log::row(0, 1 << LABEL), None);
    }
}
