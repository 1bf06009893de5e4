//! A world as canonical bytes and back: for each node a section with its liveness and the digest of
//! its local state, then one for the rest of the environment. Connections are named by their ends and written at
//! the first end in the order nodes (descriptors, then places at the port), clients; so equal
//! environments are equal bytes, whatever happened to lead there.

use smallvec::SmallVec;

use super::config::{Budgets, Config};
use super::environment::{ClientSide, Environment, NodeSide};
use super::log::Log;
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

/// The section of `world` that is of no node.
pub fn rest<'w>(config: &Config, world: &'w [u8]) -> Result<&'w [u8], Error> {
    section(world, sections(config), config.nodes.len())
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
        self.log.encode(out);
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
        let log = Log::decode(from)?;
        if !from.is_empty() {
            return Err(Error::Internal("a world has bytes behind its environment".into()));
        }
        Ok(Environment { budgets, nodes, clients, network, log })
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
mod tests;
