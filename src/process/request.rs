//! A call that a node makes, with the table's knowledge of it: its arguments by index, copied in and
//! out by the table's metadata, and printed for people.

use std::fmt::Write;

use super::calls::{Call, Length, Shape};
use super::memory::Memory;
use super::notify::Notification;

/// How the file of the preload is called.
const PRELOAD: &str = "cmc-preload.so";
/// The most that one call may copy in. Copies out are as long as what there is to copy.
pub const LARGEST_COPY: u64 = 64 << 20;
/// The most that the kernel reads or writes in one call (`MAX_RW_COUNT`).
const LARGEST_ROOM: u64 = 0x7fff_f000;
/// As many pieces as the kernel takes.
const LARGEST_VECTOR: u64 = 1024;

/// A call in progress.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Its row.
    pub call: &'static Call,
    /// How it arrived.
    pub notification: Notification,
    /// The memory of its node.
    pub memory: Memory,
    /// The bytes that it has moved, if it was answered inside of the process: from there or to there,
    /// by its only argument that is about memory.
    pub logged: Option<&'a [u8]>,
}

/// A piece of a node's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    address: u64,
    length: u64,
}

impl Request<'_> {
    /// Argument `index` as the register holds it.
    pub fn raw(&self, index: usize) -> u64 {
        self.notification.arguments[index]
    }

    /// Argument `index` as a 32-bit number, which is what the kernel looks at for an `int`.
    pub fn int(&self, index: usize) -> i32 {
        self.raw(index) as i32
    }

    /// The memory behind argument `index`, as the table says; else the error number of the kernel.
    fn pieces(&self, index: usize) -> Result<Vec<Piece>, i32> {
        let address = self.raw(index);
        let (Shape::In(length) | Shape::Out(length)) = self.call.arguments[index].shape else {
            return Err(libc::EFAULT);
        };
        let pieces = match length {
            Length::Bytes(count) => vec![Piece { address, length: count as u64 }],
            Length::Argument(other) => vec![Piece { address, length: self.sized(other) }],
            Length::Pointed(other) => {
                let mut count = [0; 4];
                if !self.memory.read(self.raw(other.into()), &mut count) {
                    return Err(libc::EFAULT);
                }
                vec![Piece { address, length: u64::from(u32::from_le_bytes(count)) }]
            }
            Length::Vector(other) => self.vector(address, self.sized(other))?,
        };
        Ok(pieces)
    }

    /// How many bytes there are behind argument `index`, at most as many as the kernel moves in one
    /// call; else the error number of the kernel.
    pub fn room(&self, index: usize) -> Result<u64, i32> {
        let pieces = self.pieces(index)?;
        let total = pieces.iter().try_fold(0u64, |sum, piece| sum.checked_add(piece.length));
        match total.filter(|&total| total <= i64::MAX as u64) {
            Some(total) => Ok(total.min(LARGEST_ROOM)),
            None => Err(libc::EINVAL),
        }
    }

    fn sized(&self, index: u8) -> u64 {
        match self.call.arguments[usize::from(index)].shape {
            Shape::Signed(32) | Shape::Unsigned(32) => u64::from(self.raw(index.into()) as u32),
            _ => self.raw(index.into()),
        }
    }

    fn vector(&self, address: u64, count: u64) -> Result<Vec<Piece>, i32> {
        if count > LARGEST_VECTOR {
            return Err(libc::EINVAL);
        }
        let raw = self.memory.bytes(address, 16 * count as usize).ok_or(libc::EFAULT)?;
        let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
        Ok(raw
            .chunks_exact(16)
            .map(|raw| Piece { address: word(&raw[..8]), length: word(&raw[8..]) })
            .collect())
    }

    /// The bytes that the call reads through argument `index`; `None` is EFAULT.
    pub fn input(&self, index: usize) -> Option<Vec<u8>> {
        if self.room(index).ok()? > LARGEST_COPY {
            return None;
        }
        if let Some(logged) = self.logged {
            return (self.room(index) == Ok(logged.len() as u64)).then(|| logged.to_vec());
        }
        let mut bytes = Vec::new();
        for piece in self.pieces(index).ok()? {
            let start = bytes.len();
            bytes.resize(start + piece.length as usize, 0);
            if !self.memory.read(piece.address, &mut bytes[start..]) {
                return None;
            }
        }
        Some(bytes)
    }

    /// Write `bytes`, cut to the room there is, through argument `index`; how many were written,
    /// `None` is EFAULT, and that another answer was written inside.
    pub fn output(&self, index: usize, bytes: &[u8]) -> Option<usize> {
        if let Some(logged) = self.logged {
            return (logged == bytes).then_some(bytes.len());
        }
        let mut rest = bytes;
        for piece in self.pieces(index).ok()? {
            let (now, later) = rest.split_at(rest.len().min(piece.length as usize));
            if !self.memory.write(piece.address, now) {
                return None;
            }
            rest = later;
        }
        Some(bytes.len() - rest.len())
    }

    /// The string behind argument `index`.
    pub fn path(&self, index: usize) -> Option<Vec<u8>> {
        self.memory.string(self.raw(index))
    }

    /// The call in full, for the identity of its node: number, address, arguments that it has.
    pub fn words(&self) -> Vec<u64> {
        let notification = &self.notification;
        let arguments = &notification.arguments[..self.call.arguments.len().min(6)];
        [&[self.call.number as u64, notification.instruction], arguments].concat()
    }

    /// Name and arguments, and where the call stands, as in
    /// `poll(fds=0x7ffe…, nfds=1, timeout=-1), number 7, at libc.so.6+0x10a5c3`.
    pub fn print(&self) -> String {
        let mut text = format!("{}(", self.call.name);
        for (index, argument) in self.call.arguments.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            let _ =
                write!(text, "{separator}{}={}", argument.name, self.value(index, argument.shape));
        }
        let _ = write!(text, "), number {}, {}", self.call.number, self.place());
        text
    }

    /// Where the call stands in the program. Of a call that the preload makes for it that is where the
    /// program goes on.
    pub fn place(&self) -> String {
        let instruction = self.notification.instruction;
        let caller = match self.logged.is_none() && self.call.is_answered_inside() {
            true => self.memory.caller_in(PRELOAD, instruction),
            false => None,
        };
        place(self.memory, caller.unwrap_or(instruction))
    }

    fn value(&self, index: usize, shape: Shape) -> String {
        let raw = self.raw(index);
        match shape {
            Shape::Descriptor => (raw as i32).to_string(),
            Shape::Signed(32) => (raw as i32).to_string(),
            Shape::Signed(_) => (raw as i64).to_string(),
            Shape::Unsigned(32) => (raw as u32).to_string(),
            Shape::Unsigned(_) => raw.to_string(),
            Shape::Flags(32) => format!("{:#x}", raw as u32),
            Shape::Flags(_) | Shape::Address | Shape::In(_) | Shape::Out(_) => format!("{raw:#x}"),
            Shape::Path => match self.path(index) {
                Some(path) => format!("\"{}\"", path.escape_ascii()),
                None => format!("{raw:#x}"),
            },
        }
    }
}

/// Words in hexadecimal, on one line.
pub fn hexadecimal(words: &[u64]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("{word:#x}")).collect();
    words.join(", ")
}

/// `FILE+OFFSET` of a code address, as `addr2line` wants it.
pub fn place(memory: Memory, address: u64) -> String {
    let mappings = memory.mappings().unwrap_or_default();
    let Some(hit) = mappings.iter().find(|m| m.start <= address && address < m.end) else {
        return format!("at {address:#x}");
    };
    let first = mappings.iter().find(|m| m.name == hit.name).unwrap_or(hit);
    let file = hit.name.rsplit('/').next().unwrap_or_default();
    format!("at {file}+{:#x}", address - first.start)
}
