//! The maximal strongly connected components of a graph, and which of them are fair. Tarjan,
//! *Depth-first search and linear graph algorithms* (1972), with a stack of its own, so that a long
//! path does not end the stack of the thread.

use super::graph::Unmet;

/// To which component every world belongs.
pub(super) struct Components {
    component: Vec<u32>,
    /// By component: whether it has a step inside, and is fair.
    fair: Vec<bool>,
}

/// No number yet.
const NONE: u32 = u32::MAX;

impl Components {
    /// Those of `graph`.
    pub(super) fn of(graph: &Unmet) -> Self {
        let mut components =
            Components { component: vec![NONE; graph.len() as usize], fair: Vec::new() };
        let mut walk = Walk {
            graph,
            number: vec![NONE; graph.len() as usize],
            low: vec![NONE; graph.len() as usize],
            next: 0,
            open: Vec::new(),
            calls: Vec::new(),
        };
        for root in 0..graph.len() {
            if walk.number[root as usize] == NONE {
                walk.from(root, &mut components);
            }
        }
        components
    }

    /// Whether `one` and `other` lie in the same component.
    pub(super) fn joins(&self, one: u32, other: u32) -> bool {
        self.component[one as usize] == self.component[other as usize]
    }

    /// Whether a fair run may stay in the component of `world` for ever.
    pub(super) fn is_fair(&self, world: u32) -> bool {
        self.fair[self.component[world as usize] as usize]
    }

    /// Take in a component.
    fn close(&mut self, graph: &Unmet, worlds: &[u32]) {
        for &world in worlds {
            self.component[world as usize] = self.fair.len() as u32;
        }
        // What is enabled everywhere in it, and what is taken inside.
        let fairness = |world| graph.edges(world).map(|at| graph.edge(at).fair);
        let mut wanted: Vec<u32> = fairness(worlds[0]).filter(|&fair| fair != 0).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let mut inside = false;
        for &world in worlds {
            wanted.retain(|&fair| graph.enables(world, fair));
            let targets = graph.edges(world).filter_map(|at| graph.target(at));
            inside |= targets.into_iter().any(|target| self.joins(world, target));
        }
        for &world in worlds {
            if wanted.is_empty() {
                break;
            }
            for at in graph.edges(world) {
                if graph.target(at).is_some_and(|target| self.joins(world, target)) {
                    wanted.retain(|&fair| fair != graph.edge(at).fair);
                }
            }
        }
        self.fair.push(inside && wanted.is_empty());
    }
}

/// A depth-first walk through the graph.
struct Walk<'a> {
    graph: &'a Unmet,
    /// In the order of discovery.
    number: Vec<u32>,
    /// The smallest number that is known to be reached and belongs to an open component.
    low: Vec<u32>,
    next: u32,
    /// The worlds whose component is not complete.
    open: Vec<u32>,
    /// The worlds on the path, and the place of the next edge of each.
    calls: Vec<(u32, usize)>,
}

impl Walk<'_> {
    fn enter(&mut self, world: u32) {
        self.number[world as usize] = self.next;
        self.low[world as usize] = self.next;
        self.next += 1;
        self.open.push(world);
        self.calls.push((world, self.graph.edges(world).start));
    }

    fn from(&mut self, root: u32, components: &mut Components) {
        self.enter(root);
        while let Some((world, at)) = self.calls.last_mut() {
            let world = *world;
            if *at < self.graph.edges(world).end {
                let target = self.graph.target(*at);
                *at += 1;
                match target {
                    Some(target) if self.number[target as usize] == NONE => self.enter(target),
                    // One of a complete component does not lead back.
                    Some(target) if components.component[target as usize] == NONE => {
                        self.lower(world, self.number[target as usize]);
                    }
                    _ => (),
                }
                continue;
            }
            self.calls.pop();
            if self.low[world as usize] == self.number[world as usize] {
                let start = self.open.iter().rposition(|&open| open == world);
                let worlds = self.open.split_off(start.expect("it is open until here"));
                components.close(self.graph, &worlds);
            }
            if let Some(&(caller, _)) = self.calls.last() {
                self.lower(caller, self.low[world as usize]);
            }
        }
    }

    fn lower(&mut self, world: u32, low: u32) {
        let known = &mut self.low[world as usize];
        *known = low.min(*known);
    }
}
