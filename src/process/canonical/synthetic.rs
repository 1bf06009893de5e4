//! Nodes that were never there, for tests: a graph of objects without addresses, which can be placed
//! anywhere, and a second reading of what its canonical form says, which knows no addresses.

use std::collections::HashMap;

use proptest::prelude::*;

use super::boot::Boot;
use super::heap::{Found, Heap, Object};
use super::walk::{FREED, GAP};
use super::{Form, Input, Scratch, form};
use crate::process::contract::ARENA_BASE;
use crate::process::layout::{Layout, Module, Role};
use crate::process::registers::{GENERAL, General, Registers};
use crate::process::snapshot::Snapshot;

pub const PROGRAM: u64 = 0x5555_5555_8000;
pub const LIBRARY: u64 = 0x7fff_f7e0_0000;
pub const MAPPED: u64 = 0x7fff_f7f0_0000;
pub const STACK: u64 = 0x7fff_ffff_0000;
/// Where the stack pointer is in the page of the stack.
pub const DEPTH: usize = 2048;
/// Objects lie behind what the allocator keeps for itself. Here no byte of an address can begin
/// another one.
const FIRST: u64 = 0x1_0000;

/// What a word holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Held {
    Plain(u64),
    /// Into an object, by its number.
    Into(usize, u64),
    /// Into a freed block, by its place.
    Freed(usize, u64),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    pub bytes: Vec<u8>,
    pub aligned: bool,
    /// By place.
    pub words: Vec<(usize, Held)>,
}

/// A node without addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    pub objects: Vec<Node>,
    pub freed: usize,
    pub program: Vec<Held>,
    pub library: Vec<Held>,
    pub mapped: Vec<Held>,
    pub held: Vec<Held>,
    pub stack: Vec<Held>,
    /// r15, r14, r13, r12.
    pub registers: Vec<Held>,
}

/// A node with addresses.
#[derive(Clone, Debug)]
pub struct Placed {
    pub snapshot: Snapshot,
    pub heap: Table,
    pub held: Vec<u64>,
}

#[derive(Clone, Debug, Default)]
pub struct Table {
    /// By ascending address.
    pub live: Vec<Object>,
    /// Start and size, by place.
    pub freed: Vec<(u64, u64)>,
}

impl Heap for Table {
    fn find(&self, address: u64) -> Found {
        let hit = |object: &Object| (object.start..=object.start + object.size).contains(&address);
        if let Some(number) = self.live.iter().position(hit) {
            return Found::Live { number, offset: address - self.live[number].start };
        }
        let hit = |&(start, size): &(u64, u64)| (start..start + size).contains(&address);
        match self.freed.iter().position(hit) {
            Some(place) => {
                let (start, size) = self.freed[place];
                Found::Freed { class: 3, place: place as u32, start, size }
            }
            None => Found::Elsewhere,
        }
    }

    fn count(&self) -> usize {
        self.live.len()
    }

    fn object(&self, number: usize) -> Object {
        self.live[number]
    }
}

impl Graph {
    /// Place the objects and the freed blocks in this order (numbers beyond the objects are freed
    /// blocks), each so many times sixteen bytes behind the one before.
    pub fn place(&self, order: &[usize], spaces: &[u64]) -> Placed {
        const BLOCK: u64 = 48;
        let mut next = ARENA_BASE + FIRST;
        let mut starts = vec![0; order.len()];
        let room = |size: u64| (size + 16).next_multiple_of(16);
        for (&number, space) in order.iter().zip(spaces.iter().cycle()) {
            next += space * 16;
            starts[number] = next;
            let node = self.objects.get(number);
            next += room(node.map_or(BLOCK, |node| node.bytes.len() as u64));
        }
        let (live, freed) = starts.split_at(self.objects.len());
        let value = |held: &Held| match *held {
            Held::Plain(value) => value,
            Held::Into(number, offset) => live[number] + offset,
            Held::Freed(number, offset) => freed[number] + offset,
        };
        let mut arena = vec![0; (next - ARENA_BASE).next_multiple_of(4096) as usize];
        let mut table = Table::default();
        for (node, &start) in self.objects.iter().zip(live) {
            let size = node.bytes.len();
            let at = (start - ARENA_BASE) as usize;
            arena[at..at + size].copy_from_slice(&node.bytes);
            for (place, held) in &node.words {
                arena[at + place..at + place + 8].copy_from_slice(&value(held).to_le_bytes());
            }
            let room = room(size as u64);
            arena[at + size..at + room as usize].fill(GAP);
            table.live.push(Object { start, size: size as u64, room, aligned: node.aligned });
        }
        table.live.sort_by_key(|object| object.start);
        for &start in freed {
            let at = (start - ARENA_BASE) as usize;
            arena[at..at + BLOCK as usize].fill(FREED);
            table.freed.push((start, BLOCK));
        }
        let page = |words: &[Held], first: usize| {
            let mut page = vec![0; 4096];
            for (place, held) in words.iter().enumerate() {
                page[first + place * 8..][..8].copy_from_slice(&value(held).to_le_bytes());
            }
            page
        };
        let mut general = [0; GENERAL];
        general[General::Rsp as usize] = STACK + DEPTH as u64;
        for (register, held) in general.iter_mut().zip(&self.registers) {
            *register = value(held);
        }
        let ranges = [
            (PROGRAM, Role::File, page(&self.program, 64)),
            (ARENA_BASE, Role::Arena, arena),
            (LIBRARY, Role::File, [page(&[], 0), page(&self.library, 128)].concat()),
            (MAPPED, Role::Anonymous, page(&self.mapped, 0)),
            (STACK, Role::Stack, page(&self.stack, DEPTH)),
        ];
        let module = |name: &str, start| Module { path: name.into(), range: start..start + 4096 };
        let modules = vec![module("/program", PROGRAM), module("/library", LIBRARY)];
        let layout = Layout::new(Vec::new(), modules);
        let snapshot =
            Snapshot::for_tests(Registers::for_tests(general, vec![0; 832]), layout, &ranges);
        let held = self.held.iter().map(value).collect();
        Placed { snapshot, heap: table, held }
    }

    /// Place everything in the order in which it was made.
    pub fn in_order(&self) -> Placed {
        let order: Vec<usize> = (0..self.objects.len() + self.freed).collect();
        self.place(&order, &[0])
    }

    /// What the form says, with the objects that nothing leads to as a set.
    pub fn meaning(&self) -> impl PartialEq + std::fmt::Debug {
        let mut numbers = HashMap::new();
        let mut order = Vec::new();
        let mut name = |held: &Held, order: &mut Vec<usize>| match *held {
            Held::Into(number, offset) => {
                let next = numbers.len();
                let known = *numbers.entry(number).or_insert_with(|| {
                    order.push(number);
                    next
                });
                Held::Into(known, offset)
            }
            other => other,
        };
        let mut roots = Vec::new();
        let lists = [&self.program, &self.library, &self.mapped, &self.held, &self.stack];
        for list in lists.into_iter().chain([&self.registers]) {
            let mut list: Vec<Held> = list.iter().map(|held| name(held, &mut order)).collect();
            // Memory behind the list is zero.
            while list.last() == Some(&Held::Plain(0)) {
                list.pop();
            }
            roots.push(list);
        }
        let mut objects = Vec::new();
        let mut next = 0;
        while next < order.len() {
            let node = &self.objects[order[next]];
            let mut words = node.words.clone();
            words.iter_mut().for_each(|(_, held)| *held = name(held, &mut order));
            objects.push((node.bytes.clone(), node.aligned, words));
            next += 1;
        }
        let known = |held: &Held| match *held {
            Held::Into(number, offset) => match order.iter().position(|n| *n == number) {
                Some(number) => Held::Into(number, offset),
                None => Held::Into(usize::MAX, 0),
            },
            other => other,
        };
        let mut unreached: Vec<_> = (0..self.objects.len())
            .filter(|number| !order.contains(number))
            .map(|number| {
                let node = &self.objects[number];
                let words = node.words.iter().map(|(place, held)| (*place, known(held)));
                (node.bytes.clone(), node.aligned, words.collect::<Vec<_>>())
            })
            .collect();
        unreached.sort();
        (roots, self.held.len(), objects, unreached)
    }
}

impl Placed {
    pub fn input<'a>(&'a self, boot: &'a Boot) -> Input<'a, Table> {
        Input { held: &self.held, ..Input::new(&self.snapshot, boot, &self.heap) }
    }

    pub fn form(&self) -> Form {
        form(&self.input(&Boot::default()), &mut Scratch::default())
    }
}

/// Graphs of up to eight objects. Bytes beside words are not zero, so that they are no part of an
/// address.
pub fn graphs() -> impl Strategy<Value = Graph> {
    let sizes = prop::collection::vec((0usize..72, prop::bool::weighted(0.1)), 1..8);
    (sizes, 0usize..4).prop_flat_map(|(sizes, freed)| {
        let lengths: Vec<usize> = sizes.iter().map(|(size, _)| *size).collect();
        let objects: Vec<_> = sizes
            .into_iter()
            .map(|(size, aligned)| object(size, aligned, &lengths, freed))
            .collect();
        let list = || prop::collection::vec(word(&lengths, freed), 0..4);
        let roots = (list(), list(), list(), list(), list(), list());
        (objects, roots).prop_map(move |(objects, roots)| {
            let (program, library, mapped, held, stack, registers) = roots;
            Graph { objects, freed, program, library, mapped, held, stack, registers }
        })
    })
}

/// An order of so many things, and spaces between them.
pub fn placements(graph: &Graph) -> impl Strategy<Value = (Vec<usize>, Vec<u64>)> + use<> {
    let order: Vec<usize> = (0..graph.objects.len() + graph.freed).collect();
    (Just(order).prop_shuffle(), prop::collection::vec(0u64..5, 5))
}

fn word(lengths: &[usize], freed: usize) -> impl Strategy<Value = Held> + use<> {
    let lengths = lengths.to_vec();
    let pick = (any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..10);
    pick.prop_map(move |(number, at, kind)| match kind {
        0..=1 => Held::Plain(at.index(3) as u64),
        2 if freed > 0 => Held::Freed(number.index(freed), at.index(48) as u64),
        _ => {
            let number = number.index(lengths.len());
            Held::Into(number, at.index(lengths[number] + 1) as u64)
        }
    })
}

fn object(size: usize, aligned: bool, lengths: &[usize], freed: usize) -> BoxedStrategy<Node> {
    let bytes = prop::collection::vec(1u8..4, size);
    let words = prop::collection::vec((0usize..12, word(lengths, freed)), 0..5);
    (bytes, words)
        .prop_map(move |(bytes, steps)| {
            let mut node = Node { bytes, aligned, words: Vec::new() };
            let mut next = 0;
            for (step, held) in steps {
                let place = next + if step < 4 { step } else { (8 - next % 8) % 8 };
                if place + 8 > size || matches!(held, Held::Plain(_)) {
                    break;
                }
                node.bytes[place..place + 8].fill(0);
                node.words.push((place, held));
                next = place + 8;
            }
            node
        })
        .boxed()
}
