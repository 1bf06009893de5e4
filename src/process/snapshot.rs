//! A node that waits, read once: its registers and all memory that it may have written. What is worked
//! out about it is worked out here; what is changed here can be written back.

mod gather;
mod zeros;

use std::cell::Cell;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use xxhash_rust::xxh3::Xxh3;

use super::block::{ZERO, ZEROS};
use super::contract::ARENA_BASE;
use super::layout::{Layout, Role};
use super::memory::{Memory, PAGE, RANGES};
use super::page_list::PageTable;
use super::page_store;
use super::registers::Registers;

/// Bytes below the stack pointer that a function may use (the red zone of the x86-64 ABI).
pub const RED_ZONE: u64 = 128;

/// A node that waits.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Its registers.
    pub registers: Registers,
    /// What is mapped where.
    pub layout: Arc<Layout>,
    /// Bytes of the arena that are in use.
    pub used: u64,
    regions: Vec<Region>,
    bytes: Vec<u8>,
    /// What was changed here and not written back.
    changed: Vec<Range<u64>>,
    /// Pages of which some may be the same.
    known: Option<Arc<PageTable>>,
    /// The digests of all pages, in their order.
    digests: OnceLock<Vec<u128>>,
}

/// A range of memory that the node may have written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Its first address.
    pub start: u64,
    /// The first address behind it.
    pub end: u64,
    /// What it is for.
    pub role: Role,
    /// Where its bytes are.
    at: usize,
}

thread_local! {
    /// The room of the last snapshot: to get as much anew from the kernel takes as long as to read it.
    static SPARE: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        // Where the thread ends there is no next one.
        let _ = SPARE.try_with(|spare| spare.set(std::mem::take(&mut self.bytes)));
    }
}

/// Why a node cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// It is gone, or what it had mapped is not there.
    Gone,
    /// It has overwritten the head of its arena.
    BrokenArena,
}

impl Snapshot {
    /// A node that was never there: ascending ranges with their bytes, the arena from its base on.
    #[cfg(test)]
    pub fn for_tests(
        registers: Registers,
        layout: Layout,
        ranges: &[(u64, Role, Vec<u8>)],
    ) -> Self {
        let used = ranges.iter().find(|range| range.0 == ARENA_BASE);
        let mut snapshot = Snapshot {
            registers,
            layout: Arc::new(layout),
            used: used.map_or(0, |range| range.2.len() as u64),
            regions: Vec::new(),
            bytes: Vec::new(),
            changed: Vec::new(),
            known: None,
            digests: OnceLock::new(),
        };
        for (start, role, bytes) in ranges {
            let (start, role, at) = (*start, *role, snapshot.bytes.len());
            snapshot.regions.push(Region { start, end: start + bytes.len() as u64, role, at });
            snapshot.bytes.extend(bytes);
        }
        snapshot
    }

    /// The ranges that were read, by ascending address, and their bytes.
    pub fn regions(&self) -> impl Iterator<Item = (Region, &[u8])> {
        self.regions.iter().map(|region| (*region, self.of(region)))
    }

    /// The pages that were read, by ascending address, with their bytes and digests.
    pub fn pages(&self) -> impl Iterator<Item = (u64, &[u8], u128)> {
        let digests = self.digests.get_or_init(|| {
            let known = self.known.as_deref();
            self.plain_pages().map(|(address, bytes)| page_digest(known, address, bytes)).collect()
        });
        self.plain_pages().zip(digests).map(|((address, bytes), digest)| (address, bytes, *digest))
    }

    fn plain_pages(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.regions().flat_map(|(region, bytes)| {
            (region.start..region.end).step_by(PAGE as usize).zip(bytes.chunks(PAGE as usize))
        })
    }

    /// Say that many pages are probably those of `known`, so that they need not be digested.
    pub fn compare_with(&mut self, known: Option<Arc<PageTable>>) {
        self.known = known;
    }

    fn of(&self, region: &Region) -> &[u8] {
        &self.bytes[region.at..region.at + (region.end - region.start) as usize]
    }

    /// Where the bytes of an address are, and how many follow them in the same range.
    fn find(&self, address: u64) -> Option<(usize, usize)> {
        let place = self.regions.partition_point(|region| region.end <= address);
        let region = self.regions.get(place).filter(|region| region.start <= address)?;
        let offset = (address - region.start) as usize;
        Some((region.at + offset, (region.end - address) as usize))
    }

    /// `length` bytes at `address`; `None` unless all of them lie in one range that was read.
    pub fn bytes(&self, address: u64, length: usize) -> Option<&[u8]> {
        let (at, room) = self.find(address)?;
        (length <= room).then(|| &self.bytes[at..at + length])
    }

    /// The 64-bit word at `address`.
    pub fn word(&self, address: u64) -> Option<u64> {
        let bytes = self.bytes(address, 8)?;
        Some(u64::from_le_bytes(bytes.try_into().expect("eight bytes")))
    }

    /// The bytes of the arena that are in use.
    pub fn arena(&self) -> &[u8] {
        self.bytes(ARENA_BASE, self.used as usize).unwrap_or_default()
    }

    /// Make what was read of `range` zero.
    pub fn clear(&mut self, range: &Range<u64>) {
        let mut at = range.start;
        while at < range.end {
            let Some((place, room)) = self.find(at) else {
                let next = self.regions.partition_point(|region| region.end <= at);
                match self.regions.get(next) {
                    Some(next) if next.start < range.end => at = next.start,
                    _ => return,
                }
                continue;
            };
            let length = room.min((range.end - at) as usize);
            let bytes = &mut self.bytes[place..place + length];
            let dirty = |byte: &u8| *byte != 0;
            if let Some(first) = bytes.iter().position(dirty) {
                self.digests = OnceLock::new();
                let last = bytes.iter().rposition(dirty).unwrap_or(first);
                bytes[first..=last].fill(0);
                self.changed.push(at + first as u64..at + last as u64 + 1);
            }
            at += length as u64;
        }
    }

    /// Write to the node what was changed here; false unless all of it could be written.
    pub fn write_back(&mut self, memory: Memory) -> bool {
        let changed = std::mem::take(&mut self.changed);
        changed.chunks(RANGES).all(|ranges| {
            let pieces: Option<Vec<(u64, &[u8])>> = ranges
                .iter()
                .map(|range| {
                    let length = (range.end - range.start) as usize;
                    Some((range.start, self.bytes(range.start, length)?))
                })
                .collect();
            pieces.is_some_and(|pieces| memory.scatter(&pieces))
        })
    }

    /// A digest of all that the node can still see: `registers`, the live stack, the rights of every
    /// mapping, and what was ever written to one, also where the node has taken its right to write
    /// away.
    pub fn digest(&self, registers: &Registers) -> u128 {
        let mut hash = Xxh3::new();
        hash.update(&registers.bytes());
        hash.update(&self.used.to_le_bytes());
        hash.update(&self.layout.access().to_le_bytes());
        let dead = self.below_stack();
        for (address, bytes, digest) in self.pages() {
            let below = match dead.contains(&address) {
                true => (dead.end - address).min(PAGE) as usize,
                false => 0,
            };
            if below == bytes.len() {
                continue;
            }
            let digest = if below == 0 { digest } else { page_store::digest(&bytes[below..]) };
            hash.update(&(address + below as u64).to_le_bytes());
            hash.update(&digest.to_le_bytes());
        }
        hash.digest128()
    }

    /// How many bytes at the start of `region` are below the stack pointer and its red zone. The
    /// pointer may also be in a stack that the program made in other memory, of which nobody knows
    /// where it begins: all of that counts.
    pub fn below(&self, region: &Region) -> u64 {
        let live = self.registers.sp().saturating_sub(RED_ZONE);
        match region.role == Role::Stack && self.on_stack(self.registers.sp()) {
            true => live.clamp(region.start, region.end) - region.start,
            false => 0,
        }
    }

    /// The stack and its bytes.
    pub fn stack(&self) -> Option<(Region, &[u8])> {
        let stack = self.regions.iter().rfind(|region| region.role == Role::Stack)?;
        Some((*stack, self.of(stack)))
    }

    fn on_stack(&self, pointer: u64) -> bool {
        let stack = self.regions.iter().rfind(|region| region.role == Role::Stack);
        stack.is_some_and(|stack| (stack.start..stack.end).contains(&pointer))
    }

    /// What lies below the stack pointer and its red zone, where that is in the stack.
    pub fn below_stack(&self) -> Range<u64> {
        let stack = self.regions.iter().rfind(|region| region.role == Role::Stack);
        stack.map_or(0..0, |stack| stack.start..stack.start + self.below(stack))
    }
}

/// The digest of a page, which is known if the page is.
fn page_digest(known: Option<&PageTable>, address: u64, bytes: &[u8]) -> u128 {
    match known.and_then(|known| known.find(address)) {
        Some(block) if block.is(bytes) => block.digest(),
        _ if *bytes == ZEROS => ZERO,
        _ => page_store::digest(bytes),
    }
}
