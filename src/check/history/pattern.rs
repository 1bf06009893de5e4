//! How a request or a reply is written: text with names in braces for what varies, `SET {key}
//! {value}`. `{value:4}` stands for four bytes, `{value}` for at least one, of which earlier names
//! take as few as they can; `{{` and `}}` are braces; behind `x:` the text is hexadecimal.

use crate::check::field::literal;

/// What may stand in braces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name {
    /// The object.
    Key,
    /// What is written, put or found.
    Value,
    /// What must be there.
    Old,
    /// What is there then.
    New,
    /// Anything.
    Any,
}

const NAMES: [(&str, Name); 5] = [
    ("key", Name::Key),
    ("value", Name::Value),
    ("old", Name::Old),
    ("new", Name::New),
    ("any", Name::Any),
];

/// A pattern, ready to be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern(Vec<Part>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(Vec<u8>),
    /// A name, and how many bytes it stands for if that is fixed.
    Hole(Name, Option<usize>),
}

/// What the names of a pattern stand for in a text; empty for those that the pattern has not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Holes<'a> {
    pub(super) key: &'a [u8],
    pub(super) value: &'a [u8],
    pub(super) old: &'a [u8],
    pub(super) new: &'a [u8],
}

impl Pattern {
    /// Read `text`, which may have the names `allowed` and must have `needed`; else what is wrong.
    pub(super) fn compile(
        text: &str,
        needed: &[Name],
        allowed: &[Name],
    ) -> Result<Pattern, String> {
        let (hex, text) = match text.strip_prefix("x:") {
            Some(rest) => ("x:", rest),
            None => ("", text),
        };
        let mut parts = Vec::new();
        for piece in pieces(text)? {
            parts.push(match piece {
                Piece::Text(text) => {
                    let text = literal(&format!("{hex}{text}"));
                    Part::Text(text.map_err(|fault| format!("is not hexadecimal: {fault}"))?)
                }
                Piece::Braces(inner) => hole(inner, needed, allowed)?,
            });
        }
        let pattern = Pattern(parts);
        if let Some(missing) = needed.iter().find(|name| !pattern.has(**name)) {
            return Err(format!("lacks {}; write where it stands", braced(*missing)));
        }
        pattern.check()?;
        Ok(pattern)
    }

    fn check(&self) -> Result<(), String> {
        if self.0.is_empty() {
            return Err("is empty; say how it is written".into());
        }
        let names = self.0.iter().filter_map(|part| match part {
            Part::Hole(name, _) if *name != Name::Any => Some(*name),
            _ => None,
        });
        let names: Vec<Name> = names.collect();
        if let Some(at) = (1..names.len()).find(|at| names[..*at].contains(&names[*at])) {
            return Err(format!("has {} twice; name the second {{any}}", braced(names[at])));
        }
        let open = |part: &Part| matches!(part, Part::Hole(_, None));
        match self.0.windows(2).any(|pair| open(&pair[0]) && matches!(pair[1], Part::Hole(..))) {
            true => {
                Err("has two names side by side, and nobody can tell where the first ends; give \
                         it a length, as in {key:2}"
                    .into())
            }
            false => Ok(()),
        }
    }

    /// Whether it has `name`.
    pub(super) fn has(&self, name: Name) -> bool {
        self.0.iter().any(|part| matches!(part, Part::Hole(own, _) if *own == name))
    }

    /// What the names stand for in `text`, if the pattern fits it.
    pub(super) fn fit<'a>(&self, text: &'a [u8]) -> Option<Holes<'a>> {
        let mut holes = Holes::default();
        fit(&self.0, text, &mut holes).then_some(holes)
    }
}

fn fit<'a>(parts: &[Part], text: &'a [u8], holes: &mut Holes<'a>) -> bool {
    let Some((first, rest)) = parts.split_first() else { return text.is_empty() };
    match first {
        Part::Text(own) => match text.strip_prefix(own.as_slice()) {
            Some(text) => fit(rest, text, holes),
            None => false,
        },
        Part::Hole(name, length) => {
            let lengths = match length {
                Some(length) => *length..=*length,
                None if rest.is_empty() => text.len().max(1)..=text.len(),
                None => 1..=text.len(),
            };
            for length in lengths {
                let Some((taken, behind)) = text.split_at_checked(length) else { return false };
                if fit(rest, behind, holes) {
                    match name {
                        Name::Key => holes.key = taken,
                        Name::Value => holes.value = taken,
                        Name::Old => holes.old = taken,
                        Name::New => holes.new = taken,
                        Name::Any => {}
                    }
                    return true;
                }
            }
            false
        }
    }
}

fn hole(inner: &str, needed: &[Name], allowed: &[Name]) -> Result<Part, String> {
    let (word, length) = match inner.split_once(':') {
        Some((word, length)) => (word, Some(length)),
        None => (inner, None),
    };
    let may = |name: Name| needed.contains(&name) || allowed.contains(&name) || name == Name::Any;
    let known = NAMES.iter().find(|(known, name)| *known == word && may(*name));
    let Some((_, name)) = known else {
        let names = NAMES.iter().filter(|(_, name)| may(*name));
        let names: Vec<String> = names.map(|(_, name)| braced(*name)).collect();
        return Err(format!(
            "has {{{word}}}, which it cannot have; it has {}, and {{{{ is a brace",
            names.join(", ")
        ));
    };
    let length = length.map(|length| match length.parse() {
        Ok(length) if length > 0 => Ok(length),
        _ => Err(format!("has {{{inner}}}; a length is a number of bytes, 1 or more")),
    });
    Ok(Part::Hole(*name, length.transpose()?))
}

fn braced(name: Name) -> String {
    let word = NAMES.iter().find(|(_, known)| *known == name).map_or("", |(word, _)| word);
    format!("{{{word}}}")
}

enum Piece<'a> {
    Text(String),
    Braces(&'a str),
}

/// Text and what stands in braces, in turn.
fn pieces(text: &str) -> Result<Vec<Piece<'_>>, String> {
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let twice = rest[1..].starts_with(first);
        match first {
            '{' | '}' if twice => {
                plain.push(first);
                rest = &rest[2..];
            }
            '{' => {
                let end = rest.find('}').ok_or("has a { without its }; write {{ for a brace")?;
                if !plain.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut plain)));
                }
                pieces.push(Piece::Braces(&rest[1..end]));
                rest = &rest[end + 1..];
            }
            '}' => return Err("has a } without its {; write }} for a brace".into()),
            _ => {
                plain.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
    }
    if !plain.is_empty() {
        pieces.push(Piece::Text(plain));
    }
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> Pattern {
        Pattern::compile(text, &[], &[Name::Key, Name::Value]).expect("a pattern")
    }

    fn fits<'a>(text: &str, message: &'a str) -> Option<(&'a str, &'a str)> {
        let text_of = |bytes| std::str::from_utf8(bytes).expect("text");
        let holes = pattern(text).fit(message.as_bytes())?;
        Some((text_of(holes.key), text_of(holes.value)))
    }

    #[test]
    fn names_take_what_is_left_between_the_texts() {
        assert_eq!(fits("SET {key} {value}", "SET a 1"), Some(("a", "1")));
        assert_eq!(fits("SET {key} {value}", "SET a 1 2"), Some(("a", "1 2")));
        assert_eq!(fits("SET {key} {value}", "SET a "), None);
        assert_eq!(fits("SET {key} {value}", "SET  1"), None);
        assert_eq!(fits("SET {key} {value}", "GET a 1"), None);
        assert_eq!(fits("<{value}>", "<a>b>"), Some(("", "a>b")));
        assert_eq!(fits("{key:1}{value:2}", "abc"), Some(("a", "bc")));
        assert_eq!(fits("{key:1}{value:2}", "abcd"), None);
        assert_eq!(fits("OK", "OK"), Some(("", "")));
        assert_eq!(fits("OK", "OK "), None);
        assert_eq!(fits("{any} {any}{{}}", "a b{}"), Some(("", "")));
        assert_eq!(
            pattern("x:01{key:1}fF").fit(b"\x01k\xff").map(|holes| holes.key),
            Some(&b"k"[..])
        );
    }

    #[test]
    fn what_is_wrong_with_a_pattern_is_said() {
        let wrong = |text: &str| match Pattern::compile(text, &[Name::Value], &[Name::Key]) {
            Ok(pattern) => panic!("{pattern:?}"),
            Err(fault) => fault,
        };
        assert_eq!(wrong("SET {key}"), "lacks {value}; write where it stands");
        assert_eq!(
            wrong("SET {old}"),
            "has {old}, which it cannot have; it has {key}, {value}, {any}, and {{ is a brace"
        );
        assert_eq!(wrong("{value} {value}"), "has {value} twice; name the second {any}");
        assert_eq!(wrong("SET {value"), "has a { without its }; write {{ for a brace");
        assert_eq!(wrong("{value}}"), "has a } without its {; write }} for a brace");
        assert_eq!(wrong("{value:0}"), "has {value:0}; a length is a number of bytes, 1 or more");
        assert!(wrong("{key}{value}").starts_with("has two names side by side"));
        assert_eq!(
            wrong("x:0{value}"),
            "is not hexadecimal: x: takes pairs of digits, this has 1; add one"
        );
    }
}
