//! Puts what a window brought into the set of stored worlds: portion by portion, each by the one worker
//! that it is lent to. It goes through the chunks in the order of their parents, so the first world of a
//! kind that it comes to is the one with the smallest key.

use super::chunk::Chunk;
use super::key::Key;
use super::memory::Full;
use super::seen::Lent;

/// The memory for so many is on its way.
const AHEAD: usize = 8;

/// Which worlds are new, among those of one portion. On cache lines of its own, as that is.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct Winners {
    /// Their places in their chunks, chunk by chunk.
    places: Vec<u32>,
    /// Where those of each chunk end, and how many bytes their worlds have.
    ends: Vec<(usize, usize)>,
}

impl Winners {
    /// Put those of the portion `number` into it, up to `end`.
    pub(super) fn find(
        &mut self,
        number: usize,
        portion: &mut Lent<'_>,
        chunks: &[&Chunk],
        end: Option<Key>,
    ) -> Result<(), Full> {
        self.places.clear();
        self.ends.clear();
        // The memory for some is on its way while others are put in.
        let mut later = chunks.iter().flat_map(|chunk| chunk.of(number));
        later.by_ref().take(AHEAD).for_each(|(fingerprint, _)| portion.prefetch(*fingerprint));
        for chunk in chunks {
            let mut bytes = 0;
            for &(fingerprint, at) in chunk.of(number) {
                if end.is_some_and(|end| chunk.key(at) > end) {
                    break;
                }
                if let Some((fingerprint, _)) = later.next() {
                    portion.prefetch(*fingerprint);
                }
                if portion.insert(fingerprint)? {
                    self.places.push(at);
                    bytes += chunk.length(at);
                }
            }
            self.ends.push((self.places.len(), bytes));
        }
        Ok(())
    }

    /// The places of those of the chunk `number`.
    pub(super) fn of(&self, number: usize) -> &[u32] {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before].0);
        &self.places[start..self.ends[number].0]
    }

    /// How many bytes their worlds have.
    pub(super) fn bytes(&self, number: usize) -> usize {
        self.ends[number].1
    }
}
