//! Parts of a type: from the path that C has for it to its offset, and back.

use super::place::Step;
use super::shape::{Field, Kind, Type};
use crate::spelling::hint;

/// Structures in structures, followed so far: broken files have circles.
const DEEPEST: usize = 64;
/// Structures without a name in one structure.
const MOST: usize = 256;

/// A part of an object.
#[derive(Clone, Debug)]
pub struct Member {
    /// Bytes from the start of the object.
    pub offset: u64,
    /// In bytes; of a bit field, the bytes that hold some of its bits. 0 where the type does not say.
    pub size: u64,
    /// Its type.
    pub of: Option<Type>,
    /// Whether it is a bit field, which shares its bytes with others.
    pub is_bits: bool,
}

/// How elements of arrays are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indices {
    /// With their number: `[3]`.
    Exact,
    /// All alike: `[]`.
    Any,
}

impl Type {
    /// The part at `path`: `field`, `field.sub`, `field[3].x`. The message says what is wrong with it.
    pub fn member(&self, path: &str) -> Result<Member, String> {
        let whole = Member {
            offset: 0,
            size: self.size().unwrap_or(0),
            of: Some(self.clone()),
            is_bits: false,
        };
        Step::parse(path)?.iter().try_fold(whole, |part, step| {
            let of = part.of.as_ref().ok_or_else(|| format!("nothing is known of \"{path}\""))?;
            let inner = match step {
                Step::Field(name) => of.field(name)?,
                Step::Index(index) => of.at_index(*index)?,
                Step::Each | Step::Arrow(_) | Step::Whole => {
                    return Err(format!("\"{step}\" does not name one part of {}", self.name()));
                }
            };
            let offset = part.offset.checked_add(inner.offset);
            Ok(Member { offset: offset.ok_or("a broken offset")?, ..inner })
        })
    }

    /// The field `name` of a structure or union, or of one without a name inside of it.
    pub fn field(&self, name: &str) -> Result<Member, String> {
        let mut names = Vec::new();
        if let Some(found) = self.find_field(name, &mut names) {
            return Ok(found);
        }
        Err(match (self.kind(), names.is_empty()) {
            (Kind::Struct | Kind::Union, false) => {
                format!("{} has no field \"{name}\"{}", self.name(), hint(name, names))
            }
            (Kind::Struct | Kind::Union, true) => {
                format!(
                    "{} is only declared in this program, so its fields are not known",
                    self.name()
                )
            }
            (Kind::Pointer, _) => {
                format!("{} is a pointer; write \"->{name}\" for what it points at", self.name())
            }
            (Kind::Array, _) => {
                format!("{} is an array; write \"[N].{name}\" or \"[].{name}\"", self.name())
            }
            _ => format!("{} has no fields", self.name()),
        })
    }

    /// Element `index` of an array.
    pub fn at_index(&self, index: u64) -> Result<Member, String> {
        let Some(element) = self.element() else {
            return Err(format!("{} is no array", self.name()));
        };
        if self.count().is_some_and(|count| index >= count) {
            return Err(format!("{} has no element {index}; the first is 0", self.name()));
        }
        let size = element.size();
        let offset = size.and_then(|size| size.checked_mul(index));
        let offset =
            offset.ok_or_else(|| format!("the elements of {} have no size", self.name()))?;
        Ok(Member { offset, size: size.unwrap_or(0), of: Some(element), is_bits: false })
    }

    /// What C calls the byte at `offset` inside of an object of this type: `.entries[2].key`, nothing
    /// if the type has no parts. Behind its end, what it is called in an array of such objects.
    pub fn name_of(&self, offset: u64, indices: Indices) -> String {
        self.part_at(offset, indices).0
    }

    /// What C calls the byte at `offset`, and the part that it is in; the part's offset is counted
    /// from the start of the object.
    pub fn part_at(&self, offset: u64, indices: Indices) -> (String, Member) {
        let size = self.size();
        let mut path = String::new();
        let whole =
            Member { offset: 0, size: size.unwrap_or(0), of: Some(self.clone()), is_bits: false };
        let mut part = whole;
        if let Some(size) = size.filter(|size| *size > 0 && offset >= *size && !self.is_open()) {
            path = index(offset / size, indices);
            part.offset = offset - offset % size;
        }
        for _ in 0..DEEPEST {
            let Some(of) = part.of.clone() else { break };
            let inside = offset - part.offset;
            let inner = match of.kind() {
                Kind::Array => of.element_at(inside, indices),
                Kind::Struct | Kind::Union => match of.fields_at(inside) {
                    Some(found) => Some(found),
                    None => {
                        path.push_str(" (padding)");
                        break;
                    }
                },
                _ => None,
            };
            let Some((name, inner)) = inner else { break };
            path.push_str(&name);
            part = Member { offset: part.offset + inner.offset, ..inner };
        }
        (path, part)
    }

    /// Whether it ends in an array of any length.
    fn is_open(&self) -> bool {
        let mut of = Some(self.clone());
        for _ in 0..DEEPEST {
            let Some(here) = of else { return false };
            if here.kind() == Kind::Array {
                return matches!(here.count(), None | Some(0));
            }
            of = here.fields().last().and_then(|field| here.of_field(field));
        }
        false
    }

    fn element_at(&self, offset: u64, indices: Indices) -> Option<(String, Member)> {
        let element = self.element()?;
        let size = element.size().filter(|size| *size > 0)?;
        let number = offset / size;
        let member = Member { offset: number * size, size, of: Some(element), is_bits: false };
        Some((index(number, indices), member))
    }

    /// The field that holds the byte at `offset`, or all bit fields that do.
    fn fields_at(&self, offset: u64) -> Option<(String, Member)> {
        let mut names = String::new();
        let mut found = None;
        for field in self.fields() {
            let member = self.member_of(field);
            let open = member.of.as_ref().is_some_and(Type::is_open);
            let inside = offset.checked_sub(member.offset);
            if !inside.is_some_and(|inside| inside < member.size || open) {
                continue;
            }
            if !names.is_empty() {
                names.push('|');
            }
            if let Some(name) = &field.name {
                names.push('.');
                names.push_str(name);
            }
            let is_bits = member.is_bits;
            found.get_or_insert(member);
            if !is_bits {
                break;
            }
        }
        found.map(|member| (names, member))
    }

    /// Field `name`, with the names of those that were looked at.
    fn find_field(&self, name: &str, names: &mut Vec<String>) -> Option<Member> {
        let mut open = vec![(0u64, self.clone())];
        for _ in 0..MOST {
            let (start, of) = open.pop()?;
            for field in of.fields() {
                let mut member = of.member_of(field);
                member.offset = member.offset.checked_add(start)?;
                match (&field.name, &member.of) {
                    (Some(own), _) if own == name => return Some(member),
                    (Some(own), _) => names.push(own.clone()),
                    (None, Some(inner)) => open.push((member.offset, inner.clone())),
                    (None, None) => {}
                }
            }
        }
        None
    }

    fn member_of(&self, field: &Field) -> Member {
        let of = self.of_field(field);
        match &field.bits {
            Some(bits) => Member {
                offset: bits.start / 8,
                size: bits.end.div_ceil(8) - bits.start / 8,
                of,
                is_bits: true,
            },
            None => Member {
                offset: field.offset,
                size: of.as_ref().and_then(Type::size).unwrap_or(0),
                of,
                is_bits: false,
            },
        }
    }
}

fn index(number: u64, indices: Indices) -> String {
    match indices {
        Indices::Exact => format!("[{number}]"),
        Indices::Any => "[]".into(),
    }
}
