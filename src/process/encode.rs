//! A world as canonical bytes and back: for each node a slot with its liveness and the digest of its
//! local state, then the rest of the environment. Connections are named by their ends and written at
//! the first end in the order nodes (descriptors, then places at the port), clients; so equal
//! environments are equal bytes, whatever happened to lead there.

use smallvec::SmallVec;

use super::config::{Budgets, Config};
use super::environment::Environment;
use super::few::Few;
use super::network::{End, Network, SideId};
use super::participant::{ClientSide, NodeSide};
use super::reader::Reader;
use super::state::States;
use super::text::Texts;
use super::writer::{self, Writer};
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
/// Ends that are ranked without memory of their own.
const FEW: usize = 32;

/// Ends of connections, each where it is held.
type Places = Few<End, 16>;

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
#[inline]
pub fn identity(world: &[u8], node: usize) -> Option<(Liveness, u128)> {
    let slot = world.get(slot::SIZE * node..)?.first_chunk::<{ slot::SIZE }>()?;
    let [liveness, digest @ ..] = *slot;
    match liveness {
        slot::RUNNING => Some((Liveness::Running, u128::from_le_bytes(digest))),
        slot::EXITED => Some((Liveness::Exited, 0)),
        slot::CRASHED => Some((Liveness::Crashed, 0)),
        _ => None,
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
    environment.encode(&mut again);
    match again == world {
        true => Ok(()),
        false => Err(broken("is not in canonical form")),
    }
}

/// An error unless the local states of `environment` are those of `world`.
pub fn check_states(states: &States, world: &[u8], environment: &Environment) -> Result<(), Error> {
    for (number, node) in environment.nodes.iter().enumerate() {
        if node.state != digest(world, number)?.map(|digest| states.find(digest)).transpose()? {
            return Err(Error::Internal("a node was read in another local state".into()));
        }
    }
    Ok(())
}

impl Environment {
    /// Write the world to `out`, which is overwritten.
    pub fn encode(&self, out: &mut Vec<u8>) {
        writer::overwrite(out, |out| self.put_world(out));
    }

    #[inline(always)]
    fn put_world(&self, out: &mut Writer<'_>) {
        for node in &self.nodes {
            let (liveness, digest) = match (node.liveness, node.state) {
                (Liveness::Running, Some(state)) => (slot::RUNNING, state.digest),
                (Liveness::Running, None) => (slot::UNBOOTED, 0),
                (Liveness::Exited, _) => (slot::EXITED, 0),
                (Liveness::Crashed, _) => (slot::CRASHED, 0),
            };
            let mut slot = [liveness; slot::SIZE];
            slot[1..].copy_from_slice(&digest.to_le_bytes());
            out.chunk(&slot);
        }
        let Budgets { timeouts, crashes, restarts, drops } = self.budgets;
        out.chunk(&[timeouts, crashes, restarts, drops]);
        for node in &self.nodes {
            put_node(node, &self.texts, out);
        }
        for client in &self.clients {
            out.byte(client.dialled.into());
            out.byte(client.end.is_some().into());
            for &sent in &client.sent {
                out.byte(sent.into());
            }
        }
        self.put_connections(out);
        self.log.write(&self.texts, out);
    }

    /// Every connection, at the first of its ends.
    #[inline(always)]
    fn put_connections(&self, out: &mut Writer<'_>) {
        let places = self.network.places();
        if places <= FEW {
            let (mut held, mut ranks) = ([SideId::default(); FEW], [NOBODY; FEW]);
            self.put_ranked(&mut held, &mut ranks, out);
        } else {
            self.put_ranked(&mut vec![SideId::default(); places], &mut vec![NOBODY; places], out);
        }
    }

    /// The same, with room for the ends that are held, in canonical order, and for the rank of each.
    #[inline(always)]
    fn put_ranked(&self, held: &mut [SideId], ranks: &mut [u16], out: &mut Writer<'_>) {
        let mut count = 0;
        let mut put = |id: SideId| {
            held[count] = id;
            ranks[id.place()] = count as u16;
            count += 1;
        };
        for node in &self.nodes {
            for &(_, id) in node.ends.iter() {
                put(id);
            }
            for &id in node.backlog.iter() {
                put(id);
            }
        }
        for client in &self.clients {
            if let Some(id) = client.end {
                put(id);
            }
        }
        for (rank, &id) in held[..count].iter().enumerate() {
            let rank = rank as u16;
            match ranks[id.other().place()] {
                NOBODY => out.byte(tag::GONE),
                there if there < rank => continue,
                there => {
                    out.byte(tag::HELD);
                    out.uint(there.into());
                }
            }
            self.put_queue(id, out);
            self.put_queue(id.other(), out);
        }
    }

    /// What is on its way to the end `id`.
    #[inline(always)]
    fn put_queue(&self, id: SideId, out: &mut Writer<'_>) {
        let side = self.network.side(id);
        out.byte(side.finished.into());
        out.uint(side.waiting.into());
        for text in self.network.queue(id) {
            out.bytes(self.texts.get(text));
        }
    }

    /// Become what [`Environment::encode`] wrote, in the memory that is there, in which local states are
    /// those of `states`; behind an error it is no environment.
    pub fn decode(&mut self, config: &Config, states: &States, world: &[u8]) -> Result<(), Error> {
        let rest = rest(config, world)?;
        let from = &mut Reader::new(rest);
        self.budgets = Budgets {
            timeouts: from.byte()?,
            crashes: from.byte()?,
            restarts: from.byte()?,
            drops: from.byte()?,
        };
        self.network.clear();
        self.texts.hold(rest);
        self.nodes.resize_with(config.nodes.len(), NodeSide::default);
        // Where each end goes, in canonical order.
        let mut places = Places::default();
        for (number, node) in self.nodes.iter_mut().enumerate() {
            let (liveness, digest) = node_part(world, number)?;
            node.liveness = liveness;
            // What it was in the world before it often is still.
            if node.state.map(|state| state.digest) != digest {
                node.state = digest.map(|digest| states.find(digest)).transpose()?;
            }
            read_node(node, number, from, &mut places)?;
        }
        self.clients.clear();
        for (client, script) in config.clients.iter().enumerate() {
            let dialled = from.byte()? != 0;
            if from.byte()? != 0 {
                places.push(End::Client(client as u8));
            }
            let mut sent = SmallVec::new();
            for _ in &script.send {
                sent.push(from.byte()? != 0);
            }
            self.clients.push(ClientSide { dialled, sent, end: None });
        }
        if places.len() <= FEW {
            self.read_connections(&places, &mut [None; FEW], from)?;
        } else {
            self.read_connections(&places, &mut vec![None; places.len()], from)?;
        }
        self.log.read(from)?;
        match from.is_empty() {
            true => Ok(()),
            false => Err(broken("has bytes behind its environment")),
        }
    }

    /// Read the connections of the ends at `places`; there is room for the id of each.
    #[inline(always)]
    fn read_connections(
        &mut self,
        places: &[End],
        ids: &mut [Option<SideId>],
        from: &mut Reader<'_>,
    ) -> Result<(), Error> {
        for rank in 0..places.len() {
            if ids[rank].is_none() {
                read_connection(rank, places, from, &mut self.network, ids)?;
            }
        }
        for (&place, &id) in places.iter().zip(&*ids) {
            let Some(id) = id else { continue };
            match place {
                End::Node(node, fd) => self.nodes[usize::from(node)].ends.push((fd, id)),
                End::Waiting(node) => self.nodes[usize::from(node)].backlog.push(id),
                End::Client(client) => self.clients[usize::from(client)].end = Some(id),
                End::Gone => {}
            }
        }
        Ok(())
    }
}

#[inline(always)]
fn put_node(node: &NodeSide, texts: &Texts, out: &mut Writer<'_>) {
    out.uint(node.boots);
    out.int(node.clock);
    match node.durable {
        None => out.byte(0),
        Some(record) => {
            out.byte(1);
            out.bytes(texts.get(record));
        }
    }
    if node.liveness == Liveness::Running {
        out.byte(node.listens.into());
        out.uint(node.ends.len() as u64);
        for &(fd, _) in node.ends.iter() {
            out.int(fd.into());
        }
        out.uint(node.backlog.len() as u64);
    }
}

/// Read into `node` what is in the rest of a world, its ends apart, and where those are to `places`.
#[inline(always)]
fn read_node(
    node: &mut NodeSide,
    number: usize,
    from: &mut Reader<'_>,
    places: &mut Places,
) -> Result<(), Error> {
    let here = number as u8;
    node.boots = from.uint()?;
    node.clock = from.int()?;
    node.durable = match from.byte()? {
        0 => None,
        _ => Some(from.text()?),
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

#[inline(always)]
fn read_connection(
    rank: usize,
    places: &[End],
    from: &mut Reader<'_>,
    network: &mut Network,
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
            network.put(id, from.text()?);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
