//! The bytes of saved memories, each content kept once however many memories, nodes and workers hold
//! it, and as a difference where it is like another ([`super::block`]). What nobody holds or differs
//! from any more is freed at once, so that the store is as large as what is in use.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use xxhash_rust::xxh3::xxh3_128;

use super::block::Block;
use super::state::Digests;
use crate::error::Error;

/// Parts of the store, each with a lock of its own; a power of two.
const SHARDS: usize = 64;
/// Bytes that a block takes beside its content: itself with its counts and its place in a shard, of
/// which a third may be empty, and what the allocator keeps of two allocations.
pub const OVERHEAD: u64 =
    (size_of::<Block>() + 16 + size_of::<(u128, Arc<Block>)>() * 3 / 2 + 16) as u64;

/// Every content that some saved memory holds.
#[derive(Debug)]
pub struct PageStore {
    shards: [Mutex<Shard>; SHARDS],
    bytes: AtomicU64,
}

/// Blocks that some content is probably like.
pub type Near<'a> = [Option<&'a Arc<Block>>; 2];

type Shard = HashMap<u128, Arc<Block>, Digests>;

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
    /// Bytes in use, all that is charged included.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Whether nothing is kept, nor counted.
    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.bytes() == 0 && self.shards.iter().all(|shard| shard.lock().expect("whole").is_empty())
    }

    fn shard(&self, digest: u128) -> MutexGuard<'_, Shard> {
        let shard = &self.shards[(digest >> 64) as usize % SHARDS];
        shard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The block with this content, whose digest is `digest`. It is probably like one of `near`.
    pub fn keep(&self, digest: u128, bytes: &[u8], near: Near<'_>) -> Result<Arc<Block>, Error> {
        let mut shard = self.shard(digest);
        if let Some(known) = shard.get(&digest) {
            return match known.is(bytes) {
                true => Ok(Arc::clone(known)),
                false => Err(Error::Internal(format!(
                    "two pages have the digest {digest:032x}; this should not happen in the life of \
                     the universe"
                ))),
            };
        }
        let block = Arc::new(Block::new(digest, bytes, &near));
        if !block.is(bytes) {
            return Err(Error::Internal(format!(
                "the page with the digest {digest:032x} was not kept as it is"
            )));
        }
        self.bytes.fetch_add(cost(&block), Ordering::Relaxed);
        shard.insert(digest, Arc::clone(&block));
        Ok(block)
    }

    /// Nobody reads `block` for the caller any more.
    pub fn release(&self, block: Arc<Block>) {
        let mut next = Some(block);
        while let Some(block) = next {
            next = self.release_one(block);
        }
    }

    /// The same, but for the block that it differs from, which it no longer needs then.
    fn release_one(&self, block: Arc<Block>) -> Option<Arc<Block>> {
        let mut shard = self.shard(block.digest());
        // Whoever else holds it releases it under this lock too, so the last one sees two: itself
        // and the shard.
        if Arc::strong_count(&block) == 2 {
            shard.remove(&block.digest());
            self.bytes.fetch_sub(cost(&block), Ordering::Relaxed);
        }
        Arc::into_inner(block).and_then(Block::into_base)
    }
}

fn cost(block: &Block) -> u64 {
    block.size() as u64 + OVERHEAD
}

/// Bytes that something takes beside its blocks, counted as long as this is.
#[derive(Debug)]
pub struct Charge {
    store: Arc<PageStore>,
    bytes: u64,
}

impl Charge {
    /// Count `bytes` among those of `store`.
    pub fn new(store: &Arc<PageStore>, bytes: usize) -> Self {
        store.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        Charge { store: Arc::clone(store), bytes: bytes as u64 }
    }

    /// Where they are counted.
    pub fn store(&self) -> &Arc<PageStore> {
        &self.store
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.store.bytes.fetch_sub(self.bytes, Ordering::Relaxed);
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
        let block = store.keep(digest(bytes), bytes, [None; 2])?;
        Ok(Held { store: Arc::clone(store), block: Some(block) })
    }

    /// The content.
    pub fn bytes(&self) -> Cow<'_, [u8]> {
        self.block.as_ref().map_or(Cow::Borrowed(&[]), |block| block.bytes())
    }

    /// Whether `other`, of the same store, is the same content.
    pub fn is(&self, other: &Held) -> bool {
        self.block.as_ref().map(|block| block.digest())
            == other.block.as_ref().map(|block| block.digest())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(block) = self.block.take() {
            self.store.release(block);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_contents_with_one_digest_are_an_error() {
        let store = PageStore::default();
        let kept = store.keep(1, &[1], [None; 2]).expect("there is nothing else");
        assert!(store.keep(1, &[2], [None; 2]).is_err());
        let again = store.keep(1, &[1], [None; 2]).expect("it is the same");
        assert!(Arc::ptr_eq(&kept, &again));
        store.release(kept);
        assert_eq!(store.bytes(), OVERHEAD + 1);
        store.release(again);
        assert!(store.is_empty());
    }

    #[test]
    fn what_is_held_is_the_same_where_its_content_is() {
        let store = Arc::new(PageStore::default());
        let held = |bytes: &[u8]| Held::new(&store, bytes).expect("no two are alike");
        let [one, same, other] = [held(&[7; 832]), held(&[7; 832]), held(&[7; 831])];
        assert!(one.is(&same) && !one.is(&other));
        assert_eq!(*one.bytes(), [7; 832]);
        drop((one, same, other));
        assert!(store.is_empty());
    }
}
