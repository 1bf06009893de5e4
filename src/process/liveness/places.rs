//! Which registers hold addresses of a function's own frame, and so which of its instructions touch
//! which bytes of it: constants relative to the canonical frame address, carried forward along every
//! way. An address that is used in any other way than to touch a known byte has escaped.

use iced_x86::{
    Instruction, InstructionInfo, InstructionInfoFactory, MemorySize, Mnemonic, OpAccess, OpKind,
    Register as Named,
};

use super::graph::{Call, Exit, Graph, Node};
use super::reads::{Register, RegisterSet};
use super::rows::Row;

/// By general register, the offset from the canonical frame address of the address that it holds.
pub type Places = [Option<i32>; 16];

/// The bytes that an instruction touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// The first one, from the canonical frame address.
    pub offset: i32,
    /// How many.
    pub size: i32,
    /// Whether they may be read.
    pub read: bool,
    /// Whether some may be written.
    pub written: bool,
    /// Whether all of them are written whenever the instruction is executed.
    pub overwritten: bool,
}

/// An address of the frame that goes where it cannot be followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Escape {
    /// The address, from the canonical frame address.
    pub offset: i32,
    /// Whether it is given to a function, so that it is within an object or just behind it. What is
    /// only calculated with may lie elsewhere.
    pub given: bool,
}

/// What is found.
#[derive(Debug, Default)]
pub struct Frame {
    /// By node, the stack pointer in front of it.
    pub depths: Vec<Option<i32>>,
    /// By node, what it touches.
    pub touches: Vec<Vec<Touch>>,
    /// The addresses that escape.
    pub escapes: Vec<Escape>,
    /// Whether something touches the frame at an unknown place.
    pub lost: bool,
    /// Whether the code contradicts its own frame table.
    pub contradicts: bool,
    /// Whether something below the stack pointer is touched.
    pub red_zone: bool,
}

const RSP: usize = Register::RSP.number();
const RBP: usize = Register::RBP.number();

/// Follow the addresses in `graph`.
pub fn follow(graph: &Graph) -> Frame {
    let mut following = Following {
        graph,
        factory: InstructionInfoFactory::new(),
        before: vec![None; graph.nodes.len()],
        frame: Frame::default(),
    };
    following.enter();
    following.collect()
}

struct Following<'a> {
    graph: &'a Graph,
    factory: InstructionInfoFactory,
    before: Vec<Option<Places>>,
    frame: Frame,
}

impl Following<'_> {
    /// Start where the function starts, then where jumps of unknown target may lead.
    fn enter(&mut self) {
        let nodes = &self.graph.nodes;
        let starts = self.graph.starts.clone();
        let at_start = |&start: &usize| nodes[start].row.as_ref().and_then(Row::stack_pointer);
        let whole = starts.iter().any(|start| at_start(start) == Some(-8));
        let jumps = nodes.iter().any(|node| node.exit == Some(Exit::Unknown));
        for &start in &starts {
            if self.before[start].is_none() {
                self.reach(start);
            }
        }
        let mut entered = false;
        for seed in 0..self.graph.nodes.len() {
            // What fills the room between blocks is executed by nobody.
            let filling = self.graph.nodes[seed].instruction.mnemonic() == Mnemonic::Nop;
            if self.before[seed].is_none() && !filling {
                self.reach(seed);
                entered = true;
            }
        }
        // A part of a function that is entered from elsewhere: what is done to the frame there is
        // not known here.
        self.frame.lost |= !whole || entered && !jumps;
    }

    /// Carry what is known to every node that can be reached from `seed`, which is entered from
    /// elsewhere: the function's start, or where a jump of unknown target may lead.
    fn reach(&mut self, seed: usize) {
        let mut places = [None; 16];
        self.correct(seed, &mut places);
        self.before[seed] = Some(places);
        let mut work = vec![seed];
        while let Some(number) = work.pop() {
            let node = &self.graph.nodes[number];
            let Some(before) = self.before[number] else { continue };
            let mut seen = Seen::default();
            let after = self.step(node, before, &mut seen);
            for &next in node.next.iter().chain(&node.pad) {
                let mut after = after;
                if Some(next) == node.pad {
                    forget_overwritten(&mut after);
                }
                self.correct(next, &mut after);
                if self.join(next, &after) {
                    work.push(next);
                }
            }
        }
    }

    /// What the frame table says in front of a node.
    fn correct(&mut self, number: usize, places: &mut Places) {
        let Some(row) = &self.graph.nodes[number].row else { return };
        let said = [(RSP, row.stack_pointer()), (RBP, row.frame_pointer())];
        for (register, place) in said {
            let Some(place) = place else { continue };
            self.frame.contradicts |= places[register].is_some_and(|known| known != place);
            places[register] = Some(place);
        }
    }

    /// Add what is known on one way to `number`; whether that changes anything.
    fn join(&mut self, number: usize, places: &Places) -> bool {
        let Some(known) = &mut self.before[number] else {
            self.before[number] = Some(*places);
            return true;
        };
        let mut changed = false;
        for (register, (known, place)) in known.iter_mut().zip(places).enumerate() {
            if *known == *place {
                continue;
            }
            if register != RSP {
                let escaped = [*known, *place].into_iter().flatten();
                self.frame.escapes.extend(escaped.map(|offset| Escape { offset, given: false }));
            }
            changed |= known.is_some();
            *known = None;
        }
        changed
    }

    /// With all places known, what each instruction touches.
    fn collect(mut self) -> Frame {
        for (number, node) in self.graph.nodes.iter().enumerate() {
            let before = self.before[number].unwrap_or_default();
            let mut seen = Seen::default();
            self.step(node, before, &mut seen);
            self.frame.depths.push(before[RSP]);
            let depth = before[RSP];
            self.frame.red_zone |= seen.touches.iter().any(|touch| {
                // A push writes the eight bytes that it makes room for.
                let lowest = if pushes(&node.instruction) { -8 } else { 0 };
                depth.is_some_and(|depth| touch.offset < depth + lowest)
            });
            self.frame.touches.push(seen.touches);
            self.frame.escapes.extend(seen.escapes);
            self.frame.lost |= seen.lost;
        }
        self.frame.escapes.sort_by_key(|escape| (escape.offset, escape.given));
        self.frame.escapes.dedup();
        self.frame
    }

    /// What is known behind `node`, and what it does to the frame.
    fn step(&mut self, node: &Node, before: Places, seen: &mut Seen) -> Places {
        let instruction = &node.instruction;
        if instruction.is_invalid() {
            seen.all_escape(node, &before, false);
            return [None; 16];
        }
        let mut after = before;
        let info = self.factory.info(instruction);
        seen.memory(instruction, info, &before);
        match node.call {
            None => seen.plain(instruction, info, &before, &mut after),
            Some(call) => {
                seen.all_escape(node, &before, true);
                if call == Call::System {
                    for register in RegisterSet::OVERWRITTEN.iter() {
                        after[register.number()] = None;
                    }
                } else {
                    forget_overwritten(&mut after);
                }
            }
        }
        match node.exit {
            Some(Exit::Unknown) => seen.all_escape(node, &before, false),
            Some(Exit::Tail | Exit::Convention) => seen.all_escape(node, &before, true),
            Some(Exit::Return) | None => {}
        }
        after
    }
}

fn pushes(instruction: &Instruction) -> bool {
    instruction.stack_pointer_increment() < 0
}

/// A function has overwritten what it need not preserve.
fn forget_overwritten(places: &mut Places) {
    for (number, place) in places.iter_mut().enumerate() {
        if !RegisterSet::PRESERVED.contains(Register::general(number)) {
            *place = None;
        }
    }
}

/// The number of a general register of any width.
pub fn general(register: Named) -> Option<usize> {
    register.is_gpr().then(|| register.full_register().number())
}

/// What one instruction does to the frame.
#[derive(Default)]
struct Seen {
    touches: Vec<Touch>,
    escapes: Vec<Escape>,
    lost: bool,
}

impl Seen {
    /// The addresses in registers go on into code that is not looked at. Of those that a call
    /// preserves, none does.
    fn all_escape(&mut self, node: &Node, places: &Places, given: bool) {
        let frame_pointer = node.row.as_ref().and_then(Row::frame_pointer).is_some();
        for (number, place) in places.iter().enumerate() {
            let own = number == RSP || number == RBP && frame_pointer;
            let kept = given && RegisterSet::PRESERVED.contains(Register::general(number));
            let kept = kept && node.call != Some(Call::Thunk);
            if let Some(offset) = *place
                && !own
                && !kept
            {
                self.escapes.push(Escape { offset, given });
            }
        }
    }

    /// The memory operands, also those that are not written down.
    fn memory(&mut self, instruction: &Instruction, info: &InstructionInfo, places: &Places) {
        for memory in info.used_memory() {
            let place = |register: Named| general(register).map(|number| places[number]);
            let (base, index) = (memory.base(), memory.index());
            let thread = matches!(memory.segment(), Named::FS | Named::GS);
            let unknown_stack = general(base) == Some(RSP) && places[RSP].is_none();
            self.lost |= unknown_stack && !pushes(instruction);
            let access = memory.access();
            if matches!(access, OpAccess::None | OpAccess::NoMemAccess) {
                continue;
            }
            let at = |offset: i32| offset.checked_add(displacement(memory.displacement())?);
            match (place(base).flatten(), place(index).flatten()) {
                (None, None) => {}
                (Some(base), None) if index == Named::None && !thread => {
                    let size = memory.memory_size().size();
                    let strings = instruction.is_string_instruction();
                    let known = memory.memory_size() != MemorySize::Unknown && size > 0;
                    match at(base) {
                        Some(offset) if strings => {
                            self.escapes.push(Escape { offset, given: true });
                        }
                        Some(offset) if known => {
                            self.touches.push(touch(offset, size as i32, access));
                        }
                        _ => self.lost = true,
                    }
                }
                (base, index) => {
                    for offset in base.into_iter().chain(index) {
                        match at(offset) {
                            Some(offset) => self.escapes.push(Escape { offset, given: false }),
                            None => self.lost = true,
                        }
                    }
                }
            }
        }
    }

    /// An instruction that is no call: what its registers hold behind it.
    fn plain(
        &mut self,
        instruction: &Instruction,
        info: &InstructionInfo,
        before: &Places,
        after: &mut Places,
    ) {
        let moved = moved(instruction, before);
        let stack = instruction.stack_pointer_increment();
        for used in info.used_registers() {
            let Some(number) = general(used.register()) else { continue };
            if !matches!(used.access(), OpAccess::Read | OpAccess::CondRead | OpAccess::NoMemAccess)
            {
                after[number] = None;
            }
        }
        if stack != 0 && instruction.mnemonic() != Mnemonic::Leave {
            after[RSP] = before[RSP].and_then(|depth| depth.checked_add(stack));
            if instruction.mnemonic() == Mnemonic::Pop
                && general(instruction.op0_register()) == Some(RSP)
            {
                after[RSP] = None;
            }
        }
        match moved {
            Moved::To(number, place) => after[number] = place,
            Moved::Compared => {}
            Moved::Leave => after[RSP] = before[RBP].and_then(|frame| frame.checked_add(8)),
            Moved::Otherwise => self.values(instruction, info, before),
        }
    }

    /// The addresses that an instruction takes as values.
    fn values(&mut self, instruction: &Instruction, info: &InstructionInfo, before: &Places) {
        let strings = instruction.is_string_instruction();
        for used in info.used_registers() {
            let Some(number) = general(used.register()) else { continue };
            let Some(offset) = before[number] else { continue };
            let read = !matches!(used.access(), OpAccess::Write | OpAccess::CondWrite);
            // Where an instruction takes the stack pointer without saying so it pushes or pops.
            if read && !strings && number != RSP && !only_addresses(instruction, number) {
                self.escapes.push(Escape { offset, given: false });
            }
            if read && number == RSP && is_operand(instruction, number) {
                self.escapes.push(Escape { offset, given: false });
            }
        }
    }
}

/// What an instruction does that moves addresses about in a known way.
enum Moved {
    /// The register holds this behind it.
    To(usize, Option<i32>),
    /// It only looks.
    Compared,
    /// `leave`
    Leave,
    /// Something else.
    Otherwise,
}

fn moved(instruction: &Instruction, before: &Places) -> Moved {
    let whole = |operand: u32| {
        let register = (instruction.op_kind(operand) == OpKind::Register)
            .then(|| instruction.op_register(operand))?;
        register.is_gpr64().then(|| register.number())
    };
    let constant = || match instruction.op1_kind() {
        OpKind::Immediate8to64 | OpKind::Immediate32to64 => {
            i32::try_from(instruction.immediate(1) as i64).ok()
        }
        _ => None,
    };
    match (instruction.mnemonic(), whole(0)) {
        (Mnemonic::Mov, Some(to)) => match whole(1) {
            Some(from) => Moved::To(to, before[from]),
            None => Moved::Otherwise,
        },
        (Mnemonic::Lea, Some(to)) => {
            let base = general(instruction.memory_base()).and_then(|base| before[base]);
            let index = instruction.memory_index();
            let indexed = general(index).and_then(|index| before[index]);
            match (base, indexed) {
                (None, None) => Moved::Otherwise,
                (Some(base), None)
                    if index == Named::None && instruction.memory_base().is_gpr64() =>
                {
                    let offset = displacement(instruction.memory_displacement64());
                    let place = offset.and_then(|offset| base.checked_add(offset));
                    match place {
                        Some(place) => Moved::To(to, Some(place)),
                        None => Moved::Otherwise,
                    }
                }
                _ => Moved::Otherwise,
            }
        }
        (mnemonic @ (Mnemonic::Add | Mnemonic::Sub), Some(to)) => match (before[to], constant()) {
            (Some(place), Some(constant)) => {
                let place = if mnemonic == Mnemonic::Add {
                    place.checked_add(constant)
                } else {
                    place.checked_sub(constant)
                };
                match place {
                    Some(place) => Moved::To(to, Some(place)),
                    None => Moved::Otherwise,
                }
            }
            _ => Moved::Otherwise,
        },
        (Mnemonic::Cmp | Mnemonic::Test, _) => Moved::Compared,
        (Mnemonic::Leave, _) => Moved::Leave,
        _ => Moved::Otherwise,
    }
}

/// Whether a general register is read to address memory, and for nothing else.
fn only_addresses(instruction: &Instruction, number: usize) -> bool {
    let addresses = [instruction.memory_base(), instruction.memory_index()]
        .into_iter()
        .any(|register| general(register) == Some(number));
    addresses && instruction.mnemonic() != Mnemonic::Lea && !is_operand(instruction, number)
}

/// Whether a general register is an operand that is read.
fn is_operand(instruction: &Instruction, number: usize) -> bool {
    if instruction.mnemonic() == Mnemonic::Lea {
        return [instruction.memory_base(), instruction.memory_index()]
            .into_iter()
            .any(|register| general(register) == Some(number));
    }
    (0..instruction.op_count()).any(|operand| {
        instruction.op_kind(operand) == OpKind::Register
            && general(instruction.op_register(operand)) == Some(number)
            // What a move overwrites is not read.
            && !(operand == 0 && matches!(instruction.mnemonic(), Mnemonic::Mov | Mnemonic::Pop))
    })
}

fn displacement(value: u64) -> Option<i32> {
    i32::try_from(value as i64).ok().filter(|value| value.unsigned_abs() < 1 << 28)
}

fn touch(offset: i32, size: i32, access: OpAccess) -> Touch {
    let read = !matches!(access, OpAccess::Write | OpAccess::CondWrite);
    let written = !matches!(access, OpAccess::Read | OpAccess::CondRead);
    let overwritten = matches!(access, OpAccess::Write | OpAccess::ReadWrite);
    Touch { offset, size, read, written, overwritten }
}
