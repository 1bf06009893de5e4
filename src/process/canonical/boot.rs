//! What the memory of a node holds before its program has run: nearly all of the loader's and the
//! libraries' data stays so for ever. A page that is as it was then, and holds no address of the
//! arena, is one token of the canonical form, which is not looked into. The form holds the digest of
//! the pages that tokens can stand for, so that equal forms are equal memories also where they come
//! from two boots.

use std::ops::Range;

use xxhash_rust::xxh3::Xxh3;

use super::words;
use crate::process::layout::Role;
use crate::process::memory::PAGE;
use crate::process::snapshot::Snapshot;

/// The pages outside the arena and the stack, as they are at the boot.
#[derive(Clone, Debug, Default)]
pub struct Boot {
    ranges: Vec<Kept>,
    bytes: Vec<u8>,
    /// By page, whether a token can stand for it.
    plain: Vec<bool>,
    digest: u128,
}

/// A range of pages.
#[derive(Clone, Debug)]
struct Kept {
    range: Range<u64>,
    /// The number of its first page.
    page: usize,
}

impl Boot {
    /// The boot image that `snapshot` is.
    pub fn new(snapshot: &Snapshot) -> Self {
        let mut boot = Boot::default();
        let mut hash = Xxh3::new();
        for (region, bytes) in snapshot.regions() {
            if matches!(region.role, Role::Arena | Role::Stack) {
                continue;
            }
            boot.ranges.push(Kept { range: region.start..region.end, page: boot.plain.len() });
            for (number, page) in bytes.chunks(PAGE as usize).enumerate() {
                let plain = page.len() == PAGE as usize && !words::any(page);
                boot.plain.push(plain);
                // Other pages are kept for the place of those behind them.
                boot.bytes.extend(page);
                boot.bytes.resize(boot.plain.len() * PAGE as usize, 0);
                if plain {
                    hash.update(&(region.start + number as u64 * PAGE).to_le_bytes());
                    hash.update(page);
                }
            }
        }
        boot.digest = hash.digest128();
        boot
    }

    /// The digest of all pages that a token can stand for.
    pub fn digest(&self) -> u128 {
        self.digest
    }

    /// What is known of the pages from `start` on.
    pub fn pages_from(&self, start: u64) -> PagesFrom<'_> {
        let range = self.ranges.partition_point(|kept| kept.range.end <= start);
        PagesFrom { boot: self, range }
    }
}

/// Answers about ascending pages.
#[derive(Debug)]
pub struct PagesFrom<'a> {
    boot: &'a Boot,
    /// The range that the last page was in, or the next one.
    range: usize,
}

impl PagesFrom<'_> {
    /// Whether the page at `address`, which holds `bytes`, is as at the boot and free of addresses of
    /// the arena.
    pub fn is_plain(&mut self, address: u64, bytes: &[u8]) -> bool {
        while self.boot.ranges.get(self.range).is_some_and(|kept| kept.range.end <= address) {
            self.range += 1;
        }
        let kept = self.boot.ranges.get(self.range);
        let Some(kept) = kept.filter(|kept| kept.range.contains(&address)) else { return false };
        let page = kept.page + ((address - kept.range.start) / PAGE) as usize;
        let at = page * PAGE as usize;
        self.boot.plain[page] && self.boot.bytes[at..at + PAGE as usize] == *bytes
    }
}
