//! The programs whose state is a set of keys.

use std::collections::BTreeSet;

use crate::machine::Machine;

type Keys = BTreeSet<char>;

/// Where the last key that was sent can be.
#[derive(Clone, Copy, PartialEq)]
enum Last {
    /// In a buffer that stays in scope.
    Kept,
    /// In a variable that is out of scope, or in bytes that the compiler has used.
    Stale,
    Cleared,
}

#[derive(Clone)]
struct KeySet {
    keys: Keys,
    last: Option<char>,
    keeps: Last,
    answer: fn(&Keys) -> Option<String>,
    /// How many requests there were, where it is counted.
    requests: Option<usize>,
}

impl Machine for KeySet {
    fn copy(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }

    fn obey(&mut self, request: &str) -> Option<String> {
        self.last = request.chars().next();
        self.keys.extend(self.last);
        self.requests = self.requests.map(|requests| requests + 1);
        (self.answer)(&self.keys)
    }

    fn content(&self) -> String {
        let last = self.last.filter(|_| self.keeps == Last::Kept);
        format!("{:?} {last:?} {:?}", self.keys, self.requests)
    }

    fn stale(&self) -> String {
        format!("{:?}", self.last.filter(|_| self.keeps == Last::Stale))
    }
}

fn in_order(keys: &Keys) -> Option<String> {
    Some(keys.iter().collect())
}

fn with_blanks(keys: &Keys) -> Option<String> {
    Some(keys.iter().map(|key| format!("{key} ")).collect())
}

fn as_line(keys: &Keys) -> Option<String> {
    with_blanks(keys).map(|line| line + "\n")
}

fn chain_by_chain(keys: &Keys) -> Option<String> {
    let (odd, even): (Vec<char>, Vec<char>) = keys.iter().partition(|key| "135".contains(**key));
    Some(format!("{}/{}/", String::from_iter(odd), String::from_iter(even)))
}

/// A treap is the tree whose root has the highest priority, and so below.
fn treap(keys: &Keys) -> Option<String> {
    let priority = |key: &char| u32::from(*key).wrapping_mul(2_654_435_761);
    let Some(root) = keys.iter().copied().max_by_key(priority) else {
        return Some(".".into());
    };
    let (left, right): (Keys, Keys) =
        keys.iter().filter(|key| **key != root).partition(|key| **key < root);
    Some(format!("{root}{}{}", treap(&left)?, treap(&right)?))
}

/// The order is for addresses to say.
fn unknown(_: &Keys) -> Option<String> {
    None
}

/// The rules of the program of `model`, if it is one of these.
pub fn machine(model: &str) -> Option<Box<dyn Machine>> {
    let (keeps, answer): (Last, fn(&Keys) -> Option<String>) = match model {
        "list" => (Last::Kept, in_order),
        "list_cleared" | "list_ignored" | "xor" | "counter" | "counter_ignored" => {
            (Last::Cleared, in_order)
        }
        "packed" => (Last::Stale, in_order),
        "hash_sorted" => (Last::Cleared, chain_by_chain),
        "treap" => (Last::Cleared, treap),
        "vector" => (Last::Stale, with_blanks),
        "fgets" | "getline" => (Last::Kept, as_line),
        "fgets_ignored" | "getline_ignored" => (Last::Cleared, as_line),
        "address_hash" => (Last::Cleared, unknown),
        _ => return None,
    };
    let requests = (model == "counter").then_some(0);
    Some(Box::new(KeySet { keys: Keys::new(), last: None, keeps, answer, requests }))
}
