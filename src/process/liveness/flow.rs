//! Liveness of one function: backward over its instructions to the least fixed point of unions
//! (Kildall 1973). It is exact for what it is given, and what it is given errs to the side of reads.

use std::collections::HashMap;

use iced_x86::InstructionInfoFactory;

use super::boundary::{Boundary, kill, read};
use super::effect::{Effect, cell_of_slot, effect, written};
use super::graph::{Call, Graph, Node};
use super::places::{Frame, follow};
use super::point::{Point, Run};
use super::reads::{REGISTERS, Reads, Register, RegisterSet};
use super::rows::Row;
use super::slots::{Object, SLOT, Slot, Slots};

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
        incoming: i32::MAX,
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
    /// By node, what it writes or may get from calls.
    written: Vec<RegisterSet>,
    boundary: Boundary<'a>,
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
        let boundary = Boundary::new(graph, frame, slots, all);
        let cells = REGISTERS + slots.count() + 1;
        Flow {
            graph,
            frame,
            slots,
            effects,
            previous,
            before: vec![vec![Reads::NEVER; cells]; graph.nodes.len()],
            written,
            boundary,
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
                self.boundary.leave(node, &mut cells);
                apply(effect, &mut cells);
                if node.pad.is_some() {
                    self.abandon(node, &mut cells);
                }
            }
            Some(Call::System) => {
                self.boundary.leave(node, &mut cells);
                self.abandon(node, &mut cells);
                kill(RegisterSet::OVERWRITTEN, &mut cells);
                read(RegisterSet::CALL, &mut cells);
            }
            Some(call) => {
                if call == Call::Convention {
                    kill(RegisterSet::ALL.without(RegisterSet::PRESERVED), &mut cells);
                }
                self.boundary.leave(node, &mut cells);
                self.abandon(node, &mut cells);
                apply(effect, &mut cells);
                read(RegisterSet::ARGUMENTS, &mut cells);
                if call == Call::Thunk {
                    read(RegisterSet::ALL, &mut cells);
                }
                for cell in self.boundary.outgoing(number) {
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

    fn abandon(&self, node: &Node, cells: &mut [Reads]) {
        let pad = node.pad.map(|pad| &*self.before[pad]);
        self.boundary.abandon(node, pad, cells);
    }

    /// What is known behind the call at a node.
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
        self.boundary.leave(node, &mut cells);
        self.abandon(node, &mut cells);
        let system = node.call == Some(Call::System);
        if system {
            kill(RegisterSet::OVERWRITTEN, &mut cells);
        } else {
            for cell in self.boundary.outgoing(number) {
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
            incoming: self.boundary.incoming(),
            registers: std::array::from_fn(|register| cells[register]),
            slots: self.runs(bounds, lowest, &cells),
            ..unknown(row)
        }
    }

    fn runs(&self, mut bounds: Vec<i32>, lowest: i32, cells: &[Reads]) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        if lowest % SLOT != 0 {
            return runs;
        }
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
