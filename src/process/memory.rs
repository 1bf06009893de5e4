//! The memory of a node, seen from outside: bounded reads and writes by address, and its mappings.

use std::io::{IoSlice, IoSliceMut};

use nix::sys::uio::{RemoteIoVec, process_vm_readv, process_vm_writev};
use nix::unistd::Pid;

/// Bytes of a page.
pub const PAGE: u64 = 4096;

/// Pieces of one `process_vm_readv` or `process_vm_writev`: the kernel's limit.
pub const RANGES: usize = 1024;

/// Bytes that a node may map beside its arena, its libraries included.
pub const LARGEST_MAPPED: u64 = 512 << 20;

/// The memory of the process with this id.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    pid: Pid,
}

/// One line of `/proc/PID/maps`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// First address.
    pub start: u64,
    /// First address behind it.
    pub end: u64,
    /// Whether the node may write to it.
    pub writable: bool,
    /// Its rights, as in `rw-p`.
    pub rights: [u8; 4],
    /// Whether it may hold what the node has written, now or before its rights changed; known only
    /// of [`Memory::written`].
    pub written: bool,
    /// Bytes of it that are the node's own, in memory or in swap; known only of [`Memory::written`].
    pub own: u64,
    /// The file, or a name in brackets, or nothing.
    pub name: String,
}

impl Memory {
    /// The memory of `pid`.
    pub fn new(pid: Pid) -> Self {
        Memory { pid }
    }

    /// Fill `buffer` from `address`; false unless all of it could be read.
    pub fn read(self, address: u64, buffer: &mut [u8]) -> bool {
        let wanted = buffer.len();
        if wanted == 0 {
            return true;
        }
        let remote = RemoteIoVec { base: address as usize, len: wanted };
        process_vm_readv(self.pid, &mut [IoSliceMut::new(buffer)], &[remote]) == Ok(wanted)
    }

    /// Fill each of `buffers` from the range at its place; false unless all of them could be read.
    pub fn gather(self, ranges: &[RemoteIoVec], buffers: &mut [IoSliceMut<'_>]) -> bool {
        let wanted = buffers.iter().map(|buffer| buffer.len()).sum();
        wanted == 0 || process_vm_readv(self.pid, buffers, ranges) == Ok(wanted)
    }

    /// Write each of `pieces` to its address; false unless all of them could be written.
    pub fn scatter(self, pieces: &[(u64, &[u8])]) -> bool {
        let wanted: usize = pieces.iter().map(|(_, bytes)| bytes.len()).sum();
        if wanted == 0 {
            return true;
        }
        let local: Vec<IoSlice<'_>> = pieces.iter().map(|(_, bytes)| IoSlice::new(bytes)).collect();
        let remote = |&(address, bytes): &(u64, &[u8])| RemoteIoVec {
            base: address as usize,
            len: bytes.len(),
        };
        let remote: Vec<RemoteIoVec> = pieces.iter().map(remote).collect();
        process_vm_writev(self.pid, &local, &remote) == Ok(wanted)
    }

    /// The page tables of the process, to be asked what is there.
    pub fn pagemap(self) -> std::io::Result<std::fs::File> {
        std::fs::File::open(format!("/proc/{}/pagemap", self.pid))
    }

    /// `length` bytes at `address`.
    pub fn bytes(self, address: u64, length: usize) -> Option<Vec<u8>> {
        let mut buffer = vec![0; length];
        self.read(address, &mut buffer).then_some(buffer)
    }

    /// The 64-bit word at `address`.
    pub fn word(self, address: u64) -> Option<u64> {
        let mut word = [0; 8];
        self.read(address, &mut word).then(|| u64::from_le_bytes(word))
    }

    /// The string at `address`, up to its zero byte, at most a path's length.
    pub fn string(self, address: u64) -> Option<Vec<u8>> {
        let mut string = Vec::new();
        let mut at = address;
        while string.len() < libc::PATH_MAX as usize {
            // Up to the end of the page only: the next one may not be mapped.
            let piece = self.bytes(at, (PAGE - at % PAGE) as usize)?;
            if let Some(end) = piece.iter().position(|&byte| byte == 0) {
                string.extend_from_slice(&piece[..end]);
                return Some(string);
            }
            at += piece.len() as u64;
            string.extend(piece);
        }
        None
    }

    /// Write `bytes` to `address`; false unless all of them could be written.
    pub fn write(self, address: u64, bytes: &[u8]) -> bool {
        if bytes.is_empty() {
            return true;
        }
        let remote = RemoteIoVec { base: address as usize, len: bytes.len() };
        process_vm_writev(self.pid, &[IoSlice::new(bytes)], &[remote]) == Ok(bytes.len())
    }

    /// Where the function that the process is in returns to, if that is one of the file `name` that
    /// keeps nothing on the stack, and is in a call that ends at `instruction`.
    pub fn caller_in(self, name: &str, instruction: u64) -> Option<u64> {
        let mappings = self.mappings()?;
        let inside = |mapping: &&Mapping| (mapping.start..mapping.end).contains(&instruction);
        mappings.iter().find(inside).filter(|mapping| mapping.name.ends_with(name))?;
        // Number, six arguments, stack pointer, instruction pointer.
        let call = std::fs::read_to_string(format!("/proc/{}/syscall", self.pid)).ok()?;
        let pointer = call.split_whitespace().nth(7)?.strip_prefix("0x")?;
        self.word(u64::from_str_radix(pointer, 16).ok()?)
    }

    /// The mappings, by ascending address; `None` when the process is gone.
    pub fn mappings(self) -> Option<Vec<Mapping>> {
        let text = std::fs::read_to_string(format!("/proc/{}/maps", self.pid)).ok()?;
        text.lines().map(mapping).collect()
    }

    /// The mappings, and which of them the node may have written to: a private page that was ever
    /// written is anonymous memory from then on, whatever its rights are now.
    pub fn written(self) -> Option<Vec<Mapping>> {
        let text = std::fs::read_to_string(format!("/proc/{}/smaps", self.pid)).ok()?;
        let mut mappings: Vec<Mapping> = Vec::new();
        for line in text.lines() {
            match line.split_once(':') {
                Some(("Anonymous" | "Swap", amount)) => {
                    let kilobytes: u64 = amount.trim().strip_suffix(" kB")?.parse().ok()?;
                    let mapping = mappings.last_mut()?;
                    mapping.own += kilobytes << 10;
                    mapping.written |= kilobytes > 0;
                }
                Some((key, _)) if !key.contains(' ') => {}
                _ => mappings.push(mapping(line)?),
            }
        }
        Some(mappings)
    }

    /// The pages of `range` that are the node's own, in memory or in swap; ascending.
    pub fn touched(self, range: std::ops::Range<u64>) -> Option<Vec<u64>> {
        use std::os::unix::fs::FileExt;
        /// Of an entry of `/proc/PID/pagemap`: in swap, or mapped by nobody else, as the page of
        /// zeros always is.
        const OWN: u64 = 1 << 62 | 1 << 56;
        let pages = (range.start / PAGE..range.end.div_ceil(PAGE)).map(|page| page * PAGE);
        let mut entries = vec![0; 8 * pages.clone().count()];
        let file = std::fs::File::open(format!("/proc/{}/pagemap", self.pid)).ok()?;
        file.read_exact_at(&mut entries, range.start / PAGE * 8).ok()?;
        let word = |entry: &[u8]| u64::from_le_bytes(entry.try_into().expect("eight bytes"));
        let there = entries.chunks_exact(8).zip(pages).filter(|(entry, _)| word(entry) & OWN != 0);
        Some(there.map(|(_, page)| page).collect())
    }

    /// Write `bytes` to `address`, whatever the node's own rights there are.
    pub fn write_without_rights(self, address: u64, bytes: &[u8]) -> bool {
        use std::os::unix::fs::FileExt;
        let file = std::fs::File::options().write(true).open(format!("/proc/{}/mem", self.pid));
        file.and_then(|file| file.write_all_at(bytes, address)).is_ok()
    }

    /// `length` bytes at `address`, whatever the node's own rights there are.
    pub fn bytes_without_rights(self, address: u64, length: usize) -> Option<Vec<u8>> {
        use std::os::unix::fs::FileExt;
        let mut buffer = vec![0; length];
        let file = std::fs::File::open(format!("/proc/{}/mem", self.pid)).ok()?;
        file.read_exact_at(&mut buffer, address).ok()?;
        Some(buffer)
    }
}

fn mapping(line: &str) -> Option<Mapping> {
    // Range, rights, offset, device, inode, and a name, which may hold blanks.
    let mut rest = line;
    let mut field = || {
        let (field, behind) = rest.split_once(' ').unwrap_or((rest, ""));
        rest = behind;
        (!field.is_empty()).then_some(field)
    };
    let (start, end) = field()?.split_once('-')?;
    let rights: [u8; 4] = field()?.as_bytes().try_into().ok()?;
    let _offset_device_inode = [field()?, field()?, field()?];
    Some(Mapping {
        start: u64::from_str_radix(start, 16).ok()?,
        end: u64::from_str_radix(end, 16).ok()?,
        writable: rights[1] == b'w',
        rights,
        written: rights[1] == b'w' || rights[3] == b's',
        own: 0,
        name: rest.trim_start_matches(' ').to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_maps_is_taken_apart() {
        let line = "555555558000-555555559000 rw-p 00003000 08:01 1234   /usr/bin/kv";
        let expected = Mapping {
            start: 0x5555_5555_8000,
            end: 0x5555_5555_9000,
            writable: true,
            rights: *b"rw-p",
            written: true,
            own: 0,
            name: "/usr/bin/kv".into(),
        };
        assert_eq!(mapping(line), Some(expected));
        assert_eq!(mapping("7fff0-7fff1 r--p 0 0 0").map(|m| m.name), Some(String::new()));
        let blanks = "1000-2000 rw-s 0 0:1 7                          /dev/zero (deleted)";
        assert_eq!(mapping(blanks).map(|m| m.name), Some("/dev/zero (deleted)".into()));
        assert_eq!(mapping("nonsense"), None);
    }

    #[test]
    fn what_is_not_mapped_cannot_be_read() {
        let me = Memory::new(Pid::this());
        let word = 0x1122_3344_5566_7788u64;
        assert_eq!(me.word(&raw const word as u64), Some(word));
        assert_eq!(me.word(8), None);
        assert_eq!(me.string(c"name".as_ptr() as u64).as_deref(), Some(&b"name"[..]));
    }
}
