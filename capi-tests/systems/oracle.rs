//! Random graphs with planted trouble, and one worker with a queue that explores them step by step
//! as `calibration/tlc.md` describes TLC, sharing no code with the search.

use std::collections::{BTreeMap, VecDeque};

use cmc::action::{ChoiceKind, Kind};
use cmc::property::Property;

use super::graph::{Graph, Then, invariant, readable, step};

/// A graph and what its properties forbid.
pub struct Planted {
    pub graph: Graph,
    pub bad: Vec<u8>,
    pub unreadable: Vec<u8>,
    pub bad_steps: Vec<(u8, u8)>,
}

/// What the queue found. A property of `None` is an error, of `Some("")` a pass.
#[derive(Debug, PartialEq, Eq)]
pub struct Expected {
    pub property: Option<String>,
    pub distinct: u64,
    pub generated: u64,
    pub depth: u64,
    pub queue_left: u64,
    pub trace_len: Option<u64>,
    pub receipts: BTreeMap<Kind, u64>,
}

/// A linear congruential generator, good enough to build graphs.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

impl Planted {
    /// The graph of a seed: some 100 worlds, a few levels, most arcs leading onward.
    pub fn random(seed: u64) -> Self {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut graph = Graph {
            initial: (0..1 + dice.roll(4)).map(|_| dice.roll(3) as u8).collect(),
            ..Graph::default()
        };
        let far = |dice: &mut Dice| 20 + dice.roll(100) as u8;
        let trouble = dice.roll(6);
        for world in 0..120u8 {
            for argument in 0..dice.roll(4) as u32 {
                let kind = Kind::ALL[dice.roll(Kind::ALL.len() as u64) as usize];
                let mut ends: Vec<Then> =
                    (0..1 + dice.roll(3)).map(|_| end(&mut dice, world)).collect();
                if world > 20 && dice.roll(12) == 0 {
                    match trouble {
                        1 => ends[0] = Then::Break("signal"),
                        2 => ends[0] = Then::Fail,
                        _ => (),
                    }
                }
                let crash = [ChoiceKind::Crash, ChoiceKind::Other][dice.roll(2) as usize];
                let then = match ends.len() {
                    1 => ends.remove(0),
                    2 => Then::Ask(crash, ends),
                    _ => {
                        let inner = ends.split_off(1);
                        ends.push(Then::Ask(crash, inner));
                        Then::Ask(ChoiceKind::Other, ends)
                    }
                };
                graph.arc(world, kind, argument, then);
            }
        }
        let some = |dice: &mut Dice, on| (0..3).filter(|_| on).map(|_| far(dice)).collect();
        Planted {
            bad: some(&mut dice, trouble == 3),
            unreadable: some(&mut dice, trouble == 4),
            bad_steps: (0..400)
                .filter(|_| trouble == 5)
                .map(|_| (far(&mut dice), far(&mut dice)))
                .collect(),
            graph,
        }
    }

    /// What is forbidden, as properties.
    pub fn properties(&self) -> Vec<Property> {
        let (bad, unreadable) = (self.bad.clone(), self.unreadable.clone());
        let bad_steps = self.bad_steps.clone();
        vec![
            step("step", move |old, new| !bad_steps.contains(&(old, new))),
            readable("readable", move |world| !unreadable.contains(&world)),
            invariant("good", move |world| !bad.contains(&world)),
        ]
    }

    /// Explore with one queue. No initial world may be in trouble.
    pub fn explore(&self) -> Expected {
        let mut levels = BTreeMap::new();
        let mut queue = VecDeque::new();
        let mut expected = Expected {
            property: Some(String::new()),
            distinct: 0,
            generated: 0,
            depth: 1,
            queue_left: 0,
            trace_len: None,
            receipts: BTreeMap::new(),
        };
        for &world in &self.graph.initial {
            expected.generated += 1;
            if levels.insert(world, 1).is_none() {
                queue.push_back(world);
            }
        }
        'search: while let Some(world) = queue.pop_front() {
            let level = levels[&world];
            for (action, then) in self.graph.arcs.get(&world).into_iter().flatten() {
                let mut ends = Vec::new();
                leaves(then, false, &mut ends);
                for (crashed, end) in ends {
                    let mut trouble = None;
                    if !matches!(end, Then::Fail) {
                        expected.generated += 1;
                        *expected.receipts.entry(action.kind).or_default() += 1;
                        if crashed {
                            *expected.receipts.entry(Kind::Crash).or_default() += 1;
                        }
                    }
                    match end {
                        Then::Fail => trouble = Some(None),
                        Then::Break(name) => trouble = Some(Some((*name).to_owned())),
                        Then::Ask(..) => unreachable!(),
                        Then::Go(next) => {
                            let fresh = !levels.contains_key(next);
                            if fresh {
                                levels.insert(*next, level + 1);
                                expected.depth = level + 1;
                            }
                            if fresh && self.unreadable.contains(next) {
                                trouble = Some(None);
                            } else if fresh && self.bad.contains(next) {
                                trouble = Some(Some("good".to_owned()));
                            } else if self.bad_steps.contains(&(world, *next)) {
                                trouble = Some(Some("step".to_owned()));
                            } else if fresh {
                                queue.push_back(*next);
                            }
                        }
                    }
                    if let Some(property) = trouble {
                        expected.property = property;
                        expected.trace_len = Some(level + 1);
                        break 'search;
                    }
                }
            }
        }
        expected.distinct = levels.len() as u64;
        expected.queue_left = queue.len() as u64;
        expected
    }
}

fn end(dice: &mut Dice, world: u8) -> Then {
    let onward = u64::from(world) + 1 + dice.roll(40);
    match dice.roll(5) {
        0 => Then::Go(dice.roll(120) as u8),
        _ => Then::Go(onward.min(119) as u8),
    }
}

/// The ends of a step in lexicographic order of choices, and whether the node dies on the way.
fn leaves<'a>(then: &'a Then, crashed: bool, out: &mut Vec<(bool, &'a Then)>) {
    match then {
        Then::Ask(kind, ways) => {
            for (value, way) in ways.iter().enumerate() {
                let dies = *kind == ChoiceKind::Crash && value > 0;
                leaves(way, crashed || dies, out);
            }
        }
        end => out.push((crashed, end)),
    }
}
