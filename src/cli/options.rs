//! The options of cmc(1): one table, from which `--help` is written and with which the man page is
//! compared.

use std::ffi::OsString;
use std::path::PathBuf;

use lexopt::prelude::*;

use crate::check::run::{BackEnd, LONGEST_WALK, MOST_WORKERS};
use crate::process::audit::Policy;
use crate::process::restore::Backend;
use crate::process::whole_replay::Start;
use crate::search::Strategy;

/// One option: its name, the word for its value, and what it does.
pub const OPTIONS: [(&str, Option<&str>, &str); 31] = [
    ("model-file", Some("FILE"), "check the model that FILE describes"),
    ("core", Some("FILE"), "check the core in the shared object FILE"),
    ("set", Some("NAME=VALUE"), "set a number of a core: a parameter, a budget, nodes, a cap"),
    ("replay", Some("TRACE"), "run the steps of TRACE again"),
    ("bfs", None, "search breadth first: the shortest counterexample (default)"),
    ("dfs", Some("N"), "search depth first, paths of at most N states"),
    ("iterative", Some("N"), "search depth first to 1, 2, 3 … and at most N states"),
    ("simulate", Some("N"), "take N random walks; never a pass"),
    ("workers", Some("N"), "search with N threads (default 0: one on each processor)"),
    ("seed", Some("N"), "the seed of everything drawn (default 0)"),
    ("depth", Some("N"), "look at paths of at most N states"),
    ("max-states", Some("N"), "store at most N distinct worlds"),
    ("property", Some("NAME"), "check this property only; may stand several times, in order"),
    ("continue", None, "go on behind violations, and count the violating worlds"),
    ("deadlock", None, "a world without actions is a violation"),
    (
        "live",
        Some("N"),
        "take N long walks that look for suspicions where an [eventually] is not decided",
    ),
    ("det", None, "run every step of a core twice and compare"),
    ("whole-replay", None, "reach every world by starting every node: slow, and the oracle"),
    ("zygote", None, "start nodes for --whole-replay by forking, not by execve"),
    ("audit", Some("HOW"), "audit learned steps: a share of the hits (default 1%), or full"),
    ("backend", Some("HOW"), "put nodes into local states by history, restore, or auto (default)"),
    ("no-inline", None, "answer every call of a node in cmc, none inside of the node"),
    ("max-memory", Some("SIZE"), "take at most SIZE of memory (breadth first)"),
    ("stats", None, "measure how large states are, and how much of them a transition changes"),
    ("why-so-many", None, "say which words multiply the local states of state = \"memory\""),
    ("json", None, "print one JSON object instead of text"),
    ("trace", Some("FILE"), "write a counterexample to FILE instead of NAME.trace"),
    ("preload", Some("FILE"), "use FILE as cmc-preload.so"),
    ("quiet", None, "print the verdict only, and no progress"),
    ("help", None, "print this"),
    ("version", None, "print the version"),
];

/// Options that only a search reads.
const SEARCHES: [&str; 23] = [
    "set",
    "bfs",
    "dfs",
    "iterative",
    "property",
    "continue",
    "deadlock",
    "det",
    "live",
    "simulate",
    "workers",
    "seed",
    "depth",
    "max-states",
    "whole-replay",
    "zygote",
    "audit",
    "backend",
    "no-inline",
    "max-memory",
    "stats",
    "why-so-many",
    "trace",
];

/// Options about the processes of nodes, which a core has none of.
const PROGRAMS: [&str; 8] =
    ["whole-replay", "zygote", "audit", "backend", "no-inline", "stats", "why-so-many", "preload"];

/// What to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Print the options.
    Help,
    /// Print the version.
    Version,
    /// Check a model file.
    Check(PathBuf),
    /// Check a core file.
    Core(PathBuf),
    /// Replay a trace.
    Replay(PathBuf),
}

/// How to do it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// How to search.
    pub strategy: Strategy,
    /// `--set`
    pub set: Vec<String>,
    /// `--property`
    pub properties: Vec<String>,
    /// `--continue`
    pub keep_going: bool,
    /// `--deadlock`
    pub deadlock: bool,
    /// `--live`
    pub live: Option<u64>,
    /// `--det`
    pub det: bool,
    /// `--whole-replay`, `--audit`
    pub back_end: BackEnd,
    /// `--backend`
    pub restore: Backend,
    /// No `--no-inline`
    pub inline: bool,
    /// `--max-memory`, in bytes
    pub max_memory: Option<u64>,
    /// `--stats`
    pub stats: bool,
    /// `--why-so-many`
    pub why_so_many: bool,
    /// `--workers`
    pub workers: usize,
    /// `--depth`
    pub depth: Option<u64>,
    /// `--max-states`
    pub max_states: Option<u64>,
    /// `--seed`
    pub seed: u64,
    /// `--trace`
    pub trace: Option<PathBuf>,
    /// `--preload`
    pub preload: Option<PathBuf>,
    /// `--json`
    pub json: bool,
    /// `--quiet`
    pub quiet: bool,
}

/// What `--help` prints.
pub fn help() -> String {
    let mut text = String::from(
        "usage: cmc [options] --model-file=FILE | --core=FILE | --replay=TRACE\n\n\
         Checks the programs that a model file names, or a core, in every order of messages,\n\
         time-outs, crashes and losses, up to its budgets. See cmc(1), cmc(7) and cmc-model(5).\n\n",
    );
    for (name, value, what) in OPTIONS {
        let option = match value {
            Some(value) => format!("--{name}={value}"),
            None => format!("--{name}"),
        };
        text.push_str(&format!("  {option:<20} {what}\n"));
    }
    text.push_str("\nexit status: 0 pass, 1 violated, 2 could not check, 3 incomplete\n");
    text
}

/// Read the arguments behind the program's name; a fault in a sentence.
pub fn parse(arguments: Vec<OsString>) -> Result<(Command, Options), String> {
    let mut parser = lexopt::Parser::from_args(arguments);
    let mut options = Options {
        strategy: Strategy::Breadth,
        set: Vec::new(),
        properties: Vec::new(),
        keep_going: false,
        deadlock: false,
        live: None,
        det: false,
        back_end: BackEnd::Learned(Policy::Sampled(10)),
        restore: Backend::Auto,
        inline: true,
        max_memory: None,
        stats: false,
        why_so_many: false,
        workers: 0,
        depth: None,
        max_states: None,
        seed: 0,
        trace: None,
        preload: None,
        json: false,
        quiet: false,
    };
    let mut commands = Vec::new();
    let mut strategies = Vec::new();
    let mut walks = None;
    let mut seeded = false;
    let mut whole = false;
    let mut zygote = false;
    let mut audit = None;
    let mut restore = None;
    let say = |error: lexopt::Error| format!("{error}; see cmc --help");
    let (mut searches, mut programs) = (None, None);
    while let Some(argument) = parser.next().map_err(say)? {
        if let Long(name) = argument {
            searches = searches.or_else(|| SEARCHES.iter().find(|known| **known == name));
            programs = programs.or_else(|| PROGRAMS.iter().find(|known| **known == name));
        }
        match argument {
            Long("help") | Short('h') => return Ok((Command::Help, options)),
            Long("version") | Short('V') => return Ok((Command::Version, options)),
            Long("model-file") => commands.push(Command::Check(file(&mut parser, "model-file")?)),
            Long("replay") => commands.push(Command::Replay(file(&mut parser, "replay")?)),
            Long("core") => commands.push(Command::Core(file(&mut parser, "core")?)),
            Long("set") => options.set.push(word(&mut parser, "set")?),
            Long("bfs") => strategies.push(("bfs", Strategy::Breadth)),
            Long("dfs") => {
                let bound = number(&mut parser, "dfs", 1)?;
                strategies.push(("dfs", Strategy::Depth { bound }));
            }
            Long("iterative") => {
                let bound = number(&mut parser, "iterative", 1)?;
                strategies.push(("iterative", Strategy::Iterative { bound }));
            }
            Long("simulate") => {
                let number = number(&mut parser, "simulate", 1)?;
                walks = Some(number);
                strategies
                    .push(("simulate", Strategy::Simulate { walks: number, depth: LONGEST_WALK }));
            }
            Long("property") => options.properties.push(word(&mut parser, "property")?),
            Long("continue") => options.keep_going = true,
            Long("deadlock") => options.deadlock = true,
            Long("live") => options.live = Some(number(&mut parser, "live", 1)?),
            Long("det") => options.det = true,
            Long("workers") => options.workers = workers(&mut parser)?,
            Long("seed") => {
                options.seed = number(&mut parser, "seed", 0)?;
                seeded = true;
            }
            Long("depth") => options.depth = Some(number(&mut parser, "depth", 1)?),
            Long("max-states") => options.max_states = Some(number(&mut parser, "max-states", 1)?),
            Long("whole-replay") => whole = true,
            Long("zygote") => zygote = true,
            Long("audit") => audit = Some(policy(&mut parser)?),
            Long("backend") => restore = Some(backend(&mut parser)?),
            Long("no-inline") => options.inline = false,
            Long("max-memory") => options.max_memory = Some(size(&mut parser, "max-memory")?),
            Long("stats") => options.stats = true,
            Long("why-so-many") => options.why_so_many = true,
            Long("json") => options.json = true,
            Long("quiet") => options.quiet = true,
            Long("trace") => options.trace = Some(file(&mut parser, "trace")?),
            Long("preload") => options.preload = Some(file(&mut parser, "preload")?),
            Value(value) => {
                return Err(format!(
                    "what is {value:?} for? a model is given by --model-file={}",
                    value.to_string_lossy()
                ));
            }
            other => return Err(say(other.unexpected())),
        }
    }
    if let [(first, _), (second, _), ..] = strategies[..] {
        return Err(format!("--{first} and --{second} are two ways to search; give one, once"));
    }
    if zygote && !whole {
        return Err("--zygote says how --whole-replay starts nodes; give both".into());
    }
    options.back_end = match (whole, audit) {
        (false, None) => options.back_end,
        (false, Some(policy)) => BackEnd::Learned(policy),
        (true, None) if zygote => BackEnd::WholeReplay(Start::Zygote),
        (true, None) => BackEnd::WholeReplay(Start::Execve),
        (true, Some(_)) => {
            return Err("--whole-replay learns no steps, so there is nothing to --audit".into());
        }
    };
    if whole && restore.is_some() {
        return Err("--whole-replay repeats what happened; leave out --backend".into());
    }
    if whole && !options.inline {
        return Err("--whole-replay answers no call inside of a node; leave out --no-inline".into());
    }
    options.restore = restore.unwrap_or_default();
    if options.why_so_many && (whole || walks.is_some()) {
        return Err("--why-so-many looks at the local states that a search has stored; leave out \
                    --whole-replay and --simulate"
            .into());
    }
    if options.stats && (whole || options.restore == Backend::History) {
        return Err("--stats measures what restoring saves; leave out --whole-replay and \
                    --backend=history"
            .into());
    }
    if let Some((name, strategy)) = strategies.pop() {
        options.strategy = strategy;
        if matches!(name, "dfs" | "iterative") && options.depth.is_some() {
            return Err(format!("--{name} has its bound on depth; leave out --depth"));
        }
    }
    if let Some(walks) = walks {
        if options.max_states.is_some() {
            return Err("random walks store no states; leave out --max-states".into());
        }
        options.strategy =
            Strategy::Simulate { walks, depth: options.depth.unwrap_or(LONGEST_WALK) };
    }
    match <[Command; 1]>::try_from(commands) {
        Ok([Command::Replay(_)]) if searches.is_some() => Err(format!(
            "--{} is for a search; --replay repeats the steps of its trace as they are",
            searches.copied().unwrap_or_default()
        )),
        Ok([Command::Check(_)]) if !options.set.is_empty() => {
            Err("--set is for a --core; a model file has its numbers in it".into())
        }
        Ok([Command::Core(_)]) if programs.is_some() => Err(format!(
            "--{} is for programs; a core runs in cmc itself",
            programs.copied().unwrap_or_default()
        )),
        Ok(_) if seeded && walks.is_none() && options.live.is_none() => Err(
            "--seed is for random walks, and there are none to be taken; leave it out, or give \
                 --simulate or --live"
                .into(),
        ),
        Ok([command]) => Ok((command, options)),
        Err(commands) if commands.is_empty() => Err("nothing to check: give --model-file=FILE, \
             --core=FILE or --replay=TRACE; see cmc --help"
            .into()),
        Err(_) => Err("give one of --model-file, --core and --replay, once".into()),
    }
}

fn file(parser: &mut lexopt::Parser, name: &str) -> Result<PathBuf, String> {
    let value = parser.value().map_err(|error| format!("{error}; see cmc --help"))?;
    match value.is_empty() {
        true => Err(format!("--{name} needs the name of a file; see cmc --help")),
        false => Ok(value.into()),
    }
}

fn word(parser: &mut lexopt::Parser, name: &str) -> Result<String, String> {
    let value = parser.value().map_err(|error| format!("{error}; see cmc --help"))?;
    let text = value.into_string();
    text.map_err(|value| format!("--{name}={}: this is no text in UTF-8", value.display()))
}

fn policy(parser: &mut lexopt::Parser) -> Result<Policy, String> {
    let value = parser.value().map_err(|error| format!("{error}; see cmc --help"))?;
    let text = value.to_string_lossy();
    if text == "full" {
        return Ok(Policy::Full);
    }
    let share = text.strip_suffix('%').and_then(|percent| percent.parse::<f64>().ok());
    match share.filter(|percent| (0.0..=100.0).contains(percent)) {
        Some(percent) => Ok(Policy::Sampled((percent * 10.0).round() as u32)),
        None => Err(format!("--audit={text}: full, or a share of the hits as in 1% is needed")),
    }
}

fn backend(parser: &mut lexopt::Parser) -> Result<Backend, String> {
    let value = parser.value().map_err(|error| format!("{error}; see cmc --help"))?;
    match value.to_string_lossy().as_ref() {
        "history" => Ok(Backend::History),
        "restore" => Ok(Backend::Restore),
        "auto" => Ok(Backend::Auto),
        other => Err(format!("--backend={other}: history, restore or auto is needed")),
    }
}

fn workers(parser: &mut lexopt::Parser) -> Result<usize, String> {
    match number(parser, "workers", 0)? {
        workers @ 0..=MOST_WORKERS => Ok(workers as usize),
        workers => Err(format!("--workers={workers}: at most {MOST_WORKERS}")),
    }
}

/// Bytes, or so many KiB, MiB or GiB.
fn size(parser: &mut lexopt::Parser, name: &str) -> Result<u64, String> {
    let value = parser.value().map_err(|error| format!("{error}; see cmc --help"))?;
    let text = value.to_string_lossy();
    let shift = match text.chars().last() {
        Some('K') => 10,
        Some('M') => 20,
        Some('G') => 30,
        _ => 0,
    };
    let number = if shift == 0 { &text[..] } else { &text[..text.len() - 1] };
    let bytes = number.parse::<u64>().ok().and_then(|number| number.checked_mul(1 << shift));
    bytes.ok_or_else(|| format!("--{name}={text}: a size is needed, as in 500M or 2G"))
}

fn number(parser: &mut lexopt::Parser, name: &str, least: u64) -> Result<u64, String> {
    let value = parser.value().map_err(|error| format!("{error}; see cmc --help"))?;
    let text = value.to_string_lossy();
    match text.parse() {
        Ok(number) if number >= least => Ok(number),
        _ => Err(format!("--{name}={text}: a whole number from {least} on is needed")),
    }
}
