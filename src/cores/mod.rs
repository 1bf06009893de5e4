//! The front end of cores: pure C step functions, called in this process.

pub mod abi;
mod core;
mod env;
pub mod format;
pub mod sized;

use abi::{CMC_MAX_SETTINGS, CmcNode};

use crate::error::Error;

pub use self::core::Core;
pub use env::{Discipline, Env};

/// A core in its environment.
pub struct Cores {
    core: Core,
    env: Env,
    /// What the functions of the core are told of the node that they are called for, by node.
    nodes: Vec<CmcNode>,
}

impl Cores {
    /// Put `core` into `env`.
    pub fn new(core: Core, env: Env) -> Result<Self, Error> {
        env.check(&core)?;
        let mut settings = [0; CMC_MAX_SETTINGS];
        settings[..env.settings.len()].copy_from_slice(&env.settings);
        let node = |id: usize| CmcNode {
            id: id as u8,
            nodes: env.nodes as u8,
            len: env.settings.len() as u16,
            settings,
        };
        let nodes = (0..env.nodes).map(node).collect();
        Ok(Cores { core, env, nodes })
    }

    /// The core.
    pub fn core(&self) -> &Core {
        &self.core
    }

    /// Its environment.
    pub fn env(&self) -> &Env {
        &self.env
    }

    /// What the functions of the core are told of `node`.
    pub fn node(&self, node: usize) -> &CmcNode {
        &self.nodes[node]
    }
}
