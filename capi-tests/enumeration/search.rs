//! Breadth-first search with TLC's counting: the initial state is generated, stored and at depth 1;
//! a successor is counted, stored when new, judged by the invariants when new and by the step
//! properties always; a violation ends the search in the middle of an expansion.

use super::actions::Setting;
use super::world::{Live, World};
use std::collections::{HashMap, HashSet};

/// The numbers of a verdict, by the names that the reports use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counts {
    pub verdict: &'static str,
    pub property: Option<&'static str>,
    pub local_states: Vec<usize>,
    pub distinct: usize,
    pub generated: usize,
    pub depth: usize,
    pub trace_len: Option<usize>,
}

type OnWorld = Box<dyn Fn(&World) -> bool>;
type OnStep = Box<dyn Fn(&World, &World) -> bool>;

/// The properties of a model, each list in the order of its model file.
pub struct Properties {
    pub invariants: Vec<(&'static str, OnWorld)>,
    pub steps: Vec<(&'static str, OnStep)>,
    pub sometimes: Vec<(&'static str, OnWorld)>,
}

pub fn search(setting: &Setting, properties: &Properties) -> Counts {
    let initial = World::initial(setting);
    assert!(
        properties.invariants.iter().all(|(_, holds)| holds(&initial)),
        "an initial world has no counts"
    );
    let mut depths = vec![1];
    let mut worlds = vec![initial.clone()];
    let mut seen = HashMap::from([(initial, 0)]);
    let mut generated = 1;
    let mut at = 0;
    let mut violation = None;
    'search: while at < worlds.len() {
        let from = worlds[at].clone();
        let actions = from.enabled(setting);
        for to in actions.iter().flat_map(|action| from.after(setting, action)) {
            generated += 1;
            let new = !seen.contains_key(&to);
            if new {
                seen.insert(to.clone(), worlds.len());
                worlds.push(to.clone());
                depths.push(depths[at] + 1);
            }
            let broken = properties
                .invariants
                .iter()
                .filter(|(_, holds)| new && !holds(&to))
                .map(|(name, _)| *name);
            let misstep = properties
                .steps
                .iter()
                .filter(|(_, holds)| !holds(&from, &to))
                .map(|(name, _)| *name);
            if let Some(name) = broken.chain(misstep).next() {
                violation = Some((name, depths[at] + 1));
                break 'search;
            }
        }
        at += 1;
    }
    let unreached = properties
        .sometimes
        .iter()
        .find(|(_, holds)| !worlds.iter().any(holds))
        .map(|(name, _)| *name);
    let property = violation.map(|(name, _)| name).or(unreached);
    Counts {
        verdict: if property.is_none() { "pass" } else { "violated" },
        property,
        local_states: (0..setting.nodes).map(|n| contents(&worlds, n)).collect(),
        distinct: worlds.len(),
        generated,
        depth: depths.last().copied().unwrap_or(0),
        trace_len: violation.map(|(_, length)| length),
    }
}

fn contents(worlds: &[World], n: usize) -> usize {
    let running = worlds.iter().map(|w| &w.nodes[n]).filter(|node| node.live == Live::Running);
    running.map(|node| &node.content).collect::<HashSet<_>>().len()
}
