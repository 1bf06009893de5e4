//! The units of DWARF and their entries: what refers to what. Units are parsed when something in them
//! is asked for, and then kept.

use std::collections::HashMap;
use std::convert::Infallible;
use std::ops::Range;
use std::sync::OnceLock;

use gimli::constants::{
    DW_AT_abstract_origin, DW_AT_high_pc, DW_AT_low_pc, DW_AT_name, DW_AT_ranges,
    DW_AT_specification, DW_AT_type, DwAt,
};
use gimli::{AttributeValue, LittleEndian, Reader as _, UnitOffset, UnitType};

use super::image::Image;

/// Bytes of the file.
pub(super) type Bytes = gimli::EndianArcSlice<LittleEndian>;
/// A parsed unit.
pub(super) type Unit = gimli::Unit<Bytes>;
/// A parsed debugging information entry.
pub(super) type Entry = gimli::DebuggingInformationEntry<Bytes>;
/// The value of an attribute.
pub(super) type Value = AttributeValue<Bytes>;

/// Links followed from one entry to the one that says more about the same thing.
const LINKS: usize = 16;

/// Where an entry is: unit, and offset in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct At {
    pub unit: usize,
    pub offset: usize,
}

struct Slot {
    header: gimli::UnitHeader<Bytes>,
    unit: OnceLock<Option<Unit>>,
}

/// All units of a file.
pub(super) struct Units {
    pub dwarf: gimli::Dwarf<Bytes>,
    slots: Vec<Slot>,
    /// How many of the slots are of `.debug_info`, where they are in order.
    ordered: usize,
    signatures: HashMap<u64, At>,
}

impl Units {
    /// The units of `image`.
    pub fn of(image: &Image) -> Self {
        let section = |id: gimli::SectionId| -> Result<Bytes, Infallible> {
            let empty = || Bytes::new([].into(), LittleEndian);
            Ok(image.section(id.name()).map_or_else(empty, |(_, bytes)| bytes))
        };
        let Ok(dwarf) = gimli::Dwarf::load(section);
        let mut units = Units { slots: Vec::new(), ordered: 0, signatures: HashMap::new(), dwarf };
        let mut headers = units.dwarf.units();
        while let Ok(Some(header)) = headers.next() {
            units.add(header);
        }
        units.ordered = units.slots.len();
        let mut headers = units.dwarf.type_units();
        while let Ok(Some(header)) = headers.next() {
            units.add(header);
        }
        units
    }

    fn add(&mut self, header: gimli::UnitHeader<Bytes>) {
        if let UnitType::Type { type_signature, type_offset } = header.type_() {
            let at = At { unit: self.slots.len(), offset: type_offset.0 };
            self.signatures.insert(type_signature.0, at);
        }
        self.slots.push(Slot { header, unit: OnceLock::new() });
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.slots.len()
    }

    /// Unit `number`, unless it is broken.
    pub fn unit(&self, number: usize) -> Option<&Unit> {
        let slot = self.slots.get(number)?;
        slot.unit.get_or_init(|| self.dwarf.unit(slot.header.clone()).ok()).as_ref()
    }

    /// The entry at `at`.
    pub fn entry(&self, at: At) -> Option<(&Unit, Entry)> {
        let unit = self.unit(at.unit)?;
        Some((unit, unit.entry(UnitOffset(at.offset)).ok()?))
    }

    /// The entry that `value`, found in unit `unit`, refers to.
    pub fn target(&self, unit: usize, value: &Value) -> Option<At> {
        match value {
            AttributeValue::UnitRef(offset) => Some(At { unit, offset: offset.0 }),
            AttributeValue::DebugInfoRef(offset) => {
                let start = |slot: &Slot| slot.header.offset().0;
                let slots = &self.slots[..self.ordered];
                let unit = slots.partition_point(|slot| start(slot) <= offset.0).checked_sub(1)?;
                Some(At { unit, offset: offset.0 - start(&slots[unit]) })
            }
            AttributeValue::DebugTypesRef(signature) => self.signatures.get(&signature.0).copied(),
            _ => None,
        }
    }

    /// Attribute `name` of the entry at `at`, or of the one that it is an instance of or completes,
    /// with the unit that the value was found in.
    pub fn inherited(&self, at: At, name: DwAt) -> Option<(usize, Value)> {
        let mut at = at;
        for _ in 0..LINKS {
            let (_, entry) = self.entry(at)?;
            if let Some(value) = entry.attr_value(name) {
                return Some((at.unit, value));
            }
            at = self.origin(at.unit, &entry)?;
        }
        None
    }

    /// The entry that `entry` is an instance of, or completes.
    pub fn origin(&self, unit: usize, entry: &Entry) -> Option<At> {
        let link = entry
            .attr_value(DW_AT_abstract_origin)
            .or_else(|| entry.attr_value(DW_AT_specification))?;
        self.target(unit, &link)
    }

    /// What the entry at `at` is called.
    pub fn name(&self, at: At) -> Option<String> {
        let (unit, value) = self.inherited(at, DW_AT_name)?;
        self.text(unit, value)
    }

    /// The type of the entry at `at`, `None` for void.
    pub fn type_of(&self, at: At) -> Option<At> {
        let (unit, value) = self.inherited(at, DW_AT_type)?;
        self.target(unit, &value)
    }

    /// A string of unit `unit`.
    pub fn text(&self, unit: usize, value: Value) -> Option<String> {
        let text = self.dwarf.attr_string(self.unit(unit)?, value).ok()?;
        text.to_string_lossy().ok().map(|text| text.into_owned())
    }

    /// The addresses of the code of `entry`, without empty ranges; `None` where there are none, or not
    /// all can be read. What the linker threw away starts at 0.
    pub fn ranges(&self, unit: &Unit, entry: &Entry) -> Option<Vec<Range<u64>>> {
        let mut ranges = Vec::new();
        if let Some(list) = entry.attr_value(DW_AT_ranges) {
            let mut list = self.dwarf.attr_ranges(unit, list).ok()??;
            while let Some(range) = list.next().ok()? {
                ranges.push(range.begin..range.end);
            }
        } else {
            let address = |name| self.dwarf.attr_address(unit, entry.attr_value(name)?).ok()?;
            let low = address(DW_AT_low_pc)?;
            let high = match entry.attr_value(DW_AT_high_pc)? {
                AttributeValue::Udata(size) => low.checked_add(size)?,
                _ => address(DW_AT_high_pc)?,
            };
            ranges.push(low..high);
        }
        ranges.retain(|range| range.start != 0 && range.start < range.end);
        (!ranges.is_empty()).then_some(ranges)
    }
}
