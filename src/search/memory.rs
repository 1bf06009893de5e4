#![allow(unsafe_code)] // Hints to the processor and to the kernel take addresses.
//! Hints about memory that change nothing but time: that a place will be read soon, and that a large
//! piece should be mapped in large pages, so that reading it at random waits for the memory once and
//! not for the page tables too.

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

/// Ask for large pages below `slots`. The kernel may refuse; nobody needs to know.
pub(super) fn use_large_pages<T>(slots: &mut [T]) {
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
