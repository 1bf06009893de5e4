//! Puts a process into a saved memory of its node. It is done from outside, while the process is
//! stopped in the call that it waits in: nothing that takes part is in the reach of the program. The
//! saved registers say which call that is, and are read back; they are all that the kernel itself knows
//! of a call that was stopped.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::memory::{Memory, RANGES};
use super::node::{Node, Stage};
use super::notify::Notification;
use super::pieces::Pieces;
use super::request::Request;
use super::saved::{Kept, Saved};
use crate::error::Error;
use crate::system::Stop;

/// Hosts that a worker keeps of one node.
const HOSTS: usize = 4;

/// A process that waits, and can be made to wait as any saved memory of the same shape does.
#[derive(Debug)]
pub struct Host {
    node: Node,
    /// What it holds.
    holds: Arc<Saved>,
}

/// Why a process was not put into a memory.
#[derive(Debug)]
enum Failure {
    /// It is spoilt: it could not be stopped or written, or does not wait as the memory does.
    Spoilt,
    /// The check cannot go on.
    Stop(Stop),
}

/// The hosts of one node and one worker; the one that was used last is the last.
#[derive(Debug, Default)]
pub struct Pool {
    hosts: Vec<Host>,
}

impl Pool {
    /// A node that waits as `target` does; `None` if no host can be made to. `spoilt` counts the hosts
    /// that were lost in trying.
    pub fn put(&mut self, target: &Saved, spoilt: &AtomicU64) -> Result<Option<Node>, Stop> {
        loop {
            let fits = |host: &Host| host.fits(target);
            let Some(place) = self.hosts.iter().rposition(fits) else { return Ok(None) };
            match self.hosts.remove(place).put(target) {
                Ok(node) => return Ok(Some(node)),
                Err(Failure::Stop(stop)) => return Err(stop),
                // It is killed here, and costs no more than itself.
                Err(Failure::Spoilt) => spoilt.fetch_add(1, Ordering::Relaxed),
            };
        }
    }

    /// Take in `node`, which waits and holds `holds`, in place of the host that was not used for
    /// longest.
    pub fn join(&mut self, node: Node, holds: Arc<Saved>) {
        if self.hosts.len() >= HOSTS {
            self.hosts.remove(0);
        }
        self.hosts.push(Host { node, holds });
    }
}

impl Host {
    fn fits(&self, target: &Saved) -> bool {
        let at_hand = self.node.twin.iter().all(|twin| twin.is_at_hand());
        at_hand
            && self.node.is_at_hand()
            && fits(&self.node, &self.holds, target)
            && match (&self.node.twin, self.holds.twin(), target.twin()) {
                (None, None, None) => true,
                (Some(node), Some(holds), Some(target)) => fits(node, holds, target),
                _ => false,
            }
    }

    fn put(self, target: &Saved) -> Result<Node, Failure> {
        let Host { mut node, holds } = self;
        put(&mut node, &holds, target)?;
        if let (Some(node), Some(holds), Some(target)) =
            (node.twin.as_deref_mut(), holds.twin(), target.twin())
        {
            put(node, holds, target)?;
        }
        Ok(node)
    }
}

/// Whether `node`, which holds `holds`, can be made to wait as `target` does. The kernel lets a stack
/// grow where the process itself writes alone, so that it must reach as far down already.
fn fits(node: &Node, holds: &Saved, target: &Saved) -> bool {
    let stack = node.layout.as_ref().and_then(|layout| layout.stack());
    let down_to = stack.map_or(u64::MAX, |stack| stack.start).min(holds.stack());
    holds.shape() == target.shape() && down_to <= target.stack()
}

fn put(node: &mut Node, holds: &Saved, target: &Saved) -> Result<(), Failure> {
    let halted = node.halt().map_err(|_| Failure::Spoilt)?;
    if !write(node.memory(), &target.differences(holds)) {
        return Err(Failure::Spoilt);
    }
    let set = match holds.has_vector_of(target) {
        true => halted.set_general(target.general()),
        false => halted.set(&target.registers()),
    };
    set.map_err(|_| Failure::Spoilt)?;
    let found = halted.general().map_err(|_| Failure::Spoilt)?;
    if !target.general().is_in_call_of(&found) {
        return Err(Failure::Spoilt);
    }
    node.stay(halted);
    node.known = Some(Arc::clone(target.pages()));
    node.expect(target.kept())
}

/// Write `pieces`; false unless all of them could be written.
fn write(memory: Memory, pieces: &Pieces<'_>) -> bool {
    let pieces: Vec<(u64, &[u8])> = pieces.iter().collect();
    pieces.chunks(RANGES).all(|pieces| {
        let apart = |&(address, bytes): &(u64, &[u8])| memory.write_without_rights(address, bytes);
        // One page that the node may not write itself keeps the call from writing those behind it.
        memory.scatter(pieces) || pieces.iter().all(apart)
    })
}

impl Node {
    /// Take over what is kept for a node that waits, as if this one had come to the same wait.
    fn expect(&mut self, kept: &Kept) -> Result<(), Failure> {
        let (request, wait) = kept.blocked.ok_or_else(|| {
            Failure::Stop(Error::Internal("a memory was saved where no node waits".into()).into())
        })?;
        let pid = self.process.pid().as_raw();
        let notification = Notification { pid, ..request.notification };
        let memory = self.memory;
        self.blocked = Some((Request { notification, memory, ..request }, wait));
        self.hello = None;
        self.stage = Stage::Running;
        self.local = kept.local().clone();
        self.report.clone_from(&kept.report);
        self.asked.clear();
        self.events.clear();
        Ok(())
    }
}
