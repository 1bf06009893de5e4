//! Registers by number, sets of them, and the condition under which a location is read.
//!
//! A location that a function hands back to its caller is read if the caller reads it. Keeping that
//! apart from reads of the function itself makes one analysis of a function serve every chain of
//! calls that it stands in.

use std::fmt;

/// How many registers are told apart: 16 general ones, 32 of vectors, 8 of masks, the x87 state and
/// the status flags.
pub const REGISTERS: usize = 58;

/// A register, by its number in instructions; those behind the general ones are counted on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Register(u8);

impl Register {
    /// `rax`
    pub const RAX: Register = Register(0);
    /// `rcx`
    pub const RCX: Register = Register(1);
    /// `rdx`
    pub const RDX: Register = Register(2);
    /// `rbx`
    pub const RBX: Register = Register(3);
    /// `rsp`
    pub const RSP: Register = Register(4);
    /// `rbp`
    pub const RBP: Register = Register(5);
    /// `rsi`
    pub const RSI: Register = Register(6);
    /// `rdi`
    pub const RDI: Register = Register(7);
    /// `r8`
    pub const R8: Register = Register(8);
    /// `r9`
    pub const R9: Register = Register(9);
    /// `r10`
    pub const R10: Register = Register(10);
    /// `r11`
    pub const R11: Register = Register(11);
    /// `r12`
    pub const R12: Register = Register(12);
    /// `r13`
    pub const R13: Register = Register(13);
    /// `r14`
    pub const R14: Register = Register(14);
    /// `r15`
    pub const R15: Register = Register(15);
    /// The x87 registers with their tags, which are those of MMX too; not the control word.
    pub const X87: Register = Register(56);
    /// The six status flags; not the direction flag nor any other.
    pub const FLAGS: Register = Register(57);

    /// The registers that a function leaves as it found them, in the order in which
    /// [`super::Point`] lists where they are saved.
    pub const PRESERVED: [Register; 6] =
        [Self::RBX, Self::RBP, Self::R12, Self::R13, Self::R14, Self::R15];

    /// The general register `number`, below 16.
    pub const fn general(number: usize) -> Register {
        assert!(number < 16);
        Register(number as u8)
    }

    /// `xmm`, `ymm` and `zmm` of `number`, below 32: they are one register.
    pub const fn vector(number: usize) -> Register {
        assert!(number < 32);
        Register(16 + number as u8)
    }

    /// The mask register `number`, below 8.
    pub const fn mask(number: usize) -> Register {
        assert!(number < 8);
        Register(48 + number as u8)
    }

    /// The register with this number, below [`REGISTERS`].
    pub(super) const fn numbered(number: usize) -> Register {
        assert!(number < REGISTERS);
        Register(number as u8)
    }

    /// Its number, below [`REGISTERS`].
    pub const fn number(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const GENERAL: [&str; 16] = [
            "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11",
            "r12", "r13", "r14", "r15",
        ];
        match self.number() {
            general @ 0..16 => f.write_str(GENERAL[general]),
            vector @ 16..48 => write!(f, "zmm{}", vector - 16),
            mask @ 48..56 => write!(f, "k{}", mask - 48),
            56 => f.write_str("x87"),
            _ => f.write_str("flags"),
        }
    }
}

/// A set of registers.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct RegisterSet(u64);

impl RegisterSet {
    /// No register.
    pub const NONE: RegisterSet = RegisterSet(0);
    /// Every register.
    pub const ALL: RegisterSet = RegisterSet((1 << REGISTERS) - 1);
    /// The registers that a function leaves as it found them, the stack pointer among them.
    pub const PRESERVED: RegisterSet =
        Self::of(&Register::PRESERVED).union(Self::of(&[Register::RSP]));
    /// The registers in which a function may find arguments, the number of those in vectors, or the
    /// frame that it is nested in.
    pub const ARGUMENTS: RegisterSet = Self::of(&[
        Register::RDI,
        Register::RSI,
        Register::RDX,
        Register::RCX,
        Register::R8,
        Register::R9,
        Register::RAX,
        Register::R10,
    ])
    .union(RegisterSet(0xff << 16));
    /// The registers in which a function may leave its result.
    pub const RESULTS: RegisterSet = Self::of(&[
        Register::RAX,
        Register::RDX,
        Register::vector(0),
        Register::vector(1),
        Register::X87,
    ]);
    /// The vector, mask and x87 registers.
    pub const VECTORS: RegisterSet =
        RegisterSet((1 << Register::X87.0) - (1 << 16)).union(Self::of(&[Register::X87]));
    /// The number and the arguments of a system call. A call that is entered anew needs them, though
    /// nothing behind it may read them.
    pub const CALL: RegisterSet = Self::of(&[
        Register::RAX,
        Register::RDI,
        Register::RSI,
        Register::RDX,
        Register::R10,
        Register::R8,
        Register::R9,
    ]);
    /// What the kernel overwrites in a system call.
    pub const OVERWRITTEN: RegisterSet = Self::of(&[Register::RAX, Register::RCX, Register::R11]);

    /// These registers.
    pub const fn of(registers: &[Register]) -> RegisterSet {
        let mut set = 0;
        let mut at = 0;
        while at < registers.len() {
            set |= 1 << registers[at].0;
            at += 1;
        }
        RegisterSet(set)
    }

    /// Those of either.
    pub const fn union(self, other: RegisterSet) -> RegisterSet {
        RegisterSet(self.0 | other.0)
    }

    /// Those of both.
    pub const fn and(self, other: RegisterSet) -> RegisterSet {
        RegisterSet(self.0 & other.0)
    }

    /// Those that are not in `other`.
    pub const fn without(self, other: RegisterSet) -> RegisterSet {
        RegisterSet(self.0 & !other.0)
    }

    /// Whether `register` is in it.
    pub const fn contains(self, register: Register) -> bool {
        self.0 >> register.0 & 1 != 0
    }

    /// Add `register`.
    pub fn insert(&mut self, register: Register) {
        self.0 |= 1 << register.0;
    }

    /// Whether it has no register.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Its registers by ascending number.
    pub fn iter(self) -> impl Iterator<Item = Register> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let first = (left != 0).then(|| Register(left.trailing_zeros() as u8))?;
            left &= left - 1;
            Some(first)
        })
    }
}

impl fmt::Debug for RegisterSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// When a location is read before it is written: always, meaning on some path whatever the caller
/// does, or if the caller reads one of some registers behind the return, or never.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Reads(u64);

impl Reads {
    /// On no path.
    pub const NEVER: Reads = Reads(0);
    /// On some path, whatever the caller does.
    pub const ALWAYS: Reads = Reads(1 << 63);

    /// If the caller reads `register`.
    pub const fn caller(register: Register) -> Reads {
        Reads(1 << register.0)
    }

    /// Under either condition.
    pub const fn or(self, other: Reads) -> Reads {
        Reads(self.0 | other.0)
    }

    /// Whether it is read when the caller reads `live`.
    pub const fn under(self, live: RegisterSet) -> bool {
        self.0 & (1 << 63 | live.0) != 0
    }

    /// Whether it is read whatever the caller does.
    pub const fn always(self) -> bool {
        self.0 >> 63 != 0
    }

    /// Add a condition; whether it was not there yet.
    pub(super) fn add(&mut self, other: Reads) -> bool {
        let before = self.0;
        self.0 |= other.0;
        self.0 != before
    }
}

impl fmt::Debug for Reads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.always() {
            return f.write_str("always");
        }
        RegisterSet(self.0).fmt(f)
    }
}
