//! Counts the local states of the worlds that a search stores: contents, and identities, which are
//! contents with all that the checker keeps for the node.

use std::collections::HashSet;

use crate::error::Error;
use crate::fingerprint::Fingerprint;
use crate::process::Processes;
use crate::process::state::Digests;
use crate::search::Observer;
use crate::world::Reader;

/// What was seen of each node.
pub struct Tally<'a> {
    processes: &'a Processes,
    contents: Vec<HashSet<Fingerprint>>,
    identities: Vec<HashSet<u128, Digests>>,
    stored: bool,
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
            identities: vec![HashSet::default(); nodes],
            stored: false,
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

    /// The local states by node and digest.
    pub fn into_states(self) -> Vec<Vec<u128>> {
        self.identities.into_iter().map(|known| known.into_iter().collect()).collect()
    }

    fn count(&mut self, world: &[u8]) -> Result<(), Error> {
        let reader = &self.processes.reader;
        for node in 0..reader.nodes() {
            if let Some(digest) = reader.digest(world, node)?
                && self.identities[node].insert(digest)
            {
                let content = &reader.states.get(reader.states.find(digest)?.id).content;
                self.contents[node].insert(Fingerprint::of(content));
            }
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
