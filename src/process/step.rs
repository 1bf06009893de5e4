//! One step of one node: what it is given, what it does in order, and how it comes to rest. A step
//! is a function of the node's local state, its input, and the answers it asks for.

use crate::bytes::{put_int, put_uint};

/// What ends the wait of a node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// `accept` returns a connection.
    Accepted {
        /// Whether it is the synthetic timer connection, which holds one `T`.
        synthetic: bool,
    },
    /// A read returns these bytes of the oldest message; none are the end of the stream.
    Bytes(Vec<u8>),
    /// A read returns the byte `T` of `timeout = "byte"`.
    Tick,
    /// The wait's time is up: EAGAIN.
    Expired,
}

/// What makes a node run: it boots, or its wait ends.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// It boots, and finds this durable record.
    Boot(Option<Vec<u8>>),
    /// Its wait ends.
    Input(Input),
}

/// A [`Cause`] whose bytes stand elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger<'a> {
    /// [`Cause::Boot`].
    Boot(Option<&'a [u8]>),
    /// [`Input::Accepted`].
    Accepted {
        /// Whether it is the synthetic timer connection.
        synthetic: bool,
    },
    /// [`Input::Bytes`].
    Bytes(&'a [u8]),
    /// [`Input::Tick`].
    Tick,
    /// [`Input::Expired`].
    Expired,
}

impl Cause {
    /// The same, and its bytes are these.
    pub fn trigger(&self) -> Trigger<'_> {
        match self {
            Cause::Boot(record) => Trigger::Boot(record.as_deref()),
            Cause::Input(Input::Accepted { synthetic }) => {
                Trigger::Accepted { synthetic: *synthetic }
            }
            Cause::Input(Input::Bytes(bytes)) => Trigger::Bytes(bytes),
            Cause::Input(Input::Tick) => Trigger::Tick,
            Cause::Input(Input::Expired) => Trigger::Expired,
        }
    }
}

impl Trigger<'_> {
    /// The same with bytes of its own.
    pub fn cause(self) -> Cause {
        Cause::Input(match self {
            Trigger::Boot(record) => return Cause::Boot(record.map(<[u8]>::to_vec)),
            Trigger::Accepted { synthetic } => Input::Accepted { synthetic },
            Trigger::Bytes(bytes) => Input::Bytes(bytes.to_vec()),
            Trigger::Tick => Input::Tick,
            Trigger::Expired => Input::Expired,
        })
    }
}

/// What a node may ask for while it runs, beside what its local state and the cause decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Query {
    /// What its clock says.
    Clock,
    /// How often it has booted, which its random bytes depend on.
    Boots,
}

/// The answers to every [`Query`], in one world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    /// The node's clock, in microseconds since the start value.
    pub clock: i64,
    /// How often the node has booted, this time included.
    pub boots: u64,
}

impl Answers {
    /// The answer to `query`.
    pub fn to(self, query: Query) -> i64 {
        match query {
            Query::Clock => self.clock,
            Query::Boots => self.boots as i64,
        }
    }
}

/// What a node did to the world.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// The connection that it was given has this descriptor.
    Accepted {
        /// The descriptor.
        fd: i32,
    },
    /// It took what it was given off the line of its wait.
    Took,
    /// It listens at its port.
    Listening,
    /// It dialled the port of a node. An effect.
    Dialled {
        /// The descriptor of its end.
        fd: i32,
        /// The node that owns the port.
        owner: usize,
    },
    /// It wrote to a connection. An effect.
    Wrote {
        /// The descriptor.
        fd: i32,
        /// The message.
        bytes: Vec<u8>,
    },
    /// It shut the writing half of a connection.
    Shut {
        /// The descriptor.
        fd: i32,
    },
    /// It closed a socket. An effect.
    Closed {
        /// The descriptor.
        fd: i32,
        /// Whether that socket listened.
        listener: bool,
    },
    /// It made a record durable. An effect.
    Persisted {
        /// The record, without its length byte.
        record: Vec<u8>,
    },
    /// It wrote to standard output or error.
    Printed {
        /// 1 or 2.
        fd: i32,
        /// The bytes.
        bytes: Vec<u8>,
    },
}

impl Event {
    /// Whether it is an effect: a crash may fall between any two of them.
    pub fn is_effect(&self) -> bool {
        matches!(
            self,
            Event::Dialled { .. }
                | Event::Wrote { .. }
                | Event::Closed { .. }
                | Event::Persisted { .. }
        )
    }
}

/// How a node comes to rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rest {
    /// It waits, in a call that is given in full: number, address, arguments.
    Waiting(Wait, Vec<u64>),
    /// It has exited, with a status that the model allows.
    Exited,
    /// It was stopped behind as many effects as were asked for.
    Cut,
}

/// What a node waits in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// For what.
    pub kind: WaitKind,
    /// On which descriptor.
    pub fd: i32,
    /// How many bytes a read has room for.
    pub capacity: u64,
    /// After how many microseconds the wait ends by itself, if it does.
    pub timeout: Option<i64>,
}

/// For what a node waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitKind {
    /// A connection.
    Accept,
    /// A message.
    Read,
}

impl Wait {
    /// Append canonical bytes.
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.push(match self.kind {
            WaitKind::Accept => 0,
            WaitKind::Read => 1,
        });
        put_int(out, self.fd.into());
        put_uint(out, self.capacity);
        put_int(out, self.timeout.unwrap_or(0));
    }
}
