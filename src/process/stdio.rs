//! Bytes of stdio's own buffers that nobody reads before they are written again: behind the input
//! that came last, and behind the output that waits. What an earlier and longer message left there
//! would tell apart states that no program can.
//!
//! Why they are dead. A stream of glibc keeps what it has to give in `_IO_read_ptr.._IO_read_end` and
//! what it has to write in `_IO_write_base.._IO_write_ptr`, both inside `_IO_buf_base.._IO_buf_end`;
//! what was given stays readable for `ungetc` and seeks. When it turns from writing to reading, what
//! was written becomes readable up to the larger of `_IO_read_end` and `_IO_write_ptr`
//! (`_IO_switch_to_get_mode`), and whatever raises these two has stored the bytes below them first.
//! So nothing reads behind the larger of the two. A stream that waits for input has set both to the
//! start of its buffer before it calls `read` (`_IO_new_file_underflow`, `_IO_file_xsgetn`): all of
//! the buffer is dead then.
//!
//! Left alone: buffers that the program gave (`_IO_USER_BUF`, which also marks the one byte of a
//! stream without a buffer), streams with pushed-back characters or markers, wide streams, streams
//! whose buffer other functions fill than those of files (`fopencookie`), and every stream whose
//! pointers do not fit together. Sources: glibc's libio/bits/types/struct_FILE.h, libioP.h, fileops.c
//! and genops.c; the layout has been the same on x86-64 since glibc 2.2, for it is part of the ABI.

use std::ops::Range;

use goblin::elf::Elf;

/// Where libc keeps its streams, as linked: add the load bias.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Streams {
    /// `_IO_list_all`, the pointer to the first of all streams.
    list: u64,
    /// `_IO_file_jumps`, the functions of a stream that is a file.
    jumps: u64,
}

/// Offsets in `struct _IO_FILE_plus`.
mod at {
    pub const FLAGS: usize = 0;
    pub const READ_PTR: usize = 8;
    pub const READ_END: usize = 16;
    pub const READ_BASE: usize = 24;
    pub const WRITE_BASE: usize = 32;
    pub const WRITE_PTR: usize = 40;
    pub const WRITE_END: usize = 48;
    pub const BUF_BASE: usize = 56;
    pub const BUF_END: usize = 64;
    pub const SAVE_BASE: usize = 72;
    pub const BACKUP_BASE: usize = 80;
    pub const SAVE_END: usize = 88;
    pub const MARKERS: usize = 96;
    pub const CHAIN: usize = 104;
    pub const MODE: usize = 192;
    pub const VTABLE: usize = 216;
    pub const END: usize = 224;
}

/// The upper half of the flags of every stream.
const MAGIC: u32 = 0xfbad_0000;
const USER_BUF: u32 = 1;
const IN_BACKUP: u32 = 0x100;

/// More streams than this are a list that has no end.
const MOST_STREAMS: usize = 4096;
/// A larger buffer is none that libc allocates.
const LARGEST_BUFFER: u64 = 1 << 24;

impl Streams {
    /// The streams of the libc with these bytes; `None` if it is not a glibc.
    pub fn of(libc: &[u8]) -> Option<Streams> {
        let elf = Elf::parse(libc).ok()?;
        let find = |name: &str| {
            let mut symbols = elf.dynsyms.iter().filter(|symbol| symbol.st_value != 0);
            let symbol = symbols.find(|symbol| elf.dynstrtab.get_at(symbol.st_name) == Some(name));
            symbol.map(|symbol| symbol.st_value)
        };
        Some(Streams { list: find("_IO_list_all")?, jumps: find("_IO_file_jumps")? })
    }

    /// The dead bytes of all buffers of a libc that is loaded at `bias`, by address; `read` fills a
    /// buffer from an address, or answers false. None of a list that is broken.
    pub fn dead(self, bias: u64, mut read: impl FnMut(u64, &mut [u8]) -> bool) -> Vec<Range<u64>> {
        let mut first = [0; 8];
        if !read(bias.wrapping_add(self.list), &mut first) {
            return Vec::new();
        }
        let mut next = u64::from_le_bytes(first);
        let mut dead = Vec::new();
        for _ in 0..MOST_STREAMS {
            if next == 0 {
                return dead;
            }
            let mut stream = Stream([0; at::END]);
            if !read(next, &mut stream.0) || stream.flags() & 0xffff_0000 != MAGIC {
                return Vec::new();
            }
            if stream.word(at::VTABLE) == bias.wrapping_add(self.jumps) {
                dead.extend(stream.dead());
            }
            next = stream.word(at::CHAIN);
        }
        Vec::new()
    }
}

/// The bytes of a `struct _IO_FILE_plus`.
struct Stream([u8; at::END]);

impl Stream {
    fn word(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.0[at..at + 8].try_into().expect("eight bytes"))
    }

    fn half(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.0[at..at + 4].try_into().expect("four bytes"))
    }

    fn flags(&self) -> u32 {
        self.half(at::FLAGS)
    }

    fn dead(&self) -> Option<Range<u64>> {
        let wide = self.half(at::MODE) as i32 > 0;
        let back = [at::SAVE_BASE, at::BACKUP_BASE, at::SAVE_END, at::MARKERS];
        let pushed_back = back.into_iter().any(|at| self.word(at) != 0);
        if wide || pushed_back || self.flags() & (USER_BUF | IN_BACKUP) != 0 {
            return None;
        }
        let (start, end) = (self.word(at::BUF_BASE), self.word(at::BUF_END));
        if start == 0 || start >= end || end - start > LARGEST_BUFFER {
            return None;
        }
        // An area that was never used has no pointers at all.
        let area = |pointers: [usize; 3]| {
            let pointers = pointers.map(|at| self.word(at));
            let unused = pointers == [0; 3];
            let inside = pointers.iter().all(|pointer| (start..=end).contains(pointer));
            (unused || inside).then_some(pointers)
        };
        let [read_base, read_ptr, read_end] = area([at::READ_BASE, at::READ_PTR, at::READ_END])?;
        // The end of the area to write to is the start where every character may end it.
        let [write_base, write_ptr, _] = area([at::WRITE_BASE, at::WRITE_PTR, at::WRITE_END])?;
        let ordered = read_base <= read_ptr && read_ptr <= read_end && write_base <= write_ptr;
        let from = read_end.max(write_ptr);
        (ordered && start <= from && from < end).then_some(from..end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: u64 = 0x100;
    const JUMPS: u64 = 0x200;
    const BIAS: u64 = 0x7000_0000;
    const STREAMS: Streams = Streams { list: LIST, jumps: JUMPS };
    const BUFFER: u64 = 0x5000;

    /// A stream in the middle of its buffer of 1024 bytes: 100 came, 30 of them were given.
    fn input() -> Stream {
        let mut stream = Stream([0; at::END]);
        stream.0[..4].copy_from_slice(&(MAGIC | 0x2488).to_le_bytes());
        for (at, word) in [
            (at::READ_PTR, BUFFER + 30),
            (at::READ_END, BUFFER + 100),
            (at::READ_BASE, BUFFER),
            (at::WRITE_BASE, BUFFER),
            (at::WRITE_PTR, BUFFER),
            (at::WRITE_END, BUFFER),
            (at::BUF_BASE, BUFFER),
            (at::BUF_END, BUFFER + 1024),
            (at::VTABLE, BIAS + JUMPS),
        ] {
            stream.put(at, word);
        }
        stream
    }

    impl Stream {
        fn put(&mut self, at: usize, word: u64) {
            self.0[at..at + 8].copy_from_slice(&word.to_le_bytes());
        }
    }

    /// The dead bytes where these streams are all there are, stream `i` at 0x1000 * (i + 1).
    fn dead(mut streams: Vec<Stream>) -> Vec<Range<u64>> {
        let count = streams.len();
        for (stream, next) in streams.iter_mut().zip(2..).take(count.saturating_sub(1)) {
            stream.put(at::CHAIN, 0x1000 * next);
        }
        STREAMS.dead(BIAS, |address, buffer| {
            if address == BIAS + LIST {
                buffer.copy_from_slice(&0x1000u64.to_le_bytes());
                return true;
            }
            let stream = (address / 0x1000).checked_sub(1);
            match stream.and_then(|stream| streams.get(stream as usize)) {
                Some(stream) if address % 0x1000 == 0 => buffer.copy_from_slice(&stream.0),
                _ => return false,
            }
            true
        })
    }

    fn with(changes: &[(usize, u64)]) -> Vec<Range<u64>> {
        let mut stream = input();
        changes.iter().for_each(|&(at, word)| stream.put(at, word));
        dead(vec![stream])
    }

    #[test]
    #[allow(clippy::single_range_in_vec_init)]
    fn what_lies_behind_the_input_and_the_output_is_dead() {
        let end = BUFFER + 1024;
        assert_eq!(with(&[]), [BUFFER + 100..end]);
        let waits = [at::READ_PTR, at::READ_END].map(|at| (at, BUFFER));
        assert_eq!(with(&waits), [BUFFER..end], "all of it while input is waited for");
        let write = |ptr, end| {
            [
                (at::READ_PTR, BUFFER),
                (at::READ_END, BUFFER),
                (at::WRITE_PTR, ptr),
                (at::WRITE_END, end),
            ]
        };
        assert_eq!(with(&write(BUFFER + 7, end)), [BUFFER + 7..end]);
        assert_eq!(with(&write(BUFFER + 7, BUFFER)), [BUFFER + 7..end], "by lines");
        assert_eq!(with(&write(end, end)), [], "full");
        let never_read = [at::READ_BASE, at::READ_PTR, at::READ_END].map(|at| (at, 0));
        assert_eq!(with(&never_read), [BUFFER..end]);
        let both = [(at::WRITE_BASE, BUFFER + 30), (at::WRITE_PTR, BUFFER + 40)];
        assert_eq!(with(&both), [BUFFER + 100..end], "input that was not read yet stays");
    }

    #[test]
    fn what_is_not_stdios_own_or_does_not_fit_together_is_left_alone() {
        let flags = |flag: u32| (at::FLAGS, u64::from(MAGIC | 0x2488 | flag));
        for (change, why) in [
            (flags(USER_BUF), "the program's buffer"),
            (flags(IN_BACKUP), "in the pushed-back characters"),
            ((at::SAVE_BASE, 0x9000), "pushed-back characters"),
            ((at::MARKERS, 0x9000), "a marker"),
            ((at::MODE, 1), "a wide stream"),
            ((at::VTABLE, BIAS + JUMPS + 8), "functions of its own"),
            ((at::BUF_BASE, 0), "no buffer"),
            ((at::BUF_END, BUFFER), "an empty buffer"),
            ((at::BUF_END, u64::MAX), "an endless buffer"),
            ((at::READ_PTR, BUFFER + 101), "more given than came"),
            ((at::READ_END, BUFFER + 1025), "more than fits"),
            ((at::READ_BASE, 0), "half of an area"),
            ((at::WRITE_BASE, BUFFER + 1), "less than nothing written"),
            ((at::WRITE_PTR, 0x9000), "another buffer"),
        ] {
            assert_eq!(with(&[change]), [], "{why}");
        }
    }

    #[test]
    fn a_list_that_is_broken_says_nothing_of_any_stream() {
        assert_eq!(dead(vec![input(), input()]).len(), 2);
        assert_eq!(dead(Vec::new()), [], "the first cannot be read");
        let broken = |change: (usize, u64)| {
            let mut last = input();
            last.put(change.0, change.1);
            dead(vec![input(), last])
        };
        assert_eq!(broken((at::CHAIN, 0x1000)), [], "it goes round");
        assert_eq!(broken((at::CHAIN, 0x1008)), [], "it leads nowhere");
        assert_eq!(broken((at::FLAGS, 0)), [], "no stream");
    }

    #[test]
    fn a_file_without_the_symbols_has_no_streams() {
        assert_eq!(Streams::of(b"\x7fELF"), None);
        let this = std::fs::read("/proc/self/exe").expect("this program can be read");
        assert_eq!(Streams::of(&this), None);
    }
}
