//! What a model file says its verdict is: `# expect: key=value …` in its first comment. The keys are
//! those of the JSON report; whoever compares knows them, this file only reads the comment.

use super::source::Source;
use crate::error::Error;

/// The marker behind the `#`.
const MARK: &str = "expect:";

/// What the first comment of a model file expects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expect {
    /// Keys and values, in the order of the comment.
    pub pairs: Vec<(String, String)>,
}

impl Expect {
    /// Read the block of comments at the head of `source`.
    pub fn read(source: &Source) -> Result<Option<Expect>, Error> {
        let mut offset = 0;
        let mut found = None;
        for line in source.text().split_inclusive('\n') {
            let start = offset;
            offset += line.len();
            let trimmed = line.trim();
            let Some(comment) = trimmed.strip_prefix('#') else {
                if trimmed.is_empty() && found.is_none() {
                    continue;
                }
                break;
            };
            let Some(rest) = comment.trim_start().strip_prefix(MARK) else { continue };
            // `rest` ends where the trimmed line ends.
            let at = start + line.trim_end().len() - rest.len();
            if found.is_some() {
                let message = "a second \"expect:\"; write everything on one line";
                return Err(source.error(at - MARK.len()..at, message));
            }
            found = Some(Expect { pairs: pairs(source, at, rest)? });
        }
        Ok(found)
    }

    /// The value of `key`.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.pairs.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }
}

/// Read `key=value` pairs, where a value with blanks is quoted; `text` stands at `at`.
fn pairs(source: &Source, at: usize, text: &str) -> Result<Vec<(String, String)>, Error> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let start = at + text.len() - rest.len();
        let end = rest.find([' ', '\t', '"']).unwrap_or(rest.len());
        let span = start..start + end.max(1);
        let Some((key, _)) = rest[..end].split_once('=').filter(|(key, _)| !key.is_empty()) else {
            return Err(source.error(span, "expect: lists key=value pairs, separated by blanks"));
        };
        if pairs.iter().any(|(name, _)| name == key) {
            return Err(source.error(span, &format!("expect: says {key} twice; keep one")));
        }
        let behind = &rest[key.len() + 1..];
        let (value, left) = match behind.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').ok_or_else(|| {
                source.error(span.clone(), "this value has no closing quote; add it")
            })?,
            None => behind.split_at(behind.find([' ', '\t']).unwrap_or(behind.len())),
        };
        if value.is_empty() {
            return Err(source.error(span, &format!("expect: gives {key} no value; add it")));
        }
        pairs.push((key.to_owned(), value.to_owned()));
        rest = left.trim_start();
    }
    Ok(pairs)
}
