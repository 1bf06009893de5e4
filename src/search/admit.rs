//! Makes what is new in a window part of the next level and of the log, in the order of keys: chunk by
//! chunk, each to where it belongs, which is known because it is known how many are new before it.

use std::iter::repeat_n;
use std::sync::Mutex;

use super::chunk::{Candidate, Chunk};
use super::level::Piece;
use super::log::Log;
use super::memory::Full;
use super::store::Winners;
use super::unwritten::{Part, Unwritten};

/// What becomes of one chunk.
pub(super) struct Share<'a> {
    chunk: &'a mut Chunk,
    number: usize,
    /// Where its worlds go, the bytes before them, and where each of them ends, if they vary.
    worlds: Part<'a>,
    before: usize,
    ends: &'a mut [u32],
    rows: &'a mut [u64],
}

/// How much is new in a window.
pub(super) struct Sizes {
    /// By chunk: how many worlds, and how many bytes.
    each: Vec<(usize, usize)>,
    /// The length that all of them have, if they have one.
    uniform: Option<usize>,
}

impl Sizes {
    /// Of these chunks, with these of them being new.
    pub(super) fn new(chunks: &[&Chunk], winners: &[Winners]) -> Self {
        let each = (0..chunks.len()).map(|number| {
            winners.iter().fold((0, 0), |(count, bytes), of| {
                (count + of.of(number).len(), bytes + of.bytes(number))
            })
        });
        let mut lengths = chunks.iter().filter(|chunk| chunk.len() > 0).map(|it| it.uniform);
        let first = lengths.next().flatten();
        let uniform = first.filter(|_| lengths.all(|length| length == first));
        Sizes { each: each.collect(), uniform }
    }

    /// How many worlds are new.
    pub(super) fn count(&self) -> usize {
        self.each.iter().map(|(count, _)| count).sum()
    }

    /// How many bytes they have.
    pub(super) fn bytes(&self) -> usize {
        self.each.iter().map(|(_, bytes)| bytes).sum()
    }
}

/// The new worlds of a window, for the next level, and their rows, for the log.
pub(super) struct Admitted {
    bytes: Unwritten,
    ends: Vec<u32>,
    /// Those, and perhaps more behind them.
    rows: Vec<u64>,
    sizes: Sizes,
}

impl Admitted {
    /// As many as `sizes` says, in the memory of `bytes` and `rows`.
    pub(super) fn new(sizes: Sizes, bytes: Vec<u8>, mut rows: Vec<u64>) -> Result<Self, Full> {
        let bytes = Unwritten::new(bytes, sizes.bytes());
        u32::try_from(sizes.bytes()).map_err(|_| Full)?;
        let missing = sizes.count().saturating_sub(rows.len());
        rows.extend(repeat_n(0, missing));
        let ends = if sizes.uniform.is_some() { 0 } else { sizes.count() };
        Ok(Admitted { bytes, ends: vec![0; ends], rows, sizes })
    }

    /// What each chunk is to fill in.
    pub(super) fn shares<'a>(
        &'a mut self,
        chunks: impl Iterator<Item = &'a mut Chunk>,
    ) -> Vec<Mutex<Share<'a>>> {
        let (mut worlds, mut before) = (self.bytes.all(), 0);
        let (mut ends, mut rows) = (&mut self.ends[..], &mut self.rows[..]);
        let sized = chunks.zip(&self.sizes.each).enumerate();
        let share = |(number, (chunk, &(count, bytes)))| {
            let varied = if ends.is_empty() { 0 } else { count };
            let share = Share {
                chunk,
                number,
                worlds: worlds.split_off(bytes),
                before,
                ends: ends.split_off_mut(..varied).expect("one for each"),
                rows: rows.split_off_mut(..count).expect("one for each"),
            };
            before += bytes;
            Mutex::new(share)
        };
        sized.map(share).collect()
    }

    /// The worlds; and the rows, perhaps with more behind them.
    pub(super) fn finish(self) -> (Piece, Vec<u64>) {
        let piece = match self.sizes.uniform {
            Some(length) => Piece::uniform(self.sizes.count(), self.bytes.finish(), length),
            None => Piece::varied(self.bytes.finish(), self.ends),
        };
        (piece, self.rows)
    }
}

impl Share<'_> {
    /// Fill it in. The parents' level starts at the index `level`.
    pub(super) fn fill(&mut self, winners: &[Winners], level: u64) -> Result<(), Full> {
        self.chunk.mark(winners.iter().flat_map(|of| of.of(self.number)));
        let (mut end, mut nth) = (0, 0);
        for Candidate { key, label, world } in self.chunk.newcomers() {
            end += world.len();
            self.worlds.write(world);
            if let Some(place) = self.ends.get_mut(nth) {
                *place = (self.before + end) as u32;
            }
            self.rows[nth] = Log::row(key.parent - level, label).ok_or(Full)?;
            nth += 1;
        }
        Ok(())
    }
}
