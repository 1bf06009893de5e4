//! How properties and reports read the worlds of the process front end: one section for the
//! environment, then one for each node, whose first byte is its liveness and whose rest its content.

use super::config::Config;
use super::environment::Environment;
use super::network::End;
use crate::error::Error;
use crate::world::{Liveness, Message, Reader, Reply, SectionWriter, section};

/// Write a world: the environment, and the contents of the nodes that run.
pub fn encode(environment: &Environment, contents: &[Vec<u8>], out: &mut Vec<u8>) {
    let mut writer = SectionWriter::new(out, 1 + contents.len());
    writer.section(|out| environment.encode(out));
    for (node, content) in environment.nodes.iter().zip(contents) {
        writer.section(|out| match node.liveness {
            Liveness::Running => {
                out.push(0);
                out.extend_from_slice(content);
            }
            Liveness::Exited => out.push(1),
            Liveness::Crashed => out.push(2),
        });
    }
}

/// Reads worlds of one model.
#[derive(Debug)]
pub struct WorldReader {
    config: Config,
}

impl WorldReader {
    /// For worlds of `config`.
    pub fn new(config: Config) -> Self {
        WorldReader { config }
    }

    /// The environment in `world`.
    pub fn environment(&self, world: &[u8]) -> Result<Environment, Error> {
        Environment::decode(&self.config, section(world, self.sections(), 0)?)
    }

    fn sections(&self) -> usize {
        1 + self.config.nodes.len()
    }

    fn node<'w>(&self, world: &'w [u8], node: usize) -> Result<(Liveness, &'w [u8]), Error> {
        let bytes = section(world, self.sections(), 1 + node)?;
        match bytes.split_first() {
            Some((0, content)) => Ok((Liveness::Running, content)),
            Some((1, _)) => Ok((Liveness::Exited, &[])),
            Some((2, _)) => Ok((Liveness::Crashed, &[])),
            _ => Err(Error::Internal("a world holds a node of no liveness".into())),
        }
    }
}

impl Reader for WorldReader {
    fn nodes(&self) -> usize {
        self.config.nodes.len()
    }

    fn liveness(&self, world: &[u8], node: usize) -> Result<Liveness, Error> {
        self.node(world, node).map(|(liveness, _)| liveness)
    }

    fn content<'w>(&self, world: &'w [u8], node: usize) -> Result<Option<&'w [u8]>, Error> {
        let (liveness, content) = self.node(world, node)?;
        Ok((liveness == Liveness::Running).then_some(content))
    }

    fn clock(&self, world: &[u8], node: usize) -> Result<i64, Error> {
        Ok(self.environment(world)?.nodes[node].clock)
    }

    fn budget(&self, world: &[u8], name: &str) -> Result<Option<u64>, Error> {
        // The budgets are the first bytes of the environment, in this order.
        let place = ["timeouts", "crashes", "restarts", "drops"].iter().position(|&n| n == name);
        let budgets = section(world, self.sections(), 0)?;
        Ok(place.and_then(|place| budgets.get(place)).map(|&left| left.into()))
    }

    fn messages(
        &self,
        world: &[u8],
        each: &mut dyn FnMut(Message<'_>) -> bool,
    ) -> Result<(), Error> {
        let environment = self.environment(world)?;
        for (to, node) in environment.nodes.iter().enumerate() {
            for &id in node.ends.values().chain(&node.backlog) {
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
        for (client, bytes) in &self.environment(world)?.replies {
            if !each(Reply { client: *client, bytes }) {
                break;
            }
        }
        Ok(())
    }
}
