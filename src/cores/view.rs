//! How properties and reports read the worlds of cores. All nodes run in every world: a crash and the
//! start behind it are one action.

use super::Cores;
use crate::error::Error;
use crate::world::{Liveness, Message, Reader, Reply};

impl Cores {
    fn is_node(&self, node: usize) -> Result<(), Error> {
        let nodes = self.env.nodes;
        if node < nodes {
            return Ok(());
        }
        Err(Error::Internal(format!("node {node} is asked about, and there are {nodes}")))
    }
}

impl Reader for Cores {
    fn nodes(&self) -> usize {
        self.env.nodes
    }

    fn liveness(&self, _: &[u8], node: usize) -> Result<Liveness, Error> {
        self.is_node(node).map(|()| Liveness::Running)
    }

    fn content<'w>(&'w self, world: &'w [u8], node: usize) -> Result<Option<&'w [u8]>, Error> {
        self.is_node(node)?;
        self.layout.state(world, node).map(Some)
    }

    /// A core has no clock.
    fn clock(&self, _: &[u8], node: usize) -> Result<i64, Error> {
        self.is_node(node).map(|()| 0)
    }

    /// `drops`, `dups`, `crashes`, and `clients N` for the requests that node N is still to get.
    fn budget(&self, world: &[u8], name: &str) -> Result<Option<u64>, Error> {
        let client = name.strip_prefix("clients ").and_then(|node| node.parse::<usize>().ok());
        let client = client.filter(|node| *node < self.env.nodes);
        let place = ["drops", "dups", "crashes"].iter().position(|known| *known == name);
        if place.is_none() && client.is_none() {
            return Ok(None);
        }
        if self.core.is_direct() {
            return Ok(Some(0));
        }
        let environment = self.layout.environment(world)?;
        let left = match (place, client) {
            (Some(place), _) => environment.budgets()[place],
            (None, client) => environment.clients(client.unwrap_or_default()),
        };
        Ok(Some(left.into()))
    }

    fn messages(
        &self,
        world: &[u8],
        each: &mut dyn FnMut(Message<'_>) -> bool,
    ) -> Result<(), Error> {
        if self.core.is_direct() {
            return Ok(());
        }
        for message in self.layout.environment(world)?.messages() {
            let (to, from, bytes) = message?;
            let (to, from) = (to.into(), Some(from.into()));
            if !each(Message { to, from, client: None, bytes }) {
                break;
            }
        }
        Ok(())
    }

    fn replies(&self, world: &[u8], each: &mut dyn FnMut(Reply<'_>) -> bool) -> Result<(), Error> {
        if self.core.is_direct() {
            return Ok(());
        }
        for reply in self.layout.environment(world)?.replies() {
            let (node, bytes) = reply?;
            if !each(Reply { node: Some(node.into()), client: None, bytes }) {
                break;
            }
        }
        Ok(())
    }
}
