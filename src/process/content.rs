//! The content of the local state of a node that waits, as its state kind says. Two nodes with equal
//! contents count as equal, so whatever is read here must be complete for its kind.

use xxhash_rust::xxh3::Xxh3;

use super::config::{NodeConfig, StateKind};
use super::contract;
use super::elf::Program;
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
        StateKind::Report => Ok(node.report.clone()),
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

/// A digest of all that the node can still see: registers, live stack, and every writable mapping;
/// of the arena the part in use, behind which nothing was ever written.
pub fn digest(node: &Node, registers: &Registers) -> Result<u128, Stop> {
    let memory = node.memory();
    let gone = |node: &Node| Stop::from(node.cannot("its memory cannot be read"));
    let mut hash = Xxh3::new();
    hash.update(&registers.bytes);
    for mapping in memory.mappings().ok_or_else(|| gone(node))? {
        let in_arena = mapping.start == contract::ARENA_BASE;
        if !mapping.writable || mapping.name.starts_with("[v") {
            continue;
        }
        let mut range = mapping.start..mapping.end;
        if in_arena {
            let used = memory.word(contract::ARENA_BASE + contract::ARENA_USED);
            range.end = range.start + used.unwrap_or(0).min(mapping.end - mapping.start);
        } else if (mapping.start..mapping.end).contains(&registers.sp) {
            range.start = registers.sp.saturating_sub(RED_ZONE).max(mapping.start);
        }
        let bytes = memory.bytes(range.start, (range.end - range.start) as usize);
        let bytes = bytes.ok_or_else(|| gone(node))?;
        hash.update(&range.start.to_le_bytes());
        hash.update(&(bytes.len() as u64).to_le_bytes());
        hash.update(&bytes);
    }
    Ok(hash.digest128())
}
