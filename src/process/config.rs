//! What a process model consists of, as plain data. The model file is one way to say it.

use std::path::PathBuf;
use std::time::Duration;

use super::debug::Place;

/// A model: programs, network, time, budgets and clients.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Where relative program paths start and nodes have their working directory.
    pub directory: PathBuf,
    /// The nodes, in node order.
    pub nodes: Vec<NodeConfig>,
    /// The clients, in client order.
    pub clients: Vec<ClientConfig>,
    /// What `close` and `shutdown` show the other end.
    pub close: Close,
    /// What a TIMEOUT is.
    pub timeout: Timeout,
    /// Where a crash may fall.
    pub crash: Crash,
    /// How often each fault may happen.
    pub budgets: Budgets,
    /// When a node counts as silent.
    pub patience: Patience,
    /// Whether the log of a world keeps what clients ask for.
    pub requests: Requests,
}

/// One node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeConfig {
    /// The program, as the model file says it; relative to [`Config::directory`].
    pub program: String,
    /// Arguments behind `argv[1]`, which is the node number.
    pub args: Vec<String>,
    /// What identifies its local state.
    pub state: StateKind,
    /// For `memory`: places that the state leaves out.
    pub ignore: Vec<Place>,
    /// The port it owns.
    pub port: u16,
    /// Exit statuses that break no rule.
    pub may_exit: Vec<i32>,
    /// For `raw` and `memory`: memory whose bytes are appended to the digest in the content, in this order.
    pub reads: Vec<MemoryRead>,
}

/// What identifies the local state of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StateKind {
    /// The record that it last wrote to descriptor 3.
    Report,
    /// The bytes of an ELF symbol.
    Region(String),
    /// All writable memory, live stack and registers: the content is a 16-byte digest, then
    /// [`NodeConfig::reads`].
    Raw,
    /// The same in canonical form, see [`super::canonical`]; the content is written alike.
    Memory,
}

impl StateKind {
    /// Whether the content is a digest of the whole memory.
    pub fn is_whole(&self) -> bool {
        matches!(self, StateKind::Raw | StateKind::Memory)
    }
}

/// Bytes at an ELF symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryRead {
    /// The symbol.
    pub symbol: String,
    /// Offset from it, in bytes.
    pub offset: u64,
    /// How many bytes.
    pub length: u64,
}

/// A client's script: it dials, sends, and perhaps closes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientConfig {
    /// The node it dials.
    pub node: usize,
    /// What it sends, one message each.
    pub send: Vec<Vec<u8>>,
    /// Whether the order of the sends is free (`order = "any"`).
    pub any_order: bool,
    /// Whether a step needs as many replies as there were sends (`wait = true`).
    pub wait: bool,
    /// Whether it closes after the last send.
    pub close: bool,
}

/// What `close` and `shutdown` show the other end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Close {
    /// EOF, as TCP does.
    Shown,
    /// Nothing: the limit of the manual.
    Silent,
}

/// What a TIMEOUT is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timeout {
    /// The wait ends as the kernel would end it.
    Native,
    /// The manual's convention: the byte `T`, or a synthetic connection that holds it.
    Byte,
}

/// Where a crash may fall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crash {
    /// Only while every node waits (`crash = "quiescent"`).
    Quiescent,
    /// Also between two effects of a step.
    BetweenEffects,
}

/// What the log of a world keeps of the clients' requests: what a check of histories needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Requests {
    /// Nothing.
    #[default]
    Forgotten,
    /// Each client's in its order.
    InClientOrder,
    /// That, and which replies were there before.
    InRealTime,
}

/// How often each fault may happen over one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budgets {
    /// TIMEOUT.
    pub timeouts: u8,
    /// CRASH.
    pub crashes: u8,
    /// RESTART.
    pub restarts: u8,
    /// DROP.
    pub drops: u8,
}

/// When a node that neither waits nor exits is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// Processor time of one step.
    pub cpu: Duration,
    /// Wall time of one step.
    pub wall: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Patience { cpu: Duration::from_secs(10), wall: Duration::from_secs(60) }
    }
}
