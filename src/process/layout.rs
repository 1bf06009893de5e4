//! What is mapped where in a node, and which files its code comes from. Asking the kernel takes longer
//! than a step, so the answer is kept until the node changes a mapping, which no node can do unseen.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::OnceLock;

use xxhash_rust::xxh3::Xxh3;

use super::call_log;
use super::memory::{Mapping, Memory};

/// The mappings of a node, by ascending address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// All of them but the kernel's own, which no node is told of and which it puts anywhere, and
    /// the log, which is no part of a node's state.
    pub mappings: Vec<Mapping>,
    /// The files of which code is mapped.
    pub modules: Vec<Module>,
    digest: OnceLock<u128>,
    access: OnceLock<u128>,
}

/// A file that is mapped as the loader does it: at linked addresses plus a bias.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// The file.
    pub path: PathBuf,
    /// From its first to its last mapped byte.
    pub range: Range<u64>,
}

/// What a mapping is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Data of the program, of a library or of the loader.
    File,
    /// Memory without a name: what the loader keeps for threads, and what the program has mapped.
    Anonymous,
    /// The program break.
    Break,
    /// The heap of the preload.
    Arena,
    /// The stack.
    Stack,
}

impl Layout {
    /// What is mapped so, and the code among it.
    pub fn new(mappings: Vec<Mapping>, modules: Vec<Module>) -> Self {
        Layout { mappings, modules, digest: OnceLock::new(), access: OnceLock::new() }
    }

    /// The layout of the process behind `memory`; `None` when it is gone.
    pub fn of(memory: Memory) -> Option<Self> {
        let mut mappings = memory.written()?;
        mappings.retain(|mapping| !mapping.name.starts_with("[v") && !mapping.is_log());
        let mut modules: Vec<Module> = Vec::new();
        for mapping in mappings.iter().filter(|mapping| mapping.name.starts_with('/')) {
            match modules.last_mut() {
                Some(last) if last.path.as_os_str() == mapping.name.as_str() => {
                    last.range.end = mapping.end;
                }
                _ => modules.push(Module {
                    path: mapping.name.clone().into(),
                    range: mapping.start..mapping.end,
                }),
            }
        }
        Some(Layout::new(mappings, modules))
    }

    /// A digest of what is mapped where, and how, the growth of the stack apart.
    pub fn digest(&self) -> u128 {
        *self.digest.get_or_init(|| {
            let mut hash = Xxh3::new();
            for mapping in &self.mappings {
                let start = if mapping.role() == Role::Stack { 0 } else { mapping.start };
                hash.update(&start.to_le_bytes());
                hash.update(&mapping.end.to_le_bytes());
                hash.update(&mapping.rights);
                hash.update(&[u8::from(mapping.written)]);
                hash.update(&(mapping.name.len() as u64).to_le_bytes());
                hash.update(mapping.name.as_bytes());
            }
            hash.digest128()
        })
    }

    /// A digest of where something is mapped and with which rights, the growth of the stack apart.
    pub fn access(&self) -> u128 {
        *self.access.get_or_init(|| {
            let mut hash = Xxh3::new();
            for mapping in &self.mappings {
                let start = if mapping.role() == Role::Stack { 0 } else { mapping.start };
                hash.update(&start.to_le_bytes());
                hash.update(&mapping.end.to_le_bytes());
                hash.update(&mapping.rights);
            }
            hash.digest128()
        })
    }

    /// Whether something that may be written belongs to other processes too.
    pub fn is_shared(&self) -> bool {
        self.mappings.iter().any(|mapping| mapping.rights[3] == b's')
    }

    /// What the mapping at `address` is for, by the layout as it was read.
    pub fn role_at(&self, address: u64) -> Option<Role> {
        let place = self.mappings.partition_point(|mapping| mapping.end <= address);
        let mapping = self.mappings.get(place).filter(|mapping| mapping.start <= address)?;
        Some(mapping.role())
    }

    /// Where the stack is mapped.
    pub fn stack(&self) -> Option<&Mapping> {
        self.mappings.iter().find(|mapping| mapping.role() == Role::Stack)
    }

    /// The module that `address` lies in.
    pub fn module_at(&self, address: u64) -> Option<(usize, &Module)> {
        let place = self.modules.partition_point(|module| module.range.end <= address);
        let module = self.modules.get(place).filter(|module| module.range.contains(&address))?;
        Some((place, module))
    }
}

impl Mapping {
    /// Whether it is what the process shares with the checker.
    pub fn is_log(&self) -> bool {
        call_log::overlaps(self.start, self.end)
    }

    /// What it is for.
    pub fn role(&self) -> Role {
        use super::contract::{ARENA_BASE, ARENA_SIZE};
        match self.name.as_str() {
            "[stack]" => Role::Stack,
            "[heap]" => Role::Break,
            name if name.starts_with('/') => Role::File,
            _ if ARENA_BASE <= self.start && self.end <= ARENA_BASE + ARENA_SIZE => Role::Arena,
            _ => Role::Anonymous,
        }
    }
}
