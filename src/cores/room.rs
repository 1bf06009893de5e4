//! Memory that the functions of a core may write to: a state, maximally aligned, between guards that
//! show when a function wrote beside it. What else such a function hit nobody can say, so a broken
//! guard is an error and no violation.

/// What is read and written with the widest instructions stands at a multiple of this.
const ALIGNMENT: usize = 16;
/// Bytes of each guard: enough for the next few elements of an array.
const GUARD: usize = 64;
/// What guards are filled with; few values that a protocol writes look so.
const PATTERN: u8 = 0xa5;

/// A state and its guards.
pub struct Room {
    /// Never resized: it stays where it is.
    bytes: Box<[u8]>,
    start: usize,
    size: usize,
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
    #[inline]
    pub fn broken(&self) -> Option<Beside> {
        // Of a length that the compiler knows, a comparison is a few instructions and no call.
        let whole = |guard: &[u8]| guard.first_chunk() == Some(&[PATTERN; GUARD]);
        if !whole(&self.bytes[self.start + self.size..][..GUARD]) {
            return Some(Beside::Behind);
        }
        if whole(&self.bytes[self.start - GUARD..self.start]) { None } else { Some(Beside::Before) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
