//! The canonical form for people: every word with its place and its value, and the first place where
//! two forms differ.

use std::ops::Range;
use std::sync::Arc;

use super::Input;
use super::boot::Boot;
use super::objects::Objects;
use super::place::{Name, Piece, Place};
use super::walk::{Numbers, Sink, Walk};
use super::words::WORD;
use crate::process::arena::Object;
use crate::process::layout::{Layout, Role};

/// What the form holds at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// So many bytes, at most eight, as they are; the first one is the lowest.
    Bits(u64, u8),
    /// An address of the arena.
    Name(Name),
    /// So many bytes that are left out.
    LeftOut(u64),
    /// So many pages that are as at the boot.
    Unchanged(u64),
    /// The place is the start of a stretch of so many bytes, for which an alignment was asked or not.
    Length(u64, bool),
    /// A mapping of so many bytes with these rights.
    Mapping(u64, [u8; 4]),
}

/// An object as it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The object.
    pub object: Object,
    /// Where the first word is that leads to it.
    pub from: Place,
}

/// The first place where two forms differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The place, in the first form; in the second it has the same name but where objects that
    /// nothing leads to are concerned.
    pub place: Place,
    /// What it holds there in the first form,
    pub first: Option<Value>,
    /// and in the second; `None` where there is no such place.
    pub second: Option<Value>,
}

/// Call `tell` with every place of the form in its order and what it holds. Returns the objects by
/// their numbers: a path to each can be put together from where it was found.
pub fn describe<H: Objects>(
    input: &Input<'_, H>,
    tell: &mut dyn FnMut(&Place, Value),
) -> Vec<Seen> {
    let (bytes, seen) = (Vec::new(), Vec::new());
    let sink = Teller { tell, piece: Piece::Held, bytes, at: 0, seen };
    Walk::run(input, sink, &mut Numbers::default()).sink.seen
}

/// The first place where the forms differ of two nodes that did the same with their objects elsewhere;
/// `None` if the forms say the same. Objects that nothing leads to are compared as a set, without
/// their addresses, and the arena as it lies there is not compared.
pub fn first_difference<H: Objects>(a: &Input<'_, H>, b: &Input<'_, H>) -> Option<Difference> {
    let (a, b) = (Listed::of(a), Listed::of(b));
    differing(&a.reached, &b.reached).or_else(|| {
        let count = a.unreached.len().max(b.unreached.len());
        let pairs = (0..count).map(|at| (a.unreached.get(at), b.unreached.get(at)));
        let words = |alone: Option<&Alone>| alone.map_or(Vec::new(), |alone| alone.words.clone());
        pairs.into_iter().find_map(|(a, b)| {
            let mut difference = differing(&words(a), &words(b))?;
            if let (Place::Unreached(start, _), Some(alone)) = (&mut difference.place, a.or(b)) {
                *start = alone.start;
            }
            Some(difference)
        })
    })
}

fn differing(a: &[(Place, Value)], b: &[(Place, Value)]) -> Option<Difference> {
    let at = (0..a.len().max(b.len())).find(|&at| a.get(at) != b.get(at))?;
    let place = a.get(at).or(b.get(at))?.0;
    let value = |list: &[(Place, Value)]| {
        list.get(at).filter(|(other, _)| *other == place).map(|(_, value)| *value)
    };
    Some(Difference { place, first: value(a), second: value(b) })
}

/// A form as a list.
#[derive(Default)]
struct Listed {
    reached: Vec<(Place, Value)>,
    unreached: Vec<Alone>,
}

/// An object that nothing leads to.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Alone {
    /// Its words, without addresses of its like.
    words: Vec<(Place, Value)>,
    start: u64,
}

impl Listed {
    fn of<H: Objects>(input: &Input<'_, H>) -> Self {
        let mut listed = Listed::default();
        // Every page is looked into, so that the place is that of a word.
        let input = Input { boot: &Boot::default(), ..*input };
        describe(&input, &mut |place, value| match *place {
            Place::Arena(_) => {}
            Place::Unreached(start, offset) => {
                let value = match value {
                    Value::Name(Name::Unreached(_)) => Value::Name(Name::Unreached(0)),
                    value => value,
                };
                if matches!(value, Value::Length(..)) {
                    listed.unreached.push(Alone { words: Vec::new(), start });
                }
                if let Some(alone) = listed.unreached.last_mut() {
                    alone.words.push((Place::Unreached(0, offset), value));
                }
            }
            place => listed.reached.push((place, value)),
        });
        listed.unreached.sort_unstable();
        listed
    }
}

/// Tells the form word by word.
struct Teller<'f> {
    tell: &'f mut dyn FnMut(&Place, Value),
    piece: Piece,
    /// Its bytes,
    bytes: Vec<u8>,
    /// and how many of them were told.
    at: usize,
    seen: Vec<Seen>,
}

impl Teller<'_> {
    fn say(&mut self, value: Value, length: usize) {
        (self.tell)(&self.piece.place(self.at), value);
        self.at += length;
    }

    /// The bytes up to `end`, as far as they were not told, cut where aligned words start.
    fn bits(&mut self, end: usize) {
        while self.at < end {
            let place = self.at + self.piece.start() as usize % WORD;
            let length = (WORD - place % WORD).min(end - self.at);
            let mut bits = [0; WORD];
            bits[..length].copy_from_slice(&self.bytes[self.at..self.at + length]);
            self.say(Value::Bits(u64::from_le_bytes(bits), length as u8), length);
        }
    }
}

impl Sink for Teller<'_> {
    fn layout(&mut self, layout: &Arc<Layout>) {
        for mapping in &layout.mappings {
            let start = if mapping.role() == Role::Stack { 0 } else { mapping.start };
            let length = mapping.end - start;
            (self.tell)(&Place::Mapping(start), Value::Mapping(length, mapping.rights));
        }
    }

    fn unchanged(&mut self, start: u64, pages: u64) {
        (self.tell)(&Place::Static(start), Value::Unchanged(pages));
    }

    fn begin(&mut self, piece: &Piece, bytes: &[u8]) {
        self.piece = *piece;
        self.bytes.clear();
        self.bytes.extend(bytes);
        self.at = 0;
        let aligned =
            matches!(piece, Piece::Object(_, object) | Piece::Unreached(object) if object.aligned);
        self.say(Value::Length(bytes.len() as u64, aligned), 0);
    }

    fn name(&mut self, at: usize, name: Name) {
        self.bits(at);
        self.say(Value::Name(name), WORD);
    }

    fn leave_out(&mut self, range: Range<usize>) {
        self.bits(range.start);
        self.say(Value::LeftOut(range.len() as u64), range.len());
    }

    fn found(&mut self, at: usize, object: &Object) {
        self.seen.push(Seen { object: *object, from: self.piece.place(at) });
    }

    fn end(&mut self) {
        self.bits(self.bytes.len());
    }
}
