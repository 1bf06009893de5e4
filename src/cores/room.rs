//! Memory that the functions of a core may write to: a state, maximally aligned, between guards that
//! show when a function wrote beside it. What else such a function hit nobody can say, so a broken
//! guard is an error and no violation.

use std::ops::{Deref, DerefMut};

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

/// Whether the guard at the end of a room is whole.
#[inline(always)]
fn is_guarded(room: &[u8]) -> bool {
    room.last_chunk().is_some_and(is_whole)
}

/// Bytes on cache lines of their own: they are written all the time, and what a neighbour on one of these
/// lines has would be taken away from all others who read it.
pub struct Apart {
    /// Never resized: it stays where it is.
    memory: Box<[u8]>,
    first: usize,
    end: usize,
}

/// Processors fetch lines in pairs of this size.
const LINES: usize = 128;

impl Apart {
    /// So many, all of them `byte`.
    pub fn new(byte: u8, len: usize) -> Self {
        let memory = vec![byte; LINES + len.next_multiple_of(LINES)].into_boxed_slice();
        let first = memory.as_ptr().align_offset(LINES);
        Apart { memory, first, end: first + len }
    }
}

impl Deref for Apart {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.memory[self.first..self.end]
    }
}

impl DerefMut for Apart {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.first..self.end]
    }
}

/// A state between its guards.
pub struct Room {
    bytes: Apart,
    /// Where the state is in their memory.
    start: usize,
    size: usize,
}

/// How rooms for states of one size are laid out in a row, in memory that somebody else has: a guard, and
/// then each state, filled up to where the next guard begins. All states begin as one.
pub struct Row {
    size: usize,
    /// A state, and what fills it up.
    image: Apart,
    /// How many rooms leave the cache to others; at least one.
    pub most: usize,
}

/// More bytes of rooms than these do not.
const CACHED: usize = 1 << 14;

impl Row {
    /// For states of `size` bytes.
    pub fn new(size: usize) -> Self {
        let image = Apart::new(PATTERN, size.next_multiple_of(ALIGNMENT));
        let most = (CACHED / (image.len() + GUARD)).max(1);
        Row { size, image, most }
    }

    /// From now on states begin as `state`, which has their size.
    #[inline(always)]
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

    /// Write states as they begin, each with the guard behind it, to `rooms`, which are some strides long,
    /// and call `each` with one after the other.
    #[inline(always)]
    pub fn begin<'r>(&self, rooms: &'r mut [u8], each: impl FnMut(&'r mut [u8])) {
        match <&[u8; ALIGNMENT]>::try_from(&*self.image) {
            Ok(image) => begin(image, rooms, |state| state.copy_from_slice(image), each),
            Err(_) => begin(&self.image, rooms, |state| short::copy(&self.image, state), each),
        }
    }

    /// Whether what is around the states is as it was.
    #[inline]
    pub fn is_whole(&self, bytes: &[u8]) -> bool {
        let (first, mut rooms) = bytes.split_at(GUARD);
        let mut whole = is_guarded(first);
        while let Some(room) = rooms.split_off(..self.stride()) {
            let filled = room[self.size..].first_chunk() == Some(&FILLED);
            whole &= filled & is_guarded(room);
        }
        whole
    }
}

/// [`Row::begin`], for states that begin as `image`.
#[inline(always)]
fn begin<'r>(
    image: &[u8],
    mut rooms: &'r mut [u8],
    write: impl Fn(&mut [u8]),
    mut each: impl FnMut(&'r mut [u8]),
) {
    while let Some(room) = rooms.split_off_mut(..image.len() + GUARD) {
        let (state, guard) = room.split_at_mut(image.len());
        write(state);
        guard.copy_from_slice(&Guard::WHOLE.0);
        each(room);
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
        let bytes = Apart::new(PATTERN, GUARD + size + GUARD);
        let mut room = Room { start: bytes.first + GUARD, bytes, size };
        room.state_mut().fill(0);
        room
    }

    /// The state.
    #[inline]
    pub fn state(&self) -> &[u8] {
        &self.bytes.memory[self.start..][..self.size]
    }

    /// The state, to be changed.
    #[inline]
    pub fn state_mut(&mut self) -> &mut [u8] {
        &mut self.bytes.memory[self.start..][..self.size]
    }

    /// The first byte of the state. What is behind it and the guards may be written to by it.
    #[inline]
    pub fn pointer(&mut self) -> *mut u8 {
        self.bytes.memory[self.start..].as_mut_ptr()
    }

    /// Which guard is broken, if one is.
    #[inline(always)]
    pub fn broken(&self) -> Option<Beside> {
        let whole = |guard: &[u8]| guard.first_chunk().is_some_and(is_whole);
        if !whole(&self.bytes.memory[self.start + self.size..]) {
            return Some(Beside::Behind);
        }
        if whole(&self.bytes.memory[self.start - GUARD..]) { None } else { Some(Beside::Before) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_apart_has_its_cache_lines_for_itself() {
        for len in [0, 1, 16, 127, 128, 129, 1000] {
            let mut apart = Apart::new(7, len);
            assert_eq!(*apart, vec![7; len]);
            assert_eq!(apart.as_mut_ptr() as usize % LINES, 0);
            assert!(apart.memory.len() - apart.first >= len.next_multiple_of(LINES));
        }
    }

    #[test]
    fn states_in_a_row_begin_alike_and_a_byte_beside_any_is_noticed() {
        for size in [1, 10, 16, 33, 200, 65536] {
            let (mut row, state, count) = (Row::new(size), vec![7; size], 3);
            let mut bytes = vec![0; row.bytes(count)];
            row.stand(&state);
            row.open(&mut bytes);
            let states = |nth: usize| row.first() + nth * row.stride();
            row.begin(&mut bytes[row.first()..], |_| ());
            for nth in 0..count {
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
                let place = GUARD.wrapping_add(offset);
                room.bytes[place] ^= 1;
                assert_eq!(room.broken(), Some(beside), "{size} {offset}");
            }
        }
    }
}
