//! The process front end: each node is the program that ships, run as a process under seccomp user
//! notification and `cmc-preload.so`. The checker is the network, the clock, the disk and the crash
//! between the nodes.

pub mod act;
pub mod arena;
pub mod audit;
mod binaries;
pub mod calls;
pub mod canonical;
pub mod config;
pub mod content;
pub mod contract;
pub mod debug;
pub mod disagreement;
mod effects;
pub mod elf;
pub mod enabled;
mod encode;
pub mod environment;
pub mod filter;
mod handle;
pub mod history;
pub mod host;
mod ignore;
pub mod images;
pub mod launch;
pub mod layout;
pub mod learned;
pub mod liveness;
pub mod local;
pub mod log;
pub mod memory;
pub mod network;
pub mod node;
mod normal;
pub mod notify;
pub mod origin;
pub mod page_store;
mod pages;
mod plain;
pub mod preload;
pub mod registers;
pub mod request;
mod rest;
pub mod restore;
pub mod saved;
mod seats;
pub mod snapshot;
pub mod start_words;
pub mod state;
pub mod stdio;
pub mod step;
mod subject;
pub mod table;
mod tell;
mod twin;
mod typed;
pub mod view;
pub mod whole_replay;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use self::arena::Placement;
use self::canonical::RootClass;
use self::config::{Config, NodeConfig, StateKind};
use self::elf::Program;
use self::launch::{Plan, Process};
use self::liveness::Callers;
use self::node::{Node, Setting};
use self::registers::Registers;
use self::restore::{Backend, Restores};
use self::snapshot::Snapshot;
use self::step::Answers;
use self::subject::Subject;
use self::view::WorldReader;
use crate::action::Action;
use crate::error::Error;
use crate::system::{Stop, Told};
use crate::world::{Liveness, Reader, View};

/// What the environment of every node holds, on every host.
const ENVIRONMENT: [&str; 6] = [
    "LD_BIND_NOW=1",
    "GLIBC_TUNABLES=glibc.pthread.rseq=0",
    "LANG=C",
    "TZ=UTC0",
    "PATH=/usr/bin:/bin",
    "HOME=/",
];

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
    settings: Vec<Arc<Setting>>,
    plans: Vec<Plan>,
    filter: Vec<libc::sock_filter>,
    /// By node, the addresses of words that are made constant.
    start_words: Vec<Arc<[u64]>>,
    /// By node, what its memory is at the hello.
    boots: Vec<OnceLock<Snapshot>>,
    /// By node, what is known of its program if that is of kind `memory`.
    subjects: Vec<OnceLock<Subject>>,
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
    /// Times that the canonical form of a node was made, and nanoseconds spent with that.
    pub canonical: (AtomicU64, AtomicU64),
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
            })
        });
        let settings = settings.collect();
        let plans = (0..config.nodes.len())
            .map(|number| plan(&config, number))
            .collect::<Result<_, _>>()?;
        let boots = config.nodes.iter().map(|_| OnceLock::new()).collect();
        let subjects = config.nodes.iter().map(|_| OnceLock::new()).collect();
        let callers = config.nodes.iter().map(|_| Callers::default()).collect();
        let mut processes = Processes {
            reader: WorldReader::new(config.clone()),
            ledger: Ledger::default(),
            restores: Restores::new(config.nodes.len(), Backend::Auto, images::BUDGET),
            filter: filter::program()?,
            config,
            programs,
            settings,
            plans,
            start_words: Vec::new(),
            boots,
            subjects,
            dropped: Vec::new(),
            callers,
        };
        processes.find_start_words()?;
        Ok(processes)
    }

    /// Start node `number`: its program is loaded, and of its own code nothing has run but what the
    /// loader runs, which is told `answers` if it asks. `whole` when digests of its whole memory will
    /// be taken whatever its state is.
    pub fn start(&self, number: usize, answers: Answers, whole: bool) -> Result<Node, Stop> {
        self.ledger.processes.fetch_add(1, Ordering::Relaxed);
        let mut node = self.load(number, answers)?;
        for &address in &*self.start_words[number] {
            if !node.memory().write(address, &[0; 8]) {
                return Err(Error::Internal("a word of the loader cannot be written".into()).into());
            }
        }
        if whole || self.config.nodes[number].state.is_whole() {
            let layout = node.layout()?;
            let sealed = layout.mappings.iter().filter(|m| m.written && !m.writable);
            node.sealed = sealed.cloned().collect();
            if self.boots[number].get().is_none() {
                let boot = node.snapshot(Registers::default())?;
                // Every start leads there; whoever was first.
                if self.config.nodes[number].state == StateKind::Memory {
                    let program = &self.programs[number];
                    let ignore = &self.config.nodes[number].ignore;
                    let subject = Subject::new(&program.path, program.debug(), &boot, ignore);
                    let _ = self.subjects[number].set(subject.map_err(Error::Program)?);
                }
                let _ = self.boots[number].set(boot);
            }
        }
        Ok(node)
    }

    /// `node`, with the twin that `start` makes if nodes of its number have one.
    fn with_twin(
        &self,
        mut node: Node,
        start: impl FnOnce() -> Result<Node, Stop>,
    ) -> Result<Node, Stop> {
        if self.config.nodes[node.number()].state == StateKind::Memory {
            let mut twin = start()?;
            twin.placement = Placement::Permuted;
            node.twin = Some(Box::new(twin));
        }
        Ok(node)
    }

    /// Start node `number` as [`Processes::start`] does, with a twin if nodes of its number have one.
    pub fn start_with_twin(&self, number: usize, answers: Answers) -> Result<Node, Stop> {
        let node = self.start(number, answers, false)?;
        self.with_twin(node, || self.start(number, answers, false))
    }

    /// The snapshot of node `number` at its hello.
    fn boot(&self, number: usize) -> Result<&Snapshot, Error> {
        let boot = self.boots[number].get();
        boot.ok_or_else(|| Error::Internal("a node ran before its start was read".into()))
    }

    /// What is known of the program of node `number`, which is of kind `memory` and was started.
    fn subject(&self, number: usize) -> Result<&Subject, Error> {
        let subject = self.subjects[number].get();
        subject.ok_or_else(|| Error::Internal("a node ran before its start was read".into()))
    }

    /// Forget these roots of canonical forms: a lie for tests, which the audit must find.
    #[doc(hidden)]
    pub fn drop_roots_for_tests(&mut self, dropped: &[RootClass]) {
        self.dropped = dropped.to_vec();
    }

    fn load(&self, number: usize, answers: Answers) -> Result<Node, Stop> {
        let process = Process::start(&self.plans[number], &self.filter)?;
        let mut node = Node::new(Arc::clone(&self.settings[number]), process);
        node.answers = answers;
        node.run_to_hello()?;
        Ok(node)
    }

    /// Compare some starts of every program.
    fn find_start_words(&mut self) -> Result<(), Error> {
        let mut known: HashMap<PathBuf, Arc<[u64]>> = HashMap::new();
        for number in 0..self.programs.len() {
            let path = self.programs[number].path.clone();
            let words = match known.get(&path) {
                Some(words) => Arc::clone(words),
                None => self.compare_starts(number)?.into(),
            };
            known.insert(path, Arc::clone(&words));
            self.start_words.push(words);
        }
        Ok(())
    }

    fn compare_starts(&self, number: usize) -> Result<Vec<u64>, Error> {
        let mut images = Vec::new();
        loop {
            let node = self.load(number, Answers::default()).map_err(|stop| match stop {
                Stop::Error(error) => error,
                Stop::Violated(breach) => Error::Program(breach.why),
            })?;
            let image = start_words::image(node.memory(), None);
            images.push(image.ok_or_else(|| Error::Program("its memory cannot be read".into()))?);
            if images.len() == start_words::STARTS {
                let program = &self.config.nodes[number].program;
                return start_words::differing(program, node.memory(), &images);
            }
        }
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
            let node_side = |world| self.reader.environment(world).map(|e| e.nodes[node].clone());
            let (old, new) = (node_side(expected)?, node_side(found)?);
            Ok((old != new).then(|| format!("node {node}: {new:?} instead of {old:?}")))
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

fn plan(config: &Config, number: usize) -> Result<Plan, Error> {
    let node = &config.nodes[number];
    let text = |text: &str| {
        CString::new(text).map_err(|_| {
            Error::Argument(format!("node {number}: a zero byte in its program or arguments"))
        })
    };
    let directory = match config.directory.as_os_str().is_empty() {
        true => ".".into(),
        false => config.directory.to_string_lossy(),
    };
    // A path without a slash would be looked for by nobody: execve takes it from the directory.
    let path = text(&node.program)?;
    let arguments = [node.program.clone(), number.to_string()].into_iter().chain(node.args.clone());
    let preload = format!("LD_PRELOAD={}", contract::PRELOAD_PATH);
    let environment = ENVIRONMENT.iter().copied().chain([preload.as_str()]);
    Ok(Plan {
        path,
        arguments: arguments.map(|argument| text(&argument)).collect::<Result<_, _>>()?,
        environment: environment.map(text).collect::<Result<_, _>>()?,
        directory: text(&directory)?,
    })
}
