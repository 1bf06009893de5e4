//! The environment that a core is put into: how many nodes, which network, what budgets and caps. It
//! is copied from what a caller filled in, and says nothing of how far a world has used it up: that is
//! [`super::environment`].
#![allow(unsafe_code)] // it reads what a caller in C points to

use super::abi::{CMC_MAX_NODES, CMC_MAX_SETTINGS, CmcEnv};
use super::core::Core;
use super::sized::{self, Filled};
use crate::error::Error;

// SAFETY: it is repr(C), starts with `size`, and holds numbers and a pointer.
unsafe impl Filled for CmcEnv {
    const NAME: &'static str = "CmcEnv";
}

/// How messages travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discipline {
    /// One ordered channel for each pair of nodes and direction, as with TCP.
    Fifo,
    /// An unordered multiset.
    Bag,
}

/// What surrounds the nodes of a core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Env {
    /// How many nodes, 1 to 8.
    pub nodes: usize,
    /// How messages travel.
    pub network: Discipline,
    /// How many messages, or in a FIFO network connections, may be lost.
    pub drops: u8,
    /// How many messages of a bag may be delivered twice.
    pub dups: u8,
    /// How often a node may crash.
    pub crashes: u8,
    /// Requests of clients, by node.
    pub clients: [u8; CMC_MAX_NODES],
    /// Messages in flight, at most.
    pub max_messages: u8,
    /// Entries of the reply log, at most.
    pub max_replies: u8,
    /// Pending persists of a node, at most.
    pub max_persists: u8,
    /// What all nodes know.
    pub settings: Vec<u8>,
}

impl Default for Env {
    /// One node, a FIFO network, no budgets, no clients, the default caps, no settings.
    fn default() -> Self {
        Env {
            nodes: 1,
            network: Discipline::Fifo,
            drops: 0,
            dups: 0,
            crashes: 0,
            clients: [0; CMC_MAX_NODES],
            max_messages: 64,
            max_replies: 64,
            max_persists: 16,
            settings: Vec::new(),
        }
    }
}

impl Env {
    /// Copy an environment; NULL is the default one.
    ///
    /// # Safety
    /// `env` is NULL, or points to as many readable bytes as its `size` says, and its settings to
    /// `settings_len` bytes, or are NULL.
    pub unsafe fn read(env: *const CmcEnv) -> Result<Self, Error> {
        if env.is_null() {
            return Ok(Env::default());
        }
        // SAFETY: the caller vouches for the structure.
        let raw = unsafe { sized::read(env) }?;
        let len = usize::from(raw.settings_len);
        if len > CMC_MAX_SETTINGS {
            return Err(too_long(len));
        }
        // SAFETY: the caller vouches for the settings.
        let settings = match unsafe { sized::bytes(raw.settings, len) } {
            Some(settings) => settings,
            None if len == 0 => Vec::new(),
            None => {
                return Err(Error::Argument(format!(
                    "settings is NULL and settings_len {len}; point to the settings, or make \
                     settings_len 0"
                )));
            }
        };
        let network = match raw.network {
            0 => Discipline::Fifo,
            1 => Discipline::Bag,
            other => {
                return Err(Error::Argument(format!(
                    "network is {other}; it is CMC_NET_FIFO or CMC_NET_BAG"
                )));
            }
        };
        let default = Env::default();
        let or = |value: u8, default: u8| if value == 0 { default } else { value };
        Ok(Env {
            nodes: usize::from(raw.nodes.max(1)),
            network,
            drops: raw.drops,
            dups: raw.dups,
            crashes: raw.crashes,
            clients: raw.clients,
            max_messages: or(raw.max_messages, default.max_messages),
            max_replies: or(raw.max_replies, default.max_replies),
            max_persists: or(raw.max_persists, default.max_persists),
            settings,
        })
    }

    /// Whether `core` can run in it.
    pub(super) fn check(&self, core: &Core) -> Result<(), Error> {
        let Env { nodes, dups, .. } = *self;
        if nodes == 0 || nodes > CMC_MAX_NODES {
            return Err(Error::Argument(format!(
                "nodes is {nodes}; a model has 1 to {CMC_MAX_NODES} nodes"
            )));
        }
        if self.settings.len() > CMC_MAX_SETTINGS {
            return Err(too_long(self.settings.len()));
        }
        let beyond = (nodes..CMC_MAX_NODES).find(|&node| self.clients[node] > 0);
        if let Some(node) = beyond {
            return Err(Error::Argument(format!(
                "clients[{node}] is {}, and the last node is {}; give requests to nodes that exist, \
                 or raise nodes",
                self.clients[node],
                nodes - 1
            )));
        }
        if dups > 0 && self.network == Discipline::Fifo {
            return Err(Error::Argument(format!(
                "dups is {dups} in a FIFO network, which never duplicates; make dups 0, or network \
                 CMC_NET_BAG"
            )));
        }
        if core.is_direct() { self.check_direct() } else { Ok(()) }
    }

    /// A core that lists its own actions has no environment.
    fn check_direct(&self) -> Result<(), Error> {
        let fault = |field: &str, value: usize, remedy: &str| {
            Err(Error::Argument(format!(
                "{field} is {value} for a core with direct_actions, whose world is one state and \
                 nothing else; {remedy}"
            )))
        };
        if self.nodes != 1 {
            return fault("nodes", self.nodes, "make nodes 1");
        }
        for (field, value) in [
            ("drops", self.drops),
            ("dups", self.dups),
            ("crashes", self.crashes),
            ("clients[0]", self.clients[0]),
        ] {
            if value > 0 {
                return fault(field, value.into(), "make it 0");
            }
        }
        Ok(())
    }
}

fn too_long(len: usize) -> Error {
    Error::Argument(format!(
        "settings_len is {len}; there are at most {CMC_MAX_SETTINGS} bytes of settings: pass fewer"
    ))
}
