//! The content of the local state of a node that waits, as its state kind says. Two nodes with equal
//! contents count as equal, so whatever is read here must be complete for its kind.

use std::ops::Range;

use xxhash_rust::xxh3::Xxh3;

use super::config::{NodeConfig, StateKind};
use super::contract;
use super::elf::Program;
use super::memory::{Mapping, Memory, PAGE};
use super::node::Node;
use super::registers::{self, Registers};
use crate::error::Error;
use crate::system::Stop;

/// Bytes below the stack pointer that a function may use (the red zone of the x86-64 ABI).
const RED_ZONE: u64 = 128;

/// The registers of `node`, which waits.
pub fn registers(node: &mut Node) -> Result<Registers, Stop> {
    let registers = registers::read(node.process().pid())?;
    node.reenter()?;
    Ok(registers)
}

/// The content of `node`; `memory` answers the digest of its whole memory.
pub fn read(
    node: &Node,
    config: &NodeConfig,
    program: &Program,
    memory: impl FnOnce() -> Result<u128, Stop>,
) -> Result<Vec<u8>, Stop> {
    match &config.state {
        StateKind::Report => node.report.clone().ok_or_else(|| {
            node.cannot(
                "it waits and has written no report, but the model says state = \"report\": write the \
                 length byte and the state to descriptor 3 before the first wait, or use state = \
                 \"region:SYMBOL\" or \"raw\"",
            )
            .into()
        }),
        StateKind::Region(symbol) => object(node, program, symbol, 0, None),
        StateKind::Raw => {
            let mut content = memory()?.to_le_bytes().to_vec();
            for read in &config.reads {
                let length = Some(read.length);
                content.extend(object(node, program, &read.symbol, read.offset, length)?);
            }
            Ok(content)
        }
    }
}

fn object(
    node: &Node,
    program: &Program,
    symbol: &str,
    offset: u64,
    length: Option<u64>,
) -> Result<Vec<u8>, Stop> {
    let object = program.object(symbol).map_err(Error::Program)?;
    let address = node.bias().wrapping_add(object.address).wrapping_add(offset);
    let length = length.unwrap_or(object.size);
    let bytes = node.memory().bytes(address, length as usize);
    bytes.ok_or_else(|| {
        node.cannot(&format!("symbol \"{symbol}\" is not mapped at {address:#x}")).into()
    })
}

/// A digest of all that the node can still see: registers, live stack, the rights of every mapping,
/// and what was ever written to one, also where the node has taken its right to write away.
pub fn digest(node: &Node, registers: &Registers) -> Result<u128, Stop> {
    let memory = node.memory();
    let gone = |node: &Node| Stop::from(node.cannot("its memory cannot be read"));
    let used = memory.word(contract::ARENA_BASE + contract::ARENA_USED);
    let Some(used) = used.filter(|used| (1..=contract::ARENA_SIZE).contains(used)) else {
        return Err(node.cannot("it has overwritten the head of its heap").into());
    };
    let mut hash = Xxh3::new();
    hash.update(&registers.bytes);
    let mappings = memory.written().ok_or_else(|| gone(node))?;
    for mapping in &mappings {
        // The kernel's own, which no node is told of; it puts them anywhere.
        if mapping.name.starts_with("[v") {
            continue;
        }
        let seen = live(mapping, contract::ARENA_BASE + used, registers.sp);
        hash.update(&seen[0].start.to_le_bytes());
        hash.update(&mapping.end.to_le_bytes());
        hash.update(&mapping.rights);
        if !mapping.written || node.sealed.contains(mapping) {
            continue;
        }
        for range in seen.into_iter().filter(|range| range.start < range.end) {
            let length = (range.end - range.start) as usize;
            let bytes = match mapping.rights[0] {
                b'r' => memory.bytes(range.start, length),
                _ => memory.bytes_without_rights(range.start, length),
            };
            let bytes = bytes.ok_or_else(|| gone(node))?;
            hash.update(&range.start.to_le_bytes());
            hash.update(&(bytes.len() as u64).to_le_bytes());
            hash.update(&bytes);
        }
    }
    for (page, bytes) in strays(memory, used, &mappings).ok_or_else(|| gone(node))? {
        hash.update(&page.to_le_bytes());
        hash.update(&bytes);
    }
    Ok(hash.digest128())
}

/// Pages of the arena behind the part in use that are not zero. The allocator has not been there, but
/// a program can be wrong.
fn strays(memory: Memory, used: u64, mappings: &[Mapping]) -> Option<Vec<(u64, Vec<u8>)>> {
    let arena = contract::ARENA_BASE..contract::ARENA_BASE + contract::ARENA_SIZE;
    let mark = (arena.start + used).next_multiple_of(PAGE);
    let in_arena = mappings.iter().filter(|m| arena.start <= m.start && m.end <= arena.end);
    let own: u64 = in_arena.map(|mapping| mapping.own).sum();
    // To look at all of the arena takes a millisecond.
    if memory.touched(arena.start..mark)?.len() as u64 * PAGE >= own {
        return Some(Vec::new());
    }
    let pages = memory.touched(mark..arena.end)?.into_iter();
    let read = pages.map(|page| Some((page, memory.bytes_without_rights(page, PAGE as usize)?)));
    let read: Option<Vec<_>> = read.collect();
    Some(read?.into_iter().filter(|(_, bytes)| bytes.iter().any(|&byte| byte != 0)).collect())
}

/// The parts of a mapping that can matter: of the stack what is not below its pointer; of the arena,
/// whose last byte in use is before `used`, what lies before that. The pointer may also be in a stack that the program made in other memory, of which
/// nobody knows where it begins: all of that counts.
fn live(mapping: &Mapping, used: u64, stack_pointer: u64) -> [Range<u64>; 2] {
    let Mapping { start, end, .. } = *mapping;
    if mapping.name == "[stack]" && (start..end).contains(&stack_pointer) {
        let first = stack_pointer.saturating_sub(RED_ZONE).max(start);
        return [first..end, end..end];
    }
    let arena_end = contract::ARENA_BASE + contract::ARENA_SIZE;
    if end <= used || arena_end <= start {
        return [start..end, end..end];
    }
    [start..used, start.max(arena_end)..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::single_range_in_vec_init)]
    fn only_the_stack_is_cut_at_the_pointer_and_only_the_arena_at_its_mark() {
        let mapping = |start, end, name: &str| Mapping {
            start,
            end,
            writable: true,
            rights: *b"rw-p",
            written: true,
            own: 0,
            name: name.into(),
        };
        let parts = |mapping: &Mapping, pointer| {
            let used = contract::ARENA_BASE + 0x3000;
            let parts = live(mapping, used, pointer).into_iter().filter(|r| r.start < r.end);
            parts.collect::<Vec<_>>()
        };
        let arena = contract::ARENA_BASE;
        let end = arena + contract::ARENA_SIZE;
        assert_eq!(parts(&mapping(0x1000, 0x9000, "[stack]"), 0x5000), [0x4f80..0x9000]);
        assert_eq!(parts(&mapping(0x1000, 0x9000, "[stack]"), 0xa000), [0x1000..0x9000]);
        assert_eq!(parts(&mapping(0x1000, 0x9000, ""), 0x5000), [0x1000..0x9000]);
        assert_eq!(parts(&mapping(arena, end, ""), arena + 0x2000), [arena..arena + 0x3000]);
        let around = mapping(arena - 0x1000, end + 0x1000, "");
        assert_eq!(parts(&around, 0), [arena - 0x1000..arena + 0x3000, end..end + 0x1000]);
        assert_eq!(parts(&mapping(arena + 0x4000, end, ""), 0), []);
    }
}
