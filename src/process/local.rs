//! What the kernel would keep for one node: its descriptors, signal settings, and how far it has read
//! what it was given. All of it is part of the node's identity, and only the checker writes it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::bytes::{put_bytes, put_int, put_uint};

/// Descriptor of the report.
pub const REPORT: i32 = 3;
/// Descriptor of the durable records.
pub const DURABLE: i32 = 193;

/// The parts of the `struct sigaction` that the kernel takes.
const HANDLER: Range<usize> = 0..8;
const FLAGS: Range<usize> = 8..16;
const RESTORER: Range<usize> = 16..24;
const MASK: Range<usize> = 24..32;

/// The kernel-side state of a running node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Local {
    /// The descriptor table.
    pub descriptors: BTreeMap<i32, Descriptor>,
    /// Bytes drawn from `getrandom` since boot.
    pub drawn: u64,
    /// What of the durable record at boot was not read yet.
    pub unread: Vec<u8>,
    /// The record that is being written to the report, without its length byte.
    pub report: Assembly,
    /// The record that is being written to the durable descriptor.
    pub durable: Assembly,
    /// Signal settings that differ from those at start: number to `struct sigaction`.
    pub signals: BTreeMap<i32, [u8; 32]>,
    /// Where it would run signal handlers that ask for it.
    pub alternate_stack: AlternateStack,
    /// Bytes mapped beside the arena.
    pub mapped: u64,
    /// Where the program break was first set to.
    pub break_start: u64,
    /// How far the program break has grown since.
    pub grown: u64,
    /// Descriptors that `execve` would close.
    pub close_on_exec: BTreeSet<i32>,
    /// Blocked signals, a bit each.
    pub mask: u64,
    /// Rights that new files would not have.
    pub file_mask: u32,
    /// The call by which the node had the kernel change something that no other process can be given;
    /// how that came about says nothing about what the node does next, so it is no part of its
    /// identity.
    pub lasting: Option<&'static str>,
}

/// A stack for signal handlers; none when its size is 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AlternateStack {
    /// Its lowest address.
    pub start: u64,
    /// Its bytes.
    pub size: u64,
    /// SS_AUTODISARM.
    pub autodisarm: bool,
}

/// What a descriptor stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Descriptor {
    /// Standard input: always at its end.
    Input,
    /// Standard output or error: captured.
    Output,
    /// The report.
    Report,
    /// The durable records.
    Durable,
    /// A file of the loader, which the kernel holds.
    File,
    /// A stream socket.
    Socket(Socket),
}

/// A stream socket.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Socket {
    /// What it has become.
    pub role: Role,
    /// Whether it is bound to the node's port.
    pub bound: bool,
    /// Options that were set: (level, name) to value.
    pub options: BTreeMap<(i32, i32), Vec<u8>>,
    /// SO_RCVTIMEO in microseconds.
    pub timeout: Option<i64>,
}

/// What a socket has become.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// Nothing yet.
    #[default]
    Fresh,
    /// It listens at the node's port.
    Listening,
    /// One end of a connection.
    Connected {
        /// The port that was dialled; `None` if this end was accepted.
        dialled: Option<u16>,
        /// Whether the node has shut its writing half.
        shut: bool,
        /// Bytes that are already there (of a synthetic timer connection).
        ready: Vec<u8>,
    },
}

/// A record in the making: a length byte, then as many bytes, over one or more writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assembly {
    /// Announced length and the bytes so far; `None` between records.
    pending: Option<(u8, Vec<u8>)>,
}

/// A write that does not fit the record that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overrun {
    /// What the length byte says.
    pub announced: usize,
    /// How many bytes came.
    pub came: usize,
}

impl Assembly {
    /// Take one write. A record when it is complete; an error when more came than was announced.
    pub fn write(&mut self, bytes: &[u8]) -> Result<Option<Vec<u8>>, Overrun> {
        let (announced, mut record, rest) = match (self.pending.take(), bytes.split_first()) {
            (Some((announced, record)), _) => (announced, record, bytes),
            (None, Some((&announced, rest))) => (announced, Vec::new(), rest),
            (None, None) => return Ok(None),
        };
        record.extend_from_slice(rest);
        let length = usize::from(announced);
        if record.len() > length {
            return Err(Overrun { announced: length, came: record.len() });
        }
        if record.len() == length {
            return Ok(Some(record));
        }
        self.pending = Some((announced, record));
        Ok(None)
    }

    /// The record that is not complete: announced length and bytes so far.
    pub fn pending(&self) -> Option<(usize, usize)> {
        self.pending.as_ref().map(|(announced, record)| (usize::from(*announced), record.len()))
    }

    fn encode(&self, out: &mut Vec<u8>) {
        match &self.pending {
            None => out.push(0),
            Some((announced, record)) => {
                out.push(1);
                out.push(*announced);
                put_bytes(out, record);
            }
        }
    }
}

impl Local {
    /// The state of a process that was just started.
    pub fn at_start() -> Self {
        let descriptors = [
            (0, Descriptor::Input),
            (1, Descriptor::Output),
            (2, Descriptor::Output),
            (REPORT, Descriptor::Report),
            (DURABLE, Descriptor::Durable),
        ];
        Local { descriptors: descriptors.into(), file_mask: 0o22, ..Local::default() }
    }

    /// The node boots, and the durable descriptor will give it `record`.
    pub fn find_record(&mut self, record: Option<&[u8]>) {
        self.unread =
            record.map_or_else(Vec::new, |record| [&[record.len() as u8], record].concat());
    }

    /// The lowest free descriptor, as the kernel would take it.
    pub fn lowest_free(&self) -> i32 {
        (0..).find(|fd| !self.descriptors.contains_key(fd)).expect("the table is finite")
    }

    /// The socket behind `fd`.
    pub fn socket(&mut self, fd: i32) -> Result<&mut Socket, i32> {
        match self.descriptors.get_mut(&fd) {
            Some(Descriptor::Socket(socket)) => Ok(socket),
            Some(_) => Err(libc::ENOTSOCK),
            None => Err(libc::EBADF),
        }
    }

    /// Canonical bytes.
    pub fn encode(&self, out: &mut Vec<u8>) {
        self.encode_without_addresses(out);
        self.held().into_iter().for_each(|word| put_uint(out, word));
    }

    /// The words that the program has given away to be kept and that may be addresses: of each signal
    /// setting, in order, its handler and its restorer, then the alternate stack. How many they are
    /// follows from [`Local::encode_without_addresses`].
    pub fn held(&self) -> Vec<u64> {
        let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
        let actions = self.signals.values();
        let of_actions =
            actions.flat_map(|action| [word(&action[HANDLER]), word(&action[RESTORER])]);
        of_actions.chain([self.alternate_stack.start]).collect()
    }

    /// Canonical bytes of all but what [`Local::held`] answers.
    pub fn encode_without_addresses(&self, out: &mut Vec<u8>) {
        put_uint(out, self.descriptors.len() as u64);
        for (&fd, descriptor) in &self.descriptors {
            put_int(out, fd.into());
            descriptor.encode(out);
        }
        put_uint(out, self.drawn);
        put_bytes(out, &self.unread);
        self.report.encode(out);
        self.durable.encode(out);
        put_uint(out, self.signals.len() as u64);
        for (&number, action) in &self.signals {
            put_int(out, number.into());
            out.extend_from_slice(&action[FLAGS]);
            out.extend_from_slice(&action[MASK]);
        }
        put_uint(out, self.alternate_stack.size);
        out.push(self.alternate_stack.autodisarm.into());
        put_uint(out, self.mask);
        put_uint(out, self.file_mask.into());
        put_uint(out, self.mapped);
        put_uint(out, self.grown);
        put_uint(out, self.close_on_exec.len() as u64);
        self.close_on_exec.iter().for_each(|&fd| put_int(out, fd.into()));
    }
}

impl Descriptor {
    fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Descriptor::Input => out.push(0),
            Descriptor::Output => out.push(1),
            Descriptor::Report => out.push(2),
            Descriptor::Durable => out.push(3),
            Descriptor::File => out.push(4),
            Descriptor::Socket(socket) => {
                out.push(5);
                socket.encode(out);
            }
        }
    }
}

impl Socket {
    fn encode(&self, out: &mut Vec<u8>) {
        out.push(self.bound.into());
        match &self.role {
            Role::Fresh => out.push(0),
            Role::Listening => out.push(1),
            Role::Connected { dialled, shut, ready } => {
                out.push(2);
                put_uint(out, dialled.map_or(0, u64::from));
                out.push((*shut).into());
                put_bytes(out, ready);
            }
        }
        put_int(out, self.timeout.unwrap_or(0));
        put_uint(out, self.options.len() as u64);
        for (&(level, name), value) in &self.options {
            put_int(out, level.into());
            put_int(out, name.into());
            put_bytes(out, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_may_come_in_pieces() {
        let mut assembly = Assembly::default();
        assert_eq!(assembly.write(&[3, b'a']), Ok(None));
        assert_eq!(assembly.pending(), Some((3, 1)));
        assert_eq!(assembly.write(b"bc"), Ok(Some(b"abc".to_vec())));
        assert_eq!(assembly.write(&[0]), Ok(Some(Vec::new())));
        assert_eq!(assembly.write(&[]), Ok(None));
    }

    #[test]
    fn a_write_that_overruns_its_record_is_refused() {
        let overrun = Assembly::default().write(&[2, 1, 2, 3]);
        assert_eq!(overrun, Err(Overrun { announced: 2, came: 3 }));
    }

    #[test]
    fn words_that_may_be_addresses_are_held_apart_from_the_rest() {
        let encodings = |local: &Local| {
            let (mut whole, mut rest) = (Vec::new(), Vec::new());
            local.encode(&mut whole);
            local.encode_without_addresses(&mut rest);
            (whole, rest)
        };
        let mut local = Local::at_start();
        let mut action = [0; 32];
        for (part, byte) in [(HANDLER, 1), (FLAGS, 2), (RESTORER, 3), (MASK, 4)] {
            action[part.start] = byte;
        }
        local.signals.insert(10, action);
        local.alternate_stack = AlternateStack { start: 5, size: 4096, autodisarm: false };
        assert_eq!(local.held(), [1, 3, 5]);
        let before = encodings(&local);
        type Change = fn(&mut Local);
        let changes: [(Change, bool); 6] = [
            (|local| local.signals.get_mut(&10).expect("it is there")[0] = 9, true),
            (|local| local.signals.get_mut(&10).expect("it is there")[8] = 9, false),
            (|local| local.signals.get_mut(&10).expect("it is there")[16] = 9, true),
            (|local| local.signals.get_mut(&10).expect("it is there")[24] = 9, false),
            (|local| local.alternate_stack.start = 9, true),
            (|local| local.alternate_stack.size = 9, false),
        ];
        for (change, is_held) in changes {
            let mut changed = local.clone();
            change(&mut changed);
            let after = encodings(&changed);
            assert_ne!(after.0, before.0);
            assert_eq!(after.1 == before.1, is_held);
            assert_eq!(changed.held() != local.held(), is_held);
        }
    }

    #[test]
    fn the_lowest_descriptor_is_taken_first() {
        let mut local = Local::at_start();
        assert_eq!(local.lowest_free(), 4);
        local.descriptors.remove(&0);
        assert_eq!(local.lowest_free(), 0);
    }
}
