//! Memory of worlds that were expanded, for those that are found: what was touched once costs nothing to
//! touch again.

/// Pieces that are kept, at most.
const MOST: usize = 8;
/// Sizes are multiples of this.
const UNIT: usize = 1 << 12;

/// Pieces of memory.
#[derive(Default)]
pub(super) struct Spare(Vec<Vec<u8>>);

impl Spare {
    /// Bytes that it takes.
    pub(super) fn bytes(&self) -> u64 {
        self.0.iter().map(|piece| piece.capacity() as u64).sum()
    }

    /// One that is no longer needed.
    pub(super) fn give(&mut self, piece: Vec<u8>) {
        if self.0.len() < MOST {
            self.0.push(piece);
        }
    }

    /// Memory of at least so many bytes, and not many more.
    pub(super) fn take(&mut self, bytes: usize) -> Vec<u8> {
        let fits = bytes..=bytes + bytes / 8 + UNIT;
        match self.0.iter().position(|piece| fits.contains(&piece.capacity())) {
            Some(at) => self.0.swap_remove(at),
            None => Vec::with_capacity(bytes.next_multiple_of(UNIT)),
        }
    }
}
