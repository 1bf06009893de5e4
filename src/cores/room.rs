//! Memory that the functions of a core may write to: a state, maximally aligned, between guards that
//! show when a function wrote beside it. What else such a function hit nobody can say, so a broken
//! guard is an error and no violation.

use crate::short;

/// What is read and written with the widest instructions stands at a multiple of this.
const ALIGNMENT: usize = 16;
/// Bytes of each guard: enough for the next few elements of an array.
const GUARD: usize = 64;
/// What guards are filled with; few values that a protocol writes look so.
const PATTERN: u8 = 0xa5;
/// What a state is filled up with, at most.
const FILLED: [u8; ALIGNMENT] = [PATTERN; ALIGNMENT];

/// Bytes beside what a function may write to.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Guard([u8; GUARD]);

impl Guard {
    /// As it must stay.
    pub const WHOLE: Guard = Guard([PATTERN; GUARD]);

    /// Whether nobody wrote to it.
    #[inline]
    pub fn is_whole(&self) -> bool {
        is_whole(&self.0)
    }
}

/// Whether all bytes of a guard are as they were. None is left out when one differs: the compiler makes
/// four comparisons of 16 bytes of that, and no call.
#[inline]
fn is_whole(guard: &[u8; GUARD]) -> bool {
    guard.iter().fold(0, |odd, byte| odd | (byte ^ PATTERN)) == 0
}

/// A state and its guards.
pub struct Room {
    /// Never resized: it stays where it is.
    bytes: Box<[u8]>,
    start: usize,
    size: usize,
}

/// How rooms for states of one size are laid out in a row, in memory that somebody else has: a guard, and
/// then each state, filled up to where the next guard begins. All states begin as one.
pub struct Row {
    size: usize,
    /// A state, and what fills it up.
    image: Box<[u8]>,
    /// How many rooms leave the cache to others; at least one.
    pub most: usize,
}

/// More bytes of rooms than these do not.
const CACHED: usize = 1 << 14;

impl Row {
    /// For states of `size` bytes.
    pub fn new(size: usize) -> Self {
        let image = vec![PATTERN; size.next_multiple_of(ALIGNMENT)].into_boxed_slice();
        let most = (CACHED / (image.len() + GUARD)).max(1);
        Row { size, image, most }
    }

    /// From now on states begin as `state`, which has their size.
    #[inline]
    pub fn stand(&mut self, state: &[u8]) {
        short::copy(state, &mut self.image[..self.size]);
    }

    /// Where the first state is.
    pub fn first(&self) -> usize {
        GUARD
    }

    /// Bytes from one state to the next.
    #[inline]
    pub fn stride(&self) -> usize {
        self.image.len() + GUARD
    }

    /// Bytes of `count` rooms with their guards.
    #[inline]
    pub fn bytes(&self, count: usize) -> usize {
        GUARD + count * self.stride()
    }

    /// Write the guard before the first state.
    #[inline]
    pub fn open(&self, bytes: &mut [u8]) {
        bytes[..GUARD].copy_from_slice(&Guard::WHOLE.0);
    }

    /// Write a state as it begins, and the guard behind it, to `room`, which is a stride long.
    #[inline]
    pub fn begin(&self, room: &mut [u8]) {
        let (state, guard) = room.split_at_mut(self.image.len());
        match self.image.first_chunk::<ALIGNMENT>() {
            Some(image) if state.len() == ALIGNMENT => state.copy_from_slice(image),
            _ => short::copy(&self.image, state),
        }
        guard[..GUARD].copy_from_slice(&Guard::WHOLE.0);
    }

    /// Whether what is around the states is as it was.
    #[inline]
    pub fn is_whole(&self, bytes: &[u8]) -> bool {
        let (first, mut rooms) = bytes.split_at(GUARD);
        let filled = |room: &[u8]| room[self.size..].first_chunk() == Some(&FILLED);
        let guarded = |room: &[u8]| room.last_chunk().is_some_and(is_whole);
        let mut whole = guarded(first);
        while let Some(room) = rooms.split_off(..self.stride()) {
            whole &= filled(room) & guarded(room);
        }
        whole
    }
}

/// Where a function wrote that is none of its business.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// Before the first byte of the state.
    Before,
    /// Behind its last byte.
    Behind,
}

impl Room {
    /// For a state of `size` bytes, which are zero.
    pub fn new(size: usize) -> Self {
        let bytes = vec![PATTERN; ALIGNMENT + GUARD + size + GUARD].into_boxed_slice();
        let start = GUARD + bytes[GUARD..].as_ptr().align_offset(ALIGNMENT);
        let mut room = Room { bytes, start, size };
        room.state_mut().fill(0);
        room
    }

    /// The state.
    #[inline]
    pub fn state(&self) -> &[u8] {
        &self.bytes[self.start..][..self.size]
    }

    /// The state, to be changed.
    #[inline]
    pub fn state_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..][..self.size]
    }

    /// The first byte of the state. What is behind it and the guards may be written to by it.
    #[inline]
    pub fn pointer(&mut self) -> *mut u8 {
        self.bytes[self.start..].as_mut_ptr()
    }

    /// Which guard is broken, if one is.
    #[inline(always)]
    pub fn broken(&self) -> Option<Beside> {
        let whole = |guard: &[u8]| guard.first_chunk().is_some_and(is_whole);
        if !whole(&self.bytes[self.start + self.size..]) {
            return Some(Beside::Behind);
        }
        if whole(&self.bytes[self.start - GUARD..]) { None } else { Some(Beside::Before) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_in_a_row_begin_alike_and_a_byte_beside_any_is_noticed() {
        for size in [1, 10, 16, 33, 200, 65536] {
            let (mut row, state, count) = (Row::new(size), vec![7; size], 3);
            let mut bytes = vec![0; row.bytes(count)];
            row.stand(&state);
            row.open(&mut bytes);
            let states = |nth: usize| row.first() + nth * row.stride();
            for nth in 0..count {
                row.begin(&mut bytes[states(nth)..][..row.stride()]);
                assert_eq!(
                    (states(nth) % ALIGNMENT, &bytes[states(nth)..][..size]),
                    (0, &state[..])
                );
            }
            assert!(row.is_whole(&bytes));
            for nth in 0..count {
                bytes[states(nth)..][..size].fill(0xff);
                let behind = states(nth) + size;
                for place in [states(nth) - GUARD, states(nth) - 1, behind, behind + GUARD - 1] {
                    bytes[place] ^= 1;
                    assert!(!row.is_whole(&bytes), "{size} {nth} {place}");
                    bytes[place] ^= 1;
                }
            }
        }
    }

    #[test]
    fn a_state_is_aligned_and_a_byte_beside_it_is_noticed() {
        for size in [1, 7, 16, 65536] {
            let mut room = Room::new(size);
            assert_eq!(room.pointer() as usize % ALIGNMENT, 0);
            room.state_mut().fill(0xff);
            assert_eq!((room.state().len(), room.broken()), (size, None));
            for (offset, beside) in [
                (size, Beside::Behind),
                (size + GUARD - 1, Beside::Behind),
                (0usize.wrapping_sub(1), Beside::Before),
                (0usize.wrapping_sub(GUARD), Beside::Before),
            ] {
                let mut room = Room::new(size);
                let place = room.start.wrapping_add(offset);
                room.bytes[place] ^= 1;
                assert_eq!(room.broken(), Some(beside), "{size} {offset}");
            }
        }
    }
}
