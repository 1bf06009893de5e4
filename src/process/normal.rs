//! The normal form of a node that waits: what no continuation reads before it writes it is made zero,
//! here and in the process, before it goes on.
//!
//! What is left out of an identity must not come back. A dead slot of a frame that is merely ignored
//! can be an uninitialised slot of the next frame; overwritten, it holds the same in every process
//! that has this identity. What is overwritten is below the stack pointer; or dead by the machine code
//! of the frames that are under way ([`super::liveness`]); or clobbered by the kernel; or owned by a
//! library that resets it before it looks ([`super::stdio`]).

use std::ops::Range;

use super::liveness::{Register, RegisterSet, Stack};
use super::registers::{General, Registers};
use super::snapshot::Snapshot;

/// Where ptrace keeps the general registers that instructions number from 0.
const GENERAL: [General; 16] = [
    General::Rax,
    General::Rcx,
    General::Rdx,
    General::Rbx,
    General::Rsp,
    General::Rbp,
    General::Rsi,
    General::Rdi,
    General::R8,
    General::R9,
    General::R10,
    General::R11,
    General::R12,
    General::R13,
    General::R14,
    General::R15,
];

/// Bring `snapshot` to its normal form, of which `stack` says what is dead on the stack and in
/// registers, and `owned` what is dead elsewhere.
pub fn clear(snapshot: &mut Snapshot, stack: &Stack, owned: &[Range<u64>]) {
    let below = snapshot.below_stack();
    snapshot.clear(&below);
    for range in stack.dead.iter().chain(owned) {
        snapshot.clear(range);
    }
    // The call is entered anew, and needs its number and arguments for that.
    let dead = stack.dead_registers.without(RegisterSet::CALL);
    snapshot.registers = without(&snapshot.registers, dead);
}

/// What the program can still read of the registers of a node in normal form. The arguments of the
/// call that it waits in are part of its identity by themselves.
pub fn visible(snapshot: &Snapshot, stack: &Stack) -> Registers {
    without(&snapshot.registers, stack.dead_registers)
}

fn without(registers: &Registers, dead: RegisterSet) -> Registers {
    let mut registers = registers.clone();
    let overwritten = [Register::RCX, Register::R11];
    for register in dead.union(RegisterSet::of(&overwritten)).iter() {
        if let Some(&general) = GENERAL.get(register.number()) {
            registers.set(general, 0);
        }
    }
    if dead.contains(Register::FLAGS) {
        registers.clear_flags();
    }
    if RegisterSet::VECTORS.without(dead).is_empty() {
        registers.clear_vector();
    }
    registers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_dead_registers_are_cleared() {
        let mut registers = Registers::default();
        registers.general = [7; super::super::registers::GENERAL];
        let dead = RegisterSet::of(&[Register::RBX, Register::R8]);
        let cleared = without(&registers, dead);
        let zero = [General::Rbx, General::R8, General::Rcx, General::R11];
        for (place, value) in cleared.general.iter().enumerate() {
            let is_dead = zero.iter().any(|&general| general as usize == place);
            assert_eq!(*value, if is_dead { 0 } else { 7 }, "{place}");
        }
    }
}
