//! How properties and reports read the worlds of the process front end.

use super::config::{Config, Requests};
use super::encode;
use super::environment::Environment;
use super::network::End;
use super::state::{StateId, States};
use crate::error::Error;
use crate::world::{Exchange, Liveness, Message, Reader, Reply};

/// Reads worlds of one model.
#[derive(Debug)]
pub struct WorldReader {
    config: Config,
    /// What the digests in worlds stand for.
    pub states: States,
}

impl WorldReader {
    /// For worlds of `config`.
    pub fn new(config: Config) -> Self {
        WorldReader { config, states: States::default() }
    }

    /// The environment in `world`.
    pub fn environment(&self, world: &[u8]) -> Result<Environment, Error> {
        Environment::decode(&self.config, &self.states, world)
    }

    /// The local state of `node` in `world`, if it runs.
    pub fn state(&self, world: &[u8], node: usize) -> Result<Option<StateId>, Error> {
        let digest = self.digest(world, node)?;
        digest.map(|digest| self.states.find(digest).map(|state| state.id)).transpose()
    }

    /// The digest of the local state of `node` in `world`, if it runs.
    pub fn digest(&self, world: &[u8], node: usize) -> Result<Option<u128>, Error> {
        encode::digest(&self.config, world, node)
    }
}

impl Reader for WorldReader {
    fn nodes(&self) -> usize {
        self.config.nodes.len()
    }

    fn liveness(&self, world: &[u8], node: usize) -> Result<Liveness, Error> {
        encode::liveness(&self.config, world, node)
    }

    fn content<'w>(&'w self, world: &'w [u8], node: usize) -> Result<Option<&'w [u8]>, Error> {
        let state = self.state(world, node)?;
        Ok(state.map(|id| &*self.states.get(id).content))
    }

    fn clock(&self, world: &[u8], node: usize) -> Result<i64, Error> {
        Ok(self.environment(world)?.nodes[node].clock)
    }

    fn budget(&self, world: &[u8], name: &str) -> Result<Option<u64>, Error> {
        encode::budget(&self.config, world, name)
    }

    fn messages(
        &self,
        world: &[u8],
        each: &mut dyn FnMut(Message<'_>) -> bool,
    ) -> Result<(), Error> {
        let environment = self.environment(world)?;
        for (to, node) in environment.nodes.iter().enumerate() {
            for id in node.held() {
                let (from, client) = match environment.network.side(id.other()).end {
                    End::Node(node, _) | End::Waiting(node) => (Some(node), None),
                    End::Client(client) => (None, Some(client)),
                    End::Gone => (None, None),
                };
                for bytes in &environment.network.side(id).queue {
                    if !each(Message { to, from, client, bytes }) {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    fn replies(&self, world: &[u8], each: &mut dyn FnMut(Reply<'_>) -> bool) -> Result<(), Error> {
        for entry in self.environment(world)?.log.replies() {
            if !each(Reply { node: None, client: Some(entry.client), bytes: &entry.bytes }) {
                break;
            }
        }
        Ok(())
    }

    fn exchanges(
        &self,
        world: &[u8],
        each: &mut dyn FnMut(Exchange<'_>) -> bool,
    ) -> Result<(), Error> {
        if self.config.requests == Requests::Forgotten {
            return Err(Error::Internal("the worlds of this model keep no requests".into()));
        }
        for entry in self.environment(world)?.log.entries() {
            let (client, request) = (entry.client, entry.request);
            if !each(Exchange { client, request, bytes: &entry.bytes }) {
                break;
            }
        }
        Ok(())
    }
}
