//! What is to be written to a process: of each page that changes the part that may. What is kept as a
//! difference is put together in one room, the rest is where it is.

use std::ops::Range;
use std::sync::Arc;

use super::block::{Block, ZEROS, span};

/// Parts of pages by ascending address.
#[derive(Debug, Default)]
pub struct Pieces<'a> {
    pieces: Vec<(u64, Piece<'a>)>,
    room: Vec<u8>,
}

#[derive(Clone, Debug)]
enum Piece<'a> {
    There(&'a [u8]),
    /// In the room.
    Made(Range<usize>),
}

impl<'a> Pieces<'a> {
    /// The page at `address`, behind all others, is to be `new` where it is `old`; none is zeros.
    pub fn push(&mut self, address: u64, new: Option<&'a Arc<Block>>, old: Option<&Arc<Block>>) {
        let span = span(new, old);
        let piece = match new.map(|new| (new, new.plain())) {
            None => Piece::There(&ZEROS[span.clone()]),
            Some((_, Some(bytes))) => Piece::There(&bytes[span.clone()]),
            Some((new, None)) => {
                let at = self.room.len();
                self.room.resize(at + span.len(), 0);
                new.put(&span, &mut self.room[at..]);
                Piece::Made(at..self.room.len())
            }
        };
        if !span.is_empty() {
            self.pieces.push((address + span.start as u64, piece));
        }
    }

    /// The parts.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.pieces.iter().map(|(address, piece)| match piece {
            Piece::There(bytes) => (*address, *bytes),
            Piece::Made(range) => (*address, &self.room[range.clone()]),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::memory::PAGE;
    use super::super::page_store::digest;
    use super::*;

    #[test]
    fn what_changes_between_two_pages_of_any_form_is_written() {
        const SIZE: usize = PAGE as usize;
        let mut contents = [[7; SIZE], ZEROS, [7; SIZE], ZEROS, [7; SIZE], [9; SIZE]];
        for (place, bytes) in contents.iter_mut().enumerate().take(5).skip(1) {
            bytes[100 * place] = 1;
        }
        let mut blocks: Vec<Arc<Block>> = Vec::new();
        for bytes in &contents {
            blocks.push(Arc::new(Block::new(digest(bytes), bytes, &[blocks.first(), None])));
        }
        let pages =
            || contents.iter().zip(&blocks).map(|(c, b)| (c, Some(b))).chain([(&ZEROS, None)]);
        let mut pieces = Pieces::default();
        let (mut memory, mut expected): (Vec<u8>, Vec<u8>) = Default::default();
        for (there, old) in pages() {
            for (wanted, new) in pages() {
                pieces.push(memory.len() as u64, new, old);
                memory.extend(there);
                expected.extend(wanted);
            }
        }
        let mut written = 0;
        for (address, bytes) in pieces.iter() {
            memory[address as usize..][..bytes.len()].copy_from_slice(bytes);
            written += bytes.len();
        }
        assert!(memory == expected);
        assert!(written < memory.len() * 3 / 4, "{written} of {}", memory.len());
    }
}
