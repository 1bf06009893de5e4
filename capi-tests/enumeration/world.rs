//! The world of a process model in message mode: nodes, connections, clients, and what a program's
//! calls do to them. Connections are named by their ends, so that equal worlds are equal values.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

pub type Text = Vec<u8>;
pub type Fd = usize;

/// 0 to 2 are the standard descriptors; 3 and the one for durable records exist for every node.
const FIRST_FD: Fd = 4;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum End {
    Node(usize, Fd),
    /// A place in the line at a node's port.
    Place(usize, usize),
    Client(usize),
}

/// One end of a connection: the other end, unless it is gone, and the messages on their way here.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Half {
    pub peer: Option<End>,
    pub inbox: VecDeque<Text>,
    /// The other end was closed and does not show it.
    pub silent: bool,
    /// What the first read of a synthetic connection gives at once.
    pub ready: Option<Text>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Live {
    Running,
    Exited,
    Crashed,
}

/// The call a node is blocked in. Time-outs are in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Wait {
    Nothing,
    Accept(Option<u64>),
    Read(Fd, Option<u64>),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    pub live: Live,
    pub boots: u32,
    /// The content of the local state; empty when the node is not running.
    pub content: Text,
    pub wait: Wait,
    pub fds: BTreeSet<Fd>,
    pub listener: Option<Fd>,
    pub durable: Option<Text>,
    pub clock: u64,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Client {
    pub dialled: bool,
    pub closed: bool,
    /// Texts left, in script order. Of equal texts the first is sent, so that in any order too this
    /// is a function of the multiset left.
    pub left: Vec<Text>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Budget {
    pub timeouts: u32,
    pub crashes: u32,
    pub restarts: u32,
    pub drops: u32,
}

/// What the model file chooses among the rules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Rules {
    /// `close = "silent"`.
    pub silent: bool,
    /// `timeout = "byte"`.
    pub byte: bool,
    /// What is remembered of requests.
    pub asked: Asked,
}

/// What `[history]` needs of the requests.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Asked {
    /// There is no such table.
    #[default]
    Never,
    /// With `consistency = "sequential"`: what each client asked, in its order.
    InOrder,
    /// Else: that, and how many replies there were before.
    InTime,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct World {
    pub nodes: Vec<Node>,
    pub halves: BTreeMap<End, Half>,
    pub clients: Vec<Client>,
    pub replies: Vec<(usize, Text)>,
    /// How many replies there were before (0 when nobody asks for that), the client, what it asked.
    /// In order of the first two, then as they came.
    pub requests: Vec<(usize, usize, Text)>,
    pub budget: Budget,
    /// The same in every world of a model.
    pub rules: Rules,
}

/// A running node's side of the system calls.
pub struct Io<'w> {
    pub world: &'w mut World,
    pub me: usize,
    /// Effects so far: what was dialled, written to a connection, closed, or made durable.
    pub effects: usize,
    /// The node dies behind this many effects, and what comes after them does not happen.
    pub last: Option<usize>,
}

impl Io<'_> {
    /// Whether one more effect still happens.
    fn effect(&mut self) -> bool {
        self.effects += 1;
        self.last.is_none_or(|last| self.effects <= last)
    }

    pub fn node(&mut self) -> &mut Node {
        &mut self.world.nodes[self.me]
    }

    pub fn socket(&mut self) -> Fd {
        let fds = &mut self.node().fds;
        let fd = (FIRST_FD..).find(|fd| !fds.contains(fd)).expect("a descriptor is free");
        fds.insert(fd);
        fd
    }

    pub fn listen(&mut self) {
        let fd = self.socket();
        self.node().listener = Some(fd);
    }

    pub fn dial(&mut self, to: usize) -> Fd {
        let fd = self.socket();
        if self.effect() {
            self.world.connect(End::Node(self.me, fd), to);
        }
        fd
    }

    pub fn write(&mut self, fd: Fd, text: &[u8]) {
        if self.effect() {
            self.world.send(End::Node(self.me, fd), text);
        }
    }

    pub fn persist(&mut self, record: Text) {
        if self.effect() {
            self.node().durable = Some(record);
        }
    }

    pub fn close(&mut self, fd: Fd) {
        self.node().fds.remove(&fd);
        if self.effect() {
            self.world.close(End::Node(self.me, fd));
        }
    }

    /// What a read gives at once.
    pub fn ready(&mut self, wait: Wait) -> Option<Text> {
        let Wait::Read(fd, _) = wait else {
            return None;
        };
        self.world.halves.get_mut(&End::Node(self.me, fd)).and_then(|half| half.ready.take())
    }

    pub fn exit(&mut self) -> Wait {
        if self.last.is_none() {
            self.world.stop(self.me, Live::Exited);
        }
        Wait::Nothing
    }
}

impl World {
    /// How many connections wait at a node's port.
    pub fn line(&self, n: usize) -> usize {
        self.halves.keys().filter(|end| matches!(**end, End::Place(m, _) if m == n)).count()
    }

    /// A connection waits at the port of a running node; to one that is gone it is dead.
    pub fn connect(&mut self, from: End, to: usize) {
        let peer = (self.nodes[to].live == Live::Running).then(|| End::Place(to, self.line(to)));
        if let Some(place) = peer {
            self.halves.insert(place, Half { peer: Some(from), ..Half::default() });
        }
        self.halves.insert(from, Half { peer, ..Half::default() });
    }

    pub fn send(&mut self, from: End, text: &[u8]) {
        match self.halves[&from].peer {
            None => {}
            Some(End::Client(k)) => self.replies.push((k, text.to_vec())),
            Some(to) => {
                self.halves.get_mut(&to).expect("a peer is open").inbox.push_back(text.to_vec())
            }
        }
    }

    /// A node or a client closes its end.
    pub fn close(&mut self, end: End) {
        if let Some(peer) = self.halves[&end].peer {
            self.halves.get_mut(&peer).expect("a peer is open").silent = self.rules.silent;
        }
        self.hang_up(end);
    }

    /// An end goes, and the messages to it.
    pub fn hang_up(&mut self, end: End) {
        if let Some(Half { peer: Some(peer), .. }) = self.halves.remove(&end) {
            self.halves.get_mut(&peer).expect("a peer is open").peer = None;
        }
    }

    pub fn rename(&mut self, from: End, to: End) {
        let half = self.halves.remove(&from).expect("the end is open");
        if let Some(peer) = half.peer {
            self.halves.get_mut(&peer).expect("a peer is open").peer = Some(to);
        }
        self.halves.insert(to, half);
    }

    /// A node exits or crashes: it keeps its boots, durable bytes and clock.
    pub fn stop(&mut self, n: usize, live: Live) {
        let mine = |end: &&End| matches!(**end, End::Node(m, _) | End::Place(m, _) if m == n);
        for end in self.halves.keys().filter(mine).copied().collect::<Vec<_>>() {
            self.hang_up(end);
        }
        let node = &mut self.nodes[n];
        node.live = live;
        node.content.clear();
        node.wait = Wait::Nothing;
        node.fds.clear();
        node.listener = None;
    }
}
