//! Every table and key of the model file, once. The parser refuses what is not here, and
//! cmc-model(5) is compared with it.

/// A table of the model file and the keys in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// The table's key.
    pub name: &'static str,
    /// How the table is written: `[time]`, `[[node]]`, `[node.fields]`.
    pub title: &'static str,
    /// The keys that it may hold; `None` when the model names them itself.
    pub keys: Option<&'static [&'static str]>,
}

/// A node, or several that run one program.
pub const NODE: Section = Section {
    name: "node",
    title: "[[node]]",
    keys: Some(&["program", "args", "count", "state", "ignore", "listen", "may_exit", "fields"]),
};
/// The fields of one node.
pub const NODE_FIELDS: Section =
    Section { name: "node.fields", title: "[node.fields]", keys: None };
/// How the network behaves.
pub const NETWORK: Section =
    Section { name: "network", title: "[network]", keys: Some(&["mode", "close"]) };
/// What a time-out is.
pub const TIME: Section = Section { name: "time", title: "[time]", keys: Some(&["timeout"]) };
/// How often faults may happen.
pub const BUDGET: Section = Section {
    name: "budget",
    title: "[budget]",
    keys: Some(&["timeouts", "crashes", "restarts", "drops", "crash"]),
};
/// A client script.
pub const CLIENT: Section = Section {
    name: "client",
    title: "[[client]]",
    keys: Some(&["node", "send", "order", "wait", "close"]),
};
/// The fields of every node that has none of its own.
pub const FIELDS: Section = Section { name: "fields", title: "[fields]", keys: None };
/// What holds in every world.
pub const INVARIANTS: Section = Section { name: "invariants", title: "[invariants]", keys: None };
/// What holds on every transition.
pub const STEPS: Section = Section { name: "steps", title: "[steps]", keys: None };
/// What some world must show.
pub const SOMETIMES: Section = Section { name: "sometimes", title: "[sometimes]", keys: None };
/// What every fair run must show.
pub const EVENTUALLY: Section = Section { name: "eventually", title: "[eventually]", keys: None };
/// What must hold of the history of the clients' requests and replies.
pub const HISTORY: Section = Section {
    name: "history",
    title: "[history]",
    keys: Some(&[
        "model",
        "consistency",
        "write",
        "read",
        "cas",
        "delete",
        "enqueue",
        "dequeue",
        "done",
        "value",
        "none",
        "failed",
        "empty",
        "unknown",
        "initial",
        "ignore",
    ]),
};
/// When a node counts as silent.
pub const LIMITS: Section =
    Section { name: "limits", title: "[limits]", keys: Some(&["cpu_seconds", "wall_seconds"]) };

/// All of them, in the order of cmc-model(5).
pub const ALL: [Section; 13] = [
    NODE,
    NODE_FIELDS,
    NETWORK,
    TIME,
    BUDGET,
    CLIENT,
    FIELDS,
    INVARIANTS,
    STEPS,
    SOMETIMES,
    EVENTUALLY,
    HISTORY,
    LIMITS,
];

/// The budgets, as `[budget]` and `budget.NAME` call them.
pub const BUDGETS: [&str; 4] = ["timeouts", "crashes", "restarts", "drops"];
