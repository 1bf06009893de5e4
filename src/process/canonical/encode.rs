//! The canonical form as bytes, of which only the digest is kept. Part by part: a head, which says
//! what comes and how long it is; the bytes, in which the name of an address stands in its place and
//! zeros stand for what is left out; and the places of both. So every part can be told from what was
//! before it, a name can be told from a number of the program, and different forms are different
//! bytes.

use std::ops::Range;
use std::sync::Arc;

use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use super::place::{Name, Piece};
use super::walk::Sink;
use super::words::WORD;
use crate::process::layout::{Layout, Role};
use crate::process::memory::LARGEST_MAPPED;

/// Bytes that are kept before they are hashed.
const CHUNK: usize = 64 << 10;
/// In the place of a word: what lies there is left out, and its length comes next.
const LEFT_OUT: u32 = 1 << 31;

const _: () = assert!(LARGEST_MAPPED < LEFT_OUT as u64, "places have 31 bits");

/// What heads say.
#[derive(Clone, Copy)]
enum Tag {
    Layout = 1,
    Unchanged = 2,
    Data = 3,
    Held = 4,
    Stack = 5,
    General = 6,
    Vector = 7,
    Object = 8,
    Unreached = 9,
    Arena = 10,
}

/// Memory that is used again from form to form.
#[derive(Debug, Default)]
pub struct Buffers {
    bytes: Vec<u8>,
    places: Vec<u32>,
    unreached: Vec<u128>,
    /// The layout that was encoded last.
    layout: Option<(Arc<Layout>, Vec<u8>)>,
}

/// Makes digests.
pub struct Encoder<'s> {
    buffers: &'s mut Buffers,
    /// What was hashed before the buffer.
    hash: Option<Box<Xxh3>>,
    /// Where in the buffer the current piece starts,
    head: usize,
    /// and its bytes.
    start: usize,
    piece_is_unreached: bool,
    /// The digest of what comes before the objects that nothing leads to.
    reached: Option<u128>,
}

impl<'s> Encoder<'s> {
    /// An encoder of a form that begins with the digest of the boot image.
    pub fn new(buffers: &'s mut Buffers, boot: u128) -> Self {
        buffers.bytes.clear();
        buffers.bytes.extend(boot.to_le_bytes());
        buffers.places.clear();
        buffers.unreached.clear();
        Encoder { buffers, hash: None, head: 0, start: 0, piece_is_unreached: false, reached: None }
    }

    /// The digest of the form, and the one in which nothing depends on where objects are.
    pub fn finish(mut self) -> (u128, u128) {
        let digest = self.digest();
        let Some(reached) = self.reached.filter(|_| !self.buffers.unreached.is_empty()) else {
            return (digest, digest);
        };
        self.buffers.unreached.sort_unstable();
        let mut hash = Xxh3::new();
        hash.update(&reached.to_le_bytes());
        self.buffers.unreached.iter().for_each(|object| hash.update(&object.to_le_bytes()));
        (digest, hash.digest128())
    }

    /// The digest of all up to here.
    fn digest(&mut self) -> u128 {
        match &mut self.hash {
            None => xxh3_128(&self.buffers.bytes),
            Some(hash) => {
                hash.update(&self.buffers.bytes);
                self.buffers.bytes.clear();
                hash.digest128()
            }
        }
    }

    fn flush(&mut self) {
        if self.buffers.bytes.len() >= CHUNK {
            self.hash.get_or_insert_with(|| Box::new(Xxh3::new())).update(&self.buffers.bytes);
            self.buffers.bytes.clear();
        }
    }

    fn head(&mut self, tag: Tag, more: u8, length: u64) {
        let head = tag as u64 | u64::from(more) << 8 | length << 16;
        self.buffers.bytes.extend(head.to_le_bytes());
    }

    /// The digest of an object that nothing leads to, without addresses.
    fn placeless(&mut self) {
        let mut bytes = self.buffers.bytes[self.head..].to_vec();
        // Behind the head comes the address.
        bytes[WORD..2 * WORD].fill(0);
        let start = self.start - self.head;
        let mut places = self.buffers.places.iter();
        while let Some(&place) = places.next() {
            if place & LEFT_OUT != 0 {
                // Its length is next.
                places.next();
                continue;
            }
            let word = &mut bytes[start + place as usize..][..WORD];
            let name = u64::from_le_bytes((&*word).try_into().expect("eight bytes"));
            if name >> 60 == Name::Unreached(0).encode() >> 60 {
                word.copy_from_slice(&Name::Unreached(0).encode().to_le_bytes());
            }
        }
        self.buffers.unreached.push(xxh3_128(&bytes));
    }
}

impl Sink for Encoder<'_> {
    fn layout(&mut self, layout: &Arc<Layout>) {
        let known = self.buffers.layout.take().filter(|(known, _)| Arc::ptr_eq(known, layout));
        let (layout, bytes) = known.unwrap_or_else(|| (Arc::clone(layout), mappings(layout)));
        self.head(Tag::Layout, 0, bytes.len() as u64);
        self.buffers.bytes.extend(&bytes);
        self.buffers.layout = Some((layout, bytes));
    }

    fn unchanged(&mut self, start: u64, pages: u64) {
        self.head(Tag::Unchanged, 0, pages);
        self.buffers.bytes.extend(start.to_le_bytes());
    }

    fn begin(&mut self, piece: &Piece, bytes: &[u8]) {
        let (tag, aligned) = match *piece {
            Piece::Data(_) => (Tag::Data, false),
            Piece::Held => (Tag::Held, false),
            Piece::Stack(_) => (Tag::Stack, false),
            Piece::General => (Tag::General, false),
            Piece::Vector => (Tag::Vector, false),
            Piece::Object(_, object) => (Tag::Object, object.aligned),
            Piece::Unreached(object) => (Tag::Unreached, object.aligned),
            Piece::Arena(_) => (Tag::Arena, false),
        };
        self.head = self.buffers.bytes.len();
        self.piece_is_unreached = matches!(tag, Tag::Unreached);
        self.head(tag, aligned.into(), bytes.len() as u64);
        self.buffers.bytes.extend(piece.start().to_le_bytes());
        self.start = self.buffers.bytes.len();
        self.buffers.bytes.extend_from_slice(bytes);
        self.buffers.places.clear();
    }

    fn name(&mut self, at: usize, name: Name) {
        self.buffers.places.push(at as u32);
        let at = self.start + at;
        self.buffers.bytes[at..at + WORD].copy_from_slice(&name.encode().to_le_bytes());
    }

    fn leave_out(&mut self, range: Range<usize>) {
        self.buffers.places.extend([LEFT_OUT | range.start as u32, range.len() as u32]);
        self.buffers.bytes[self.start..][range].fill(0);
    }

    fn end(&mut self) {
        let places = &self.buffers.places;
        self.buffers.bytes.extend((places.len() as u32).to_le_bytes());
        for place in places {
            self.buffers.bytes.extend(place.to_le_bytes());
        }
        if self.piece_is_unreached {
            self.placeless();
        }
        self.flush();
    }

    fn reached_all(&mut self, all: bool) {
        if !all {
            self.reached = Some(self.digest());
        }
    }
}

/// Addresses and rights of all mappings.
fn mappings(layout: &Layout) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(layout.mappings.len() * 20);
    for mapping in &layout.mappings {
        // The stack begins wherever the kernel has let it grow to.
        let start = if mapping.role() == Role::Stack { 0 } else { mapping.start };
        bytes.extend(start.to_le_bytes());
        bytes.extend(mapping.end.to_le_bytes());
        bytes.extend(mapping.rights);
    }
    bytes
}
