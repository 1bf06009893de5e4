//! Where in a stretch of bytes the addresses of the arena are. The answer depends on the bytes alone:
//! aligned words first; in heap objects then, between those, windows of eight bytes at any place,
//! from the left, none of which overlaps what was taken before.

use std::ops::Range;

use crate::process::contract::{ARENA_BASE, ARENA_SIZE};

/// Bytes of an address.
pub const WORD: usize = 8;
/// The place in an address of the arena of a byte that is the same in all of them.
const MARK_AT: usize = 4;
/// That byte.
const MARK: u8 = (ARENA_BASE >> (8 * MARK_AT)) as u8;

const _: () = assert!(
    ARENA_BASE >> (8 * MARK_AT) == (ARENA_BASE + ARENA_SIZE - 1) >> (8 * MARK_AT),
    "all addresses of the arena have the same byte there"
);

/// Whether `word` lies in the arena, in use or not.
pub fn in_arena(word: u64) -> bool {
    word.wrapping_sub(ARENA_BASE) < ARENA_SIZE
}

/// The eight bytes at `at`.
pub fn word(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + WORD].try_into().expect("eight bytes"))
}

/// Whether any aligned word of a page is an address of the arena.
pub fn any(page: &[u8]) -> bool {
    let (words, _) = page.as_chunks::<WORD>();
    words.iter().any(|word| in_arena(u64::from_le_bytes(*word)))
}

/// Call `found` with the place and the value of every word of `bytes` in `range` that is an address,
/// where a word starts at every eighth byte from `first` on.
pub fn aligned(bytes: &[u8], range: Range<usize>, first: usize, mut found: impl FnMut(usize, u64)) {
    let start = range.start + (first + WORD - range.start % WORD) % WORD;
    if start >= range.end {
        return;
    }
    let (words, _) = bytes[start..range.end].as_chunks::<WORD>();
    for (number, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        if in_arena(word) {
            found(start + number * WORD, word);
        }
    }
}

/// The same, and the windows between them. A word starts at every eighth byte of `bytes`.
pub fn packed(bytes: &[u8], range: Range<usize>, mut found: impl FnMut(usize, u64)) {
    let start = range.start.next_multiple_of(WORD).min(range.end);
    let mut windows = Windows { bytes, end: range.end, free: range.start };
    windows.look(range.start..start, &mut found);
    let (words, rest) = bytes[start..range.end].as_chunks::<WORD>();
    for (number, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let at = start + number * WORD;
        if in_arena(word) {
            found(at, word);
            windows.free = at + WORD;
        } else if has_mark(word) {
            windows.look(at..at + WORD, &mut found);
        }
    }
    windows.look(range.end - rest.len()..range.end, &mut found);
}

/// Whether a byte of `word` is [`MARK`].
fn has_mark(word: u64) -> bool {
    const ONES: u64 = u64::MAX / 0xff;
    let marks_are_zero = word ^ (ONES * MARK as u64);
    marks_are_zero.wrapping_sub(ONES) & !marks_are_zero & (ONES << 7) != 0
}

/// The windows of a stretch that are not aligned.
struct Windows<'a> {
    bytes: &'a [u8],
    /// Where the stretch ends.
    end: usize,
    /// What lies before is taken.
    free: usize,
}

impl Windows<'_> {
    /// Take the windows whose mark lies in `range`, of which the word before is known.
    fn look(&mut self, range: Range<usize>, found: &mut impl FnMut(usize, u64)) {
        for mark in range {
            if self.bytes[mark] != MARK || mark < self.free + MARK_AT {
                continue;
            }
            let at = mark - MARK_AT;
            if at.is_multiple_of(WORD) || at + WORD > self.end {
                continue;
            }
            let window = word(self.bytes, at);
            let next = at.next_multiple_of(WORD);
            // The aligned word that it reaches into comes first.
            let next_is_address = next + WORD <= self.end && in_arena(word(self.bytes, next));
            if in_arena(window) && !next_is_address {
                found(at, window);
                self.free = at + WORD;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(places: &[usize], length: usize) -> Vec<u8> {
        let mut bytes = vec![0xff; length];
        for &place in places {
            let address = ARENA_BASE + 0x0123_4567 + place as u64;
            bytes[place..place + WORD].copy_from_slice(&address.to_le_bytes());
        }
        bytes
    }

    fn found(bytes: &[u8], range: Range<usize>) -> Vec<usize> {
        let mut places = Vec::new();
        packed(bytes, range, |at, address| {
            assert_eq!(address, word(bytes, at));
            places.push(at);
        });
        places
    }

    #[test]
    fn windows_are_found_at_every_place_and_in_tails() {
        for length in 8..40 {
            for place in 0..=length - WORD {
                let bytes = at(&[place], length);
                assert_eq!(found(&bytes, 0..length), [place], "{place} of {length}");
                assert!(found(&bytes, 0..place + 7).is_empty());
                assert!(found(&bytes, place + 1..length).is_empty());
                assert_eq!(found(&bytes, place..place + 8), [place]);
            }
        }
    }

    #[test]
    fn no_window_overlaps_what_was_taken() {
        assert_eq!(found(&at(&[3, 11, 24], 40), 0..40), [3, 11, 24]);
        // The last byte of an address, or the last two, can begin another one.
        assert_eq!(found(&at(&[7, 0], 40), 0..40), [0]);
        assert_eq!(found(&at(&[9, 3], 40), 0..40), [3]);
        // The low bytes of an address can end another one.
        let mut bytes = vec![0; 24];
        bytes[2..10].copy_from_slice(&(ARENA_BASE + 0x0123_4567).to_le_bytes());
        bytes[8..16].copy_from_slice(&(ARENA_BASE + 0x12_0000).to_le_bytes());
        assert_eq!(word(&bytes, 2), ARENA_BASE + 0x0123_4567);
        assert_eq!(found(&bytes, 0..24), [8]);
        assert_eq!(found(&bytes, 0..15), [2]);
    }

    #[test]
    fn aligned_words_are_those_at_aligned_addresses() {
        let bytes = at(&[3, 16, 27], 40);
        let places = |range: Range<usize>, first| {
            let mut places = Vec::new();
            aligned(&bytes, range, first, |at, _| places.push(at));
            places
        };
        assert_eq!(places(0..40, 0), [16]);
        assert_eq!(places(0..40, 3), [3, 27]);
        assert_eq!(places(4..40, 3), [27]);
        assert_eq!(places(17..40, 0), [0usize; 0]);
        assert_eq!(places(0..23, 0), [0usize; 0]);
    }

    #[test]
    fn the_arena_ends_where_it_ends() {
        assert!(in_arena(ARENA_BASE) && in_arena(ARENA_BASE + ARENA_SIZE - 1));
        assert!(!in_arena(ARENA_BASE - 1) && !in_arena(ARENA_BASE + ARENA_SIZE));
    }
}
