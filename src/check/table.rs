//! Typed reading of the TOML tree: a table with its section's keys, and values with their spans.
//! Whatever is not what it should be becomes an error at its place. This file knows TOML values,
//! not what a model means.

use std::ops::{Range, RangeInclusive};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::key::Section;
use super::source::Source;
use crate::error::Error;
use crate::spelling;

/// A value of the tree, and what errors call it.
#[derive(Clone, Copy)]
pub struct Item<'a> {
    source: &'a Source,
    name: &'a str,
    element: bool,
    value: &'a Spanned<DeValue<'a>>,
}

/// A table of the tree that belongs to a [`Section`].
#[derive(Clone)]
pub struct Table<'a> {
    source: &'a Source,
    section: Section,
    table: &'a DeTable<'a>,
    span: Range<usize>,
}

/// An entry of a table whose keys the model names itself.
pub struct Entry<'a> {
    /// The key.
    pub name: &'a str,
    /// Where the key stands.
    pub span: Range<usize>,
    /// Its value.
    pub value: Item<'a>,
}

impl<'a> Item<'a> {
    /// The value `value`, called `name` in errors.
    pub fn new(source: &'a Source, name: &'a str, value: &'a Spanned<DeValue<'a>>) -> Self {
        Item { source, name, element: false, value }
    }

    /// Where it stands.
    pub fn span(&self) -> Range<usize> {
        self.value.span()
    }

    /// The source it stands in.
    pub fn source(&self) -> &'a Source {
        self.source
    }

    /// An error at its place.
    pub fn error(&self, message: &str) -> Error {
        self.source.error(self.span(), message)
    }

    /// An error at its place that says what it, by its name, is or must be.
    fn says(&self, what: &str) -> Error {
        let element = if self.element { "an element of " } else { "" };
        self.error(&format!("{element}{} {what}", self.name))
    }

    fn is_not(&self, wanted: &str) -> Error {
        self.says(&format!("must be {wanted}, this is {}", article(self.value)))
    }

    /// It as a string.
    pub fn string(&self) -> Result<&'a str, Error> {
        match self.value.get_ref() {
            DeValue::String(text) => Ok(text),
            _ => Err(self.is_not("a string")),
        }
    }

    /// It as a string that a program can be handed: not empty unless `empty`, and without NUL.
    pub fn argument(&self, empty: bool) -> Result<&'a str, Error> {
        let text = self.string()?;
        if text.is_empty() && !empty {
            return Err(self.says("is empty; give it a value"));
        }
        if text.contains('\0') {
            return Err(self.says("holds a NUL, which ends a string in C; remove it"));
        }
        Ok(text)
    }

    /// It as one of the words of `choices`, as the value that stands beside the word.
    pub fn choice<T: Copy>(&self, choices: &[(&str, T)]) -> Result<T, Error> {
        let text = self.string()?;
        if let Some((_, value)) = choices.iter().find(|(word, _)| *word == text) {
            return Ok(*value);
        }
        let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
        let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
        let wanted = quoted.join(" or ");
        let hint = match spelling::nearest(text, words) {
            Some(near) => format!("; did you mean \"{near}\"?"),
            None => String::new(),
        };
        Err(self.says(&format!("must be {wanted}, not {text:?}{hint}")))
    }

    /// It as a truth value.
    pub fn boolean(&self) -> Result<bool, Error> {
        self.value.get_ref().as_bool().ok_or_else(|| self.is_not("true or false"))
    }

    /// It as an integer inside `range`.
    pub fn integer(&self, range: RangeInclusive<i64>) -> Result<i64, Error> {
        let DeValue::Integer(integer) = self.value.get_ref() else {
            return Err(self.is_not("an integer"));
        };
        // What i64 cannot hold lies outside every range, and gets the same message.
        match i64::from_str_radix(integer.as_str(), integer.radix()) {
            Ok(value) if range.contains(&value) => Ok(value),
            _ => {
                let (low, high) = range.into_inner();
                Err(self.says(&format!("must lie between {low} and {high}")))
            }
        }
    }

    /// The elements of it as an array.
    pub fn array(&self) -> Result<impl Iterator<Item = Item<'a>> + use<'a>, Error> {
        let DeValue::Array(array) = self.value.get_ref() else {
            return Err(self.is_not("an array"));
        };
        let (source, name) = (self.source, self.name);
        Ok(array.iter().map(move |value| Item { source, name, element: true, value }))
    }

    /// It as the table of `section`, with no key that the section lacks.
    pub fn table(&self, section: Section) -> Result<Table<'a>, Error> {
        let DeValue::Table(table) = self.value.get_ref() else {
            let message = if self.value.get_ref().is_array() {
                format!("there is one {} only; write it once, with single brackets", section.title)
            } else {
                format!("{} is a table; write {}", section.name, section.title)
            };
            return Err(self.error(&message));
        };
        let found = Table { source: self.source, section, table, span: self.span() };
        if let Some(keys) = section.keys {
            for entry in found.entries() {
                if !keys.contains(&entry.name) {
                    let advice = spelling::advice(entry.name, "its keys", keys);
                    let message =
                        format!("unknown key {:?} in {}; {advice}", entry.name, section.title);
                    return Err(self.source.error(entry.span, &message));
                }
            }
        }
        Ok(found)
    }

    /// It as the tables of a `section` that may come several times.
    pub fn tables(&self, section: Section) -> Result<Vec<Table<'a>>, Error> {
        if !self.value.get_ref().is_array() {
            let message =
                format!("there may be several {}s; write {}", section.name, section.title);
            return Err(self.error(&message));
        }
        self.array()?.map(|item| item.table(section)).collect()
    }
}

impl<'a> Table<'a> {
    /// An error at the table's head.
    pub fn error(&self, message: &str) -> Error {
        self.source.error(self.span.clone(), message)
    }

    /// The value of `key`, if there is one.
    pub fn get(&self, key: &'static str) -> Option<Item<'a>> {
        debug_assert!(self.section.keys.is_some_and(|keys| keys.contains(&key)), "{key}");
        self.table.get(key).map(|value| Item::new(self.source, key, value))
    }

    /// The value of `key`, which must be there; `example` is how it might look.
    pub fn require(&self, key: &'static str, example: &str) -> Result<Item<'a>, Error> {
        self.get(key).ok_or_else(|| {
            self.error(&format!("{} lacks {key}; write {example}", self.section.title))
        })
    }

    /// All entries, in the order of the file.
    pub fn entries(&self) -> Vec<Entry<'a>> {
        let source = self.source;
        let mut entries: Vec<Entry<'a>> = self
            .table
            .iter()
            .map(|(key, value)| {
                let name: &'a str = key.get_ref();
                Entry { name, span: key.span(), value: Item::new(source, name, value) }
            })
            .collect();
        entries.sort_by_key(|entry| entry.span.start);
        entries
    }
}

/// What kind of value `value` is, with its article.
fn article(value: &Spanned<DeValue<'_>>) -> &'static str {
    match value.get_ref() {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a floating-point number",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date or time",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    }
}
