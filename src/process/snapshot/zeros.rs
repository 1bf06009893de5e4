//! What a snapshot leaves out because it is zero: whether such a page was ever touched depends on what
//! the process did before, and says nothing about what it does next.

use super::super::block::ZEROS;
use super::super::contract::ARENA_BASE;
use super::super::layout::Role;
use super::super::memory::PAGE;
use super::{RED_ZONE, Region, Snapshot};

/// Of a mapping without a file that is larger, only pages that are there are read.
pub(super) const SPARSE: u64 = 256 << 10;

impl Snapshot {
    /// How far down the stack was ever touched says nothing: what is zero there is left out, down from
    /// where the stack is in use.
    pub(super) fn trim_stack(&mut self) {
        let pointer = self.registers.sp().saturating_sub(RED_ZONE) / PAGE * PAGE;
        let Some(stack) = self.regions.iter_mut().rfind(|region| region.role == Role::Stack) else {
            return;
        };
        let used = match (stack.start..stack.end).contains(&pointer) {
            true => pointer,
            false => stack.end - PAGE,
        };
        let zero = |at: usize| self.bytes[at..at + PAGE as usize] == ZEROS;
        while stack.start < used && zero(stack.at) {
            stack.start += PAGE;
            stack.at += PAGE as usize;
        }
    }

    /// Pages that hold zeros are left out of mappings of which only some were read: whether they were
    /// ever touched is not to be seen.
    pub(super) fn drop_zeros(&mut self) {
        let mark = (ARENA_BASE + self.used).next_multiple_of(PAGE);
        let sparse = |region: &Region| match region.role {
            Role::Arena => region.start >= mark,
            Role::Anonymous | Role::Break => {
                let mappings = &self.layout.mappings;
                let place = mappings.partition_point(|mapping| mapping.end <= region.start);
                mappings.get(place).is_some_and(|mapping| mapping.end - mapping.start > SPARSE)
            }
            Role::File | Role::Stack => false,
        };
        if !self.regions.iter().any(sparse) {
            return;
        }
        let mut kept: Vec<Region> = Vec::with_capacity(self.regions.len());
        for region in &self.regions {
            if !sparse(region) {
                kept.push(*region);
                continue;
            }
            let bytes = &self.bytes[region.at..region.at + (region.end - region.start) as usize];
            for (number, page) in bytes.chunks(PAGE as usize).enumerate() {
                if *page == ZEROS {
                    continue;
                }
                let offset = number as u64 * PAGE;
                let start = region.start + offset;
                let end = start + page.len() as u64;
                match kept.last_mut() {
                    Some(last) if last.end == start && last.role == region.role => last.end = end,
                    _ => kept.push(Region {
                        start,
                        end,
                        role: region.role,
                        at: region.at + offset as usize,
                    }),
                }
            }
        }
        self.regions = kept;
    }
}
