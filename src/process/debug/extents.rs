//! What a frame is made of: which of its bytes are dead because the variable that they belong to is out
//! of scope, and how far an object reaches whose address is known to others.
//!
//! *Dead.* C ends the life of a variable at the end of its block, and an inlined function is a block.
//! So the bytes of an array that is out of scope, and that no variable in scope has, may hold anything.
//! But compilers let objects share bytes, and two kinds of object have no name in DWARF: compound
//! literals and temporaries of the compiler. They show by the code that uses them. If an instruction
//! outside of the code of every variable that has the bytes mentions them, they are not dead. The scope
//! of a call is what the compiler says; where it has merged two calls into one, it says one of two. So
//! who clears dead bytes has to see that nothing live points into them.
//!
//! *Slots.* Compilers give an object a slot of its own, or let objects with disjoint lives share one,
//! all from its first byte on. So an address that is taken in a slot, whatever object it is of, reaches
//! no further than to the first byte of the next variable that has a fixed place.

use std::ops::Range;
use std::sync::Arc;

use super::Info;
use super::function::{Function, Location, Variable};
use super::image::Image;
use super::location::{Spot, Where};
use super::mentions::Mention;
use super::shape::Type;

/// Nothing of a function's own is above its return address.
const RETURN_ADDRESS: i64 = -8;

/// Bytes of a variable that is out of scope; offsets from the canonical frame address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dead {
    /// The bytes.
    pub bytes: Range<i64>,
    /// The variable.
    pub name: String,
    /// The function whose variable it is.
    pub function: String,
}

/// A variable in the frame, at one of its places; offsets from the canonical frame address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Its bytes.
    pub bytes: Range<i64>,
    /// From its first byte to that of the next fixed variable above, or to the saved registers. Any
    /// object without a name that shares its slot ends in here.
    pub slot: Range<i64>,
    /// Whether it is a number or a pointer, not made of parts.
    pub scalar: bool,
    /// Whether it is here as long as it lives. If not, it may be in the middle of another variable
    /// that holds the same value.
    pub fixed: bool,
    /// The variable.
    pub name: String,
}

/// The dead bytes of `function` when `pc` is executed.
pub(super) fn dead(info: &Arc<Info>, function: &Function, pc: u64) -> Vec<Dead> {
    let live = live(info, function, pc);
    let (Some(live), Some(mentions)) = (live, function.mentions(&info.image)) else {
        return Vec::new();
    };
    let fixed = fixed(info, function);
    // A mention that is of no variable that may be used where it is.
    let of_none = |mention: &&Mention| {
        let is_of = |(variable, bytes): &(&Variable, Range<i64>)| {
            let code = function.code_of(variable.scope);
            meet(bytes, &mention.bytes) && code.iter().any(|code| code.contains(&mention.at))
        };
        !fixed.iter().any(is_of)
    };
    let unnamed: Vec<&Mention> = mentions.iter().filter(of_none).collect();
    let mut found = Vec::new();
    for (variable, bytes) in &fixed {
        let aggregate = Type::of(info, variable.of).is_some_and(|of| of.is_aggregate());
        let above = fixed.iter().map(|(_, other)| other.start).filter(|start| *start > bytes.start);
        let slot = bytes.start..above.min().unwrap_or(bytes.end).max(bytes.end);
        if !aggregate
            || bytes.end > RETURN_ADDRESS
            || function.covers(variable.scope, pc)
            || unnamed.iter().any(|mention| meet(&slot, &mention.bytes))
        {
            continue;
        }
        found.extend(without(bytes.clone(), &live).into_iter().map(|bytes| Dead {
            bytes,
            name: variable.name.clone(),
            function: function.scopes[variable.scope].function.clone(),
        }));
    }
    found
}

/// The variables that are at one known place of the frame, with their bytes.
fn fixed<'a>(info: &Arc<Info>, function: &'a Function) -> Vec<(&'a Variable, Range<i64>)> {
    let bytes = |variable: &Variable| {
        let Where::Always(spot) = &variable.place else { return None };
        let size = Type::of(info, variable.of)?.size()?;
        span(function.offset(spot)?, size)
    };
    let with_bytes = function.variables.iter().map(|variable| Some((variable, bytes(variable)?)));
    with_bytes.flatten().collect()
}

fn meet(a: &Range<i64>, b: &Range<i64>) -> bool {
    a.start < b.end && b.start < a.end
}

/// The bytes of the frame that variables in scope have; `None` if those of some are not known.
fn live(info: &Arc<Info>, function: &Function, pc: u64) -> Option<Vec<Range<i64>>> {
    let mut live = Vec::new();
    for variable in &function.variables {
        let Some(spot) = variable.place.at(pc) else { continue };
        if !function.covers(variable.scope, pc) {
            continue;
        }
        let size = Type::of(info, variable.of).and_then(|of| of.size());
        let fixed = matches!(variable.place, Where::Always(_));
        // What a debugger can find by another pointer has no place of its own there.
        if !fixed && is_elsewhere(function, spot) {
            continue;
        }
        let offset = if fixed { function.offset(spot) } else { None };
        let location = offset.map_or_else(|| function.location(spot, pc), Location::Frame);
        add_bytes(&location, size, &mut live)?;
    }
    Some(live)
}

fn add_bytes(location: &Location, size: Option<u64>, live: &mut Vec<Range<i64>>) -> Option<()> {
    match location {
        Location::Frame(from) => live.push(span(*from, size?)?),
        Location::Based { .. } | Location::Memory => return None,
        Location::Pieces(pieces) => {
            for (location, size) in pieces {
                add_bytes(location, Some(*size), live)?;
            }
        }
        Location::Register(_) | Location::Static(_) | Location::ThreadLocal | Location::Nowhere => {
        }
    }
    Some(())
}

/// The variables of `function` that are in the frame, by place.
pub(super) fn extents(info: &Arc<Info>, function: &Function) -> Option<Vec<Extent>> {
    if function.code.iter().any(|code| moves_stack(&info.image, code)) {
        return None;
    }
    let mut found = Vec::new();
    for variable in &function.variables {
        let of = Type::of(info, variable.of);
        let size = of.as_ref().and_then(Type::size);
        let scalar = of.is_some_and(|of| !of.is_aggregate());
        let fixed = matches!(variable.place, Where::Always(_));
        let mut places = Vec::new();
        for spot in variable.place.spots() {
            add_places(function, spot, size, fixed, &mut places)?;
        }
        places.sort_by_key(|bytes| (bytes.start, bytes.end));
        places.dedup();
        found.extend(places.into_iter().map(|bytes| Extent {
            slot: bytes.clone(),
            bytes,
            scalar,
            fixed,
            name: variable.name.clone(),
        }));
    }
    found.sort_by_key(|extent| (extent.bytes.start, extent.bytes.end));
    let fixed = found.iter().filter(|extent| extent.fixed);
    let starts: Vec<i64> = fixed.map(|extent| extent.bytes.start).collect();
    let top = function.saved().unwrap_or(RETURN_ADDRESS).min(RETURN_ADDRESS);
    for extent in &mut found {
        let above = starts.partition_point(|start| *start <= extent.bytes.start);
        let next = starts.get(above).copied();
        // The arguments of the caller are above its own, and so are its variables.
        let top = Some(top).filter(|top| extent.bytes.start < *top);
        let end = next.into_iter().chain(top).min();
        extent.slot.end = end.unwrap_or(extent.bytes.end).max(extent.bytes.end);
    }
    Some(found)
}

/// The places in the frame that `spot` stands for; `None` if one is not known.
fn add_places(
    function: &Function,
    spot: &Spot,
    size: Option<u64>,
    fixed: bool,
    places: &mut Vec<Range<i64>>,
) -> Option<()> {
    match spot {
        spot if !fixed && is_elsewhere(function, spot) => {}
        Spot::FrameBase(_) | Spot::Frame(_) | Spot::Based(..) => {
            places.push(span(function.offset(spot)?, size?)?);
        }
        Spot::Pieces(pieces) => {
            for (spot, size) in pieces {
                add_places(function, spot, Some(*size), fixed, places)?;
            }
        }
        Spot::Pointed | Spot::Memory => return None,
        Spot::Register(_) | Spot::Static(_) | Spot::ThreadLocal | Spot::Value => {}
    }
    Some(())
}

/// Whether `spot` is what a pointer points at, one that is no part of how the frame is found.
fn is_elsewhere(function: &Function, spot: &Spot) -> bool {
    match spot {
        Spot::Pointed => true,
        Spot::Based(register, _) => function.is_general(*register),
        _ => false,
    }
}

fn span(from: i64, size: u64) -> Option<Range<i64>> {
    Some(from..from.checked_add(i64::try_from(size).ok()?)?)
}

/// What of `bytes` is in none of `taken`.
fn without(bytes: Range<i64>, taken: &[Range<i64>]) -> Vec<Range<i64>> {
    let mut left = vec![bytes];
    for other in taken {
        left = left
            .into_iter()
            .flat_map(|part| {
                let before = part.start..part.end.min(other.start);
                let behind = part.start.max(other.end)..part.end;
                match meet(&part, other) {
                    true => vec![before, behind],
                    false => vec![part],
                }
            })
            .filter(|part| part.start < part.end)
            .collect();
    }
    left
}

/// Whether some instruction in `code` may set the stack pointer by a register, as `alloca` and arrays
/// of variable length do. Every byte is tried as the start of one, so that the answer may be a false
/// yes, and no is certain for what compilers write. Code that cannot be read counts as yes.
fn moves_stack(image: &Image, code: &Range<u64>) -> bool {
    const STACK: u8 = 4;
    const FRAME: u8 = 5;
    let Some(code) = image.code(code) else { return true };
    code.windows(3).any(|window| {
        let &[prefix, operation, operands] = window else { return false };
        let (register, other) = (operands >> 3 & 7, operands & 7);
        // A 64-bit operation on two registers; the prefix has the high bit of both.
        let wide = prefix & 0xf8 == 0x48 && operands >> 6 == 3;
        let to_stack = match operation {
            // sub, mov, and: to the second operand.
            0x29 | 0x89 | 0x21 => other == STACK && prefix & 1 == 0,
            0x2b | 0x8b | 0x23 => register == STACK && prefix & 4 == 0,
            _ => false,
        };
        let from_frame = match operation {
            0x89 => register == FRAME && prefix & 4 == 0,
            0x8b => other == FRAME && prefix & 1 == 0,
            _ => false,
        };
        wide && to_stack && !from_frame
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_cut_out() {
        let whole = -40..-8;
        let cut = |taken: &[Range<i64>]| without(whole.clone(), taken);
        assert_eq!(cut(&[]), std::slice::from_ref(&whole));
        assert_eq!(cut(&[-48..-32, -20..-16]), [-32..-20, -16..-8]);
        assert_eq!(cut(std::slice::from_ref(&whole)), []);
        assert_eq!(cut(&[-8..0, -60..-40]), std::slice::from_ref(&whole));
    }
}
