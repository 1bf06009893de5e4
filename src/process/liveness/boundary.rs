//! What crosses the boundary of a function: registers and slots that matter to its caller, to what it
//! calls, and to code that is not looked at.

use iced_x86::{Instruction, Mnemonic};

use super::effect::cell_of_slot;
use super::graph::{Exit, Graph, Node};
use super::places::Frame;
use super::reads::{REGISTERS, Reads, Register, RegisterSet};
use super::rows::Row;
use super::seen::general;
use super::slots::{SLOT, Slot, Slots, slots_of};

/// A function, seen from outside.
pub struct Boundary<'a> {
    frame: &'a Frame,
    slots: &'a Slots,
    /// Preserved registers that the function overwrites without saving them.
    unsaved: RegisterSet,
    /// By cell, whether something writes it.
    filled: Vec<bool>,
    /// By cell, whether something reads it but to discard it.
    looked_at: Vec<bool>,
}

impl<'a> Boundary<'a> {
    /// The boundary of `graph`, which writes the registers `written`.
    pub fn new(graph: &Graph, frame: &'a Frame, slots: &'a Slots, written: RegisterSet) -> Self {
        let mut saved = RegisterSet::NONE;
        for row in graph.nodes.iter().filter_map(|node| node.row.as_ref()) {
            for (register, place) in Register::PRESERVED.into_iter().zip(row.saved) {
                if place.is_some() {
                    saved.insert(register);
                }
            }
        }
        let cells = REGISTERS + slots.count();
        let (mut filled, mut looked_at) = (vec![false; cells], vec![false; cells]);
        for (node, touches) in graph.nodes.iter().zip(&frame.touches) {
            for touch in touches {
                for slot in slots_of(touch) {
                    let Slot::Touched(number) = slots.at(slot) else { continue };
                    filled[cell_of_slot(number)] |= touch.written;
                    looked_at[cell_of_slot(number)] |= touch.read && !discards(&node.instruction);
                }
            }
        }
        let unsaved = written.and(RegisterSet::PRESERVED).without(saved);
        Boundary { frame, slots, unsaved, filled, looked_at }
    }

    /// How far above the canonical frame address the function may read its arguments.
    pub fn incoming(&self) -> i32 {
        if self.frame.escapes.iter().any(|escape| escape.offset >= 0) {
            return i32::MAX;
        }
        let touches = self.frame.touches.iter().flatten();
        touches.map(|touch| touch.offset + touch.size).max().unwrap_or(0).max(0)
    }

    /// The cells of a preserved register: itself, and where `row` says that the caller's value is.
    fn cells(&self, row: &Row, number: usize) -> (usize, Option<Vec<usize>>) {
        let place = row.saved[number].map(|offset| self.slot_cells(offset));
        (Register::PRESERVED[number].number(), place)
    }

    /// The cells of the word at `offset`, as far as they are followed.
    fn slot_cells(&self, offset: i32) -> Vec<usize> {
        let touched = |slot| match self.slots.at(slot) {
            Slot::Touched(number) => Some(cell_of_slot(number)),
            Slot::Untouched | Slot::Lost => None,
        };
        [offset, offset + SLOT].into_iter().filter_map(touched).collect()
    }

    /// The way out of the function.
    pub fn leave(&self, node: &Node, cells: &mut [Reads]) {
        match node.exit {
            None => {}
            Some(Exit::Return) => {
                for (number, cell) in cells.iter_mut().enumerate().take(REGISTERS) {
                    cell.add(Reads::caller(Register::numbered(number)));
                }
            }
            Some(Exit::Tail) if !self.frame.red_zone => {
                read(RegisterSet::ALL.without(RegisterSet::PRESERVED), cells);
                self.hand_back(node, cells);
            }
            Some(Exit::Convention) => {
                read(RegisterSet::ARGUMENTS, cells);
                self.hand_back(node, cells);
            }
            Some(Exit::Tail | Exit::Unknown) => self.lose(node, cells),
        }
    }

    /// The preserved registers of the caller, wherever they are in front of `node`.
    fn hand_back(&self, node: &Node, cells: &mut [Reads]) {
        let Some(row) = node.row.as_ref().filter(|row| row.cfa.is_some()) else {
            cells.fill(Reads::ALWAYS);
            return;
        };
        read(self.unsaved, cells);
        for (number, register) in Register::PRESERVED.into_iter().enumerate() {
            // A register that has been popped is still said to be saved.
            let (own, saved) = self.cells(row, number);
            for cell in saved.into_iter().flatten().chain([own]) {
                cells[cell].add(Reads::caller(register));
            }
        }
    }

    /// A way to code that is not looked at, which may be of this function: only what is the caller's
    /// is known not to matter otherwise.
    fn lose(&self, node: &Node, cells: &mut [Reads]) {
        let Some(row) = node.row.as_ref().filter(|row| row.cfa.is_some()) else {
            cells.fill(Reads::ALWAYS);
            return;
        };
        let mut kept: Vec<usize> = Vec::new();
        for (number, register) in Register::PRESERVED.into_iter().enumerate() {
            match self.cells(row, number) {
                (_, Some(saved)) => kept.extend(saved),
                (own, None) if !self.unsaved.contains(register) => kept.push(own),
                (_, None) => {}
            }
        }
        let values: Vec<Reads> = kept.iter().map(|&cell| cells[cell]).collect();
        cells.fill(Reads::ALWAYS);
        for (cell, value) in kept.into_iter().zip(values) {
            cells[cell] = value;
        }
        self.hand_back(node, cells);
    }

    /// A call at `node` that ends in an exception or a cancellation: the caller's registers are found
    /// by the frame table, and the function may go on at a landing pad, in front of which the cells
    /// are `pad`.
    pub fn abandon(&self, node: &Node, pad: Option<&[Reads]>, cells: &mut [Reads]) {
        if let Some(row) = &node.row {
            for (number, register) in Register::PRESERVED.into_iter().enumerate() {
                let (own, saved) = self.cells(row, number);
                for cell in saved.unwrap_or_else(|| vec![own]) {
                    cells[cell].add(Reads::caller(register));
                }
            }
            if row.frame_pointer().is_some() {
                cells[Register::RBP.number()] = Reads::ALWAYS;
            }
        }
        let overwritten = RegisterSet::ALL.without(RegisterSet::PRESERVED);
        for (number, (cell, other)) in cells.iter_mut().zip(pad.into_iter().flatten()).enumerate() {
            if number >= REGISTERS || !overwritten.contains(Register::numbered(number)) {
                cell.add(*other);
            }
        }
    }

    /// The cells of arguments on the stack: words from the stack pointer upward that the function
    /// fills but never looks at.
    pub fn outgoing(&self, number: usize) -> Vec<usize> {
        let mut cells = Vec::new();
        let Some(depth) = self.frame.depths[number] else { return cells };
        for word in (depth..-8).step_by(8) {
            let of_word = self.slot_cells(word);
            let fills = |&cell: &usize| self.filled[cell] && !self.looked_at[cell];
            if of_word.is_empty() || !of_word.iter().all(fills) {
                break;
            }
            cells.extend(of_word);
        }
        cells
    }
}

/// Whether a word is taken off the stack into a register that nobody expects anything in.
fn discards(instruction: &Instruction) -> bool {
    let register = general(instruction.op0_register());
    instruction.mnemonic() == Mnemonic::Pop
        && register
            .is_some_and(|number| !RegisterSet::PRESERVED.contains(Register::general(number)))
}

/// These registers are overwritten.
pub fn kill(registers: RegisterSet, cells: &mut [Reads]) {
    for register in registers.iter() {
        cells[register.number()] = Reads::NEVER;
    }
}

/// These registers are read.
pub fn read(registers: RegisterSet, cells: &mut [Reads]) {
    for register in registers.iter() {
        cells[register.number()] = Reads::ALWAYS;
    }
}
