//! A model file, read whole: what to check on which programs. Each table has its own file beside
//! this one; this file puts them in order and reads the short ones. It starts no program, so that
//! what only an ELF file can tell is left to [`ModelFile::check_regions`].

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::expect::Expect;
use super::expression::{Expression, Scope};
use super::field::Fields;
use super::key::{self, Section};
use super::model::nameable;
use super::source::Source;
use super::table::{Entry, Item};
use super::{budget, client, history, node};
use crate::error::Error;
use crate::fingerprint::Fingerprint;
use crate::process::config::{Close, Config, Patience, Requests, Timeout};
use crate::property::{Kinds, Property, Rule, StatePredicate};
use crate::spelling;

/// The most seconds of patience: a day.
const PATIENCE: i64 = 86400;

/// What a model file says.
pub struct ModelFile {
    /// The file's name without directory and extension.
    pub name: String,
    /// Where it was read from.
    pub path: PathBuf,
    /// XXH3-128 of its bytes, in 32 hexadecimal digits.
    pub hash: String,
    /// Programs, network, time, budgets and clients.
    pub config: Config,
    /// Invariants, the history, step, sometimes and eventually properties, each in the order of the
    /// file.
    pub properties: Vec<Property>,
    /// What the first comment expects of a check.
    pub expect: Option<Expect>,
    /// The named fields of each node.
    pub fields: Vec<Fields>,
    source: Source,
}

impl ModelFile {
    /// Read the model file at `path`; what is wrong with it is an [`Error::Model`].
    pub fn load(path: &Path) -> Result<ModelFile, Error> {
        ModelFile::parse(path, &Source::read(path)?)
    }

    /// Read `bytes` as the model file at `path`, which need not exist.
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<ModelFile, Error> {
        let source = Source::new(path.display().to_string(), bytes)?;
        let expect = Expect::read(&source)?;
        let (config, properties, fields) = {
            let tree = DeTable::parse(source.text()).map_err(|error| {
                source.error(error.span().unwrap_or_default(), &grammar(error.message()))
            })?;
            let top = Top::new(&source, tree.get_ref())?;
            let (mut config, fields) = config(&source, &top, path)?;
            let history = top.get(key::HISTORY);
            let history = history.map(|item| history::read(item, top.get(key::CLIENT)));
            let history = history.transpose()?;
            config.requests = history.as_ref().map_or(Requests::Forgotten, |own| own.requests());
            let properties = properties(&source, &top, &fields, history)?;
            (config, properties, fields)
        };
        Ok(ModelFile {
            name: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            path: path.to_owned(),
            hash: format!("{:032x}", Fingerprint::whole(bytes).0),
            config,
            properties,
            expect,
            fields,
            source,
        })
    }

    /// An error at the byte range `span` of the file.
    pub fn error(&self, span: Range<usize>, message: &str) -> Error {
        self.source.error(span, message)
    }

    /// Check that every field lies inside its symbol; `size_of` answers the size in bytes of a
    /// symbol of a node's program, or why there is none.
    pub fn check_regions(
        &self,
        size_of: &dyn Fn(usize, &str) -> Result<u64, String>,
    ) -> Result<(), Error> {
        for (node, fields) in self.fields.iter().enumerate() {
            for field in &fields.list {
                let Some(memory) = &field.memory else { continue };
                let symbol = &memory.symbol;
                let fail = |why: &str| {
                    let message = format!("field \"{}\" of node {node}: {why}", field.name);
                    self.error(field.span.clone(), &message)
                };
                let size = size_of(node, symbol).map_err(|why| fail(&why))?;
                let end = memory.offset + memory.length;
                if end > size {
                    return Err(fail(&format!(
                        "it ends at byte {end} of {symbol}, which has only {size}; correct its \
                         type or offset"
                    )));
                }
            }
        }
        Ok(())
    }
}

/// The top level of the file, without keys that no section has.
struct Top<'a> {
    source: &'a Source,
    table: &'a DeTable<'a>,
    /// The first key: where an error about a missing table points.
    head: Range<usize>,
}

impl<'a> Top<'a> {
    fn new(source: &'a Source, table: &'a DeTable<'a>) -> Result<Self, Error> {
        let names: Vec<&str> = key::ALL
            .iter()
            .map(|section| section.name)
            .filter(|name| !name.contains('.'))
            .collect();
        let mut keys: Vec<_> = table.keys().collect();
        keys.sort_by_key(|key| key.span().start);
        let head = keys.first().map_or(0..0, |key| key.span());
        for key in keys {
            let name: &str = key.get_ref();
            if !names.contains(&name) {
                let advice = spelling::advice(name, "the tables", &names);
                let message = format!("unknown table or key {name:?}; {advice}");
                return Err(source.error(key.span(), &message));
            }
        }
        Ok(Top { source, table, head })
    }

    fn get(&self, section: Section) -> Option<Item<'a>> {
        let value: &'a Spanned<DeValue<'a>> = self.table.get(section.name)?;
        Some(Item::new(self.source, section.name, value))
    }

    /// The entries of a section whose keys the model names; none without the section.
    fn entries(&self, section: Section) -> Result<Vec<Entry<'a>>, Error> {
        let table = self.get(section).map(|item| item.table(section)).transpose()?;
        Ok(table.map_or_else(Vec::new, |table| table.entries()))
    }
}

fn config(source: &Source, top: &Top<'_>, path: &Path) -> Result<(Config, Vec<Fields>), Error> {
    let missing = |message: &str| source.error(top.head.clone(), message);
    let shared = top.entries(key::FIELDS)?;
    let nodes = top
        .get(key::NODE)
        .ok_or_else(|| missing("the model has no node; add [[node]] with its program"))?;
    let (configs, fields) = node::read(nodes, &shared)?;
    if configs.is_empty() {
        return Err(nodes.error("the model has no node; add [[node]] with its program"));
    }
    let clients = match top.get(key::CLIENT) {
        Some(clients) => client::read(clients, configs.len())?,
        None => Vec::new(),
    };
    let network = top.get(key::NETWORK).ok_or_else(|| {
        missing("the model does not say its network; add [network] with mode = \"message\"")
    })?;
    let close = close(network)?;
    let timeout = match top.get(key::TIME) {
        Some(time) => timeout(time)?,
        None => Timeout::Native,
    };
    let (budgets, crash) = budget::read(top.get(key::BUDGET))?;
    let patience = match top.get(key::LIMITS) {
        Some(limits) => patience(limits)?,
        None => Patience::default(),
    };
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    };
    let config = Config {
        directory,
        nodes: configs,
        clients,
        close,
        timeout,
        crash,
        budgets,
        patience,
        requests: Requests::Forgotten,
    };
    Ok((config, fields))
}

fn close(network: Item<'_>) -> Result<Close, Error> {
    let table = network.table(key::NETWORK)?;
    let mode = table.require("mode", "mode = \"message\"")?;
    if mode.string()? == "stream" {
        return Err(mode.error("mode = \"stream\" is not available yet; write \"message\""));
    }
    mode.choice(&[("message", ())])?;
    match table.get("close") {
        Some(close) => close.choice(&[("silent", Close::Silent)]),
        None => Ok(Close::Shown),
    }
}

fn timeout(time: Item<'_>) -> Result<Timeout, Error> {
    match time.table(key::TIME)?.get("timeout") {
        Some(word) => word.choice(&[("native", Timeout::Native), ("byte", Timeout::Byte)]),
        None => Ok(Timeout::Native),
    }
}

fn patience(limits: Item<'_>) -> Result<Patience, Error> {
    let table = limits.table(key::LIMITS)?;
    let seconds = |key, default| match table.get(key) {
        Some(item) => item.integer(1..=PATIENCE).map(|s| Duration::from_secs(s as u64)),
        None => Ok(default),
    };
    let Patience { cpu, wall } = Patience::default();
    Ok(Patience { cpu: seconds("cpu_seconds", cpu)?, wall: seconds("wall_seconds", wall)? })
}

fn properties(
    source: &Source,
    top: &Top<'_>,
    fields: &[Fields],
    mut history: Option<history::Section>,
) -> Result<Vec<Property>, Error> {
    let mut properties = Vec::new();
    let mut lines: HashMap<&str, usize> = HashMap::new();
    let history_name = history.as_ref().map(history::Section::name);
    for section in [key::INVARIANTS, key::STEPS, key::SOMETIMES, key::EVENTUALLY] {
        for entry in top.entries(section)? {
            let fail = |message: &str| source.error(entry.span.clone(), message);
            let name = entry.name;
            nameable(name).map_err(|fault| fail(&fault))?;
            if history_name == Some(name) {
                return Err(fail(&format!(
                    "{name:?} is the property of [history]; use another name"
                )));
            }
            let line = source.place(entry.span.start).0;
            if let Some(first) = lines.insert(name, line) {
                let message =
                    format!("a second property {name:?}, the first is on line {first}; rename one");
                return Err(fail(&message));
            }
            let text = entry.value.string()?;
            let scope = if section == key::STEPS { Scope::Step } else { Scope::State };
            let expression = Expression::compile(text, fields, scope)
                .map_err(|mistake| mistake.place(source, entry.value.span(), text))?;
            let (owner, named) = (name.to_owned(), name.to_owned());
            let rule = match section {
                key::STEPS => Rule::Step(Box::new(move |old, new| {
                    expression.holds(*old, *new).map_err(|fault| fault.of(&owner))
                })),
                state => {
                    let holds: StatePredicate = Box::new(move |view| {
                        expression.holds(*view, *view).map_err(|fault| fault.of(&owner))
                    });
                    match state {
                        key::SOMETIMES => Rule::Sometimes(holds),
                        key::EVENTUALLY => Rule::Eventually { holds, fair: Kinds::DEFAULT },
                        _ => Rule::Invariant(holds),
                    }
                }
            };
            properties.push(Property { name: named, rule });
        }
        // Behind the invariants, which cost less.
        properties.extend(history.take().map(history::Section::property));
    }
    Ok(properties)
}

/// What an error of the TOML grammar says: the parser's words, and where to look.
fn grammar(message: &str) -> String {
    match message {
        "duplicate key" => "this key or table is already there; keep one of the two".into(),
        _ => format!("not TOML: {message}"),
    }
}
