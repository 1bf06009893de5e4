//! One ELF file as code: its bytes by linked address, its frame table, and which of its functions
//! and stubs are special.

use std::collections::HashSet;
use std::ops::Range;

use goblin::elf::Elf;
use goblin::elf::program_header::{PF_X, PT_LOAD};
use iced_x86::{FlowControl, Instruction, Mnemonic, OpKind, Register as Named};

use super::graph::decode;
use super::rows::Table;

/// Functions that return twice, the second time with a frame as it was left by what ran meanwhile.
const TWICE: [&str; 9] = [
    "setjmp",
    "_setjmp",
    "__setjmp",
    "sigsetjmp",
    "__sigsetjmp",
    "vfork",
    "__vfork",
    "getcontext",
    "savectx",
];

/// The longest instruction.
const LONGEST: usize = 15;

/// An ELF file.
#[derive(Debug)]
pub struct File {
    bytes: Vec<u8>,
    segments: Vec<Segment>,
    table: Table,
    /// Functions that return twice, and words that hold the address of such a one.
    twice: HashSet<u64>,
    twice_words: HashSet<u64>,
}

#[derive(Debug)]
struct Segment {
    linked: Range<u64>,
    offset: usize,
    code: bool,
}

impl File {
    /// The file with these bytes; `None` if it is none, or has no frame table.
    pub fn new(bytes: Vec<u8>) -> Option<Self> {
        let elf = Elf::parse(&bytes).ok()?;
        let mut segments = Vec::new();
        for header in elf.program_headers.iter().filter(|header| header.p_type == PT_LOAD) {
            let offset = usize::try_from(header.p_offset).ok()?;
            let length = usize::try_from(header.p_filesz).ok()?;
            bytes.get(offset..offset.checked_add(length)?)?;
            let end = header.p_vaddr.checked_add(header.p_filesz)?;
            let code = header.p_flags & PF_X != 0;
            segments.push(Segment { linked: header.p_vaddr..end, offset, code });
        }
        let frames = elf
            .section_headers
            .iter()
            .find(|header| elf.shdr_strtab.get_at(header.sh_name) == Some(".eh_frame"))?;
        let table = Table::new(bytes.get(frames.file_range()?)?.to_vec(), frames.sh_addr);
        let mut twice = HashSet::new();
        for (symbols, names) in [(&elf.syms, &elf.strtab), (&elf.dynsyms, &elf.dynstrtab)] {
            let named = |name| names.get_at(name).is_some_and(is_twice);
            let all = symbols.iter().filter(|symbol| symbol.st_shndx != 0);
            twice.extend(all.filter(|symbol| named(symbol.st_name)).map(|symbol| symbol.st_value));
        }
        let mut twice_words = HashSet::new();
        for relocation in elf.pltrelocs.iter().chain(elf.dynrelas.iter()) {
            let symbol = elf.dynsyms.get(relocation.r_sym);
            let name = symbol.and_then(|symbol| elf.dynstrtab.get_at(symbol.st_name));
            if name.is_some_and(is_twice) {
                twice_words.insert(relocation.r_offset);
            }
        }
        Some(File { bytes, segments, table, twice, twice_words })
    }

    /// Its frame table.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// What the file holds from a linked address to the end of the segment.
    pub fn bytes_at(&self, address: u64) -> Option<&[u8]> {
        self.segment(address, false)
    }

    /// The instruction at a linked address; an invalid one where no code is.
    pub fn instruction(&self, address: u64) -> Instruction {
        let code = self.segment(address, true).unwrap_or_default();
        decode(&code[..code.len().min(LONGEST)], address)
    }

    fn segment(&self, address: u64, code: bool) -> Option<&[u8]> {
        let holds = |segment: &&Segment| segment.linked.contains(&address) && segment.code >= code;
        let segment = self.segments.iter().find(holds)?;
        let skipped = (address - segment.linked.start) as usize;
        let length = (segment.linked.end - segment.linked.start) as usize;
        self.bytes.get(segment.offset + skipped..segment.offset + length)
    }

    /// The word through which the code at `address` does nothing but jump.
    fn stub(&self, address: u64) -> Option<u64> {
        let mut instruction = self.instruction(address);
        if instruction.mnemonic() == Mnemonic::Endbr64 {
            instruction = self.instruction(instruction.next_ip());
        }
        let jumps = instruction.flow_control() == FlowControl::IndirectBranch;
        (jumps && instruction.is_ip_rel_memory_operand())
            .then(|| instruction.ip_rel_memory_address())
    }

    /// Whether a call of `address` goes through a word that the loader has filled in.
    pub fn is_stub(&self, address: u64) -> bool {
        self.stub(address).is_some()
    }

    /// Whether the code at `address` goes on where a register says, by way of a return address that
    /// it overwrites.
    pub fn is_thunk(&self, address: u64) -> bool {
        let first = self.instruction(address);
        first.mnemonic() == Mnemonic::Call
            && first.flow_control() == FlowControl::Call
            && first.near_branch64().wrapping_sub(address) < 64
    }

    /// Whether the function at `address` may return twice.
    pub fn returns_twice(&self, address: u64) -> bool {
        self.twice.contains(&address)
            || self.stub(address).is_some_and(|word| self.twice_words.contains(&word))
            || self.keeps_stack(address)
    }

    /// Whether the function at `address` keeps its stack pointer beyond its frame, as one that returns
    /// twice must, whatever it is called.
    fn keeps_stack(&self, address: u64) -> bool {
        /// Instructions that are looked at; those who do so are short.
        const MOST: usize = 64;
        let mut holders = vec![Named::RSP];
        let mut at = address;
        for _ in 0..MOST {
            let instruction = self.instruction(at);
            let (to, from) = (instruction.op0_register(), instruction.op1_register());
            let into_memory = instruction.op0_kind() == OpKind::Memory;
            let base = instruction.memory_base();
            match instruction.mnemonic() {
                Mnemonic::Mov if into_memory => {
                    let kept = holders.contains(&from);
                    if kept && base != Named::RBP && !holders.contains(&base) {
                        return true;
                    }
                }
                Mnemonic::Mov if holders.contains(&from) => holders.push(to),
                Mnemonic::Lea if holders.contains(&base) => holders.push(to),
                _ => {}
            }
            if instruction.is_invalid() || instruction.flow_control() != FlowControl::Next {
                return false;
            }
            at = instruction.next_ip();
        }
        false
    }

    /// Whether the word at `address` holds the address of a function that may return twice.
    pub fn holds_twice(&self, address: u64) -> bool {
        self.twice_words.contains(&address)
    }
}

fn is_twice(name: &str) -> bool {
    TWICE.contains(&name)
}
