//! Large pages, so that reading memory at random waits for the memory and not for the page tables too;
//! as long as the kernel has them at hand. It can have had its memory taken away: hosts take from their
//! guests what these do not use, in pieces of large pages, and give it back one small page after the
//! other when it is touched. Such a large page costs several times what small ones cost, which are seldom
//! taken away, and more than is gained by it. So who is to touch a large page for the first time does it
//! here, where it is timed. What is decided by that changes nothing but time and memory.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::memory::{LARGE_PAGE, advise_large_pages};

/// Words of a large page.
const PAGE: usize = LARGE_PAGE / size_of::<u128>();

/// To clear a large page takes less, and so do as many small ones.
pub(super) const LONG: Duration = Duration::from_millis(2);
/// One of so many may take longer: whoever touches it may have had to wait for something else.
const FEW: u32 = 16;

/// How large pages come.
#[derive(Default)]
pub(super) struct LargePages {
    /// How many came, and how many of them slowly.
    came: AtomicU32,
    slow: AtomicU32,
}

impl LargePages {
    /// Ask for them where `words` are, of which those in use may be in small ones. The kernel may refuse;
    /// nobody needs to know.
    pub(super) fn ask(&self, words: &mut [u128]) {
        if self.come_fast() {
            advise_large_pages(words, true);
        }
    }

    /// Touch the words from `used` up to `needed`, all of which are 0, as none behind `used` was touched.
    /// If large pages come slowly, those are the last in `words`.
    pub(super) fn touch(&self, words: &mut [u128], used: usize, needed: usize) {
        let skip = words.as_ptr().align_offset(LARGE_PAGE);
        let first = used.saturating_sub(skip).next_multiple_of(PAGE) + skip;
        for start in (first..needed).step_by(PAGE) {
            if !self.come_fast() {
                return advise_large_pages(&mut words[start..], false);
            }
            let begun = Instant::now();
            words[start] = 0;
            self.came(begun.elapsed());
        }
    }

    /// How many of so many `words` at the start of a large page take memory if the first `used` are in use:
    /// those up to the end of a page.
    pub(super) fn taken(&self, used: usize, words: usize) -> usize {
        match self.come_fast() {
            true => used.next_multiple_of(PAGE).min(words / PAGE * PAGE).max(used),
            false => used,
        }
    }

    fn come_fast(&self) -> bool {
        self.slow.load(Relaxed) <= self.came.load(Relaxed) / FEW
    }

    /// One came, and took so long.
    pub(super) fn came(&self, took: Duration) {
        self.came.fetch_add(1, Relaxed);
        self.slow.fetch_add(u32::from(took > LONG), Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_that_comes_slowly_is_enough_unless_many_come_fast() {
        let pages = LargePages::default();
        assert!(pages.come_fast());
        pages.came(LONG * 2);
        assert!(!pages.come_fast());

        let pages = LargePages::default();
        (0..40 * FEW)
            .for_each(|at| pages.came(if at % FEW == FEW - 1 { LONG * 2 } else { LONG / 2 }));
        assert!(pages.come_fast());
        pages.came(LONG * 2);
        assert!(!pages.come_fast());
    }

    #[test]
    fn touching_changes_nothing_of_what_is_used() {
        for (slow, used) in [(false, 0), (false, 5), (true, PAGE), (true, 2 * PAGE - 3)] {
            let pages = LargePages::default();
            pages.came(if slow { LONG * 2 } else { LONG / 2 });
            let mut words = vec![0; 4 * PAGE];
            words[..used].fill(7);
            pages.touch(&mut words, used, 3 * PAGE);
            assert!((0..).zip(&words).all(|(at, &word)| word == if at < used { 7 } else { 0 }));
            assert_eq!(pages.came.into_inner() > 1, !slow);
        }
    }
}
