//! What one instruction does to a function's frame: which of its bytes it touches, which of its
//! addresses it moves to other registers, and which escape.

use iced_x86::{
    Instruction, InstructionInfo, MemorySize, Mnemonic, OpAccess, OpKind, Register as Named,
};

use super::graph::{Call, Node};
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

/// The number of the register in which a nested function finds the frame around it.
const STATIC_CHAIN: usize = 10;
/// The number of the stack pointer.
pub const RSP: usize = Register::RSP.number();
/// The number of the frame pointer.
pub const RBP: usize = Register::RBP.number();

/// What one instruction does to the frame.
#[derive(Debug, Default)]
pub struct Seen {
    /// What it touches.
    pub touches: Vec<Touch>,
    /// The addresses that escape.
    pub escapes: Vec<Escape>,
    /// Whether it touches the frame at an unknown place.
    pub lost: bool,
}

impl Seen {
    /// The addresses in registers go on into code that is not looked at. Of those that a call
    /// preserves, none does.
    pub fn all_escape(&mut self, node: &Node, places: &Places, given: bool) {
        let frame_pointer = node.row.as_ref().and_then(Row::frame_pointer).is_some();
        for (number, place) in places.iter().enumerate() {
            let own = number == RSP || number == RBP && frame_pointer;
            let kept = given && RegisterSet::PRESERVED.contains(Register::general(number));
            let kept = kept && node.call != Some(Call::Thunk);
            // A nested function finds the variables around it from one address, whatever they are called.
            self.lost |= given && number == STATIC_CHAIN && place.is_some();
            if let Some(offset) = *place
                && !own
                && !kept
            {
                self.escapes.push(Escape { offset, given });
            }
        }
    }

    /// The memory operands, also those that are not written down.
    pub fn memory(&mut self, instruction: &Instruction, info: &InstructionInfo, places: &Places) {
        use Mnemonic::{Bt, Btc, Btr, Bts};
        for memory in info.used_memory() {
            let place = |register: Named| general(register).map(|number| places[number]);
            let (base, index) = (memory.base(), memory.index());
            // The register operand of these is an index of bits.
            let bits = matches!(instruction.mnemonic(), Bt | Btc | Btr | Bts)
                && instruction.op1_kind() == OpKind::Register;
            let thread = matches!(memory.segment(), Named::FS | Named::GS);
            let unknown_stack = general(base) == Some(RSP) && places[RSP].is_none();
            // What is pushed goes below all that is known.
            let pushed = pushes(instruction) && memory.displacement() == 8u64.wrapping_neg();
            self.lost |= unknown_stack && !pushed;
            let access = memory.access();
            if matches!(access, OpAccess::None | OpAccess::NoMemAccess) {
                continue;
            }
            let at = |offset: i32| offset.checked_add(displacement(memory.displacement())?);
            match (place(base).flatten(), place(index).flatten()) {
                (None, None) => {}
                (Some(base), None) if index == Named::None && !thread && !bits => {
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
    pub fn plain(
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

/// Whether it pushes, or calls.
pub fn pushes(instruction: &Instruction) -> bool {
    instruction.stack_pointer_increment() < 0
}

/// The number of a general register of any width.
pub fn general(register: Named) -> Option<usize> {
    register.is_gpr().then(|| register.full_register().number())
}
