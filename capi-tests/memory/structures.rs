//! The programs whose structure keeps something of the order in which it was built.

use std::array;

use crate::machine::{Machine, overlay_text};

/// Two chains, the newest key first.
#[derive(Clone, Default)]
struct Chains([String; 2]);

impl Machine for Chains {
    fn copy(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }

    fn obey(&mut self, request: &str) -> Option<String> {
        let chain = &mut self.0[usize::from(!"135".contains(request))];
        if !chain.contains(request) {
            chain.insert_str(0, request);
        }
        Some(self.content())
    }

    fn content(&self) -> String {
        format!("{}/{}/", self.0[0], self.0[1])
    }
}

/// A 2-3 tree, which is what a left-leaning red-black tree stands for: a node with two keys is a
/// black one with the smaller key as its red left child.
#[derive(Clone, Default)]
enum Tree {
    #[default]
    Empty,
    Node {
        keys: Vec<char>,
        below: Vec<Tree>,
    },
}

impl Tree {
    /// With `key`; where a node had three keys, its halves and the key between them.
    fn insert(self, key: char) -> Result<Tree, [Tree; 2]> {
        let Tree::Node { mut keys, mut below } = self else {
            return Ok(Tree::two(key, array::from_fn(|_| Tree::Empty)));
        };
        let place = keys.iter().take_while(|known| **known < key).count();
        if keys.get(place) == Some(&key) {
            return Ok(Tree::Node { keys, below });
        }
        match std::mem::take(&mut below[place]) {
            Tree::Empty => {
                keys.insert(place, key);
                below.insert(place, Tree::Empty);
            }
            child => match child.insert(key) {
                Ok(child) => below[place] = child,
                Err([left, Tree::Node { keys: middle, below: mut right }]) => {
                    keys.insert(place, middle[0]);
                    below[place] = right.pop().expect("a split gives the right half last");
                    below.insert(place, left);
                }
                Err(_) => unreachable!("a split gives a node"),
            },
        }
        if keys.len() < 3 {
            return Ok(Tree::Node { keys, below });
        }
        let [b3, b2, b1, b0] = array::from_fn(|_| below.pop().expect("three keys have four"));
        let left = Tree::two(keys[0], [b0, b1]);
        let right = Tree::two(keys[2], [b2, b3]);
        Err([left, Tree::Node { keys: vec![keys[1]], below: vec![right] }])
    }

    fn two(key: char, below: [Tree; 2]) -> Tree {
        Tree::Node { keys: vec![key], below: below.into() }
    }

    fn red_black(&self) -> String {
        let Tree::Node { keys, below } = self else {
            return ".".into();
        };
        let parts: Vec<String> = below.iter().map(Tree::red_black).collect();
        match keys.as_slice() {
            [key] => format!("{key}b{}{}", parts[0], parts[1]),
            [red, key] => format!("{key}b{red}r{}{}{}", parts[0], parts[1], parts[2]),
            _ => unreachable!("a node has one key or two"),
        }
    }
}

impl Machine for Tree {
    fn copy(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }

    fn obey(&mut self, request: &str) -> Option<String> {
        let key = request.chars().next()?;
        *self = match std::mem::take(self).insert(key) {
            Ok(tree) => tree,
            Err([left, Tree::Node { keys, mut below }]) => {
                Tree::two(keys[0], [left, below.pop().expect("the right half")])
            }
            Err(_) => unreachable!("a split gives a node"),
        };
        Some(self.red_black())
    }

    fn content(&self) -> String {
        self.red_black()
    }
}

/// The three keys that were used last, the newest first, and the buffer of answers.
#[derive(Clone, Default)]
struct Cache {
    keys: Vec<char>,
    out: Vec<u8>,
    /// The model leaves the buffer out.
    ignored: bool,
}

impl Machine for Cache {
    fn copy(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }

    fn obey(&mut self, request: &str) -> Option<String> {
        let key = request.chars().next()?;
        let answer = match self.keys.iter().position(|known| *known == key) {
            Some(place) => {
                self.keys.remove(place);
                format!("{key} hit")
            }
            None if self.keys.len() == 3 => {
                let gone = self.keys.pop().expect("there are three");
                format!("{key} miss, {gone} out")
            }
            None => format!("{key} miss"),
        };
        self.keys.insert(0, key);
        overlay_text(&mut self.out, &answer);
        Some(answer)
    }

    fn content(&self) -> String {
        self.keys.iter().collect()
    }

    fn stale(&self) -> String {
        format!("{:?}", self.out.iter().filter(|_| !self.ignored).collect::<Vec<_>>())
    }
}

/// A stack of keys, each in a block, and a mark on a block, which may be free.
#[derive(Clone, Default)]
struct Marked {
    stack: Vec<(usize, char)>,
    mark: Option<usize>,
    blocks: usize,
    /// Freed blocks; what was freed last is given first.
    free: Vec<usize>,
    /// Whether the mark was on a block when that was freed, so that natively the answer is unknown.
    freed: bool,
    /// The last request that was a key or a question.
    asked: Option<char>,
    out: Vec<u8>,
    /// The buffer was read into, and cleared.
    begun: bool,
}

/// What the heap of the checker has in a freed block.
const FILL: u32 = 0xdb;

impl Marked {
    fn push(&mut self, key: char) {
        let block = self.free.pop().unwrap_or(self.blocks);
        self.blocks = self.blocks.max(block + 1);
        self.stack.push((block, key));
    }

    fn pop(&mut self) {
        let Some((block, _)) = self.stack.pop() else { return };
        self.free.push(block);
        self.freed |= self.mark == Some(block);
    }
}

impl Machine for Marked {
    fn copy(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }

    fn obey(&mut self, request: &str) -> Option<String> {
        let letter = request.chars().next()?;
        self.begun = true;
        match letter {
            '-' => self.pop(),
            'm' => {
                self.mark = self.stack.last().map(|(block, _)| *block);
                self.freed = false;
            }
            '?' => self.asked = Some(letter),
            key => {
                self.asked = Some(key);
                self.push(key);
            }
        }
        let Some(mark) = self.mark else { return Some("none".into()) };
        let there = self.stack.iter().find(|(block, _)| *block == mark);
        let key = there.map_or(FILL, |(_, key)| u32::from(*key));
        let top = self.stack.last().is_some_and(|(block, _)| *block == mark);
        let answer = format!("{key:02x} {}", if top { "top" } else { "other" });
        overlay_text(&mut self.out, &answer);
        (!self.freed).then_some(answer)
    }

    fn content(&self) -> String {
        let keys: String = self.stack.iter().map(|(_, key)| *key).collect();
        let live = self.stack.iter().rposition(|(block, _)| Some(*block) == self.mark);
        let free = self.free.iter().rev().position(|block| Some(*block) == self.mark);
        format!("{keys} {live:?} {free:?}")
    }

    fn stale(&self) -> String {
        format!("{:?} {:?} {}", self.asked, self.out, self.begun)
    }
}

/// The rules of the program of `model`, if it is one of these.
pub fn machine(model: &str) -> Option<Box<dyn Machine>> {
    match model {
        "hash_insertion" => Some(Box::new(Chains::default())),
        "tree" => Some(Box::new(Tree::default())),
        "lru" => Some(Box::new(Cache::default())),
        "lru_ignored" => Some(Box::new(Cache { ignored: true, ..Cache::default() })),
        "dangling" => Some(Box::new(Marked::default())),
        _ => None,
    }
}
