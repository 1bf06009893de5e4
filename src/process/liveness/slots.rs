//! Which bytes of a frame can be told apart: only those of which every access is known. They are
//! followed by slots of four bytes, since the halves of a word often die apart.
//!
//! An object whose address escapes may be accessed anywhere. Where it ends is not in the code, and
//! neither is where it starts, as the address of its end may be all that is taken; so unless the
//! objects of the frame are known, one escape takes all of it. What the function saves for its
//! caller is nobody's object, and is excepted.
//!
//! Where objects are known, an address that is given to a function is in the slot of one of them, or
//! just behind an object. An address that is calculated with may have had a constant of the index
//! folded into it, so it may be of any object that can be indexed.

use std::collections::BTreeSet;
use std::ops::Range;

use super::graph::Graph;
use super::places::Frame;
use super::seen::{Escape, Touch};

/// A variable in a function's frame that the source can take the address of. Those that share bytes
/// at different times are several, each with all of its own. Offsets are from the canonical frame
/// address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// Its bytes.
    pub bytes: Range<i64>,
    /// Its bytes and those behind them that are no other variable's: whatever has no name in the
    /// source and shares its place ends in here.
    pub reach: Range<i64>,
    /// Whether it is a single number or pointer, so that nothing is at an index in it, and nobody
    /// asks for its end.
    pub scalar: bool,
}

/// Bytes of a slot.
pub const SLOT: i32 = 4;
/// Bytes before an object from which a program may count its elements, from 1 on.
const BEFORE: i64 = 16;
/// Where the return address starts.
const RETURN_ADDRESS: i32 = -8;

/// The slots of a frame.
#[derive(Debug)]
pub struct Slots {
    /// Offsets of those that some instruction touches and that can be told apart, ascending.
    touched: Vec<i32>,
    /// Offsets of those that hold registers of the caller.
    saved: BTreeSet<i32>,
    /// What may be accessed from anywhere.
    escaped: Vec<Range<i32>>,
}

/// How a slot is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// By this number.
    Touched(usize),
    /// Nothing touches it.
    Untouched,
    /// It is not: it may be read whenever something is.
    Lost,
}

impl Slots {
    /// The slots of the frame of `graph`.
    pub fn new(graph: &Graph, frame: &Frame, objects: Option<&[Object]>) -> Self {
        let mut saved = BTreeSet::new();
        if !frame.red_zone {
            let rows = graph.nodes.iter().filter_map(|node| node.row.as_ref());
            for offset in rows.flat_map(|row| row.saved).flatten() {
                saved.extend([offset, offset + SLOT]);
            }
        }
        let mut all = BTreeSet::new();
        for touch in frame.touches.iter().flatten() {
            all.extend(slots_of(touch));
        }
        all.extend(&saved);
        let known = (!frame.lost).then(|| escaped(&frame.escapes, objects));
        let everything = i32::MIN..i32::MAX;
        let escaped = known.flatten().unwrap_or_else(|| vec![everything]);
        let mut slots = Slots { touched: Vec::new(), saved, escaped };
        slots.touched = all.into_iter().filter(|&offset| slots.followed(offset)).collect();
        slots
    }

    /// How many are touched.
    pub fn count(&self) -> usize {
        self.touched.len()
    }

    /// How the slot at `offset` is followed.
    pub fn at(&self, offset: i32) -> Slot {
        match self.touched.binary_search(&offset) {
            Ok(number) => Slot::Touched(number),
            Err(_) if self.followed(offset) => Slot::Untouched,
            Err(_) => Slot::Lost,
        }
    }

    /// Where one fate may end and another start.
    pub fn bounds(&self) -> Vec<i32> {
        let slots = self.touched.iter().chain(&self.saved).flat_map(|&at| [at, at + SLOT]);
        let escaped = self.escaped.iter().flat_map(|range| [range.start, range.end]);
        slots.chain(escaped).collect()
    }

    fn followed(&self, offset: i32) -> bool {
        let escaped = self.escaped.iter().any(|range| range.contains(&offset));
        offset < RETURN_ADDRESS && (!escaped || self.saved.contains(&offset))
    }
}

/// The slots that `touch` lies in.
pub fn slots_of(touch: &Touch) -> impl Iterator<Item = i32> + use<> {
    let first = touch.offset.div_euclid(SLOT) * SLOT;
    (first..touch.offset + touch.size).step_by(SLOT as usize)
}

/// What the escapes make accessible; `None` for everything.
fn escaped(escapes: &[Escape], objects: Option<&[Object]>) -> Option<Vec<Range<i32>>> {
    let mut ranges = Vec::new();
    // Behind the return address are objects of the caller.
    for escape in escapes.iter().filter(|escape| escape.offset < 0) {
        let objects = objects?;
        let offset = i64::from(escape.offset);
        if !objects.iter().any(|object| object.reach.contains(&offset)) {
            return None;
        }
        let hit = |object: &&Object| {
            let close = object.bytes.start - BEFORE..=object.bytes.end;
            object.reach.contains(&offset) || close.contains(&offset) || !escape.given
        };
        for object in objects.iter().filter(hit) {
            let start = i32::try_from(object.reach.start).ok()?;
            let end = i32::try_from(object.reach.end).ok()?.checked_add(SLOT - 1)?;
            ranges.push(start.div_euclid(SLOT) * SLOT..end.div_euclid(SLOT) * SLOT);
        }
    }
    Some(ranges)
}
