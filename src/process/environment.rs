//! The environment of the nodes: who lives, the network, the clients, clocks, durable records and
//! budgets. It is what the checker owns of a world; it never sees the content of a node.

use std::sync::Arc;

use smallvec::SmallVec;

use super::config::{Budgets, Close, Config, Requests};
use super::log::Log;
use super::network::{End, Network, SideId};
use super::state::Resting;
use super::step::{Answers, Event, Wait, WaitKind};
use crate::limits;
use crate::system::{Breach, Stop};
use crate::world::Liveness;

/// The environment in one world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Environment {
    /// What is left of each budget.
    pub budgets: Budgets,
    /// By node number.
    pub nodes: SmallVec<[NodeSide; 4]>,
    /// By client number.
    pub clients: SmallVec<[ClientSide; 2]>,
    /// The connections.
    pub network: Network,
    /// What clients were answered, and perhaps asked for.
    pub log: Log,
}

/// What the environment knows of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeSide {
    /// Whether it runs.
    pub liveness: Liveness,
    /// How often it has booted.
    pub boots: u64,
    /// Its clock, in microseconds since the start value.
    pub clock: i64,
    /// Its last durable record.
    pub durable: Option<Arc<[u8]>>,
    /// Its local state, while it runs.
    pub state: Option<Resting>,
    /// Whether it listens at its port.
    pub listens: bool,
    /// Its ends of connections, by ascending descriptor.
    pub ends: SmallVec<[(i32, SideId); 4]>,
    /// Connections that wait at its port, oldest first.
    pub backlog: SmallVec<[SideId; 2]>,
}

/// Where a client's script stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientSide {
    /// Whether it has dialled.
    pub dialled: bool,
    /// Which of its sends are done, by index.
    pub sent: SmallVec<[bool; 16]>,
    /// Its end, while it has one.
    pub end: Option<SideId>,
}

/// What became of a node at the end of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    /// It waits.
    Rests(Resting),
    /// It has exited.
    Exited,
    /// It was made to crash inside the step.
    Crashed,
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

    fn take(&mut self, fd: i32, id: SideId) {
        let place = self.ends.partition_point(|&(other, _)| other < fd);
        self.ends.insert(place, (fd, id));
    }

    fn let_go(&mut self, fd: i32) -> Option<SideId> {
        let place = self.ends.binary_search_by_key(&fd, |&(fd, _)| fd).ok()?;
        Some(self.ends.remove(place).1)
    }

    /// What it waits in, while it runs.
    pub fn wait(&self) -> Option<Wait> {
        self.state.map(|state| state.wait)
    }
}

impl Environment {
    /// Before any node has booted. Nodes count as running, so that one that boots early can dial one
    /// that boots late.
    pub fn new(config: &Config) -> Self {
        let node = NodeSide {
            liveness: Liveness::Running,
            boots: 0,
            clock: 0,
            durable: None,
            state: None,
            listens: false,
            ends: SmallVec::new(),
            backlog: SmallVec::new(),
        };
        let client = |sends: usize| ClientSide {
            dialled: false,
            sent: SmallVec::from_elem(false, sends),
            end: None,
        };
        Environment {
            budgets: config.budgets,
            nodes: SmallVec::from_elem(node, config.nodes.len()),
            clients: config.clients.iter().map(|script| client(script.send.len())).collect(),
            network: Network::default(),
            log: Log::default(),
        }
    }

    /// How many replies `client` has had.
    pub fn replies_of(&self, client: usize) -> usize {
        self.log.replies().filter(|entry| entry.client == client).count()
    }

    /// What `node` would read in `wait`: of the oldest message what fits.
    pub fn message(&self, node: usize, wait: Wait) -> Option<&[u8]> {
        let id = self.nodes[node].end(wait.fd)?;
        let message = self.network.side(id).queue.first()?;
        let room = usize::try_from(wait.capacity).unwrap_or(usize::MAX);
        Some(&message[..message.len().min(room)])
    }

    /// `node` has read in its wait: what did not fit stays first in line.
    fn take(&mut self, node: usize) {
        let Some(wait) = self.nodes[node].wait() else { return };
        let Some(taken) = self.message(node, wait).map(<[u8]>::len) else { return };
        let Some(id) = self.nodes[node].end(wait.fd) else { return };
        let queue = &mut self.network.side_mut(id).queue;
        let message = queue.remove(0);
        if taken < message.len() {
            queue.insert(0, message[taken..].into());
        }
    }

    /// What happened in one step of `node`, and what became of it. `accepting` is the connection that its first event hands over, if the step began with
    /// one. The answer is whether some write went nowhere.
    pub fn absorb(
        &mut self,
        config: &Config,
        node: usize,
        accepting: Option<SideId>,
        events: &[Event],
        after: After,
    ) -> Result<bool, Stop> {
        let mut lost = false;
        let shown = config.close == Close::Shown;
        let mut accepting = accepting;
        for event in events {
            match event {
                Event::Accepted { fd } => {
                    if let Some(id) = accepting.take() {
                        self.hold(node, *fd, id);
                    }
                }
                Event::Took => self.take(node),
                Event::Listening => self.nodes[node].listens = true,
                Event::Dialled { fd, owner } => self.dial(node, *fd, *owner)?,
                Event::Wrote { fd, bytes } => lost |= self.write(node, *fd, bytes)?,
                Event::Shut { fd } if shown => {
                    if let Some(id) = self.nodes[node].end(*fd) {
                        self.network.finish(id.other());
                    }
                }
                Event::Closed { fd, listener } => {
                    if *listener {
                        self.close_port(node);
                        self.nodes[node].listens = false;
                    }
                    if let Some(id) = self.nodes[node].let_go(*fd) {
                        self.network.release(id, shown);
                    }
                }
                Event::Persisted { record } => {
                    self.nodes[node].durable = Some(record.as_slice().into());
                }
                Event::Shut { .. } | Event::Printed { .. } => {}
            }
        }
        match after {
            After::Rests(state) => self.nodes[node].state = Some(state),
            After::Exited => self.bury(node, Liveness::Exited),
            After::Crashed => self.bury(node, Liveness::Crashed),
        }
        Ok(lost)
    }

    /// `node` is gone: its ends close and show it, its port's connections are dead.
    pub fn bury(&mut self, node: usize, liveness: Liveness) {
        self.close_port(node);
        for (_, id) in std::mem::take(&mut self.nodes[node].ends) {
            self.network.release(id, true);
        }
        let side = &mut self.nodes[node];
        side.liveness = liveness;
        side.state = None;
        side.listens = false;
    }

    /// Give the end `id` to `node` on `fd`.
    pub fn hold(&mut self, node: usize, fd: i32, id: SideId) {
        self.network.side_mut(id).end = End::Node(node, fd);
        self.nodes[node].take(fd, id);
    }

    /// A connection whose other end was never there: the synthetic timer connection.
    pub fn synthetic(&mut self) -> SideId {
        let id = self.network.connect([End::Gone, End::Gone]);
        self.network.side_mut(id).finished = true;
        id
    }

    /// Queue a connection from `from` at the port of `owner`; the dialler's end.
    pub fn dial_from(&mut self, from: End, owner: usize) -> Result<SideId, Stop> {
        let id = self.network.connect([from, End::Waiting(owner)]);
        if self.nodes[owner].liveness != Liveness::Running {
            self.network.release(id.other(), true);
            return Ok(id);
        }
        self.nodes[owner].backlog.push(id.other());
        cap(&limits::BACKLOG, self.nodes[owner].backlog.len(), || {
            format!("connections wait at the port of node {owner}")
        })?;
        Ok(id)
    }

    fn dial(&mut self, node: usize, fd: i32, owner: usize) -> Result<(), Stop> {
        let id = self.dial_from(End::Node(node, fd), owner)?;
        self.nodes[node].take(fd, id);
        Ok(())
    }

    /// A node's write; whether it went nowhere.
    fn write(&mut self, node: usize, fd: i32, bytes: &[u8]) -> Result<bool, Stop> {
        let Some(id) = self.nodes[node].end(fd) else { return Ok(true) };
        match self.network.side(id.other()).end {
            End::Gone => return Ok(true),
            End::Client(client) => {
                self.log.reply(client, bytes);
                self.cap_log()?;
            }
            End::Node(..) | End::Waiting(_) => self.send(id.other(), bytes)?,
        }
        Ok(false)
    }

    /// A client's write, which goes to `to`.
    pub fn ask(
        &mut self,
        requests: Requests,
        client: usize,
        to: SideId,
        bytes: &[u8],
    ) -> Result<(), Stop> {
        self.log.request(requests, client, bytes);
        self.cap_log()?;
        self.send(to, bytes)
    }

    fn cap_log(&self) -> Result<(), Stop> {
        cap(&limits::REPLIES, self.log.entries().len(), || "entries in the log of replies".into())
    }

    /// Put a message on its way.
    pub fn send(&mut self, to: SideId, bytes: &[u8]) -> Result<(), Stop> {
        self.network.send(to, bytes);
        cap(&limits::MESSAGES, self.network.messages(), || "messages in flight".into())
    }

    /// Every connection that waits at the port of `node` is dead.
    fn close_port(&mut self, node: usize) {
        for id in std::mem::take(&mut self.nodes[node].backlog) {
            self.network.release(id, true);
        }
    }

    /// The wait of `node`, if it is of this kind on this descriptor.
    pub fn waits(&self, node: usize, kind: WaitKind) -> Option<Wait> {
        self.nodes[node].wait().filter(|wait| wait.kind == kind)
    }
}

fn cap(limit: &limits::Limit, count: usize, what: impl Fn() -> String) -> Result<(), Stop> {
    if count <= limit.value {
        return Ok(());
    }
    Err(Stop::Violated(Breach {
        property: format!("cap:{}", limit.name),
        why: format!("{count} {}; the cap is {}", what(), limit.value),
    }))
}
