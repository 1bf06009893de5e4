//! What data outside of the heap and the stack is called: variables of the program as C has them,
//! objects of libraries by their symbol, everything else by its distance from something that has a
//! name.

use std::collections::HashMap;
use std::sync::Arc;

use super::names::{Named, Names, Whole};
use crate::process::binaries::{Binaries, Binary};
use crate::process::debug::{DebugInfo, Static};
use crate::process::layout::{Layout, Role};
use crate::process::registers::{General, Registers};

/// Bytes of a word.
const WORD: u64 = 8;
/// Half of them.
const HALF: u64 = 4;

/// Names of data, which is in one place in all processes of a program.
#[derive(Debug)]
pub struct Data {
    binaries: Arc<Binaries>,
    known: HashMap<u64, Named>,
}

impl Data {
    /// For the program that runs from `binaries`.
    pub fn new(binaries: &Arc<Binaries>) -> Self {
        Data { binaries: Arc::clone(binaries), known: HashMap::new() }
    }

    /// What the byte at `address` is called, in a node mapped so and with these registers.
    pub fn name(
        &mut self,
        names: &mut Names,
        layout: &Layout,
        registers: &Registers,
        address: u64,
    ) -> Named {
        if let Some(&known) = self.known.get(&address) {
            return known;
        }
        let binaries = Arc::clone(&self.binaries);
        let named = match holder(&binaries, layout, address) {
            Some(binary) => in_file(names, binary, self.is_program(binary), address),
            None => (names.number(&mapped(layout, registers, address)), WORD - address % WORD),
        };
        self.known.insert(address, named);
        named
    }

    fn is_program(&self, binary: &Binary) -> bool {
        self.binaries.program().is_some_and(|program| std::ptr::eq(program, binary))
    }
}

/// The file whose data `address` is in. What has no initial value lies right behind the file.
fn holder<'b>(binaries: &'b Binaries, layout: &Layout, address: u64) -> Option<&'b Binary> {
    if let Some(binary) = binaries.at(address) {
        return Some(binary);
    }
    let place = layout.mappings.partition_point(|mapping| mapping.end <= address);
    let mapping = layout.mappings.get(place).filter(|mapping| mapping.start <= address)?;
    (mapping.role() == Role::Anonymous).then(|| binaries.at(mapping.start - 1))?
}

fn in_file(names: &mut Names, binary: &Binary, is_program: bool, address: u64) -> Named {
    let (debug, linked) = (binary.debug(), binary.linked(address));
    let Some((variable, offset)) = debug.global_at(linked) else {
        let name = format!("{}+{:#x}", binary.name(), linked - linked % WORD);
        // Something with a name may begin in the middle of a word.
        return (names.number(&name), HALF - linked % HALF);
    };
    if !is_program {
        let name = format!("{}:{}", binary.name(), variable.name);
        return (names.number(&name), variable.size.saturating_sub(offset).max(1));
    }
    let name = names.number(&qualified(debug, &variable));
    names.part(&Whole { name, of: variable.of, size: variable.size }, offset)
}

/// The name by which `variable` is found.
fn qualified(debug: &DebugInfo, variable: &Static) -> String {
    let Static { name, function, file, .. } = variable;
    if debug.global(name).is_ok() {
        return name.clone();
    }
    let file = file.as_deref().and_then(|file| file.rsplit('/').next());
    match (function.as_deref(), file) {
        (Some(of), _) | (None, Some(of)) => format!("{of}:{name}"),
        (None, None) => name.clone(),
    }
}

/// What memory without a file is called. Thread-local variables are below the address that the thread
/// is found by.
fn mapped(layout: &Layout, registers: &Registers, address: u64) -> String {
    let address = address - address % WORD;
    let place = layout.mappings.partition_point(|mapping| mapping.end <= address);
    let mapping = layout.mappings.get(place).filter(|mapping| mapping.start <= address);
    let thread = registers.get(General::FsBase);
    match mapping {
        Some(mapping) if (mapping.start..mapping.end).contains(&thread) => {
            match address.checked_sub(thread) {
                Some(above) => format!("thread+{above:#x}"),
                None => format!("thread-{:#x}", thread - address),
            }
        }
        Some(mapping) if mapping.role() == Role::Break => {
            format!("break+{:#x}", address - mapping.start)
        }
        _ => format!("mapped memory at {address:#x}"),
    }
}
