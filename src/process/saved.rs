//! A whole memory of a node that waits, kept so that a process can be put into it: its registers, the
//! pages that differ from those at its hello, and what the checker keeps for it. That, and a process
//! with the same mappings, signal settings and program break, is all that its future depends on; a
//! node that had the kernel change anything else is not saved.

use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3;

use super::block::{ZERO, ZEROS};
use super::layout::{Layout, Role};
use super::local::{Descriptor, Local};
use super::memory::{Mapping, PAGE};
use super::node::Node;
use super::notify::Notification;
use super::page_list::{PageList, PageTable};
use super::page_store::{Charge, Held, PageStore, digest};
use super::pieces::Pieces;
use super::registers::Registers;
use super::request::Request;
use super::snapshot::Snapshot;
use super::step::Wait;
use crate::error::Error;
use crate::system::Stop;

/// What an `Arc` takes beside its content.
const COUNTS: usize = 16;
/// What every memory takes beside what it shares, counts included.
const SIZE: usize = size_of::<Saved>() + size_of::<PageTable>() + 2 * COUNTS;

/// A whole memory of a node.
#[derive(Debug)]
pub struct Saved {
    pages: Arc<PageTable>,
    /// Without the vector state.
    registers: Registers,
    vector: Held,
    kept: Kept,
    shape: u128,
    /// The lowest page of the stack that is not zero.
    stack: u64,
    /// The memory of the node's twin.
    twin: Option<Box<Saved>>,
    _charge: Charge,
}

/// What the checker keeps for a node that waits.
#[derive(Clone, Debug)]
pub struct Kept {
    local: Arc<Shared>,
    /// The last complete report.
    pub report: Option<Vec<u8>>,
    /// The call that it waits in; `None` at its hello.
    pub blocked: Option<(Request<'static>, Wait)>,
}

/// What the kernel would keep, which most steps leave as it is: one for all memories that were saved
/// one after the other.
#[derive(Debug)]
struct Shared {
    local: Local,
    _charge: Charge,
}

/// The pages of `snapshot`, of a node at its hello.
pub fn start_pages(store: &Arc<PageStore>, snapshot: &Snapshot) -> Result<PageList, Error> {
    let mut pages = PageList::new(store);
    for (address, bytes, digest) in snapshot.pages() {
        if digest != ZERO {
            pages.push(address, digest, bytes, [None; 2])?;
        }
    }
    pages.trim();
    Ok(pages)
}

impl Saved {
    /// Keep `node`, which waits and was read as `snapshot`, its twin as `twin`, and which has stayed
    /// so; `None` where the kernel holds something that cannot be put back. `near` is a memory that it
    /// probably shares pages with.
    pub fn of(
        node: &Node,
        snapshot: &Snapshot,
        twin: Option<&Snapshot>,
        start: &Arc<PageList>,
        near: Option<&Saved>,
    ) -> Result<Option<Self>, Error> {
        let Some(mut saved) = Saved::alone(node, snapshot, start, near)? else { return Ok(None) };
        match (node.twin.as_deref(), twin) {
            (None, None) => {}
            (Some(node), Some(twin)) => {
                let near = near.and_then(|near| near.twin.as_deref());
                let Some(twin) = Saved::alone(node, twin, start, near)? else { return Ok(None) };
                saved.twin = Some(Box::new(twin));
            }
            _ => return Err(Error::Internal("a node was read without its twin".into())),
        }
        Ok(Some(saved))
    }

    fn alone(
        node: &Node,
        snapshot: &Snapshot,
        start: &Arc<PageList>,
        near: Option<&Saved>,
    ) -> Result<Option<Self>, Error> {
        if unfit(node, &snapshot.layout).is_some() {
            return Ok(None);
        }
        let store = start.store();
        let kept = Kept::of(node, store, near);
        let mut registers = snapshot.registers.clone();
        if !agrees(&registers, &kept) {
            return Err(Error::Internal(
                "a node was not stopped in the call that it waits in".into(),
            ));
        }
        let vector = Held::new(store, &registers.take_vector())?;
        let mut pages = differing(snapshot, start, near, &node.sealed)?;
        let stack = lowest_in_stack(&snapshot.layout, [&pages, start]);
        let shape = shape(&snapshot.layout, &node.sealed, &node.local);
        pages.trim();
        let _charge = Charge::new(store, SIZE + kept.report.as_ref().map_or(0, Vec::len));
        let pages = Arc::new(PageTable::new(Arc::clone(start), pages));
        Ok(Some(Saved { pages, registers, vector, kept, shape, stack, twin: None, _charge }))
    }

    /// Two memories of one node with the same shape differ in pages, registers and what the checker
    /// keeps alone.
    pub fn shape(&self) -> u128 {
        self.shape
    }

    /// The memory of the node's twin, if it has one.
    pub fn twin(&self) -> Option<&Saved> {
        self.twin.as_deref()
    }

    /// What the checker keeps.
    pub fn kept(&self) -> &Kept {
        &self.kept
    }

    /// Whether the vector state and the blocked signals are those of `other`.
    pub fn has_vector_of(&self, other: &Saved) -> bool {
        self.registers.mask == other.registers.mask && self.vector.is(&other.vector)
    }

    /// The general registers.
    pub fn general(&self) -> &Registers {
        &self.registers
    }

    /// The registers.
    pub fn registers(&self) -> Registers {
        let mut registers = self.registers.clone();
        registers.put_vector(self.vector.bytes().into_owned());
        registers
    }

    /// The pages.
    pub fn pages(&self) -> &Arc<PageTable> {
        &self.pages
    }

    /// The lowest page of the stack that is not zero.
    pub fn stack(&self) -> u64 {
        self.stack
    }

    /// In what the pages of a process that holds `other` are to be changed so that it holds this. Both
    /// have one start and one shape.
    pub fn differences<'a>(&'a self, other: &Saved) -> Pieces<'a> {
        let (mine, theirs) = (self.pages.own().pages(), other.pages.own().pages());
        let mut pieces = Pieces::default();
        let (mut at, mut there) = (0, 0);
        loop {
            match (mine.get(at), theirs.get(there)) {
                (Some((address, block)), Some((other, old))) if address == other => {
                    if block.digest() != old.digest() {
                        pieces.push(*address, Some(block), Some(old));
                    }
                    at += 1;
                    there += 1;
                }
                (Some((address, block)), other) if other.is_none_or(|(o, _)| address < o) => {
                    pieces.push(*address, Some(block), self.pages.start().find(*address));
                    at += 1;
                }
                (_, Some((address, old))) => {
                    pieces.push(*address, self.pages.start().find(*address), Some(old));
                    there += 1;
                }
                (_, None) => return pieces,
            }
        }
    }

    /// The same with one bit flipped, of a page by which it differs from its start: a lie for tests,
    /// which a comparison must find.
    #[doc(hidden)]
    pub fn spoilt_for_tests(&self, address: u64) -> Result<Self, Error> {
        let store = self.pages.start().store();
        let mut pages = PageList::new(store);
        for (start, block) in self.pages.own().pages() {
            match (*start..*start + PAGE).contains(&address) {
                true => {
                    let mut bytes = block.bytes().into_owned();
                    bytes[(address - start) as usize] ^= 1;
                    pages.push(*start, digest(&bytes), &bytes, [Some(block), None])?;
                }
                false => pages.share(*start, block),
            }
        }
        Ok(Saved {
            pages: Arc::new(PageTable::new(Arc::clone(self.pages.start()), pages)),
            registers: self.registers.clone(),
            vector: Held::new(store, &self.vector.bytes())?,
            kept: self.kept.clone(),
            twin: None,
            _charge: Charge::new(store, SIZE),
            ..*self
        })
    }
}

/// The call by which the kernel keeps something for `node` that no other process can be given, or that
/// is not known.
pub fn unfit(node: &Node, layout: &Layout) -> Option<&'static str> {
    let local = &node.local;
    let top = layout.mappings.iter().rfind(|mapping| mapping.role() == Role::Break);
    let said = local.break_start.checked_add(local.grown);
    let said = said.and_then(|said| said.checked_next_multiple_of(PAGE));
    let known = match (local.break_start, top) {
        (0, top) => top.is_none(),
        (_, Some(top)) => Some(top.end) == said,
        // Where it starts there is nothing to map.
        (_, None) => local.grown == 0,
    };
    local.lasting.or_else(|| (!known).then_some("brk"))
}

/// Whether `registers` are those of a process in the call that `kept` waits in.
fn agrees(registers: &Registers, kept: &Kept) -> bool {
    kept.blocked.is_none_or(|(request, _)| {
        let Notification { number, instruction, arguments, .. } = request.notification;
        registers.call() == (number, instruction, arguments)
    })
}

impl Node {
    /// The shape of its memory.
    pub(super) fn shape(&mut self) -> Result<u128, Stop> {
        let layout = self.layout()?;
        Ok(shape(&layout, &self.sealed, &self.local))
    }
}

impl Kept {
    /// What is kept for `node`, which waits, probably as `near` does.
    fn of(node: &Node, store: &Arc<PageStore>, near: Option<&Saved>) -> Self {
        let known = near.map(|near| &near.kept.local).filter(|known| known.local == node.local);
        let local = known.cloned().unwrap_or_else(|| {
            let local = node.local.clone();
            let _charge = Charge::new(store, size_of::<Shared>() + COUNTS + local.heap());
            Arc::new(Shared { local, _charge })
        });
        Kept { local, report: node.report.clone(), blocked: node.blocked }
    }

    /// What the kernel would keep.
    pub fn local(&self) -> &Local {
        &self.local.local
    }
}

/// The lowest page of `lists` in the stack.
fn lowest_in_stack(layout: &Layout, lists: [&PageList; 2]) -> u64 {
    let Some(stack) = layout.stack() else { return u64::MAX };
    let below = layout.mappings.iter().take_while(|mapping| mapping.end <= stack.start);
    let floor = below.last().map_or(0, |mapping| mapping.end);
    let first = |list: &PageList| {
        let place = list.pages().partition_point(|(address, _)| *address < floor);
        list.pages().get(place).map_or(u64::MAX, |(address, _)| *address)
    };
    lists.map(first).into_iter().min().unwrap_or(u64::MAX)
}

/// Whether the page at `address` is part of what a snapshot reads.
fn may_be_written(layout: &Layout, sealed: &[Mapping], address: u64) -> bool {
    let place = layout.mappings.partition_point(|mapping| mapping.end <= address);
    layout.mappings.get(place).is_some_and(|mapping| {
        // A stack may have grown since the layout was read.
        let inside = mapping.start <= address || mapping.role() == Role::Stack;
        inside && mapping.written && !sealed.contains(mapping)
    })
}

/// The pages of `snapshot` that differ from `start`. What the start has and the snapshot leaves out is
/// zero where it is still the node's to write.
fn differing(
    snapshot: &Snapshot,
    start: &Arc<PageList>,
    near: Option<&Saved>,
    sealed: &[Mapping],
) -> Result<PageList, Error> {
    let mut pages = PageList::new(start.store());
    let mut behind = start.pages().iter().peekable();
    let mut known = near.map_or(&[][..], |near| near.pages.own().pages()).iter().peekable();
    let left_out = |address: u64| may_be_written(&snapshot.layout, sealed, address);
    for (address, bytes, digest) in snapshot.pages() {
        while let Some((gone, _)) = behind.next_if(|(page, _)| *page < address) {
            if left_out(*gone) {
                pages.push(*gone, ZERO, &ZEROS, [None; 2])?;
            }
        }
        let old = behind.next_if(|(page, _)| *page == address);
        if old.map_or(ZERO, |(_, block)| block.digest()) == digest {
            continue;
        }
        while known.next_if(|(page, _)| *page < address).is_some() {}
        let old = old.map(|(_, block)| block);
        match known.next_if(|(page, _)| *page == address).map(|(_, block)| block) {
            Some(block) if block.digest() == digest => pages.share(address, block),
            block => pages.push(address, digest, bytes, [block, old])?,
        }
    }
    for (gone, _) in behind {
        if left_out(*gone) {
            pages.push(*gone, ZERO, &ZEROS, [None; 2])?;
        }
    }
    Ok(pages)
}

/// A digest of what a process cannot be given from outside: its mappings, and of what the kernel keeps
/// for it the signal settings, the program break, and the files that its loader has left open.
fn shape(layout: &Layout, sealed: &[Mapping], local: &Local) -> u128 {
    let mut hash = Xxh3::new();
    hash.update(&layout.digest().to_le_bytes());
    hash.update(&(sealed.len() as u64).to_le_bytes());
    sealed.iter().for_each(|mapping| hash.update(&mapping.start.to_le_bytes()));
    for (number, action) in &local.signals {
        hash.update(&number.to_le_bytes());
        hash.update(action);
    }
    hash.update(&[0xff; 4]);
    hash.update(&local.break_start.to_le_bytes());
    hash.update(&local.grown.to_le_bytes());
    let files = local.descriptors.iter().filter(|(_, what)| **what == Descriptor::File);
    files.for_each(|(fd, _)| hash.update(&fd.to_le_bytes()));
    hash.digest128()
}
