//! What the walk asks of a heap.

use crate::process::arena::{Heap, Hit, Object};

/// The objects of an arena.
pub trait Objects {
    /// What lies at `address`.
    fn find(&self, address: u64) -> Hit;
    /// The live objects, by ascending address.
    fn live(&self) -> &[Object];
}

impl Objects for Heap {
    fn find(&self, address: u64) -> Hit {
        Heap::find(self, address)
    }

    fn live(&self) -> &[Object] {
        self.objects()
    }
}
