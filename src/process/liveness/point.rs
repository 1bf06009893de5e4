//! What is known of a place at which a function waits for a call to end.

use super::reads::{REGISTERS, Reads, Register, RegisterSet};
use super::rows::Cfa;

/// A place behind a call or a system call. Offsets are from the canonical frame address.
#[derive(Clone, Debug)]
pub struct Point {
    /// How the canonical frame address follows from a register; `None` if no caller can be found.
    pub cfa: Option<Cfa>,
    /// Where the registers of [`Register::PRESERVED`] are saved that hold something else.
    pub saved: [Option<i32>; 6],
    /// Whether there is a caller.
    pub returns: bool,
    /// Whether the code was understood. If not, all of it is taken to be read.
    pub known: bool,
    /// Whether the call follows the convention, so that but for results the registers that a function
    /// may overwrite hold nothing behind it.
    pub convention: bool,
    /// Registers in which the function may be keeping its result while it waits.
    pub results: RegisterSet,
    /// How far above the canonical frame address the function may read its arguments.
    pub incoming: i32,
    /// By register, when it is read before it is written.
    pub registers: [Reads; REGISTERS],
    /// The slots that are not always read, ascending and apart.
    pub slots: Vec<Run>,
}

/// Bytes of a frame with the same fate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The first byte.
    pub start: i32,
    /// The first byte behind them.
    pub end: i32,
    /// When they are read before they are written.
    pub reads: Reads,
}

impl Point {
    /// The registers that are read when the caller reads `live`.
    pub fn live(&self, live: RegisterSet) -> RegisterSet {
        let mut set = RegisterSet::NONE;
        for (number, reads) in self.registers.iter().enumerate() {
            if reads.under(live) {
                set.insert(Register::numbered(number));
            }
        }
        set
    }
}
