//! What of the arena belongs to no live object. The allocator leaves nothing of the program's there:
//! what was never given is zero, what was given back and the gaps are filled.

use std::ops::Range;

use xxhash_rust::xxh3::Xxh3;

use super::super::contract::{
    ALIGN, ARENA_BASE, CLASSES, FILL_FREE, FILL_GAP, HEADER_AT_FREE_FIRST, HEADER_AT_PLACED, PAGE,
};
use super::{Heap, Owner, PAGE_BYTES, Slab, Slot};

/// Never given, or given back.
const UNUSED: &[u64] = &[0, FILL_FREE];

impl Heap {
    /// An address in no live object where `bytes`, of which this heap was read, hold something that
    /// the allocator did not leave: the program has written to what was not, or no longer, its own.
    /// Looks at every byte that is no object's.
    pub fn stray(&self, bytes: &[u8]) -> Option<u64> {
        let mut found = None;
        self.each_vacant(&mut |range, fills| {
            let vacant = &bytes[range.start as usize..range.end as usize];
            // All of it holds the same.
            let fill = vacant.first().filter(|&&byte| fills.contains(&byte.into()));
            let fill = fill.copied().unwrap_or(fills[0] as u8);
            if let Some(at) = vacant.iter().position(|&byte| byte != fill) {
                found.get_or_insert(ARENA_BASE + u64::from(range.start) + at as u64);
            }
        });
        found
    }

    /// A digest for states that hold an address [`Elsewhere`](super::Hit::Elsewhere), which means a
    /// place and no object: of which pages serve what, of all that decides which of them and which
    /// slots are given next, and of what the program has left in places that are not its own. Two
    /// heaps of which it is the same have the same free places, and go on to have them.
    pub fn page_map(&self, bytes: &[u8]) -> u128 {
        let mut hash = Xxh3::new();
        let mut put = |number: u32| hash.update(&number.to_le_bytes());
        put(self.placement as u32);
        for &owner in &self.owners {
            match owner {
                Owner::Nobody => put(0),
                Owner::Records => put(1),
                Owner::Slab(slab) => put(self.slabs[slab as usize].start | 2),
                Owner::Object(index) => {
                    put((self.objects[index as usize].start - ARENA_BASE) as u32 | 3);
                }
            }
        }
        let mut free = [0u32; CLASSES as usize];
        for slab in &self.slabs {
            for number in [slab.start, slab.stride, slab.class, slab.taken, slab.slots] {
                put(number);
            }
            let slots = &self.slots[slab.first as usize..(slab.first + slab.slots) as usize];
            let given = slots.iter().filter(|slot| matches!(slot, Slot::Free(_)));
            free[slab.class as usize] += given.count() as u32;
        }
        free.into_iter().chain(self.newest).for_each(put);
        // The first run, where slab records go, and what is never given again.
        hash.update(&bytes[HEADER_AT_PLACED as usize..HEADER_AT_FREE_FIRST as usize + 12]);
        if self.stray(bytes).is_some() {
            hash.update(bytes);
        }
        hash.digest128()
    }

    /// Every range of offsets in no live object and in no record, and what each of its bytes may hold.
    fn each_vacant(&self, take: &mut impl FnMut(Range<u32>, &'static [u64])) {
        let mut seen = None;
        for (page, &owner) in self.owners.iter().enumerate() {
            let start = page as u32 * PAGE_BYTES;
            match owner {
                Owner::Records => {}
                Owner::Nobody => take(start..start + PAGE_BYTES, UNUSED),
                _ if seen == Some(owner) => {}
                Owner::Slab(slab) => self.around_slots(&self.slabs[slab as usize], take),
                Owner::Object(index) => {
                    self.around_object(index, start, take);
                    let object = self.objects[index as usize];
                    let gap_end = (object.start - ARENA_BASE) as u32 + object.room;
                    let of_it = self.owners[page..].iter().take_while(|&&next| next == owner);
                    let end = start + of_it.count() as u32 * PAGE_BYTES;
                    for rest in (gap_end..end).step_by(PAGE as usize) {
                        take(rest..rest + PAGE_BYTES, UNUSED);
                    }
                }
            }
            seen = Some(owner);
        }
    }

    fn around_slots(&self, slab: &Slab, take: &mut impl FnMut(Range<u32>, &'static [u64])) {
        take(slab.start - slab.start % PAGE_BYTES..slab.start, &[0]);
        for slot in 0..slab.slots {
            let start = slab.start + slot * slab.stride;
            let range = start..start + slab.stride;
            match self.slots[(slab.first + slot) as usize] {
                Slot::Unused => take(range, UNUSED),
                Slot::Free(_) | Slot::Loose => take(range, &[FILL_FREE]),
                Slot::Live(index) => self.around_object(index, start, take),
            }
        }
        let end = slab.start + slab.slots * slab.stride;
        take(end..end.next_multiple_of(PAGE_BYTES), &[0]);
    }

    /// Before an object whose slot or run begins at `start`, and its gap.
    fn around_object(
        &self,
        index: u32,
        start: u32,
        take: &mut impl FnMut(Range<u32>, &'static [u64]),
    ) {
        let object = self.objects[index as usize];
        let at = (object.start - ARENA_BASE) as u32;
        take(start..at, &[FILL_GAP]);
        take(at + object.size..at + object.room, &[FILL_GAP]);
    }
}

const _: () = assert!(ALIGN >= 4, "the start of an object leaves room for a tag");
const _: () = assert!(HEADER_AT_PLACED + 4 == HEADER_AT_FREE_FIRST);
