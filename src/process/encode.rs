//! A world as canonical bytes and back: for each node a slot with its liveness and the digest of its
//! local state, then the rest of the environment. Connections are named by their ends and written at
//! the first end in the order nodes (descriptors, then places at the port), clients; so equal
//! environments are equal bytes, whatever happened to lead there.

use smallvec::SmallVec;

use super::config::{Budgets, Config};
use super::environment::Environment;
use super::network::{End, Network, SideId};
use super::participant::{ClientSide, NodeSide};
use super::state::States;
use super::text::Texts;
use crate::bytes::{ByteReader, put_bytes, put_int, put_uint};
use crate::error::Error;
use crate::world::Liveness;

/// What the slot of a node says of it.
mod slot {
    /// It runs, and the digest of its local state follows.
    pub const RUNNING: u8 = 0;
    pub const EXITED: u8 = 1;
    pub const CRASHED: u8 = 2;
    /// It counts as running and has no local state: it has not booted.
    pub const UNBOOTED: u8 = 3;
    /// Bytes of a slot: one of the above, then a digest or zeros.
    pub const SIZE: usize = 1 + super::DIGEST;
}

/// How an end is written where the other end is described.
mod tag {
    pub const GONE: u8 = 0;
    pub const HELD: u8 = 1;
}

/// Bytes of a digest.
const DIGEST: usize = 16;
/// The rank of an end that nobody holds.
const NOBODY: u16 = u16::MAX;

/// Ends of connections, each where it is held.
type Places = SmallVec<[End; 16]>;

/// Liveness of `node` in `world`, and the digest of its local state if it runs and has one.
#[inline]
fn node_part(world: &[u8], node: usize) -> Result<(Liveness, Option<u128>), Error> {
    let slot = world.get(slot::SIZE * node..).and_then(|rest| rest.first_chunk::<{ slot::SIZE }>());
    let [liveness, digest @ ..] = *slot.ok_or_else(|| broken("lacks a node"))?;
    match liveness {
        slot::RUNNING => Ok((Liveness::Running, Some(u128::from_le_bytes(digest)))),
        slot::EXITED => Ok((Liveness::Exited, None)),
        slot::CRASHED => Ok((Liveness::Crashed, None)),
        slot::UNBOOTED => Ok((Liveness::Running, None)),
        _ => Err(broken("holds a node of no liveness")),
    }
}

#[cold]
fn broken(what: &str) -> Error {
    Error::Internal(format!("a world {what}"))
}

/// Liveness of `node` in `world`.
#[inline]
pub fn liveness(world: &[u8], node: usize) -> Result<Liveness, Error> {
    node_part(world, node).map(|(liveness, _)| liveness)
}

/// The digest of the local state of `node` in `world`, if it runs.
#[inline]
pub fn digest(world: &[u8], node: usize) -> Result<Option<u128>, Error> {
    node_part(world, node).map(|(_, digest)| digest)
}

/// Liveness of `node` in `world` and, while it runs, the digest of its local state; `None` if that
/// lacks.
pub fn identity(world: &[u8], node: usize) -> Option<(Liveness, u128)> {
    match node_part(world, node).ok()? {
        (Liveness::Running, digest) => Some((Liveness::Running, digest?)),
        (liveness, _) => Some((liveness, 0)),
    }
}

/// The part of `world` that is of no node's local state.
pub fn rest<'w>(config: &Config, world: &'w [u8]) -> Result<&'w [u8], Error> {
    world.get(slot::SIZE * config.nodes.len()..).ok_or_else(|| broken("lacks its environment"))
}

/// What is left of the budget `name` in `world`.
pub fn budget(config: &Config, world: &[u8], name: &str) -> Result<Option<u64>, Error> {
    // The budgets are the first bytes of the environment, in this order.
    let place = ["timeouts", "crashes", "restarts", "drops"].iter().position(|&n| n == name);
    let budgets = rest(config, world)?;
    Ok(place.and_then(|place| budgets.get(place)).map(|&left| left.into()))
}

/// An error unless `world` is the canonical form of what it says.
pub fn check(config: &Config, states: &States, world: &[u8]) -> Result<(), Error> {
    let mut environment = Environment::default();
    environment.decode(config, states, world)?;
    let mut again = Vec::with_capacity(world.len());
    environment.encode(states, &mut again);
    match again == world {
        true => Ok(()),
        false => Err(broken("is not in canonical form")),
    }
}

impl Environment {
    /// Write the world to `out`, which is overwritten.
    pub fn encode(&self, states: &States, out: &mut Vec<u8>) {
        out.clear();
        for node in &self.nodes {
            let (liveness, digest) = match (node.liveness, node.state) {
                (Liveness::Running, Some(state)) => (slot::RUNNING, states.digest(state.id)),
                (Liveness::Running, None) => (slot::UNBOOTED, 0),
                (Liveness::Exited, _) => (slot::EXITED, 0),
                (Liveness::Crashed, _) => (slot::CRASHED, 0),
            };
            let mut slot = [liveness; slot::SIZE];
            slot[1..].copy_from_slice(&digest.to_le_bytes());
            out.extend_from_slice(&slot);
        }
        let Budgets { timeouts, crashes, restarts, drops } = self.budgets;
        out.extend_from_slice(&[timeouts, crashes, restarts, drops]);
        for node in &self.nodes {
            encode_node(node, &self.texts, out);
        }
        for client in &self.clients {
            out.push(client.dialled.into());
            out.push(client.end.is_some().into());
            client.sent.iter().for_each(|&sent| out.push(sent.into()));
        }
        self.encode_connections(out);
        self.log.encode(&self.texts, out);
    }

    /// Every end that is held, in canonical order.
    fn ends(&self) -> impl Iterator<Item = SideId> {
        let of_nodes = self.nodes.iter().flat_map(NodeSide::held);
        of_nodes.chain(self.clients.iter().filter_map(|client| client.end))
    }

    /// Every connection, at the first of its ends.
    fn encode_connections(&self, out: &mut Vec<u8>) {
        let mut ranks: SmallVec<[u16; 32]> = SmallVec::from_elem(NOBODY, self.network.places());
        for (rank, id) in (0..).zip(self.ends()) {
            ranks[id.place()] = rank;
        }
        for id in self.ends() {
            let other = id.other();
            match ranks[other.place()] {
                NOBODY => out.push(tag::GONE),
                there if there < ranks[id.place()] => continue,
                there => {
                    out.push(tag::HELD);
                    put_uint(out, there.into());
                }
            }
            for id in [id, other] {
                let side = self.network.side(id);
                out.push(side.finished.into());
                put_uint(out, side.waiting.into());
                self.network.queue(id).for_each(|text| put_bytes(out, self.texts.get(text)));
            }
        }
    }

    /// Become what [`Environment::encode`] wrote, in the memory that is there; behind an error it is
    /// no environment.
    pub fn decode(&mut self, config: &Config, states: &States, world: &[u8]) -> Result<(), Error> {
        let from = &mut ByteReader::new(rest(config, world)?);
        self.budgets = Budgets {
            timeouts: from.byte()?,
            crashes: from.byte()?,
            restarts: from.byte()?,
            drops: from.byte()?,
        };
        self.network.clear();
        self.texts.clear();
        self.nodes.resize_with(config.nodes.len(), NodeSide::default);
        // Where each end goes, in canonical order.
        let mut places = Places::new();
        for (number, node) in self.nodes.iter_mut().enumerate() {
            let (liveness, digest) = node_part(world, number)?;
            node.liveness = liveness;
            node.state = digest.map(|digest| states.find(digest)).transpose()?;
            decode_node(node, number, &mut self.texts, from, &mut places)?;
        }
        self.clients.clear();
        for (client, script) in config.clients.iter().enumerate() {
            let dialled = from.byte()? != 0;
            if from.byte()? != 0 {
                places.push(End::Client(client as u8));
            }
            let sent =
                script.send.iter().map(|_| Ok(from.byte()? != 0)).collect::<Result<_, Error>>()?;
            self.clients.push(ClientSide { dialled, sent, end: None });
        }
        let mut ids: SmallVec<[Option<SideId>; 16]> = SmallVec::from_elem(None, places.len());
        for rank in 0..places.len() {
            if ids[rank].is_none() {
                let (network, texts) = (&mut self.network, &mut self.texts);
                decode_connection(rank, &places, from, network, texts, &mut ids)?;
            }
        }
        for (&place, id) in places.iter().zip(ids) {
            let Some(id) = id else { continue };
            match place {
                End::Node(node, fd) => self.nodes[usize::from(node)].ends.push((fd, id)),
                End::Waiting(node) => self.nodes[usize::from(node)].backlog.push(id),
                End::Client(client) => self.clients[usize::from(client)].end = Some(id),
                End::Gone => {}
            }
        }
        self.log.decode(&mut self.texts, from)?;
        match from.is_empty() {
            true => Ok(()),
            false => Err(broken("has bytes behind its environment")),
        }
    }
}

fn encode_node(node: &NodeSide, texts: &Texts, out: &mut Vec<u8>) {
    put_uint(out, node.boots);
    put_int(out, node.clock);
    match node.durable {
        None => out.push(0),
        Some(record) => {
            out.push(1);
            put_bytes(out, texts.get(record));
        }
    }
    if node.liveness == Liveness::Running {
        out.push(node.listens.into());
        put_uint(out, node.ends.len() as u64);
        node.ends.iter().for_each(|&(fd, _)| put_int(out, fd.into()));
        put_uint(out, node.backlog.len() as u64);
    }
}

/// Read into `node` what is in the rest of a world, its ends apart, and where those are to `places`.
fn decode_node(
    node: &mut NodeSide,
    number: usize,
    texts: &mut Texts,
    from: &mut ByteReader<'_>,
    places: &mut Places,
) -> Result<(), Error> {
    let here = number as u8;
    node.boots = from.uint()?;
    node.clock = from.int()?;
    node.durable = match from.byte()? {
        0 => None,
        _ => Some(texts.add(from.bytes()?)),
    };
    node.listens = false;
    node.ends.clear();
    node.backlog.clear();
    if node.liveness == Liveness::Running {
        node.listens = from.byte()? != 0;
        for _ in 0..from.uint()? {
            places.push(End::Node(here, from.int()? as i32));
        }
        for _ in 0..from.uint()? {
            places.push(End::Waiting(here));
            // As many as are announced need not be there.
            if places.len() > usize::from(NOBODY / 2) {
                return Err(broken("holds more connections than there can be"));
            }
        }
    }
    Ok(())
}

fn decode_connection(
    rank: usize,
    places: &[End],
    from: &mut ByteReader<'_>,
    network: &mut Network,
    texts: &mut Texts,
    ids: &mut [Option<SideId>],
) -> Result<(), Error> {
    let lost = || broken("holds a connection without an end");
    let there = match from.byte()? {
        tag::GONE => None,
        _ => Some(from.uint()? as usize),
    };
    let other_end = match there {
        None => End::Gone,
        Some(there) => *places.get(there).ok_or_else(lost)?,
    };
    let id = network.connect([places[rank], other_end]);
    ids[rank] = Some(id);
    if let Some(there) = there {
        ids[there] = Some(id.other());
    }
    for id in [id, id.other()] {
        network.side_mut(id).finished = from.byte()? != 0;
        for _ in 0..from.uint()? {
            let text = texts.add(from.bytes()?);
            network.put(id, text);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
