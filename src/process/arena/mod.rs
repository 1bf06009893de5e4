//! The heap of a stopped node, read from a copy of its arena: which object, live or given back, an
//! address falls in. The layout is that of `preload/arena.h`, by the numbers of `contract`.
//!
//! The records lie in memory that the program may write to. Every one of them is checked before it is
//! used: that the pages are owned once and without a rest, that slots and objects lie where their
//! slab and run do, that each free list holds exactly the free slots of its class. A write into the
//! records that keeps to all of this makes another valid heap, with which the allocator would go on;
//! any other is an error, and no wrong answer.

mod records;
mod vacant;

use self::records::{Wrong, address};
use super::contract::{ARENA_BASE, ARENA_SIZE, CLASSES, HELLO_PERMUTED, PAGE};

const PAGE_BYTES: u32 = PAGE as u32;

/// Where a heap places what it gives; `preload/arena.c` says what the two have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Placement {
    /// At the lowest place where it fits.
    #[default]
    First,
    /// Elsewhere, and in another order.
    Permuted,
}

impl Placement {
    /// The answer to a hello that asks for it.
    pub fn answer(self) -> i64 {
        match self {
            Placement::First => 0,
            Placement::Permuted => HELLO_PERMUTED as i64,
        }
    }
}

/// A live object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    /// Its address.
    pub start: u64,
    /// Bytes asked for.
    pub size: u32,
    /// Bytes from its start to where its gap ends; those behind `size` hold [`FILL_GAP`](super::contract::FILL_GAP) unless the
    /// program wrote past its end.
    pub room: u32,
    /// Whether it was made with an alignment of its own, so that `realloc` always moves it.
    pub aligned: bool,
}

/// What lies at an address of the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hit {
    /// A live object, or the byte behind its last.
    Live {
        /// Its address.
        start: u64,
        /// Bytes asked for.
        size: u32,
        /// Its place among the live objects in the order of addresses.
        index: u32,
    },
    /// A slot that was given back and will be given again.
    Free {
        /// The class of sizes that the slot serves.
        class: u32,
        /// How many slots of the class will be given before it.
        place: u32,
        /// The address of the slot.
        start: u64,
        /// Its bytes.
        room: u32,
        /// Bytes from its start to the address.
        offset: u32,
    },
    /// Neither: records, gaps, slots that were never given, free runs of pages, what was not used yet.
    Elsewhere,
}

/// The objects of an arena. It holds no contents, and can be filled anew without allocating.
#[derive(Clone, Debug, Default)]
pub struct Heap {
    placement: Placement,
    /// By page.
    owners: Vec<Owner>,
    slabs: Vec<Slab>,
    /// Of all slabs, in their order.
    slots: Vec<Slot>,
    objects: Vec<Object>,
    /// By class, the record of the slab that gives what was never given.
    newest: [u32; CLASSES as usize],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Records,
    Nobody,
    Slab(u32),
    Object(u32),
}

#[derive(Clone, Copy, Debug)]
struct Slab {
    start: u32,
    stride: u32,
    class: u32,
    taken: u32,
    /// Of its record.
    offset: u32,
    /// Its slots among all.
    first: u32,
    slots: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    /// Never given, or never given again.
    Unused,
    Live(u32),
    /// Given back; not met in a free list.
    Loose,
    Free(u32),
}

impl Heap {
    /// Read the heap whose arena begins with `bytes`: all that is in use of it. The error says what of
    /// its records cannot be.
    pub fn read(bytes: &[u8]) -> Result<Heap, String> {
        let mut heap = Heap::default();
        heap.read_anew(bytes).map(|()| heap)
    }

    /// As [`Heap::read`], in place of what this heap was.
    pub fn read_anew(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.fill(bytes)
            .map_err(|Wrong(what)| format!("it has overwritten the records of its heap: {what}"))
    }

    /// Whether an address is one of the arena, used or not.
    pub fn covers(address: u64) -> bool {
        address.wrapping_sub(ARENA_BASE) < ARENA_SIZE
    }

    /// Bytes in use.
    pub fn used(&self) -> u64 {
        self.owners.len() as u64 * PAGE
    }

    /// Where it places what it gives.
    pub fn placement(&self) -> Placement {
        self.placement
    }

    /// The live objects, by ascending address.
    pub fn objects(&self) -> &[Object] {
        &self.objects
    }

    /// What lies at `address`.
    pub fn find(&self, address: u64) -> Hit {
        let offset = address.wrapping_sub(ARENA_BASE);
        match self.owners.get((offset / PAGE) as usize) {
            Some(&Owner::Object(index)) => self.live(index, address),
            Some(&Owner::Slab(slab)) => self.in_slab(&self.slabs[slab as usize], offset as u32),
            Some(Owner::Records | Owner::Nobody) | None => Hit::Elsewhere,
        }
    }

    fn live(&self, index: u32, address: u64) -> Hit {
        let Object { start, size, .. } = self.objects[index as usize];
        match address.wrapping_sub(start) <= size.into() {
            true => Hit::Live { start, size, index },
            false => Hit::Elsewhere,
        }
    }

    fn in_slab(&self, slab: &Slab, offset: u32) -> Hit {
        let within = offset.wrapping_sub(slab.start);
        let slot = within / slab.stride;
        if slot >= slab.slots {
            return Hit::Elsewhere;
        }
        match self.slots[(slab.first + slot) as usize] {
            Slot::Live(index) => self.live(index, address(offset)),
            Slot::Free(place) => Hit::Free {
                class: slab.class,
                place,
                start: address(slab.start + slot * slab.stride),
                room: slab.stride,
                offset: within % slab.stride,
            },
            Slot::Unused | Slot::Loose => Hit::Elsewhere,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::contract::*;
    use super::*;

    fn put(bytes: &mut [u8], at: u64, number: u32) {
        bytes[at as usize..at as usize + 4].copy_from_slice(&number.to_le_bytes());
    }

    fn put_half(bytes: &mut [u8], at: u64, number: u16) {
        bytes[at as usize..at as usize + 2].copy_from_slice(&number.to_le_bytes());
    }

    const SLAB: u64 = 2 * PAGE;
    const SLOTS: u64 = 3 * PAGE;
    const LARGE: u64 = 4 * PAGE;

    /// A heap with a table of pages, a slab of which slot 0 holds 5 bytes and slots 1 and 2 were given
    /// back in this order, an object of 5000 bytes, and a free run of two pages.
    fn image() -> Vec<u8> {
        let pages = 8;
        let mut bytes = vec![0; (pages * PAGE) as usize];
        bytes[..8].copy_from_slice(&ARENA_MAGIC.to_le_bytes());
        put(&mut bytes, ARENA_USED, (pages * PAGE) as u32);
        put(&mut bytes, HEADER_AT_PLACED, 2);
        put(&mut bytes, HEADER_AT_FREE_FIRST, 6);
        put(&mut bytes, HEADER_AT_META_NEXT, (SLAB + 48) as u32);
        put(&mut bytes, HEADER_AT_META_END, (SLAB + PAGE) as u32);
        put(&mut bytes, HEADER_AT_CLASS_FREE, (SLOTS + 64) as u32);
        put(&mut bytes, HEADER_AT_CLASS_SLAB, SLAB as u32);
        put(&mut bytes, HEADER_AT_TABLES, 1);
        put(&mut bytes, HEADER_AT_TABLE, PAGE as u32);
        let mut page = |page: u64, kind: u64, span: u32, reference: u32| {
            let at = PAGE + page * RECORD_BYTES;
            put(&mut bytes, at + RECORD_AT_KIND, kind as u32);
            put(&mut bytes, at + RECORD_AT_SPAN, span);
            put(&mut bytes, at + RECORD_AT_REF, reference);
        };
        (0..3).for_each(|meta| page(meta, PAGE_META, 1, 0));
        page(3, PAGE_SLAB, 0, SLAB as u32);
        page(4, PAGE_LARGE, 2, 5000);
        page(5, PAGE_BODY, 0, 4);
        page(6, PAGE_FREE, 2, 0);
        put(&mut bytes, SLAB + SLAB_AT_START, SLOTS as u32);
        put(&mut bytes, SLAB + SLAB_AT_STRIDE, 32);
        for at in [SLAB_AT_SLOTS, SLAB_AT_LIMIT] {
            put_half(&mut bytes, SLAB + at, 4);
        }
        put_half(&mut bytes, SLAB + SLAB_AT_TAKEN, 3);
        let mut slot = |slot: u64, size_or_next: u32, state: u64| {
            let at = SLAB + SLAB_BYTES + slot * SLOT_BYTES;
            put(&mut bytes, at + SLOT_AT_SIZE_OR_NEXT, size_or_next);
            put_half(&mut bytes, at + SLOT_AT_STATE, state as u16);
        };
        slot(0, 5, SLOT_LIVE);
        slot(1, 0, SLOT_FREE);
        slot(2, (SLOTS + 32) as u32, SLOT_FREE);
        let mut fill = |from: u64, to: u64, value: u64| {
            bytes[from as usize..to as usize].fill(value as u8);
        };
        fill(SLOTS + 5, SLOTS + 32, FILL_GAP);
        fill(SLOTS + 32, SLOTS + 96, FILL_FREE);
        fill(LARGE + 5000, LARGE + 2 * PAGE, FILL_GAP);
        fill(6 * PAGE, 8 * PAGE, FILL_FREE);
        bytes
    }

    fn heap() -> Heap {
        Heap::read(&image()).expect("the image is a heap")
    }

    #[test]
    fn an_address_is_found_in_its_object_or_free_slot() {
        let heap = heap();
        let at = |offset: u64| heap.find(ARENA_BASE + offset);
        let live = |offset: u64, size, index| Hit::Live { start: ARENA_BASE + offset, size, index };
        let free = |place, slot: u64, offset| {
            let start = ARENA_BASE + SLOTS + 32 * slot;
            Hit::Free { class: 0, place, start, room: 32, offset }
        };
        assert_eq!(at(SLOTS), live(SLOTS, 5, 0));
        assert_eq!(at(SLOTS + 5), live(SLOTS, 5, 0), "the end belongs to it");
        assert_eq!(at(SLOTS + 6), Hit::Elsewhere, "the gap does not");
        assert_eq!(at(SLOTS + 64), free(0, 2, 0), "given back last, given first");
        assert_eq!(at(SLOTS + 63), free(1, 1, 31));
        assert_eq!(at(SLOTS + 96), Hit::Elsewhere, "a slot that was never given");
        assert_eq!(at(SLOTS + 128), Hit::Elsewhere, "behind the last slot");
        assert_eq!(at(LARGE + PAGE), live(LARGE, 5000, 1));
        assert_eq!(at(LARGE + 5001), Hit::Elsewhere);
        for offset in [0, PAGE, SLAB, 6 * PAGE, 7 * PAGE, 8 * PAGE, u64::MAX] {
            assert_eq!(heap.find(ARENA_BASE.wrapping_add(offset)), Hit::Elsewhere, "{offset:#x}");
        }
        let large = Object { start: ARENA_BASE + LARGE, size: 5000, room: 8192, aligned: false };
        assert_eq!(heap.objects()[1], large);
        assert_eq!(heap.used(), 8 * PAGE);
    }

    #[test]
    fn a_write_outside_of_every_object_is_found() {
        let mut bytes = image();
        assert_eq!(heap().stray(&bytes), None);
        let clean = heap().page_map(&bytes);
        for offset in [SLOTS + 5, SLOTS + 40, SLOTS + 100, LARGE + 5000, 6 * PAGE + 8, 8 * PAGE - 1]
        {
            bytes[offset as usize] ^= 0x40;
            assert_eq!(heap().stray(&bytes), Some(ARENA_BASE + offset), "{offset:#x}");
            assert_ne!(heap().page_map(&bytes), clean);
            bytes[offset as usize] ^= 0x40;
        }
        bytes[SLOTS as usize] ^= 1;
        bytes[LARGE as usize + 4999] ^= 1;
        assert_eq!(heap().stray(&bytes), None, "objects are the program's");
        assert_eq!(heap().page_map(&bytes), clean, "and not part of the map");
    }

    #[test]
    fn overwritten_records_are_an_error_that_says_which() {
        let table = |page: u64, at: u64| PAGE + page * RECORD_BYTES + at;
        let slot = |slot: u64, at: u64| SLAB + SLAB_BYTES + slot * SLOT_BYTES + at;
        for (at, number, what) in [
            (0, 1, "a header with another mark"),
            (ARENA_USED, 4096, "a header with another size"),
            (HEADER_AT_LOCK, 1, "locked"),
            (HEADER_AT_PLACEMENT, 2, "a placement that there is not"),
            (HEADER_AT_FREE_FIRST, 0, "a page that nothing owns at 0x1cf990006000"),
            (HEADER_AT_TABLE, 0x8000, "a table that lies nowhere"),
            (HEADER_AT_CLASS_FREE, 0, "a list that lacks a free slot"),
            (HEADER_AT_CLASS_FREE + 4, 0x3020, "a free slot that is none, listed"),
            (HEADER_AT_CLASS_SLAB + 4, 0x2000, "a newest slab that is none"),
            (HEADER_AT_META_END, 0x9000, "a place for slab records that is none"),
            (table(6, RECORD_AT_SPAN), 3, "a run of pages that is too long"),
            (table(6, RECORD_AT_REF), 7, "a free run that is none, listed"),
            (table(5, RECORD_AT_REF), 3, "a page that is not of its run at 0x1cf990005000"),
            (table(4, RECORD_AT_REF), 8190, "an object that does not fit its pages"),
            (table(3, RECORD_AT_REF), 0x1000, "a slab that cannot be"),
            (SLAB + SLAB_AT_STRIDE, 0, "a slab that cannot be"),
            (slot(0, 0), 17, "a slot 0 that cannot be"),
            (slot(2, 0), 0x3040, "a free slot that is none, listed"),
            (slot(3, 0), 1, "a slot 3 that cannot be"),
        ] {
            let mut bytes = image();
            put(&mut bytes, at, number);
            let why = Heap::read(&bytes).expect_err(what);
            assert!(why.starts_with("it has overwritten the records of its heap: "), "{why}");
            assert!(why.contains(what), "{why} instead of {what}");
        }
        assert!(Heap::read(&image()[..PAGE as usize]).is_err());
        assert!(Heap::read(&[]).is_err());
    }

    proptest! {
        #[test]
        fn no_write_into_the_records_makes_the_reader_fail_or_answer_a_place_that_is_not_there(
            writes in prop::collection::vec((0u64..3 * PAGE / 4, any::<u32>(), 0u32..4), 1..4)
        ) {
            let mut bytes = image();
            for (word, number, small) in writes {
                // Small numbers and offsets of pages are the likelier ones to pass.
                let pages = (number % 16) << 12;
                let number = [number, number % 16, pages, (number % 8) << 4][small as usize];
                put(&mut bytes, 4 * word, number);
            }
            if let Ok(heap) = Heap::read(&bytes) {
                for object in heap.objects() {
                    let end = object.start - ARENA_BASE + u64::from(object.room);
                    prop_assert!(end <= heap.used() && object.size < object.room);
                }
                for address in (ARENA_BASE..ARENA_BASE + heap.used()).step_by(8) {
                    heap.find(address);
                }
                heap.stray(&bytes);
                heap.page_map(&bytes);
            }
        }
    }
}
