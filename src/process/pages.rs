//! Which pages of a range of a process are there, by asking the kernel's page tables.
#![allow(unsafe_code)]

use std::fs::File;
use std::ops::Range;
use std::os::fd::AsRawFd;

use super::memory::PAGE;

/// `PAGEMAP_SCAN` of linux/fs.h, Linux 6.7: `_IOWR('f', 16, struct pm_scan_arg)`.
const SCAN: libc::c_ulong = 0xc060_6610;
/// `PAGE_IS_PRESENT | PAGE_IS_SWAPPED`.
const THERE: u64 = 1 << 3 | 1 << 4;
/// `PAGE_IS_PFNZERO`: the page of zeros that everybody shares.
const ZERO: u64 = 1 << 5;
/// Ranges that one call answers.
const ROOM: usize = 64;

/// `struct pm_scan_arg`.
#[repr(C)]
#[derive(Default)]
struct Scan {
    size: u64,
    flags: u64,
    start: u64,
    end: u64,
    walk_end: u64,
    ranges: u64,
    room: u64,
    max_pages: u64,
    inverted: u64,
    all_of: u64,
    any_of: u64,
    answered: u64,
}

/// `struct page_region`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Found {
    start: u64,
    end: u64,
    categories: u64,
}

/// The ranges of pages of `range` that are in memory or in swap and not the shared page of zeros, of
/// the process whose `/proc/PID/pagemap` this is; ascending, by whole pages. `None` where the kernel
/// cannot say.
pub fn there(pagemap: &File, range: &Range<u64>) -> Option<Vec<Range<u64>>> {
    let mut ranges: Vec<Range<u64>> = Vec::new();
    let mut start = range.start / PAGE * PAGE;
    let end = range.end.next_multiple_of(PAGE);
    while start < end {
        let mut found = [Found::default(); ROOM];
        let mut scan = Scan {
            size: size_of::<Scan>() as u64,
            start,
            end,
            ranges: found.as_mut_ptr() as u64,
            room: ROOM as u64,
            inverted: ZERO,
            all_of: ZERO,
            any_of: THERE,
            answered: THERE,
            ..Scan::default()
        };
        // SAFETY: the kernel reads and writes `scan`, and writes at most `room` entries of `found`;
        // both outlive the call.
        let count = unsafe { libc::ioctl(pagemap.as_raw_fd(), SCAN, &raw mut scan) };
        let count = usize::try_from(count).ok()?;
        for Found { start, end, .. } in &found[..count] {
            match ranges.last_mut() {
                Some(last) if last.end == *start => last.end = *end,
                _ => ranges.push(*start..*end),
            }
        }
        if scan.walk_end <= start {
            return None;
        }
        start = scan.walk_end;
    }
    Some(ranges)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_that_were_written_are_there() {
        let pages = 2 * ROOM + 8;
        let length = pages * PAGE as usize;
        let rights = libc::PROT_READ | libc::PROT_WRITE;
        let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a fresh mapping, which nobody else knows of and nobody unmaps.
        let memory = unsafe { libc::mmap(std::ptr::null_mut(), length, rights, kind, -1, 0) };
        assert_ne!(memory, libc::MAP_FAILED);
        let first = memory as u64;
        let written = |page: usize| page % 2 == 1 && page != 5;
        for page in (0..pages).filter(|&page| written(page)) {
            // SAFETY: the page is in the mapping.
            unsafe { memory.cast::<u8>().add(page * PAGE as usize).write(1) };
        }
        let pagemap = File::open("/proc/self/pagemap").expect("the kernel has it");
        let range = first..first + pages as u64 * PAGE;
        // Before Linux 6.7 there is nothing to test.
        let Some(found) = there(&pagemap, &range) else { return };
        let pages = (0..pages as u64).filter(|&page| written(page as usize));
        let expected = pages.map(|page| first + page * PAGE..first + (page + 1) * PAGE);
        assert_eq!(found, expected.collect::<Vec<_>>());
    }
}
