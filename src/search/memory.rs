#![allow(unsafe_code)] // Memory of the kernel's, and hints to it and to the processor, take addresses.
//! Memory that is asked for where the amount matters: a region that grows where it is, so that what
//! is in it needs no second place while it grows, and what the kernel has cleared is cleared once.

use std::ops::{Deref, DerefMut, Range};
use std::ptr::{NonNull, null_mut};

use libc::{
    MADV_DONTNEED, MADV_HUGEPAGE, MADV_NOHUGEPAGE, MAP_ANONYMOUS, MAP_FAILED, MAP_NORESERVE,
    MAP_PRIVATE, PROT_NONE, PROT_READ, PROT_WRITE,
};

/// There is no more memory, or none is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Full;

/// Large pages have this size.
pub(super) const LARGE_PAGE: usize = 2 << 20;
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

/// Say that `place` will be written soon. Where somebody else has read it, only this makes it this
/// processor's own beforehand; the few that do not know it do nothing.
#[inline]
pub(super) fn prefetch_to_write<T>(place: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: as above. The intrinsic makes it only where the compiler knows that the processor knows it.
    unsafe {
        std::arch::asm!("prefetchw [{}]", in(reg) place, options(nostack, preserves_flags, readonly));
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
            let start = unsafe { libc::mmap(null_mut(), reserved, PROT_NONE, flags, -1, 0) };
            if start != MAP_FAILED {
                let start = NonNull::new(start.cast()).ok_or(Full)?;
                return Ok(Region { start, words: 0, reserved });
            }
            if reserved <= LARGE_PAGE {
                return Err(Full);
            }
            reserved = (reserved / 2).next_multiple_of(LARGE_PAGE);
        }
    }

    /// How many words it can become.
    pub(super) fn most(&self) -> usize {
        self.reserved / WORD
    }

    /// Become `words`; at least as many as there are. The new ones take no memory yet.
    pub(super) fn grow(&mut self, words: usize) -> Result<(), Full> {
        let bytes = words.checked_mul(WORD).filter(|&bytes| bytes <= self.reserved).ok_or(Full)?;
        // SAFETY: the range is the start of this mapping.
        let given = unsafe { libc::mprotect(self.address(0), bytes, PROT_READ | PROT_WRITE) };
        if given != 0 {
            return Err(Full);
        }
        self.words = self.words.max(words);
        Ok(())
    }

    /// Make the words in `range` 0; where they are many, their memory goes back.
    pub(super) fn clear(&mut self, range: Range<usize>) {
        let inner = self.large_pages(&self[range.clone()]);
        if inner.is_empty() {
            return self[range].fill(0);
        }
        let (start, end) = (inner.start / WORD, inner.end / WORD);
        self[range.start..start].fill(0);
        self[end..range.end].fill(0);
        let address = self.address(inner.start);
        // SAFETY: the range lies inside the mapping, which is private and of no file: its bytes become 0.
        if unsafe { libc::madvise(address, inner.len(), MADV_DONTNEED) } != 0 {
            self[start..end].fill(0);
        }
    }

    /// The bytes of `slots`, which are some of its words, that are whole large pages.
    fn large_pages(&self, slots: &[u128]) -> Range<usize> {
        let first = slots.as_ptr().addr();
        let pages = first.next_multiple_of(LARGE_PAGE)
            ..(first + size_of_val(slots)) / LARGE_PAGE * LARGE_PAGE;
        let start = self.start.as_ptr().addr();
        if pages.is_empty() { 0..0 } else { pages.start - start..pages.end - start }
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

/// Say whether large pages are wanted where `words` fill some. The kernel may refuse; nobody needs to know.
pub(super) fn advise_large_pages(words: &mut [u128], wanted: bool) {
    let first = words.as_mut_ptr().cast::<u8>();
    let skip = first.align_offset(LARGE_PAGE);
    let whole = size_of_val(words).saturating_sub(skip) / LARGE_PAGE * LARGE_PAGE;
    let advice = if wanted { MADV_HUGEPAGE } else { MADV_NOHUGEPAGE };
    if whole > 0 {
        // SAFETY: the range lies inside `words`, and the advice leaves every byte as it is.
        unsafe { libc::madvise(first.wrapping_add(skip).cast(), whole, advice) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_grows_where_it_is_and_new_words_are_zero() {
        let mut region = Region::new(64 << 20).unwrap();
        region.grow(100).unwrap();
        region.iter_mut().zip(1..).for_each(|(word, value)| *word = value);
        let place = region.as_ptr();
        for words in [200_000, 1_000_000, 4 << 20] {
            let before = region.len();
            region.grow(words).unwrap();
            advise_large_pages(&mut region, true);
            assert_eq!((region.as_ptr(), region.len()), (place, words));
            assert!(region[before..].iter().all(|&word| word == 0));
            region[words - 1] = 0;
        }
        assert!(region[..100].iter().zip(1..).all(|(&word, value)| word == value));
        assert_eq!(region.grow((64 << 20) / WORD + 1), Err(Full));
        assert_eq!(region.len(), 4 << 20);
    }

    #[test]
    fn words_that_are_cleared_are_zero_and_no_others() {
        let mut region = Region::new(64 << 20).unwrap();
        region.grow(1 << 20).unwrap();
        for range in [5..9, 1000..700_001, 3..(1 << 20) - 1] {
            region.fill(7);
            region.clear(range.clone());
            let zero = |(at, word): (usize, &u128)| (*word == 0) == range.contains(&at);
            assert!(region.iter().enumerate().all(zero), "{range:?}");
        }
    }
}
