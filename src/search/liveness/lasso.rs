//! The round of a counterexample: a way through a fair component that is a fair run by itself when it
//! is repeated for ever. It need not visit everything: for each fairness number that is enabled where
//! it begins, it takes a step of that number or visits a world that does not enable it.

use std::collections::{HashMap, VecDeque};

use super::components::Components;
use super::graph::Unmet;

impl Unmet {
    /// The edges of a round from `world`, which lies in a fair component, back to it.
    pub(super) fn cycle(&self, components: &Components, world: u32) -> Vec<usize> {
        let inside = |at: usize| self.target(at).filter(|&to| components.joins(world, to));
        let mut round: Vec<usize> = Vec::new();
        let mut here = world;
        let mut wanted: Vec<u32> = self.edges(world).map(|at| self.edge(at).fair).collect();
        wanted.sort_unstable();
        wanted.dedup();
        for fair in wanted.into_iter().filter(|&fair| fair != 0) {
            let taken = |at: usize| self.edge(at).fair == fair;
            let disabled = |at: usize| inside(at).is_some_and(|to| !self.enables(to, fair));
            if round.iter().any(|&at| taken(at) || disabled(at)) {
                continue;
            }
            let way =
                nearest(here, |from| self.edges(from), inside, |at| taken(at) || disabled(at));
            round.extend(way);
            here = round.last().and_then(|&at| inside(at)).unwrap_or(here);
        }
        if here != world || round.is_empty() {
            let way =
                nearest(here, |from| self.edges(from), inside, |at| inside(at) == Some(world));
            round.extend(way);
        }
        round
    }
}

/// The shortest way from `here` over edges that lead to a world `inside`, the last of which is a
/// `goal`.
fn nearest(
    here: u32,
    edges: impl Fn(u32) -> std::ops::Range<usize>,
    inside: impl Fn(usize) -> Option<u32>,
    goal: impl Fn(usize) -> bool,
) -> Vec<usize> {
    // The edge by which each world was reached, and the world from which.
    let mut reached: HashMap<u32, Option<(usize, u32)>> = HashMap::from([(here, None)]);
    let mut queue = VecDeque::from([here]);
    while let Some(from) = queue.pop_front() {
        for at in edges(from) {
            let Some(to) = inside(at) else { continue };
            if goal(at) {
                let mut way = vec![at];
                let mut back = reached[&from];
                while let Some((edge, before)) = back {
                    way.push(edge);
                    back = reached[&before];
                }
                way.reverse();
                return way;
            }
            reached.entry(to).or_insert_with(|| {
                queue.push_back(to);
                Some((at, from))
            });
        }
    }
    unreachable!("a fair component has a way to all that fairness asks for, and back")
}
