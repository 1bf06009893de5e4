//! Nodes that were never there, for tests: a graph of objects without addresses, which can be placed
//! anywhere, and a second reading of what its canonical form says, which knows no addresses.

use std::collections::HashMap;

use proptest::prelude::*;

use super::boot::Boot;
use super::objects::Objects;
use super::{Form, Input, Scratch, form};
use crate::process::arena::{Hit, Object};
use crate::process::contract::{ARENA_BASE, FILL_FREE, FILL_GAP};
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
/// Bytes of a freed block.
const BLOCK: u32 = 48;

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
    /// Where blocks start, by place.
    pub freed: Vec<u64>,
}

impl Objects for Table {
    fn find(&self, address: u64) -> Hit {
        for (index, object) in self.live.iter().enumerate() {
            let Object { start, size, .. } = *object;
            if (start..=start + u64::from(size)).contains(&address) {
                return Hit::Live { start, size, index: index as u32 };
            }
        }
        for (place, &start) in self.freed.iter().enumerate() {
            if (start..start + u64::from(BLOCK)).contains(&address) {
                let (place, offset) = (place as u32, (address - start) as u32);
                return Hit::Free { class: 3, place, start, room: BLOCK, offset };
            }
        }
        Hit::Elsewhere
    }

    fn live(&self) -> &[Object] {
        &self.live
    }
}

impl Graph {
    /// Place the objects and the freed blocks in this order (numbers beyond the objects are freed
    /// blocks), each so many times sixteen bytes behind the one before.
    pub fn place(&self, order: &[usize], spaces: &[u64]) -> Placed {
        let mut next = ARENA_BASE + FIRST;
        let mut starts = vec![0; order.len()];
        let room = |size: u64| (size + 16).next_multiple_of(16);
        for (&number, space) in order.iter().zip(spaces.iter().cycle()) {
            next += space * 16;
            starts[number] = next;
            let node = self.objects.get(number);
            next += room(node.map_or(BLOCK.into(), |node| node.bytes.len() as u64));
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
            arena[at + size..at + room as usize].fill(FILL_GAP as u8);
            let (size, room) = (size as u32, room as u32);
            table.live.push(Object { start, size, room, aligned: node.aligned });
        }
        table.live.sort_by_key(|object| object.start);
        for &start in freed {
            let at = (start - ARENA_BASE) as usize;
            arena[at..at + BLOCK as usize].fill(FILL_FREE as u8);
            table.freed.push(start);
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
        let mut registers = Registers::default();
        registers.general = general;
        registers.vector = vec![0; 832];
        let ranges = [
            (ARENA_BASE, Role::Arena, arena),
            (PROGRAM, Role::File, page(&self.program, 64)),
            (LIBRARY, Role::File, [page(&[], 0), page(&self.library, 128)].concat()),
            (MAPPED, Role::Anonymous, page(&self.mapped, 0)),
            (STACK, Role::Stack, page(&self.stack, DEPTH)),
        ];
        let module = |name: &str, start| Module { path: name.into(), range: start..start + 4096 };
        let modules = vec![module("/program", PROGRAM), module("/library", LIBRARY)];
        let layout = Layout::new(Vec::new(), modules);
        let snapshot = Snapshot::for_tests(registers, layout, &ranges);
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

/// An object of these bytes.
pub fn plain(bytes: &[u8]) -> Node {
    Node { bytes: bytes.to_vec(), aligned: false, words: Vec::new() }
}

/// An object of zeros with these words.
pub fn with(words: &[(usize, Held)], size: usize) -> Node {
    Node { bytes: vec![0; size], aligned: false, words: words.to_vec() }
}

/// A graph of these objects, whose program holds these words.
pub fn graph(objects: &[Node], program: &[Held]) -> Graph {
    Graph { objects: objects.to_vec(), program: program.to_vec(), ..Graph::default() }
}

/// Write to the snapshot of a placed node.
pub fn write(placed: &Placed, address: u64, bytes: &[u8]) -> Placed {
    let regions = placed.snapshot.regions().map(|(region, old)| {
        let mut new = old.to_vec();
        if (region.start..region.end).contains(&address) {
            let at = (address - region.start) as usize;
            new[at..at + bytes.len()].copy_from_slice(bytes);
        }
        (region.start, region.role, new)
    });
    let regions: Vec<_> = regions.collect();
    let registers = placed.snapshot.registers.clone();
    let layout = Layout::clone(&placed.snapshot.layout);
    Placed { snapshot: Snapshot::for_tests(registers, layout, &regions), ..placed.clone() }
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
