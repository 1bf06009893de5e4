//! Reading a node into a snapshot: which of its memory, and in as few calls as may be.

use std::fs::File;
use std::io::IoSliceMut;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use nix::sys::uio::RemoteIoVec;

use super::super::contract::{ARENA_BASE, ARENA_SIZE, ARENA_USED};
use super::super::launch;
use super::super::layout::{Layout, Role};
use super::super::memory::{Mapping, Memory, PAGE, RANGES};
use super::super::pages;
use super::super::registers::Registers;
use super::zeros::SPARSE;
use super::{Region, SPARE, Snapshot, Unreadable};

/// What the stack of a node can grow to.
const LARGEST_STACK: u64 = launch::STACK;

impl Snapshot {
    /// Read the node behind `memory`, whose page tables `pagemap` shows, and of which `sealed` was
    /// written by the loader and then made unwritable.
    pub fn read(
        memory: Memory,
        pagemap: &File,
        registers: Registers,
        layout: &Arc<Layout>,
        sealed: &[Mapping],
    ) -> Result<Self, Unreadable> {
        let used = memory.word(ARENA_BASE + ARENA_USED).ok_or(Unreadable::Gone)?;
        if !(1..=ARENA_SIZE).contains(&used) {
            return Err(Unreadable::BrokenArena);
        }
        let mut snapshot = Snapshot {
            registers,
            layout: Arc::clone(layout),
            used,
            regions: Vec::with_capacity(32),
            bytes: Vec::new(),
            changed: Vec::new(),
            known: None,
            digests: OnceLock::new(),
        };
        let written = |mapping: &&Mapping| mapping.written && !sealed.contains(mapping);
        for mapping in layout.mappings.iter().filter(written) {
            for range in snapshot.wanted(memory, pagemap, mapping).ok_or(Unreadable::Gone)? {
                let at = snapshot.length();
                let Range { start, end } = range;
                snapshot.regions.push(Region { start, end, role: mapping.role(), at });
            }
        }
        snapshot.fetch(memory, pagemap).ok_or(Unreadable::Gone)?;
        snapshot.join_arena();
        snapshot.trim_stack();
        snapshot.drop_zeros();
        Ok(snapshot)
    }

    fn length(&self) -> usize {
        self.regions.last().map_or(0, |last| last.at + (last.end - last.start) as usize)
    }

    /// What of `mapping` is read.
    fn wanted(&self, memory: Memory, pagemap: &File, mapping: &Mapping) -> Option<Vec<Range<u64>>> {
        let Mapping { start, end, own, .. } = *mapping;
        let whole = start..end;
        let there = |range: &Range<u64>| {
            pages::there(pagemap, range).or_else(|| by_page(memory, range.clone()))
        };
        Some(match mapping.role() {
            // The kernel lets it grow without a call, so its start is not known.
            Role::Stack => {
                let lowest = there(&(end.saturating_sub(LARGEST_STACK)..end))?;
                let lowest = lowest.first().map_or(end, |first| first.start);
                let pointer = self.registers.sp() / PAGE * PAGE;
                std::iter::once(lowest.min(pointer.max(start))..end).collect()
            }
            // The allocator has not been behind the mark, but a program can be wrong.
            Role::Arena => {
                let mark = (ARENA_BASE + self.used).next_multiple_of(PAGE).clamp(start, end);
                let behind = mark..end;
                let strays = match pages::there(pagemap, &behind) {
                    Some(strays) => strays,
                    // To look at all of the arena takes a millisecond.
                    None if own <= mark - start => Vec::new(),
                    None => by_page(memory, behind)?,
                };
                std::iter::once(start..mark).chain(strays).collect()
            }
            Role::Anonymous | Role::Break if end - start > SPARSE => there(&whole)?,
            _ => vec![whole],
        })
    }

    fn fetch(&mut self, memory: Memory, pagemap: &File) -> Option<()> {
        self.bytes = SPARE.take();
        self.bytes.resize(self.length(), 0);
        let readable = |region: &Region| {
            let mappings = &self.layout.mappings;
            let place = mappings.partition_point(|mapping| mapping.end <= region.start);
            mappings.get(place).is_none_or(|mapping| mapping.rights[0] == b'r')
        };
        if self.regions.iter().all(readable) {
            let (mut local, mut remote) = (Vec::new(), Vec::new());
            let mut rest = &mut self.bytes[..];
            for region in &self.regions {
                let (mut bytes, behind) = rest.split_at_mut((region.end - region.start) as usize);
                rest = behind;
                let mut at = region.start;
                for there in region.not_zero(pagemap) {
                    let (zeros, from) = bytes.split_at_mut((there.start - at) as usize);
                    let (here, behind) = from.split_at_mut((there.end - there.start) as usize);
                    zeros.fill(0);
                    remote.push(RemoteIoVec { base: there.start as usize, len: here.len() });
                    local.push(IoSliceMut::new(here));
                    (bytes, at) = (behind, there.end);
                }
                bytes.fill(0);
            }
            if remote.len() <= RANGES {
                return memory.gather(&remote, &mut local).then_some(());
            }
        }
        for region in &self.regions {
            let length = (region.end - region.start) as usize;
            let bytes = memory.bytes_without_rights(region.start, length)?;
            self.bytes[region.at..region.at + length].copy_from_slice(&bytes);
        }
        Some(())
    }

    /// What is in use of the arena is one range, also where the program has changed the rights of parts
    /// of it.
    fn join_arena(&mut self) {
        let mark = (ARENA_BASE + self.used).next_multiple_of(PAGE);
        self.regions.retain(|region| region.start < region.end);
        self.regions.dedup_by(|next, last| {
            let length = (last.end - last.start) as usize;
            let joined = last.role == Role::Arena && next.role == Role::Arena && next.end <= mark;
            let joined = joined && last.end == next.start && last.at + length == next.at;
            if joined {
                last.end = next.end;
            }
            joined
        });
    }
}

impl Region {
    /// Of how many bytes on the kernel is asked which pages are there: to read a page takes as long.
    const LARGE: u64 = 8 * PAGE;

    /// What of it need not be zero: memory without a file is, until it is written.
    fn not_zero(&self, pagemap: &File) -> Vec<Range<u64>> {
        let whole = self.start..self.end;
        let asked = match self.role {
            Role::Anonymous | Role::Break => self.end - self.start >= Self::LARGE,
            Role::File | Role::Arena | Role::Stack => false,
        };
        let there = if asked { pages::there(pagemap, &whole) } else { None };
        there.unwrap_or_else(|| vec![whole])
    }
}

/// The pages of `range` that are there, one by one.
fn by_page(memory: Memory, range: Range<u64>) -> Option<Vec<Range<u64>>> {
    let mut ranges: Vec<Range<u64>> = Vec::new();
    for page in memory.touched(range)? {
        match ranges.last_mut() {
            Some(last) if last.end == page => last.end += PAGE,
            _ => ranges.push(page..page + PAGE),
        }
    }
    Some(ranges)
}
