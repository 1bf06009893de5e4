//! The log of one process: memory that it shares with the checker, in which the preload writes down
//! the calls that it answers inside of the process. The checker says there what it may answer and how
//! (`preload/log.h` is the other side), and reads what it did. It is a file, so that it is there when
//! the process is gone, and each process has its own, also one that is a copy of another. It is no
//! part of the memory that is the process's state, and what is read from it is believed only as far as
//! it is checked: `super::inside` does every call once more.

use std::cell::RefCell;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use nix::sys::memfd::{MFdFlags, memfd_create};

use super::contract::{
    LOG_AT_ARMED, LOG_AT_CHECK, LOG_AT_ENTRIES, LOG_AT_IDENTITY, LOG_AT_KINDS, LOG_AT_MICROSECONDS,
    LOG_AT_RANGE_COUNT, LOG_AT_RANGES, LOG_AT_SECONDS, LOG_AT_STACK_END, LOG_AT_UPTIME,
    LOG_AT_USED, LOG_BASE, LOG_BYTES, LOG_CHECK_FACTOR, LOG_ENTRY_WORDS, LOG_FD_BOUND,
    LOG_FD_CONNECTED, LOG_FD_FRESH, LOG_FD_LISTENING, LOG_FD_NONE, LOG_FD_OTHER, LOG_FD_SHUT,
    LOG_FD_SINK, LOG_KINDS, LOG_RANGES, LOG_SIZE,
};
use super::handle::clock;
use super::layout::{Layout, Role};
use super::local::{Descriptor, Local, Role as Became, Socket};

/// Bytes of what stands before the entries.
const CONTROL: usize = (LOG_AT_RANGES + LOG_RANGES * 24) as usize;
/// Bytes of all entries.
const ROOM: u64 = LOG_SIZE - LOG_AT_ENTRIES;
/// Bytes that are read at once: what stands before the entries, and most often all of them.
const FIRST: usize = 4096;

/// What each of the first descriptors is, as `LOG_FD_…` says it.
pub type Kinds = [u8; LOG_KINDS as usize];

/// The log of a process.
#[derive(Debug)]
pub struct CallLog {
    file: Arc<File>,
    /// What stands before the entries, as far as the process has not changed it.
    control: Box<Control>,
    /// How often something was allowed.
    armed: u64,
    /// What was last said of memory, and by which layout.
    memory: Option<(Arc<Layout>, Box<Control>)>,
}

thread_local! {
    /// Files of logs whose processes are gone: a new one takes longer than most calls.
    static SPARE: RefCell<Vec<Arc<File>>> = const { RefCell::new(Vec::new()) };
}

/// Files that are kept.
const KEPT: usize = 16;

impl Drop for CallLog {
    fn drop(&mut self) {
        // Where the thread ends there is no next one.
        let _ = SPARE.try_with(|spare| {
            let mut spare = spare.borrow_mut();
            if spare.len() < KEPT {
                spare.push(Arc::clone(&self.file));
            }
        });
    }
}

/// What stands before the entries.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Control([u8; CONTROL]);

/// What a process may be told inside, and by what it is known there.
#[derive(Clone, Copy, Debug)]
pub struct Terms<'a> {
    /// What the kernel would keep for it.
    pub local: &'a Local,
    /// Its clock, in microseconds since the start value.
    pub clock: i64,
    /// The number of the process.
    pub identity: i64,
    /// What is mapped where; without it no call that has memory behind its arguments is answered.
    pub layout: Option<&'a Arc<Layout>>,
}

/// A call that was answered inside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its number.
    pub number: i64,
    /// Where the program goes on.
    pub instruction: u64,
    /// Its arguments.
    pub arguments: [u64; 6],
    /// What it returned.
    pub answer: i64,
    /// What it took from the program's memory, or put there.
    pub bytes: Vec<u8>,
}

/// What a process did inside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// Its calls, in order.
    pub entries: Vec<Entry>,
    /// What its descriptors are behind them, as the preload sees it; `None` where it was to answer
    /// nothing.
    pub kinds: Option<Kinds>,
}

/// Why a log cannot be read.
#[derive(Debug)]
pub enum Unreadable {
    /// The program has written into it.
    Overwritten,
    /// The host is to blame.
    Host(io::Error),
}

impl From<io::Error> for Unreadable {
    fn from(error: io::Error) -> Self {
        Unreadable::Host(error)
    }
}

impl CallLog {
    /// A log in which nothing is allowed and nothing stands. It is dropped when its process is gone,
    /// and not before: the next process is given the same file.
    pub fn new() -> io::Result<Self> {
        let file = match SPARE.with(|spare| spare.borrow_mut().pop()) {
            Some(file) => {
                file.write_all_at(&[0; FIRST], 0)?;
                file
            }
            None => {
                let file = File::from(memfd_create(c"cmc-log", MFdFlags::MFD_CLOEXEC)?);
                file.set_len(LOG_SIZE)?;
                Arc::new(file)
            }
        };
        Ok(CallLog { file, control: Box::new(Control::idle()), armed: 0, memory: None })
    }

    /// The file, for the process to map.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Let the process, which does not run, answer calls by `terms`; none without.
    pub fn arm(&mut self, terms: Option<Terms<'_>>) -> io::Result<()> {
        let control = match terms {
            None => Control::idle(),
            Some(terms) => {
                let mut control = self.memory(terms.layout);
                control.tell(&terms);
                control.set(LOG_AT_CHECK, self.next_check());
                control
            }
        };
        if control != *self.control {
            self.file.write_all_at(&control.0, 0)?;
            *self.control = control;
        }
        Ok(())
    }

    /// What the check over the entries starts as: where nothing was written down since, most often
    /// nothing is to be changed at all.
    fn next_check(&mut self) -> u64 {
        if self.is_armed() && self.control.word(LOG_AT_USED) == 0 {
            return self.control.word(LOG_AT_CHECK);
        }
        self.armed += 1;
        self.armed.wrapping_mul(LOG_CHECK_FACTOR)
    }

    /// What is to be said of memory that is mapped so.
    fn memory(&mut self, layout: Option<&Arc<Layout>>) -> Control {
        let Some(layout) = layout else { return Control::idle() };
        match &self.memory {
            Some((known, control)) if Arc::ptr_eq(known, layout) => (**control).clone(),
            _ => {
                let control = Control::of_memory(layout);
                self.memory = Some((Arc::clone(layout), Box::new(control.clone())));
                control
            }
        }
    }

    fn is_armed(&self) -> bool {
        self.control.word(LOG_AT_ARMED) != 0
    }

    /// What the process, which does not run, did since it was allowed to.
    pub fn take(&mut self) -> Result<Done, Unreadable> {
        let mut first = [0; FIRST];
        let wanted = if self.is_armed() { FIRST } else { CONTROL };
        self.file.read_exact_at(&mut first[..wanted], 0)?;
        let found = Control(first[..CONTROL].try_into().expect("as many bytes"));
        if !self.is_armed() {
            return match found == *self.control {
                true => Ok(Done { entries: Vec::new(), kinds: None }),
                false => Err(Unreadable::Overwritten),
            };
        }
        let (used, check) = (found.word(LOG_AT_USED), found.word(LOG_AT_CHECK));
        let kinds = found.kinds();
        // All else is the checker's.
        let mut expected = (*self.control).clone();
        expected.set(LOG_AT_USED, used);
        expected.set(LOG_AT_CHECK, check);
        expected.set_kinds(&kinds);
        if found != expected || used > ROOM {
            return Err(Unreadable::Overwritten);
        }
        let (start, used) = (LOG_AT_ENTRIES as usize, used as usize);
        let start_check = self.control.word(LOG_AT_CHECK);
        let entries = match first.get(start..start + used) {
            Some(bytes) => parse(bytes, start_check, check),
            None => {
                let mut bytes = vec![0; used];
                self.file.read_exact_at(&mut bytes, LOG_AT_ENTRIES)?;
                parse(&bytes, start_check, check)
            }
        };
        *self.control = found;
        Ok(Done { entries: entries.ok_or(Unreadable::Overwritten)?, kinds: Some(kinds) })
    }
}

impl Control {
    fn idle() -> Self {
        Control([0; CONTROL])
    }

    fn of_memory(layout: &Layout) -> Self {
        let mut control = Control::idle();
        control.set(LOG_AT_STACK_END, stack_end(layout).unwrap_or(0));
        let ranges = ranges(layout);
        control.set(LOG_AT_RANGE_COUNT, ranges.len() as u64);
        for (place, (start, end, writable)) in (LOG_AT_RANGES..).step_by(24).zip(ranges) {
            control.set(place, start);
            control.set(place + 8, end);
            control.set(place + 16, writable.into());
        }
        control
    }

    /// Say everything but what memory there is.
    fn tell(&mut self, terms: &Terms<'_>) {
        self.set(LOG_AT_ARMED, 1);
        let (seconds, uptime, micros) = clock::parts(terms.clock);
        self.set(LOG_AT_SECONDS, seconds as u64);
        self.set(LOG_AT_UPTIME, uptime as u64);
        self.set(LOG_AT_MICROSECONDS, micros as u64);
        self.set(LOG_AT_IDENTITY, terms.identity as u64);
        self.set_kinds(&kinds(terms.local));
    }

    fn word(&self, offset: u64) -> u64 {
        let at = offset as usize;
        u64::from_le_bytes(self.0[at..at + 8].try_into().expect("eight bytes"))
    }

    fn set(&mut self, offset: u64, word: u64) {
        let at = offset as usize;
        self.0[at..at + 8].copy_from_slice(&word.to_le_bytes());
    }

    fn kinds(&self) -> Kinds {
        let at = LOG_AT_KINDS as usize;
        self.0[at..at + LOG_KINDS as usize].try_into().expect("as many bytes")
    }

    fn set_kinds(&mut self, kinds: &Kinds) {
        let at = LOG_AT_KINDS as usize;
        self.0[at..at + kinds.len()].copy_from_slice(kinds);
    }
}

/// What the descriptors of a node are, as far as that decides how calls on them end.
pub fn kinds(local: &Local) -> Kinds {
    let mut kinds = [LOG_FD_NONE as u8; LOG_KINDS as usize];
    for (&fd, descriptor) in &local.descriptors {
        if let Some(kind) = usize::try_from(fd).ok().and_then(|fd| kinds.get_mut(fd)) {
            *kind = match descriptor {
                Descriptor::Input | Descriptor::File => LOG_FD_OTHER,
                Descriptor::Output | Descriptor::Report | Descriptor::Durable => LOG_FD_SINK,
                Descriptor::Socket(socket) => kind_of(socket),
            } as u8;
        }
    }
    kinds
}

fn kind_of(socket: &Socket) -> u64 {
    let kind = match socket.role {
        Became::Fresh => LOG_FD_FRESH,
        Became::Listening => LOG_FD_LISTENING,
        Became::Connected { shut: false, .. } => LOG_FD_CONNECTED,
        Became::Connected { .. } => LOG_FD_SHUT,
    };
    if socket.bound { kind | LOG_FD_BOUND } else { kind }
}

/// Where the stack ends; nothing if the program has cut it up.
fn stack_end(layout: &Layout) -> Option<u64> {
    let mut stacks = layout.mappings.iter().filter(|mapping| mapping.role() == Role::Stack);
    let stack = stacks.next().filter(|stack| stack.rights.starts_with(b"rw"))?;
    stacks.next().is_none().then_some(stack.end)
}

/// The memory that may be read, and whether it may be written; as much of it as there is room for.
fn ranges(layout: &Layout) -> Vec<(u64, u64, bool)> {
    let mut ranges: Vec<(u64, u64, bool)> = Vec::new();
    for mapping in layout.mappings.iter().filter(|mapping| mapping.rights[0] == b'r') {
        match ranges.last_mut() {
            Some((_, end, writable)) if *end == mapping.start && *writable == mapping.writable => {
                *end = mapping.end;
            }
            _ => ranges.push((mapping.start, mapping.end, mapping.writable)),
        }
    }
    ranges.truncate(LOG_RANGES as usize);
    ranges
}

/// The entries in `bytes`; `None` unless they are whole and lead from `check` to `expected`.
fn parse(bytes: &[u8], mut check: u64, expected: u64) -> Option<Vec<Entry>> {
    const HEAD: usize = LOG_ENTRY_WORDS as usize;
    if !bytes.len().is_multiple_of(8) {
        return None;
    }
    let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
    let words: Vec<u64> = bytes.chunks_exact(8).map(word).collect();
    for word in &words {
        check = (check ^ word).wrapping_mul(LOG_CHECK_FACTOR);
        check ^= check >> 32;
    }
    if check != expected {
        return None;
    }
    let mut entries = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let head = words.get(at..at + HEAD)?;
        let (number, length) = (head[0] as u32, head[0] >> 32);
        if length > LOG_BYTES {
            return None;
        }
        let (start, length) = (8 * (at + HEAD), length as usize);
        entries.push(Entry {
            number: number.into(),
            instruction: head[1],
            arguments: head[2..8].try_into().expect("six words"),
            answer: head[8] as i64,
            bytes: bytes.get(start..start + length)?.to_vec(),
        });
        at += HEAD + length.div_ceil(8);
    }
    (at == words.len()).then_some(entries)
}

/// Whether memory from `start` to `end` has a part in the log.
pub fn overlaps(start: u64, end: u64) -> bool {
    start < LOG_BASE + LOG_SIZE && LOG_BASE < end
}

#[cfg(test)]
mod tests;
