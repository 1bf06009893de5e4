#![allow(unsafe_code)] // Memory of the kernel's, and hints to it and to the processor, take addresses.
//! Memory that is asked for where the amount matters: a region that grows where it is, so that what
//! is in it needs no second place while it grows, and what the kernel has cleared is cleared once. Large
//! regions lie in large pages, so that reading them at random waits for the memory and not for the
//! page tables too; that is a hint, which changes nothing but time.

use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

use libc::{
    MADV_COLLAPSE, MADV_HUGEPAGE, MAP_ANONYMOUS, MAP_FAILED, MAP_NORESERVE, MAP_PRIVATE, PROT_NONE,
    PROT_READ, PROT_WRITE, c_int,
};

/// There is no more memory, or none is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Full;

/// Large pages have this size.
const LARGE_PAGE: usize = 2 << 20;
/// Bytes of a word.
const WORD: usize = size_of::<u128>();
/// The least that is worth an address of its own.
const LEAST: usize = 1 << 20;

/// Say that `place` will be read soon.
#[inline]
pub(super) fn prefetch<T>(place: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing that the program could see, and may be given any address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(place.cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

/// Words, at first 0, that can become more and stay where they are.
#[derive(Debug)]
pub(super) struct Region {
    start: NonNull<u128>,
    words: usize,
    /// Bytes of addresses that belong to it.
    reserved: usize,
    /// Bytes at its start that lie in large pages, where the kernel gives them.
    large: usize,
}

// SAFETY: it owns its memory, as a vector does.
unsafe impl Send for Region {}
// SAFETY: as above; only who has it exclusively writes.
unsafe impl Sync for Region {}

impl Region {
    /// No word yet; as many as `most` bytes hold can follow, or fewer where addresses are scarce.
    pub(super) fn new(most: usize) -> Result<Self, Full> {
        let mut reserved = most.max(LEAST).next_multiple_of(LARGE_PAGE);
        loop {
            let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
            // SAFETY: a new mapping at an address that the kernel chooses, that nothing can read yet.
            let start = unsafe { libc::mmap(std::ptr::null_mut(), reserved, PROT_NONE, flags, -1, 0) };
            if start != MAP_FAILED {
                let start = NonNull::new(start.cast()).ok_or(Full)?;
                return Ok(Region { start, words: 0, reserved, large: 0 });
            }
            if reserved <= LARGE_PAGE {
                return Err(Full);
            }
            reserved = (reserved / 2).next_multiple_of(LARGE_PAGE);
        }
    }

    /// Become `words`, of which about the first `dense` will be used; at least as many as there are.
    pub(super) fn grow(&mut self, words: usize, dense: usize) -> Result<(), Full> {
        let bytes = words.checked_mul(WORD).ok_or(Full)?;
        if bytes > self.reserved {
            return Err(Full);
        }
        // SAFETY: the range is the start of this mapping.
        let given = unsafe { libc::mprotect(self.address(0), bytes, PROT_READ | PROT_WRITE) };
        if given != 0 {
            return Err(Full);
        }
        self.words = self.words.max(words);
        self.use_large_pages(dense * WORD);
        Ok(())
    }

    /// Ask for large pages below what is used. The kernel may refuse; nobody needs to know.
    fn use_large_pages(&mut self, used: usize) {
        let skip = self.address(0).align_offset(LARGE_PAGE);
        let whole = self.words * WORD;
        // To the nearest: what is in vain is no more than half a page.
        let nearest = (used + LARGE_PAGE / 2).saturating_sub(skip) / LARGE_PAGE * LARGE_PAGE;
        let large = nearest.min(whole.saturating_sub(skip) / LARGE_PAGE * LARGE_PAGE);
        if large > self.large {
            self.advise(skip, large, MADV_HUGEPAGE);
            // Its start may be there already, in small pages.
            self.advise(skip + self.large, LARGE_PAGE, MADV_COLLAPSE);
            self.large = large;
        }
    }

    fn advise(&self, from: usize, bytes: usize, advice: c_int) {
        // SAFETY: the range lies inside the mapping, and such advice leaves every byte as it is.
        unsafe { libc::madvise(self.address(from), bytes, advice) };
    }

    fn address(&self, byte: usize) -> *mut libc::c_void {
        self.start.as_ptr().cast::<u8>().wrapping_add(byte).cast()
    }
}

impl Deref for Region {
    type Target = [u128];

    #[inline]
    fn deref(&self) -> &[u128] {
        // SAFETY: so many words of the mapping can be read, are aligned, and belong to this.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.words) }
    }
}

impl DerefMut for Region {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u128] {
        // SAFETY: as above, and written by nobody else.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.words) }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: the mapping is this one's, and nothing refers to it any more.
        unsafe { libc::munmap(self.address(0), self.reserved) };
    }
}

/// Bytes of memory that this machine has; addresses for more are not worth reserving.
pub(super) fn installed() -> usize {
    // SAFETY: both only answer a number.
    let (pages, size) =
        unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    let known = usize::try_from(pages).ok().zip(usize::try_from(size).ok());
    known.map_or(1 << 40, |(pages, size)| pages.saturating_mul(size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_grows_where_it_is_and_new_words_are_zero() {
        let mut region = Region::new(64 << 20).unwrap();
        region.grow(100, 100).unwrap();
        region.iter_mut().zip(1..).for_each(|(word, value)| *word = value);
        let place = region.as_ptr();
        for words in [200_000, 1_000_000, 4 << 20] {
            let before = region.len();
            region.grow(words, words).unwrap();
            assert_eq!((region.as_ptr(), region.len()), (place, words));
            assert!(region[before..].iter().all(|&word| word == 0));
            region[words - 1] = 0;
        }
        assert!(region[..100].iter().zip(1..).all(|(&word, value)| word == value));
        assert_eq!(region.grow((64 << 20) / WORD + 1, 0), Err(Full));
        assert_eq!(region.len(), 4 << 20);
    }
}
