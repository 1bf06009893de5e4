//! What words of the stack and registers are called: variables where debug information says where they
//! are, else by the function whose frame it is.

use std::collections::HashMap;
use std::ops::Range;

use super::names::{NameId, Named, Names, Whole};
use crate::process::binaries::Binaries;
use crate::process::ignore::{Waiting, each_pointer, seats_of};
use crate::process::registers::General;
use crate::process::seats::SeatPlace;
use crate::process::typed::{TypeId, Types};

/// Bytes of a word.
const WORD: u64 = 8;

/// Names of functions, by return address.
#[derive(Debug, Default)]
pub struct Functions(HashMap<u64, NameId>);

/// The variables of a node that waits.
#[derive(Debug, Default)]
pub struct Locals {
    /// All of them.
    pub list: Vec<Whole>,
    /// Bytes of memory, the variable that has them, and the first of its bytes there; what is smaller
    /// comes first.
    memory: Vec<(Range<u64>, usize, u64)>,
    /// The same of variables that are out of scope.
    out_of_scope: Vec<(Range<u64>, usize, u64)>,
    /// The same of registers.
    registers: Vec<(General, usize, u64)>,
}

/// A pointer in a variable.
#[derive(Clone, Copy, Debug)]
pub struct LocalPointer {
    /// The variable.
    pub local: usize,
    /// Bytes from its start.
    pub offset: u64,
    /// What it holds.
    pub word: u64,
    /// What it points at.
    pub of: TypeId,
}

impl Locals {
    /// The variables of `node`, and the pointers in them.
    pub fn of(
        names: &mut Names,
        node: Waiting<'_>,
        binaries: &Binaries,
        types: &Types,
    ) -> (Locals, Vec<LocalPointer>) {
        let (mut locals, mut pointers) = (Locals::default(), Vec::new());
        binaries.each_frame(node.stack, |frame, variables| {
            let standing = node.standing(frame, binaries);
            for local in &variables.locals {
                let (size, seats) = seats_of(&standing, local);
                let number = locals.list.len();
                let name = names.number(&format!("{}:{}", local.function, local.name));
                locals.list.push(Whole { name, of: local.of.clone(), size });
                // One that is moved about has no place where it is out of scope.
                if !local.in_scope && !local.fixed {
                    continue;
                }
                for seat in seats {
                    match seat.place {
                        SeatPlace::Memory(start) => {
                            let bytes = start..start.wrapping_add(seat.size);
                            let list = match local.in_scope {
                                true => &mut locals.memory,
                                false => &mut locals.out_of_scope,
                            };
                            list.push((bytes, number, seat.from));
                        }
                        SeatPlace::Register(register) if local.in_scope => {
                            locals.registers.push((register, number, seat.from));
                        }
                        SeatPlace::Register(_) => {}
                    }
                }
                if !local.in_scope {
                    continue;
                }
                each_pointer(&standing, local, types, |offset, word, of| {
                    pointers.push(LocalPointer { local: number, offset, word, of });
                });
            }
        });
        locals
            .memory
            .sort_by_key(|(bytes, number, _)| (bytes.end.wrapping_sub(bytes.start), *number));
        (locals, pointers)
    }

    /// What the byte at `address` is called, if a variable has it. Several that are out of scope may
    /// have had it one after the other.
    fn at(&self, names: &mut Names, address: u64) -> Option<Named> {
        let of = |(bytes, number, from): &(Range<u64>, usize, u64)| {
            (&self.list[*number], from + (address - bytes.start))
        };
        if let Some(found) = self.memory.iter().find(|(bytes, ..)| bytes.contains(&address)) {
            let (local, offset) = of(found);
            return Some(names.part(local, offset));
        }
        let owners = self.out_of_scope.iter().filter(|(bytes, ..)| bytes.contains(&address));
        let mut owners: Vec<(&Whole, u64)> = owners.map(of).collect();
        owners.sort_by_key(|(local, _)| local.name);
        owners.dedup_by_key(|(local, _)| local.name);
        match owners[..] {
            [] => None,
            [(local, offset)] => Some(names.part(local, offset)),
            _ => {
                let all = owners.iter().map(|(local, _)| names.get(local.name));
                let mut all: Vec<&str> = all.collect();
                all.sort_unstable();
                let name = all.join(" or ");
                Some((names.number(&name), 1))
            }
        }
    }

    /// The variable that is in `register`, and which of its bytes is the lowest one there.
    fn within(&self, register: General) -> Option<(&Whole, u64)> {
        let found = self.registers.iter().find(|(known, ..)| *known == register);
        found.map(|(_, number, from)| (&self.list[*number], *from))
    }

    /// What byte `byte` of `register` is called.
    pub fn in_register(&self, names: &mut Names, register: General, byte: u64) -> Named {
        match self.within(register) {
            Some((local, from)) if from + byte < local.size => names.part(local, from + byte),
            _ => {
                let name = format!("register {}", format!("{register:?}").to_lowercase());
                (names.number(&name), WORD - byte)
            }
        }
    }

    /// What the byte of the stack of `node` at `address` is called.
    pub fn on_stack(
        &self,
        names: &mut Names,
        functions: &mut Functions,
        node: Waiting<'_>,
        binaries: &Binaries,
        address: u64,
    ) -> Named {
        let end_of_word = WORD - address % WORD;
        let Some(frame) = node.stack.frames.iter().find(|frame| address < frame.cfa) else {
            let name = match node.stack.complete {
                true => "arguments and environment",
                false => "stack of unknown functions",
            };
            return (names.number(name), end_of_word);
        };
        if let Some((name, length)) = self.at(names, address) {
            return (name, length.min(end_of_word));
        }
        let starts = self.memory.iter().chain(&self.out_of_scope).map(|(bytes, ..)| bytes.start);
        let next = starts.filter(|start| *start > address).min().unwrap_or(u64::MAX);
        let length = end_of_word.min(next - address);
        (functions.name(names, binaries, frame.return_address), length)
    }
}

impl Functions {
    /// What the frame is called of the function that goes on at `return_address`.
    fn name(&mut self, names: &mut Names, binaries: &Binaries, return_address: u64) -> NameId {
        *self.0.entry(return_address).or_insert_with(|| {
            // A call may be the last instruction.
            let call = return_address.wrapping_sub(1);
            let Some(binary) = binaries.at(call) else { return names.number("stack") };
            let function = binary.debug().function_at(binary.linked(call));
            names.number(&match function {
                Some(function) => format!("stack of {function}"),
                None => format!("stack of {}+{:#x}", binary.name(), binary.linked(return_address)),
            })
        })
    }
}
