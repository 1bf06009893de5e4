//! The saved memories of all histories, within a budget of bytes. Those that were not used for longest
//! go first; a history whose memory is gone gets it anew from its nearest ancestor that has one.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use super::page_list::{PageList, PageTable};
use super::page_store::PageStore;
use super::saved::{Saved, start_pages};
use super::snapshot::Snapshot;
use crate::error::Error;

/// Bytes of saved memories where nothing else is said.
pub const BUDGET: u64 = 1 << 30;

/// Where a history keeps the memory that it leads to.
#[derive(Debug, Default)]
pub struct Image {
    saved: Mutex<Option<Arc<Saved>>>,
    /// Whether it was used since it was last passed over.
    used: AtomicBool,
}

/// The memories that histories keep.
#[derive(Debug)]
pub struct Images {
    /// Bytes that they take at most.
    pub budget: u64,
    store: Arc<PageStore>,
    /// By node, its pages at the hello.
    starts: Vec<OnceLock<Arc<PageTable>>>,
    /// Those that are kept, in the order in which they are looked at when room is needed. One that was
    /// used since goes to the end instead.
    order: Mutex<Order>,
    /// Where a bit of every memory is flipped: a lie for tests.
    lie: Option<u64>,
}

/// Those that are kept.
#[derive(Debug, Default)]
struct Order {
    list: VecDeque<Weak<Image>>,
    /// How long the list may be before it is looked through.
    sweep: usize,
}

/// Places of the list that may be empty.
const SWEEP: usize = 1024;

impl Image {
    /// The memory, if it is there.
    pub fn get(&self) -> Option<Arc<Saved>> {
        let saved = self.saved.lock().unwrap_or_else(PoisonError::into_inner);
        self.used.store(true, Ordering::Relaxed);
        saved.clone()
    }

    fn set(&self, saved: Option<Arc<Saved>>) -> bool {
        let mut place = self.saved.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *place, saved).is_none()
    }
}

impl Images {
    /// For so many nodes, in `budget` bytes.
    pub fn new(nodes: usize, budget: u64) -> Self {
        Images {
            budget,
            store: Arc::default(),
            starts: (0..nodes).map(|_| OnceLock::new()).collect(),
            order: Mutex::default(),
            lie: None,
        }
    }

    /// Bytes in use, those of processes that hold a memory included.
    pub fn bytes(&self) -> u64 {
        self.store.bytes()
    }

    /// How many memories are kept.
    pub fn count(&self) -> u64 {
        let order = self.order.lock().unwrap_or_else(PoisonError::into_inner);
        order.list.iter().filter(|image| image.strong_count() > 0).count() as u64
    }

    /// The pages of node `number` at its hello, which `boot` is.
    pub fn start(&self, number: usize, boot: &Snapshot) -> Result<Arc<PageTable>, Error> {
        if let Some(start) = self.starts[number].get() {
            return Ok(Arc::clone(start));
        }
        let pages = Arc::new(start_pages(&self.store, boot)?);
        let start = Arc::new(PageTable::new(pages, PageList::new(&self.store)));
        Ok(Arc::clone(self.starts[number].get_or_init(|| start)))
    }

    /// Keep `saved` in `image`, and as many others as there is room for.
    pub fn keep(&self, image: &Arc<Image>, saved: Arc<Saved>) {
        let spoilt = self.lie.and_then(|address| saved.spoilt_for_tests(address).ok());
        let fresh = image.set(Some(spoilt.map_or(saved, Arc::new)));
        let mut order = self.order.lock().unwrap_or_else(PoisonError::into_inner);
        if fresh {
            order.list.push_back(Arc::downgrade(image));
        }
        // Histories that are gone have left their places.
        if order.list.len() >= order.sweep {
            order.list.retain(|image| image.strong_count() > 0);
            order.sweep = 2 * order.list.len() + SWEEP;
        }
        let order = &mut order.list;
        // Whoever was used since goes to the end once.
        let mut looks = 2 * order.len();
        while self.store.bytes() > self.budget && looks > 0 {
            looks -= 1;
            let Some(first) = order.pop_front() else { break };
            let Some(image) = first.upgrade() else { continue };
            match image.used.swap(false, Ordering::Relaxed) {
                true => order.push_back(first),
                false => drop(image.set(None)),
            }
        }
    }

    /// Flip a bit at `address` of every memory that is kept from here on.
    #[doc(hidden)]
    pub fn spoil_for_tests(&mut self, address: u64) {
        self.lie = Some(address);
    }
}
