//! The walk: every root and every object once, in an order that depends on contents alone, into a
//! sink that makes of it what it wants. Addresses get their names here.

use std::ops::Range;
use std::sync::Arc;

use super::objects::Objects;
use super::place::{Name, Piece};
use super::{Input, words};
use crate::process::arena::{Hit, Object};
use crate::process::contract::{ARENA_BASE, FILL_FREE, FILL_GAP};
use crate::process::layout::Layout;

/// What a walk is given to.
pub trait Sink {
    /// What is mapped where, and with which rights.
    fn layout(&mut self, layout: &Arc<Layout>);
    /// This many pages from `start` on are as at the boot.
    fn unchanged(&mut self, start: u64, pages: u64);
    /// These bytes come next,
    fn begin(&mut self, piece: &Piece, bytes: &[u8]);
    /// of which the eight at `at` are an address with this name,
    fn name(&mut self, at: usize, name: Name);
    /// and these are left out. Both come in ascending order.
    fn leave_out(&mut self, range: Range<usize>);
    /// The object with the next number was found, by the word at `at`.
    fn found(&mut self, _at: usize, _object: &Object) {}
    /// That was all of them.
    fn end(&mut self);
    /// Whatever can be reached was: all objects, or others follow that are kept in their places.
    fn reached_all(&mut self, _all: bool) {}
}

/// What was found, and in which order.
#[derive(Debug, Default)]
pub struct Numbers {
    /// By the heap's number of an object, one more than its place in the order, or 0.
    of: Vec<u32>,
    /// In that order, the heap's numbers.
    order: Vec<u32>,
    /// What is left out of one object.
    ignored: Vec<Range<usize>>,
}

/// A walk over `input`.
pub struct Walk<'a, 's, H, S> {
    pub input: &'a Input<'a, H>,
    pub sink: S,
    pub numbers: &'s mut Numbers,
    /// Objects that are not numbered by now never are.
    closed: bool,
    /// Something is in the arena that is neither in a live object nor as the allocator left it.
    pub raw: bool,
}

impl<'a, 's, H: Objects, S: Sink> Walk<'a, 's, H, S> {
    /// Walk over all of `input`.
    pub fn run(input: &'a Input<'a, H>, sink: S, numbers: &'s mut Numbers) -> Self {
        numbers.of.clear();
        numbers.of.resize(input.heap.live().len(), 0);
        numbers.order.clear();
        let mut walk = Walk { input, sink, numbers, closed: false, raw: false };
        walk.roots();
        walk.objects();
        let all = walk.unreached_count() == 0;
        walk.sink.reached_all(all);
        walk.closed = true;
        walk.unreached();
        walk.arena();
        walk
    }

    /// How many live objects nothing leads to.
    pub fn unreached_count(&self) -> usize {
        self.numbers.of.len() - self.numbers.order.len()
    }

    /// A stretch in which words are aligned to multiples of eight of the memory, `first` bytes from
    /// its start.
    pub fn words(&mut self, piece: &Piece, bytes: &[u8], ignored: &[Range<usize>], first: usize) {
        self.stretch(piece, bytes, ignored, |walk, range| {
            words::aligned(bytes, range, first, |at, word| walk.address(at, word));
        });
    }

    /// An object, in which addresses can be anywhere.
    fn packed(&mut self, piece: &Piece, bytes: &[u8], ignored: &[Range<usize>]) {
        self.stretch(piece, bytes, ignored, |walk, range| {
            words::packed(bytes, range, |at, word| walk.address(at, word));
        });
    }

    /// A stretch, of which `scan` takes what is not left out.
    fn stretch(
        &mut self,
        piece: &Piece,
        bytes: &[u8],
        ignored: &[Range<usize>],
        mut scan: impl FnMut(&mut Self, Range<usize>),
    ) {
        self.sink.begin(piece, bytes);
        let mut from = 0;
        for range in ignored {
            let range = range.start.clamp(from, bytes.len())..range.end.clamp(from, bytes.len());
            if !range.is_empty() {
                scan(self, from..range.start);
                self.sink.leave_out(range.clone());
                from = range.end;
            }
        }
        scan(self, from..bytes.len());
        self.sink.end();
    }

    /// A word that is an address of the arena.
    fn address(&mut self, at: usize, word: u64) {
        let name = match self.input.heap.find(word) {
            Hit::Live { start, index, .. } => {
                let offset = word.wrapping_sub(start) as u32;
                self.object(at, index, offset).unwrap_or(Name::Unreached(word))
            }
            Hit::Free { class, place, start, room, offset } => {
                self.raw |= !self.holds(start, room, FILL_FREE);
                Name::Freed { class, place, offset }
            }
            Hit::Elsewhere => {
                self.raw = true;
                Name::Elsewhere(word)
            }
        };
        self.sink.name(at, name);
    }

    /// The name of a place in the live object `index`, which is found if it was not; `None` if it
    /// never is.
    fn object(&mut self, at: usize, index: u32, offset: u32) -> Option<Name> {
        let known = self.numbers.of[index as usize];
        if known != 0 {
            return Some(Name::Object(known - 1, offset));
        }
        if self.closed {
            return None;
        }
        let next = self.numbers.order.len() as u32;
        let object = &self.input.heap.live()[index as usize];
        self.sink.found(at, object);
        self.numbers.of[index as usize] = next + 1;
        self.numbers.order.push(index);
        Some(Name::Object(next, offset))
    }

    /// All objects that are found, in that order.
    fn objects(&mut self) {
        let mut next = 0;
        while let Some(&index) = self.numbers.order.get(next) {
            let object = self.input.heap.live()[index as usize];
            self.one(&Piece::Object(next as u32, object), index, &object);
            next += 1;
        }
    }

    fn one(&mut self, piece: &Piece, index: u32, object: &Object) {
        let mut ignored = std::mem::take(&mut self.numbers.ignored);
        if let Some(paths) = self.input.paths {
            ignored.clear();
            paths.ignored(index, object.size, &mut ignored);
        }
        let bytes = self.contents(object);
        self.packed(piece, bytes, &ignored);
        self.numbers.ignored = ignored;
    }

    /// The objects that nothing leads to, by ascending address.
    fn unreached(&mut self) {
        if self.unreached_count() == 0 {
            return;
        }
        for (index, &object) in self.input.heap.live().iter().enumerate() {
            if self.numbers.of[index] == 0 {
                self.one(&Piece::Unreached(object), index as u32, &object);
            }
        }
    }

    /// What a live object holds.
    fn contents(&mut self, object: &Object) -> &'a [u8] {
        let gap = object.start + u64::from(object.size);
        self.raw |= !self.holds(gap, object.room - object.size, FILL_GAP);
        self.bytes(object.start, object.size).unwrap_or_else(|| {
            self.raw = true;
            &[]
        })
    }

    /// Whether all bytes of a range of the arena are `fill`.
    fn holds(&self, start: u64, size: u32, fill: u64) -> bool {
        let fill = fill as u8;
        self.bytes(start, size).is_some_and(|bytes| {
            let (blocks, rest) = bytes.as_chunks::<16>();
            blocks.iter().all(|block| *block == [fill; 16]) && rest.iter().all(|b| *b == fill)
        })
    }

    fn bytes(&self, start: u64, size: u32) -> Option<&'a [u8]> {
        let at = start.wrapping_sub(ARENA_BASE) as usize;
        self.input.arena.get(at..at.checked_add(size as usize)?)
    }
}
