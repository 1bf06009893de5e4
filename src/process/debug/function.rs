//! The variables of one function and of all that is inlined into it: in which block each is declared,
//! and where it is.
//!
//! A variable is in scope where all blocks around it have code. A block of which the code is not known
//! counts as the block around it: what is not known to be out of scope is in scope.

use std::ops::Range;
use std::sync::OnceLock;

use gimli::constants as dw;

use super::Info;
use super::frame::{FRAME_POINTER, Row, STACK_POINTER};
use super::image::Image;
use super::index::below;
use super::location::{self, Spot, Where};
use super::mentions::{Mention, mentions};
use super::shape::TypeAt;
use super::units::{At, Entry, Unit, Units, Value};

/// Where a variable is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// In memory, so many bytes from the canonical frame address.
    Frame(i64),
    /// In memory, so many bytes from what a register holds, which has no known distance from the
    /// canonical frame address.
    Based {
        /// DWARF's number of the register: 6 for `rbp`, 7 for `rsp`.
        register: u16,
        /// Bytes from what it holds.
        offset: i64,
    },
    /// In the register of this number in DWARF.
    Register(u16),
    /// In memory, at a linked address.
    Static(u64),
    /// In pieces, each with its size in bytes, from the first byte on.
    Pieces(Vec<(Location, u64)>),
    /// In memory of its thread.
    ThreadLocal,
    /// In memory that is not known.
    Memory,
    /// Nowhere: optimised out, or it can be computed.
    Nowhere,
}

/// A block with variables: the function itself, a lexical block, or an inlined function.
pub(super) struct Scope {
    /// The block around it.
    parent: Option<usize>,
    /// The addresses of its code, if they are known.
    pub code: Option<Vec<Range<u64>>>,
    /// The function whose source text it is in.
    pub function: String,
}

/// A variable or parameter.
pub(super) struct Variable {
    pub name: String,
    pub of: Option<TypeAt>,
    pub scope: usize,
    pub parameter: bool,
    pub place: Where,
}

/// What places in the frame are counted from.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Base {
    /// The canonical frame address, and so much.
    Frame(i64),
    /// What a register holds, and so much.
    Register(u16, i64),
    Unknown,
}

/// A function that has code.
pub(super) struct Function {
    pub code: Vec<Range<u64>>,
    pub scopes: Vec<Scope>,
    pub variables: Vec<Variable>,
    base: Base,
    rows: Option<Vec<Row>>,
    /// How far the canonical frame address is from the stack pointer in the body, between the prologue
    /// and the epilogues and where no arguments are pushed.
    body: Option<i64>,
    mentions: OnceLock<Option<Vec<Mention>>>,
}

impl Function {
    /// The function of the entry at `at`.
    pub fn of(info: &Info, at: At) -> Option<Self> {
        let units = &info.units;
        let (unit, entry) = units.entry(at)?;
        let code = units.ranges(unit, &entry)?;
        let top = Scope { parent: None, code: Some(code.clone()), function: units.name(at)? };
        let base = match entry.attr_value(dw::DW_AT_frame_base) {
            Some(Value::Exprloc(expression)) => match location::spot(units, unit, expression) {
                Spot::Frame(offset) => Base::Frame(offset),
                Spot::Register(register) => Base::Register(register, 0),
                Spot::Based(register, offset) => Base::Register(register, offset),
                _ => Base::Unknown,
            },
            _ => Base::Unknown,
        };
        let rows: Option<Vec<Vec<Row>>> =
            code.iter().map(|range| info.frames().rows(range)).collect();
        let mut function = Function {
            code,
            scopes: vec![top],
            variables: Vec::new(),
            base,
            rows: rows.map(|rows| rows.concat()),
            body: None,
            mentions: OnceLock::new(),
        };
        if matches!(function.base, Base::Register(STACK_POINTER, _)) {
            function.body = function.find_body(unit);
        }
        function.read(units, at);
        Some(function)
    }

    /// Whether `pc` is in `scope` and in all scopes around it.
    pub fn covers(&self, scope: usize, pc: u64) -> bool {
        let mut scope = Some(scope);
        while let Some(at) = scope {
            let here = &self.scopes[at];
            let in_code = |code: &Vec<Range<u64>>| code.iter().any(|range| range.contains(&pc));
            if !here.code.as_ref().is_none_or(in_code) {
                return false;
            }
            scope = here.parent;
        }
        true
    }

    /// The addresses of the code that may use a variable declared in `scope`.
    pub fn code_of(&self, scope: usize) -> &[Range<u64>] {
        let mut scope = scope;
        loop {
            let here = &self.scopes[scope];
            match (&here.code, here.parent) {
                (Some(code), _) => return code,
                (None, Some(parent)) => scope = parent,
                (None, None) => return &[],
            }
        }
    }

    /// Where `spot` is when `pc` is executed.
    pub fn location(&self, spot: &Spot, pc: u64) -> Location {
        match spot {
            Spot::Frame(offset) => Location::Frame(*offset),
            Spot::FrameBase(offset) => match self.base {
                Base::Frame(base) => Location::Frame(base.wrapping_add(*offset)),
                Base::Register(register, base) => {
                    self.based(register, base.wrapping_add(*offset), pc)
                }
                Base::Unknown => Location::Memory,
            },
            Spot::Based(register, offset) => self.based(*register, *offset, pc),
            Spot::Register(register) => Location::Register(*register),
            Spot::Static(address) => Location::Static(*address),
            Spot::ThreadLocal => Location::ThreadLocal,
            Spot::Pointed | Spot::Memory => Location::Memory,
            Spot::Value => Location::Nowhere,
            Spot::Pieces(pieces) => {
                let piece = |(spot, size): &(Spot, u64)| (self.location(spot, pc), *size);
                Location::Pieces(pieces.iter().map(piece).collect())
            }
        }
    }

    /// How far `spot` is from the canonical frame address in the whole body of the function.
    pub fn offset(&self, spot: &Spot) -> Option<i64> {
        let (register, offset) = match spot {
            Spot::Frame(offset) => return Some(*offset),
            Spot::FrameBase(offset) => match self.base {
                Base::Frame(base) => return Some(base.wrapping_add(*offset)),
                Base::Register(register, base) => (register, base.wrapping_add(*offset)),
                Base::Unknown => return None,
            },
            Spot::Based(register, offset) => (*register, *offset),
            _ => return None,
        };
        let rows = self.rows.as_ref()?;
        if register == STACK_POINTER {
            // Without a frame pointer the frame address is found by the stack pointer everywhere.
            let always = rows.iter().all(|row| row.cfa.is_some_and(|(by, _)| by == register));
            return always.then_some(offset.checked_sub(self.body?)?);
        }
        let by_it = rows.iter().filter_map(|row| row.cfa.filter(|(by, _)| *by == register));
        let mut distances = by_it.map(|(_, distance)| distance);
        let distance = distances.next()?;
        distances.all(|other| other == distance).then_some(offset.checked_sub(distance)?)
    }

    /// Whether this register may hold anything, and is not what the frame is found by.
    pub fn is_general(&self, register: u16) -> bool {
        let finds = |row: &Row| row.cfa.is_none_or(|(by, _)| by == register);
        match register {
            STACK_POINTER => false,
            FRAME_POINTER => self.rows.as_ref().is_some_and(|rows| !rows.iter().any(finds)),
            _ => true,
        }
    }

    /// The lowest place in the frame that holds a register of the caller.
    pub fn saved(&self) -> Option<i64> {
        self.rows.as_ref()?.iter().filter_map(|row| row.saved).min()
    }

    /// What of the frame the code mentions, if that is known.
    pub fn mentions(&self, image: &Image) -> Option<&[Mention]> {
        let find = || mentions(image, &self.code, self.rows.as_ref()?);
        self.mentions.get_or_init(find).as_deref()
    }

    /// Compilers count from the stack pointer of the body, whatever has been pushed at `pc`; the
    /// standard, from that at `pc`. Where the two differ, the place is not known.
    fn based(&self, register: u16, offset: i64, pc: u64) -> Location {
        let row = self.rows.iter().flatten().find(|row| row.code.contains(&pc));
        match row.and_then(|row| row.cfa) {
            Some((by, distance)) if by == register => {
                if register == STACK_POINTER && self.body != Some(distance) {
                    return Location::Memory;
                }
                offset.checked_sub(distance).map_or(Location::Memory, Location::Frame)
            }
            _ => Location::Based { register, offset },
        }
    }

    /// The distance at the end of the prologue, as the line table marks it.
    fn find_body(&self, unit: &Unit) -> Option<i64> {
        let mut lines = unit.line_program.clone()?.rows();
        while let Ok(Some((_, line))) = lines.next_row() {
            let address = line.address();
            if line.prologue_end() && self.code.iter().any(|range| range.contains(&address)) {
                let row = self.rows.as_ref()?.iter().find(|row| row.code.contains(&address))?;
                return row
                    .cfa
                    .filter(|(by, _)| *by == STACK_POINTER)
                    .map(|(_, distance)| distance);
            }
        }
        None
    }

    fn read(&mut self, units: &Units, at: At) {
        // The blocks around the entry that is looked at, with their depth.
        let mut open: Vec<(isize, usize)> = vec![(isize::MIN, 0)];
        below(units, at, |unit, entry, here| {
            while open.last().is_some_and(|(depth, _)| *depth >= entry.depth()) {
                open.pop();
            }
            let parent = open.last().map_or(0, |(_, scope)| *scope);
            match entry.tag() {
                dw::DW_TAG_lexical_block | dw::DW_TAG_inlined_subroutine => {
                    open.push((entry.depth(), self.scopes.len()));
                    let inlined = entry.tag() == dw::DW_TAG_inlined_subroutine;
                    let name = inlined.then(|| units.name(here)).flatten();
                    let function = name.unwrap_or_else(|| self.scopes[parent].function.clone());
                    let code = units.ranges(unit, entry);
                    self.scopes.push(Scope { parent: Some(parent), code, function });
                    true
                }
                dw::DW_TAG_variable | dw::DW_TAG_formal_parameter => {
                    self.variables.push(variable(units, unit, entry, here, parent));
                    false
                }
                _ => false,
            }
        });
    }
}

fn variable(units: &Units, unit: &Unit, entry: &Entry, at: At, scope: usize) -> Variable {
    Variable {
        name: units.name(at).unwrap_or_else(|| "(unnamed)".into()),
        of: units.type_of(at).map(|at| TypeAt { at, dimension: 0 }),
        scope,
        parameter: entry.tag() == dw::DW_TAG_formal_parameter,
        place: Where::of(units, unit, entry),
    }
}
