//! The two kinds of participant as the environment knows them: nodes and clients. Their copies are
//! made in the memory that is there.

use smallvec::SmallVec;

use super::few::Few;
use super::network::SideId;
use super::state::Resting;
use super::step::{Answers, Wait};
use super::text::Text;
use crate::world::Liveness;

/// What the environment knows of a node.
#[derive(Clone, Debug)]
pub struct NodeSide {
    /// Whether it runs.
    pub liveness: Liveness,
    /// How often it has booted.
    pub boots: u64,
    /// Its clock, in microseconds since the start value.
    pub clock: i64,
    /// Its last durable record.
    pub durable: Option<Text>,
    /// Its local state, while it runs.
    pub state: Option<Resting>,
    /// Whether it listens at its port.
    pub listens: bool,
    /// Its ends of connections, by ascending descriptor.
    pub ends: Few<(i32, SideId), 4>,
    /// Connections that wait at its port, oldest first.
    pub backlog: Few<SideId, 4>,
}

/// Where a client's script stands.
#[derive(Clone, Debug)]
pub struct ClientSide {
    /// Whether it has dialled.
    pub dialled: bool,
    /// Which of its sends are done, by index.
    pub sent: SmallVec<[bool; 16]>,
    /// Its end, while it has one.
    pub end: Option<SideId>,
}

impl NodeSide {
    /// What the node is told when it asks.
    pub fn answers(&self) -> Answers {
        Answers { clock: self.clock, boots: self.boots }
    }

    /// Its end on `fd`.
    pub fn end(&self, fd: i32) -> Option<SideId> {
        let place = self.ends.binary_search_by_key(&fd, |&(fd, _)| fd).ok()?;
        Some(self.ends[place].1)
    }

    /// Every end that it holds: those on descriptors, then those that wait at its port.
    pub fn held(&self) -> impl Iterator<Item = SideId> {
        self.ends.iter().map(|&(_, id)| id).chain(self.backlog.iter().copied())
    }

    pub(super) fn take(&mut self, fd: i32, id: SideId) {
        let place = self.ends.partition_point(|&(other, _)| other < fd);
        self.ends.insert(place, (fd, id));
    }

    pub(super) fn let_go(&mut self, fd: i32) -> Option<SideId> {
        let place = self.ends.binary_search_by_key(&fd, |&(fd, _)| fd).ok()?;
        Some(self.ends.remove(place).1)
    }

    pub(super) fn copy_from(&mut self, other: &NodeSide) {
        let NodeSide { liveness, boots, clock, durable, state, listens, ref ends, ref backlog } =
            *other;
        self.liveness = liveness;
        self.boots = boots;
        self.clock = clock;
        self.durable = durable;
        self.state = state;
        self.listens = listens;
        self.ends.copy_from(ends);
        self.backlog.copy_from(backlog);
    }

    /// What it waits in, while it runs.
    pub fn wait(&self) -> Option<Wait> {
        self.state.map(|state| state.wait)
    }
}

impl Default for NodeSide {
    /// Before it has booted. It counts as running, so that a node that boots early can dial one that
    /// boots late.
    fn default() -> Self {
        NodeSide {
            liveness: Liveness::Running,
            boots: 0,
            clock: 0,
            durable: None,
            state: None,
            listens: false,
            ends: Few::default(),
            backlog: Few::default(),
        }
    }
}

impl ClientSide {
    pub(super) fn copy_from(&mut self, other: &ClientSide) {
        let ClientSide { dialled, ref sent, end } = *other;
        self.dialled = dialled;
        copy(&mut self.sent, sent);
        self.end = end;
    }
}

/// `clone_from` of small vectors goes from element to element.
fn copy<A: smallvec::Array>(to: &mut SmallVec<A>, from: &SmallVec<A>)
where
    A::Item: Copy,
{
    to.clear();
    to.extend_from_slice(from);
}
