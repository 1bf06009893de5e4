//! The place of a transition in the order in which one worker would generate it.
//!
//! Why it does not matter who expands what, nor when: every transition of a level has a key that
//! depends only on its parent's index and on the parent itself. A new world has the smallest key that
//! reaches it, and so has a violation; both are minima, which no order can change. What is found in a
//! window of parents is gone through in the order of keys, so the first of a kind is the one with the
//! smallest, and new worlds are numbered in that order, window by window: keys of a later window are
//! greater. Everything behind the smallest key of an event is forgotten. No transition before that
//! event is left out, because expansion only ever skips keys behind some event. A bound on states is
//! an event too, at the first new world that does not fit. What is broken behind which the search goes
//! on is counted and listed by its key. By induction over windows, indices, parents, counts and the
//! event reported are those of one worker that goes through the queue in order, as TLC does. That
//! does not depend on where windows end either.

/// A transition's parent and its ordinal among what the parent's expansion does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    /// The index of the parent.
    pub(super) parent: u64,
    /// 0 for listing the parent's actions, where a deadlock is found too; then the successors from 1, over actions and choices.
    pub(super) ordinal: u32,
}

impl Key {
    /// Behind every transition.
    pub(super) const END: Key = Key { parent: u64::MAX, ordinal: u32::MAX };
}
