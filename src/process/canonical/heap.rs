//! What the walk asks of a heap.

use crate::process::contract::ARENA_BASE;

/// The objects of an arena.
pub trait Heap {
    /// What `address`, which is in the arena, points to.
    fn find(&self, address: u64) -> Found;
    /// How many objects are live.
    fn count(&self) -> usize;
    /// The live object with this number; they are numbered by ascending address.
    fn object(&self, number: usize) -> Object;
}

/// A live object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    /// Its first address.
    pub start: u64,
    /// The bytes that the program asked for.
    pub size: u64,
    /// Bytes from its start to the end of the gap behind it.
    pub room: u64,
    /// Whether it was made with an alignment of its own.
    pub aligned: bool,
}

/// What an address in the arena points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// Into the live object with this number, or one past its end.
    Live {
        /// Its number.
        number: usize,
        /// Bytes from its start.
        offset: u64,
    },
    /// Into a block that was freed and will be given again.
    Freed {
        /// Which list of free blocks it is in.
        class: u32,
        /// How many blocks of that list are given before it.
        place: u32,
        /// Where the block starts,
        start: u64,
        /// and how long it is.
        size: u64,
    },
    /// To nothing that has a name of its own.
    Elsewhere,
}

impl Object {
    /// Where it starts, counted from the start of the arena.
    pub fn offset(&self) -> usize {
        self.start.wrapping_sub(ARENA_BASE) as usize
    }
}
