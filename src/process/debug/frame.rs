//! The canonical frame address of each piece of code, from call frame information: what stack places
//! are counted from. Which register it is found by, and how far below it callee-saved registers start.
//!
//! Source: DWARF 5, 6.4; the LSB for `.eh_frame`.

use std::ops::Range;

use gimli::{BaseAddresses, CfaRule, CieOrFde, RegisterRule, UnwindContext, UnwindSection};

use super::image::Image;
use super::units::Bytes;

/// DWARF's number of `rbp`.
pub(super) const FRAME_POINTER: u16 = 6;
/// DWARF's number of `rsp`.
pub(super) const STACK_POINTER: u16 = 7;

/// Some code with one rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub code: Range<u64>,
    /// The frame address is what this register holds and this number more; `None` if it is found in
    /// another way.
    pub cfa: Option<(u16, i64)>,
    /// The lowest place where a register of the caller is saved.
    pub saved: Option<i64>,
}

/// The call frame information of a file.
pub(super) struct Frames {
    section: Section,
    bases: BaseAddresses,
    /// By start, the code of each description and where that is.
    descriptions: Vec<(Range<u64>, usize)>,
}

enum Section {
    Unwinding(gimli::EhFrame<Bytes>),
    Debugging(gimli::DebugFrame<Bytes>),
    None,
}

impl Frames {
    /// What `image` says: `.eh_frame` if there is one, since it covers all code then.
    pub fn of(image: &Image) -> Self {
        let (section, address) = match (image.section(".eh_frame"), image.section(".debug_frame")) {
            (Some((address, bytes)), _) => (Section::Unwinding(bytes.into()), address),
            (None, Some((address, bytes))) => (Section::Debugging(bytes.into()), address),
            (None, None) => (Section::None, 0),
        };
        let bases = BaseAddresses::default().set_eh_frame(address);
        let mut descriptions = match &section {
            Section::Unwinding(section) => descriptions(section, &bases),
            Section::Debugging(section) => descriptions(section, &bases),
            Section::None => Vec::new(),
        };
        descriptions.sort_by_key(|(code, offset)| (code.start, *offset));
        Frames { section, bases, descriptions }
    }

    /// The rules of `code`; `None` if there are none for some of it.
    pub fn rows(&self, code: &Range<u64>) -> Option<Vec<Row>> {
        let mut rows = match &self.section {
            Section::Unwinding(section) => self.read(section, code)?,
            Section::Debugging(section) => self.read(section, code)?,
            Section::None => return None,
        };
        rows.retain(|row| row.code.start < code.end && code.start < row.code.end);
        rows.sort_by_key(|row| row.code.start);
        let mut reached = code.start;
        for row in &rows {
            if row.code.start > reached {
                return None;
            }
            reached = reached.max(row.code.end);
        }
        (reached >= code.end).then_some(rows)
    }

    fn read<S: UnwindSection<Bytes>>(&self, section: &S, code: &Range<u64>) -> Option<Vec<Row>>
    where
        S::Offset: From<usize>,
    {
        let end = self.descriptions.partition_point(|(described, _)| described.start < code.end);
        let mut rows = Vec::new();
        // Descriptions do not overlap, so that only those from the last one before `code` on count.
        let before =
            self.descriptions.partition_point(|(described, _)| described.start <= code.start);
        for (_, offset) in &self.descriptions[before.saturating_sub(1).min(end)..end] {
            let description =
                section.fde_from_offset(&self.bases, (*offset).into(), S::cie_from_offset).ok()?;
            let mut context = UnwindContext::new();
            let mut table = description.rows(section, &self.bases, &mut context).ok()?;
            while let Some(row) = table.next_row().ok()? {
                let cfa = match row.cfa() {
                    CfaRule::RegisterAndOffset { register, offset } => Some((register.0, *offset)),
                    CfaRule::Expression(_) => None,
                };
                let saved = row.registers().filter_map(|(_, rule)| match rule {
                    RegisterRule::Offset(offset) => Some(*offset),
                    _ => None,
                });
                let saved = saved.min();
                rows.push(Row { code: row.start_address()..row.end_address(), cfa, saved });
            }
        }
        Some(rows)
    }
}

fn descriptions<S: UnwindSection<Bytes>>(
    section: &S,
    bases: &BaseAddresses,
) -> Vec<(Range<u64>, usize)> {
    let mut found = Vec::new();
    let mut entries = section.entries(bases);
    while let Ok(Some(entry)) = entries.next() {
        let CieOrFde::Fde(partial) = entry else { continue };
        let Ok(description) = partial.parse(S::cie_from_offset) else { continue };
        let start = description.initial_address();
        let Some(end) = start.checked_add(description.len()) else { continue };
        found.push((start..end, description.offset()));
    }
    found
}
