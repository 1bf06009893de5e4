//! Every cap, once. Going past one is the violation `cap:NAME`, never a truncation. The LIMITS
//! section of cmc(7) is compared with [`ALL`].

/// A cap: its name and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The name, as in `cap:NAME`.
    pub name: &'static str,
    /// The largest number allowed.
    pub value: usize,
    /// What is counted.
    pub what: &'static str,
}

/// Nodes of a model (checked when the model file is read).
pub const NODES: Limit = Limit { name: "nodes", value: 8, what: "nodes" };
/// Clients of a model (checked when the model file is read).
pub const CLIENTS: Limit = Limit { name: "clients", value: 32, what: "client scripts" };
/// Each budget (checked when the model file is read).
pub const BUDGET: Limit = Limit { name: "budget", value: 255, what: "for each budget" };
/// Bytes of one write to a connection.
pub const WRITE: Limit =
    Limit { name: "write", value: 65536, what: "bytes per write to a connection" };
/// Messages in flight.
pub const MESSAGES: Limit = Limit { name: "messages", value: 1024, what: "messages in flight" };
/// Dials, writes, closes and records of one step of a node; one that never waits would go on for ever.
pub const EFFECTS: Limit =
    Limit { name: "effects", value: 4096, what: "effects of one step of a node" };
/// Descriptors of a node.
pub const DESCRIPTORS: Limit =
    Limit { name: "descriptors", value: 64, what: "open descriptors per node" };
/// Connections that wait at one port.
pub const BACKLOG: Limit =
    Limit { name: "backlog", value: 64, what: "connections waiting at a port" };
/// Entries of the reply log.
pub const REPLIES: Limit = Limit {
    name: "replies",
    value: 1024,
    what: "client replies, and requests where a history is checked",
};
/// Bytes of a reported or durable record: its length is one byte.
pub const REPORT: Limit =
    Limit { name: "report", value: 255, what: "bytes of reported state per node" };
/// Bytes that a node may write to stdout and stderr in one step.
pub const OUTPUT: Limit =
    Limit { name: "output", value: 1 << 20, what: "bytes of output per step of a node" };

/// All of them, in the order of cmc(7).
pub const ALL: [Limit; 11] = [
    NODES,
    CLIENTS,
    BUDGET,
    WRITE,
    MESSAGES,
    EFFECTS,
    DESCRIPTORS,
    BACKLOG,
    REPLIES,
    REPORT,
    OUTPUT,
];
