//! The bytes of saved memories, each content kept once however many memories, nodes and workers hold
//! it. What nobody holds any more is freed at once, so that the store is as large as what is in use.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use xxhash_rust::xxh3::xxh3_128;

use super::memory::PAGE;
use super::state::Digests;
use crate::error::Error;

/// Parts of the store, each with a lock of its own; a power of two.
const SHARDS: usize = 64;
/// Bytes that a block takes beside its content: its place in a shard, and two allocations.
const OVERHEAD: u64 = 112;

/// A page of zeros.
pub static ZEROS: [u8; PAGE as usize] = [0; PAGE as usize];
/// What it is known by.
pub const ZERO: u128 = xxhash_rust::const_xxh3::xxh3_128(&[0; PAGE as usize]);

/// Some content, mostly of a page.
#[derive(Debug)]
pub struct Block {
    digest: u128,
    bytes: Box<[u8]>,
}

/// Every content that some saved memory holds.
#[derive(Debug)]
pub struct PageStore {
    shards: [Mutex<Shard>; SHARDS],
    bytes: AtomicU64,
}

type Shard = HashMap<u128, Arc<Block>, Digests>;

impl Block {
    /// What it is known by.
    pub fn digest(&self) -> u128 {
        self.digest
    }

    /// The content.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn cost(&self) -> u64 {
        self.bytes.len() as u64 + OVERHEAD
    }
}

impl Default for PageStore {
    fn default() -> Self {
        PageStore { shards: std::array::from_fn(|_| Mutex::default()), bytes: AtomicU64::new(0) }
    }
}

/// What content is known by.
pub fn digest(bytes: &[u8]) -> u128 {
    xxh3_128(bytes)
}

impl PageStore {
    /// Bytes in use, lists included.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Count `bytes` that a list takes.
    pub fn charge(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Count them no more.
    pub fn credit(&self, bytes: u64) {
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    fn shard(&self, digest: u128) -> MutexGuard<'_, Shard> {
        let shard = &self.shards[(digest >> 64) as usize % SHARDS];
        shard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The block with this content, whose digest is `digest`.
    fn keep(&self, digest: u128, bytes: &[u8]) -> Result<Arc<Block>, Error> {
        let mut shard = self.shard(digest);
        if let Some(known) = shard.get(&digest) {
            return match *known.bytes == *bytes {
                true => Ok(Arc::clone(known)),
                false => Err(Error::Internal(format!(
                    "two pages have the digest {digest:032x}; this should not happen in the life of \
                     the universe"
                ))),
            };
        }
        let block = Arc::new(Block { digest, bytes: bytes.into() });
        self.charge(block.cost());
        shard.insert(digest, Arc::clone(&block));
        Ok(block)
    }

    /// Nobody reads `block` for the caller any more.
    fn release(&self, block: Arc<Block>) {
        let mut shard = self.shard(block.digest);
        // Whoever else holds it releases it under this lock too, so the last one sees two: itself
        // and the shard.
        if Arc::strong_count(&block) == 2 {
            shard.remove(&block.digest);
            self.credit(block.cost());
        }
        drop(block);
    }
}

/// One block, kept as long as this is.
#[derive(Debug)]
pub struct Held {
    store: Arc<PageStore>,
    block: Option<Arc<Block>>,
}

impl Held {
    /// Keep `bytes`.
    pub fn new(store: &Arc<PageStore>, bytes: &[u8]) -> Result<Self, Error> {
        let block = store.keep(digest(bytes), bytes)?;
        Ok(Held { store: Arc::clone(store), block: Some(block) })
    }

    /// The content.
    pub fn bytes(&self) -> &[u8] {
        self.block.as_ref().map_or(&[], |block| block.bytes())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(block) = self.block.take() {
            self.store.release(block);
        }
    }
}

/// Pages by ascending address, kept as long as the list is.
#[derive(Debug)]
pub struct PageList {
    store: Arc<PageStore>,
    pages: Vec<(u64, Arc<Block>)>,
}

impl PageList {
    /// No pages.
    pub fn new(store: &Arc<PageStore>) -> Self {
        PageList { store: Arc::clone(store), pages: Vec::new() }
    }

    /// Add a page behind all others.
    pub fn push(&mut self, address: u64, digest: u128, bytes: &[u8]) -> Result<(), Error> {
        let block = self.store.keep(digest, bytes)?;
        self.pages.push((address, block));
        Ok(())
    }

    /// Add a page behind all others, that another list holds.
    pub fn share(&mut self, address: u64, block: &Arc<Block>) {
        self.pages.push((address, Arc::clone(block)));
    }

    /// The pages.
    pub fn pages(&self) -> &[(u64, Arc<Block>)] {
        &self.pages
    }

    /// The page at `address`.
    pub fn find(&self, address: u64) -> Option<&Arc<Block>> {
        let place = self.pages.binary_search_by_key(&address, |(address, _)| *address).ok()?;
        Some(&self.pages[place].1)
    }

    /// Make the list as small as it can be; the bytes it then takes, its pages apart.
    pub fn trim(&mut self) -> u64 {
        self.pages.shrink_to_fit();
        (self.pages.capacity() * size_of::<(u64, Arc<Block>)>()) as u64
    }

    /// The store.
    pub fn store(&self) -> &Arc<PageStore> {
        &self.store
    }
}

impl Drop for PageList {
    fn drop(&mut self) {
        for (_, block) in self.pages.drain(..) {
            self.store.release(block);
        }
    }
}

/// The pages of a memory: those of the node's start, but for some. Where there is none memory is zero.
#[derive(Debug)]
pub struct PageTable {
    start: Arc<PageList>,
    own: PageList,
}

impl PageTable {
    /// Those of `start`, but for `own`.
    pub fn new(start: Arc<PageList>, own: PageList) -> Self {
        PageTable { start, own }
    }

    /// The pages at the node's start.
    pub fn start(&self) -> &Arc<PageList> {
        &self.start
    }

    /// Those that differ from the start.
    pub fn own(&self) -> &PageList {
        &self.own
    }

    /// The page at `address`, unless it is zero and was so at the start.
    pub fn find(&self, address: u64) -> Option<&Arc<Block>> {
        self.own.find(address).or_else(|| self.start.find(address))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(fill: u8) -> Vec<u8> {
        vec![fill; PAGE as usize]
    }

    fn list(store: &Arc<PageStore>, fills: &[u8]) -> PageList {
        let mut list = PageList::new(store);
        for (place, &fill) in fills.iter().enumerate() {
            let bytes = page(fill);
            list.push(place as u64 * PAGE, digest(&bytes), &bytes).expect("no two are alike");
        }
        list
    }

    #[test]
    fn a_page_is_kept_once_and_as_long_as_a_list_holds_it() {
        let store = Arc::new(PageStore::default());
        let one = list(&store, &[1, 2, 1]);
        assert_eq!(store.bytes(), 2 * (PAGE + OVERHEAD));
        let mut two = list(&store, &[2, 3]);
        two.share(2 * PAGE, one.find(0).expect("it is in the list"));
        assert_eq!(store.bytes(), 3 * (PAGE + OVERHEAD));
        drop(one);
        assert_eq!(store.bytes(), 3 * (PAGE + OVERHEAD));
        assert_eq!(two.find(2 * PAGE).map(|block| block.bytes()), Some(&page(1)[..]));
        assert!(two.find(5).is_none());
        drop(two);
        assert_eq!(store.bytes(), 0);
        assert!(store.shards.iter().all(|shard| shard.lock().expect("whole").is_empty()));
    }

    #[test]
    fn lists_that_come_and_go_on_two_threads_leave_nothing() {
        let store = Arc::new(PageStore::default());
        std::thread::scope(|scope| {
            for first in 0..2u8 {
                let store = &store;
                scope.spawn(move || {
                    for round in 0..200u8 {
                        let kept = list(store, &[1, round % 3, first]);
                        drop(list(store, &[2, round % 5]));
                        assert_eq!(kept.pages()[0].1.bytes()[0], 1);
                    }
                });
            }
        });
        assert_eq!(store.bytes(), 0);
    }

    #[test]
    fn two_contents_with_one_digest_are_an_error() {
        let store = Arc::new(PageStore::default());
        let mut list = list(&store, &[1]);
        let of_one = list.pages()[0].1.digest();
        assert!(list.push(PAGE, of_one, &page(2)).is_err());
    }
}
