//! Which places of its frame the code of a function mentions: what tells of objects that have no name.
//!
//! An object that is never mentioned by an instruction is never used, so one that shares the bytes of
//! a variable shows by a mention outside of the code that may use the variable. Only what is sure is
//! said: code that does not decode, and an address that is made in a way that is not followed, are an
//! answer of nothing.

use std::ops::Range;

use iced_x86::{Code, Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register};

use super::frame::{FRAME_POINTER, Row, STACK_POINTER};
use super::image::Image;

/// An instruction that accesses a place of the frame, or makes its address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mention {
    /// Where the instruction is.
    pub at: u64,
    /// The bytes, from the canonical frame address; of an address that is made, the one at it.
    pub bytes: Range<i64>,
}

/// What the code in `ranges`, with the frames in `rows`, mentions.
pub(super) fn mentions(image: &Image, ranges: &[Range<u64>], rows: &[Row]) -> Option<Vec<Mention>> {
    let mut found = Vec::new();
    for range in ranges {
        let code = image.code(range)?;
        let mut decoder = Decoder::with_ip(64, code, range.start, DecoderOptions::NONE);
        let mut instruction = Instruction::default();
        while decoder.can_decode() {
            decoder.decode_out(&mut instruction);
            if instruction.code() == Code::INVALID {
                return None;
            }
            let row = rows.iter().find(|row| row.code.contains(&instruction.ip()))?;
            if let Some(bytes) = mentioned(&instruction, row)? {
                found.push(Mention { at: instruction.ip(), bytes });
            }
        }
    }
    Some(found)
}

/// What one instruction mentions, if it mentions anything; nothing is known if the outer is `None`.
fn mentioned(instruction: &Instruction, row: &Row) -> Option<Option<Range<i64>>> {
    if moves_frame(instruction) {
        return Some(None);
    }
    let (by, distance) = row.cfa?;
    let is = |register: Register, number: u16| {
        let full = register.full_register();
        (full == Register::RSP && number == STACK_POINTER)
            || (full == Register::RBP && number == FRAME_POINTER)
    };
    let kind = |operand| instruction.op_kind(operand);
    let operands = 0..instruction.op_count();
    // The register itself, as an address: it can be said of what it is one if it is only copied.
    for operand in operands.clone().skip(1).filter(|&operand| kind(operand) == OpKind::Register) {
        let register = instruction.op_register(operand);
        if is(register, by) {
            let copied = instruction.mnemonic() == Mnemonic::Mov && kind(0) == OpKind::Register;
            return copied.then_some(Some(-distance..-distance + 1));
        }
        if register.full_register() == Register::RSP {
            return None;
        }
    }
    if !operands.into_iter().any(|operand| kind(operand) == OpKind::Memory) {
        return Some(None);
    }
    let (base, index) = (instruction.memory_base(), instruction.memory_index());
    if is(index, by) || base == Register::RSP && by != STACK_POINTER {
        return None;
    }
    if !is(base, by) {
        return Some(None);
    }
    let start = (instruction.memory_displacement64() as i64).checked_sub(distance)?;
    let size = match instruction.mnemonic() {
        Mnemonic::Lea => 1,
        _ => i64::try_from(instruction.memory_size().size().max(1)).ok()?,
    };
    Some(Some(start..start.checked_add(size)?))
}

/// Whether it moves the frame's own registers, or what lies below the frame.
fn moves_frame(instruction: &Instruction) -> bool {
    match instruction.mnemonic() {
        Mnemonic::Push | Mnemonic::Pop | Mnemonic::Call | Mnemonic::Ret | Mnemonic::Leave => {
            // What is pushed or called may be in the frame.
            (0..instruction.op_count())
                .all(|operand| instruction.op_kind(operand) != OpKind::Memory)
        }
        Mnemonic::Nop | Mnemonic::Endbr64 => true,
        _ => {
            let to = (instruction.op_count() > 0 && instruction.op0_kind() == OpKind::Register)
                .then(|| instruction.op0_register());
            let sets_frame_pointer = to == Some(Register::RBP)
                && instruction.mnemonic() == Mnemonic::Mov
                && instruction.op1_kind() == OpKind::Register
                && instruction.op1_register() == Register::RSP;
            to == Some(Register::RSP) && instruction.mnemonic() != Mnemonic::Cmp
                || sets_frame_pointer
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(code: &[u8], cfa: (u16, i64)) -> Option<Option<Range<i64>>> {
        let instruction = Decoder::new(64, code, DecoderOptions::NONE).decode();
        mentioned(&instruction, &Row { code: 0..16, cfa: Some(cfa), saved: None })
    }

    #[test]
    fn places_are_counted_from_the_frame_address() {
        let by_stack = (STACK_POINTER, 64);
        let by_frame = (FRAME_POINTER, 16);
        // mov [rsp+16], rdi; lea rdi, [rsp+16]; mov rdi, rsp
        assert_eq!(said(&[0x48, 0x89, 0x7c, 0x24, 0x10], by_stack), Some(Some(-48..-40)));
        assert_eq!(said(&[0x48, 0x8d, 0x7c, 0x24, 0x10], by_stack), Some(Some(-48..-47)));
        assert_eq!(said(&[0x48, 0x89, 0xe7], by_stack), Some(Some(-64..-63)));
        // mov [rbp-8], eax: the frame pointer, or any register.
        assert_eq!(said(&[0x89, 0x45, 0xf8], by_frame), Some(Some(-24..-20)));
        assert_eq!(said(&[0x89, 0x45, 0xf8], by_stack), Some(None));
        // push rbp; mov rbp, rsp; sub rsp, 16; call [rsp+8]
        assert_eq!(said(&[0x55], by_frame), Some(None));
        assert_eq!(said(&[0x48, 0x89, 0xe5], by_stack), Some(None));
        assert_eq!(said(&[0x48, 0x83, 0xec, 0x10], by_stack), Some(None));
        assert_eq!(said(&[0xff, 0x54, 0x24, 0x08], by_stack), Some(Some(-56..-48)));
    }

    #[test]
    fn what_is_not_followed_is_not_known() {
        let by_frame = (FRAME_POINTER, 16);
        // add rax, rbp; mov [rsp], edi; mov [rax+rbp], edi; mov [rbp-8], rsp
        assert_eq!(said(&[0x48, 0x01, 0xe8], by_frame), None);
        assert_eq!(said(&[0x89, 0x3c, 0x24], by_frame), None);
        assert_eq!(said(&[0x89, 0x3c, 0x28], by_frame), None);
        assert_eq!(said(&[0x48, 0x89, 0x65, 0xf8], by_frame), None);
    }
}
