//! DWARF's location descriptions, as far as they say something simple: one place, or several pieces
//! of which each has one. Everything else is memory that is not known, never no memory.
//!
//! Source: DWARF 5, 2.6.

use std::ops::Range;

use gimli::Operation;
use gimli::constants::{DW_AT_const_value, DW_AT_location};

use super::frame::{FRAME_POINTER, STACK_POINTER};
use super::units::{Bytes, Entry, Unit, Units, Value};

/// Where a variable, or a piece of it, is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Spot {
    /// In memory, at this distance from the function's frame base.
    FrameBase(i64),
    /// In memory, at this distance from the canonical frame address.
    Frame(i64),
    /// In memory, at this distance from what a register holds.
    Based(u16, i64),
    /// In a register.
    Register(u16),
    /// In memory, at an address.
    Static(u64),
    /// In memory of its thread.
    ThreadLocal,
    /// Nowhere: its value can be computed.
    Value,
    /// In memory that is found by pointers, none of them one to the frame.
    Pointed,
    /// In memory that is not known.
    Memory,
    /// In pieces, each with its size in bytes.
    Pieces(Vec<(Spot, u64)>),
}

/// Where a variable is in the course of its function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Where {
    /// Nowhere.
    Absent,
    /// At one place all the time.
    Always(Spot),
    /// At different spots at different addresses of the code, elsewhere nowhere.
    Listed(Vec<(Range<u64>, Spot)>),
}

impl Where {
    /// Where the variable of `entry` is.
    pub fn of(units: &Units, unit: &Unit, entry: &Entry) -> Self {
        match entry.attr_value(DW_AT_location) {
            Some(Value::Exprloc(expression)) => Where::Always(spot(units, unit, expression)),
            // Form and class of blocks were the same before DWARF 4.
            Some(Value::Block(bytes)) => Where::Always(spot(units, unit, gimli::Expression(bytes))),
            Some(list) => listed(units, unit, list).unwrap_or(Where::Always(Spot::Memory)),
            None if entry.attr_value(DW_AT_const_value).is_some() => Where::Always(Spot::Value),
            None => Where::Absent,
        }
    }

    /// Where it is when `pc` is executed.
    pub fn at(&self, pc: u64) -> Option<&Spot> {
        match self {
            Where::Absent => None,
            Where::Always(place) => Some(place),
            Where::Listed(list) => {
                list.iter().find(|(range, _)| range.contains(&pc)).map(|(_, place)| place)
            }
        }
    }

    /// All places where it may be.
    pub fn spots(&self) -> impl Iterator<Item = &Spot> {
        let (one, list) = match self {
            Where::Absent => (None, &[][..]),
            Where::Always(spot) => (Some(spot), &[][..]),
            Where::Listed(list) => (None, &list[..]),
        };
        one.into_iter().chain(list.iter().map(|(_, spot)| spot))
    }
}

fn listed(units: &Units, unit: &Unit, list: Value) -> Option<Where> {
    let mut entries = units.dwarf.attr_locations(unit, list).ok()??;
    let mut spots = Vec::new();
    while let Some(entry) = entries.next().ok()? {
        let place = spot(units, unit, entry.data);
        spots.push((entry.range.begin..entry.range.end, place));
    }
    Some(Where::Listed(spots))
}

/// The place that `expression` describes.
pub(super) fn spot(units: &Units, unit: &Unit, expression: gimli::Expression<Bytes>) -> Spot {
    /// No compiler says anything simple at this length.
    const LONGEST: usize = 64;
    let mut pieces = Vec::new();
    let mut piece = Vec::new();
    let mut operations = expression.operations(unit.encoding());
    for _ in 0..LONGEST {
        match operations.next() {
            Err(_) => return Spot::Memory,
            Ok(None) if pieces.is_empty() => return simple(units, unit, &piece),
            Ok(None) if piece.is_empty() => return Spot::Pieces(pieces),
            Ok(None) => return Spot::Memory,
            Ok(Some(Operation::Piece { size_in_bits, bit_offset })) => {
                if size_in_bits % 8 != 0 || bit_offset.is_some_and(|offset| offset != 0) {
                    return Spot::Memory;
                }
                pieces.push((simple(units, unit, &piece), size_in_bits / 8));
                piece.clear();
            }
            Ok(Some(Operation::Nop | Operation::Uninitialized)) => {}
            Ok(Some(operation)) => piece.push(operation),
        }
    }
    Spot::Memory
}

/// The place of one piece.
fn simple(units: &Units, unit: &Unit, operations: &[Operation<Bytes>]) -> Spot {
    use Operation as Op;
    let plain = |base_type: &gimli::UnitOffset| base_type.0 == 0;
    let signed = |value: u64| value as i64;
    match operations {
        [] => Spot::Value,
        [.., Op::StackValue | Op::ImplicitValue { .. } | Op::ImplicitPointer { .. }] => Spot::Value,
        [.., Op::TLS] => Spot::ThreadLocal,
        [.., Op::Deref { .. }] => Spot::Pointed,
        [Op::Register { register }] => Spot::Register(register.0),
        [Op::FrameOffset { offset }] => Spot::FrameBase(*offset),
        [Op::FrameOffset { offset }, Op::PlusConstant { value }] => {
            Spot::FrameBase(offset.wrapping_add(signed(*value)))
        }
        [Op::RegisterOffset { register, offset, base_type }] if plain(base_type) => {
            Spot::Based(register.0, *offset)
        }
        [Op::CallFrameCFA] => Spot::Frame(0),
        [Op::CallFrameCFA, Op::PlusConstant { value }] => Spot::Frame(signed(*value)),
        [Op::CallFrameCFA, Op::SignedConstant { value }, Op::Plus] => Spot::Frame(*value),
        [Op::Address { address }] => Spot::Static(*address),
        [Op::Address { address }, Op::PlusConstant { value }] => {
            Spot::Static(address.wrapping_add(*value))
        }
        [Op::AddressIndex { index }] => {
            units.dwarf.address(unit, *index).map_or(Spot::Memory, Spot::Static)
        }
        [Op::AddressIndex { index }, Op::PlusConstant { value }] => {
            let address = units.dwarf.address(unit, *index);
            address.map_or(Spot::Memory, |address| Spot::Static(address.wrapping_add(*value)))
        }
        _ if operations.iter().any(counts_from_frame) => Spot::Memory,
        _ => Spot::Pointed,
    }
}

/// Whether what comes out may be a place in the frame.
fn counts_from_frame(operation: &Operation<Bytes>) -> bool {
    match operation {
        Operation::RegisterOffset { register, .. } => {
            [FRAME_POINTER, STACK_POINTER].contains(&register.0)
        }
        Operation::FrameOffset { .. } | Operation::CallFrameCFA | Operation::Call { .. } => true,
        _ => false,
    }
}
