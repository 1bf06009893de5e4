//! A second reading of the rules of cores, as plain and slow as can be: a world is maps and sets, its
//! successors are made by copying it. It shares nothing with the front end but the types of a core.
//! It explores as TLC does with one worker.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use cmc::action::Kind;
use cmc::cores::abi::{CmcEffect, CmcEvent, CmcNode, CmcOut};
use cmc::cores::{Discipline, Env};

use crate::scripted::Script;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct World {
    pub states: Vec<Vec<u8>>,
    pub drops: u8,
    pub dups: u8,
    pub crashes: u8,
    /// Requests so far, by node.
    pub asked: Vec<u8>,
    timers: BTreeSet<(u8, u8)>,
    wakes: BTreeSet<(u8, u8)>,
    /// (who is to be told, the other end)
    resets: BTreeSet<(u8, u8)>,
    /// By receiver and sender; in a bag sorted. Nothing that is empty is kept.
    pub flying: BTreeMap<(u8, u8), Vec<Vec<u8>>>,
    disk: BTreeMap<u8, Vec<Vec<u8>>>,
    pub log: Vec<(u8, Vec<u8>)>,
}

/// One way on: the action's kind and name, and the world behind it or the rule that it breaks.
pub struct Way {
    pub kind: Kind,
    pub name: String,
    pub end: Result<World, &'static str>,
}

/// What exploring finds. No property is a pass.
#[derive(Debug, PartialEq, Eq)]
pub struct Expected {
    pub property: Option<String>,
    pub distinct: Option<u64>,
    pub generated: Option<u64>,
    pub depth: Option<u64>,
    pub trace_len: Option<u64>,
    pub receipts: Vec<u64>,
}

/// The rules for one environment.
pub struct Rules {
    env: Env,
    nodes: Vec<CmcNode>,
}

const EMPTY: CmcEffect = CmcEffect { kind: 0, to: 0, id: 0, len: 0, data: [0; 32] };

impl Rules {
    pub fn new(env: &Env) -> Self {
        let mut settings = [0; 256];
        settings[..env.settings.len()].copy_from_slice(&env.settings);
        let (nodes, len) = (env.nodes as u8, env.settings.len() as u16);
        let node = |id| CmcNode { id, nodes, len, settings };
        Rules { env: env.clone(), nodes: (0..nodes).map(node).collect() }
    }

    fn fifo(&self) -> bool {
        self.env.network == Discipline::Fifo
    }

    pub fn start<S: Script>(&self, index: u32) -> Result<World, &'static str> {
        let mut world = World {
            states: vec![vec![0; S::STATE]; self.env.nodes],
            drops: self.env.drops,
            dups: self.env.dups,
            crashes: self.env.crashes,
            asked: vec![0; self.env.nodes],
            timers: BTreeSet::new(),
            wakes: BTreeSet::new(),
            resets: BTreeSet::new(),
            flying: BTreeMap::new(),
            disk: BTreeMap::new(),
            log: Vec::new(),
        };
        for node in &self.nodes {
            let mut out = CmcOut { n: 0, o: [EMPTY; 16] };
            S::init(node, index, &mut world.states[usize::from(node.id)], &mut out);
            self.effects(&mut world, node.id, &out)?;
        }
        Ok(world)
    }

    /// Everything that can happen next, in order.
    pub fn ways<S: Script>(&self, world: &World) -> Vec<Way> {
        let mut ways = Vec::new();
        let mut add = |kind: Kind, rest: String, end| {
            ways.push(Way { kind, name: format!("{kind} {rest}"), end });
        };
        let nodes = 0..self.env.nodes as u8;
        // A channel's head, or each different message of a bag.
        let mut deliverable = Vec::new();
        for (&(to, from), messages) in &world.flying {
            let mut heads: Vec<_> = messages.iter().enumerate().collect();
            if self.fifo() {
                heads.truncate(1);
            } else {
                heads.dedup_by_key(|(_, bytes)| (*bytes).clone());
            }
            for (place, bytes) in heads {
                let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                let name = if self.fifo() {
                    format!("{to} {from}")
                } else {
                    format!("{to} {from} x:{hex}")
                };
                deliverable.push((to, from, place, bytes.clone(), name));
            }
        }
        for (to, from, place, bytes, name) in &deliverable {
            let mut next = world.clone();
            lose(&mut next, (*to, *from), *place);
            add(Kind::Deliver, name.clone(), self.step::<S>(next, *to, event(1, *from, 0, bytes)));
        }
        for (to, from, _, bytes, name) in deliverable.iter().filter(|_| world.dups > 0) {
            let next = World { dups: world.dups - 1, ..world.clone() };
            add(Kind::Dup, name.clone(), self.step::<S>(next, *to, event(1, *from, 0, bytes)));
        }
        for &(node, timer) in &world.timers {
            let mut next = world.clone();
            next.timers.remove(&(node, timer));
            let end = self.step::<S>(next, node, event(2, 0, timer, &[]));
            add(Kind::Fire, format!("{node} {timer}"), end);
        }
        for &node in world.disk.keys() {
            let mut next = world.clone();
            let record = self.write::<S>(&mut next, node);
            let end = self.step::<S>(next, node, event(3, 0, 0, &record));
            add(Kind::Flush, format!("{node}"), end);
        }
        for &(node, waiter) in &world.wakes {
            let mut next = world.clone();
            next.wakes.remove(&(node, waiter));
            let end = self.step::<S>(next, node, event(4, 0, waiter, &[]));
            add(Kind::Wake, format!("{node} {waiter}"), end);
        }
        for node in nodes.clone() {
            let at = usize::from(node);
            if world.asked[at] < self.env.clients[at] {
                let mut next = world.clone();
                next.asked[at] += 1;
                let end = self.step::<S>(next, node, event(5, 0, world.asked[at], &[]));
                add(Kind::Client, format!("{node}"), end);
            }
        }
        if world.drops > 0 && self.fifo() {
            for (a, b) in nodes.clone().flat_map(|a| nodes.clone().map(move |b| (a, b))) {
                let between = [(a, b), (b, a)];
                if a < b && between.iter().any(|channel| world.flying.contains_key(channel)) {
                    let mut next = World { drops: world.drops - 1, ..world.clone() };
                    next.flying.retain(|channel, _| !between.contains(channel));
                    next.resets.extend(between);
                    add(Kind::Drop, format!("{a} {b}"), Ok(next));
                }
            }
        } else if world.drops > 0 {
            for (to, from, place, _, name) in &deliverable {
                let mut next = World { drops: world.drops - 1, ..world.clone() };
                lose(&mut next, (*to, *from), *place);
                add(Kind::Drop, name.clone(), Ok(next));
            }
        }
        for node in nodes.clone().filter(|_| world.crashes > 0) {
            let pending = world.disk.get(&node).map_or(0, Vec::len);
            for kept in 0..=pending {
                add(Kind::Crash, format!("{node} {kept}"), self.crash::<S>(world, node, kept));
            }
        }
        for &(node, peer) in &world.resets {
            let mut next = world.clone();
            next.resets.remove(&(node, peer));
            let end = self.step::<S>(next, node, event(6, peer, 0, &[]));
            add(Kind::Reset, format!("{node} {peer}"), end);
        }
        ways
    }

    fn crash<S: Script>(
        &self,
        world: &World,
        node: u8,
        kept: usize,
    ) -> Result<World, &'static str> {
        let mut next = World { crashes: world.crashes - 1, ..world.clone() };
        for _ in 0..kept {
            self.write::<S>(&mut next, node);
        }
        next.disk.remove(&node);
        next.states[usize::from(node)][S::DURABLE..].fill(0);
        next.timers.retain(|(at, _)| *at != node);
        next.wakes.retain(|(at, _)| *at != node);
        next.resets.retain(|(at, _)| *at != node);
        if self.fifo() {
            next.flying.retain(|(to, from), _| *to != node && *from != node);
            for peer in (0..self.env.nodes as u8).filter(|peer| *peer != node) {
                next.resets.insert((peer, node));
            }
        }
        self.step::<S>(next, node, event(7, 0, 0, &[]))
    }

    /// The oldest record of `node` reaches its disk.
    fn write<S: Script>(&self, world: &mut World, node: u8) -> Vec<u8> {
        let records = world.disk.get_mut(&node).expect("a record");
        let record = records.remove(0);
        if records.is_empty() {
            world.disk.remove(&node);
        }
        let at = usize::from(node);
        S::apply_persist(&self.nodes[at], &mut world.states[at], &record);
        record
    }

    fn step<S: Script>(
        &self,
        mut world: World,
        node: u8,
        event: CmcEvent,
    ) -> Result<World, &'static str> {
        let at = usize::from(node);
        let durable = world.states[at][..S::DURABLE].to_vec();
        let mut out = CmcOut { n: 0, o: [EMPTY; 16] };
        S::step(&self.nodes[at], &mut world.states[at], &event, &mut out);
        if world.states[at][..S::DURABLE] != durable {
            return Err("durable");
        }
        self.effects(&mut world, node, &out)?;
        Ok(world)
    }

    fn effects(&self, world: &mut World, node: u8, out: &CmcOut) -> Result<(), &'static str> {
        if out.n > 16 {
            return Err("cap:effects");
        }
        for CmcEffect { kind, to, id, len, data } in &out.o[..out.n as usize] {
            let bytes = || data.get(..usize::from(*len)).map(<[u8]>::to_vec).ok_or("cap:bytes");
            match kind {
                1 if usize::from(*to) >= self.env.nodes => return Err("effect"),
                1 => {
                    let bytes = bytes()?;
                    if self.fifo() && world.resets.contains(&(node, *to)) {
                        continue;
                    }
                    if world.flying.values().flatten().count() == usize::from(self.env.max_messages)
                    {
                        return Err("cap:messages");
                    }
                    let messages = world.flying.entry((*to, node)).or_default();
                    messages.push(bytes);
                    if !self.fifo() {
                        messages.sort();
                    }
                }
                2 | 3 if *id >= 16 => return Err("cap:timers"),
                2 => drop(world.timers.insert((node, *id))),
                3 => drop(world.timers.remove(&(node, *id))),
                4 => {
                    let bytes = bytes()?;
                    let records = world.disk.entry(node).or_default();
                    if records.len() == usize::from(self.env.max_persists) {
                        return Err("cap:persists");
                    }
                    records.push(bytes);
                }
                5 if *id >= 8 => return Err("cap:waiters"),
                5 => drop(world.wakes.insert((node, *id))),
                6 => {
                    let bytes = bytes()?;
                    if world.log.len() == usize::from(self.env.max_replies) {
                        return Err("cap:replies");
                    }
                    world.log.push((node, bytes));
                }
                _ => return Err("effect"),
            }
        }
        Ok(())
    }

    /// Explore. `None` when there are more worlds than `most`.
    pub fn explore<S: Script>(&self, most: usize) -> Option<Expected> {
        let mut expected = Expected {
            property: None,
            distinct: None,
            generated: None,
            depth: None,
            trace_len: None,
            receipts: vec![0; Kind::ALL.len()],
        };
        let mut levels = BTreeMap::new();
        let mut queue = VecDeque::new();
        let (mut generated, mut depth) = (0, 1);
        for index in 0..S::INITIAL {
            let world = match self.start::<S>(index) {
                Ok(world) => world,
                Err(rule) => {
                    expected.property = Some(rule.into());
                    expected.trace_len = Some(1);
                    return Some(expected);
                }
            };
            generated += 1;
            if levels.insert(world.clone(), 1).is_none() {
                queue.push_back(world);
            }
        }
        'search: while let Some(world) = queue.pop_front() {
            let level = levels[&world];
            for way in self.ways::<S>(&world) {
                generated += 1;
                expected.receipts[way.kind as usize - 1] += 1;
                match way.end {
                    Err(rule) => {
                        expected.property = Some(rule.into());
                        expected.trace_len = Some(level + 1);
                        break 'search;
                    }
                    Ok(next) if !levels.contains_key(&next) => {
                        depth = level + 1;
                        levels.insert(next.clone(), depth);
                        queue.push_back(next);
                    }
                    Ok(_) => (),
                }
            }
            if levels.len() > most {
                return None;
            }
        }
        expected.distinct = Some(levels.len() as u64);
        expected.generated = Some(generated);
        expected.depth = Some(depth);
        Some(expected)
    }
}

fn lose(world: &mut World, channel: (u8, u8), place: usize) {
    let messages = world.flying.get_mut(&channel).expect("a message");
    messages.remove(place);
    if messages.is_empty() {
        world.flying.remove(&channel);
    }
}

fn event(kind: u8, peer: u8, id: u8, bytes: &[u8]) -> CmcEvent {
    let mut data = [0; 32];
    data[..bytes.len()].copy_from_slice(bytes);
    CmcEvent { kind, peer, id, len: bytes.len() as u8, data }
}
