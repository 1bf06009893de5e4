//! The worlds of one level, as bytes in few pieces of memory, read in the order of their indices.

use std::collections::VecDeque;
use std::ops::Range;

use super::memory::prefetch;

/// Worlds one behind the other, in the order in which they were found.
#[derive(Default)]
pub(super) struct Worlds {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Worlds {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn push(&mut self, world: &[u8]) {
        self.bytes.extend_from_slice(world);
        self.ends.push(self.bytes.len());
    }

    /// Take the last one out and write it to `out`.
    pub(super) fn pop(&mut self, out: &mut Vec<u8>) {
        let end = self.ends.pop().expect("there is one");
        let start = self.ends.last().copied().unwrap_or(0);
        out.clear();
        out.extend_from_slice(&self.bytes[start..end]);
        self.bytes.truncate(start);
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    pub(super) fn get(&self, at: usize) -> &[u8] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.bytes[start..self.ends[at]]
    }
}

/// The memory for so many worlds more is on its way.
const AHEAD: usize = 8;

/// Pieces that together have no more bytes than this are one.
const SMALL: usize = 1 << 18;

/// Where the worlds of a piece end.
enum Ends {
    /// All are so long.
    Every(usize),
    /// Here.
    At(Vec<u32>),
}

/// Some consecutive worlds.
pub(super) struct Piece {
    first: u64,
    count: usize,
    /// Those of the worlds, and perhaps more behind them.
    bytes: Vec<u8>,
    ends: Ends,
}

impl From<Worlds> for Piece {
    fn from(Worlds { bytes, ends }: Worlds) -> Self {
        let end = |end| u32::try_from(end).expect("initial worlds have less than 4 GiB");
        Piece::varied(bytes, ends.into_iter().map(end).collect())
    }
}

impl Piece {
    /// The `count` worlds in `bytes`, all of which are `length` long.
    pub(super) fn uniform(count: usize, bytes: Vec<u8>, length: usize) -> Self {
        Piece { first: 0, count, bytes, ends: Ends::Every(length) }
    }

    /// Those in `bytes` that end at `ends`.
    pub(super) fn varied(bytes: Vec<u8>, ends: Vec<u32>) -> Self {
        Piece { first: 0, count: ends.len(), bytes, ends: Ends::At(ends) }
    }

    /// The indices.
    pub(super) fn indices(&self) -> Range<u64> {
        self.first..self.first + self.count as u64
    }

    /// The world with this index.
    #[inline]
    pub(super) fn get(&self, index: u64) -> &[u8] {
        let at = (index - self.first) as usize;
        &self.bytes[self.end(at)..self.end(at + 1)]
    }

    /// The same, where those behind it are read next: it gets ready for them.
    #[inline]
    pub(super) fn get_in_order(&self, index: u64) -> &[u8] {
        let world = self.get(index);
        prefetch(world.as_ptr().wrapping_add(AHEAD * world.len()));
        world
    }

    /// Where the worlds before this one end.
    #[inline]
    fn end(&self, at: usize) -> usize {
        match &self.ends {
            Ends::Every(length) => at * length,
            Ends::At(ends) => at.checked_sub(1).map_or(0, |at| ends[at] as usize),
        }
    }

    /// Only the first `count` of them.
    pub(super) fn truncate(&mut self, count: usize) {
        self.count = count;
        if let Ends::At(ends) = &mut self.ends {
            ends.truncate(count);
        }
    }

    /// Bytes of memory that it takes.
    pub(super) fn bytes(&self) -> u64 {
        let ends = match &self.ends {
            Ends::Every(_) => 0,
            Ends::At(ends) => ends.capacity() * size_of::<u32>(),
        };
        (self.bytes.capacity() + ends) as u64
    }

    fn append(&mut self, other: &Piece) {
        let used = self.end(self.count);
        self.bytes.truncate(used);
        self.bytes.extend_from_slice(&other.bytes[..other.end(other.count)]);
        let count = self.count + other.count;
        match (&self.ends, &other.ends) {
            (Ends::Every(length), Ends::Every(same)) if length == same => (),
            _ => {
                let ends = (1..=self.count).map(|at| self.end(at));
                let others = (1..=other.count).map(|at| used + other.end(at));
                self.ends = Ends::At(ends.chain(others).map(|end| end as u32).collect());
            }
        }
        self.count = count;
    }

    /// Its memory.
    pub(super) fn recycle(self) -> Vec<u8> {
        self.bytes
    }
}

/// A level: worlds with consecutive indices.
#[derive(Default)]
pub(super) struct Level {
    next: u64,
    pieces: VecDeque<Piece>,
    /// Bytes of the pieces.
    bytes: u64,
}

impl Level {
    /// Without worlds so far; the first will have the index `first`.
    pub(super) fn new(first: u64) -> Self {
        Level { next: first, pieces: VecDeque::new(), bytes: 0 }
    }

    /// Append worlds.
    pub(super) fn push(&mut self, mut piece: Piece) {
        if piece.count == 0 {
            return;
        }
        piece.first = self.next;
        self.next += piece.count as u64;
        match self.pieces.back_mut() {
            Some(last) if last.end(last.count) + piece.end(piece.count) <= SMALL => {
                self.bytes -= last.bytes();
                last.append(&piece);
                self.bytes += last.bytes();
            }
            _ => {
                self.bytes += piece.bytes();
                self.pieces.push_back(piece);
            }
        }
    }

    /// Take out the first piece.
    pub(super) fn pop(&mut self) -> Option<Piece> {
        let piece = self.pieces.pop_front()?;
        self.bytes -= piece.bytes();
        Some(piece)
    }

    /// How many worlds it has.
    pub(super) fn len(&self) -> u64 {
        self.next - self.first()
    }

    /// The first index.
    pub(super) fn first(&self) -> u64 {
        self.pieces.front().map_or(self.next, |piece| piece.first)
    }

    /// Bytes of memory that it takes.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Its worlds, with their indices.
    pub(super) fn worlds(&self) -> impl Iterator<Item = (u64, &[u8])> {
        let each = |piece: &'_ Piece| piece.indices();
        self.pieces.iter().flat_map(move |piece| each(piece).map(|index| (index, piece.get(index))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worlds_come_back_by_index_whatever_their_lengths_and_pieces() {
        let mut level = Level::new(1 << 33);
        let mut all: Vec<Vec<u8>> = Vec::new();
        for round in 0..40usize {
            let worlds: Vec<Vec<u8>> = match round % 3 {
                0 => (0..5).map(|at| vec![at; 4]).collect(),
                1 => (0..7).map(|at| vec![round as u8; at]).collect(),
                _ => (0..2).map(|at| vec![at; SMALL / 3 + round]).collect(),
            };
            let mut bytes: Vec<u8> = worlds.concat();
            bytes.extend([9; 10]);
            let ends = worlds.iter().scan(0, |end, world| {
                *end += world.len() as u32;
                Some(*end)
            });
            let mut piece = match round % 3 {
                1 => Piece::varied(bytes, ends.collect()),
                _ => Piece::uniform(worlds.len(), bytes, worlds[0].len()),
            };
            let keep = worlds.len() - round % 2;
            piece.truncate(keep);
            level.push(piece);
            all.extend(worlds.into_iter().take(keep));
        }
        assert!(level.pieces.len() < 30, "small ones are joined");
        assert_eq!(level.len(), all.len() as u64);
        assert_eq!(level.bytes, level.pieces.iter().map(Piece::bytes).sum::<u64>());
        for ((index, world), (at, expected)) in level.worlds().zip((0..).zip(&all)) {
            assert_eq!((index, world), ((1 << 33) + at, &expected[..]));
        }
        let first = level.pop().unwrap();
        assert_eq!(level.first(), first.indices().end);
    }
}
