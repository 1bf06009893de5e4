//! Small random graphs, and whether something must come true in them, by looking at every set of
//! worlds: a run that never ends repeats some set for ever, which is strongly connected. The search
//! looks at maximal sets only.

use std::collections::BTreeSet;

use cmc::action::{ChoiceKind, Kind};

use super::graph::{Graph, Then};
use super::oracle::Dice;

/// The kinds that runs are fair to; others happen too.
pub const FAIR: [Kind; 2] = [Kind::Deliver, Kind::Fire];

/// A graph of up to eight worlds, where the property is true, and what is outside the constraint.
pub struct Rounds {
    pub graph: Graph,
    pub holds: Vec<u8>,
    pub outside: Vec<u8>,
}

/// A step: from, kind, argument, to.
type Arc = (u8, Kind, u32, u8);

impl Rounds {
    /// The graph of a seed.
    pub fn random(seed: u64) -> Self {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0xabcd);
        let count = 2 + dice.roll(7);
        let some = |dice: &mut Dice, most| {
            (0..dice.roll(most)).map(|_| dice.roll(count) as u8).collect::<Vec<_>>()
        };
        let mut initial = some(&mut dice, 2);
        initial.push(dice.roll(count) as u8);
        let mut graph = Graph { initial, ..Graph::default() };
        for world in 0..count as u8 {
            let mut known = BTreeSet::new();
            for _ in 0..dice.roll(5) {
                let kind = [Kind::Deliver, Kind::Fire, Kind::Drop][dice.roll(3) as usize];
                let argument = dice.roll(2) as u32;
                if !known.insert((kind, argument)) {
                    continue;
                }
                let mut go = || Then::Go(dice.roll(count) as u8);
                let then = match argument {
                    0 => go(),
                    _ => Then::Ask(ChoiceKind::Other, vec![go(), go()]),
                };
                graph.arc(world, kind, argument, then);
            }
        }
        let holds = some(&mut dice, 3);
        if seed.is_multiple_of(2) {
            graph.bounded = some(&mut dice, 2);
        }
        Rounds { graph, holds, outside: Vec::new() }
    }

    /// The steps, one for each choice.
    pub fn steps(&self) -> Vec<Arc> {
        let mut steps = Vec::new();
        for (&from, arcs) in &self.graph.arcs {
            for (action, then) in arcs {
                let ends = match then {
                    Then::Go(to) => vec![*to],
                    Then::Ask(_, ends) => ends.iter().map(go).collect(),
                    other => panic!("no {other:?} was planted"),
                };
                steps.extend(ends.into_iter().map(|to| (from, action.kind, action.argument, to)));
            }
        }
        steps
    }

    /// What runs must be fair to in `world`.
    pub fn enabled(&self, world: u8) -> BTreeSet<(Kind, u32)> {
        let arcs = self.graph.arcs.get(&world).into_iter().flatten();
        let fair = arcs.filter(|(action, _)| FAIR.contains(&action.kind));
        fair.map(|(action, _)| (action.kind, action.argument)).collect()
    }

    /// Whether the property is never true on some fair run, and whether the constraint or a bound
    /// hides something from that answer.
    pub fn explore(&self) -> (bool, bool) {
        let steps = self.steps();
        let unmet = |world: &u8| !self.holds.contains(world);
        let mut cut = false;
        let mut reached = BTreeSet::new();
        let mut next: Vec<u8> = self.graph.initial.clone();
        while let Some(world) = next.pop() {
            if !unmet(&world) || reached.contains(&world) {
                continue;
            }
            if self.outside.contains(&world) {
                cut = true;
                continue;
            }
            reached.insert(world);
            next.extend(steps.iter().filter(|step| step.0 == world).map(|step| step.3));
        }
        let ends = |world: &u8| {
            let arcs = self.graph.arcs.get(world).into_iter().flatten();
            arcs.filter(|(action, _)| action.kind != Kind::Drop).count() == 0
        };
        cut |= reached.iter().any(|world| ends(world) && self.graph.bounded.contains(world));
        let ends = |world: &u8| ends(world) && !self.graph.bounded.contains(world);
        let never = reached.iter().any(ends) || {
            let worlds: Vec<u8> = reached.into_iter().collect();
            (1..1u32 << worlds.len()).any(|chosen| {
                let set = worlds.iter().enumerate().filter(|(at, _)| chosen >> at & 1 == 1);
                self.goes_round(&set.map(|(_, &world)| world).collect(), &steps)
            })
        };
        (never, cut)
    }

    /// Whether a fair run may repeat exactly the worlds of `set` for ever.
    fn goes_round(&self, set: &BTreeSet<u8>, steps: &[Arc]) -> bool {
        let inside = |step: &&Arc| set.contains(&step.0) && set.contains(&step.3);
        let inside: Vec<&Arc> = steps.iter().filter(inside).collect();
        // By Warshall.
        let mut leads = [[false; 8]; 8];
        inside.iter().for_each(|step| leads[usize::from(step.0)][usize::from(step.3)] = true);
        for through in 0..8 {
            for from in 0..8 {
                for to in 0..8 {
                    leads[from][to] |= leads[from][through] && leads[through][to];
                }
            }
        }
        let all =
            |test: &dyn Fn(u8, u8) -> bool| set.iter().all(|&a| set.iter().all(|&b| test(a, b)));
        if !all(&|from, to| leads[usize::from(from)][usize::from(to)]) {
            return false;
        }
        let everywhere = set
            .iter()
            .map(|&world| self.enabled(world))
            .reduce(|one, other| &one & &other)
            .unwrap_or_default();
        everywhere.iter().all(|(kind, argument)| {
            inside.iter().any(|step| (step.1, step.2) == (*kind, *argument))
        })
    }
}

fn go(then: &Then) -> u8 {
    match then {
        Then::Go(to) => *to,
        other => panic!("no {other:?} was planted inside a choice"),
    }
}
