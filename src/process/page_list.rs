//! The pages of saved memories, by address: those at the start of a program, and those in which a memory
//! differs from them. A list keeps its pages in the store as long as it is there.

use std::sync::Arc;

use super::block::Block;
use super::page_store::{Charge, Near, PageStore};
use crate::error::Error;

/// Pages by ascending address, kept as long as the list is.
#[derive(Debug)]
pub struct PageList {
    /// For the list itself.
    charge: Charge,
    pages: Vec<(u64, Arc<Block>)>,
}

impl PageList {
    /// No pages.
    pub fn new(store: &Arc<PageStore>) -> Self {
        PageList { charge: Charge::new(store, 0), pages: Vec::new() }
    }

    /// Add a page behind all others, which is probably like one of `near`.
    pub fn push(
        &mut self,
        address: u64,
        digest: u128,
        bytes: &[u8],
        near: Near<'_>,
    ) -> Result<(), Error> {
        let block = self.store().keep(digest, bytes, near)?;
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

    /// Make the list as small as it can be, and count it.
    pub fn trim(&mut self) {
        self.pages.shrink_to_fit();
        let bytes = self.pages.capacity() * size_of::<(u64, Arc<Block>)>();
        self.charge = Charge::new(self.store(), bytes);
    }

    /// The store.
    pub fn store(&self) -> &Arc<PageStore> {
        self.charge.store()
    }
}

impl Drop for PageList {
    fn drop(&mut self) {
        for (_, block) in self.pages.drain(..) {
            self.charge.store().release(block);
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
    use proptest::prelude::*;

    use super::super::memory::PAGE;
    use super::super::page_store::{OVERHEAD, digest};
    use super::*;

    fn page(fill: u8) -> Vec<u8> {
        vec![fill; PAGE as usize]
    }

    /// A page that is kept as it is, but for the bytes at `changed`.
    fn varied(seed: u8, changed: &[usize]) -> Vec<u8> {
        let mut bytes: Vec<u8> = (0..PAGE).map(|at| at as u8 ^ seed | 1).collect();
        changed.iter().for_each(|&at| bytes[at] = 0);
        bytes
    }

    fn push(list: &mut PageList, bytes: &[u8], near: Near<'_>) {
        let address = list.pages().len() as u64 * PAGE;
        list.push(address, digest(bytes), bytes, near).expect("no two are alike");
    }

    fn list(store: &Arc<PageStore>, fills: &[u8]) -> PageList {
        let mut list = PageList::new(store);
        for (place, &fill) in fills.iter().enumerate() {
            let bytes = page(fill);
            list.push(place as u64 * PAGE, digest(&bytes), &bytes, [None; 2])
                .expect("no two are alike");
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
        assert!(two.find(2 * PAGE).is_some_and(|block| block.is(&page(1))));
        assert!(two.find(5).is_none());
        drop(two);
        assert!(store.is_empty());
    }

    #[test]
    fn a_page_outlives_the_list_that_it_differs_from() {
        let store = Arc::new(PageStore::default());
        let [mut one, mut two] = [PageList::new(&store), PageList::new(&store)];
        push(&mut one, &varied(0, &[]), [None; 2]);
        let first = store.bytes();
        push(&mut two, &varied(0, &[5]), [one.find(0), None]);
        let little = store.bytes() - first;
        assert!(little < OVERHEAD + 16, "{little}");
        drop(one);
        assert_eq!(store.bytes(), first + little, "what it differs from is still there");
        assert!(two.find(0).is_some_and(|block| *block.bytes() == varied(0, &[5])));
        // What is like a difference keeps what both differ from.
        let mut three = PageList::new(&store);
        push(&mut three, &varied(0, &[5, 900]), [two.find(0), None]);
        drop(two);
        assert!(three.find(0).is_some_and(|block| *block.bytes() == varied(0, &[5, 900])));
        let mut again = PageList::new(&store);
        push(&mut again, &varied(0, &[]), [None; 2]);
        assert!(store.bytes() < first + 2 * little, "it is found there");
        drop((three, again));
        assert!(store.is_empty());
    }

    #[test]
    fn what_is_charged_is_counted_as_long_as_it_is_there() {
        let store = Arc::new(PageStore::default());
        let charge = Charge::new(&store, 100);
        let mut list = PageList::new(&store);
        list.trim();
        assert_eq!(store.bytes(), 100);
        push(&mut list, &page(1), [None; 2]);
        list.trim();
        list.trim();
        let entry = size_of::<(u64, Arc<Block>)>() as u64;
        assert_eq!(store.bytes(), 100 + PAGE + OVERHEAD + entry);
        drop(charge);
        drop(list);
        assert!(store.is_empty());
    }

    proptest! {
        #[test]
        fn whatever_comes_and_goes_lists_are_as_they_were(
            steps in prop::collection::vec(
                (0..3u8, prop::collection::vec(0..PAGE as usize, 0..9), any::<prop::sample::Index>()),
                1..40,
            )
        ) {
            let store = Arc::new(PageStore::default());
            let mut lists: Vec<(Vec<u8>, PageList)> = Vec::new();
            for (seed, changed, at) in steps {
                if lists.len() > 5 {
                    lists.swap_remove(at.index(lists.len()));
                }
                let bytes = varied(seed, &changed);
                let mut list = PageList::new(&store);
                let [one, other] = [at.index(7), lists.len() / 2].map(|at| lists.get(at));
                let near = [one, other].map(|near| near.and_then(|(_, list)| list.find(0)));
                push(&mut list, &bytes, near);
                lists.push((bytes, list));
                for (bytes, list) in &lists {
                    let block = list.find(0).expect("it has one page");
                    prop_assert!(block.is(bytes) && *block.bytes() == **bytes);
                    prop_assert_eq!(digest(&block.bytes()), block.digest());
                }
            }
            lists.clear();
            prop_assert!(store.is_empty());
        }
    }

    #[test]
    fn lists_that_come_and_go_on_two_threads_leave_nothing() {
        let store = Arc::new(PageStore::default());
        std::thread::scope(|scope| {
            for first in 0..2u8 {
                let store = &store;
                scope.spawn(move || {
                    for round in 0..200u8 {
                        let mut kept = list(store, &[1, round % 3, first]);
                        drop(list(store, &[2, round % 5]));
                        assert_eq!(kept.pages()[0].1.bytes()[0], 1);
                        let mut base = PageList::new(store);
                        push(&mut base, &varied(0, &[]), [None; 2]);
                        let bytes = varied(0, &[usize::from(round) % 4]);
                        push(&mut kept, &bytes, [base.find(0), None]);
                        drop(base);
                        assert!(kept.pages()[3].1.is(&bytes));
                    }
                });
            }
        });
        assert!(store.is_empty());
    }
}
