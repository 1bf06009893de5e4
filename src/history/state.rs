//! The objects of a history between two operations, and the operations that stand before, as words:
//! what the search compares and remembers.

use smallvec::SmallVec;

use super::{Key, Object, Value};

/// A set of operations, by place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Places(SmallVec<[u64; 1]>);

impl Places {
    /// The empty subset of `count` operations.
    pub(super) fn none(count: usize) -> Self {
        Places(SmallVec::from_elem(0, count.div_ceil(64)))
    }

    pub(super) fn insert(&mut self, place: usize) {
        self.0[place / 64] |= 1 << (place % 64);
    }

    pub(super) fn contains(&self, place: usize) -> bool {
        self.0[place / 64] >> (place % 64) & 1 == 1
    }

    /// Whether every member is one of `other`.
    pub(super) fn within(&self, other: &Places) -> bool {
        self.0.iter().zip(&other.0).all(|(own, other)| own & !other == 0)
    }

    /// Whether no member is one of `other`.
    pub(super) fn apart(&self, other: &Places) -> bool {
        self.0.iter().zip(&other.0).all(|(own, other)| own & other == 0)
    }
}

/// What every object holds. Registers are a word each; queues, one behind the other, their length
/// and their values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct State(SmallVec<[u32; 6]>);

impl State {
    /// At the start: `keys` objects.
    pub(super) fn initial(object: Object, initial: Value, keys: usize) -> Self {
        let word = match object {
            Object::Register => initial.0,
            Object::Queue => 0,
        };
        State(SmallVec::from_elem(word, keys))
    }

    /// What the register `key` holds.
    pub(super) fn held(&self, key: Key) -> Value {
        Value(self.0[key.0 as usize])
    }

    /// The register `key` holds `value` from now on.
    pub(super) fn hold(&mut self, key: Key, value: Value) {
        self.0[key.0 as usize] = value.0;
    }

    /// Where the queue `key` starts.
    fn start(&self, key: Key) -> usize {
        (0..key.0).fold(0, |at, _| at + 1 + self.0[at] as usize)
    }

    /// The first value of the queue `key`.
    pub(super) fn front(&self, key: Key) -> Value {
        let start = self.start(key);
        if self.0[start] == 0 { Value::NOTHING } else { Value(self.0[start + 1]) }
    }

    /// The queue `key`, which is not empty, loses its first value.
    pub(super) fn shift(&mut self, key: Key) {
        let start = self.start(key);
        self.0[start] -= 1;
        self.0.remove(start + 1);
    }

    /// The queue `key` has `value` at its end.
    pub(super) fn push(&mut self, key: Key, value: Value) {
        let start = self.start(key);
        self.0[start] += 1;
        let end = start + self.0[start] as usize;
        self.0.insert(end, value.0);
    }
}
