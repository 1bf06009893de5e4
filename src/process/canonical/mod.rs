//! The canonical form of a node that waits: all that it can still read, but for where its heap objects
//! lie. Its digest is what identifies a node whose state is its memory.
//!
//! **The form.** The snapshot is in normal form: what no continuation reads is zero. From the roots, in
//! the order of `roots`, every aligned word that lies in the arena gets a name: a live object, one
//! past its end included, becomes the number in which it was found, and the offset. Objects follow in
//! that order, breadth first, each with the size that was asked for, whether it was aligned by hand,
//! and its contents, in which addresses are looked for at every byte (`words`). A freed slot becomes
//! its class and its place in the order of reuse. A live object to which no word leads is kept with its
//! address, and so is one to which only such objects lead: who has a hidden address of the one may go
//! on from there. All other bytes stand as they are, with where they are, what is mapped there and
//! with which rights. Every name has a tag and a place in the form (`encode`), so that no number of
//! the program can pass for one, and a page that is as at the boot is one token (`boot`).
//!
//! **What may be merged.** Let two nodes have the same form. (i) Each is as good as the process that it
//! was before its normal form was written, since only what is never read was changed. (ii) The walks
//! went the same way, so the n-th object of one and the n-th of the other have the same size, and the
//! same contents but for words that point to objects with equal numbers. That is a bijection of the
//! live objects of one and of the other. It leaves the objects to which nothing leads where they are,
//! and freed slots of equal rank correspond. (iii) A program that does with addresses no more than to
//! follow them, to move inside their object and to ask whether two are equal cannot tell the two
//! nodes apart, as long as the allocator cannot: what it gives depends on the requests alone, up to a
//! bijection. It fills what it gives and what it gets back, moves by sizes only, reports the size that
//! was asked for, and gives freed slots again by rank. So both do the same in the next step, and the
//! bijection goes with them.
//!
//! **What never.** Objects that are shared with objects that are equal; structures of another shape,
//! even where the program treats them alike; other sizes, other offsets, other ranks of freed slots;
//! numbers, whatever they count. Nothing is merged by a guess about what a program means. Where
//! something lies in the arena that has no name, the arena is part of the form as it lies there, and
//! nothing is renamed in effect: an address of what was never given, of a gap, of a freed run of pages
//! or of a record; bytes that the program has written behind an object, into a freed slot that it
//! still points to, or behind all that was ever given. Its addresses are equal, but not what they mean
//! from the next call on. Equal page maps would not do instead: they need not stay equal when
//! corresponding objects, which lie in different places, are given back.
//!
//! **What breaks it.** A number that looks like an address of the arena is taken for one, as in
//! conservative garbage collection (Boehm and Weiser, 1988), and an address that is stored in another
//! shape, as a difference, an exclusive or, or two halves, is taken for a number. Ordering and hashing
//! addresses is more than (iii) allows. So no form is used by itself: the same history runs in a
//! second process whose objects lie in a permuted placement. A number keeps its value there, and an
//! address does not, in whatever shape, so that [`Form::placeless`] differs; the state then keeps its
//! raw form. What is ordered or hashed shows as another output. And steps that were learned from one
//! of the merged memories are audited from the others.
//!
//! Sources: CMC gave states of C programs one form by walking the heap from its roots (Musuvathi,
//! Park, Chou, Engler, Dill, *CMC: A Pragmatic Approach to Model Checking Real Code*, OSDI 2002). That
//! reordering heap objects is a symmetry, and that numbering them by a walk whose order does not
//! depend on addresses finds a representative, is Iosif's (*Symmetry Reductions for Model Checking of
//! Concurrent Dynamic Software*, STTT 6, 2004). Finding pointers by their values: Boehm and Weiser,
//! *Garbage Collection in an Uncooperative Environment*, Software: Practice and Experience 18, 1988.

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
    /// What is left out of the general registers, alike, by bytes from the first of
    /// [`IDENTITY`](super::registers::IDENTITY).
    pub ignored_registers: &'a [Range<usize>],
    /// What is left out of heap objects.
    pub paths: Option<&'a dyn Paths>,
    /// Classes of roots that are forgotten: a lie for tests, which the audit must find.
    #[doc(hidden)]
    pub dropped: &'a [RootClass],
}

/// Which bytes of heap objects are left out. Nodes that differ in nothing but where their objects lie
/// must get the same answers.
pub trait Paths {
    /// Add the bytes to leave out of live object `index` of the heap, which has `size` bytes: ascending
    /// ranges, by bytes from its start, that do not overlap.
    fn ignored(&self, index: u32, size: u32, ranges: &mut Vec<Range<usize>>);
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
            ignored_registers: &[],
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
