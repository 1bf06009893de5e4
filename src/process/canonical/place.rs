//! What the canonical form is made of, part by part: pieces of memory, the places of words in them,
//! and what words are called.

use std::fmt;

use crate::process::arena::Object;
use crate::process::registers::{General, IDENTITY};

/// A stretch of bytes that the form holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Data outside the arena and the stack, from this address on.
    Data(u64),
    /// The words that the checker holds.
    Held,
    /// The live stack, from this address on.
    Stack(u64),
    /// The general registers that are part of the identity, in their order there.
    General,
    /// The vector and floating-point state.
    Vector,
    /// The object that was found as the so-manieth.
    Object(u32, Object),
    /// An object that was not found.
    Unreached(Object),
    /// Part of the arena as it lies there, from this address on.
    Arena(u64),
}

/// Where a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// In data outside the arena and the stack.
    Static(u64),
    /// Among the words that the checker holds, by number.
    Held(u32),
    /// In the stack.
    Stack(u64),
    /// In a general register.
    Register(u32),
    /// In the vector state, by bytes from its start.
    Vector(u32),
    /// In the heap object that was found as the so-manieth, by bytes from its start.
    Heap(u32, u32),
    /// In a heap object that nothing leads to, by its address and bytes from its start.
    Unreached(u64, u32),
    /// In the arena as it lies there.
    Arena(u64),
    /// Where a mapping starts; the stack has none.
    Mapping(u64),
}

/// What a word is called that is an address of the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Name {
    /// An object by the order in which it was found, and bytes from its start.
    Object(u32, u32),
    /// A freed block by its list and its place there, and bytes from its start.
    Freed {
        /// The list.
        class: u32,
        /// How many blocks are given before it.
        place: u32,
        /// Bytes from its start.
        offset: u32,
    },
    /// An object that nothing leads to: its address stays.
    Unreached(u64),
    /// None of these: the address stays, and the arena with it.
    Elsewhere(u64),
}

impl Piece {
    /// The address of its first byte, if it is kept in its place.
    pub fn start(&self) -> u64 {
        match *self {
            Piece::Data(start) | Piece::Stack(start) | Piece::Arena(start) => start,
            Piece::Unreached(object) => object.start,
            Piece::Held | Piece::General | Piece::Vector | Piece::Object(..) => 0,
        }
    }

    /// The place of the byte `at` of it.
    pub fn place(&self, at: usize) -> Place {
        match *self {
            Piece::Data(start) => Place::Static(start + at as u64),
            Piece::Held => Place::Held((at / 8) as u32),
            Piece::Stack(start) => Place::Stack(start + at as u64),
            Piece::General => Place::Register((at / 8) as u32),
            Piece::Vector => Place::Vector(at as u32),
            Piece::Object(number, _) => Place::Heap(number, at as u32),
            Piece::Unreached(object) => Place::Unreached(object.start, at as u32),
            Piece::Arena(start) => Place::Arena(start + at as u64),
        }
    }
}

impl Name {
    /// As one number; different names are different numbers.
    pub fn encode(self) -> u64 {
        let tagged = |tag: u64, value: u64| tag << 60 | value;
        match self {
            // The arena holds fewer than 2^28 objects, and none that is longer.
            Name::Object(number, offset) => tagged(1, u64::from(number) << 32 | u64::from(offset)),
            // And there are fewer than 2^8 lists, of blocks below 2^24 bytes.
            Name::Freed { class, place, offset } => {
                let place = u64::from(class) << 52 | u64::from(place) << 24;
                tagged(2, place | u64::from(offset))
            }
            Name::Unreached(address) => tagged(3, address),
            Name::Elsewhere(address) => tagged(4, address),
        }
    }
}

impl Place {
    /// The register, if it is one.
    pub fn register(&self) -> Option<General> {
        match self {
            Place::Register(number) => IDENTITY.get(*number as usize).copied(),
            _ => None,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Place::Static(address) | Place::Stack(address) | Place::Arena(address) => {
                write!(f, "{address:#x}")
            }
            Place::Held(number) => write!(f, "word {number} that the checker holds"),
            Place::Register(_) => match self.register() {
                Some(register) => write!(f, "register {}", format!("{register:?}").to_lowercase()),
                None => write!(f, "a register"),
            },
            Place::Vector(at) => write!(f, "byte {at} of the vector registers"),
            Place::Heap(object, at) => write!(f, "byte {at} of heap object {object}"),
            Place::Unreached(start, at) => {
                write!(f, "byte {at} of the heap object at {start:#x}, which nothing leads to")
            }
            Place::Mapping(start) => write!(f, "the mapping at {start:#x}"),
        }
    }
}
