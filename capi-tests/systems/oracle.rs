//! Random graphs with planted trouble, and one worker with a queue that explores them step by step
//! as `calibration/tlc.md` describes TLC, sharing no code with the search.

use std::collections::{BTreeMap, VecDeque};

use cmc::action::{ChoiceKind, Kind};
use cmc::property::Property;

use super::graph::{Graph, Then, constraint, invariant, readable, step, terminal as terminal_rule};

/// A graph and what its properties forbid.
pub struct Planted {
    pub graph: Graph,
    pub bad: Vec<u8>,
    pub unreadable: Vec<u8>,
    pub bad_steps: Vec<(u8, u8)>,
    /// Worlds outside the state constraint.
    pub outside: Vec<u8>,
    /// The worlds that may end, if the others may not.
    pub terminal: Option<Vec<u8>>,
    pub keep_going: bool,
}

/// What the queue found. A property of `None` is an error, of `Some("")` a pass.
#[derive(Debug, PartialEq, Eq)]
pub struct Expected {
    pub property: Option<String>,
    /// What is broken, and the states of the way there.
    pub violations: Vec<(String, u64)>,
    pub distinct: u64,
    pub generated: u64,
    pub depth: u64,
    pub queue_left: u64,
    pub trace_len: Option<u64>,
    pub receipts: BTreeMap<Kind, u64>,
}

/// A linear congruential generator, good enough to build graphs.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: u64) -> u64 {
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
            outside: Vec::new(),
            terminal: None,
            keep_going: false,
            graph,
        }
    }

    /// The same with some worlds outside a constraint, bad ones among them.
    pub fn constrained(seed: u64) -> Self {
        let mut planted = Planted::random(seed);
        let mut dice = Dice(seed ^ 0x5bd1_e995);
        planted.outside = (0..25).map(|_| dice.roll(117) as u8 + 3).collect();
        planted.outside.extend(planted.bad.iter().filter(|_| dice.roll(2) == 0));
        planted
    }

    /// The same with a few worlds that must not end.
    pub fn ending(seed: u64) -> Self {
        let mut planted = Planted::random(seed);
        let mut dice = Dice(seed ^ 0x1b87_3593);
        let may_end = |&world: &u8| world < 40 || dice.roll(12) > 0;
        planted.terminal = Some((0..=119).filter(may_end).collect());
        planted
    }

    /// What is forbidden, as properties.
    pub fn properties(&self) -> Vec<Property> {
        let (bad, unreadable) = (self.bad.clone(), self.unreadable.clone());
        let bad_steps = self.bad_steps.clone();
        let mut properties = vec![
            step("step", move |old, new| !bad_steps.contains(&(old, new))),
            readable("readable", move |world| !unreadable.contains(&world)),
            invariant("good", move |world| !bad.contains(&world)),
        ];
        if !self.outside.is_empty() {
            let outside = self.outside.clone();
            properties.push(constraint("inside", move |world| !outside.contains(&world)));
        }
        if let Some(terminal) = self.terminal.clone() {
            properties.push(terminal_rule("may end", move |world| terminal.contains(&world)));
        }
        properties
    }

    /// What is wrong with a world by itself, and whether it cannot be read.
    fn fault(&self, world: u8) -> Option<Option<String>> {
        match (self.unreadable.contains(&world), self.bad.contains(&world)) {
            (true, _) => Some(None),
            (_, true) => Some(Some("good".to_owned())),
            _ => None,
        }
    }

    /// Explore with one queue. No initial world may be in trouble or outside.
    pub fn explore(&self) -> Expected {
        let mut levels = BTreeMap::new();
        let mut queue = VecDeque::new();
        let mut expected = Expected {
            property: Some(String::new()),
            violations: Vec::new(),
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
            let arcs = self.graph.arcs.get(&world);
            let terminal = self.terminal.as_ref();
            if arcs.is_none() && terminal.is_some_and(|terminal| !terminal.contains(&world)) {
                expected.violations.push(("deadlock".to_owned(), level));
                break 'search;
            }
            for (action, then) in arcs.into_iter().flatten() {
                let mut ends = Vec::new();
                leaves(then, false, &mut ends);
                for (crashed, end) in ends {
                    // An error is `None`.
                    let mut troubles = Vec::new();
                    if !matches!(end, Then::Fail) {
                        expected.generated += 1;
                        *expected.receipts.entry(action.kind).or_default() += 1;
                        if crashed {
                            *expected.receipts.entry(Kind::Crash).or_default() += 1;
                        }
                    }
                    match end {
                        Then::Fail => troubles.push(None),
                        Then::Break(name) => troubles.push(Some((*name).to_owned())),
                        Then::Ask(..) => unreachable!(),
                        Then::Go(next) => {
                            let unseen = !levels.contains_key(next);
                            let fresh = unseen && !self.outside.contains(next);
                            if fresh {
                                levels.insert(*next, level + 1);
                                expected.depth = level + 1;
                            }
                            if unseen {
                                troubles.extend(self.fault(*next));
                            }
                            if self.bad_steps.contains(&(world, *next)) {
                                troubles.push(Some("step".to_owned()));
                            }
                            let ends = |trouble: &Option<_>| trouble.is_none() || !self.keep_going;
                            if fresh && !troubles.iter().any(ends) {
                                queue.push_back(*next);
                            }
                        }
                    }
                    for trouble in troubles {
                        let Some(property) = trouble else {
                            expected.property = None;
                            expected.trace_len = Some(level + 1);
                            break 'search;
                        };
                        expected.violations.push((property, level + 1));
                        if !self.keep_going {
                            break 'search;
                        }
                    }
                }
            }
        }
        if let (Some((property, states)), Some(_)) =
            (expected.violations.first(), &expected.property)
        {
            expected.property = Some(property.clone());
            expected.trace_len = Some(*states);
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
