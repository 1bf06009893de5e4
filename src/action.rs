//! The vocabulary of actions: what can happen next in a world, and the choices taken inside it.
//! An action is a small value; how it is written in a trace is the system's business
//! ([`crate::system::System::name`]), because a client's step is named by the text it sends.

use std::fmt;

/// What kind of thing happens. The order is the order in which a world's actions are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// A node takes a connection that waits at its port.
    Accept = 1,
    /// A node reads the oldest message of a connection.
    Deliver = 2,
    /// A node learns that the other end of a connection is gone.
    Eof = 3,
    /// A client's script takes its next step.
    Client = 4,
    /// A node's wait runs out of time.
    Timeout = 5,
    /// The network loses the oldest message of one direction of a connection.
    Drop = 6,
    /// A node dies.
    Crash = 7,
    /// A crashed node boots again.
    Restart = 8,
    /// A step of a system that names its own actions (calibration).
    Action = 9,
}

impl Kind {
    /// Every kind, in listing order.
    pub const ALL: [Kind; 9] = [
        Kind::Accept,
        Kind::Deliver,
        Kind::Eof,
        Kind::Client,
        Kind::Timeout,
        Kind::Drop,
        Kind::Crash,
        Kind::Restart,
        Kind::Action,
    ];

    /// The word that stands for the kind in output, traces and man pages.
    pub const fn word(self) -> &'static str {
        match self {
            Kind::Accept => "ACCEPT",
            Kind::Deliver => "DELIVER",
            Kind::Eof => "EOF",
            Kind::Client => "CLIENT",
            Kind::Timeout => "TIMEOUT",
            Kind::Drop => "DROP",
            Kind::Crash => "CRASH",
            Kind::Restart => "RESTART",
            Kind::Action => "ACTION",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// One action of one world: its kind, whom it concerns (a node; for `CLIENT` a script), and one
/// number that the front end gives a meaning (a descriptor, a place in a backlog, a script step).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Action {
    /// What happens.
    pub kind: Kind,
    /// The node, or for `CLIENT` the script, that it happens to.
    pub subject: u8,
    /// The front end's number.
    pub argument: u32,
}

/// Why a step asks for a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChoiceKind {
    /// After how many of its effects the node dies; 0 means that it does not.
    Crash,
    /// A choice of a system that needs no further name (test systems).
    Other,
}

/// An action with the choices that were taken inside it, in the order in which they were asked, up
/// to the last that is not 0: a choice left out is 0.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label {
    /// The action.
    pub action: Action,
    /// The choices; empty for nearly every step.
    pub choices: Box<[u16]>,
}

impl Label {
    /// An action that asked for no choice.
    pub fn plain(action: Action) -> Self {
        Label { action, choices: Box::default() }
    }
}
