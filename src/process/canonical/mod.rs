//! The canonical form.

pub mod boot;
pub mod describe;
mod encode;
pub mod objects;
pub mod place;
mod roots;
mod walk;
mod words;

#[cfg(test)]
mod left_out;
#[cfg(test)]
mod rules;
#[cfg(test)]
mod synthetic;
#[cfg(test)]
mod tests;

use std::fmt;
use std::ops::Range;

use self::boot::Boot;
use self::encode::{Buffers, Encoder};
use self::objects::Objects;
use self::place::Place;
use self::walk::{Numbers, Walk};
use super::registers::Registers;
use super::snapshot::Snapshot;

pub use self::describe::{Difference, Seen, Value, describe, first_difference};

/// A node whose form is wanted. Dead memory and registers of the snapshot are zero.
pub struct Input<'a, H> {
    /// The node.
    pub snapshot: &'a Snapshot,
    /// What it can still read of its registers.
    pub registers: &'a Registers,
    /// What it held at its boot.
    pub boot: &'a Boot,
    /// Its heap, as [`Input::arena`] says.
    pub heap: &'a H,
    /// The bytes of the arena.
    pub arena: &'a [u8],
    /// The words that the checker holds for it, in an order that does not depend on addresses.
    pub held: &'a [u64],
    /// What is left out of data and stack: ascending ranges that do not overlap.
    pub ignored: &'a [Range<u64>],
    /// What is left out of heap objects.
    pub paths: Option<&'a dyn Paths>,
    /// Classes of roots that are forgotten: a lie for tests, which the audit must find.
    #[doc(hidden)]
    pub dropped: &'a [RootClass],
}

/// Which bytes of heap objects are left out. What is answered must depend on what is asked alone.
pub trait Paths {
    /// A label for an object that was found; 0 for one about which nothing is known.
    fn label(&self, found: &Reached) -> u32;
    /// Add the bytes to leave out of an object of `size` bytes with this label: ascending ranges, by
    /// bytes from its start, that do not overlap.
    fn ignored(&self, label: u32, size: u32, ranges: &mut Vec<Range<usize>>);
}

/// How an object was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    /// Where the word is that leads to it,
    pub place: Place,
    /// the label of the object in which that is, or 0,
    pub label: u32,
    /// and where in the object it points to, by bytes from its start.
    pub offset: u32,
    /// The bytes of the object.
    pub size: u32,
}

/// A class of roots.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootClass {
    /// Data of the program.
    ProgramData,
    /// Data of the loader and the libraries.
    LibraryData,
    /// Memory without a file: what the loader keeps for threads, what the program mapped, the break.
    Mapped,
    /// Words that the checker holds.
    Held,
    /// The stack.
    Stack,
    /// The registers.
    Registers,
}

/// The canonical form, by its digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// Of all of it: the identity.
    pub digest: u128,
    /// Of what does not depend on where objects are. The same for every placement of the same history,
    /// unless an address is where the walk does not see it, or `raw` is set.
    pub placeless: u128,
    /// How many live objects nothing leads to.
    pub unreached: usize,
    /// Whether the arena is part of the form as it lies there.
    pub raw: bool,
}

/// Memory that is used again from form to form.
#[derive(Debug, Default)]
pub struct Scratch {
    numbers: Numbers,
    buffers: Buffers,
}

/// The form of `input`.
pub fn form<H: Objects>(input: &Input<'_, H>, scratch: &mut Scratch) -> Form {
    let encoder = Encoder::new(&mut scratch.buffers, input.boot.digest());
    let walk = Walk::run(input, encoder, &mut scratch.numbers);
    let (unreached, raw) = (walk.unreached_count(), walk.raw);
    let (digest, placeless) = walk.sink.finish();
    Form { digest, placeless, unreached, raw }
}

impl<'a, H> Input<'a, H> {
    /// All of `snapshot`, with nothing left out.
    pub fn new(snapshot: &'a Snapshot, boot: &'a Boot, heap: &'a H) -> Self {
        Input {
            snapshot,
            registers: &snapshot.registers,
            boot,
            heap,
            arena: snapshot.arena(),
            held: &[],
            ignored: &[],
            paths: None,
            dropped: &[],
        }
    }
}

impl<H> Clone for Input<'_, H> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<H> Copy for Input<'_, H> {}

impl<H> fmt::Debug for Input<'_, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Input").field("snapshot", self.snapshot).finish_non_exhaustive()
    }
}
