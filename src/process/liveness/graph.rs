//! The instructions that a function can execute, and how control goes from one to another: the
//! function's own entry of `.eh_frame` and those that it jumps into, which are its cold parts.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use iced_x86::{
    Code as Opcode, Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind,
};

use super::file::File;
use super::landing::{Site, sites};
use super::rows::{Entry, Landing, Row};

/// Instructions that are looked at for one function; jumps to more of them lead to the unknown.
const MOST: usize = 20_000;

/// A function.
#[derive(Debug, Default)]
pub struct Graph {
    /// Its instructions, by part and ascending address.
    pub nodes: Vec<Node>,
    /// The first node of each of its parts.
    pub starts: Vec<usize>,
    /// By linked address, the number of a node.
    pub at: HashMap<u64, usize>,
    /// Whether it calls a function that may return twice.
    pub twice: bool,
}

/// An instruction.
#[derive(Debug)]
pub struct Node {
    /// What it is.
    pub instruction: Instruction,
    /// Where the frame is in front of it.
    pub row: Option<Row>,
    /// Whether and whom it calls.
    pub call: Option<Call>,
    /// The nodes that may be next, within the function.
    pub next: Vec<usize>,
    /// How it may leave the function.
    pub exit: Option<Exit>,
    /// The node at which its function goes on when the call does not return.
    pub pad: Option<usize>,
}

/// Who is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// The kernel.
    System,
    /// A function that the compiler did not know: it must have assumed that every register which the
    /// convention lets a function overwrite is overwritten.
    Convention,
    /// A function of the same file. The compiler may have known what it leaves alone.
    Local,
    /// A thunk that goes on with any register.
    Thunk,
}

/// How control leaves the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// To the caller.
    Return,
    /// To the start of a function or of a part of this one; the frame is gone.
    Tail,
    /// To the start of a function that the compiler did not know; the frame is gone.
    Convention,
    /// To anywhere.
    Unknown,
}

impl Node {
    /// The linked address behind it.
    pub fn end(&self) -> u64 {
        self.instruction.next_ip()
    }

    /// Whether nothing but the return address is on the stack, as at the start of a function.
    fn at_start_of_frame(&self) -> bool {
        self.row.as_ref().and_then(Row::stack_pointer) == Some(-8)
    }
}

impl Graph {
    /// The function that `entry` belongs to.
    pub fn new(file: &File, entry: &Entry) -> Graph {
        let mut building = Building { file, graph: Graph::default(), parts: Vec::new() };
        building.add(entry);
        let mut done = 0;
        while done < building.parts.len() {
            building.connect(done);
            done += 1;
        }
        building.graph
    }
}

struct Building<'a> {
    file: &'a File,
    graph: Graph,
    parts: Vec<Part>,
}

struct Part {
    entry: Entry,
    nodes: Range<usize>,
}

impl Building<'_> {
    /// Decode the instructions of `entry`; their ways are filled in by [`Building::connect`].
    fn add(&mut self, entry: &Entry) {
        let rows = self.file.table().rows(entry).unwrap_or_default();
        let first = self.graph.nodes.len();
        for instruction in self.decode(&entry.range) {
            let ip = instruction.ip();
            let behind = rows.partition_point(|row| row.range.start <= ip);
            let row = rows[..behind].last().filter(|row| row.range.contains(&ip)).cloned();
            self.graph.at.insert(ip, self.graph.nodes.len());
            self.graph.nodes.push(Node {
                instruction,
                row,
                call: None,
                next: Vec::new(),
                exit: None,
                pad: None,
            });
        }
        let nodes = first..self.graph.nodes.len();
        self.graph.starts.extend(nodes.clone().next());
        self.parts.push(Part { entry: entry.clone(), nodes });
    }

    /// One instruction behind the other, and whatever else jumps within `range` lead to.
    fn decode(&self, range: &Range<u64>) -> Vec<Instruction> {
        let mut found = BTreeMap::new();
        let mut starts = vec![range.start];
        while let Some(start) = starts.pop() {
            let mut ip = start;
            while range.contains(&ip) && !found.contains_key(&ip) && found.len() < MOST {
                let instruction = self.file.instruction(ip);
                let end = if instruction.is_invalid() { ip + 1 } else { instruction.next_ip() };
                found.insert(ip, instruction);
                ip = end;
            }
            if starts.is_empty() {
                let target = |jump: &Instruction| branch_target(jump);
                let targets = found.values().filter_map(target);
                let missing = |target: &u64| range.contains(target) && !found.contains_key(target);
                starts = targets.filter(missing).collect();
                if found.len() >= MOST {
                    break;
                }
            }
        }
        found.into_values().collect()
    }

    fn connect(&mut self, part: usize) {
        let Part { entry, nodes } = &self.parts[part];
        let (entry, nodes) = (entry.clone(), nodes.clone());
        let pads = match entry.landing {
            Landing::None => Some(Vec::new()),
            Landing::At(address) => {
                self.file.bytes_at(address).and_then(|table| sites(table, entry.range.start))
            }
            Landing::Unknown => None,
        };
        for number in nodes {
            let instruction = self.graph.nodes[number].instruction;
            let mut ways = self.ways(&entry, number);
            if ways.call.is_some_and(|call| call != Call::System) {
                match &pads {
                    Some(sites) => self.land(&entry, instruction.ip(), sites, &mut ways),
                    None => ways.exit = Some(Exit::Unknown),
                }
            } else if ways.call.is_none()
                && let Some(sites) = &pads
                && instruction.op_kinds().any(|kind| kind == OpKind::Memory)
            {
                // Compiled so, a handler of the signal that an access raises may throw.
                self.land(&entry, instruction.ip(), sites, &mut ways);
            }
            let node = &mut self.graph.nodes[number];
            (node.call, node.next, node.exit, node.pad) =
                (ways.call, ways.next, ways.exit, ways.pad);
        }
    }

    /// Where what is thrown at `ip` lands.
    fn land(&mut self, entry: &Entry, ip: u64, sites: &[Site], ways: &mut Ways) {
        let site = sites.iter().find(|site| site.range.contains(&ip));
        let Some(pad) = site.and_then(|site| site.pad) else { return };
        ways.pad = self.node(entry, pad);
        if ways.pad.is_none() {
            ways.exit = Some(Exit::Unknown);
        }
    }

    fn ways(&mut self, entry: &Entry, number: usize) -> Ways {
        let node = &self.graph.nodes[number];
        let instruction = node.instruction;
        let start_of_frame = node.at_start_of_frame();
        let mut ways = Ways::default();
        match instruction.flow_control() {
            _ if instruction.is_invalid() => ways.exit = Some(Exit::Unknown),
            _ if instruction.mnemonic() == Mnemonic::Syscall => {
                ways.call = Some(Call::System);
                self.fall(entry, &instruction, &mut ways);
            }
            FlowControl::Next => self.fall(entry, &instruction, &mut ways),
            FlowControl::Call | FlowControl::IndirectCall => {
                ways.call = Some(self.callee(&instruction));
                self.graph.twice |= self.calls_twice(&instruction);
                self.come_back(entry, number, &mut ways);
            }
            FlowControl::ConditionalBranch => {
                self.fall(entry, &instruction, &mut ways);
                self.jump(entry, &instruction, start_of_frame, &mut ways);
            }
            FlowControl::UnconditionalBranch => {
                self.jump(entry, &instruction, start_of_frame, &mut ways);
            }
            FlowControl::Return if instruction.code() == Opcode::Retnq && start_of_frame => {
                ways.exit = Some(Exit::Return);
            }
            FlowControl::Exception => {}
            FlowControl::Interrupt if instruction.mnemonic() == Mnemonic::Int3 => {}
            FlowControl::IndirectBranch
                if start_of_frame && instruction.is_ip_rel_memory_operand() =>
            {
                ways.exit = Some(Exit::Convention);
            }
            _ => ways.exit = Some(Exit::Unknown),
        }
        ways
    }

    fn fall(&mut self, entry: &Entry, instruction: &Instruction, ways: &mut Ways) {
        match self.node(entry, instruction.next_ip()) {
            _ if instruction.mnemonic() == Mnemonic::Hlt => {}
            Some(next) => ways.next.push(next),
            None => ways.exit = Some(Exit::Unknown),
        }
    }

    /// Behind a call that does not return there may be nothing of the function, or a block that is
    /// entered with another stack pointer.
    fn come_back(&mut self, entry: &Entry, number: usize, ways: &mut Ways) {
        let node = &self.graph.nodes[number];
        let behind = node.end();
        let depth = node.row.as_ref().and_then(Row::stack_pointer);
        if !entry.range.contains(&behind) {
            return;
        }
        let Some(next) = self.node(entry, behind) else {
            ways.exit = Some(Exit::Unknown);
            return;
        };
        let expected = self.graph.nodes[next].row.as_ref().and_then(Row::stack_pointer);
        if depth.zip(expected).is_none_or(|(depth, expected)| depth == expected) {
            ways.next.push(next);
        }
    }

    fn jump(
        &mut self,
        entry: &Entry,
        instruction: &Instruction,
        start_of_frame: bool,
        ways: &mut Ways,
    ) {
        let Some(target) = branch_target(instruction) else {
            ways.exit = Some(Exit::Unknown);
            return;
        };
        if self.file.is_thunk(target) && !entry.range.contains(&target) {
            ways.exit = Some(Exit::Unknown);
            return;
        }
        if !entry.range.contains(&target) && start_of_frame {
            if self.file.is_stub(target) {
                ways.exit = Some(Exit::Convention);
                return;
            }
            if self.file.table().entry(target).is_some_and(|other| other.range.start == target) {
                ways.exit = Some(Exit::Tail);
                return;
            }
        }
        match self.node(entry, target) {
            Some(next) if !ways.next.contains(&next) => ways.next.push(next),
            Some(_) => {}
            None => ways.exit = Some(Exit::Unknown),
        }
    }

    /// The node at `address`, of `entry` or of another part of the function.
    fn node(&mut self, entry: &Entry, address: u64) -> Option<usize> {
        if let Some(&node) = self.graph.at.get(&address) {
            return Some(node);
        }
        if entry.range.contains(&address) {
            return None;
        }
        let other = self.file.table().entry(address)?.clone();
        let length = other.range.end - other.range.start;
        let known = self.parts.iter().any(|part| part.entry.range == other.range);
        if known || self.graph.nodes.len() as u64 + length > MOST as u64 {
            return None;
        }
        self.add(&other);
        self.graph.at.get(&address).copied()
    }

    fn callee(&self, instruction: &Instruction) -> Call {
        match branch_target(instruction) {
            None => Call::Convention,
            Some(target) if self.file.is_stub(target) => Call::Convention,
            Some(target) if self.file.is_thunk(target) => Call::Thunk,
            Some(_) => Call::Local,
        }
    }

    fn calls_twice(&self, instruction: &Instruction) -> bool {
        match branch_target(instruction) {
            Some(target) => self.file.returns_twice(target),
            None if instruction.is_ip_rel_memory_operand() => {
                self.file.holds_twice(instruction.ip_rel_memory_address())
            }
            None => false,
        }
    }
}

#[derive(Default)]
struct Ways {
    call: Option<Call>,
    next: Vec<usize>,
    exit: Option<Exit>,
    pad: Option<usize>,
}

/// Where a direct jump or call goes.
fn branch_target(instruction: &Instruction) -> Option<u64> {
    (instruction.op0_kind() == OpKind::NearBranch64).then(|| instruction.near_branch64())
}

/// The instruction in `bytes`, which run at `ip`.
pub fn decode(bytes: &[u8], ip: u64) -> Instruction {
    Decoder::with_ip(64, bytes, ip, DecoderOptions::NONE).decode()
}
