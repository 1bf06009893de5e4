//! Memory that accessors of a world hand out pointers into: states that do not stand aligned where
//! they are, messages, replies. A copy is made once for a world, when it is asked for, and stays where
//! it is as long as the world does. The memory is used again for the next world, on the same thread:
//! a property that looks at states allocates nothing once it is warm.

use std::cell::RefCell;
use std::ops::Range;

use crate::error::Error;
use crate::world::View;

/// What the widest instructions may be used on.
pub(super) const ALIGNMENT: usize = 16;

/// More than a thread uses at once: a step property reads two worlds.
const POOLED: usize = 4;

#[repr(align(16))]
#[derive(Clone, Copy)]
struct Block([u8; ALIGNMENT]);

/// Copies for one world.
#[derive(Default)]
pub(super) struct Copies {
    /// By node.
    states: Vec<State>,
    messages: List,
    replies: List,
}

/// A state, if it has been copied.
#[derive(Default)]
struct State {
    made: bool,
    blocks: Vec<Block>,
}

/// Entries and their bytes, if they have been copied.
#[derive(Default)]
pub(super) struct List {
    made: bool,
    entries: Vec<Entry>,
    bytes: Vec<u8>,
}

/// A message or a reply.
#[derive(Clone)]
pub(super) struct Entry {
    /// Who gets it: a node for a message, nobody for a reply.
    pub(super) to: Option<usize>,
    /// The node that it comes from.
    pub(super) node: Option<usize>,
    /// The client at its other end.
    pub(super) client: Option<usize>,
    range: Range<usize>,
}

thread_local! {
    /// What worlds of this thread have left behind. In boxes, so that a world, which is moved, is small.
    #[allow(clippy::vec_box)]
    static POOL: RefCell<Vec<Box<Copies>>> = const { RefCell::new(Vec::new()) };
}

impl Copies {
    /// For a new world.
    pub(super) fn fresh() -> Box<Self> {
        let pooled = POOL.try_with(|pool| pool.borrow_mut().pop()).ok().flatten();
        let mut copies = pooled.unwrap_or_default();
        copies.states.iter_mut().for_each(|state| state.made = false);
        (copies.messages.made, copies.replies.made) = (false, false);
        copies
    }

    /// Leave the memory to the next world.
    pub(super) fn leave(self: Box<Self>) {
        let _ = POOL.try_with(|pool| {
            let mut pool = pool.borrow_mut();
            if pool.len() < POOLED {
                pool.push(self);
            }
        });
    }

    /// An aligned copy of `state`, that of `node`.
    pub(super) fn state(&mut self, node: usize, state: &[u8]) -> *const u8 {
        if self.states.len() <= node {
            self.states.resize_with(node + 1, State::default);
        }
        let State { made, blocks } = &mut self.states[node];
        if !*made {
            blocks.clear();
            let (whole, rest) = state.as_chunks();
            blocks.extend(whole.iter().map(|bytes| Block(*bytes)));
            if !rest.is_empty() {
                let mut block = Block([0; ALIGNMENT]);
                block.0[..rest.len()].copy_from_slice(rest);
                blocks.push(block);
            }
            *made = true;
        }
        blocks.as_ptr().cast()
    }

    /// The messages of the world behind `view`.
    pub(super) fn messages(&mut self, view: View<'_>) -> Result<&List, Error> {
        self.messages.filled(|list| {
            view.reader.messages(view.world, &mut |message| {
                list.push(Some(message.to), message.from, message.client, message.bytes);
                true
            })
        })
    }

    /// The replies of the world behind `view`.
    pub(super) fn replies(&mut self, view: View<'_>) -> Result<&List, Error> {
        self.replies.filled(|list| {
            view.reader.replies(view.world, &mut |reply| {
                list.push(None, reply.node, reply.client, reply.bytes);
                true
            })
        })
    }
}

impl List {
    /// The list, which `fill` fills if nobody has asked for it before.
    fn filled(
        &mut self,
        fill: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Result<&Self, Error> {
        if !self.made {
            self.entries.clear();
            self.bytes.clear();
            fill(self)?;
            self.made = true;
        }
        Ok(self)
    }

    fn push(
        &mut self,
        to: Option<usize>,
        node: Option<usize>,
        client: Option<usize>,
        bytes: &[u8],
    ) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        self.entries.push(Entry { to, node, client, range: start..self.bytes.len() });
    }

    /// How many entries there are.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Entry `index`, if there is one, and its bytes, which stay where they are.
    pub(super) fn get(&self, index: usize) -> Option<(&Entry, &[u8])> {
        let entry = self.entries.get(index)?;
        Some((entry, &self.bytes[entry.range.clone()]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_aligned_whole_and_made_once_for_a_world() {
        let bytes: Vec<u8> = (0..40).collect();
        let mut copies = Copies::fresh();
        let place = copies.state(2, &bytes);
        assert_eq!(place as usize % ALIGNMENT, 0);
        assert_eq!(copies.state(0, &bytes[..3]) as usize % ALIGNMENT, 0);
        assert_eq!(copies.state(2, &[9; 40]), place, "the first copy is the copy");
        let held: Vec<u8> = copies.states[2].blocks.iter().flat_map(|block| block.0).collect();
        assert_eq!(held[..40], bytes[..]);
        copies.leave();

        let mut copies = Copies::fresh();
        assert_eq!(copies.state(2, &[9; 40]), place, "the memory is used again");
        assert_eq!(copies.states[2].blocks[0].0, [9; ALIGNMENT]);
    }
}
