//! Counts the local states of the worlds that a search stores: contents, and identities, which are
//! contents with all that the checker keeps for the node.

use std::collections::HashSet;

use crate::error::Error;
use crate::fingerprint::Fingerprint;
use crate::process::Processes;
use crate::search::Observer;
use crate::world::{Liveness, Reader};

/// What was seen of each node.
pub struct Tally<'a> {
    processes: &'a Processes,
    contents: Vec<HashSet<Fingerprint>>,
    identities: Vec<HashSet<Fingerprint>>,
    stored: bool,
    scratch: Vec<u8>,
    /// The first world that could not be read.
    pub fault: Option<Error>,
}

impl<'a> Tally<'a> {
    /// Nothing seen yet.
    pub fn new(processes: &'a Processes) -> Self {
        let nodes = processes.config.nodes.len();
        Tally {
            processes,
            contents: vec![HashSet::new(); nodes],
            identities: vec![HashSet::new(); nodes],
            stored: false,
            scratch: Vec::new(),
            fault: None,
        }
    }

    /// Contents by node; `None` if no world was stored.
    pub fn local_states(&self) -> Option<Vec<u64>> {
        self.stored.then(|| self.contents.iter().map(|set| set.len() as u64).collect())
    }

    /// Identities by node; `None` if no world was stored.
    pub fn identities(&self) -> Option<Vec<u64>> {
        self.stored.then(|| self.identities.iter().map(|set| set.len() as u64).collect())
    }

    fn count(&mut self, world: &[u8]) -> Result<(), Error> {
        let reader = &self.processes.reader;
        let environment = reader.environment(world)?;
        for (node, side) in environment.nodes.iter().enumerate() {
            if side.liveness != Liveness::Running {
                continue;
            }
            let content = reader.content(world, node)?.unwrap_or_default();
            self.contents[node].insert(Fingerprint::of(content));
            self.scratch.clear();
            if let Some(wait) = &side.wait {
                wait.encode(&mut self.scratch);
            }
            crate::bytes::put_bytes(&mut self.scratch, &side.local);
            self.scratch.extend_from_slice(content);
            self.identities[node].insert(Fingerprint::of(&self.scratch));
        }
        Ok(())
    }
}

impl Observer for Tally<'_> {
    fn stored(&mut self, world: &[u8]) {
        self.stored = true;
        if let Err(error) = self.count(world) {
            self.fault.get_or_insert(error);
        }
    }
}
