//! What one instruction does to registers and slots, for liveness: what it overwrites, what it reads,
//! and what it only moves from one to another, so that the source matters only if the target does.

use iced_x86::{
    CpuidFeature, Instruction, InstructionInfo, InstructionInfoFactory, Mnemonic, OpAccess,
    Register as Named, RflagsBits,
};

use super::reads::{REGISTERS, Register, RegisterSet};
use super::seen::{Touch, general};
use super::slots::{SLOT, Slot, Slots, slots_of};

/// The flags that are followed, as one register.
const FLAGS: u32 = RflagsBits::OF
    | RflagsBits::SF
    | RflagsBits::ZF
    | RflagsBits::AF
    | RflagsBits::CF
    | RflagsBits::PF;

/// What an instruction does, to cells: registers by number, then the touched slots.
#[derive(Debug, Default)]
pub struct Effect {
    /// Cells that are overwritten, whole.
    pub overwrites: Vec<usize>,
    /// Cells that are read, whatever becomes of the result.
    pub reads: Vec<usize>,
    /// Cells that may be written, if that is all that the instruction does.
    pub to: Vec<usize>,
    /// Cells that matter only if one of `to` does.
    pub from: Vec<usize>,
}

/// The cell of a touched slot.
pub fn cell_of_slot(number: usize) -> usize {
    REGISTERS + number
}

/// The cell of a register; the stack pointer is not followed, as it is read by everything.
fn cell(register: Named) -> Option<usize> {
    if register.is_gpr() {
        general(register).filter(|&number| number != Register::RSP.number())
    } else if register.is_vector_register() {
        Some(Register::vector(register.number()).number())
    } else if register.is_k() {
        Some(Register::mask(register.number()).number())
    } else if register.is_st() || register.is_mm() {
        Some(Register::X87.number())
    } else {
        None
    }
}

/// The effect of an instruction that touches these bytes of the frame.
pub fn effect(
    instruction: &Instruction,
    factory: &mut InstructionInfoFactory,
    touches: &[Touch],
    slots: &Slots,
) -> Effect {
    let mut effect = Effect::default();
    if sees_everything(instruction) {
        effect.reads.extend(0..REGISTERS);
        for touch in touches {
            stack(touch, false, slots, &mut effect);
        }
        return effect;
    }
    let info = factory.info(instruction);
    let moves = only_moves(instruction) && writes_only_slots(info, touches, slots);
    registers(instruction, info, moves, &mut effect);
    flags(instruction, moves, &mut effect);
    for touch in touches {
        stack(touch, moves, slots, &mut effect);
    }
    effect
}

fn registers(instruction: &Instruction, info: &InstructionInfo, moves: bool, effect: &mut Effect) {
    if instruction.cpuid_features().iter().any(is_x87) {
        effect.reads.push(Register::X87.number());
    }
    // It clears upper parts alone.
    if matches!(instruction.mnemonic(), Mnemonic::Vzeroupper | Mnemonic::Vzeroall) {
        return;
    }
    for used in info.used_registers() {
        let Some(cell) = cell(used.register()) else { continue };
        let access = used.access();
        let (read, written) = accesses(access);
        let whole =
            used.register().is_gpr64() || used.register().is_zmm() || used.register().is_k();
        if whole && matches!(access, OpAccess::Write | OpAccess::ReadWrite) {
            effect.overwrites.push(cell);
        }
        if written {
            effect.to.push(cell);
        }
        if read {
            let value = moves && !is_address(instruction, used.register());
            if value { &mut effect.from } else { &mut effect.reads }.push(cell);
        }
    }
}

fn flags(instruction: &Instruction, moves: bool, effect: &mut Effect) {
    let cell = Register::FLAGS.number();
    if instruction.rflags_read() & FLAGS != 0 {
        if moves { &mut effect.from } else { &mut effect.reads }.push(cell);
    }
    let modified = instruction.rflags_modified() & FLAGS;
    if modified != 0 {
        effect.to.push(cell);
    }
    // Shifts by a register may leave the flags as they are.
    if modified == FLAGS && !may_leave_flags(instruction) {
        effect.overwrites.push(cell);
    }
}

fn stack(touch: &Touch, moves: bool, slots: &Slots, effect: &mut Effect) {
    for offset in slots_of(touch) {
        let Slot::Touched(number) = slots.at(offset) else { continue };
        let cell = cell_of_slot(number);
        let covered = touch.offset <= offset && offset + SLOT <= touch.offset + touch.size;
        if touch.overwritten && covered {
            effect.overwrites.push(cell);
        }
        if touch.written {
            effect.to.push(cell);
        }
        if touch.read {
            if moves { &mut effect.from } else { &mut effect.reads }.push(cell);
        }
    }
}

fn accesses(access: OpAccess) -> (bool, bool) {
    match access {
        OpAccess::None => (false, false),
        OpAccess::Read | OpAccess::CondRead | OpAccess::NoMemAccess => (true, false),
        OpAccess::Write | OpAccess::CondWrite => (false, true),
        OpAccess::ReadWrite | OpAccess::ReadCondWrite => (true, true),
    }
}

/// Whether memory that it writes is all of followed slots.
fn writes_only_slots(info: &InstructionInfo, touches: &[Touch], slots: &Slots) -> bool {
    let writes = info.used_memory().iter().filter(|memory| accesses(memory.access()).1).count();
    let known = touches.iter().filter(|touch| touch.written);
    let followed = |touch: &Touch| slots_of(touch).all(|at| slots.at(at) != Slot::Lost);
    writes == known.clone().count() && known.into_iter().all(followed)
}

/// Whether an address is made of the register, and memory accessed there.
fn is_address(instruction: &Instruction, register: Named) -> bool {
    if instruction.mnemonic() == Mnemonic::Lea {
        return false;
    }
    let own = general(register);
    let implied = match instruction.mnemonic() {
        Mnemonic::Leave => Some(Register::RBP.number()),
        Mnemonic::Push | Mnemonic::Pop => Some(Register::RSP.number()),
        _ => None,
    };
    own.is_some()
        && ([instruction.memory_base(), instruction.memory_index()].map(general).contains(&own)
            || own == implied)
}

fn is_x87(feature: &CpuidFeature) -> bool {
    use CpuidFeature::{FPU, FPU287, FPU287XL_ONLY, FPU387, FPU387SL_ONLY, MMX, SSE};
    // Of the instructions of SSE some work on MMX registers, which are named then.
    !matches!(feature, &SSE)
        && matches!(feature, &FPU | &FPU287 | &FPU287XL_ONLY | &FPU387 | &FPU387SL_ONLY | &MMX)
}

/// Whether it stores or hashes up all registers there are, without naming them.
fn sees_everything(instruction: &Instruction) -> bool {
    use Mnemonic::{
        Fxrstor, Fxrstor64, Fxsave, Fxsave64, Xrstor, Xrstor64, Xrstors, Xrstors64, Xsave, Xsave64,
        Xsavec, Xsavec64, Xsaveopt, Xsaveopt64, Xsaves, Xsaves64,
    };
    matches!(
        instruction.mnemonic(),
        Fxrstor
            | Fxrstor64
            | Fxsave
            | Fxsave64
            | Xrstor
            | Xrstor64
            | Xrstors
            | Xrstors64
            | Xsave
            | Xsave64
            | Xsavec
            | Xsavec64
            | Xsaveopt
            | Xsaveopt64
            | Xsaves
            | Xsaves64
    )
}

fn may_leave_flags(instruction: &Instruction) -> bool {
    use Mnemonic::{Rcl, Rcr, Rol, Ror, Sal, Sar, Shl, Shld, Shr, Shrd};
    matches!(instruction.mnemonic(), Rcl | Rcr | Rol | Ror | Sal | Sar | Shl | Shld | Shr | Shrd)
        || instruction.is_string_instruction()
}

/// Whether its results follow from its operands, and it does nothing else that could be noticed but
/// access memory.
fn only_moves(instruction: &Instruction) -> bool {
    use Mnemonic::{
        Adc, Add, And, Bswap, Cdq, Cdqe, Cmova, Cmovae, Cmovb, Cmovbe, Cmove, Cmovg, Cmovge, Cmovl,
        Cmovle, Cmovne, Cmovno, Cmovnp, Cmovns, Cmovo, Cmovp, Cmovs, Cmp, Cqo, Cwde, Dec, Imul,
        Inc, Lea, Leave, Mov, Movapd, Movaps, Movd, Movdqa, Movdqu, Movq, Movsx, Movsxd, Movupd,
        Movups, Movzx, Mul, Neg, Not, Or, Pop, Push, Sar, Sbb, Seta, Setae, Setb, Setbe, Sete,
        Setg, Setge, Setl, Setle, Setne, Setno, Setnp, Setns, Seto, Setp, Sets, Shl, Shr, Sub,
        Test, Vmovaps, Vmovdqa, Vmovdqu, Vmovups, Xor,
    };
    matches!(
        instruction.mnemonic(),
        Adc | Add
            | And
            | Bswap
            | Cdq
            | Cdqe
            | Cmova
            | Cmovae
            | Cmovb
            | Cmovbe
            | Cmove
            | Cmovg
            | Cmovge
            | Cmovl
            | Cmovle
            | Cmovne
            | Cmovno
            | Cmovnp
            | Cmovns
            | Cmovo
            | Cmovp
            | Cmovs
            | Cmp
            | Cqo
            | Cwde
            | Dec
            | Imul
            | Inc
            | Lea
            | Leave
            | Mov
            | Movapd
            | Movaps
            | Movd
            | Movdqa
            | Movdqu
            | Movq
            | Movsx
            | Movsxd
            | Movupd
            | Movups
            | Movzx
            | Mul
            | Neg
            | Not
            | Or
            | Pop
            | Push
            | Sar
            | Sbb
            | Seta
            | Setae
            | Setb
            | Setbe
            | Sete
            | Setg
            | Setge
            | Setl
            | Setle
            | Setne
            | Setno
            | Setnp
            | Setns
            | Seto
            | Setp
            | Sets
            | Shl
            | Shr
            | Sub
            | Test
            | Vmovaps
            | Vmovdqa
            | Vmovdqu
            | Vmovups
            | Xor
    )
}

/// The registers that an instruction may write.
pub fn written(instruction: &Instruction, factory: &mut InstructionInfoFactory) -> RegisterSet {
    let mut set = RegisterSet::NONE;
    if instruction.cpuid_features().iter().any(is_x87) {
        set.insert(Register::X87);
    }
    for used in factory.info(instruction).used_registers() {
        if let Some(cell) = cell(used.register())
            && accesses(used.access()).1
        {
            set.insert(Register::numbered(cell));
        }
    }
    set
}
