//! A world as canonical bytes and back: for each node a section with its liveness and the digest of
//! its local state, then one for the rest of the environment. Connections are named by their ends and written at
//! the first end in the order nodes (descriptors, then places at the port), clients; so equal
//! environments are equal bytes, whatever happened to lead there.

use smallvec::SmallVec;

use super::config::{Budgets, Config};
use super::environment::{ClientSide, Environment, NodeSide};
use super::network::{End, Network, SideId};
use super::state::{Resting, States};
use super::step::put_optional;
use crate::bytes::{ByteReader, put_bytes, put_int, put_uint};
use crate::error::Error;
use crate::world::{Liveness, SectionWriter, section};

/// How an end is written where the other end is described.
mod tag {
    pub const GONE: u8 = 0;
    pub const HELD: u8 = 1;
}

/// Bytes of a digest.
const DIGEST: usize = 16;

/// The sections of a world: one a node, then the environment.
fn sections(config: &Config) -> usize {
    config.nodes.len() + 1
}

/// Liveness of `node` in `world`, and the digest of its local state if it runs and has one.
fn node_part(
    config: &Config,
    world: &[u8],
    node: usize,
) -> Result<(Liveness, Option<u128>), Error> {
    let (liveness, digest) = section(world, sections(config), node)?
        .split_first()
        .ok_or_else(|| Error::Internal("a world lacks a node".into()))?;
    match liveness {
        0 => {
            let digest = <[u8; DIGEST]>::try_from(digest).ok();
            Ok((Liveness::Running, digest.map(u128::from_le_bytes)))
        }
        1 => Ok((Liveness::Exited, None)),
        2 => Ok((Liveness::Crashed, None)),
        _ => Err(Error::Internal("a world holds a node of no liveness".into())),
    }
}

/// Liveness of `node` in `world`.
pub fn liveness(config: &Config, world: &[u8], node: usize) -> Result<Liveness, Error> {
    node_part(config, world, node).map(|(liveness, _)| liveness)
}

/// The digest of the local state of `node` in `world`, if it runs.
pub fn digest(config: &Config, world: &[u8], node: usize) -> Result<Option<u128>, Error> {
    node_part(config, world, node).map(|(_, digest)| digest)
}

/// What is left of the budget `name` in `world`.
pub fn budget(config: &Config, world: &[u8], name: &str) -> Result<Option<u64>, Error> {
    // The budgets are the first bytes of the environment, in this order.
    let place = ["timeouts", "crashes", "restarts", "drops"].iter().position(|&n| n == name);
    let budgets = section(world, sections(config), config.nodes.len())?;
    Ok(place.and_then(|place| budgets.get(place)).map(|&left| left.into()))
}

impl Environment {
    /// Write the world to `out`, which is overwritten.
    pub fn encode(&self, states: &States, out: &mut Vec<u8>) {
        let mut writer = SectionWriter::new(out, self.nodes.len() + 1);
        for node in &self.nodes {
            writer.section(|out| {
                out.push(match node.liveness {
                    Liveness::Running => 0,
                    Liveness::Exited => 1,
                    Liveness::Crashed => 2,
                });
                if let Some(state) = node.state {
                    out.extend(states.digest(state.id).to_le_bytes());
                }
            });
        }
        writer.section(|out| self.encode_rest(out));
    }

    fn encode_rest(&self, out: &mut Vec<u8>) {
        let Budgets { timeouts, crashes, restarts, drops } = self.budgets;
        out.extend([timeouts, crashes, restarts, drops]);
        for node in &self.nodes {
            encode_node(node, out);
        }
        for client in &self.clients {
            out.push(client.dialled.into());
            out.push(client.end.is_some().into());
            client.sent.iter().for_each(|&sent| out.push(sent.into()));
        }
        let ends = self.ends();
        for &id in &ends {
            self.encode_connection(id, &ends, out);
        }
        put_uint(out, self.replies.len() as u64);
        for (client, bytes) in &self.replies {
            put_uint(out, *client as u64);
            put_bytes(out, bytes);
        }
    }

    /// Every end that is held, in canonical order.
    fn ends(&self) -> SmallVec<[SideId; 16]> {
        let mut ends: SmallVec<[SideId; 16]> =
            self.nodes.iter().flat_map(|node| node.held()).collect();
        ends.extend(self.clients.iter().filter_map(|client| client.end));
        ends
    }

    /// The connection of `id`, unless it was written at its other end.
    fn encode_connection(&self, id: SideId, ends: &[SideId], out: &mut Vec<u8>) {
        let rank = |id| ends.iter().position(|&other| other == id);
        let other = id.other();
        match rank(other) {
            Some(there) if Some(there) < rank(id) => return,
            Some(there) => {
                out.push(tag::HELD);
                put_uint(out, there as u64);
            }
            None => out.push(tag::GONE),
        }
        for side in [id, other] {
            let side = self.network.side(side);
            out.push(side.finished.into());
            put_uint(out, side.queue.len() as u64);
            side.queue.iter().for_each(|message| put_bytes(out, message));
        }
    }

    /// Read what [`Environment::encode`] wrote.
    pub fn decode(config: &Config, states: &States, world: &[u8]) -> Result<Self, Error> {
        let rest = section(world, sections(config), config.nodes.len())?;
        let mut from = ByteReader::new(rest);
        let from = &mut from;
        let budgets = Budgets {
            timeouts: from.byte()?,
            crashes: from.byte()?,
            restarts: from.byte()?,
            drops: from.byte()?,
        };
        let mut network = Network::default();
        // Where each end goes, in canonical order.
        let mut places = Vec::new();
        let mut nodes: SmallVec<[NodeSide; 4]> = SmallVec::with_capacity(config.nodes.len());
        for node in 0..config.nodes.len() {
            let (liveness, digest) = node_part(config, world, node)?;
            let state = digest.map(|digest| states.find(digest)).transpose()?;
            nodes.push(decode_node(node, liveness, state, from, &mut places)?);
        }
        let mut clients: SmallVec<[ClientSide; 2]> = SmallVec::with_capacity(config.clients.len());
        for (client, script) in config.clients.iter().enumerate() {
            let dialled = from.byte()? != 0;
            if from.byte()? != 0 {
                places.push(End::Client(client));
            }
            let sent =
                script.send.iter().map(|_| Ok(from.byte()? != 0)).collect::<Result<_, Error>>()?;
            clients.push(ClientSide { dialled, sent, end: None });
        }
        let mut ids: SmallVec<[Option<SideId>; 16]> = SmallVec::from_elem(None, places.len());
        for rank in 0..places.len() {
            if ids[rank].is_none() {
                decode_connection(rank, &places, from, &mut network, &mut ids)?;
            }
        }
        for (rank, &place) in places.iter().enumerate() {
            let Some(id) = ids[rank] else { continue };
            match place {
                End::Node(node, fd) => {
                    nodes[node].ends.push((fd, id));
                }
                End::Waiting(node) => nodes[node].backlog.push(id),
                End::Client(client) => clients[client].end = Some(id),
                End::Gone => {}
            }
        }
        let count = from.uint()?;
        let replies = (0..count)
            .map(|_| Ok((from.uint()? as usize, from.bytes()?.into())))
            .collect::<Result<_, Error>>()?;
        if !from.is_empty() {
            return Err(Error::Internal("a world has bytes behind its environment".into()));
        }
        Ok(Environment { budgets, nodes, clients, network, replies })
    }
}

fn encode_node(node: &NodeSide, out: &mut Vec<u8>) {
    put_uint(out, node.boots);
    put_int(out, node.clock);
    put_optional(out, node.durable.as_deref());
    if node.liveness == Liveness::Running {
        out.push(node.listens.into());
        put_uint(out, node.ends.len() as u64);
        node.ends.iter().for_each(|&(fd, _)| put_int(out, fd.into()));
        put_uint(out, node.backlog.len() as u64);
    }
}

fn decode_node(
    number: usize,
    liveness: Liveness,
    state: Option<Resting>,
    from: &mut ByteReader<'_>,
    places: &mut Vec<End>,
) -> Result<NodeSide, Error> {
    let mut node = NodeSide {
        liveness,
        state,
        boots: from.uint()?,
        clock: from.int()?,
        durable: match from.byte()? {
            0 => None,
            _ => Some(from.bytes()?.into()),
        },
        listens: false,
        ends: SmallVec::new(),
        backlog: SmallVec::new(),
    };
    if liveness == Liveness::Running {
        node.listens = from.byte()? != 0;
        for _ in 0..from.uint()? {
            places.push(End::Node(number, from.int()? as i32));
        }
        for _ in 0..from.uint()? {
            places.push(End::Waiting(number));
        }
    }
    Ok(node)
}

fn decode_connection(
    rank: usize,
    places: &[End],
    from: &mut ByteReader<'_>,
    network: &mut Network,
    ids: &mut [Option<SideId>],
) -> Result<(), Error> {
    let broken = || Error::Internal("a world holds a connection without an end".into());
    let there = match from.byte()? {
        tag::GONE => None,
        _ => Some(from.uint()? as usize),
    };
    let other_end = match there {
        None => End::Gone,
        Some(there) => *places.get(there).ok_or_else(broken)?,
    };
    let id = network.connect([places[rank], other_end]);
    ids[rank] = Some(id);
    if let Some(there) = there {
        ids[there] = Some(id.other());
    }
    for side in [id, id.other()] {
        let finished = from.byte()? != 0;
        let count = from.uint()?;
        let queue = (0..count).map(|_| Ok(from.bytes()?.into())).collect::<Result<_, Error>>()?;
        let side = network.side_mut(side);
        side.finished = finished;
        side.queue = queue;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::super::act::{self, Run, act};
    use super::super::config::{
        ClientConfig, Close, Crash, NodeConfig, Patience, StateKind, Timeout,
    };
    use super::super::enabled::enabled;
    use super::super::environment::After;
    use super::super::state::LocalState;
    use super::super::step::{Cause, Event, Input, Wait, WaitKind};
    use super::*;
    use crate::action::{Action, Kind};

    /// Numbers that look drawn, the same in every run.
    struct Draw(u64);

    impl Draw {
        fn below(&mut self, bound: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (self.0 >> 33) as usize % bound
        }

        fn of<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
            (!all.is_empty()).then(|| &all[self.below(all.len())])
        }
    }

    fn config(close: Close, timeout: Timeout) -> Config {
        let node = |port| NodeConfig {
            program: "none".into(),
            args: Vec::new(),
            state: StateKind::Report,
            port,
            may_exit: vec![0],
            reads: Vec::new(),
        };
        let client = |node, any_order| ClientConfig {
            node,
            send: vec![b"a".to_vec(), b"bcd".to_vec(), b"a".to_vec()],
            any_order,
            wait: false,
            close: true,
        };
        Config {
            directory: PathBuf::new(),
            nodes: vec![node(20_000), node(20_001)],
            clients: vec![client(0, true), client(0, false), client(1, true)],
            close,
            timeout,
            crash: Crash::Quiescent,
            budgets: Budgets { timeouts: 9, crashes: 5, restarts: 5, drops: 9 },
            patience: Patience::default(),
        }
    }

    /// What a program might do in one step, as its first event or later, and where it comes to rest.
    fn behave(
        draw: &mut Draw,
        environment: &Environment,
        states: &States,
        node: usize,
        cause: &Cause,
    ) -> (Vec<Event>, After) {
        let side = &environment.nodes[node];
        let mut ends: Vec<i32> = side.ends.iter().map(|&(fd, _)| fd).collect();
        let mut listens = side.listens;
        let mut events = Vec::new();
        let mut next = 5;
        let mut fresh = |ends: &mut Vec<i32>| {
            while ends.contains(&next) {
                next += 1;
            }
            ends.push(next);
            next
        };
        if let Cause::Input(Input::Accepted { .. }) = cause {
            events.push(Event::Accepted { fd: fresh(&mut ends) });
        }
        if let Cause::Input(Input::Bytes(bytes)) = cause
            && !bytes.is_empty()
            && draw.below(9) > 0
        {
            events.push(Event::Took);
        }
        for _ in 0..draw.below(4) {
            let held = draw.of(&ends).copied();
            match (draw.below(7), held) {
                (0, _) if !listens => {
                    listens = true;
                    events.push(Event::Listening);
                }
                (1, _) if listens && draw.below(3) == 0 => {
                    listens = false;
                    events.push(Event::Closed { fd: 4, listener: true });
                }
                (2, _) if ends.len() < 6 => {
                    events.push(Event::Dialled { fd: fresh(&mut ends), owner: draw.below(2) });
                }
                (3, Some(fd)) => {
                    events.push(Event::Wrote { fd, bytes: vec![7; 1 + draw.below(3)] })
                }
                (4, Some(fd)) => events.push(Event::Shut { fd }),
                (5, Some(fd)) => {
                    ends.retain(|&other| other != fd);
                    events.push(Event::Closed { fd, listener: false });
                }
                (6, _) => events.push(Event::Persisted { record: vec![1; draw.below(3)] }),
                _ => {}
            }
        }
        let rests = |kind, fd| {
            let wait = Wait { kind, fd, capacity: 2, timeout: Some(5) };
            rest_in(states, wait)
        };
        let after = match draw.of(&ends) {
            _ if draw.below(12) == 0 => After::Exited,
            _ if draw.below(12) == 0 => After::Crashed,
            Some(&fd) if !listens || draw.below(2) == 0 => rests(WaitKind::Read, fd),
            _ if listens => rests(WaitKind::Accept, 4),
            _ => After::Exited,
        };
        (events, after)
    }

    fn rest_in(states: &States, wait: Wait) -> After {
        let state = LocalState { content: vec![7], wait, call: vec![1, 300], kept: Vec::new() };
        After::Rests(states.intern(state).expect("no two states have one digest"))
    }

    fn bytes(states: &States, environment: &Environment) -> Vec<u8> {
        let mut out = Vec::new();
        environment.encode(states, &mut out);
        out
    }

    fn possible(config: &Config, environment: &Environment) -> Vec<Action> {
        let mut actions = Vec::new();
        enabled(config, environment, &mut actions);
        actions
    }

    /// One step, in the environment that has lived all along and in the one that was read back.
    fn step(
        config: &Config,
        states: &States,
        draw: &mut Draw,
        both: &mut [Environment; 2],
        run: impl Fn(&mut Environment) -> Run,
    ) {
        let runs = [run(&mut both[0]), run(&mut both[1])];
        let Run::Step { node, cause, .. } = &runs[0] else { return };
        let (node, cause) = (*node, cause.clone());
        let (events, after) = behave(draw, &both[0], states, node, &cause);
        for (environment, run) in both.iter_mut().zip(runs) {
            let accepting = match run {
                Run::Step { accepting, .. } => accepting,
                _ => None,
            };
            environment.absorb(config, node, accepting, &events, after).expect("below every cap");
        }
    }

    #[test]
    fn an_environment_read_back_has_the_same_bytes_and_the_same_future() {
        for seed in 0..2000 {
            let close = [Close::Shown, Close::Silent][seed % 2];
            let timeout = [Timeout::Native, Timeout::Byte][seed / 2 % 2];
            let config = config(close, timeout);
            let states = States::default();
            let mut draw = Draw(seed as u64);
            let mut both = [Environment::new(&config), Environment::new(&config)];
            for node in 0..2 {
                step(&config, &states, &mut draw, &mut both, |environment| {
                    act::boot(environment, node)
                });
            }
            for _ in 0..40 {
                let world = bytes(&states, &both[0]);
                assert_eq!(world, bytes(&states, &both[1]), "seed {seed}");
                both[1] = Environment::decode(&config, &states, &world).expect("what was written");
                assert_eq!(world, bytes(&states, &both[1]), "seed {seed}");
                let actions = possible(&config, &both[0]);
                assert_eq!(actions, possible(&config, &both[1]), "seed {seed}");
                let Some(&action) = draw.of(&actions) else { break };
                step(&config, &states, &mut draw, &mut both, |environment| {
                    act(&config, environment, &action).expect("it is possible")
                });
            }
        }
    }

    #[test]
    fn cut_or_changed_bytes_are_an_error_and_no_panic() {
        let config = config(Close::Shown, Timeout::Native);
        let states = States::default();
        let mut draw = Draw(1);
        let mut both = [Environment::new(&config), Environment::new(&config)];
        for node in 0..2 {
            step(&config, &states, &mut draw, &mut both, |environment| {
                act::boot(environment, node)
            });
        }
        let world = bytes(&states, &both[0]);
        for end in 0..world.len() {
            assert!(Environment::decode(&config, &states, &world[..end]).is_err());
            for value in 0..=255 {
                let mut changed = world.clone();
                changed[end] = value;
                let _ = Environment::decode(&config, &states, &changed);
            }
        }
    }

    #[test]
    fn who_let_go_first_is_forgotten() {
        let config = config(Close::Shown, Timeout::Native);
        let states = States::default();
        let wait = Wait { kind: WaitKind::Accept, fd: 4, capacity: 0, timeout: None };
        let after = rest_in(&states, wait);
        let client = |argument| Action { kind: Kind::Client, subject: 0, argument };
        let ends = [true, false].map(|first| {
            let mut environment = Environment::new(&config);
            let node = |environment: &mut Environment, accepting, event| {
                environment.absorb(&config, 0, accepting, &[event], after).expect("no cap");
            };
            let run = |environment: &mut Environment, action: Action| {
                act(&config, environment, &action).expect("it is possible")
            };
            node(&mut environment, None, Event::Listening);
            run(&mut environment, client(0));
            let accept = Action { kind: Kind::Accept, subject: 0, argument: 4 };
            let Run::Step { accepting, .. } = run(&mut environment, accept) else { unreachable!() };
            node(&mut environment, accepting, Event::Accepted { fd: 5 });
            if first {
                run(&mut environment, client(u32::MAX));
            }
            node(&mut environment, None, Event::Shut { fd: 5 });
            if !first {
                run(&mut environment, client(u32::MAX));
            }
            bytes(&states, &environment)
        });
        assert_eq!(ends[0], ends[1]);
    }
}
