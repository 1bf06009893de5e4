//! Puts what a window brought into the set of stored worlds: portion by portion, each by the one worker
//! that it is lent to. It goes through the chunks in the order of their parents, so the first world of a
//! kind that it comes to is the one with the smallest key.

use super::budget::Budget;
use super::chunk::Chunk;
use super::key::Key;
use super::memory::Full;
use super::portion::Portion;

/// So far ahead the memory of a fingerprint is asked for.
const AHEAD: usize = 8;

/// Which worlds are new, among those of one portion.
#[derive(Default)]
pub(super) struct Winners {
    /// Their places in their chunks, chunk by chunk.
    places: Vec<u32>,
    /// Where those of each chunk end, and how many bytes their worlds have.
    ends: Vec<(usize, usize)>,
}

impl Winners {
    /// Put those of `number`, which is `portion`, into it, up to `end`.
    pub(super) fn find(
        &mut self,
        number: usize,
        portion: &mut Portion,
        chunks: &[&Chunk],
        end: Option<Key>,
        budget: &Budget,
    ) -> Result<(), Full> {
        self.places.clear();
        self.ends.clear();
        for chunk in chunks {
            let places = chunk.of(number);
            let mut bytes = 0;
            for (nth, &at) in places.iter().enumerate() {
                if let Some(&later) = places.get(nth + AHEAD) {
                    portion.prefetch(chunk.fingerprint(later));
                }
                if end.is_some_and(|end| chunk.key(at) > end) {
                    break;
                }
                if portion.insert(chunk.fingerprint(at), budget)? {
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
