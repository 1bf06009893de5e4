//! How every stored world was first reached, in the order of discovery, in two to four bytes a world of
//! most models. A world's row is the place of its parent in the level before, and the number of the
//! label taken there; that of an initial world is its ordinal.
//!
//! Parents come in order, so next to a row stands one of nearly the same place: a row is written as the
//! difference to the place before it, and the label, both as numbers of variable length. Every
//! 64th begins anew, and where it begins is known, so that any row is found by reading few.
//!
//! Rows are only read to tell the way to a world. So nobody waits until they are written so: those that
//! were appended last stay as they are until somebody has the time, or others come. And all but the last go to a file without a name, in
//! large pieces, and are read from there. They are written and not mapped: nothing of them needs to
//! be in this process, and a full disk is an error that comes back from the call. From then on, and
//! where no file can be made, they stay in memory.

use std::fs::{File, OpenOptions};
use std::mem::{replace, take};
use std::ops::Range;
use std::os::unix::fs::{FileExt, OpenOptionsExt};

use nix::sys::statfs::{TMPFS_MAGIC, fstatfs};

use super::labels::Labels;
use crate::action::Label;
use crate::bytes::{ByteReader, put_int, put_uint};
use crate::system::Path;
use crate::trace::Trace;

/// The bits of a row that are the number of a label.
const LABEL: u32 = 24;
/// So many rows are written one after the other before one begins anew.
const BLOCK: u64 = 64;
/// Bytes that go to the file at once.
const PIECE: usize = 1 << 20;
/// Bytes that a row takes at most, and more.
const LONGEST: usize = 16;

/// The rows of all stored worlds.
#[derive(Default)]
pub(super) struct Log {
    /// The index of each level's first world.
    starts: Vec<u64>,
    pub(super) labels: Labels,
    /// How many rows are written, how many wait behind them, and where: the first of these.
    written: u64,
    late: usize,
    waiting: Vec<u64>,
    /// The place in the last row.
    place: u64,
    /// Where blocks of rows begin, in bytes.
    blocks: Vec<u64>,
    /// `None` before it is needed.
    file: Option<Option<File>>,
    /// Bytes in the file.
    filed: u64,
    /// The pieces behind them that are in memory.
    kept: Vec<Vec<u8>>,
    /// The bytes behind those, less than a piece.
    last: Vec<u8>,
}

impl Log {
    /// How many worlds are stored: the index of the next one.
    pub(super) fn len(&self) -> u64 {
        self.written + self.late as u64
    }

    /// Bytes of memory that it takes.
    pub(super) fn bytes(&self) -> u64 {
        let words = (self.blocks.capacity() + self.waiting.capacity()) * size_of::<u64>();
        (self.kept.len() * PIECE + self.last.capacity() + words) as u64
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

    /// Append the first `count` of these rows of the level; in the first level they are ordinals. Answers
    /// memory for others.
    pub(super) fn append(&mut self, rows: Vec<u64>, count: usize) -> Vec<u64> {
        self.write();
        self.late = count;
        replace(&mut self.waiting, rows)
    }

    /// Write those that wait.
    pub(super) fn write(&mut self) {
        let (waiting, late) = (take(&mut self.waiting), take(&mut self.late));
        self.write_all(&waiting[..late]);
        self.waiting = waiting;
    }

    fn write_all(&mut self, mut rows: &[u64]) {
        while !rows.is_empty() {
            if self.last.capacity() == 0 {
                self.last.reserve_exact(PIECE + BLOCK as usize * LONGEST);
            }
            // The rest of the block, for which there is room.
            let rest = (BLOCK - self.written % BLOCK) as usize;
            if rest == BLOCK as usize {
                self.blocks.push(self.end());
                self.place = 0;
            }
            let block;
            (block, rows) = rows.split_at(rows.len().min(rest));
            self.written += block.len() as u64;
            let short = self.append_short(block);
            for row in &block[short..] {
                let (place, label) = (row >> LABEL, row & ((1 << LABEL) - 1));
                put_int(&mut self.last, place.wrapping_sub(self.place) as i64);
                put_uint(&mut self.last, label);
                self.place = place;
            }
            if self.last.len() >= PIECE {
                self.put_away();
            }
        }
    }

    /// Append the first rows of a block, up to one that takes more than two bytes; nearly all are so short.
    /// Answers how many there are. They are written as all are.
    fn append_short(&mut self, block: &[u64]) -> usize {
        let start = self.last.len();
        self.last.resize(start + 2 * block.len(), 0);
        let (pairs, _) = self.last[start..].as_chunks_mut();
        let mut count = 0;
        for (pair, row) in pairs.iter_mut().zip(block) {
            let (place, label) = (row >> LABEL, row & ((1 << LABEL) - 1));
            let step = place.wrapping_sub(self.place);
            if step >= 1 << 6 || label >= 1 << 7 {
                break;
            }
            *pair = [(step << 1) as u8, label as u8];
            self.place = place;
            count += 1;
        }
        self.last.truncate(start + 2 * count);
        count
    }

    /// Bytes of all rows.
    fn end(&self) -> u64 {
        self.filed + (self.kept.len() * PIECE + self.last.len()) as u64
    }

    /// Put a piece of the last bytes into the file, or keep it.
    fn put_away(&mut self) {
        let file = self.file.get_or_insert_with(unnamed);
        let piece = &self.last[..PIECE];
        let written = self.kept.is_empty()
            && file.as_ref().is_some_and(|it| it.write_all_at(piece, self.filed).is_ok());
        if written {
            self.filed += PIECE as u64;
        } else {
            self.kept.push(piece.to_vec());
        }
        self.last.drain(..PIECE);
    }

    /// The bytes in `range`.
    fn bytes_in(&self, range: Range<u64>) -> Vec<u8> {
        let Range { start, end } = range;
        let mut bytes = vec![0; (end - start) as usize];
        let (filed, behind) = bytes.split_at_mut((self.filed.clamp(start, end) - start) as usize);
        if !filed.is_empty() {
            let file = self.file.iter().flatten().next().expect("it has been written to");
            file.read_exact_at(filed, start).expect("what was written can be read");
        }
        let from = start.saturating_sub(self.filed) as usize;
        for (at, byte) in (from..).zip(behind) {
            *byte = self.kept.get(at / PIECE).unwrap_or(&self.last)[at % PIECE];
        }
        bytes
    }

    fn read(&self, index: u64) -> u64 {
        if let Some(behind) = index.checked_sub(self.written) {
            return self.waiting[behind as usize];
        }
        let (block, nth) = ((index / BLOCK) as usize, index % BLOCK);
        let end = self.blocks.get(block + 1).copied().unwrap_or_else(|| self.end());
        let bytes = self.bytes_in(self.blocks[block]..end);
        let mut reader = ByteReader::new(&bytes);
        let mut row = || {
            let step = reader.int().ok()?;
            Some((step, reader.uint().ok()?))
        };
        let (mut place, mut label) = (0u64, 0);
        for _ in 0..=nth {
            let (step, of) = row().expect("it was written");
            (place, label) = (place.wrapping_add_signed(step), of);
        }
        place << LABEL | label
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
        log.append(vec![10, 11, 12], 3);
        for level in 1..levels {
            log.next_level();
            let row = |place: u64| {
                let action =
                    Action { kind: Kind::Action, subject: 0, argument: (level % 7) as u32 };
                Log::row(place, log.labels.number(&Label::plain(action))).unwrap()
            };
            let rows = [0, 1, 2].map(row);
            log.append(rows.into(), 3);
        }
        log
    }

    /// Where rows go: to a file without a name, nowhere, and to a full disk.
    fn places() -> [Option<Option<File>>; 3] {
        let full = OpenOptions::new().read(true).write(true).open("/dev/full").unwrap();
        [None, Some(None), Some(Some(full))]
    }

    #[test]
    fn every_world_is_told_the_way_to_wherever_its_rows_are() {
        for file in places() {
            let (levels, kept) = (400_000, file.is_some());
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
    fn rows_of_any_size_in_any_order_are_read_as_they_were_written() {
        let mut number = 1u64;
        let mut draw = || {
            number = number.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            number
        };
        let most = [0, u64::MAX];
        let rows: Vec<u64> = (0..500_000).map(|_| draw() >> (draw() >> 58)).chain(most).collect();
        for file in places() {
            let mut log = Log { file, ..Log::default() };
            let mut rest = &rows[..];
            while !rest.is_empty() {
                let now;
                (now, rest) = rest.split_at(rest.len().min(draw() as usize % 300));
                log.append(now.into(), now.len());
                let last = log.len().checked_sub(1).map(|last| log.read(last));
                assert_eq!(last.as_ref(), rows[..rows.len() - rest.len()].last());
            }
            log.write();
            assert!(log.end() > 2 * PIECE as u64);
            assert!((0..).zip(&rows).all(|(at, row)| log.read(at) == *row));
        }
    }

    #[test]
    fn a_row_holds_more_than_32_bits_of_a_place_and_refuses_more_than_it_can_say() {
        assert_eq!(Log::row((1 << 40) - 1, (1 << LABEL) - 1), Some(u64::MAX));
        assert_eq!(Log::row(1 << 40, 0), None);
        assert_eq!(Log::row(0, 1 << LABEL), None);
    }
}
