//! Where the bytes of a local variable are while its function waits: in memory, or in a register. A
//! register that calls preserve is still there, or an inner frame has saved it.

use smallvec::SmallVec;

use super::debug::Location;
use super::liveness::{Frame, Register};
use super::registers::{General, Registers};
use super::snapshot::Snapshot;

/// Bytes of a variable, and where they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seat {
    /// The first of them, by bytes from the start of the variable.
    pub from: u64,
    /// How many.
    pub size: u64,
    /// Where the first of them is.
    pub place: SeatPlace,
}

/// A place of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeatPlace {
    /// At this address.
    Memory(u64),
    /// The lowest byte of a register.
    Register(General),
}

/// All of a variable.
pub type Seats = SmallVec<[Seat; 1]>;

/// The general registers as DWARF numbers them.
const GENERAL: [General; 16] = [
    General::Rax,
    General::Rdx,
    General::Rcx,
    General::Rbx,
    General::Rsi,
    General::Rdi,
    General::Rbp,
    General::Rsp,
    General::R8,
    General::R9,
    General::R10,
    General::R11,
    General::R12,
    General::R13,
    General::R14,
    General::R15,
];
/// Of them, the stack pointer.
const STACK_POINTER: u16 = 7;
/// Those of [`Register::PRESERVED`], in that order.
const PRESERVED: [General; 6] =
    [General::Rbx, General::Rbp, General::R12, General::R13, General::R14, General::R15];
const _: () = assert!(Register::PRESERVED.len() == PRESERVED.len());
/// Bytes of a general register.
const WORD: u64 = 8;

/// A frame of a node that waits.
#[derive(Clone, Copy, Debug)]
pub struct Standing<'a> {
    /// The frame.
    pub frame: &'a Frame,
    /// Whether it has called the kernel.
    pub innermost: bool,
    /// What is added to linked addresses of its file.
    pub bias: u64,
    /// The memory of the node.
    pub snapshot: &'a Snapshot,
    /// Its registers.
    pub registers: &'a Registers,
}

impl Standing<'_> {
    /// Where a variable of `size` bytes is; what is not known is left out.
    pub fn seats(&self, location: &Location, size: u64) -> Seats {
        let mut seats = Seats::new();
        self.add(location, 0, size, &mut seats);
        seats
    }

    fn add(&self, location: &Location, from: u64, size: u64, seats: &mut Seats) {
        let memory = |place| Seat { from, size, place: SeatPlace::Memory(place) };
        match location {
            Location::Frame(offset) => {
                seats.push(memory(self.frame.cfa.wrapping_add_signed(*offset)));
            }
            Location::Based { register: STACK_POINTER, offset } => {
                seats.push(memory(self.frame.sp.wrapping_add_signed(*offset)));
            }
            Location::Based { register, offset } => {
                let base = self.register(*register).and_then(|place| self.word(place));
                seats.extend(base.map(|base| memory(base.wrapping_add_signed(*offset))));
            }
            Location::Static(address) => seats.push(memory(address.wrapping_add(self.bias))),
            Location::Register(register) => {
                let place = self.register(*register).filter(|_| size <= WORD);
                seats.extend(place.map(|place| Seat { from, size, place }));
            }
            Location::Pieces(pieces) => {
                let mut from = from;
                for (location, size) in pieces {
                    self.add(location, from, *size, seats);
                    from += size;
                }
            }
            Location::ThreadLocal | Location::Memory | Location::Nowhere => {}
        }
    }

    /// Where what the function keeps in a register of DWARF is.
    fn register(&self, number: u16) -> Option<SeatPlace> {
        let register = *GENERAL.get(usize::from(number))?;
        let slot = match PRESERVED.iter().position(|preserved| *preserved == register) {
            Some(place) => self.frame.saved[place],
            // Whoever was called may have written it.
            None if !self.innermost => return None,
            None => None,
        };
        Some(slot.map_or(SeatPlace::Register(register), SeatPlace::Memory))
    }

    /// The word at a place.
    pub fn word(&self, place: SeatPlace) -> Option<u64> {
        match place {
            SeatPlace::Memory(address) => self.snapshot.word(address),
            SeatPlace::Register(register) => Some(self.registers.get(register)),
        }
    }
}

/// Where byte `offset` of a variable is, and how many behind it are in the same seat.
pub fn find(seats: &Seats, offset: u64) -> Option<(SeatPlace, u64)> {
    let seat = seats.iter().find(|seat| (seat.from..seat.from + seat.size).contains(&offset))?;
    let inside = offset - seat.from;
    let place = match seat.place {
        SeatPlace::Memory(address) => SeatPlace::Memory(address.wrapping_add(inside)),
        // Only whole registers hold words.
        SeatPlace::Register(register) if inside == 0 => SeatPlace::Register(register),
        SeatPlace::Register(_) => return None,
    };
    Some((place, seat.size - inside))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::layout::{Layout, Role};

    const STACK: u64 = 0x7fff_0000;

    fn seats(location: &Location, size: u64, saved: Option<u64>, innermost: bool) -> Seats {
        let words: Vec<u8> = (0..8u64).flat_map(|word| (STACK + word).to_le_bytes()).collect();
        let mut registers = Registers::default();
        registers.set(General::Rbp, STACK + 32);
        let ranges = [(STACK, Role::Stack, words)];
        let snapshot = Snapshot::for_tests(registers.clone(), Layout::default(), &ranges);
        let frame = Frame {
            return_address: 0,
            cfa: STACK + 64,
            module: 0,
            sp: STACK + 16,
            saved: [None, saved, None, None, None, None],
        };
        let (snapshot, registers) = (&snapshot, &registers);
        let standing = Standing { frame: &frame, innermost, bias: 0x1000, snapshot, registers };
        standing.seats(location, size)
    }

    fn memory(address: u64) -> SeatPlace {
        SeatPlace::Memory(address)
    }

    #[test]
    fn what_is_kept_in_a_register_is_where_an_inner_frame_has_saved_it() {
        let one = |location: &Location, saved, innermost| {
            seats(location, 8, saved, innermost).first().map(|seat| seat.place)
        };
        let (rbp, rax) = (Location::Register(6), Location::Register(0));
        assert_eq!(one(&rbp, None, false), Some(SeatPlace::Register(General::Rbp)));
        assert_eq!(one(&rbp, Some(STACK), false), Some(memory(STACK)));
        // Whoever was called may have overwritten the others.
        assert_eq!(one(&rax, None, false), None);
        assert_eq!(one(&rax, None, true), Some(SeatPlace::Register(General::Rax)));
        assert_eq!(one(&Location::Register(17), None, true), None);
    }

    #[test]
    fn memory_is_found_by_the_frame_and_by_registers() {
        let based = |register| Location::Based { register, offset: -8 };
        for (location, saved, expected) in [
            (Location::Frame(-16), None, STACK + 48),
            (Location::Static(8), None, 0x1008),
            (based(7), None, STACK + 8),
            (based(6), None, STACK + 24),
            // The word at STACK + 16 is STACK + 2.
            (based(6), Some(STACK + 16), STACK - 6),
        ] {
            let found = seats(&location, 4, saved, false);
            let seat = Seat { from: 0, size: 4, place: memory(expected) };
            assert_eq!(found[..], [seat], "{location:?}");
        }
        assert!(seats(&Location::Memory, 4, None, false).is_empty());
    }

    #[test]
    fn bytes_of_pieces_are_found() {
        let pieces =
            vec![(Location::Register(6), 8), (Location::Nowhere, 4), (Location::Frame(-8), 8)];
        let seats = seats(&Location::Pieces(pieces), 20, None, false);
        assert_eq!(find(&seats, 0), Some((SeatPlace::Register(General::Rbp), 8)));
        assert_eq!(find(&seats, 3), None);
        assert_eq!(find(&seats, 8), None);
        assert_eq!(find(&seats, 14), Some((memory(STACK + 58), 6)));
        assert_eq!(find(&seats, 20), None);
    }
}
