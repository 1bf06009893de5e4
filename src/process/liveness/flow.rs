//! Liveness of one function: backward over its instructions to the least fixed point of unions
//! (Kildall 1973). It is exact for what it is given, and what it is given errs to the side of reads.

use std::collections::HashMap;

use iced_x86::{Instruction, InstructionInfoFactory, Mnemonic};

use super::effect::{Effect, cell_of_slot, effect, written};
use super::graph::{Call, Exit, Graph, Node};
use super::places::{Frame, follow};
use super::point::{Point, Run};
use super::reads::{REGISTERS, Reads, Register, RegisterSet};
use super::rows::Row;
use super::slots::{Object, SLOT, Slot, Slots, slots_of};

/// Bytes below the stack pointer that a function may use without saying so.
pub const RED_ZONE: u64 = 128;

/// The places in `graph` behind its calls, by linked address.
pub fn points(graph: &Graph, objects: Option<&[Object]>) -> HashMap<u64, Point> {
    let frame = follow(graph);
    let calls = graph.nodes.iter().enumerate().filter(|(_, node)| node.call.is_some());
    if graph.twice || frame.contradicts {
        return calls.map(|(_, node)| (node.end(), unknown(row_behind(graph, node)))).collect();
    }
    let slots = Slots::new(graph, &frame, objects);
    let mut flow = Flow::new(graph, &frame, &slots);
    flow.solve();
    calls.map(|(number, node)| (node.end(), flow.point(number))).collect()
}

/// A place of which no more is known than `row`.
pub fn unknown(row: Option<&Row>) -> Point {
    Point {
        cfa: row.and_then(|row| row.cfa),
        saved: row.map(|row| row.saved).unwrap_or_default(),
        returns: row.is_none_or(|row| row.returns),
        known: false,
        convention: false,
        results: RegisterSet::RESULTS,
        incoming: 0,
        registers: [Reads::ALWAYS; REGISTERS],
        slots: Vec::new(),
    }
}

/// The row of the function while it waits: that of the call, whose return address may be outside of
/// it, or that behind a system call.
fn row_behind<'a>(graph: &'a Graph, node: &'a Node) -> Option<&'a Row> {
    let behind = graph.at.get(&node.end()).and_then(|&next| graph.nodes[next].row.as_ref());
    match node.call {
        Some(Call::System) => behind.or(node.row.as_ref()),
        _ => node.row.as_ref(),
    }
}

struct Flow<'a> {
    graph: &'a Graph,
    frame: &'a Frame,
    slots: &'a Slots,
    effects: Vec<Effect>,
    /// By node, the nodes that may be in front of it.
    previous: Vec<Vec<usize>>,
    /// By node that something jumps to or that has several successors, the cells in front of it.
    before: Vec<Vec<Reads>>,
    /// Preserved registers that the function overwrites without saving them.
    unsaved: RegisterSet,
    /// By node, what it writes or may get from calls.
    written: Vec<RegisterSet>,
    incoming: i32,
    /// By cell, whether something writes it, and whether something reads it but to discard it.
    filled: Vec<bool>,
    looked_at: Vec<bool>,
}

impl<'a> Flow<'a> {
    fn new(graph: &'a Graph, frame: &'a Frame, slots: &'a Slots) -> Self {
        let mut factory = InstructionInfoFactory::new();
        let nodes = graph.nodes.iter().zip(&frame.touches);
        let effects: Vec<Effect> = nodes
            .map(|(node, touches)| effect(&node.instruction, &mut factory, touches, slots))
            .collect();
        let mut previous = vec![Vec::new(); graph.nodes.len()];
        for (number, node) in graph.nodes.iter().enumerate() {
            for &next in node.next.iter().chain(&node.pad) {
                previous[next].push(number);
            }
        }
        let mut saved = RegisterSet::NONE;
        for row in graph.nodes.iter().filter_map(|node| node.row.as_ref()) {
            for (register, place) in Register::PRESERVED.into_iter().zip(row.saved) {
                if place.is_some() {
                    saved.insert(register);
                }
            }
        }
        let written: Vec<RegisterSet> = graph
            .nodes
            .iter()
            .map(|node| match node.call {
                None => written(&node.instruction, &mut factory),
                Some(Call::System) => RegisterSet::OVERWRITTEN,
                Some(_) => RegisterSet::ALL.without(RegisterSet::PRESERVED),
            })
            .collect();
        let all = written.iter().fold(RegisterSet::NONE, |all, one| all.union(*one));
        let touches = frame.touches.iter().flatten();
        let incoming = touches.map(|touch| touch.offset + touch.size).max().unwrap_or(0).max(0);
        let cells = REGISTERS + slots.count() + 1;
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
        Flow {
            graph,
            frame,
            slots,
            effects,
            previous,
            before: vec![vec![Reads::NEVER; cells]; graph.nodes.len()],
            unsaved: all.and(RegisterSet::PRESERVED).without(saved),
            written,
            incoming,
            filled,
            looked_at,
        }
    }

    /// The cell of all slots that nothing touches.
    fn untouched(&self) -> usize {
        REGISTERS + self.slots.count()
    }

    fn solve(&mut self) {
        let mut waiting = vec![true; self.graph.nodes.len()];
        let mut work: Vec<usize> = (0..self.graph.nodes.len()).collect();
        while let Some(number) = work.pop() {
            waiting[number] = false;
            let cells = self.in_front_of(number);
            let mut changed = false;
            for (known, cell) in self.before[number].iter_mut().zip(cells) {
                changed |= known.add(cell);
            }
            if changed {
                for &previous in &self.previous[number] {
                    if !std::mem::replace(&mut waiting[previous], true) {
                        work.push(previous);
                    }
                }
            }
        }
    }

    /// The cells in front of a node, from those in front of its successors.
    fn in_front_of(&self, number: usize) -> Vec<Reads> {
        let node = &self.graph.nodes[number];
        let mut cells = self.behind(node);
        let effect = &self.effects[number];
        match node.call {
            None => {
                self.leave(node, &mut cells);
                apply(effect, &mut cells);
            }
            Some(Call::System) => {
                self.leave(node, &mut cells);
                self.abandon(node, &mut cells);
                kill(RegisterSet::OVERWRITTEN, &mut cells);
                read(RegisterSet::CALL, &mut cells);
            }
            Some(call) => {
                if call == Call::Convention {
                    kill(RegisterSet::ALL.without(RegisterSet::PRESERVED), &mut cells);
                }
                self.leave(node, &mut cells);
                self.abandon(node, &mut cells);
                apply(effect, &mut cells);
                read(RegisterSet::ARGUMENTS, &mut cells);
                if call == Call::Thunk {
                    read(RegisterSet::ALL, &mut cells);
                }
                for cell in self.outgoing(number) {
                    cells[cell] = Reads::ALWAYS;
                }
            }
        }
        cells
    }

    fn behind(&self, node: &Node) -> Vec<Reads> {
        let mut successors = node.next.iter();
        let Some(&first) = successors.next() else {
            return vec![Reads::NEVER; REGISTERS + self.slots.count() + 1];
        };
        let mut cells = self.before[first].clone();
        for &next in successors {
            for (cell, other) in cells.iter_mut().zip(&self.before[next]) {
                cell.add(*other);
            }
        }
        cells
    }

    /// The way out of the function.
    fn leave(&self, node: &Node, cells: &mut [Reads]) {
        match node.exit {
            None => {}
            Some(Exit::Return) => {
                for number in 0..REGISTERS {
                    cells[number].add(Reads::caller(Register::numbered(number)));
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
        for (register, place) in Register::PRESERVED.into_iter().zip(row.saved) {
            let if_read = Reads::caller(register);
            match place {
                None => {
                    cells[register.number()].add(if_read);
                }
                Some(offset) => {
                    // A register that has been popped is still said to be saved.
                    cells[register.number()].add(if_read);
                    for slot in [offset, offset + SLOT] {
                        if let Slot::Touched(number) = self.slots.at(slot) {
                            cells[cell_of_slot(number)].add(if_read);
                        }
                    }
                }
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
        for (register, place) in Register::PRESERVED.into_iter().zip(row.saved) {
            match place {
                None if self.unsaved.contains(register) => {}
                None => kept.push(register.number()),
                Some(offset) => {
                    for slot in [offset, offset + SLOT] {
                        if let Slot::Touched(number) = self.slots.at(slot) {
                            kept.push(cell_of_slot(number));
                        }
                    }
                }
            }
        }
        let values: Vec<Reads> = kept.iter().map(|&cell| cells[cell]).collect();
        cells.fill(Reads::ALWAYS);
        for (cell, value) in kept.into_iter().zip(values) {
            cells[cell] = value;
        }
        self.hand_back(node, cells);
    }

    /// A call that ends in an exception or a cancellation: the caller's registers are found by the
    /// frame table, and the function may go on at a landing pad.
    fn abandon(&self, node: &Node, cells: &mut [Reads]) {
        if let Some(row) = &node.row {
            for (register, place) in Register::PRESERVED.into_iter().zip(row.saved) {
                let if_read = Reads::caller(register);
                match place {
                    None => {
                        cells[register.number()].add(if_read);
                    }
                    Some(offset) => {
                        for slot in [offset, offset + SLOT] {
                            if let Slot::Touched(number) = self.slots.at(slot) {
                                cells[cell_of_slot(number)].add(if_read);
                            }
                        }
                    }
                }
            }
            if row.frame_pointer().is_some() {
                cells[Register::RBP.number()] = Reads::ALWAYS;
            }
        }
        if let Some(pad) = node.pad {
            let overwritten = RegisterSet::ALL.without(RegisterSet::PRESERVED);
            for (number, (cell, other)) in cells.iter_mut().zip(&self.before[pad]).enumerate() {
                let gone = number < REGISTERS && overwritten.contains(Register::numbered(number));
                if !gone {
                    cell.add(*other);
                }
            }
        }
    }

    /// The cells of arguments on the stack: words from the stack pointer upward that the function
    /// fills but never looks at.
    fn outgoing(&self, number: usize) -> Vec<usize> {
        let mut cells = Vec::new();
        let Some(depth) = self.frame.depths[number] else { return cells };
        for word in (depth..-8).step_by(8) {
            let of_word: Vec<usize> = [word, word + SLOT]
                .into_iter()
                .filter_map(|slot| match self.slots.at(slot) {
                    Slot::Touched(number) => Some(cell_of_slot(number)),
                    Slot::Untouched | Slot::Lost => None,
                })
                .collect();
            let fills = |&cell: &usize| self.filled[cell] && !self.looked_at[cell];
            if of_word.is_empty() || !of_word.iter().all(fills) {
                break;
            }
            cells.extend(of_word);
        }
        cells
    }

    fn point(&self, number: usize) -> Point {
        let node = &self.graph.nodes[number];
        let row = row_behind(self.graph, node);
        let depth = match node.call {
            Some(Call::System) => {
                node.next.first().map_or(self.frame.depths[number], |&next| self.frame.depths[next])
            }
            _ => self.frame.depths[number],
        };
        let mut cells = self.behind(node);
        let convention = node.call == Some(Call::Convention);
        if convention {
            let kept = RegisterSet::PRESERVED.union(RegisterSet::RESULTS);
            kill(RegisterSet::ALL.without(kept), &mut cells);
        }
        self.leave(node, &mut cells);
        self.abandon(node, &mut cells);
        let system = node.call == Some(Call::System);
        if system {
            kill(RegisterSet::OVERWRITTEN, &mut cells);
        } else {
            for cell in self.outgoing(number) {
                cells[cell] = Reads::ALWAYS;
            }
        }
        if row.is_some_and(|row| row.frame_pointer().is_some()) {
            cells[Register::RBP.number()] = Reads::ALWAYS;
        }
        cells[Register::RSP.number()] = Reads::ALWAYS;
        let bounds = self.slots.bounds();
        // Where the depth varies, whoever knows the stack pointer cuts off what is below it.
        let lowest = match depth {
            Some(depth) if system => depth - RED_ZONE as i32,
            Some(depth) => depth,
            None => bounds.iter().copied().min().unwrap_or(0),
        };
        Point {
            known: true,
            convention,
            results: self.results(number),
            incoming: self.incoming,
            registers: std::array::from_fn(|register| cells[register]),
            slots: self.runs(bounds, lowest, &cells),
            ..unknown(row)
        }
    }

    fn runs(&self, mut bounds: Vec<i32>, lowest: i32, cells: &[Reads]) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        bounds.extend([lowest, -8]);
        bounds.retain(|bound| (lowest..=-8).contains(bound));
        bounds.sort_unstable();
        bounds.dedup();
        for bound in bounds.windows(2) {
            let (start, end) = (bound[0], bound[1]);
            let reads = match self.slots.at(start) {
                Slot::Touched(number) => cells[cell_of_slot(number)],
                Slot::Untouched => cells[self.untouched()],
                Slot::Lost => Reads::ALWAYS,
            };
            if reads.always() {
                continue;
            }
            match runs.last_mut().filter(|run| run.end == start && run.reads == reads) {
                Some(run) => run.end = end,
                None => runs.push(Run { start, end, reads }),
            }
        }
        runs
    }

    /// The registers for results that something on the way to a node may have filled.
    fn results(&self, number: usize) -> RegisterSet {
        let mut set = RegisterSet::NONE;
        let mut seen = vec![false; self.graph.nodes.len()];
        let mut work = self.previous[number].clone();
        while let Some(number) = work.pop() {
            if std::mem::replace(&mut seen[number], true) {
                continue;
            }
            set = set.union(self.written[number]);
            work.extend(&self.previous[number]);
        }
        set.and(RegisterSet::RESULTS)
    }
}

/// Whether a word is taken off the stack into a register that nobody expects anything in.
fn discards(instruction: &Instruction) -> bool {
    let register = super::places::general(instruction.op0_register());
    instruction.mnemonic() == Mnemonic::Pop
        && register
            .is_some_and(|number| !RegisterSet::PRESERVED.contains(Register::general(number)))
}

fn apply(effect: &Effect, cells: &mut [Reads]) {
    let mut moved = Reads::NEVER;
    for &cell in &effect.to {
        moved.add(cells[cell]);
    }
    for &cell in &effect.overwrites {
        cells[cell] = Reads::NEVER;
    }
    for &cell in &effect.from {
        cells[cell].add(moved);
    }
    for &cell in &effect.reads {
        cells[cell] = Reads::ALWAYS;
    }
}

fn kill(registers: RegisterSet, cells: &mut [Reads]) {
    for register in registers.iter() {
        cells[register.number()] = Reads::NEVER;
    }
}

fn read(registers: RegisterSet, cells: &mut [Reads]) {
    for register in registers.iter() {
        cells[register.number()] = Reads::ALWAYS;
    }
}
