//! The vocabulary of actions: what can happen next in a world, and the choices taken inside it.
//! An action is a small value; how it is written in a trace is the system's business
//! ([`crate::system::System::name`]), because a client's step is named by the text it sends.

use std::fmt;

/// What kind of thing happens. The numbers are those of `CmcActionKind` in the C interface and never
/// change; the order in which kinds are listed is that of [`Kind::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// A node takes the oldest message of a connection, or a core any message of a bag.
    Deliver = 1,
    /// The network loses a message; in a core's FIFO network, a connection.
    Drop = 2,
    /// A bag network delivers a message and keeps it.
    Dup = 3,
    /// An armed timer of a core runs out.
    Fire = 4,
    /// The oldest pending persist of a core reaches the disk.
    Flush = 5,
    /// A waiter that a core has woken goes on.
    Wake = 6,
    /// A client takes its next step.
    Client = 7,
    /// A node dies; a core restarts at once.
    Crash = 8,
    /// A core learns that a connection was reset.
    Reset = 9,
    /// A node takes a connection that waits at its port.
    Accept = 10,
    /// A node learns that the other end of a connection is gone.
    Eof = 11,
    /// A node's wait runs out of time.
    Timeout = 12,
    /// A step of a core that lists its own actions (calibration).
    Action = 13,
    /// A crashed node boots again.
    Restart = 14,
}

impl Kind {
    /// Every kind, in listing order.
    pub const ALL: [Kind; 14] = [
        Kind::Accept,
        Kind::Deliver,
        Kind::Eof,
        Kind::Dup,
        Kind::Fire,
        Kind::Flush,
        Kind::Wake,
        Kind::Client,
        Kind::Timeout,
        Kind::Drop,
        Kind::Crash,
        Kind::Reset,
        Kind::Restart,
        Kind::Action,
    ];

    /// The kind with this number.
    pub const fn of(number: u8) -> Option<Kind> {
        Some(match number {
            1 => Kind::Deliver,
            2 => Kind::Drop,
            3 => Kind::Dup,
            4 => Kind::Fire,
            5 => Kind::Flush,
            6 => Kind::Wake,
            7 => Kind::Client,
            8 => Kind::Crash,
            9 => Kind::Reset,
            10 => Kind::Accept,
            11 => Kind::Eof,
            12 => Kind::Timeout,
            13 => Kind::Action,
            14 => Kind::Restart,
            _ => return None,
        })
    }

    /// The word that stands for the kind in output, traces and man pages.
    pub const fn word(self) -> &'static str {
        match self {
            Kind::Accept => "ACCEPT",
            Kind::Deliver => "DELIVER",
            Kind::Eof => "EOF",
            Kind::Dup => "DUP",
            Kind::Fire => "FIRE",
            Kind::Flush => "FLUSH",
            Kind::Wake => "WAKE",
            Kind::Client => "CLIENT",
            Kind::Timeout => "TIMEOUT",
            Kind::Drop => "DROP",
            Kind::Crash => "CRASH",
            Kind::Reset => "RESET",
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

/// One action of one world: its kind, whom it concerns (a node; for `CLIENT` of a process model a script), and one
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

impl Action {
    /// That of the same kind and subject whose argument is so much greater.
    #[inline]
    pub fn nth(self, nth: u32) -> Self {
        Action { argument: self.argument.wrapping_add(nth), ..self }
    }
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
