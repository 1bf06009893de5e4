//! Places in a program's memory as users write them: `SYMBOL`, `SYMBOL.field`, `SYMBOL[2].x`,
//! `FUNCTION:VARIABLE`, `SYMBOL->field->*`, `struct NAME.field`. Text only; what it means in a program
//! is for [`super::resolve`].

use std::fmt;

use gimli::DwTag;
use gimli::constants as dw;

/// A place, as written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// Where the path starts.
    pub start: Start,
    /// The path.
    pub steps: Vec<Step>,
}

/// What a path starts at.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Start {
    /// A variable, with the function or the source file that it belongs to if that is said.
    Variable {
        /// Function or file.
        of: Option<String>,
        /// The variable.
        name: String,
    },
    /// Every object on the heap of this type.
    Objects {
        /// `struct` or `union`.
        keyword: Keyword,
        /// Its tag, or the name that a type without a tag is given.
        name: String,
    },
}

/// The word in front of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Keyword {
    /// `struct`.
    Struct,
    /// `union`.
    Union,
    /// `enum`.
    Enum,
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// `.NAME`.
    Field(String),
    /// `[N]`.
    Index(u64),
    /// `[]`: every element.
    Each,
    /// `->NAME`: the field of what the pointer points at.
    Arrow(String),
    /// `->*`: all of what the pointer points at.
    Whole,
}

impl Place {
    /// What `text` says; the message names the column and what to write.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut reader = Reader::new(text);
        let start = reader.start()?;
        let steps = reader.steps()?;
        if matches!(start, Start::Objects { .. }) && !matches!(steps.first(), Some(Step::Field(_)))
        {
            return Err(reader.wrong("a field is missing; write \"struct NAME.field\""));
        }
        Ok(Place { start, steps })
    }
}

impl Step {
    /// What a path inside of an object says; its first field needs no dot.
    pub fn parse(path: &str) -> Result<Vec<Step>, String> {
        let mut reader = Reader::new(path);
        let first = reader.rest.chars().next().filter(|c| starts_name(*c));
        let mut steps = Vec::new();
        if first.is_some() {
            steps.push(Step::Field(reader.name("a field")?));
        }
        steps.extend(reader.steps()?);
        Ok(steps)
    }
}

impl Keyword {
    /// The keyword of the types that DWARF gives `tag`.
    pub(super) fn of(tag: DwTag) -> Option<Self> {
        match tag {
            dw::DW_TAG_structure_type | dw::DW_TAG_class_type => Some(Keyword::Struct),
            dw::DW_TAG_union_type => Some(Keyword::Union),
            dw::DW_TAG_enumeration_type => Some(Keyword::Enum),
            _ => None,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.start {
            Start::Variable { of: Some(of), name } => write!(f, "{of}:{name}")?,
            Start::Variable { of: None, name } => f.write_str(name)?,
            Start::Objects { keyword, name } => write!(f, "{keyword} {name}")?,
        }
        self.steps.iter().try_for_each(|step| step.fmt(f))
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Field(name) => write!(f, ".{name}"),
            Step::Index(index) => write!(f, "[{index}]"),
            Step::Each => f.write_str("[]"),
            Step::Arrow(name) => write!(f, "->{name}"),
            Step::Whole => f.write_str("->*"),
        }
    }
}

impl fmt::Display for Keyword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Keyword::Struct => "struct",
            Keyword::Union => "union",
            Keyword::Enum => "enum",
        })
    }
}

fn starts_name(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c == '$'
}

fn in_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

struct Reader<'a> {
    whole: &'a str,
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        let text = text.trim();
        Reader { whole: text, rest: text }
    }

    fn wrong(&self, what: &str) -> String {
        let column = self.whole[..self.whole.len() - self.rest.len()].chars().count() + 1;
        format!("column {column} of \"{}\": {what}", self.whole)
    }

    fn start(&mut self) -> Result<Start, String> {
        for keyword in [Keyword::Struct, Keyword::Union] {
            let behind = self.rest.strip_prefix(&*keyword.to_string());
            if let Some(behind) = behind.filter(|behind| behind.starts_with(char::is_whitespace)) {
                self.rest = behind.trim_start();
                return Ok(Start::Objects { keyword, name: self.name("a tag")? });
            }
        }
        let Some((of, behind)) = self.rest.split_once(':') else {
            return Ok(Start::Variable { of: None, name: self.symbol()? });
        };
        let in_qualifier = |c: char| in_name(c) || "./+-".contains(c);
        if let Some(at) = of.find(|c| !in_qualifier(c)) {
            self.rest = &self.rest[at..];
            return Err(self.wrong("before \":\" a function or a source file is expected"));
        }
        if of.is_empty() {
            return Err(self.wrong("write the function in front of \":\", as in \"main:buffer\""));
        }
        self.rest = behind;
        Ok(Start::Variable { of: Some(of.to_owned()), name: self.symbol()? })
    }

    /// A name, or one that a compiler has made unique by a number: `count.2`.
    fn symbol(&mut self) -> Result<String, String> {
        let from = self.rest;
        self.name("a variable")?;
        while let Some(behind) = self.rest.strip_prefix('.') {
            let digits =
                behind.len() - behind.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            if digits == 0 || behind[digits..].starts_with(in_name) {
                break;
            }
            self.rest = &behind[digits..];
        }
        Ok(from[..from.len() - self.rest.len()].to_owned())
    }

    fn name(&mut self, what: &str) -> Result<String, String> {
        if !self.rest.starts_with(starts_name) {
            let message = match self.rest.chars().next() {
                None => format!("the name of {what} is missing"),
                Some(c) => format!("the name of {what} is expected, not \"{c}\""),
            };
            return Err(self.wrong(&message));
        }
        let end = self.rest.find(|c| !in_name(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        Ok(name.to_owned())
    }

    fn steps(&mut self) -> Result<Vec<Step>, String> {
        let mut steps = Vec::new();
        while !self.rest.is_empty() {
            if steps.last() == Some(&Step::Whole) {
                return Err(self.wrong("\"->*\" is the whole object; nothing can follow it"));
            }
            steps.push(self.step()?);
        }
        Ok(steps)
    }

    fn step(&mut self) -> Result<Step, String> {
        if let Some(behind) = self.rest.strip_prefix("->*") {
            self.rest = behind;
            return Ok(Step::Whole);
        }
        if let Some(behind) = self.rest.strip_prefix("->") {
            self.rest = behind;
            return Ok(Step::Arrow(self.name("a field, or \"*\" for all of them,")?));
        }
        if let Some(behind) = self.rest.strip_prefix('.') {
            self.rest = behind;
            return Ok(Step::Field(self.name("a field")?));
        }
        let Some(behind) = self.rest.strip_prefix('[') else {
            return Err(
                self.wrong("\".field\", \"[N]\", \"[]\", \"->field\" or \"->*\" is expected")
            );
        };
        let Some((index, behind)) = behind.split_once(']') else {
            return Err(self.wrong("\"]\" is missing"));
        };
        self.rest = &self.rest[1..];
        let step = match index {
            "" => Step::Each,
            _ if index.bytes().all(|byte| byte.is_ascii_digit()) => {
                let index = index.parse().map_err(|_| self.wrong("this index is too large"))?;
                Step::Index(index)
            }
            _ => return Err(self.wrong("a number is expected, or \"[]\" for every element")),
        };
        self.rest = behind;
        Ok(step)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn wrong(text: &str) -> String {
        Place::parse(text).expect_err(text)
    }

    #[test]
    fn a_path_is_read_step_by_step() {
        let place = Place::parse(" main:table[3].next->buf[]->* ").unwrap();
        assert_eq!(place.start, Start::Variable { of: Some("main".into()), name: "table".into() });
        let field = |name: &str| Step::Field(name.into());
        let arrow = Step::Arrow("buf".into());
        assert_eq!(place.steps, [Step::Index(3), field("next"), arrow, Step::Each, Step::Whole]);
        let place = Place::parse("struct  node.key").unwrap();
        let (keyword, name) = (Keyword::Struct, "node".into());
        assert_eq!(
            place,
            Place { start: Start::Objects { keyword, name }, steps: vec![field("key")] }
        );
        assert_eq!(place.to_string(), "struct node.key");
        let place = Place::parse("src/a-b.c:count.12.x").unwrap();
        let (of, name) = (Some("src/a-b.c".into()), "count.12".into());
        assert_eq!(place, Place { start: Start::Variable { of, name }, steps: vec![field("x")] });
        assert_eq!(Place::parse("structure.x").unwrap().to_string(), "structure.x");
    }

    #[test]
    fn what_is_wrong_is_named_with_its_column_and_remedy() {
        assert_eq!(wrong(""), "column 1 of \"\": the name of a variable is missing");
        assert!(wrong("a..b").starts_with("column 3 of \"a..b\": the name of a field is expected"));
        assert!(wrong("a[x]").contains("column 3"), "{}", wrong("a[x]"));
        assert!(wrong("a[x]").contains("a number is expected, or \"[]\""));
        assert!(wrong("a[1").contains("\"]\" is missing"));
        assert!(wrong("a[99999999999999999999]").contains("too large"));
        assert!(wrong("a->*.b").contains("nothing can follow it"));
        assert!(wrong("a->").contains("the name of a field, or \"*\" for all of them, is missing"));
        assert!(wrong("struct node").contains("write \"struct NAME.field\""));
        assert!(wrong("struct node->x").contains("write \"struct NAME.field\""));
        assert!(wrong(":x").contains("write the function"));
        assert!(wrong("a b:x").contains("column 2"));
        assert!(wrong("a b").contains("is expected"));
    }

    fn name() -> impl Strategy<Value = String> {
        "[a-zA-Z_$é][a-zA-Z0-9_$é]{0,9}"
    }

    fn place() -> impl Strategy<Value = Place> {
        let step = prop_oneof![
            name().prop_map(Step::Field),
            any::<u64>().prop_map(Step::Index),
            Just(Step::Each),
            name().prop_map(Step::Arrow),
        ];
        let of = proptest::option::of("[a-z/._+-]{1,9}");
        let symbol = (name(), proptest::option::of(0u32..99)).prop_map(|(name, number)| {
            number.map_or_else(|| name.clone(), |number| format!("{name}.{number}"))
        });
        let variable = (of, symbol).prop_map(|(of, name)| Start::Variable { of, name });
        let keyword = prop_oneof![Just(Keyword::Struct), Just(Keyword::Union)];
        let objects =
            (keyword, name()).prop_map(|(keyword, name)| Start::Objects { keyword, name });
        let steps = (proptest::collection::vec(step, 0..6), any::<bool>());
        (prop_oneof![variable, objects], steps, name()).prop_map(
            |(start, (mut steps, whole), name)| {
                if matches!(start, Start::Objects { .. }) {
                    steps.insert(0, Step::Field(name));
                }
                steps.extend(whole.then_some(Step::Whole));
                Place { start, steps }
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_place_comes_back_from_its_text(place in place()) {
            prop_assert_eq!(Place::parse(&place.to_string()), Ok(place));
        }

        #[test]
        fn any_text_is_read_or_refused(text in "[a-z0-9.>\\[\\]:* é-]{0,20}") {
            if let Ok(place) = Place::parse(&text) {
                prop_assert_eq!(Place::parse(&place.to_string()), Ok(place));
            }
            let _ = Step::parse(&text);
        }
    }
}
