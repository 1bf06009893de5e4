//! How properties and reports read the worlds of the process front end.

use std::cell::RefCell;

use super::config::{Config, Requests};
use super::encode;
use super::environment::Environment;
use super::network::End;
use super::state::{StateId, States};
use crate::error::Error;
use crate::world::{Exchange, Liveness, Message, Reader, Reply};

thread_local! {
    /// Environments that nobody reads, kept for their memory.
    static UNUSED: RefCell<Vec<Environment>> = const { RefCell::new(Vec::new()) };
}

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
        let mut environment = Environment::default();
        environment.decode(&self.config, &self.states, world)?;
        Ok(environment)
    }

    /// What `read` answers of the environment in `world`; it may itself call this.
    fn reading<T>(&self, world: &[u8], read: impl FnOnce(&Environment) -> T) -> Result<T, Error> {
        let mut environment = UNUSED.with_borrow_mut(Vec::pop).unwrap_or_default();
        environment.decode(&self.config, &self.states, world)?;
        let answer = read(&environment);
        // Whoever takes it may have other local states.
        environment.nodes.clear();
        UNUSED.with_borrow_mut(|unused| unused.push(environment));
        Ok(answer)
    }

    /// The local state of `node` in `world`, if it runs.
    pub fn state(&self, world: &[u8], node: usize) -> Result<Option<StateId>, Error> {
        let digest = self.digest(world, node)?;
        digest.map(|digest| self.states.find(digest).map(|state| state.id)).transpose()
    }

    /// The digest of the local state of `node` in `world`, if it runs.
    pub fn digest(&self, world: &[u8], node: usize) -> Result<Option<u128>, Error> {
        encode::digest(world, node)
    }
}

impl Reader for WorldReader {
    fn nodes(&self) -> usize {
        self.config.nodes.len()
    }

    fn liveness(&self, world: &[u8], node: usize) -> Result<Liveness, Error> {
        encode::liveness(world, node)
    }

    fn content<'w>(&'w self, world: &'w [u8], node: usize) -> Result<Option<&'w [u8]>, Error> {
        let state = self.state(world, node)?;
        Ok(state.map(|id| &*self.states.get(id).content))
    }

    fn identity(&self, world: &[u8], node: usize) -> Option<(Liveness, u128)> {
        encode::identity(world, node)
    }

    fn clock(&self, world: &[u8], node: usize) -> Result<i64, Error> {
        self.reading(world, |environment| environment.nodes[node].clock)
    }

    fn budget(&self, world: &[u8], name: &str) -> Result<Option<u64>, Error> {
        encode::budget(&self.config, world, name)
    }

    fn messages(
        &self,
        world: &[u8],
        each: &mut dyn FnMut(Message<'_>) -> bool,
    ) -> Result<(), Error> {
        self.reading(world, |environment| {
            for (to, node) in environment.nodes.iter().enumerate() {
                for id in node.held() {
                    let (from, client) = match environment.network.side(id.other()).end {
                        End::Node(node, _) | End::Waiting(node) => (Some(node.into()), None),
                        End::Client(client) => (None, Some(client.into())),
                        End::Gone => (None, None),
                    };
                    for text in environment.network.queue(id) {
                        if !each(Message { to, from, client, bytes: environment.texts.get(text) }) {
                            return;
                        }
                    }
                }
            }
        })
    }

    fn replies(&self, world: &[u8], each: &mut dyn FnMut(Reply<'_>) -> bool) -> Result<(), Error> {
        self.reading(world, |environment| {
            let _ = environment.log.replies().all(|entry| {
                let bytes = environment.texts.get(entry.text);
                each(Reply { node: None, client: Some(entry.client), bytes })
            });
        })
    }

    fn exchanges(
        &self,
        world: &[u8],
        each: &mut dyn FnMut(Exchange<'_>) -> bool,
    ) -> Result<(), Error> {
        if self.config.requests == Requests::Forgotten {
            return Err(Error::Internal("the worlds of this model keep no requests".into()));
        }
        self.reading(world, |environment| {
            let _ = environment.log.entries().iter().all(|entry| {
                let (client, request) = (entry.client, entry.request);
                each(Exchange { client, request, bytes: environment.texts.get(entry.text) })
            });
        })
    }
}
