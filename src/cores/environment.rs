//! The part of a world that the engine owns: what is left of the budgets, what nodes have asked for,
//! what is in flight. Which actions are possible is a function of this alone. It never holds the
//! state of a node.

use super::abi::CMC_MAX_NODES;
use super::env::{Discipline, Env};
use super::network::Network;
use super::payload::Payload;
use super::set::Set;

/// What the engine keeps for one node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Side {
    /// Requests that clients have left.
    pub clients: u8,
    /// Armed timers.
    pub timers: Set,
    /// Woken waiters.
    pub wakes: Set,
    /// The nodes with which its connection was reset, and it is to be told.
    pub resets: Set,
}

/// Bytes that belong to a node: a record on its way to disk, or a reply that it gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The node.
    pub node: u8,
    /// The bytes.
    pub payload: Payload,
}

/// The environment in one world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Environment {
    /// Drops left.
    pub drops: u8,
    /// Duplicates left.
    pub dups: u8,
    /// Crashes left.
    pub crashes: u8,
    /// By node; those behind the last are as [`Side::default`].
    pub sides: [Side; CMC_MAX_NODES],
    /// Messages in flight.
    pub network: Network,
    /// Pending persists, by node, the oldest of each first.
    pub persists: Vec<Entry>,
    /// What clients were answered, in order of emission.
    pub replies: Vec<Entry>,
}

impl Environment {
    /// Before anything has happened.
    pub fn new(env: &Env) -> Self {
        let mut environment = Environment {
            drops: env.drops,
            dups: env.dups,
            crashes: env.crashes,
            sides: [Side::default(); CMC_MAX_NODES],
            network: Network::new(env.network),
            persists: Vec::new(),
            replies: Vec::new(),
        };
        for (side, &clients) in environment.sides.iter_mut().zip(&env.clients) {
            side.clients = clients;
        }
        environment
    }

    /// Become equal to `other`, of the same model, in the memory that is there.
    pub fn copy_from(&mut self, other: &Self) {
        let Environment { drops, dups, crashes, sides, network, persists, replies } = other;
        (self.drops, self.dups, self.crashes, self.sides) = (*drops, *dups, *crashes, *sides);
        self.network.copy_from(network);
        self.persists.clone_from(persists);
        self.replies.clone_from(replies);
    }

    /// The pending persists of `node`, the oldest first.
    pub fn pending(&self, node: u8) -> &[Entry] {
        let start = self.persists.partition_point(|entry| entry.node < node);
        let end = self.persists.partition_point(|entry| entry.node <= node);
        &self.persists[start..end]
    }

    /// Add a pending persist.
    pub fn persist(&mut self, entry: Entry) {
        let place = self.persists.partition_point(|other| other.node <= entry.node);
        self.persists.insert(place, entry);
    }

    /// Take the oldest pending persist of `node` out.
    pub fn flush(&mut self, node: u8) -> Option<Payload> {
        let place = self.persists.partition_point(|entry| entry.node < node);
        self.persists.get(place).filter(|entry| entry.node == node)?;
        Some(self.persists.remove(place).payload)
    }

    /// The connection between `a` and `b` is reset: what is in flight between them is lost, and both
    /// are to be told. `None` if nothing is in flight.
    pub fn reset(&mut self, a: u8, b: u8) -> Option<()> {
        self.network.cut(a, b)?;
        self.sides[usize::from(a)].resets.insert(b);
        self.sides[usize::from(b)].resets.insert(a);
        Some(())
    }

    /// `node` of so many `nodes` dies, and with it all that it was to be told and has not on disk. In a
    /// FIFO network its connections die too, and the other ends are to be told; in a bag there are no
    /// connections, so that what is in flight stays.
    pub fn crash(&mut self, node: u8, nodes: usize) {
        let side = &mut self.sides[usize::from(node)];
        *side = Side { clients: side.clients, ..Side::default() };
        self.persists.retain(|entry| entry.node != node);
        if self.network.discipline() == Discipline::Fifo {
            self.network.forget(node);
            let peers = (0..).zip(&mut self.sides[..nodes]).filter(|(peer, _)| *peer != node);
            peers.for_each(|(_, peer)| peer.resets.insert(node));
        }
    }
}
