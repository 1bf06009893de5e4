//! The chain of return addresses of a node that waits: which calls of the program are under way. It
//! is part of the node's identity, since equal contents may wait at different places in the code.
//! Unwinding is by `.eh_frame`, of libc's frames too.

use std::fs;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use framehop::x86_64::{CacheX86_64, UnwindRegsX86_64, UnwinderX86_64};
use framehop::{ExplicitModuleSectionInfo, FrameAddress, Module, Unwinder};
use goblin::elf::Elf;
use goblin::elf::program_header::PT_LOAD;

use super::memory::{Mapping, Memory};
use super::registers::Registers;

/// Frames that are looked at; what lies above is not part of the identity, and the chain says so.
const DEEPEST: usize = 512;
/// Stands at the end of a chain that could not be followed to its start.
const CUT: u64 = u64::MAX;

/// Finds the callers in the processes of one program, which are all mapped alike.
#[derive(Default)]
pub struct Callers {
    tables: Mutex<Option<Tables>>,
}

struct Tables {
    unwinder: UnwinderX86_64<Vec<u8>>,
    cache: CacheX86_64,
}

impl std::fmt::Debug for Callers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Callers")
    }
}

impl Callers {
    /// The return addresses of the calls under way, innermost first.
    pub fn of(&self, memory: Memory, registers: &Registers) -> Vec<u64> {
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        let tables = tables.get_or_insert_with(|| Tables::of(memory));
        let mut read = |address| memory.word(address).ok_or(());
        let start = UnwindRegsX86_64::new(registers.ip(), registers.sp(), registers.bp());
        let mut frames =
            tables.unwinder.iter_frames(registers.ip(), start, &mut tables.cache, &mut read);
        let mut chain = Vec::new();
        loop {
            match frames.next() {
                Ok(Some(FrameAddress::ReturnAddress(address))) if chain.len() < DEEPEST => {
                    chain.push(address.get());
                }
                Ok(Some(FrameAddress::InstructionPointer(_))) => {}
                Ok(None) => return chain,
                Ok(Some(_)) | Err(_) => {
                    chain.push(CUT);
                    return chain;
                }
            }
        }
    }
}

impl Tables {
    fn of(memory: Memory) -> Self {
        let mut unwinder = UnwinderX86_64::new();
        let mappings = memory.mappings().unwrap_or_default();
        let mut names: Vec<&str> = mappings.iter().map(|mapping| &*mapping.name).collect();
        names.dedup();
        for name in names.into_iter().filter(|name| name.starts_with('/')) {
            if let Some(module) = module(name, &mappings) {
                unwinder.add_module(module);
            }
        }
        Tables { unwinder, cache: CacheX86_64::new() }
    }
}

/// The unwind tables of the file `name`, and where it is mapped.
fn module(name: &str, mappings: &[Mapping]) -> Option<Module<Vec<u8>>> {
    let bytes = fs::read(name).ok()?;
    let elf = Elf::parse(&bytes).ok()?;
    let first = elf.program_headers.iter().find(|header| header.p_type == PT_LOAD)?;
    let mut of_file = mappings.iter().filter(|mapping| mapping.name == name);
    let start = of_file.next()?.start;
    let end = of_file.next_back().map_or(start, |mapping| mapping.end);
    let section = |wanted: &str| -> Option<(Range<u64>, Vec<u8>)> {
        let header = elf
            .section_headers
            .iter()
            .find(|header| elf.shdr_strtab.get_at(header.sh_name) == Some(wanted))?;
        let data = bytes.get(header.file_range()?)?.to_vec();
        Some((header.sh_addr..header.sh_addr + header.sh_size, data))
    };
    let (text_svma, text) = section(".text").unzip();
    let (eh_frame_svma, eh_frame) = section(".eh_frame").unzip();
    let (eh_frame_hdr_svma, eh_frame_hdr) = section(".eh_frame_hdr").unzip();
    let (got_svma, _) = section(".got").unzip();
    let sections = ExplicitModuleSectionInfo {
        base_svma: 0,
        text_svma,
        text,
        eh_frame_svma,
        eh_frame,
        eh_frame_hdr_svma,
        eh_frame_hdr,
        got_svma,
        ..Default::default()
    };
    let bias = start.wrapping_sub(first.p_vaddr & !0xfff);
    Some(Module::new(name.to_owned(), start..end, bias, sections))
}
