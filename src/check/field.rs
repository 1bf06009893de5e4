//! Named fields of a node's content: how the model file says where one is, and how it is read. A
//! field of a `report` or `region` node is at an offset; one of a `raw` node is at a symbol, and its
//! bytes follow the digest in the content. What a content lacks is said, never read as zero.

use std::fmt;
use std::ops::Range;

use super::table::Entry;
use crate::error::Error;
use crate::limits;
use crate::process::config::{MemoryRead, StateKind};
use crate::spelling;

/// Bytes of the digest in front of the fields of a `raw` node.
pub const DIGEST: u64 = 16;
/// The most bytes of one `bytes[n]` field.
pub const BYTES: u64 = 65536;
/// The words for integer forms.
const INTEGERS: [(&str, Form); 14] = [
    ("u8", Form::Integer { width: 1, signed: false, big: false }),
    ("i8", Form::Integer { width: 1, signed: true, big: false }),
    ("u16le", Form::Integer { width: 2, signed: false, big: false }),
    ("u16be", Form::Integer { width: 2, signed: false, big: true }),
    ("i16le", Form::Integer { width: 2, signed: true, big: false }),
    ("i16be", Form::Integer { width: 2, signed: true, big: true }),
    ("u32le", Form::Integer { width: 4, signed: false, big: false }),
    ("u32be", Form::Integer { width: 4, signed: false, big: true }),
    ("i32le", Form::Integer { width: 4, signed: true, big: false }),
    ("i32be", Form::Integer { width: 4, signed: true, big: true }),
    ("u64le", Form::Integer { width: 8, signed: false, big: false }),
    ("u64be", Form::Integer { width: 8, signed: false, big: true }),
    ("i64le", Form::Integer { width: 8, signed: true, big: false }),
    ("i64be", Form::Integer { width: 8, signed: true, big: true }),
];

/// How the bytes of a field are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A two's complement or unsigned integer.
    Integer {
        /// Bytes: 1, 2, 4 or 8.
        width: u8,
        /// Whether it may be negative.
        signed: bool,
        /// Whether the most significant byte comes first.
        big: bool,
    },
    /// A byte string of this length.
    Bytes(u64),
}

/// A field of one node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// How its bytes are read.
    pub form: Form,
    /// Where it starts in the content.
    pub offset: u64,
    /// The memory that it stands for; `None` for a field of a report.
    pub memory: Option<MemoryRead>,
    /// Where the model file declares it, in bytes of the file.
    pub span: Range<usize>,
}

/// The fields of one node, in the order of the model file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields {
    /// The fields.
    pub list: Vec<Field>,
}

/// What a field holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// An integer.
    Integer(i128),
    /// A byte string.
    Bytes(Vec<u8>),
    /// Nothing: the content ends before the field does.
    Absent,
}

impl Form {
    /// How many bytes it takes.
    pub fn length(self) -> u64 {
        match self {
            Form::Integer { width, .. } => u64::from(width),
            Form::Bytes(length) => length,
        }
    }

    /// The integer that `bytes`, as long as the form, hold; `None` for a byte string.
    pub fn integer(self, bytes: &[u8]) -> Option<i128> {
        let Form::Integer { width, signed, big } = self else { return None };
        let fold = |value: u64, byte: &u8| value << 8 | u64::from(*byte);
        let value = if big { bytes.iter().fold(0, fold) } else { bytes.iter().rev().fold(0, fold) };
        // Shifted to the top and back, the sign bit spreads.
        let unused = 64 - 8 * u32::from(width);
        Some(if signed {
            i128::from((value << unused) as i64 >> unused)
        } else {
            i128::from(value)
        })
    }

    /// Read `u8`, `u16le`, `bytes[4]` …; an error says what is wrong.
    fn parse(word: &str) -> Result<Form, String> {
        if let Some((_, form)) = INTEGERS.iter().find(|(name, _)| *name == word) {
            return Ok(*form);
        }
        if let Some(length) = word.strip_prefix("bytes[").and_then(|rest| rest.strip_suffix(']')) {
            return match number(length) {
                Some(length) if (1..=BYTES).contains(&length) => Ok(Form::Bytes(length)),
                _ => Err(format!("bytes[n] needs an n between 1 and {BYTES}")),
            };
        }
        if ["u16", "u32", "u64", "i16", "i32", "i64"].contains(&word) {
            return Err(format!("{word} lacks its byte order; write {word}le or {word}be"));
        }
        let words = INTEGERS.iter().map(|(name, _)| *name).chain(["bytes[n]"]);
        Err(match spelling::nearest(word, words) {
            Some(near) => format!("unknown field type {word:?}; did you mean \"{near}\"?"),
            None => format!("unknown field type {word:?}; write u8, i8, u16le … i64be or bytes[n]"),
        })
    }
}

impl Field {
    /// The bytes of the field in `content`, unless it ends before them.
    pub fn bytes<'c>(&self, content: &'c [u8]) -> Option<&'c [u8]> {
        let start = usize::try_from(self.offset).ok()?;
        let length = usize::try_from(self.form.length()).ok()?;
        content.get(start..start.checked_add(length)?)
    }

    /// What the field holds in `content`.
    pub fn read(&self, content: &[u8]) -> Value {
        match self.bytes(content) {
            None => Value::Absent,
            Some(bytes) => match self.form.integer(bytes) {
                Some(value) => Value::Integer(value),
                None => Value::Bytes(bytes.to_vec()),
            },
        }
    }

    /// Read the declaration `entry` for a node of kind `state`; `raw` is where the content of a
    /// `raw` node ends so far.
    fn parse(entry: &Entry<'_>, state: &StateKind, raw: u64) -> Result<Field, Error> {
        let name = entry.name;
        let fail = |message: String| entry.value.error(&format!("field \"{name}\": {message}"));
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if !name.chars().all(word) || !name.starts_with(|c: char| !c.is_ascii_digit()) {
            let message = format!(
                "field {name:?} cannot be named in an expression; use letters, digits and _, no \
                 digit first"
            );
            return Err(entry.value.source().error(entry.span.clone(), &message));
        }
        let text = entry.value.string()?;
        let Some((form, place)) = text.split_once('@') else {
            return Err(fail("a field is written \"TYPE@PLACE\", such as \"u8@0\"".into()));
        };
        let form = Form::parse(form).map_err(&fail)?;
        let length = form.length();
        let offset = |text: &str| {
            number(text).filter(|offset| *offset <= u64::from(u32::MAX)).ok_or_else(|| {
                fail(format!(
                    "{text:?} is no offset; write a number below 4294967296, such as 4 or 0x10"
                ))
            })
        };
        let symbolic = place.starts_with(|c: char| !c.is_ascii_digit());
        let (offset, memory) = match state {
            StateKind::Raw | StateKind::Memory => {
                if !symbolic {
                    return Err(fail(format!(
                        "the content of this node has no offsets, it is its memory; write \
                         \"{}@SYMBOL+{place}\", or give the node another state",
                        text.split('@').next().unwrap_or_default()
                    )));
                }
                let (symbol, inside) = place.split_once('+').unwrap_or((place, "0"));
                check_symbol(symbol).map_err(&fail)?;
                let offset = offset(inside)?;
                (raw, Some(MemoryRead { symbol: symbol.to_owned(), offset, length }))
            }
            StateKind::Report | StateKind::Region(_) if symbolic => {
                let kind = match state {
                    StateKind::Report => "report",
                    _ => "region",
                };
                return Err(fail(format!(
                    "a field of a {kind} node is at an offset of its content; write \"TYPE@OFFSET\""
                )));
            }
            StateKind::Report => {
                let offset = offset(place)?;
                let most = limits::REPORT.value as u64;
                if offset + length > most {
                    return Err(fail(format!(
                        "it ends at byte {}, and a report has at most {most}; move it",
                        offset + length
                    )));
                }
                (offset, None)
            }
            StateKind::Region(symbol) => {
                let offset = offset(place)?;
                (offset, Some(MemoryRead { symbol: symbol.clone(), offset, length }))
            }
        };
        Ok(Field { name: name.to_owned(), form, offset, memory, span: entry.value.span() })
    }
}

impl Fields {
    /// Read the declarations of a table for a node of kind `state`.
    pub(super) fn parse(entries: &[Entry<'_>], state: &StateKind) -> Result<Fields, Error> {
        let mut raw = DIGEST;
        let mut list = Vec::new();
        for entry in entries {
            let field = Field::parse(entry, state, raw)?;
            raw += field.form.length();
            list.push(field);
        }
        Ok(Fields { list })
    }

    /// The field `name`, if there is one.
    pub fn get(&self, name: &str) -> Option<&Field> {
        self.list.iter().find(|field| field.name == name)
    }

    /// What every field holds in `content`, in the order of the model file.
    pub fn read(&self, content: &[u8]) -> Vec<(&str, Value)> {
        self.list.iter().map(|field| (field.name.as_str(), field.read(content))).collect()
    }

    /// The memory that a `raw` node appends to its digest for them.
    pub fn reads(&self) -> Vec<MemoryRead> {
        self.list.iter().filter_map(|field| field.memory.clone()).collect()
    }
}

impl fmt::Display for Value {
    /// Integers in decimal, printable bytes as quoted text, other bytes as `x:0a0b`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Integer(value) => write!(f, "{value}"),
            Value::Absent => f.write_str("absent"),
            Value::Bytes(bytes)
                if bytes.iter().all(|b| (b' '..=b'~').contains(b) && !b"\"\\".contains(b))
                    && !bytes.starts_with(b"x:") =>
            {
                write!(f, "\"{}\"", String::from_utf8_lossy(bytes))
            }
            Value::Bytes(bytes) => {
                f.write_str("x:")?;
                bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }
    }
}

/// Whether `symbol` can be the name of an ELF symbol; an error says what is wrong.
pub(super) fn check_symbol(symbol: &str) -> Result<(), String> {
    let word = |c: char| c.is_ascii_alphanumeric() || "_.$".contains(c);
    if symbol.chars().all(word) && symbol.starts_with(|c: char| !c.is_ascii_digit()) {
        return Ok(());
    }
    Err(format!("{symbol:?} is no symbol; write the name of a variable of the program"))
}

/// Bytes that a model file or an expression writes as text, or as hexadecimal behind `x:`.
pub(super) fn literal(text: &str) -> Result<Vec<u8>, String> {
    let Some(digits) = text.strip_prefix("x:") else { return Ok(text.as_bytes().to_vec()) };
    if let Some(bad) = digits.chars().find(|c| !c.is_ascii_hexdigit()) {
        return Err(format!("{bad:?} is no hexadecimal digit; x: takes pairs of 0-9 and a-f"));
    }
    let pair = |pair: &[u8]| {
        pair.iter().fold(0, |byte, digit| {
            byte << 4 | (*digit as char).to_digit(16).unwrap_or_default() as u8
        })
    };
    if digits.len() % 2 == 1 {
        return Err(format!("x: takes pairs of digits, this has {}; add one", digits.len()));
    }
    Ok(digits.as_bytes().chunks(2).map(pair).collect())
}

/// A number in decimal, or in hexadecimal behind `0x`.
fn number(text: &str) -> Option<u64> {
    let (digits, radix) = match text.strip_prefix("0x") {
        Some(digits) => (digits, 16),
        None => (text, 10),
    };
    if digits.starts_with('+') {
        return None;
    }
    u64::from_str_radix(digits, radix).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_reads_its_byte_order_and_its_sign() {
        let bytes = [0xff, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x80];
        for (word, value) in [
            ("u8", 0xff),
            ("i8", -1),
            ("u16le", 0x01ff),
            ("u16be", 0xff01),
            ("i16be", -255),
            ("u32le", 0x0302_01ff),
            ("i32be", i128::from(0xff01_0203_u32 as i32)),
            ("u64be", 0xff01_0203_0405_0680),
            ("u64le", 0x8006_0504_0302_01ff),
            ("i64le", i128::from(0x8006_0504_0302_01ff_u64 as i64)),
        ] {
            let form = Form::parse(word).expect(word);
            let taken = &bytes[..form.length() as usize];
            assert_eq!(form.integer(taken), Some(value), "{word}");
        }
    }

    #[test]
    fn a_value_prints_as_a_model_file_would_write_it() {
        for (value, text) in [
            (Value::Integer(-3), "-3"),
            (Value::Bytes(b"SET a".to_vec()), "\"SET a\""),
            (Value::Bytes(vec![10, 11]), "x:0a0b"),
            (Value::Bytes(b"x:00".to_vec()), "x:783a3030"),
            (Value::Bytes(vec![]), "\"\""),
            (Value::Absent, "absent"),
        ] {
            assert_eq!(value.to_string(), text);
        }
    }
}
