//! A world that was read out: it needs no system to be read again, and lives as long as one likes.

use crate::error::Error;
use crate::world::{Liveness, Message, Reader, Reply, View};

/// The budgets that a world may have; a core has "clients N" for each node beside them.
const BUDGETS: [&str; 5] = ["drops", "dups", "crashes", "timeouts", "restarts"];

/// All that can be read of one world.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    nodes: Vec<Node>,
    budgets: Vec<(String, u64)>,
    messages: Vec<Sent>,
    replies: Vec<Answer>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Node {
    liveness: Liveness,
    content: Option<Vec<u8>>,
    clock: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Sent {
    to: usize,
    from: Option<usize>,
    client: Option<usize>,
    bytes: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Answer {
    node: Option<usize>,
    client: Option<usize>,
    bytes: Vec<u8>,
}

impl Snapshot {
    /// Read out the world behind `view`.
    pub fn take(view: View<'_>) -> Result<Self, Error> {
        let View { world, reader } = view;
        let mut snapshot = Snapshot::default();
        for node in 0..reader.nodes() {
            snapshot.nodes.push(Node {
                liveness: reader.liveness(world, node)?,
                content: reader.content(world, node)?.map(<[u8]>::to_vec),
                clock: reader.clock(world, node)?,
            });
        }
        let clients = (0..reader.nodes()).map(|node| format!("clients {node}"));
        for name in BUDGETS.iter().map(|name| (*name).to_owned()).chain(clients) {
            if let Some(left) = reader.budget(world, &name)? {
                snapshot.budgets.push((name, left));
            }
        }
        reader.messages(world, &mut |Message { to, from, client, bytes }| {
            snapshot.messages.push(Sent { to, from, client, bytes: bytes.to_vec() });
            true
        })?;
        reader.replies(world, &mut |Reply { node, client, bytes }| {
            snapshot.replies.push(Answer { node, client, bytes: bytes.to_vec() });
            true
        })?;
        Ok(snapshot)
    }

    /// The world, to be read again.
    pub fn view(&self) -> View<'_> {
        View { world: &[], reader: self }
    }

    fn node(&self, node: usize) -> Result<&Node, Error> {
        self.nodes.get(node).ok_or_else(|| Error::Internal(format!("there is no node {node}")))
    }
}

impl Reader for Snapshot {
    fn nodes(&self) -> usize {
        self.nodes.len()
    }

    fn liveness(&self, _: &[u8], node: usize) -> Result<Liveness, Error> {
        Ok(self.node(node)?.liveness)
    }

    fn content<'w>(&'w self, _: &'w [u8], node: usize) -> Result<Option<&'w [u8]>, Error> {
        Ok(self.node(node)?.content.as_deref())
    }

    fn clock(&self, _: &[u8], node: usize) -> Result<i64, Error> {
        Ok(self.node(node)?.clock)
    }

    fn budget(&self, _: &[u8], name: &str) -> Result<Option<u64>, Error> {
        let found = self.budgets.iter().find(|(known, _)| known == name);
        Ok(found.map(|(_, left)| *left))
    }

    fn messages(&self, _: &[u8], each: &mut dyn FnMut(Message<'_>) -> bool) -> Result<(), Error> {
        for Sent { to, from, client, bytes } in &self.messages {
            if !each(Message { to: *to, from: *from, client: *client, bytes }) {
                break;
            }
        }
        Ok(())
    }

    fn replies(&self, _: &[u8], each: &mut dyn FnMut(Reply<'_>) -> bool) -> Result<(), Error> {
        for Answer { node, client, bytes } in &self.replies {
            if !each(Reply { node: *node, client: *client, bytes }) {
                break;
            }
        }
        Ok(())
    }
}
