//! Where the frame of a function is at each of its instructions, and where it has saved registers of
//! its caller: the rows of `.eh_frame`, as far as they are of the shapes that compilers write.

use std::ops::Range;

use gimli::{
    BaseAddresses, CfaRule, CieOrFde, EhFrame, LittleEndian, Pointer, Register as Number,
    RegisterRule, UnwindContext, UnwindSection,
};

use super::reads::Register;

/// The registers of [`Register::PRESERVED`] as DWARF numbers them.
const PRESERVED: [Number; 6] =
    [Number(3), Number(6), Number(12), Number(13), Number(14), Number(15)];
const RBP: Number = Number(6);
const RSP: Number = Number(7);
const RETURN_ADDRESS: Number = Number(16);

/// How the canonical frame address follows from a register: it is the address behind the return
/// address, which is the stack pointer of the caller behind the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cfa {
    /// The stack pointer or the frame pointer.
    pub register: Register,
    /// What is added to it.
    pub offset: i32,
}

/// What is known while the instruction pointer is in a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The linked addresses of the instructions.
    pub range: Range<u64>,
    /// The canonical frame address; `None` for a rule of another shape.
    pub cfa: Option<Cfa>,
    /// Where the registers of [`Register::PRESERVED`] are saved, from the canonical frame address.
    pub saved: [Option<i32>; 6],
    /// Whether there is a caller to return to.
    pub returns: bool,
}

impl Row {
    /// The stack pointer as an offset from the canonical frame address, where the row knows it.
    pub fn stack_pointer(&self) -> Option<i32> {
        self.based_on(Register::RSP)
    }

    /// The frame pointer as an offset from the canonical frame address, where it is one.
    pub fn frame_pointer(&self) -> Option<i32> {
        self.based_on(Register::RBP)
    }

    fn based_on(&self, register: Register) -> Option<i32> {
        let cfa = self.cfa.filter(|cfa| cfa.register == register)?;
        cfa.offset.checked_neg()
    }
}

/// One entry of `.eh_frame`: a function, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The linked addresses of its instructions.
    pub range: Range<u64>,
    /// Where the entry is in the section.
    offset: usize,
    /// Where its table of landing pads is.
    pub landing: Landing,
}

/// Where a function's table of landing pads is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Landing {
    /// It has none.
    None,
    /// At this linked address.
    At(u64),
    /// It cannot be told.
    Unknown,
}

/// `.eh_frame` of one file.
#[derive(Debug)]
pub struct Table {
    bytes: Vec<u8>,
    address: u64,
    /// By ascending address, without overlaps.
    entries: Vec<Entry>,
}

impl Table {
    /// The section with these bytes at this linked address. What cannot be read is left out.
    pub fn new(bytes: Vec<u8>, address: u64) -> Self {
        let mut entries = Vec::new();
        let section = EhFrame::new(&bytes, LittleEndian);
        let bases = BaseAddresses::default().set_eh_frame(address);
        let mut all = section.entries(&bases);
        while let Ok(Some(entry)) = all.next() {
            let CieOrFde::Fde(partial) = entry else { continue };
            let Ok(fde) = partial.parse(EhFrame::cie_from_offset) else { continue };
            let range = fde.initial_address()..fde.end_address();
            let landing = match fde.lsda() {
                None => Landing::None,
                Some(Pointer::Direct(address)) => Landing::At(address),
                Some(Pointer::Indirect(_)) => Landing::Unknown,
            };
            if range.start < range.end && !fde.is_signal_trampoline() {
                entries.push(Entry { range, offset: fde.offset(), landing });
            }
        }
        entries.sort_by_key(|entry| entry.range.start);
        // Of entries that overlap none can be trusted, and a function without one is not analysed.
        let overlaps: Vec<bool> = (0..entries.len())
            .map(|at| {
                let with = |other: usize| entries.get(other).map(|entry| &entry.range);
                let range = &entries[at].range;
                with(at + 1).is_some_and(|next| next.start < range.end)
                    || at > 0 && with(at - 1).is_some_and(|last| range.start < last.end)
            })
            .collect();
        let mut overlaps = overlaps.into_iter();
        entries.retain(|_| !overlaps.next().unwrap_or(true));
        Table { bytes, address, entries }
    }

    /// The entry that covers a linked address.
    pub fn entry(&self, address: u64) -> Option<&Entry> {
        let behind = self.entries.partition_point(|entry| entry.range.start <= address);
        self.entries[..behind].last().filter(|entry| entry.range.contains(&address))
    }

    /// The rows of `entry`, by ascending address.
    pub fn rows(&self, entry: &Entry) -> Option<Vec<Row>> {
        let section = EhFrame::new(&self.bytes, LittleEndian);
        let bases = BaseAddresses::default().set_eh_frame(self.address);
        let fde =
            section.fde_from_offset(&bases, entry.offset.into(), EhFrame::cie_from_offset).ok()?;
        let mut context = UnwindContext::new();
        let mut table = fde.rows(&section, &bases, &mut context).ok()?;
        let mut rows = Vec::new();
        while let Some(row) = table.next_row().ok()? {
            let mut cfa = match row.cfa() {
                CfaRule::RegisterAndOffset { register, offset } => {
                    let register = match *register {
                        RBP => Some(Register::RBP),
                        RSP => Some(Register::RSP),
                        _ => None,
                    };
                    register.zip(small(*offset)).map(|(register, offset)| Cfa { register, offset })
                }
                CfaRule::Expression(_) => None,
            };
            let mut saved = [None; 6];
            for (place, number) in saved.iter_mut().zip(PRESERVED) {
                match row.register(number) {
                    None | Some(RegisterRule::SameValue | RegisterRule::Undefined) => {}
                    Some(RegisterRule::Offset(offset)) if offset < 0 && offset % 8 == 0 => {
                        *place = small(offset);
                        cfa = cfa.filter(|_| place.is_some());
                    }
                    Some(_) => cfa = None,
                }
            }
            let returns = match row.register(RETURN_ADDRESS) {
                None | Some(RegisterRule::Undefined) => false,
                Some(RegisterRule::Offset(-8)) => true,
                Some(_) => {
                    cfa = None;
                    true
                }
            };
            rows.push(Row { range: row.start_address()..row.end_address(), cfa, saved, returns });
        }
        Some(rows)
    }
}

/// Offsets are kept small, so that sums of a few of them cannot overflow.
fn small(offset: i64) -> Option<i32> {
    i32::try_from(offset).ok().filter(|offset| offset.unsigned_abs() < 1 << 28)
}
