//! Remembers, for each thread, what properties said: one that depends on the local states of nodes
//! alone has the same value in every world in which they are the same. It is remembered as a whole
//! where those states fit a key, else by the bodies of its quantifiers, which look at few nodes: a step
//! changes one. What is remembered is compared in full, and a share of it is evaluated again.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU32, Ordering};

use super::Fault;
use super::formula::{Bytes, Integer, NodeOf, Range, Truth};
use super::tree::Domain;
use crate::error::Error;
use crate::limits::NODES;
use crate::world::{Liveness, View};

/// Of so many values that are remembered one is evaluated again.
const DOUBTED: u32 = 1024;
/// Local states and values that are remembered, as powers of two.
const STATES: u32 = 12;
const VALUES: u32 = 14;
/// Bits of the number of a local state in a key, and how many a key has.
const NUMBER: u32 = 24;
const NUMBERS: usize = 4;
/// The bit of a key that is its value's.
const VALUE: Key = 1 << 127;
/// 2^64 by the golden ratio: what is multiplied by it is spread over the upper bits.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// The number of a formula among all of the process.
#[derive(Clone, Copy, Debug)]
struct Number(u32);

impl Number {
    fn new() -> Option<Number> {
        static LAST: AtomicU32 = AtomicU32::new(0);
        // From 1, so that no key is 0, and the upper bit is the value's.
        let number = LAST.fetch_add(1, Ordering::Relaxed).checked_add(1)?;
        (number < 1 << 31).then_some(Number(number))
    }
}

/// It is no part of what a formula says.
impl PartialEq for Number {
    fn eq(&self, _: &Number) -> bool {
        true
    }
}

impl Eq for Number {}

/// What a formula looks at that looks at nothing but local states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whole {
    number: Number,
    /// Whether in the world, and whether in the earlier one.
    worlds: [bool; 2],
}

impl Whole {
    /// For `truth`, unless it looks at something else.
    pub fn of(truth: &Truth) -> Option<Whole> {
        let mut looks = Looks { closed: true, ..Looks::default() };
        looks.truth(truth, false)?;
        Some(Whole { number: Number::new()?, worlds: looks.inner })
    }

    /// The key of its value; `views` are the world and the earlier one. `None` where states have no
    /// short form, or there are too many.
    pub fn key(&self, memo: &mut Memo, views: [View<'_>; 2]) -> Option<Key> {
        let nodes = views[0].reader.nodes();
        if nodes * self.worlds.iter().filter(|looks| **looks).count() > NUMBERS {
            return None;
        }
        let mut key = Key::from(self.number.0);
        let mut room = NUMBERS as u32;
        for world in (0..2).filter(|&world| self.worlds[world]) {
            for node in 0..nodes {
                key = key << NUMBER | memo.number(views, world, node)?;
                room -= 1;
            }
        }
        Some(key << (NUMBER * room))
    }
}

/// What the body of a quantifier over nodes looks at, where that is only local states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Local {
    number: Number,
    looks: Looks,
}

/// Whose local states, and in which worlds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Looks {
    /// Of the quantifier's own variable: in the world and in the earlier one.
    inner: [bool; 2],
    /// Of the variable around it.
    outer: [bool; 2],
    /// Whether there are no variables around it: what it looks at may be at any node then, and is the
    /// inner one's.
    closed: bool,
}

/// Stands for a formula and the states that it looks at: a number of the one, then of the others.
pub type Key = u128;

impl Local {
    /// For `body`, unless it looks at something else.
    pub fn of(body: &Truth) -> Option<Local> {
        let mut looks = Looks::default();
        looks.truth(body, false)?;
        Some(Local { number: Number::new()?, looks })
    }

    /// The key of the body's value for `inner`, with `outer` around it; `views` are the world and the
    /// earlier one. `None` where states have no short form.
    pub fn key(
        &self,
        memo: &mut Memo,
        views: [View<'_>; 2],
        inner: usize,
        outer: Option<usize>,
    ) -> Option<Key> {
        let mut key = Key::from(self.number.0);
        for (looks, node) in [(self.looks.inner, Some(inner)), (self.looks.outer, outer)] {
            for (world, looks) in looks.into_iter().enumerate() {
                key <<= NUMBER;
                if looks {
                    key |= memo.number(views, world, node?)?;
                }
            }
        }
        Some(key)
    }
}

impl Looks {
    /// Look at the variable that is `depth` quantifiers away.
    fn at(&mut self, depth: usize, old: bool) -> Option<()> {
        let looks = match depth {
            _ if self.closed => &mut self.inner,
            0 => &mut self.inner,
            1 => &mut self.outer,
            _ => return None,
        };
        looks[usize::from(old)] = true;
        Some(())
    }

    fn node(&mut self, node: &NodeOf, old: bool) -> Option<()> {
        match &*node.number {
            Integer::Node(depth) => self.at(*depth, old),
            number if self.closed => {
                self.at(0, old)?;
                self.integer(number, old)
            }
            _ => None,
        }
    }

    fn truth(&mut self, truth: &Truth, old: bool) -> Option<()> {
        match truth {
            Truth::Constant(_) => Some(()),
            Truth::Not(inner) => self.truth(inner, old),
            Truth::And(parts) | Truth::Or(parts) => {
                parts.iter().try_for_each(|part| self.truth(part, old))
            }
            Truth::Implies(sides) | Truth::Truths(sides, _) => {
                self.truth(&sides.0, old)?;
                self.truth(&sides.1, old)
            }
            Truth::Integers(sides, _) => {
                self.integer(&sides.0, old)?;
                self.integer(&sides.1, old)
            }
            Truth::Strings(sides, _) | Truth::StartsWith(sides) => {
                self.bytes(&sides.0, old)?;
                self.bytes(&sides.1, old)
            }
            Truth::Is(node, _) => self.node(node, old),
            Truth::Old(inner) => self.truth(inner, true),
            Truth::Every(range, _) => self.range(range, old),
        }
    }

    fn integer(&mut self, integer: &Integer, old: bool) -> Option<()> {
        match integer {
            Integer::Constant(_) => Some(()),
            Integer::Node(depth) => self.at(*depth, old),
            Integer::Negate(inner, _) => self.integer(inner, old),
            Integer::Arithmetic(first, rest, _) => {
                self.integer(first, old)?;
                rest.iter().try_for_each(|(_, right)| self.integer(right, old))
            }
            Integer::Field(field) => self.node(&field.node, old),
            Integer::Length(bytes) => self.bytes(bytes, old),
            Integer::Byte(parts, _) => {
                self.bytes(&parts.0, old)?;
                self.integer(&parts.1, old)
            }
            Integer::Old(inner) => self.integer(inner, true),
            Integer::ReplyClient(_)
            | Integer::MessageTo(_)
            | Integer::MessageFrom(_)
            | Integer::MessageClient(_)
            | Integer::Clock(_)
            | Integer::Budget(_) => None,
            Integer::Count(range) => self.range(range, old),
        }
    }

    /// Depths are counted from inside the range there.
    fn range(&mut self, range: &Range, old: bool) -> Option<()> {
        match range.domain {
            Domain::Nodes if self.closed => self.truth(&range.body, old),
            Domain::Nodes | Domain::Replies | Domain::Messages => None,
        }
    }

    fn bytes(&mut self, bytes: &Bytes, old: bool) -> Option<()> {
        match bytes {
            Bytes::Constant(_) => Some(()),
            Bytes::Field(field) => self.node(&field.node, old),
            Bytes::Old(inner) => self.bytes(inner, true),
            Bytes::Reply(_) | Bytes::Message(_) => None,
        }
    }
}

/// A value that is remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Recalled {
    value: bool,
    /// Whether it is to be evaluated again, and compared.
    doubted: bool,
}

/// The value that `evaluate` has. If `key` answers one, it stands for all that the value depends on.
pub fn value(
    key: impl FnOnce(&mut Memo) -> Option<Key>,
    evaluate: impl FnOnce() -> Result<bool, Box<Fault>>,
) -> Result<bool, Box<Fault>> {
    let (key, recalled) = MEMO.with_borrow_mut(|memo| {
        let key = if memo.doubting { None } else { key(memo) };
        (key, key.and_then(|key| memo.recall(key)))
    });
    match (key, recalled) {
        (_, Some(Recalled { value, doubted: false })) => Ok(value),
        (_, Some(Recalled { value, doubted: true })) => {
            // Without what is remembered of its parts.
            MEMO.with_borrow_mut(|memo| memo.doubting = true);
            let again = evaluate();
            MEMO.with_borrow_mut(|memo| memo.doubting = false);
            match again? == value {
                true => Ok(value),
                false => Err(forged()),
            }
        }
        (None, None) => evaluate(),
        (Some(key), None) => {
            let value = evaluate()?;
            MEMO.with_borrow_mut(|memo| memo.keep(key, value));
            Ok(value)
        }
    }
}

/// That is a defect of the checker.
#[cold]
fn forged() -> Box<Fault> {
    Error::Internal("a property has another value than is remembered of it".into()).into()
}

/// Remember the opposite of all: a lie for tests, which a second evaluation must find.
#[cfg(test)]
pub fn lie() {
    MEMO.with_borrow_mut(|memo| {
        memo.values.iter_mut().filter(|entry| **entry != 0).for_each(|entry| *entry ^= VALUE);
    });
}

thread_local! {
    static MEMO: RefCell<Memo> = RefCell::new(Memo::default());
}

/// A local state, and its number from 1; `which` is 0 for none.
#[derive(Clone, Copy, Default)]
struct Numbered {
    digest: u128,
    which: u32,
    number: u32,
}

/// What one thread remembers.
pub struct Memo {
    /// By node, the state that was met last in the world, and in the earlier one.
    met: [[Numbered; NODES.value]; 2],
    states: Box<[Numbered]>,
    /// Keys with their values; 0 for none.
    values: Box<[Key]>,
    /// The number that was given last.
    last: u32,
    /// How often something was remembered.
    recalled: u32,
    /// Whether a value is evaluated again.
    doubting: bool,
}

impl Default for Memo {
    fn default() -> Self {
        Memo {
            met: Default::default(),
            states: vec![Numbered::default(); 1 << STATES].into(),
            values: vec![0; 1 << VALUES].into(),
            last: 0,
            recalled: 0,
            doubting: false,
        }
    }
}

impl Memo {
    /// The number of the state of `node` in the world `world` of `views`.
    fn number(&mut self, views: [View<'_>; 2], world: usize, node: usize) -> Option<Key> {
        let View { world: bytes, reader } = views[world];
        let (liveness, digest) = reader.identity(bytes, node)?;
        self.number_of(world, node, liveness, digest).map(Key::from)
    }

    /// The number of a state that is met in the world `world`. One that was forgotten has a new one,
    /// so that a number always was that of one state. `None` when they have run out: all is forgotten
    /// then.
    #[inline]
    fn number_of(
        &mut self,
        world: usize,
        node: usize,
        liveness: Liveness,
        digest: u128,
    ) -> Option<u32> {
        let which = (node as u32) << 8 | (liveness as u32 + 1);
        let is = |state: &Numbered| state.digest == digest && state.which == which;
        let near = node % NODES.value;
        if is(&self.met[world][near]) {
            return Some(self.met[world][near].number);
        }
        let mut state = self.met[1 - world][near];
        if !is(&state) {
            let hash = digest as u64 ^ u64::from(which);
            let place = (hash.wrapping_mul(SPREAD) >> (64 - STATES)) as usize;
            state = self.states[place];
            if !is(&state) {
                if self.last + 1 == 1 << NUMBER {
                    *self = Memo::default();
                    return None;
                }
                self.last += 1;
                state = Numbered { digest, which, number: self.last };
                self.states[place] = state;
            }
        }
        self.met[world][near] = state;
        Some(state.number)
    }

    fn keep(&mut self, key: Key, value: bool) {
        self.values[place_of_value(key)] = if value { key | VALUE } else { key };
    }

    #[inline]
    fn recall(&mut self, key: Key) -> Option<Recalled> {
        let known = self.values[place_of_value(key)];
        if known & !VALUE != key {
            return None;
        }
        self.recalled = (self.recalled + 1) % DOUBTED;
        Some(Recalled { value: known & VALUE != 0, doubted: self.recalled == 0 })
    }
}

fn place_of_value(key: Key) -> usize {
    let hash = (key as u64).wrapping_mul(SPREAD) ^ (key >> 64) as u64;
    (hash.wrapping_mul(SPREAD) >> (64 - VALUES)) as usize
}

#[cfg(test)]
mod tests;
