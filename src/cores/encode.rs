//! Worlds as bytes. A world is the state of each node, filled up with zeros to a multiple of 16
//! bytes, and behind them the environment:
//!
//! * what is left of drops, dups and crashes, a byte each; how many messages and replies there are,
//!   a byte each, and how many pending persists, two bytes;
//! * for each node five bytes: clients left, timers (low byte first), wakes, resets;
//! * the messages, the pending persists, the replies: each a byte for whom it concerns, a byte for
//!   its length, and its bytes.
//!
//! In calibration mode a world is the one state and nothing else.
//!
//! Two worlds of a model are the same state exactly when their bytes are equal. Equal bytes are the
//! same state because they can be read back: states and the fixed part stand at fixed places, and each
//! entry says its length. The same state is equal bytes because each part is written in one way only:
//! a state is bytes, and counts as nothing else; budgets, sets of timers, of wakes and of resets are
//! numbers; messages are in the order of [`super::network`], which forgets what does not matter (the order
//! between channels, any order in a bag) and keeps what does (the order within a channel); persists
//! are by node and in order, since the disk keeps the order; replies are in order of emission, since
//! the log is part of the state. Numbers and lengths have one form, and nothing else is written.

use std::ops::Range;

use super::environment::{Entry, Environment};
use super::network::Message;
use super::payload::Payload;
use super::set::Set;
use crate::error::Error;
use crate::short;

/// To what a state is filled up.
const ALIGNMENT: usize = 16;
/// The bytes in front of the sides of nodes.
const FRONT: usize = 7;
/// The bytes of a side.
const SIDE: usize = 5;
/// The bytes of an entry in front of its payload.
const ENTRY: usize = 2;

/// Where things stand in the worlds of a model.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    nodes: usize,
    state_size: usize,
    /// The bytes from one state to the next.
    stride: usize,
}

impl Layout {
    /// For so many nodes with states of so many bytes.
    pub fn new(nodes: usize, state_size: usize) -> Self {
        Layout { nodes, state_size, stride: state_size.next_multiple_of(ALIGNMENT) }
    }

    /// The state of `node` in `world`.
    pub fn state<'w>(&self, world: &'w [u8], node: usize) -> Result<&'w [u8], Error> {
        world[..(self.nodes * self.stride).min(world.len())]
            .get(node * self.stride..)
            .and_then(|rest| rest.get(..self.state_size))
            .ok_or_else(broken)
    }

    /// The states of all nodes in `world`, one behind the other.
    pub fn states<'w>(&self, world: &'w [u8]) -> &'w [u8] {
        &world[..self.nodes * self.stride]
    }

    /// Where the state of `node` stands.
    pub fn range(&self, node: u8) -> Range<usize> {
        let start = usize::from(node) * self.stride;
        start..start + self.state_size
    }

    /// Append the state of the next node to `out`.
    pub fn push_state(&self, state: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(state);
        out.resize(out.len().next_multiple_of(ALIGNMENT), 0);
    }

    /// The environment of `world`.
    pub fn environment<'w>(&self, world: &'w [u8]) -> Result<Encoded<'w>, Error> {
        let bytes = world.get(self.nodes * self.stride..).ok_or_else(broken)?;
        if bytes.len() < FRONT + SIDE * self.nodes {
            return Err(broken());
        }
        Ok(Encoded { bytes, nodes: self.nodes })
    }
}

/// Append `environment` to `out`.
pub fn encode(environment: &Environment, nodes: usize, out: &mut Vec<u8>) {
    let Environment { drops, dups, crashes, sides, network, persists, replies } = environment;
    let messages = network.messages();
    let entries = || persists.iter().chain(replies);
    let payloads = messages.iter().map(|message| &message.payload);
    let payloads = payloads.chain(entries().map(|entry| &entry.payload));
    let size = |payload: &Payload| ENTRY + usize::from(payload.len());
    // Made at once, so that no piece asks for memory.
    let start = out.len();
    out.resize(start + FRONT + SIDE * nodes + payloads.map(size).sum::<usize>(), 0);
    let mut rest = &mut out[start..];
    // The caps are bytes, and that on persists is for each of 8 nodes.
    let [low, high] = (persists.len() as u16).to_le_bytes();
    let counts = [messages.len() as u8, replies.len() as u8, low, high];
    put(&mut rest, &[*drops, *dups, *crashes]);
    put(&mut rest, &counts);
    for side in &sides[..nodes] {
        let [low, high] = side.timers.0.to_le_bytes();
        // There are 8 waiters and 8 nodes, so one byte holds a set of them.
        put(&mut rest, &[side.clients, low, high, side.wakes.0 as u8, side.resets.0 as u8]);
    }
    for Message { to, from, payload } in messages {
        put_entry(&mut rest, to << 4 | from, payload);
    }
    for Entry { node, payload } in entries() {
        put_entry(&mut rest, *node, payload);
    }
}

/// Write `bytes` to the front of `rest`, which loses it.
#[inline]
fn put(rest: &mut &mut [u8], bytes: &[u8]) {
    let (place, behind) = std::mem::take(rest).split_at_mut(bytes.len());
    short::copy(bytes, place);
    *rest = behind;
}

#[inline]
fn put_entry(rest: &mut &mut [u8], whom: u8, payload: &Payload) {
    put(rest, &[whom, payload.len()]);
    put(rest, payload.bytes());
}

/// An environment in a world, to be read in place.
#[derive(Clone, Copy)]
pub struct Encoded<'w> {
    bytes: &'w [u8],
    nodes: usize,
}

impl<'w> Encoded<'w> {
    /// Drops, dups and crashes left.
    pub fn budgets(&self) -> [u8; 3] {
        [self.bytes[0], self.bytes[1], self.bytes[2]]
    }

    /// Requests that clients of `node` have left.
    pub fn clients(&self, node: usize) -> u8 {
        self.bytes[FRONT + SIDE * node]
    }

    /// The messages in flight: receiver, sender, bytes.
    pub fn messages(&self) -> impl Iterator<Item = Result<(u8, u8, &'w [u8]), Error>> {
        let whom = |(whom, bytes): (u8, &'w [u8])| (whom >> 4, whom & 15, bytes);
        self.entries().take(self.message_count()).map(move |entry| entry.map(whom))
    }

    /// The replies: node, bytes.
    pub fn replies(&self) -> impl Iterator<Item = Result<(u8, &'w [u8]), Error>> {
        self.entries().skip(self.message_count() + self.persist_count())
    }

    /// Read everything into `environment`, in the memory that is there.
    pub fn decode(&self, environment: &mut Environment) -> Result<(), Error> {
        [environment.drops, environment.dups, environment.crashes] = self.budgets();
        let sides = self.bytes[FRONT..].chunks_exact(SIDE).take(self.nodes);
        for (side, bytes) in environment.sides.iter_mut().zip(sides) {
            side.clients = bytes[0];
            side.timers = Set(u16::from_le_bytes([bytes[1], bytes[2]]));
            side.wakes = Set(bytes[3].into());
            side.resets = Set(bytes[4].into());
        }
        let mut entries = self.entries();
        let mut next = || -> Result<(u8, Payload), Error> {
            let (whom, bytes) = entries.next().ok_or_else(broken)??;
            Ok((whom, Payload::new(bytes).ok_or_else(broken)?))
        };
        environment.network.clear();
        for _ in 0..self.message_count() {
            let (whom, payload) = next()?;
            let (to, from) = (self.node(whom >> 4)?, self.node(whom & 15)?);
            environment.network.push(Message { to, from, payload });
        }
        for (list, count) in [
            (&mut environment.persists, self.persist_count()),
            (&mut environment.replies, self.bytes[4].into()),
        ] {
            list.clear();
            for _ in 0..count {
                let (whom, payload) = next()?;
                list.push(Entry { node: self.node(whom)?, payload });
            }
        }
        if entries.next().is_some() { Err(broken()) } else { Ok(()) }
    }

    fn message_count(&self) -> usize {
        self.bytes[3].into()
    }

    fn persist_count(&self) -> usize {
        u16::from_le_bytes([self.bytes[5], self.bytes[6]]).into()
    }

    fn node(&self, number: u8) -> Result<u8, Error> {
        if usize::from(number) < self.nodes { Ok(number) } else { Err(broken()) }
    }

    fn entries(&self) -> Entries<'w> {
        Entries { rest: &self.bytes[FRONT + SIDE * self.nodes..] }
    }
}

/// The entries of an environment: whom each concerns, and its bytes.
struct Entries<'w> {
    rest: &'w [u8],
}

impl<'w> Iterator for Entries<'w> {
    type Item = Result<(u8, &'w [u8]), Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let (&whom, rest) = self.rest.split_first()?;
        let entry = rest
            .split_first()
            .and_then(|(&len, rest)| rest.split_at_checked(len.into()))
            .ok_or_else(broken);
        self.rest = entry.as_ref().map_or(&[], |(_, rest)| rest);
        Some(entry.map(|(bytes, _)| (whom, bytes)))
    }
}

fn broken() -> Error {
    Error::Internal("the bytes of a world of a core are broken".into())
}

#[cfg(test)]
mod tests;
