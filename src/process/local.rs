//! What the kernel would keep for one node: its descriptors, signal settings, and how far it has read
//! what it was given. All of it is part of the node's identity, and only the checker writes it.

use std::collections::{BTreeMap, BTreeSet};

use crate::bytes::{put_bytes, put_int, put_uint};

/// Descriptor of the report.
pub const REPORT: i32 = 3;
/// Descriptor of the durable records.
pub const DURABLE: i32 = 193;

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
    /// The call by which the node had the kernel change something that no other process can be given;
    /// how that came about says nothing about what the node does next, so it is no part of its
    /// identity.
    pub lasting: Option<&'static str>,
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
        Local { descriptors: descriptors.into(), ..Local::default() }
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
            out.extend_from_slice(action);
        }
        put_uint(out, self.mask);
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
    fn the_lowest_descriptor_is_taken_first() {
        let mut local = Local::at_start();
        assert_eq!(local.lowest_free(), 4);
        local.descriptors.remove(&0);
        assert_eq!(local.lowest_free(), 0);
    }
}
