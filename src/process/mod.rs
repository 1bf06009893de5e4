//! The process front end: each node is the program that ships, run as a process under seccomp user
//! notification and `cmc-preload.so`. The checker is the network, the clock, the disk and the crash
//! between the nodes.

pub mod act;
pub mod arena;
pub mod audit;
mod binaries;
mod block;
mod call_log;
pub mod calls;
pub mod canonical;
pub mod config;
pub mod content;
pub mod contract;
pub mod counts;
pub mod debug;
mod difference;
pub mod disagreement;
mod effects;
pub mod elf;
pub mod enabled;
mod encode;
pub mod environment;
mod few;
pub mod filter;
mod footprint;
mod handle;
pub mod history;
pub mod host;
mod ignore;
pub mod images;
mod inside;
pub mod kernel_state;
pub mod launch;
pub mod layout;
pub mod learned;
pub mod liveness;
pub mod local;
pub mod log;
pub mod memory;
mod multipliers;
mod naming;
pub mod network;
pub mod node;
mod normal;
pub mod notify;
pub mod origin;
mod page_list;
pub mod page_store;
mod pages;
pub mod participant;
pub mod phases;
mod pieces;
mod plain;
pub mod preload;
mod processor;
mod reader;
pub mod recall;
pub mod registers;
pub mod request;
mod rest;
pub mod restore;
pub mod saved;
mod seats;
pub mod sizes;
pub mod snapshot;
pub mod start_words;
mod starts;
pub mod state;
pub mod stdio;
pub mod step;
mod subject;
pub mod table;
mod tell;
pub mod text;
mod twin;
mod typed;
mod vector;
pub mod view;
pub mod whole_replay;
pub mod why;
mod writer;
pub mod zygotes;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex, OnceLock};

use self::canonical::RootClass;
use self::config::{Config, NodeConfig, StateKind};
use self::elf::Program;
use self::launch::Plan;
use self::liveness::Callers;
use self::node::Setting;
use self::phases::Phases;
use self::restore::{Backend, Restores};
use self::snapshot::Snapshot;
use self::subject::Subject;
use self::view::WorldReader;
use crate::action::Action;
use crate::error::Error;
use crate::system::Told;
use crate::world::{Liveness, Reader, View};

/// The programs of a model, ready to be started any number of times.
#[derive(Debug)]
pub struct Processes {
    /// The model.
    pub config: Config,
    /// The programs, by node number.
    pub programs: Vec<Arc<Program>>,
    /// Reads worlds of the model.
    pub reader: WorldReader,
    /// What has happened so far.
    pub ledger: Ledger,
    /// How processes are put into local states, and which are saved.
    pub restores: Restores,
    /// Whether learned steps answer calls inside of their processes, where that can be.
    pub inline: bool,
    settings: Vec<Arc<Setting>>,
    plans: Vec<Plan>,
    filter: Vec<libc::sock_filter>,
    /// By node, the addresses of words that are made constant.
    start_words: Vec<Arc<[u64]>>,
    /// By node, what its memory is at the hello.
    boots: Vec<OnceLock<Snapshot>>,
    /// By node, what is known of its program if that is of kind `memory`.
    subjects: Vec<OnceLock<Subject>>,
    /// A variable that normal forms take for dead, for tests.
    buried: Option<String>,
    /// Roots that canonical forms forget, for tests.
    dropped: Vec<RootClass>,
    /// By node, how its callers are found.
    callers: Vec<Callers>,
}

/// What processes did, for the receipts.
#[derive(Debug, Default)]
pub struct Ledger {
    /// Processes started.
    pub processes: AtomicU64,
    /// Steps of nodes that a process ran to learn them, or to replay them.
    pub steps: AtomicU64,
    /// Microseconds spent running processes from the step table.
    pub micros: AtomicU64,
    /// Whether some write went to a peer that was gone.
    pub lost_writes: AtomicBool,
    /// Whether some node read its clock.
    pub clock_read: AtomicBool,
    /// Where the time of steps went.
    pub phases: Arc<Phases>,
    /// By node, which words held addresses that could not be renamed.
    pub hidden: Mutex<BTreeMap<usize, BTreeSet<String>>>,
}

impl Processes {
    /// Look at every program of `config`, and prepare to start them with the preload at `preload`.
    /// When `interrupt` is set, nodes that run are given up.
    pub fn new(config: Config, preload: &Path, interrupt: &Arc<AtomicBool>) -> Result<Self, Error> {
        check_preload(preload)?;
        launch::check_children()?;
        let mut known: HashMap<PathBuf, Arc<Program>> = HashMap::new();
        let mut programs = Vec::with_capacity(config.nodes.len());
        for node in &config.nodes {
            let path = config.directory.join(&node.program);
            let program = match known.get(&path) {
                Some(program) => Arc::clone(program),
                None => {
                    let program = Arc::new(Program::open(&path, &node.program)?);
                    known.insert(path, Arc::clone(&program));
                    program
                }
            };
            check_symbols(node, &program)?;
            programs.push(program);
        }
        let ledger = Ledger::default();
        let ports: Vec<u16> = config.nodes.iter().map(|node| node.port).collect();
        let settings = config.nodes.iter().enumerate().map(|(number, node)| {
            Arc::new(Setting {
                number,
                program: node.program.clone(),
                ports: ports.clone(),
                may_exit: node.may_exit.clone(),
                entry: programs[number].entry,
                directory: config.directory.clone(),
                preload: preload.to_owned(),
                patience: config.patience,
                interrupt: Arc::clone(interrupt),
                phases: Arc::clone(&ledger.phases),
            })
        });
        let settings = settings.collect();
        let plans = (0..config.nodes.len())
            .map(|number| starts::plan(&config, number))
            .collect::<Result<_, _>>()?;
        let boots = config.nodes.iter().map(|_| OnceLock::new()).collect();
        let subjects = config.nodes.iter().map(|_| OnceLock::new()).collect();
        let callers = config.nodes.iter().map(|_| Callers::default()).collect();
        let mut processes = Processes {
            reader: WorldReader::new(config.clone()),
            ledger,
            restores: Restores::new(config.nodes.len(), Backend::Auto, images::BUDGET),
            inline: true,
            filter: filter::program()?,
            config,
            programs,
            settings,
            plans,
            start_words: Vec::new(),
            boots,
            subjects,
            buried: None,
            dropped: Vec::new(),
            callers,
        };
        processes.find_start_words()?;
        Ok(processes)
    }

    /// What properties and reports may read of `world`.
    pub fn view<'a>(&'a self, world: &'a [u8]) -> View<'a> {
        View { world, reader: &self.reader }
    }

    /// What `action` is called in traces.
    pub fn name(&self, action: &Action) -> String {
        tell::name(&self.config, action)
    }

    /// What `action` means in `world`.
    pub fn tell(&self, world: &[u8], action: &Action) -> Result<Told, Error> {
        Ok(tell::tell(&self.config, &self.reader.environment(world)?, action))
    }

    /// What keeps `world` from going on by itself: that waits would run out of time, and may not any
    /// more. A world that cannot be read is no worse for that here: it cannot be expanded.
    pub fn bound(&self, world: &[u8]) -> Option<&'static str> {
        let environment = self.reader.environment(world).ok()?;
        let due = enabled::timed(&self.config, &environment).next().is_some();
        (due && environment.budgets.timeouts == 0).then_some("the budget of time-outs")
    }

    /// Where two worlds differ, in words.
    pub fn difference(&self, expected: &[u8], found: &[u8]) -> String {
        let describe = |node: usize| -> Result<Option<String>, Error> {
            let liveness = |world| self.reader.liveness(world, node);
            if liveness(expected)? != liveness(found)? {
                return Ok(Some(format!(
                    "node {node} {} instead of {}",
                    word(liveness(found)?),
                    word(liveness(expected)?)
                )));
            }
            let (old, new) =
                (self.reader.content(expected, node)?, self.reader.content(found, node)?);
            let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
            if old != new {
                let at = old
                    .iter()
                    .zip(new)
                    .position(|(a, b)| a != b)
                    .unwrap_or(old.len().min(new.len()));
                return Ok(Some(format!(
                    "the content of node {node} differs from byte {at} on ({} instead of {})",
                    hex(&new[at..]),
                    hex(&old[at..])
                )));
            }
            let told = |world| self.reader.environment(world).map(|all| all.told(node));
            let (old, new) = (told(expected)?, told(found)?);
            Ok((old != new).then(|| format!("node {node}: {new} instead of {old}")))
        };
        let all = (0..self.config.nodes.len()).map(describe).collect::<Result<Vec<_>, _>>();
        let parts: Vec<String> = all.unwrap_or_default().into_iter().flatten().collect();
        match parts.is_empty() {
            true => "the network, the clients or the replies differ".into(),
            false => parts.join("; "),
        }
    }
}

fn word(liveness: Liveness) -> &'static str {
    match liveness {
        Liveness::Running => "runs",
        Liveness::Exited => "has exited",
        Liveness::Crashed => "has crashed",
    }
}

/// The first bytes in hexadecimal.
fn hex(bytes: &[u8]) -> String {
    const SHOWN: usize = 16;
    let shown: String = bytes.iter().take(SHOWN).map(|byte| format!("{byte:02x}")).collect();
    match (bytes.is_empty(), bytes.len() > SHOWN) {
        (true, _) => "nothing".into(),
        (_, true) => format!("{shown}…"),
        (_, false) => shown,
    }
}

fn check_preload(preload: &Path) -> Result<(), Error> {
    let head = std::fs::File::open(preload).and_then(|mut file| {
        let mut head = [0; 20];
        std::io::Read::read_exact(&mut file, &mut head).map(|()| head)
    });
    let problem = match head {
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => "cut short".into(),
        Err(error) => error.to_string(),
        Ok(head) if !head.starts_with(b"\x7fELF\x02\x01") || head[18] != 62 => {
            "not a shared object for x86-64".into()
        }
        Ok(_) => return Ok(()),
    };
    Err(Error::Host(format!(
        "the preload {}: {problem}; run `make all`, reinstall cmc, or name the preload with \
         --preload=FILE",
        preload.display()
    )))
}

/// Every symbol that the model names is there, and holds what is read from it.
fn check_symbols(node: &NodeConfig, program: &Program) -> Result<(), Error> {
    let say = |text: String| Error::Program(format!("program \"{}\": {text}", node.program));
    if let StateKind::Region(symbol) = &node.state {
        program.object(symbol).map_err(say)?;
    }
    for place in &node.ignore {
        ignore::target(place, program.debug()).map_err(|wrong| say(format!("ignore: {wrong}")))?;
    }
    for read in &node.reads {
        let object = program.object(&read.symbol).map_err(say)?;
        if read.offset.saturating_add(read.length) > object.size {
            return Err(say(format!(
                "symbol \"{}\" has {} bytes, so {} bytes at offset {} are not in it",
                read.symbol, object.size, read.length, read.offset
            )));
        }
    }
    Ok(())
}
