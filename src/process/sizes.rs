//! How large the states of a model are, and how much of them a transition changes: of each process the
//! global variables, the heap and the stack, and what is in the network.

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use super::block::ZEROS;
use super::layout::Role;
use super::memory::PAGE;
use super::phases::{CallCounts, Phases};
use super::saved::Saved;
use super::snapshot::Snapshot;

/// The parts of the memory of a process.
pub const PARTS: [&str; 3] = ["globals", "heap", "stack"];

/// Sums over all that was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Part {
    /// Bytes of the part, summed over memories.
    pub bytes: u64,
    /// Bytes that are different behind a transition, summed over transitions.
    pub changed_bytes: u64,
    /// Pages that are, likewise.
    pub changed_pages: u64,
}

/// What was measured of one process.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProcessSizes {
    /// By [`PARTS`].
    pub parts: [Part; PARTS.len()],
    /// Memories that were measured.
    pub memories: u64,
    /// Transitions of the process that were measured.
    pub transitions: u64,
}

/// What was measured of the network, and of what else belongs to no process.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NetworkSizes {
    /// Bytes, summed over transitions.
    pub bytes: u64,
    /// Bytes that are different behind a transition, summed over transitions.
    pub changed_bytes: u64,
    /// Transitions that were measured.
    pub transitions: u64,
}

/// The measurements of a check.
#[derive(Debug)]
pub struct Sizes {
    processes: Vec<Mutex<ProcessSizes>>,
    network: Mutex<NetworkSizes>,
}

impl Sizes {
    /// Nothing measured yet, of so many processes.
    pub fn new(processes: usize) -> Self {
        Sizes {
            processes: (0..processes).map(|_| Mutex::default()).collect(),
            network: Mutex::default(),
        }
    }

    /// Process `number` has gone from `before` to `after`, which was read as `snapshot`.
    pub fn note(&self, number: usize, before: &Saved, after: &Saved, snapshot: &Snapshot) {
        let mut measured = ProcessSizes { memories: 1, transitions: 1, ..ProcessSizes::default() };
        let top = snapshot.registers.sp();
        for (region, bytes) in snapshot.regions() {
            let size = match region.role {
                Role::Arena => snapshot.used.min(bytes.len() as u64),
                Role::Stack => region.end - top.clamp(region.start, region.end),
                Role::File | Role::Anonymous | Role::Break => bytes.len() as u64,
            };
            measured.parts[part(region.role)].bytes += size;
        }
        for (address, bytes) in after.differences(before).iter() {
            // Of each page that changed there is one part.
            let page = address / PAGE * PAGE;
            let old = before.pages().find(page);
            let old = old.map_or(Cow::Borrowed(&ZEROS[..]), |block| block.bytes());
            let old = &old[(address - page) as usize..];
            let role = snapshot.layout.role_at(address).unwrap_or(Role::Stack);
            let part = &mut measured.parts[part(role)];
            part.changed_pages += 1;
            part.changed_bytes +=
                bytes.iter().zip(old).filter(|(new, old)| new != old).count() as u64;
        }
        let mut sum = self.processes[number].lock().unwrap_or_else(PoisonError::into_inner);
        sum.add(&measured);
    }

    /// A transition has led from the network `before` to `after`, as canonical bytes.
    pub fn note_network(&self, before: &[u8], after: &[u8]) {
        let same = |pair: &(&u8, &u8)| pair.0 == pair.1;
        let head = before.iter().zip(after).take_while(same).count();
        let (before, rest) = (&before[head..], &after[head..]);
        let tail = before.iter().rev().zip(rest.iter().rev()).take_while(same).count();
        let mut sum = self.network.lock().unwrap_or_else(PoisonError::into_inner);
        sum.bytes += after.len() as u64;
        sum.changed_bytes += (before.len().max(rest.len()) - tail) as u64;
        sum.transitions += 1;
    }

    /// What was measured of each process.
    fn processes(&self) -> Vec<ProcessSizes> {
        let get = |sum: &Mutex<ProcessSizes>| *sum.lock().unwrap_or_else(PoisonError::into_inner);
        self.processes.iter().map(get).collect()
    }

    /// What was measured of the network.
    fn network(&self) -> NetworkSizes {
        *self.network.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// All measurements.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// By node.
    pub processes: Vec<ProcessSizes>,
    /// What is of no node.
    pub network: NetworkSizes,
    /// Parts of steps that processes ran: which, how often, and microseconds each time.
    pub phases: Vec<(&'static str, u64, f64)>,
    /// The calls that programs made in their steps.
    pub calls: CallCounts,
}

impl Measured {
    /// What `sizes` and `phases` have measured so far.
    pub fn of(sizes: &Sizes, phases: &Phases) -> Self {
        let calls = phases.calls();
        let mut phases = phases.measured();
        phases.retain(|(_, times, _)| *times > 0);
        Measured { processes: sizes.processes(), network: sizes.network(), phases, calls }
    }
}

impl ProcessSizes {
    /// Average bytes of a part, and average bytes and pages of it that a transition changes; `None`
    /// where nothing was measured.
    pub fn average(&self, part: usize) -> Option<[f64; 3]> {
        let Part { bytes, changed_bytes, changed_pages } = self.parts[part];
        let by = |sum: u64, count: u64| (count > 0).then(|| sum as f64 / count as f64);
        Some([
            by(bytes, self.memories)?,
            by(changed_bytes, self.transitions)?,
            by(changed_pages, self.transitions)?,
        ])
    }

    fn add(&mut self, other: &ProcessSizes) {
        self.memories += other.memories;
        self.transitions += other.transitions;
        for (sum, part) in self.parts.iter_mut().zip(&other.parts) {
            sum.bytes += part.bytes;
            sum.changed_bytes += part.changed_bytes;
            sum.changed_pages += part.changed_pages;
        }
    }
}

/// What the loader and libc keep for a thread is of the globals, what the program has mapped too.
fn part(role: Role) -> usize {
    match role {
        Role::File | Role::Anonymous => 0,
        Role::Arena | Role::Break => 1,
        Role::Stack => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_in_a_network_is_what_lies_between_the_ends_that_do_not() {
        let sizes = Sizes::new(0);
        let changed = |before: &[u8], after: &[u8]| {
            let old = sizes.network().changed_bytes;
            sizes.note_network(before, after);
            sizes.network().changed_bytes - old
        };
        assert_eq!(changed(b"same", b"same"), 0);
        assert_eq!(changed(b"", b"new"), 3);
        assert_eq!(changed(b"a message", b"a"), 8);
        assert_eq!(changed(b"abcd", b"axyd"), 2);
        assert_eq!(changed(b"aaa", b"aaaa"), 1);
        assert_eq!(sizes.network().bytes, 4 + 3 + 1 + 4 + 4);
        assert_eq!(sizes.network().transitions, 5);
    }
}
