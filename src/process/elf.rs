//! A program as an ELF file: may it be a node, and where are its symbols. It never reads a running
//! process; load bias is added by [`super::node`].

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use goblin::elf::header::{EI_CLASS, EI_DATA, ELFCLASS64, ELFDATA2LSB, EM_X86_64, ET_DYN, ET_EXEC};
use goblin::elf::program_header::PF_W;
use goblin::elf::sym::{STT_FUNC, STT_OBJECT};
use goblin::elf::{Elf, Sym};
use xxhash_rust::xxh3::xxh3_128;

use super::debug::DebugInfo;
use crate::error::Error;

/// A program that can be a node.
#[derive(Clone, Debug)]
pub struct Program {
    /// Where it is.
    pub path: PathBuf,
    /// XXH3-128 of its bytes.
    pub hash: u128,
    /// Its entry point as linked; the load bias is where it runs minus this.
    pub entry: u64,
    /// What follows from its symbol tables.
    symbols: HashMap<String, Found>,
    stripped: bool,
    debug: OnceLock<DebugInfo>,
}

/// An object of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Its address as linked.
    pub address: u64,
    /// Its size in bytes.
    pub size: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Object(Symbol),
    Constant,
    Code,
    Several,
}

impl Program {
    /// Read the program at `path`; `said` is how the model file names it.
    pub fn open(path: &Path, said: &str) -> Result<Self, Error> {
        let refuse = |text: String| Error::Program(format!("program \"{said}\": {text}"));
        let metadata = fs::metadata(path).map_err(|error| {
            refuse(format!(
                "{error} ({}); build it first, or correct `program`, which is relative to the model file",
                path.display()
            ))
        })?;
        if !metadata.is_file() {
            return Err(refuse(format!("{} is not a file", path.display())));
        }
        let mode = metadata.permissions().mode();
        if mode & 0o111 == 0 {
            return Err(refuse(format!("not executable; chmod +x {}", path.display())));
        }
        if mode & 0o6000 != 0 {
            return Err(refuse(
                "it is set-uid or set-gid, so the loader ignores cmc-preload.so; check a copy \
                 without these bits"
                    .into(),
            ));
        }
        let bytes = fs::read(path).map_err(|error| refuse(error.to_string()))?;
        if bytes.starts_with(b"#!") {
            return Err(refuse("it is a script; name the binary that it runs".into()));
        }
        if !bytes.starts_with(b"\x7fELF") {
            return Err(refuse("not an ELF file; name a program as the linker wrote it".into()));
        }
        let broken = |error| refuse(format!("broken ELF file: {error}; build the program again"));
        // What another machine's file holds behind its header need not make sense here.
        let header = Elf::parse_header(&bytes).map_err(broken)?;
        let identity = &header.e_ident;
        let native = identity[EI_CLASS] == ELFCLASS64 && identity[EI_DATA] == ELFDATA2LSB;
        if !native || header.e_machine != EM_X86_64 {
            let machine = goblin::elf::header::machine_to_str(header.e_machine);
            let bits = if identity[EI_CLASS] == ELFCLASS64 { 64 } else { 32 };
            let order = if identity[EI_DATA] == ELFDATA2LSB { "little" } else { "big" };
            return Err(refuse(format!(
                "built for {machine}, {bits} bits, {order}-endian; nodes are x86-64 programs, rebuild \
                 it for x86-64"
            )));
        }
        let elf = Elf::parse(&bytes).map_err(broken)?;
        if !matches!(elf.header.e_type, ET_EXEC | ET_DYN) {
            return Err(refuse("an object file or a core; link it into a program".into()));
        }
        let Some(loader) = elf.interpreter else {
            return Err(refuse(
                "statically linked, or a shared library: the loader would not load \
                 cmc-preload.so; link it dynamically (without -static, -static-pie)"
                    .into(),
            ));
        };
        if let Err(error) = fs::metadata(loader) {
            return Err(refuse(format!(
                "its loader {loader}: {error}; install the C library that it was linked for, or link \
                 it again on this host"
            )));
        }
        let symbols = symbols(&elf);
        Ok(Program {
            path: path.to_owned(),
            hash: xxh3_128(&bytes),
            entry: elf.entry,
            stripped: elf.syms.is_empty(),
            symbols,
            debug: OnceLock::new(),
        })
    }

    /// What its debug information says.
    pub fn debug(&self) -> &DebugInfo {
        self.debug.get_or_init(|| DebugInfo::open(&self.path))
    }

    /// The writable object `name`.
    pub fn object(&self, name: &str) -> Result<Symbol, String> {
        match self.symbols.get(name) {
            Some(Found::Object(symbol)) if symbol.size == 0 => {
                Err(format!("symbol \"{name}\" has no size in the symbol table"))
            }
            Some(Found::Object(symbol)) => Ok(*symbol),
            Some(Found::Constant) => {
                Err(format!("symbol \"{name}\" is constant, so it is no state"))
            }
            Some(Found::Code) => Err(format!("symbol \"{name}\" is a function, not an object")),
            Some(Found::Several) => Err(format!(
                "several objects are called \"{name}\"; give the one that you mean its own name"
            )),
            None if self.stripped => Err(format!(
                "symbol \"{name}\" not found: the program is stripped; build it without -s, or use \
                 state = \"report\""
            )),
            None => Err(format!("symbol \"{name}\" not found{}", self.nearest(name))),
        }
    }

    /// The object at a linked address, as `NAME` or `NAME+OFFSET`.
    pub fn object_at(&self, address: u64) -> Option<String> {
        let holds =
            |symbol: &Symbol| (symbol.address..symbol.address + symbol.size).contains(&address);
        let objects = self.symbols.iter().filter_map(|(name, found)| match found {
            Found::Object(symbol) if holds(symbol) => Some((address - symbol.address, name)),
            _ => None,
        });
        objects.min().map(|(offset, name)| match offset {
            0 => format!("\"{name}\""),
            offset => format!("\"{name}\"+{offset}"),
        })
    }

    fn nearest(&self, name: &str) -> String {
        let lower = name.to_lowercase();
        let close = |candidate: &&String| {
            let other = candidate.to_lowercase();
            other.contains(&lower) || lower.contains(&other) && other.len() > 2
        };
        let objects = self.symbols.iter().filter(|(_, found)| matches!(found, Found::Object(_)));
        match objects.map(|(name, _)| name).filter(close).min() {
            Some(near) => format!("; there is \"{near}\""),
            None => "; it must be a global or static variable of the program".into(),
        }
    }
}

fn symbols(elf: &Elf<'_>) -> HashMap<String, Found> {
    let mut symbols = HashMap::new();
    let tables = [(&elf.syms, &elf.strtab), (&elf.dynsyms, &elf.dynstrtab)];
    for (table, names) in tables {
        for symbol in table.iter().filter(|symbol| symbol.st_shndx != 0) {
            let Some(name) = names.get_at(symbol.st_name) else { continue };
            let Some(found) = classify(elf, &symbol) else { continue };
            symbols
                .entry(name.to_owned())
                .and_modify(|known| {
                    if *known != found {
                        *known = Found::Several;
                    }
                })
                .or_insert(found);
        }
    }
    symbols
}

fn classify(elf: &Elf<'_>, symbol: &Sym) -> Option<Found> {
    match symbol.st_type() {
        STT_FUNC => Some(Found::Code),
        STT_OBJECT => {
            let range = symbol.st_value..symbol.st_value.saturating_add(symbol.st_size.max(1));
            let writable = elf.program_headers.iter().any(|header| {
                header.p_type == goblin::elf::program_header::PT_LOAD
                    && header.p_flags & PF_W != 0
                    && header.p_vaddr <= range.start
                    && range.end <= header.p_vaddr.saturating_add(header.p_memsz)
            });
            let symbol = Symbol { address: symbol.st_value, size: symbol.st_size };
            Some(if writable { Found::Object(symbol) } else { Found::Constant })
        }
        _ => None,
    }
}
