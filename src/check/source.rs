//! The text of a model file, and errors that point into it. Every error about a place has the same
//! shape: `FILE:LINE:COLUMN: message`, the source line, and a caret under what is meant. Columns
//! count characters from 1. This file knows text, not TOML.

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::Path;

use crate::error::Error;

/// The largest model file that is read, in bytes.
pub const SIZE: usize = 1 << 20;
/// The most characters of a source line that an error shows.
const SHOWN: usize = 120;

/// The text of a model file and the name that errors call it by.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    text: String,
}

impl Source {
    /// Read the bytes of the regular file at `path`, at most [`SIZE`] of them.
    pub fn read(path: &Path) -> Result<Vec<u8>, Error> {
        let refuse = |why: String| Error::Model(format!("{}: {why}", path.display()));
        let cannot = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                refuse("there is no such model file; check the path".into())
            }
            _ => refuse(format!("the model file cannot be read: {error}")),
        };
        let kind = std::fs::metadata(path).map_err(cannot)?;
        if kind.is_dir() {
            return Err(refuse("this is a directory; name the model file in it".into()));
        }
        if !kind.is_file() {
            return Err(refuse("this is not a regular file; a model is read from one".into()));
        }
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(cannot)?;
        file.take(SIZE as u64 + 1).read_to_end(&mut bytes).map_err(cannot)?;
        Ok(bytes)
    }

    /// Take `bytes` as the text of the file called `name`: UTF-8 without NUL, at most [`SIZE`].
    pub fn new(name: String, bytes: &[u8]) -> Result<Self, Error> {
        if bytes.len() > SIZE {
            return Err(Error::Model(format!(
                "{name}: the model file is larger than {SIZE} bytes; split it into several models"
            )));
        }
        // Up to the first bad byte the lossy text has the same offsets, so that it can be shown.
        let text = String::from_utf8_lossy(bytes).into_owned();
        let source = Source { name, text };
        if let Err(bad) = std::str::from_utf8(bytes) {
            let at = bad.valid_up_to();
            let message =
                format!("byte 0x{:02x} is not UTF-8; save the model file as UTF-8", bytes[at]);
            return Err(source.error(at..at, &message));
        }
        if let Some(at) = source.text.find('\0') {
            return Err(source.error(at..at, "a model file holds no NUL byte; remove it"));
        }
        Ok(source)
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The line and column, both from 1, of the byte offset `at`.
    pub fn place(&self, at: usize) -> (usize, usize) {
        let at = self.boundary(at);
        let before = &self.text[..at];
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (before.matches('\n').count() + 1, before[start..].chars().count() + 1)
    }

    /// An error at the byte range `span`; the carets stop at the end of its first line.
    pub fn error(&self, span: Range<usize>, message: &str) -> Error {
        let (line, column) = self.place(span.start);
        let start = self.boundary(span.start);
        let end = self.boundary(span.end.max(start));
        let head = self.text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let tail = self.text[start..].find('\n').map_or(self.text.len(), |length| start + length);
        let whole = self.text[head..tail].trim_end_matches('\r');
        let marked = self.text[start..end.min(tail)].trim_end_matches('\r').chars().count().max(1);

        // A long line is cut on both sides; the start of what is meant stays in view.
        let skipped = column.saturating_sub(SHOWN / 2);
        let shown: String = whole.chars().skip(skipped).take(SHOWN).map(printable).collect();
        let marked = marked.min(SHOWN.saturating_sub(column - 1 - skipped)).max(1);
        // Tabs are repeated under tabs, so that the caret stands where the terminal puts the text.
        let padding: String = whole
            .chars()
            .skip(skipped)
            .take(column - 1 - skipped)
            .map(|c| if c == '\t' { '\t' } else { ' ' })
            .collect();
        let number = line.to_string();
        let gutter = " ".repeat(number.len());
        Error::Model(format!(
            "{}:{line}:{column}: {message}\n {number} | {shown}\n {gutter} | {padding}{}",
            self.name,
            "^".repeat(marked)
        ))
    }

    /// `at`, moved back to the start of a character of the text.
    fn boundary(&self, at: usize) -> usize {
        let mut at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }
}

/// What stands for `c` on a terminal: control characters other than a tab do not get there.
fn printable(c: char) -> char {
    if c.is_control() && c != '\t' { char::REPLACEMENT_CHARACTER } else { c }
}
