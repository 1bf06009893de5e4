//! A world: canonical bytes. Equal bytes are the same state. What they say is known to the front end
//! that made them; properties and reports read a world through a [`View`].

use crate::error::Error;

/// Where a world may differ from the one that it was made from: in some of its bytes, and from some
/// place on, where their lengths may differ too. All other bytes are the same, at the same places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touched {
    /// The first of some bytes.
    pub start: usize,
    /// The first behind them.
    pub end: usize,
    /// From here on.
    pub behind: usize,
}

impl Touched {
    /// It may differ everywhere.
    pub const ALL: Touched = Touched { start: 0, end: 0, behind: 0 };
}

/// Whether a node runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Liveness {
    /// It runs, and waits in a call.
    Running,
    /// It has exited.
    Exited,
    /// It was killed by a CRASH.
    Crashed,
}

/// A message that is on its way to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message<'a> {
    /// The node it goes to.
    pub to: usize,
    /// The node that sent it, unless a client did or the sender's end is gone.
    pub from: Option<usize>,
    /// The client that sent it, if one did and its end is still there.
    pub client: Option<usize>,
    /// Its bytes.
    pub bytes: &'a [u8],
}

/// One entry of the ghost log of what clients were answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply<'a> {
    /// The node that answered, if that is known: a core's.
    pub node: Option<usize>,
    /// The client that was answered, if it has a number: a script.
    pub client: Option<usize>,
    /// What one answer brought it.
    pub bytes: &'a [u8],
}

/// One entry of the ghost log where it keeps requests too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchange<'a> {
    /// The client.
    pub client: usize,
    /// Whether the client asked; else it was answered.
    pub request: bool,
    /// The bytes of one message.
    pub bytes: &'a [u8],
}

/// How a front end lets properties and reports read its worlds. Code that enables actions is never
/// handed one.
pub trait Reader: Sync {
    /// How many nodes every world has.
    fn nodes(&self) -> usize;
    /// Whether `node` runs.
    fn liveness(&self, world: &[u8], node: usize) -> Result<Liveness, Error>;
    /// The content of the local state of `node`; `None` when it is not running.
    fn content<'w>(&'w self, world: &'w [u8], node: usize) -> Result<Option<&'w [u8]>, Error>;
    /// What stands for the liveness and the content of `node`: worlds in which it is equal have equal
    /// ones. `None` where that has no short form, or cannot be read.
    fn identity(&self, _world: &[u8], _node: usize) -> Option<(Liveness, u128)> {
        None
    }
    /// The clock of `node`, in microseconds since its start value.
    fn clock(&self, world: &[u8], node: usize) -> Result<i64, Error>;
    /// What is left of the budget `name`; `None` when there is no such budget.
    fn budget(&self, world: &[u8], name: &str) -> Result<Option<u64>, Error>;
    /// Call `each` with every message on its way to a node, until it answers `false`.
    fn messages(
        &self,
        world: &[u8],
        each: &mut dyn FnMut(Message<'_>) -> bool,
    ) -> Result<(), Error>;
    /// Call `each` with the replies in order of emission, until it answers `false`.
    fn replies(&self, world: &[u8], each: &mut dyn FnMut(Reply<'_>) -> bool) -> Result<(), Error>;
    /// Call `each` with the requests and the replies, each client's in its order, until it answers
    /// `false`. An error in worlds that do not keep requests.
    fn exchanges(
        &self,
        _world: &[u8],
        _each: &mut dyn FnMut(Exchange<'_>) -> bool,
    ) -> Result<(), Error> {
        Err(Error::Internal("this system keeps no requests".into()))
    }
}

/// A world, and the means to read it.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The canonical bytes.
    pub world: &'a [u8],
    /// How to read them.
    pub reader: &'a dyn Reader,
}
