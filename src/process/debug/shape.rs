//! C types as DWARF has them. Qualifiers and type names vanish, but for the name of a structure that
//! has no tag. Types of one name and size are one type, in whatever unit they are described.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use gimli::DwTag;
use gimli::constants as dw;

use super::Info;
use super::index::below;
use super::place::Keyword;
use super::units::{At, Entry, Units, Value};

/// Type names and qualifiers on top of one another, arrays in arrays, pointers to pointers: followed
/// so far, since broken files have circles.
const DEEPEST: usize = 64;

/// A complete type, or one that is only declared.
#[derive(Clone)]
pub struct Type {
    info: Arc<Info>,
    shape: Arc<Shape>,
}

/// What sort of type it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `struct`.
    Struct,
    /// `union`.
    Union,
    /// An array.
    Array,
    /// A pointer.
    Pointer,
    /// A number or a character.
    Base,
    /// `enum`.
    Enum,
    /// A function.
    Function,
    /// None of these, or it cannot be read.
    Unknown,
}

/// A field of a structure or union.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name; a structure or union without a name has fields that belong to the outer one.
    pub name: Option<String>,
    /// Bytes from the start of the structure.
    pub offset: u64,
    /// A bit field: its bits, counted from the start of the structure.
    pub bits: Option<Range<u64>>,
    of: Option<TypeAt>,
}

/// Which type: an entry, and how many dimensions of an array are inside of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct TypeAt {
    pub at: At,
    pub dimension: usize,
}

/// What is kept of a type.
pub(super) struct Shape {
    key: TypeAt,
    kind: Kind,
    /// Tag or name, or the name that a type without a tag is given.
    name: Option<String>,
    by_typedef: bool,
    /// In bytes, of what is not an array.
    size: Option<u64>,
    fields: Vec<Field>,
    /// Elements of an array, where it says how many.
    count: Option<u64>,
    /// What a pointer points at, or an array is made of.
    inner: Option<TypeAt>,
}

impl Type {
    pub(super) fn of(info: &Arc<Info>, at: Option<TypeAt>) -> Option<Self> {
        let shape = info.shape(at?)?;
        Some(Type { info: Arc::clone(info), shape })
    }

    /// What sort of type it is.
    pub fn kind(&self) -> Kind {
        self.shape.kind
    }

    /// Whether it is made of parts.
    pub fn is_aggregate(&self) -> bool {
        !matches!(self.kind(), Kind::Pointer | Kind::Base | Kind::Enum)
    }

    /// In bytes; `None` for what is only declared, for functions, and for arrays of no given length.
    pub fn size(&self) -> Option<u64> {
        let (mut size, mut inner) = (1u64, self.clone());
        for _ in 0..DEEPEST {
            if inner.kind() != Kind::Array {
                return size.checked_mul(inner.shape.size?);
            }
            size = size.checked_mul(inner.shape.count?)?;
            inner = inner.inner()?;
        }
        None
    }

    /// What a pointer points at; `None` for `void` and for what is no pointer.
    pub fn pointee(&self) -> Option<Type> {
        (self.kind() == Kind::Pointer).then(|| self.inner())?
    }

    /// What an array is made of.
    pub fn element(&self) -> Option<Type> {
        (self.kind() == Kind::Array).then(|| self.inner())?
    }

    /// How many elements an array has, where it says so.
    pub fn count(&self) -> Option<u64> {
        self.shape.count
    }

    /// The fields of a structure or union, in order.
    pub fn fields(&self) -> &[Field] {
        &self.shape.fields
    }

    /// The type of one of the fields of this type.
    pub fn of_field(&self, field: &Field) -> Option<Type> {
        Type::of(&self.info, field.of)
    }

    /// As C writes it: `struct node`, `char[64]`, `struct node *`.
    pub fn name(&self) -> String {
        let (mut declared, mut inner) = (String::new(), Some(self.clone()));
        for _ in 0..DEEPEST {
            let Some(of) = inner else { return format!("void {declared}") };
            match of.kind() {
                Kind::Array => {
                    if declared.starts_with('*') {
                        declared = format!("({declared})");
                    }
                    let count = of.count().map_or(String::new(), |count| count.to_string());
                    declared.push_str(&format!("[{count}]"));
                }
                Kind::Pointer => declared.insert(0, '*'),
                _ => {
                    let space = if declared.starts_with(['*', '(']) { " " } else { "" };
                    return format!("{}{space}{declared}", of.own_name());
                }
            }
            inner = of.inner();
        }
        "(unknown)".into()
    }

    fn own_name(&self) -> String {
        let shape = &self.shape;
        let keyword = match self.kind() {
            Kind::Struct => "struct ",
            Kind::Union => "union ",
            Kind::Enum => "enum ",
            Kind::Function => return "function".into(),
            _ => return shape.name.clone().unwrap_or_else(|| "(unknown)".into()),
        };
        match &shape.name {
            Some(name) if shape.by_typedef => name.clone(),
            Some(name) => format!("{keyword}{name}"),
            None => format!("{keyword}(unnamed)"),
        }
    }

    fn inner(&self) -> Option<Type> {
        Type::of(&self.info, self.shape.inner)
    }
}

impl PartialEq for Type {
    fn eq(&self, other: &Self) -> bool {
        let same = Arc::ptr_eq(&self.info, &other.info) && self.shape.key == other.shape.key;
        let named = |of: &Type| of.shape.name.is_some();
        same || named(self)
            && named(other)
            && self.kind() == other.kind()
            && self.shape.name == other.shape.name
            && self.shape.size == other.shape.size
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

impl Shape {
    /// The type at `at`, `None` for `void`.
    pub fn of(info: &Info, at: TypeAt) -> Option<Self> {
        let units = &info.units;
        let (mut at, mut typedef) = (at, None);
        for _ in 0..DEEPEST {
            let (_, entry) = units.entry(at.at)?;
            match entry.tag() {
                dw::DW_TAG_typedef => typedef = units.name(at.at),
                dw::DW_TAG_const_type
                | dw::DW_TAG_volatile_type
                | dw::DW_TAG_restrict_type
                | dw::DW_TAG_atomic_type => {}
                _ => {
                    let whole = complete(info, at.at, &entry).unwrap_or(at.at);
                    return Shape::read(units, TypeAt { at: whole, ..at }, typedef);
                }
            }
            at = TypeAt { at: units.type_of(at.at)?, dimension: 0 };
        }
        None
    }

    fn read(units: &Units, key: TypeAt, typedef: Option<String>) -> Option<Self> {
        let (_, entry) = units.entry(key.at)?;
        let kind = kind(entry.tag());
        let tag = units.name(key.at);
        let by_typedef = tag.is_none() && Keyword::of(entry.tag()).is_some();
        let inner = || Some(TypeAt { at: units.type_of(key.at)?, dimension: 0 });
        let size = number(&entry, dw::DW_AT_byte_size);
        let mut shape = Shape {
            key,
            kind,
            by_typedef,
            name: if by_typedef { typedef } else { tag },
            size,
            fields: Vec::new(),
            count: None,
            inner: None,
        };
        match kind {
            Kind::Struct | Kind::Union => shape.fields = fields(units, key.at),
            Kind::Pointer => {
                shape.size = Some(size.unwrap_or(8));
                shape.inner = inner();
            }
            Kind::Array => {
                let counts = counts(units, key.at);
                shape.count = counts.get(key.dimension).copied().flatten();
                shape.inner = match key.dimension + 1 < counts.len() {
                    true => Some(TypeAt { dimension: key.dimension + 1, ..key }),
                    false => inner(),
                };
            }
            _ => {}
        }
        Some(shape)
    }
}

fn kind(tag: DwTag) -> Kind {
    match tag {
        dw::DW_TAG_structure_type | dw::DW_TAG_class_type => Kind::Struct,
        dw::DW_TAG_union_type => Kind::Union,
        dw::DW_TAG_array_type => Kind::Array,
        dw::DW_TAG_pointer_type | dw::DW_TAG_reference_type | dw::DW_TAG_rvalue_reference_type => {
            Kind::Pointer
        }
        dw::DW_TAG_base_type => Kind::Base,
        dw::DW_TAG_enumeration_type => Kind::Enum,
        dw::DW_TAG_subroutine_type => Kind::Function,
        _ => Kind::Unknown,
    }
}

/// Where the type that `entry` only declares is complete; nowhere if two definitions differ.
fn complete(info: &Info, at: At, entry: &Entry) -> Option<At> {
    let keyword = Keyword::of(entry.tag())?;
    // What stands for a type with a unit of its own need not say that it only declares.
    if let Some(signature) = entry.attr_value(dw::DW_AT_signature) {
        return info.units.target(at.unit, &signature);
    }
    entry.attr_value(dw::DW_AT_declaration)?;
    let definitions = info.index().definitions.get(&(keyword, info.units.name(at)?))?;
    one_of(&info.units, definitions)
}

/// The first of several definitions of one name, if all have one size.
pub(super) fn one_of(units: &Units, definitions: &[At]) -> Option<At> {
    let size = |at: &At| Some(number(&units.entry(*at)?.1, dw::DW_AT_byte_size));
    let first = definitions.first()?;
    let size_of_first = size(first)?;
    definitions.iter().all(|at| size(at) == Some(size_of_first)).then_some(*first)
}

fn number(entry: &Entry, name: gimli::DwAt) -> Option<u64> {
    entry.attr(name)?.udata_value()
}

fn counts(units: &Units, at: At) -> Vec<Option<u64>> {
    let mut counts = Vec::new();
    below(units, at, |_, entry, _| {
        if entry.tag() == dw::DW_TAG_subrange_type {
            // The bound of an array of no elements is -1.
            let bound = || {
                let bound = entry.attr(dw::DW_AT_upper_bound)?;
                bound
                    .sdata_value()
                    .filter(|bound| *bound == -1)
                    .map_or_else(|| bound.udata_value()?.checked_add(1), |_| Some(0))
            };
            counts.push(number(entry, dw::DW_AT_count).or_else(bound));
        }
        false
    });
    counts
}

fn fields(units: &Units, at: At) -> Vec<Field> {
    let mut fields = Vec::new();
    below(units, at, |_, entry, here| {
        if entry.tag() == dw::DW_TAG_member {
            let of = units.type_of(here).map(|at| TypeAt { at, dimension: 0 });
            if let Some((offset, bits)) = position(entry) {
                fields.push(Field { name: units.name(here), offset, bits, of });
            }
        }
        false
    });
    fields
}

/// The offset of a field, and its bits if it is a bit field.
fn position(entry: &Entry) -> Option<(u64, Option<Range<u64>>)> {
    let start = match entry.attr_value(dw::DW_AT_data_member_location) {
        None => 0,
        Some(Value::Exprloc(_)) => return None,
        Some(value) => value.udata_value()?,
    };
    let Some(length) = number(entry, dw::DW_AT_bit_size) else { return Some((start, None)) };
    let first = match number(entry, dw::DW_AT_data_bit_offset) {
        Some(first) => start.checked_mul(8)?.checked_add(first)?,
        // Counted from the other end of the storage unit, before DWARF 4.
        None => {
            let unit = number(entry, dw::DW_AT_byte_size).unwrap_or(4).checked_mul(8)?;
            let behind = number(entry, dw::DW_AT_bit_offset).unwrap_or(0).checked_add(length)?;
            start.checked_mul(8)?.checked_add(unit)?.checked_sub(behind)?
        }
    };
    Some((first / 8, Some(first..first.checked_add(length)?)))
}
