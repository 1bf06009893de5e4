//! The environment of the nodes: who lives, the network, the clients, clocks, durable records and
//! budgets. It is what the checker owns of a world; it never sees the content of a node.

use smallvec::SmallVec;

use super::config::{Budgets, Close, Config, Requests};
use super::log::Log;
use super::network::{End, Network, SideId};
use super::participant::{ClientSide, NodeSide};
use super::state::Resting;
use super::step::{Event, Trigger, Wait, WaitKind};
use super::text::{Text, Texts};
use crate::limits;
use crate::system::{Breach, Stop};
use crate::world::Liveness;

/// The environment in one world. It is plain data in few pieces of memory, which [`copy_from`]
/// uses again.
///
/// [`copy_from`]: Environment::copy_from
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// What is left of each budget.
    pub budgets: Budgets,
    /// By node number.
    pub nodes: Vec<NodeSide>,
    /// By client number.
    pub clients: Vec<ClientSide>,
    /// The connections.
    pub network: Network,
    /// What clients were answered, and perhaps asked for.
    pub log: Log,
    /// The bytes of messages, durable records and the log.
    pub texts: Texts,
}

/// Why a node runs; bytes are those of the environment's texts.
#[derive(Clone, Copy, Debug)]
pub enum Why {
    /// It boots, and finds its durable record.
    Boot,
    /// `accept` returns a connection.
    Accepted {
        /// Whether it is the synthetic timer connection.
        synthetic: bool,
    },
    /// A read returns these bytes; none are the end of the stream.
    Bytes(Text),
    /// A read returns the byte `T` of `timeout = "byte"`.
    Tick,
    /// The wait's time is up.
    Expired,
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

impl Environment {
    /// Before any node has booted.
    pub fn new(config: &Config) -> Self {
        let client = |sends: usize| ClientSide {
            dialled: false,
            sent: SmallVec::from_elem(false, sends),
            end: None,
        };
        Environment {
            budgets: config.budgets,
            nodes: vec![NodeSide::default(); config.nodes.len()],
            clients: config.clients.iter().map(|script| client(script.send.len())).collect(),
            ..Environment::default()
        }
    }

    /// Become a copy of `other`, which is of the same model, in the memory that is there.
    pub fn copy_from(&mut self, other: &Environment) {
        let Environment { budgets, nodes, clients, network, log, texts } = other;
        self.budgets = *budgets;
        self.nodes.resize_with(nodes.len(), NodeSide::default);
        self.nodes.iter_mut().zip(nodes).for_each(|(to, from)| to.copy_from(from));
        if self.clients.len() == clients.len() {
            self.clients.iter_mut().zip(clients).for_each(|(to, from)| to.copy_from(from));
        } else {
            self.clients.clone_from(clients);
        }
        self.network.copy_from(network);
        self.log.copy_from(log);
        self.texts.copy_from(texts);
    }

    /// How many replies `client` has had.
    pub fn replies_of(&self, client: usize) -> usize {
        self.log.replies().filter(|entry| entry.client == client).count()
    }

    /// What `node` would read in `wait`: of the oldest message what fits.
    pub fn message(&self, node: usize, wait: Wait) -> Option<Text> {
        let message = self.network.oldest(self.nodes[node].end(wait.fd)?)?;
        Some(message.first(wait.capacity))
    }

    /// Why `node` runs, with the bytes that belong to it.
    pub fn trigger(&self, node: usize, why: Why) -> Trigger<'_> {
        match why {
            Why::Boot => {
                let durable = self.nodes[node].durable;
                Trigger::Boot(durable.map(|record| self.texts.get(record)))
            }
            Why::Accepted { synthetic } => Trigger::Accepted { synthetic },
            Why::Bytes(text) => Trigger::Bytes(self.texts.get(text)),
            Why::Tick => Trigger::Tick,
            Why::Expired => Trigger::Expired,
        }
    }

    /// `node` has read in its wait: what did not fit stays first in line.
    fn take(&mut self, node: usize) {
        let Some(wait) = self.nodes[node].wait() else { return };
        let Some(taken) = self.message(node, wait) else { return };
        let Some(id) = self.nodes[node].end(wait.fd) else { return };
        self.network.arrive(id, taken.len());
    }

    /// What happened in one step of `node`, and what became of it. `accepting` is the connection that
    /// its first event hands over, if the step began with one. The answer is whether some write went
    /// nowhere.
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
                    self.nodes[node].durable = Some(self.texts.add(record));
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
        for &(_, id) in std::mem::take(&mut self.nodes[node].ends).iter() {
            self.network.release(id, true);
        }
        let side = &mut self.nodes[node];
        side.liveness = liveness;
        side.state = None;
        side.listens = false;
    }

    /// Give the end `id` to `node` on `fd`.
    pub fn hold(&mut self, node: usize, fd: i32, id: SideId) {
        self.network.side_mut(id).end = End::Node(node as u8, fd);
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
        let id = self.network.connect([from, End::Waiting(owner as u8)]);
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
        let id = self.dial_from(End::Node(node as u8, fd), owner)?;
        self.nodes[node].take(fd, id);
        Ok(())
    }

    /// A node's write; whether it went nowhere.
    fn write(&mut self, node: usize, fd: i32, bytes: &[u8]) -> Result<bool, Stop> {
        let Some(id) = self.nodes[node].end(fd) else { return Ok(true) };
        match self.network.side(id.other()).end {
            End::Gone => return Ok(true),
            End::Client(client) => {
                self.log.reply(client.into(), self.texts.add(bytes));
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
        let text = self.texts.add(bytes);
        self.log.request(requests, client, text);
        self.cap_log()?;
        self.put(to, text)
    }

    fn cap_log(&self) -> Result<(), Stop> {
        cap(&limits::REPLIES, self.log.entries().len(), || "entries in the log of replies".into())
    }

    /// Put a message on its way.
    fn send(&mut self, to: SideId, bytes: &[u8]) -> Result<(), Stop> {
        let text = self.texts.add(bytes);
        self.put(to, text)
    }

    fn put(&mut self, to: SideId, text: Text) -> Result<(), Stop> {
        self.network.send(to, text);
        cap(&limits::MESSAGES, self.network.messages(), || "messages in flight".into())
    }

    /// Every connection that waits at the port of `node` is dead.
    fn close_port(&mut self, node: usize) {
        for &id in std::mem::take(&mut self.nodes[node].backlog).iter() {
            self.network.release(id, true);
        }
    }

    /// Write the texts anew, without those that nothing refers to any more. An environment that lives
    /// for many steps would grow without it.
    pub fn compact(&mut self) {
        let old = std::mem::take(&mut self.texts);
        let texts = &mut self.texts;
        let mut again = |text: &mut Text| *text = texts.add(old.get(*text));
        self.nodes.iter_mut().filter_map(|node| node.durable.as_mut()).for_each(&mut again);
        self.network.compact(&mut again);
        self.log.each_text(&mut again);
    }

    /// What is known of `node`, in words; equal for nodes in equal places.
    pub fn told(&self, node: usize) -> String {
        let NodeSide { liveness, boots, clock, durable, state, listens, ends, backlog } =
            &self.nodes[node];
        let durable = durable.map(|record| self.texts.get(record).escape_ascii().to_string());
        let held = |id: SideId| {
            let queue = self.network.queue(id);
            let queue: Vec<_> =
                queue.map(|text| self.texts.get(text).escape_ascii().to_string()).collect();
            (queue, self.network.side(id).finished, self.network.side(id.other()).end)
        };
        let ends: Vec<_> = ends.iter().map(|&(fd, id)| (fd, held(id))).collect();
        let backlog: Vec<_> = backlog.iter().map(|&id| held(id)).collect();
        let state = state.map(|state| state.wait);
        format!(
            "{liveness:?}, boots {boots}, clock {clock}, durable {durable:?}, waits in {state:?}, \
             listens {listens}, ends {ends:?}, port {backlog:?}"
        )
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
