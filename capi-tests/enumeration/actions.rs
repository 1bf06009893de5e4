//! The actions of a world, in their order, and what each does. What is left out, because no example
//! needs it: boots with effects, which would make several initial worlds.

use super::world::{
    Asked, Budget, Client, End, Fd, Half, Io, Live, Node, Rules, Text, Wait, World,
};
use std::collections::{BTreeMap, BTreeSet};

/// What a node's wait ends with.
pub enum Input {
    Connection(Fd),
    /// A message, or the end of the connection when it is empty.
    Bytes(Text),
    TimedOut,
}

/// A program as a function from one wait to the next.
pub trait Program {
    fn boot(&self, io: &mut Io) -> Wait;
    fn resume(&self, input: Input, io: &mut Io) -> Wait;

    /// The most that one read takes.
    fn room(&self) -> usize {
        usize::MAX
    }
}

/// A client as the model file describes it.
pub struct Script {
    pub send: &'static [&'static str],
    pub any: bool,
    pub wait: bool,
    pub close: bool,
}

pub struct Setting {
    pub program: Box<dyn Program>,
    pub nodes: usize,
    /// All of them talk to node 0.
    pub scripts: Vec<Script>,
    pub budget: Budget,
    pub rules: Rules,
    /// Nodes crash only while they wait.
    pub quiescent: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    Accept(usize),
    Deliver(usize),
    Eof(usize),
    Dial(usize),
    /// A client sends the text at this place of those it has left.
    Send(usize, usize),
    Close(usize),
    Timeout(usize),
    Drop(End),
    Crash(usize),
    Restart(usize),
}

impl World {
    pub fn initial(setting: &Setting) -> World {
        let node = Node {
            live: Live::Running,
            boots: 0,
            content: Text::new(),
            wait: Wait::Nothing,
            fds: BTreeSet::new(),
            listener: None,
            durable: None,
            clock: 0,
        };
        let clients = setting.scripts.iter().map(|script| Client {
            dialled: false,
            closed: false,
            left: script.send.iter().map(|text| text.as_bytes().to_vec()).collect(),
        });
        let mut world = World {
            nodes: vec![node; setting.nodes],
            halves: BTreeMap::new(),
            clients: clients.collect(),
            replies: Vec::new(),
            requests: Vec::new(),
            budget: setting.budget,
            rules: setting.rules,
        };
        for n in 0..setting.nodes {
            assert_eq!(world.boot(setting, n, None), 0, "a boot without effects");
        }
        world
    }

    /// The actions in the order of their kinds, then nodes, then descriptors. A node waits in one
    /// call, so its descriptor need not be named.
    pub fn enabled(&self, setting: &Setting) -> Vec<Action> {
        let nodes = 0..self.nodes.len();
        let mut out = Vec::new();
        out.extend(nodes.clone().filter(|&n| self.can_accept(n)).map(Action::Accept));
        out.extend(
            nodes
                .clone()
                .filter(|&n| self.read_from(n).is_some_and(|h| !h.inbox.is_empty()))
                .map(Action::Deliver),
        );
        out.extend(
            nodes
                .clone()
                .filter(|&n| {
                    let ended = |h: &Half| h.inbox.is_empty() && h.peer.is_none() && !h.silent;
                    self.read_from(n).is_some_and(ended)
                })
                .map(Action::Eof),
        );
        for (k, script) in setting.scripts.iter().enumerate() {
            self.client_steps(k, script, &mut out);
        }
        if self.budget.timeouts > 0 {
            out.extend(nodes.clone().filter(|&n| self.patience(n).is_some()).map(Action::Timeout));
        }
        if self.budget.drops > 0 {
            for n in nodes.clone() {
                let here = |end: &End| matches!(*end, End::Node(m, _) | End::Place(m, _) if m == n);
                let waiting =
                    self.halves.iter().filter(|(end, half)| here(end) && !half.inbox.is_empty());
                out.extend(waiting.map(|(&end, _)| Action::Drop(end)));
            }
        }
        if self.budget.crashes > 0 {
            out.extend(
                nodes.clone().filter(|&n| self.nodes[n].live == Live::Running).map(Action::Crash),
            );
        }
        if self.budget.restarts > 0 {
            out.extend(nodes.filter(|&n| self.nodes[n].live == Live::Crashed).map(Action::Restart));
        }
        out
    }

    /// The worlds after an action: the whole of it, then with its node dead behind the first of its
    /// effects, the second, and so on, but never behind the last.
    pub fn after(&self, setting: &Setting, action: &Action) -> Vec<World> {
        let (whole, effects) = self.once(setting, action, None);
        let may_crash = whole.budget.crashes > 0 && !setting.quiescent;
        let cuts = if may_crash { 1..effects.max(1) } else { 1..1 };
        let crashed = cuts.map(|k| self.once(setting, action, Some(k)).0);
        std::iter::once(whole).chain(crashed).collect()
    }

    /// The world after an action whose node dies behind its effect number `last`, if that is given;
    /// and how many effects it has.
    fn once(&self, setting: &Setting, action: &Action, last: Option<usize>) -> (World, usize) {
        let mut w = self.clone();
        let mut effects = 0;
        match *action {
            Action::Accept(n) => {
                let fd = Io { world: &mut w, me: n, effects: 0, last }.socket();
                w.rename(End::Place(n, 0), End::Node(n, fd));
                for i in 1..=w.line(n) {
                    w.rename(End::Place(n, i), End::Place(n, i - 1));
                }
                effects = w.resume(setting, n, last, Input::Connection(fd));
            }
            Action::Deliver(n) => {
                let Wait::Read(fd, _) = w.nodes[n].wait else {
                    unreachable!("only a reader is delivered to")
                };
                let half =
                    w.halves.get_mut(&End::Node(n, fd)).expect("an open descriptor has an end");
                let mut text = half.inbox.pop_front().expect("there is a message");
                let rest = text.split_off(text.len().min(setting.program.room()));
                if !rest.is_empty() {
                    half.inbox.push_front(rest);
                }
                effects = w.resume(setting, n, last, Input::Bytes(text));
            }
            Action::Eof(n) => effects = w.resume(setting, n, last, Input::Bytes(Text::new())),
            Action::Dial(k) => {
                w.clients[k].dialled = true;
                w.connect(End::Client(k), 0);
            }
            Action::Send(k, i) => {
                let text = w.clients[k].left.remove(i);
                let before = match w.rules.asked {
                    Asked::Never => None,
                    Asked::InOrder => Some(0),
                    Asked::InTime => Some(w.replies.len()),
                };
                if let Some(before) = before {
                    w.requests.push((before, k, text.clone()));
                    w.requests.sort_by_key(|&(before, client, _)| (before, client));
                }
                w.send(End::Client(k), &text);
            }
            Action::Close(k) => {
                w.clients[k].closed = true;
                w.close(End::Client(k));
            }
            Action::Timeout(n) => {
                w.budget.timeouts -= 1;
                w.nodes[n].clock += w.patience(n).expect("the wait has a time-out");
                let input = if w.rules.byte { w.time_byte(n, last) } else { Input::TimedOut };
                effects = w.resume(setting, n, last, input);
            }
            Action::Drop(end) => {
                w.budget.drops -= 1;
                w.halves.get_mut(&end).expect("the end is open").inbox.pop_front();
            }
            Action::Crash(n) => {
                w.budget.crashes -= 1;
                w.stop(n, Live::Crashed);
            }
            Action::Restart(n) => {
                w.budget.restarts -= 1;
                effects = w.boot(setting, n, last);
            }
        }
        (w, effects)
    }

    fn client_steps(&self, k: usize, script: &Script, out: &mut Vec<Action>) {
        let client = &self.clients[k];
        if !client.dialled {
            if self.nodes[0].listener.is_some() {
                out.push(Action::Dial(k));
            }
            return;
        }
        let sent = script.send.len() - client.left.len();
        let answers = self.replies.iter().filter(|(to, _)| *to == k).count();
        if client.closed || script.wait && answers < sent {
            return;
        }
        let choices = if script.any { client.left.len() } else { client.left.len().min(1) };
        let new = |&i: &usize| !client.left[..i].contains(&client.left[i]);
        out.extend((0..choices).filter(new).map(|i| Action::Send(k, i)));
        if client.left.is_empty() && script.close {
            out.push(Action::Close(k));
        }
    }

    fn can_accept(&self, n: usize) -> bool {
        matches!(self.nodes[n].wait, Wait::Accept(_)) && self.line(n) > 0
    }

    fn read_from(&self, n: usize) -> Option<&Half> {
        let Wait::Read(fd, _) = self.nodes[n].wait else {
            return None;
        };
        self.halves.get(&End::Node(n, fd))
    }

    /// With `timeout = "byte"` every wait is for a second, whatever is in line.
    fn patience(&self, n: usize) -> Option<u64> {
        match self.nodes[n].wait {
            Wait::Nothing => None,
            _ if self.rules.byte => Some(1000),
            Wait::Accept(patience) | Wait::Read(_, patience) => patience,
        }
    }

    fn boot(&mut self, setting: &Setting, n: usize, last: Option<usize>) -> usize {
        self.nodes[n].live = Live::Running;
        self.nodes[n].boots += 1;
        self.run(n, last, |io| setting.program.boot(io))
    }

    /// A read gets a byte ahead of what is in line, an accept a connection that holds it.
    fn time_byte(&mut self, n: usize, last: Option<usize>) -> Input {
        let byte = b"T".to_vec();
        if let Wait::Read(..) = self.nodes[n].wait {
            return Input::Bytes(byte);
        }
        let fd = Io { world: self, me: n, effects: 0, last }.socket();
        let half = Half { ready: Some(byte), ..Half::default() };
        self.halves.insert(End::Node(n, fd), half);
        Input::Connection(fd)
    }

    fn resume(&mut self, setting: &Setting, n: usize, last: Option<usize>, input: Input) -> usize {
        self.run(n, last, |io| {
            let mut wait = setting.program.resume(input, io);
            while let Some(text) = io.ready(wait) {
                io.node().wait = wait;
                wait = setting.program.resume(Input::Bytes(text), io);
            }
            wait
        })
    }

    fn run(&mut self, n: usize, last: Option<usize>, go: impl FnOnce(&mut Io) -> Wait) -> usize {
        let mut io = Io { world: self, me: n, effects: 0, last };
        let wait = go(&mut io);
        let effects = io.effects;
        self.nodes[n].wait = wait;
        if last.is_some() {
            self.budget.crashes -= 1;
            self.stop(n, Live::Crashed);
        }
        effects
    }
}
