//! A trace: the way from an initial world to another, and its text form, `cmc-trace 1`. A header of
//! `key: value` lines, an empty line, then one action a line: its name, ` @k` for each choice,
//! and a note for people behind ` # `. Whatever is written reads back equal (but for line breaks
//! in notes), and whatever does not read is an error with file and line. This file touches no file.

mod value;

use std::fmt::Write as _;

use value::{read, written};

use crate::action::Label;
use crate::error::Error;

/// A path through a system: an initial world and the labels taken from there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The ordinal of the initial world among those that the system produces.
    pub initial: u64,
    /// The labels, in order.
    pub labels: Vec<Label>,
}

impl Trace {
    /// How many states the path has, the initial one included.
    pub fn states(&self) -> u64 {
        self.labels.len() as u64 + 1
    }
}

/// A program that took part in a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The node that it was.
    pub node: usize,
    /// The hash of its file, in hexadecimal.
    pub hash: String,
    /// Where it was, relative to the trace.
    pub path: String,
}

/// One line of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The action, as [`crate::system::System::name`] says it.
    pub name: String,
    /// The choices taken inside it; those left out at the end are 0.
    pub choices: Vec<u16>,
    /// For people; replay does not read it, and its line breaks are written as spaces.
    pub note: Option<String>,
}

/// What was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checked {
    /// Programs.
    Model {
        /// The model file, relative to the trace.
        file: String,
        /// Its hash, in hexadecimal.
        hash: String,
        /// The programs of the nodes.
        programs: Vec<Program>,
    },
    /// A core from a file.
    Core {
        /// The core file, relative to the trace.
        file: String,
        /// Its hash, in hexadecimal.
        hash: String,
        /// What was set on the command line, each `NAME=VALUE`.
        settings: Vec<String>,
    },
    /// A core that a program of the library's has linked.
    Driver {
        /// The core's name.
        name: String,
    },
}

/// The content of a trace file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceFile {
    /// What was checked.
    pub checked: Checked,
    /// The verdict of the search that wrote the trace.
    pub verdict: String,
    /// The property that the last step breaks.
    pub property: Option<String>,
    /// Whether something else breaks on the way there, or the same property does; the search that
    /// wrote the trace had gone on behind that.
    pub among: bool,
    /// The seed of the search, if it drew anything.
    pub seed: Option<u64>,
    /// The state of the trace, from 0, that the last step leads back to: a run that goes on for ever.
    pub back: Option<u64>,
    /// The ordinal of the initial world.
    pub initial: u64,
    /// The steps from there.
    pub steps: Vec<Step>,
}

const FIRST_LINE: &str = "cmc-trace 1";
const KEYS: &str = "model, model-hash, program, core, core-hash, set, driver, verdict, property, \
                     among, seed, back and initial";

impl TraceFile {
    /// Read the text of the trace file called `file`; every fault is an [`Error::Trace`].
    pub fn parse(file: &str, text: &str) -> Result<Self, Error> {
        let mut lines = text.split('\n').zip(1..);
        let mut header = Header::default();
        let at = |number: usize, fault: String| Error::Trace(format!("{file}:{number}: {fault}"));
        match lines.next() {
            Some((FIRST_LINE, _)) => (),
            _ => {
                let fault = format!(
                    "this is no trace of this version; the first line of one is \"{FIRST_LINE}\""
                );
                return Err(at(1, fault));
            }
        }
        let mut last = 1;
        for (line, number) in lines.by_ref() {
            last = number;
            if line.is_empty() {
                break;
            }
            header.line(line).map_err(|fault| at(number, fault))?;
        }
        let mut steps = Vec::new();
        for (line, number) in lines.filter(|(line, _)| !line.is_empty()) {
            steps.push(Step::parse(line).map_err(|fault| at(number, fault))?);
        }
        header.finish(steps).map_err(|fault| at(last, fault))
    }

    /// The text form. An action whose name would not read back is [`Error::Internal`].
    pub fn to_text(&self) -> Result<String, Error> {
        let mut text = format!("{FIRST_LINE}\n");
        let mut line = |key: &str, value: &str| {
            let _ = writeln!(text, "{key}: {value}");
        };
        match &self.checked {
            Checked::Model { file, hash, programs } => {
                line("model", &written(file));
                line("model-hash", hash);
                for Program { node, hash, path } in programs {
                    line("program", &format!("{node} {hash} {}", written(path)));
                }
            }
            Checked::Core { file, hash, settings } => {
                line("core", &written(file));
                line("core-hash", hash);
                for setting in settings {
                    line("set", &written(setting));
                }
            }
            Checked::Driver { name } => line("driver", &written(name)),
        }
        line("verdict", &written(&self.verdict));
        if let Some(property) = &self.property {
            line("property", &written(property));
        }
        if self.among {
            line("among", "yes");
        }
        if let Some(seed) = self.seed {
            line("seed", &seed.to_string());
        }
        if let Some(back) = self.back {
            line("back", &back.to_string());
        }
        line("initial", &self.initial.to_string());
        text.push('\n');
        for step in &self.steps {
            step.write(&mut text)?;
        }
        Ok(text)
    }
}

impl Step {
    fn write(&self, text: &mut String) -> Result<(), Error> {
        let name = &self.name;
        if name.contains('\n') || name_end(name) != Some(name.len()) || name.is_empty() {
            return Err(Error::Internal(format!(
                "the action name {name:?} cannot stand in a trace"
            )));
        }
        text.push_str(name);
        for choice in &self.choices {
            let _ = write!(text, " @{choice}");
        }
        if let Some(note) = &self.note {
            text.push_str(" # ");
            text.push_str(&note.replace('\n', " "));
        }
        text.push('\n');
        Ok(())
    }

    fn parse(line: &str) -> Result<Self, String> {
        let end = name_end(line).ok_or("a quoted string does not end on this line; close it")?;
        let (name, mut rest) = line.split_at(end);
        if name.is_empty() {
            return Err("the action has no name; put one in front of the choices".into());
        }
        let mut choices = Vec::new();
        while let Some(tail) = rest.strip_prefix(" @") {
            let digits = tail.split(' ').next().unwrap_or_default();
            choices.push(number(digits).and_then(|choice| u16::try_from(choice).ok()).ok_or_else(
                || format!("\"@{digits}\" is no choice; write a number up to 65535"),
            )?);
            rest = &tail[digits.len()..];
        }
        let note = match rest.strip_prefix(" #") {
            None if rest.is_empty() => None,
            Some("") => Some(String::new()),
            Some(note) if note.starts_with(' ') => Some(note[1..].to_owned()),
            _ => {
                return Err(format!(
                    "unexpected text \"{}\"; behind an action stand only \" @NUMBER\" and \" # NOTE\"",
                    rest.trim_start()
                ));
            }
        };
        Ok(Step { name: name.to_owned(), choices, note })
    }
}

/// Where the name at the start of `line` ends: at the first ` @` or ` #` outside a quoted string.
/// `None` when a quoted string does not end.
fn name_end(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    let (mut at, mut quoted) = (0, false);
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if quoted => at += 1,
            b'"' => quoted = !quoted,
            b' ' if !quoted && matches!(bytes.get(at + 1), Some(b'@' | b'#')) => return Some(at),
            _ => (),
        }
        at += 1;
    }
    (!quoted).then_some(bytes.len())
}

/// The header while it is being read.
#[derive(Default)]
struct Header {
    model: Option<String>,
    model_hash: Option<String>,
    programs: Vec<Program>,
    core: Option<String>,
    core_hash: Option<String>,
    settings: Vec<String>,
    driver: Option<String>,
    verdict: Option<String>,
    property: Option<String>,
    among: Option<bool>,
    seed: Option<u64>,
    back: Option<u64>,
    initial: Option<u64>,
}

impl Header {
    fn line(&mut self, line: &str) -> Result<(), String> {
        let (key, value) = line
            .split_once(": ")
            .ok_or("a header line is \"KEY: VALUE\"; an empty line ends the header")?;
        let fresh = match key {
            "model" => set(&mut self.model, read(value)?),
            "model-hash" => set(&mut self.model_hash, hash(value)?),
            "program" => {
                self.programs.push(program(value)?);
                true
            }
            "core" => set(&mut self.core, read(value)?),
            "core-hash" => set(&mut self.core_hash, hash(value)?),
            "set" => {
                self.settings.push(read(value)?);
                true
            }
            "driver" => set(&mut self.driver, read(value)?),
            "verdict" => set(&mut self.verdict, read(value)?),
            "property" => set(&mut self.property, read(value)?),
            "among" => set(&mut self.among, yes(value)?),
            "seed" => set(&mut self.seed, header_number(value)?),
            "back" => set(&mut self.back, header_number(value)?),
            "initial" => set(&mut self.initial, header_number(value)?),
            _ => {
                return Err(format!(
                    "unknown header key {key:?}; the keys are {KEYS}, and an empty line ends them"
                ));
            }
        };
        if fresh { Ok(()) } else { Err(format!("the key \"{key}\" stands twice; remove one")) }
    }

    fn finish(self, steps: Vec<Step>) -> Result<TraceFile, String> {
        let missing =
            |key: &str| format!("the header has no \"{key}: …\"; add it before the empty line");
        let checked = match (self.model, self.core, self.driver) {
            (Some(file), None, None) => {
                let hash = self.model_hash.ok_or_else(|| missing("model-hash"))?;
                Checked::Model { file, hash, programs: self.programs }
            }
            (None, Some(file), None) => {
                let hash = self.core_hash.ok_or_else(|| missing("core-hash"))?;
                Checked::Core { file, hash, settings: self.settings }
            }
            (None, None, Some(name)) => Checked::Driver { name },
            (None, None, None) => return Err(missing("model")),
            _ => return Err("the header has more than one of model, core and driver".into()),
        };
        if self.among.is_some() && self.property.is_none() {
            return Err("\"among\" is about a property; name it by \"property: …\"".into());
        }
        let length = steps.len() as u64;
        if self.back.is_some_and(|back| back >= length) {
            return Err(format!("\"back\" names a state before the last of {length} steps"));
        }
        Ok(TraceFile {
            checked,
            verdict: self.verdict.ok_or_else(|| missing("verdict"))?,
            property: self.property,
            among: self.among.unwrap_or_default(),
            seed: self.seed,
            back: self.back,
            initial: self.initial.ok_or_else(|| missing("initial"))?,
            steps,
        })
    }
}

/// Whether `slot` was empty; it is filled in any case.
fn set<T>(slot: &mut Option<T>, value: T) -> bool {
    slot.replace(value).is_none()
}

fn program(value: &str) -> Result<Program, String> {
    let mut parts = value.splitn(3, ' ');
    let (Some(node), Some(digest), Some(path)) = (parts.next(), parts.next(), parts.next()) else {
        return Err("a program is \"NODE HASH PATH\"".into());
    };
    Ok(Program {
        node: number(node)
            .and_then(|node| usize::try_from(node).ok())
            .ok_or_else(|| format!("\"{node}\" is no node number; a program is NODE HASH PATH"))?,
        hash: hash(digest)?,
        path: read(path)?,
    })
}

fn hash(value: &str) -> Result<String, String> {
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        Ok(value.to_owned())
    } else {
        Err(format!("{value:?} is no hash; one is made of hexadecimal digits"))
    }
}

fn yes(value: &str) -> Result<bool, String> {
    match value {
        "yes" => Ok(true),
        _ => {
            Err(format!("{value:?} is not \"yes\", which is what \"among\" says; or leave it out"))
        }
    }
}

fn header_number(value: &str) -> Result<u64, String> {
    number(value).ok_or_else(|| format!("{value:?} is no number from 0 to {}", u64::MAX))
}

/// Digits only: no sign, no space.
fn number(digits: &str) -> Option<u64> {
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| digits.parse().ok()).flatten()
}
