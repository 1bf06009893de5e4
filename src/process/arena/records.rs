//! The records of the heap, read and checked.

use std::fmt;

use super::super::contract::{
    ALIGN, ARENA_BASE, ARENA_MAGIC, ARENA_SIZE, ARENA_USED, CLASSES, GAP, HEADER_AT_CLASS_FREE,
    HEADER_AT_CLASS_SLAB, HEADER_AT_FREE_FIRST, HEADER_AT_LOCK, HEADER_AT_META_END,
    HEADER_AT_META_NEXT, HEADER_AT_PLACED, HEADER_AT_PLACEMENT, HEADER_AT_TABLE, HEADER_AT_TABLES,
    PAGE, PAGE_BODY, PAGE_FREE, PAGE_LARGE, PAGE_META, PAGE_NONE, PAGE_SLAB, PLACEMENT_FIRST,
    PLACEMENT_PERMUTED, RECORD_AT_ALIGNED, RECORD_AT_KIND, RECORD_AT_LEAD, RECORD_AT_REF,
    RECORD_AT_SPAN, RECORD_BYTES, SLAB_AT_CLASS, SLAB_AT_LIMIT, SLAB_AT_SLOTS, SLAB_AT_START,
    SLAB_AT_STRIDE, SLAB_AT_TAKEN, SLAB_BYTES, SLOT_AT_ALIGNED, SLOT_AT_LEAD, SLOT_AT_SIZE_OR_NEXT,
    SLOT_AT_STATE, SLOT_BYTES, SLOT_FREE, SLOT_FRESH, SLOT_LIVE, TABLE_PAGES,
};
use super::{Heap, Object, Owner, PAGE_BYTES, Placement, Slab, Slot};

/// What is wrong with the records.
pub(super) struct Wrong(pub String);

pub(super) type Checked<T> = Result<T, Wrong>;

fn wrong<T>(offset: u32, what: impl fmt::Display) -> Checked<T> {
    Err(Wrong(format!("{what} at {:#x}", address(offset))))
}

pub(super) fn address(offset: u32) -> u64 {
    ARENA_BASE + u64::from(offset)
}

/// The records as they lie in memory; nothing of them is known to be right.
#[derive(Clone, Copy)]
struct Records<'a> {
    bytes: &'a [u8],
    /// The tables of page records.
    tables: &'a [u8],
}

#[derive(Clone, Copy)]
struct PageRecord {
    kind: u64,
    span: u32,
    reference: u32,
    lead: u32,
    aligned: u32,
}

impl<'a> Records<'a> {
    fn word(self, offset: u64) -> Checked<u32> {
        let at = offset as usize;
        match self.bytes.get(at..at + 4) {
            Some(word) => Ok(u32::from_le_bytes(word.try_into().expect("four bytes"))),
            None => wrong(offset as u32, "a record beyond its end"),
        }
    }

    fn half(self, offset: u64) -> Checked<u32> {
        Ok(self.word(offset & !3)? >> (8 * (offset & 2)) & 0xffff)
    }

    fn pages(self) -> u32 {
        (self.bytes.len() / PAGE_BYTES as usize) as u32
    }

    /// The record of a page in use.
    fn page(self, page: u32) -> Checked<PageRecord> {
        let table = (page / TABLE_PAGES as u32) as usize;
        let Some(table) = self.tables.get(4 * table..4 * table + 4) else {
            return wrong(page * PAGE_BYTES, "a page without a record");
        };
        let table = u32::from_le_bytes(table.try_into().expect("four bytes"));
        let offset = u64::from(table) + RECORD_BYTES * (u64::from(page) % TABLE_PAGES);
        Ok(PageRecord {
            kind: self.word(offset + RECORD_AT_KIND)?.into(),
            span: self.word(offset + RECORD_AT_SPAN)?,
            reference: self.word(offset + RECORD_AT_REF)?,
            lead: self.half(offset + RECORD_AT_LEAD)?,
            aligned: self.half(offset + RECORD_AT_ALIGNED)?,
        })
    }
}

impl Heap {
    /// Become the heap of these bytes; what is left after an error means nothing.
    pub(super) fn fill(&mut self, bytes: &[u8]) -> Checked<()> {
        self.owners.clear();
        self.slabs.clear();
        self.slots.clear();
        self.objects.clear();
        self.newest = [0; CLASSES as usize];
        let records = self.read_header(bytes)?;
        self.owners.resize(records.pages() as usize, Owner::Nobody);
        let placed = records.word(HEADER_AT_PLACED)?;
        if placed > records.pages() {
            return wrong(HEADER_AT_PLACED as u32, "a mark beyond the pages in use");
        }
        let mut free = records.word(HEADER_AT_FREE_FIRST)?;
        let mut page = 0;
        while page < records.pages() {
            let record = records.page(page)?;
            let span = match record.kind {
                PAGE_META => {
                    self.owners[page as usize] = Owner::Records;
                    1
                }
                PAGE_SLAB => self.read_slab(records, page, record.reference, placed)?,
                PAGE_LARGE => self.read_large(records, page, record)?,
                PAGE_FREE if page == free => {
                    free = record.reference;
                    check_run(records, page, record.span, |body| body.kind == PAGE_NONE)?
                }
                // What was given back before the hello.
                PAGE_NONE if page < placed => 1,
                _ => return wrong(page * PAGE_BYTES, "a page that nothing owns"),
            };
            page += span;
        }
        if free != 0 {
            return wrong(HEADER_AT_FREE_FIRST as u32, "a free run that is none, listed");
        }
        for table in records.tables.chunks_exact(4) {
            let table = u32::from_le_bytes(table.try_into().expect("four bytes"));
            if self.owners[(table / PAGE_BYTES) as usize] != Owner::Records {
                return wrong(HEADER_AT_TABLE as u32, "a table of pages outside of records");
            }
        }
        self.read_meta(records)?;
        self.read_free_lists(records)
    }

    fn read_header<'a>(&mut self, bytes: &'a [u8]) -> Checked<Records<'a>> {
        let header = |what| wrong(0, format_args!("a header with {what}"));
        let word = |offset: u64| {
            let at = offset as usize;
            bytes[at..at + 8].try_into().map(u64::from_le_bytes).expect("eight bytes")
        };
        let half = |offset: u64| word(offset) as u32;
        let length = bytes.len() as u64;
        if length < PAGE
            || !length.is_multiple_of(PAGE)
            || length > ARENA_SIZE
            || word(ARENA_USED) != length
        {
            return header("another size");
        }
        if word(0) != ARENA_MAGIC || half(HEADER_AT_LOCK) != 0 {
            return header("another mark, or locked,");
        }
        self.placement = match u64::from(half(HEADER_AT_PLACEMENT)) {
            PLACEMENT_FIRST => Placement::First,
            PLACEMENT_PERMUTED => Placement::Permuted,
            _ => return header("a placement that there is not"),
        };
        let tables = u64::from(half(HEADER_AT_TABLES));
        if tables * TABLE_PAGES * PAGE < length || tables > ARENA_SIZE / PAGE / TABLE_PAGES {
            return header("another number of tables");
        }
        let tables = &bytes[HEADER_AT_TABLE as usize..(HEADER_AT_TABLE + 4 * tables) as usize];
        let lies = |table: &[u8]| {
            let table = u32::from_le_bytes(table.try_into().expect("four bytes"));
            table.is_multiple_of(PAGE_BYTES) && u64::from(table) < length
        };
        if !tables.chunks_exact(4).all(lies) {
            return header("a table that lies nowhere");
        }
        Ok(Records { bytes, tables })
    }

    /// The slab whose first page is `page`; how many pages it has.
    fn read_slab(
        &mut self,
        records: Records<'_>,
        page: u32,
        offset: u32,
        placed: u32,
    ) -> Checked<u32> {
        let at = u64::from(offset);
        let start = records.word(at + SLAB_AT_START)?;
        let stride = records.word(at + SLAB_AT_STRIDE)?;
        let class = records.half(at + SLAB_AT_CLASS)?;
        let slots = records.half(at + SLAB_AT_SLOTS)?;
        let taken = records.half(at + SLAB_AT_TAKEN)?;
        let limit = records.half(at + SLAB_AT_LIMIT)?;
        let ends = u64::from(start) + u64::from(slots) * u64::from(stride);
        let small = u64::from(stride) <= PAGE && u64::from(stride) > GAP;
        let lies = start / PAGE_BYTES == page && start % PAGE_BYTES <= ALIGN as u32;
        let aligned = (start | stride | offset).is_multiple_of(ALIGN as u32);
        let counts = slots > 0 && taken <= limit && limit <= slots && u64::from(class) < CLASSES;
        let table = at + SLAB_BYTES..at + SLAB_BYTES + SLOT_BYTES * u64::from(slots);
        let whole = at / PAGE == (table.end - 1) / PAGE;
        let meta = offset / PAGE_BYTES < records.pages()
            && records.page(offset / PAGE_BYTES)?.kind == PAGE_META;
        if !(small && lies && aligned && counts && whole && meta) {
            return wrong(offset, "a slab that cannot be");
        }
        let number = self.slabs.len() as u32;
        let span = ends.div_ceil(PAGE) as u32 - page;
        check_run(records, page, span, |body| body.kind == PAGE_SLAB && body.reference == offset)?;
        self.owners[page as usize..(page + span) as usize].fill(Owner::Slab(number));
        let first = self.slots.len() as u32;
        if records.word(HEADER_AT_CLASS_SLAB + 4 * u64::from(class))? == offset {
            self.newest[class as usize] = offset;
        }
        self.slabs.push(Slab { start, stride, class, taken, offset, first, slots });

        let table = &records.bytes[table.start as usize..table.end as usize];
        let mut seen = 0;
        for (slot, record) in table.chunks_exact(SLOT_BYTES as usize).enumerate() {
            let record = u64::from_le_bytes(record.try_into().expect("eight bytes"));
            let size = (record >> (8 * SLOT_AT_SIZE_OR_NEXT)) as u32;
            let lead = (record >> (8 * SLOT_AT_LEAD)) as u32 & 0xffff;
            let read = match record >> (8 * SLOT_AT_STATE) & 0xff {
                SLOT_FRESH if record == 0 => Slot::Unused,
                SLOT_LIVE
                    if u64::from(size) + u64::from(lead) + GAP <= stride.into()
                        && lead.is_multiple_of(ALIGN as u32) =>
                {
                    let start = address(start + slot as u32 * stride + lead);
                    let aligned = record >> (8 * SLOT_AT_ALIGNED) & 0xff != 0;
                    self.objects.push(Object { start, size, room: stride - lead, aligned });
                    Slot::Live(self.objects.len() as u32 - 1)
                }
                SLOT_FREE if page < placed => Slot::Unused,
                SLOT_FREE => Slot::Loose,
                _ => {
                    return wrong(
                        offset,
                        format_args!("a slot {slot} that cannot be, of the slab"),
                    );
                }
            };
            seen += u32::from(record != 0);
            self.slots.push(read);
        }
        match seen == taken {
            true => Ok(span),
            false => wrong(offset, "another number of slots than were given, of the slab"),
        }
    }

    /// The object whose first page is `page`; how many pages it has.
    fn read_large(&mut self, records: Records<'_>, page: u32, record: PageRecord) -> Checked<u32> {
        let PageRecord { span, reference: size, lead, aligned, .. } = record;
        check_run(records, page, span, |body| body.kind == PAGE_BODY && body.reference == page)?;
        let ends = u64::from(lead) + u64::from(size) + GAP;
        let lies = lead.is_multiple_of(ALIGN as u32) && lead < PAGE_BYTES;
        if ends > u64::from(span) * PAGE || !lies {
            return wrong(page * PAGE_BYTES, "an object that does not fit its pages");
        }
        // As the allocator counts: the pages of the size, and one where the object starts late.
        let pages = (size + GAP as u32).div_ceil(PAGE_BYTES) + u32::from(lead != 0);
        let index = self.objects.len() as u32;
        self.owners[page as usize..(page + span) as usize].fill(Owner::Object(index));
        let start = address(page * PAGE_BYTES + lead);
        let room = pages.min(span) * PAGE_BYTES - lead;
        self.objects.push(Object { start, size, room, aligned: aligned != 0 });
        Ok(span)
    }

    /// Where the next slab record goes, and which slabs are the newest of their classes.
    fn read_meta(&self, records: Records<'_>) -> Checked<()> {
        let (next, end) = (records.word(HEADER_AT_META_NEXT)?, records.word(HEADER_AT_META_END)?);
        let last = end.wrapping_sub(1) / PAGE_BYTES;
        let lies = next.is_multiple_of(ALIGN as u32)
            && end.is_multiple_of(PAGE_BYTES)
            && next <= end
            && end - next <= PAGE_BYTES
            && self.owners.get(last as usize) == Some(&Owner::Records);
        if end != 0 && !lies || end == 0 && next != 0 {
            return wrong(HEADER_AT_META_NEXT as u32, "a place for slab records that is none");
        }
        for class in 0..CLASSES {
            let at = HEADER_AT_CLASS_SLAB + 4 * class;
            let offset = records.word(at)?;
            if offset != self.newest[class as usize] {
                return wrong(at as u32, "a newest slab that is none");
            }
        }
        Ok(())
    }

    fn read_free_lists(&mut self, records: Records<'_>) -> Checked<()> {
        for class in 0..CLASSES {
            let mut at = HEADER_AT_CLASS_FREE + 4 * class;
            for place in 0.. {
                let offset = records.word(at)?;
                if offset == 0 {
                    break;
                }
                let owner = self.owners.get((offset / PAGE_BYTES) as usize);
                let Some(&Owner::Slab(slab)) = owner else {
                    return wrong(at as u32, "a free slot outside of slabs, listed");
                };
                let slab = &self.slabs[slab as usize];
                let within = offset.wrapping_sub(slab.start);
                let slot = within / slab.stride;
                let lies = within.is_multiple_of(slab.stride) && u64::from(slab.class) == class;
                // Once it is met it is no longer loose, so that a list which goes round ends here.
                match self.slots.get_mut((slab.first + slot.min(slab.slots)) as usize) {
                    Some(found @ Slot::Loose) if lies && slot < slab.slots => {
                        *found = Slot::Free(place);
                    }
                    _ => return wrong(at as u32, "a free slot that is none, listed"),
                }
                at = u64::from(slab.offset)
                    + SLAB_BYTES
                    + SLOT_BYTES * u64::from(slot)
                    + SLOT_AT_SIZE_OR_NEXT;
            }
        }
        match self.slots.contains(&Slot::Loose) {
            true => wrong(HEADER_AT_CLASS_FREE as u32, "a list that lacks a free slot"),
            false => Ok(()),
        }
    }
}

/// That the pages of a run behind its first are as they must be; how many the run has.
fn check_run(
    records: Records<'_>,
    page: u32,
    span: u32,
    body: impl Fn(PageRecord) -> bool,
) -> Checked<u32> {
    if span == 0 || span > records.pages() - page {
        return wrong(page * PAGE_BYTES, "a run of pages that is too long");
    }
    for later in page + 1..page + span {
        if !body(records.page(later)?) {
            return wrong(later * PAGE_BYTES, "a page that is not of its run");
        }
    }
    Ok(span)
}
