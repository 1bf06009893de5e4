//! The files that a program runs from, as they are mapped in its processes, which are all mapped
//! alike: what debug information says of linked addresses is found by the addresses of processes.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use super::debug::{Dead, DebugInfo, Local};
use super::layout::{Layout, Module};
use super::liveness::{Frame, Stack};

/// The files.
#[derive(Debug)]
pub struct Binaries {
    /// By ascending address.
    list: Vec<Binary>,
    /// Which one is the program.
    program: Option<usize>,
}

/// A file.
#[derive(Debug)]
pub struct Binary {
    path: PathBuf,
    /// From its first to its last mapped byte.
    pub range: Range<u64>,
    debug: OnceLock<DebugInfo>,
    /// By return address.
    frames: RwLock<HashMap<u64, Arc<Variables>>>,
}

/// The variables of a function that waits.
#[derive(Debug)]
pub struct Variables {
    /// All of them, those of inlined functions too.
    pub locals: Vec<Local>,
    /// What of the frame belongs to variables out of scope alone.
    pub dead: Vec<Dead>,
}

impl Binaries {
    /// The files that are mapped as `layout` says; that at `path` is the program, whose debug
    /// information is known.
    pub fn new(layout: &Layout, path: &Path, debug: &DebugInfo) -> Self {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let program = layout.modules.iter().position(|module| module.path == path);
        let binary = |(number, module): (usize, &Module)| Binary {
            path: module.path.clone(),
            range: module.range.clone(),
            debug: if Some(number) == program { debug.clone().into() } else { OnceLock::new() },
            frames: RwLock::default(),
        };
        Binaries { list: layout.modules.iter().enumerate().map(binary).collect(), program }
    }

    /// The program.
    pub fn program(&self) -> Option<&Binary> {
        Some(&self.list[self.program?])
    }

    /// Call `each` with every frame of the program on `stack` and its variables, innermost first.
    pub fn each_frame<'s>(&self, stack: &'s Stack, mut each: impl FnMut(&'s Frame, &Variables)) {
        let Some(program) = self.program() else { return };
        for frame in &stack.frames {
            // A call may be the last instruction.
            if program.range.contains(&frame.return_address.wrapping_sub(1)) {
                each(frame, &program.variables(frame.return_address));
            }
        }
    }

    /// The file that is mapped at `address`.
    pub fn at(&self, address: u64) -> Option<&Binary> {
        self.list.iter().find(|binary| binary.range.contains(&address))
    }
}

impl Binary {
    /// Its name without a folder.
    pub fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// What its debug information says.
    pub fn debug(&self) -> &DebugInfo {
        self.debug.get_or_init(|| DebugInfo::open(&self.path))
    }

    /// Where it is mapped minus where it was linked.
    pub fn bias(&self) -> u64 {
        self.range.start.wrapping_sub(self.debug().start().unwrap_or(0))
    }

    /// The linked address of what is at `address`.
    pub fn linked(&self, address: u64) -> u64 {
        address.wrapping_sub(self.bias())
    }

    /// The variables of the function that goes on at `return_address`.
    pub fn variables(&self, return_address: u64) -> Arc<Variables> {
        let known = self.frames.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(variables) = known.get(&return_address) {
            return Arc::clone(variables);
        }
        drop(known);
        let linked = self.linked(return_address);
        let (locals, dead) = (self.debug().locals(linked), self.debug().dead_ranges(linked));
        let mut known = self.frames.write().unwrap_or_else(PoisonError::into_inner);
        let variables = || Arc::new(Variables { locals, dead });
        Arc::clone(known.entry(return_address).or_insert_with(variables))
    }
}
