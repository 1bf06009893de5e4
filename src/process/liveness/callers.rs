//! The chain of return addresses of a node that waits: which calls of the program are under way. It
//! is part of the node's identity, since equal contents may wait at different places in the code.

use std::fs;
use std::sync::OnceLock;

use goblin::elf::Elf;
use goblin::elf::program_header::PT_LOAD;

use super::super::debug::{DebugInfo, Extent};
use super::super::memory::{Mapping, Memory};
use super::super::registers::Registers;
use super::super::snapshot::Snapshot;
use super::code::{Code, FindObjects};
use super::slots::Object;
use super::walk::{Module, Stack, Start, Walker};

/// Finds the callers in the processes of one program, which are all mapped alike.
#[derive(Debug, Default)]
pub struct Callers {
    walker: OnceLock<Walker>,
}

impl Callers {
    /// The return addresses of the calls under way, innermost first, as [`Walker::callers`] has them.
    pub fn of(&self, memory: Memory, registers: &Registers) -> Vec<u64> {
        let start = Start { ip: registers.ip(), sp: registers.sp(), bp: registers.bp() };
        self.walker(memory).callers(start, |address, buffer| memory.read(address, buffer))
    }

    /// The same of the node that `snapshot` is of.
    pub fn of_snapshot(&self, memory: Memory, snapshot: &Snapshot) -> Vec<u64> {
        let registers = &snapshot.registers;
        let start = Start { ip: registers.ip(), sp: registers.sp(), bp: registers.bp() };
        self.walker(memory).callers(start, |address, buffer| {
            match snapshot.bytes(address, buffer.len()) {
                Some(bytes) => buffer.copy_from_slice(bytes),
                // What was read ends there: less is asked for then.
                None if snapshot.word(address).is_some() => return false,
                None => return memory.read(address, buffer),
            }
            true
        })
    }

    /// The stack of the node that `snapshot` is of, and what of it is dead.
    pub fn stack(&self, memory: Memory, snapshot: &Snapshot) -> Stack {
        let registers = &snapshot.registers;
        let start = Start { ip: registers.ip(), sp: registers.sp(), bp: registers.bp() };
        self.walker(memory).stack(start, |address, buffer| {
            let bytes = snapshot.bytes(address, buffer.len());
            bytes.map(|bytes| buffer.copy_from_slice(bytes)).is_some()
        })
    }

    /// Walks the stacks of the program that `memory` is of.
    pub fn walker(&self, memory: Memory) -> &Walker {
        self.walker.get_or_init(|| {
            let mappings = memory.mappings().unwrap_or_default();
            Walker::new(modules(&mappings))
        })
    }
}

/// The files among `mappings`, each with its code.
pub fn modules(mappings: &[Mapping]) -> Vec<Module> {
    let mut names: Vec<&str> = mappings.iter().map(|mapping| &*mapping.name).collect();
    names.dedup();
    names.retain(|name| name.starts_with('/'));
    names.into_iter().filter_map(|name| module(name, mappings)).collect()
}

/// The file `name`, and where it is mapped.
fn module(name: &str, mappings: &[Mapping]) -> Option<Module> {
    // A device has no end.
    if !fs::metadata(name).ok()?.is_file() {
        return None;
    }
    let bytes = fs::read(name).ok()?;
    let elf = Elf::parse(&bytes).ok()?;
    let first = elf.program_headers.iter().find(|header| header.p_type == PT_LOAD)?;
    let linked = first.p_vaddr & !0xfff;
    let mut of_file = mappings.iter().filter(|mapping| mapping.name == name);
    let start = of_file.next()?.start;
    let end = of_file.next_back()?.end;
    let code = Code::shared(bytes, described);
    Some(Module { range: start..end, bias: start.wrapping_sub(linked), code })
}

/// The objects of frames, where debug information tells them: those that are in one place all along,
/// as whatever can be pointed at is.
fn described(bytes: &[u8]) -> Option<Box<FindObjects>> {
    let info = DebugInfo::of(bytes.to_vec());
    info.has_types().then(|| -> Box<FindObjects> {
        Box::new(move |code| {
            let fixed = info.extents(code.start)?.into_iter().filter(|extent| extent.fixed);
            let object = |extent: Extent| Object {
                bytes: extent.bytes,
                reach: extent.slot,
                scalar: extent.scalar,
            };
            Some(fixed.map(object).collect())
        })
    })
}
