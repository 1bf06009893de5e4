//! Names by number, so that a name is made once, and what parts of something are called.

use std::collections::HashMap;

use crate::process::debug::{Indices, Type};

/// The number of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameId(pub u32);

/// All names.
#[derive(Debug, Default)]
pub struct Names {
    list: Vec<String>,
    numbers: HashMap<String, NameId>,
    parts: HashMap<(NameId, u64), Named>,
}

/// What a byte is called, and for how many bytes from there on that is its name.
pub type Named = (NameId, u64);

/// Something that has a name and maybe parts.
#[derive(Clone, Debug)]
pub struct Whole {
    /// Its name.
    pub name: NameId,
    /// Its type, if it is known.
    pub of: Option<Type>,
    /// In bytes.
    pub size: u64,
}

impl Names {
    /// The number of `name`.
    pub fn number(&mut self, name: &str) -> NameId {
        if let Some(&known) = self.numbers.get(name) {
            return known;
        }
        let number = NameId(self.list.len() as u32);
        self.list.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }

    /// The name with this number.
    pub fn get(&self, number: NameId) -> &str {
        &self.list[number.0 as usize]
    }

    /// What byte `offset` of `whole` is called: an array of plain things as the array, an element of
    /// another one as any.
    pub fn part(&mut self, whole: &Whole, offset: u64) -> Named {
        let rest = whole.size.saturating_sub(offset).max(1);
        let Some(of) = &whole.of else { return (whole.name, rest) };
        if let Some(&known) = self.parts.get(&(whole.name, offset)) {
            return known;
        }
        let (path, member) = of.part_at(offset, Indices::Any);
        let is_whole = !member.is_bits && !path.ends_with(')');
        let end = if is_whole { member.offset.saturating_add(member.size) } else { 0 };
        let name = format!("{}{}", self.get(whole.name), path.trim_end_matches("[]"));
        let named = (self.number(&name), end.saturating_sub(offset).max(1));
        self.parts.insert((whole.name, offset), named);
        named
    }
}
