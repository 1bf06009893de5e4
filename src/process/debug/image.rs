//! One ELF file as far as names are concerned: its sections, inflated where they are compressed, its
//! symbols and its code. What cannot be read is not there.

use std::collections::HashMap;
use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

use gimli::LittleEndian;
use goblin::elf::Elf;
use goblin::elf::header::{ELFCLASS64, ELFDATA2LSB, EM_X86_64};
use goblin::elf::program_header::PT_LOAD;
use goblin::elf::section_header::{SHF_COMPRESSED, SHT_NOBITS};
use goblin::elf::sym::{STT_FUNC, STT_OBJECT};

use super::units::Bytes;

/// The sections that DWARF and call frame information are read from.
const READ: [&str; 14] = [
    ".debug_abbrev",
    ".debug_addr",
    ".debug_frame",
    ".debug_info",
    ".debug_line",
    ".debug_line_str",
    ".debug_loc",
    ".debug_loclists",
    ".debug_ranges",
    ".debug_rnglists",
    ".debug_str",
    ".debug_str_offsets",
    ".debug_types",
    ".eh_frame",
];

/// An entry of `.symtab` or `.dynsym` that has a place in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Symbol {
    pub address: u64,
    pub size: u64,
    pub name: String,
}

/// What is kept of the file.
pub(super) struct Image {
    file: Bytes,
    sections: HashMap<&'static str, (u64, Bytes)>,
    loads: Vec<(Range<u64>, u64)>,
    /// Objects by address.
    pub objects: Vec<Symbol>,
    /// Functions by address.
    pub functions: Vec<Symbol>,
}

impl Image {
    /// Read the bytes of an ELF file for x86-64; any others hold nothing.
    pub fn read(bytes: Vec<u8>) -> Self {
        let file = Bytes::new(Arc::from(bytes), LittleEndian);
        let mut image = Image {
            file: file.clone(),
            sections: HashMap::new(),
            loads: Vec::new(),
            objects: Vec::new(),
            functions: Vec::new(),
        };
        let header = Elf::parse_header(file.bytes());
        let native = header.is_ok_and(|header| {
            header.e_machine == EM_X86_64
                && header.e_ident[4] == ELFCLASS64
                && header.e_ident[5] == ELFDATA2LSB
        });
        if let (true, Ok(elf)) = (native, Elf::parse(file.bytes())) {
            image.take_loads(&elf);
            image.take_sections(&elf);
            image.take_symbols(&elf);
        }
        image
    }

    /// The linked address of the first page that is loaded.
    pub fn start(&self) -> Option<u64> {
        const PAGE: u64 = 4096;
        self.loads.iter().map(|(load, _)| load.start / PAGE * PAGE).min()
    }

    /// The linked address and the bytes of section `name`.
    pub fn section(&self, name: &str) -> Option<(u64, Bytes)> {
        self.sections.get(name).cloned()
    }

    /// The bytes that are loaded at linked addresses `range`, if the file holds all of them.
    pub fn code(&self, range: &Range<u64>) -> Option<&[u8]> {
        let (start, offset) = self.loads.iter().find_map(|(load, offset)| {
            (load.start <= range.start && range.end <= load.end).then_some((load.start, *offset))
        })?;
        let first = usize::try_from(offset.checked_add(range.start - start)?).ok()?;
        let length = usize::try_from(range.end.checked_sub(range.start)?).ok()?;
        self.file.bytes().get(first..first.checked_add(length)?)
    }

    /// The object whose symbol is at `address`.
    pub fn object_from(&self, address: u64) -> Option<&Symbol> {
        let first = self.objects.partition_point(|symbol| symbol.address < address);
        self.objects.get(first).filter(|symbol| symbol.address == address)
    }

    /// The object that holds `address`.
    pub fn object_at(&self, address: u64) -> Option<&Symbol> {
        holding(&self.objects, address)
    }

    /// The function that holds `address`.
    pub fn function_at(&self, address: u64) -> Option<&Symbol> {
        holding(&self.functions, address)
    }

    fn take_loads(&mut self, elf: &Elf<'_>) {
        let loads = elf.program_headers.iter().filter(|header| header.p_type == PT_LOAD);
        self.loads = loads
            .filter_map(|header| {
                let end = header.p_vaddr.checked_add(header.p_filesz)?;
                Some((header.p_vaddr..end, header.p_offset))
            })
            .collect();
    }

    /// Debug sections are taken all or none: a part of them would be a wrong answer.
    fn take_sections(&mut self, elf: &Elf<'_>) {
        let mut complete = true;
        for header in elf.section_headers.iter().filter(|header| header.sh_type != SHT_NOBITS) {
            let name = elf.shdr_strtab.get_at(header.sh_name).unwrap_or_default();
            // The older way of compressing, which has its own names.
            complete &= !name.starts_with(".zdebug_");
            let Some(known) = READ.iter().find(|known| **known == name) else { continue };
            let range = header.file_range().filter(|range| range.end <= self.file.bytes().len());
            let raw = range.map(|range| self.file.range(range));
            let bytes = match header.sh_flags & u64::from(SHF_COMPRESSED) {
                0 => raw,
                _ => raw.and_then(|raw| inflate(raw.bytes())),
            };
            match bytes {
                Some(bytes) => drop(self.sections.insert(known, (header.sh_addr, bytes))),
                None => complete = false,
            }
        }
        if !complete {
            self.sections.retain(|name, _| *name == ".eh_frame");
        }
    }

    fn take_symbols(&mut self, elf: &Elf<'_>) {
        for (table, names) in [(&elf.syms, &elf.strtab), (&elf.dynsyms, &elf.dynstrtab)] {
            for symbol in table.iter().filter(|symbol| symbol.st_shndx != 0 && symbol.st_size != 0)
            {
                let list = match symbol.st_type() {
                    STT_OBJECT => &mut self.objects,
                    STT_FUNC => &mut self.functions,
                    _ => continue,
                };
                let (address, size) = (symbol.st_value, symbol.st_size);
                if let Some(name) = names.get_at(symbol.st_name) {
                    list.push(Symbol { address, size, name: name.to_owned() });
                }
            }
        }
        for list in [&mut self.objects, &mut self.functions] {
            list.sort_by(|a, b| (a.address, a.size, &a.name).cmp(&(b.address, b.size, &b.name)));
            list.dedup();
        }
    }
}

fn holding(symbols: &[Symbol], address: u64) -> Option<&Symbol> {
    let end = symbols.partition_point(|symbol| symbol.address <= address);
    let last = symbols.get(end.checked_sub(1)?)?;
    // Of several names for one place, the first.
    let first = symbols[..end].partition_point(|symbol| symbol.address < last.address);
    symbols[first..end].iter().find(|symbol| address - symbol.address < symbol.size)
}

/// The content of a section that starts with an `Elf64_Chdr`, if it is compressed by zlib.
fn inflate(raw: &[u8]) -> Option<Bytes> {
    const HEADER: usize = 24;
    const ZLIB: u32 = 1;
    let kind = u32::from_le_bytes(raw.get(0..4)?.try_into().ok()?);
    let size = u64::from_le_bytes(raw.get(8..16)?.try_into().ok()?);
    if kind != ZLIB {
        return None;
    }
    let mut content = Vec::new();
    let inflated = flate2::read::ZlibDecoder::new(raw.get(HEADER..)?);
    // A header that promises too little or too much is a broken one.
    inflated.take(size.checked_add(1)?).read_to_end(&mut content).ok()?;
    (content.len() as u64 == size).then(|| Bytes::new(Arc::from(content), LittleEndian))
}
