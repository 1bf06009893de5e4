#![allow(unsafe_code)] // Hints to the processor and to the kernel take addresses.
//! Hints about memory that change nothing but time: that a place will be read soon, and that a large
//! piece should be mapped in large pages, so that reading it at random waits for the memory once and
//! not for the page tables too.

use std::mem::ManuallyDrop;
use std::sync::atomic::AtomicU64;

/// Large pages have this size; nothing smaller gets any.
const LARGE_PAGE: usize = 2 << 20;

/// Say that `place` will be read soon.
#[inline]
pub(super) fn prefetch<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing that the program could see, and the address is that of a
        // reference.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

/// So many pairs of zeros, in memory that the kernel gives when it is first touched.
pub(super) fn zeros(count: usize) -> Vec<[AtomicU64; 2]> {
    let mut plain = ManuallyDrop::new(vec![[0u64; 2]; count]);
    let (start, length, capacity) = (plain.as_mut_ptr(), plain.len(), plain.capacity());
    const { assert!(align_of::<AtomicU64>() == align_of::<u64>()) };
    // SAFETY: the parts of a vector that is forgotten; an AtomicU64 has the size, the values and, as
    // is checked, the alignment of a u64.
    let mut slots =
        unsafe { Vec::from_raw_parts(start.cast::<[AtomicU64; 2]>(), length, capacity) };
    use_large_pages(&mut slots);
    slots
}

/// Ask for large pages below `slots`. The kernel may refuse; nobody needs to know.
fn use_large_pages<T>(slots: &mut [T]) {
    let size = std::mem::size_of_val(slots);
    if size < 2 * LARGE_PAGE {
        return;
    }
    let start = slots.as_mut_ptr().cast::<u8>();
    let skip = start.align_offset(LARGE_PAGE);
    let length = size.saturating_sub(skip) / LARGE_PAGE * LARGE_PAGE;
    // SAFETY: the range lies inside `slots`, and this advice leaves every byte of it as it is.
    unsafe {
        libc::madvise(start.add(skip).cast(), length, libc::MADV_HUGEPAGE);
    }
}
