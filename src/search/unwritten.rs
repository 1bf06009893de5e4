#![allow(unsafe_code)] // That all of the memory is written is counted, which no compiler sees.
//! Memory that several write at once, each a part of his own, and that is bytes when all of it is
//! written. Until then nobody reads it; so nobody needs to clear it first.

use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::short;

/// Bytes to be written.
pub(super) struct Unwritten {
    memory: Vec<u8>,
    len: usize,
    written: AtomicUsize,
}

/// Some of them, which are written from the first on.
pub(super) struct Part<'a> {
    left: &'a mut [MaybeUninit<u8>],
    /// How many this wrote, and where that is added up.
    here: usize,
    written: &'a AtomicUsize,
}

impl Unwritten {
    /// The first `len` bytes of `memory`, which is as large or becomes so.
    pub(super) fn new(mut memory: Vec<u8>, len: usize) -> Self {
        memory.clear();
        memory.reserve_exact(len);
        Unwritten { memory, len, written: AtomicUsize::new(0) }
    }

    /// All of them, as one part, of which others can be split off.
    pub(super) fn all(&mut self) -> Part<'_> {
        *self.written.get_mut() = 0;
        let left = &mut self.memory.spare_capacity_mut()[..self.len];
        Part { left, here: 0, written: &self.written }
    }

    /// What was written.
    ///
    /// # Panics
    ///
    /// If that is not all.
    pub(super) fn finish(mut self) -> Vec<u8> {
        assert_eq!(self.written.into_inner(), self.len, "every byte is written");
        // SAFETY: parts do not overlap, are written from the first byte on, and have counted each byte
        // that was written once: so all of them are.
        unsafe { self.memory.set_len(self.len) };
        self.memory
    }
}

impl<'a> Part<'a> {
    /// The next `len` bytes, as a part of their own.
    pub(super) fn split_off(&mut self, len: usize) -> Part<'a> {
        Part { left: self.next(len), here: 0, written: self.written }
    }

    /// Write the next ones.
    #[inline]
    pub(super) fn write(&mut self, bytes: &[u8]) {
        short::write(bytes, self.next(bytes.len()));
        self.here += bytes.len();
    }

    #[inline]
    fn next(&mut self, len: usize) -> &'a mut [MaybeUninit<u8>] {
        self.left.split_off_mut(..len).expect("a part holds what was said")
    }
}

impl Drop for Part<'_> {
    fn drop(&mut self) {
        self.written.fetch_add(self.here, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn what_is_written_to_parts_in_any_order_is_read_as_one() {
        let mut unwritten = Unwritten::new(vec![9; 3], 10);
        let mut rest = unwritten.all();
        let mut parts = [4, 0, 6].map(|len| rest.split_off(len));
        parts[2].write(b"ef");
        parts[0].write(b"abcd");
        parts[2].write(b"ghij");
        drop((parts, rest));
        assert_eq!(unwritten.finish(), b"abcdefghij");
    }

    #[test]
    fn what_was_not_all_written_is_never_read() {
        let mut unwritten = Unwritten::new(Vec::new(), 10);
        let mut rest = unwritten.all();
        rest.split_off(4).write(b"abcd");
        rest.split_off(6).write(b"efghi");
        drop(rest);
        assert!(catch_unwind(AssertUnwindSafe(|| unwritten.finish())).is_err());

        let mut unwritten = Unwritten::new(Vec::new(), 2);
        unwritten.all().write(b"ab");
        unwritten.all().write(b"c");
        assert!(catch_unwind(AssertUnwindSafe(|| unwritten.finish())).is_err());
        let mut unwritten = Unwritten::new(Vec::new(), 2);
        let more = AssertUnwindSafe(|| unwritten.all().write(b"abc"));
        assert!(catch_unwind(more).is_err());
    }
}
