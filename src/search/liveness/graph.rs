//! The worlds where a property is not true, as far as they are reached through such worlds only, and
//! the steps among them; rebuilt by expanding them again. A run on which the property never comes
//! true stays in here.
//!
//! Why this decides the property: a run ends only where nothing is possible but faults, and every such
//! world in here is a violation. A run that does not end repeats, from some point on, exactly the worlds and
//! steps that it repeats for ever; they are strongly connected, so they lie in one maximal strongly
//! connected component. It is weakly fair when every fairness number that is enabled in all of its
//! repeated worlds is that of a repeated step. If so, the whole component is fair in the same sense:
//! what is enabled in all worlds of the component is enabled in all repeated ones, so it is that of a
//! repeated step, which lies in the component. The other way round, going for ever through all worlds
//! and steps of a fair component is a fair run. So there is a fair run that never ends and on which
//! the property never comes true exactly if some maximal component with a step inside is fair.
//! (Strong fairness has no such monotony; it is not offered.)
//!
//! It is kept in memory: 16 bytes a step and some 80 a world, but no world's bytes beyond two levels.
//!
//! Steps out of here count where fairness asks what is enabled, and lead nowhere. A world outside the
//! state constraints where the property is not true either is not followed, nor is it known how a run
//! goes on that a bound of the model ends: what was found without them is real, and that nothing was
//! found means nothing.

use std::collections::HashMap;
use std::ops::ControlFlow;

use super::super::Search;
use super::super::expand::Expander;
use super::super::found::Violation;
use super::super::judge::{Judge, Trouble};
use super::super::level::Worlds;
use super::super::links::Links;
use super::Awaited;
use super::components::Components;
use crate::action::{Action, Label};
use crate::error::Error;
use crate::fingerprint::{Fingerprint, FingerprintMap};
use crate::property::Property;
use crate::system::{Position, Stop, System};
use crate::trace::Trace;

/// Whether a property comes true.
pub(super) enum Answer {
    /// In every fair run.
    Comes,
    /// Not in this one.
    Never(Violation),
    /// This hides the answer: the state constraints, or a bound of the model.
    Cut(&'static str),
    /// The user stopped it.
    Interrupted,
}

/// Where a step leads that leaves the graph.
const OUT: u32 = u32::MAX;

/// A step from a world of the graph.
pub(super) struct Edge {
    /// The world that it leads to, or [`OUT`].
    to: u32,
    /// Its fairness, from 1; 0 when nobody must be fair to it.
    pub(super) fair: u32,
    action: Action,
}

/// The graph.
#[derive(Default)]
pub(super) struct Unmet {
    links: Links,
    edges: Vec<Edge>,
    /// Where the edges of each world begin, and behind the last.
    starts: Vec<usize>,
    /// The choices taken on an edge, if there were any.
    choices: HashMap<usize, Box<[u16]>>,
    /// The first world where a run may end.
    end: Option<u32>,
    /// What cut runs first.
    cut: Option<&'static str>,
    interrupted: bool,
}

impl Unmet {
    /// Decide `awaited`, of a system with at most `most` worlds inside the constraints.
    pub(super) fn decide<S: System>(
        search: &Search<'_>,
        system: &S,
        properties: &[Property],
        awaited: Awaited<'_>,
        most: u64,
    ) -> Result<Answer, (Trouble, Option<Trace>)> {
        let mut worker = system.worker(0).map_err(|stop| (stop.into(), None))?;
        let graph = Builder {
            system,
            awaited,
            judge: Judge::new(properties, false),
            most,
            graph: Unmet::default(),
            known: FingerprintMap::default(),
            fresh: Worlds::default(),
            fairness: HashMap::new(),
        };
        let graph = graph.build(search, &mut worker)?;
        if graph.interrupted {
            return Ok(Answer::Interrupted);
        }
        let components = Components::of(&graph);
        let round = (0..graph.len()).find(|&world| components.is_fair(world));
        // The nearest, so that the way there is the shortest.
        let found = match (graph.end, round) {
            (Some(end), round) if round.is_none_or(|round| end <= round) => {
                let trace = graph.links.trace(end.into(), None);
                Some(Violation::never(awaited, trace, None))
            }
            (_, Some(round)) => {
                let mut trace = graph.links.trace(round.into(), None);
                let lasso = trace.labels.len();
                let cycle = graph.cycle(&components, round);
                trace.labels.extend(cycle.into_iter().map(|edge| graph.label(edge)));
                Some(Violation::never(awaited, trace, Some(lasso)))
            }
            _ => None,
        };
        Ok(match found {
            Some(violation) => Answer::Never(violation),
            None => graph.cut.map_or(Answer::Comes, Answer::Cut),
        })
    }

    /// How many worlds it has.
    pub(super) fn len(&self) -> u32 {
        self.links.len() as u32
    }

    /// The places of the edges of `world`.
    pub(super) fn edges(&self, world: u32) -> std::ops::Range<usize> {
        self.starts[world as usize]..self.starts[world as usize + 1]
    }

    pub(super) fn edge(&self, at: usize) -> &Edge {
        &self.edges[at]
    }

    /// The world of the graph that the edge leads to.
    pub(super) fn target(&self, at: usize) -> Option<u32> {
        let to = self.edges[at].to;
        (to != OUT).then_some(to)
    }

    /// Whether some action of `world` has this fairness.
    pub(super) fn enables(&self, world: u32, fair: u32) -> bool {
        self.edges[self.edges(world)].iter().any(|edge| edge.fair == fair)
    }

    fn label(&self, at: usize) -> Label {
        let choices = self.choices.get(&at).cloned().unwrap_or_default();
        Label { action: self.edges[at].action, choices }
    }
}

/// A graph that is being built.
struct Builder<'a, S: System> {
    system: &'a S,
    awaited: Awaited<'a>,
    judge: Judge<'a>,
    most: u64,
    graph: Unmet,
    known: FingerprintMap<u32>,
    /// The worlds of the next level.
    fresh: Worlds,
    /// Fairness numbers of the system, numbered from 1.
    fairness: HashMap<u64, u32>,
}

impl<S: System> Builder<'_, S> {
    fn build(
        mut self,
        search: &Search<'_>,
        worker: &mut S::Worker,
    ) -> Result<Unmet, (Trouble, Option<Trace>)> {
        let (mut ordinal, mut trouble) = (0, None);
        let system = self.system;
        let listed = system.initial(worker, &mut |world| {
            if trouble.is_none() {
                match self.reach(world) {
                    Ok((_, true)) => self.graph.links.push_initial(ordinal),
                    Ok(_) => (),
                    Err(met) => trouble = Some(met),
                }
            }
            ordinal += 1;
        });
        if let Some(trouble) = trouble.or(listed.map_err(repeated).err()) {
            return Err((trouble, None));
        }
        let mut first = 0;
        while self.fresh.len() > 0 {
            let level = std::mem::take(&mut self.fresh);
            let mut expander = Expander::new(system, worker);
            for at in 0..level.len() {
                if search.interrupted() {
                    return Ok(Unmet { interrupted: true, ..self.graph });
                }
                let index = first + at as u64;
                self.expand(&mut expander, index, level.get(at))
                    .map_err(|trouble| (trouble, Some(self.graph.links.trace(index, None))))?;
            }
            first += level.len() as u64;
            let rested = system.barrier(std::slice::from_mut(worker));
            rested.map_err(|stop| (stop.into(), None))?;
        }
        self.graph.starts.push(self.graph.edges.len());
        Ok(self.graph)
    }

    fn expand(
        &mut self,
        expander: &mut Expander<'_, S>,
        index: u64,
        world: &[u8],
    ) -> Result<(), Trouble> {
        self.graph.starts.push(self.graph.edges.len());
        let mut reached = Vec::new();
        let (mut trouble, mut goes_on) = (None, false);
        // What is reached is numbered behind the expansion, which reads the links.
        let Builder { system, awaited, .. } = *self;
        let links = std::mem::take(&mut self.graph.links);
        let mut next_index = links.len();
        let position = Position { index, path: &links };
        let expanded = expander.expand(position, world, |transition, result| {
            let action = transition.action;
            goes_on |= awaited.goes_on(action.kind);
            let target =
                result.map_err(repeated).and_then(|next| self.reach_from(next, next_index));
            match target {
                Ok((to, new)) => {
                    let fair = match awaited.fair.contains(action.kind) {
                        true => self.fair(system.fairness(world, &action)),
                        false => 0,
                    };
                    let label = transition.label();
                    if new {
                        next_index += 1;
                        reached.push(label.clone());
                    }
                    if !label.choices.is_empty() {
                        self.graph.choices.insert(self.graph.edges.len(), label.choices);
                    }
                    self.graph.edges.push(Edge { to, fair, action });
                    ControlFlow::Continue(())
                }
                Err(met) => {
                    trouble = Some(met);
                    ControlFlow::Break(())
                }
            }
        });
        self.graph.links = links;
        reached.into_iter().for_each(|label| self.graph.links.push(index, label));
        match (trouble, expanded) {
            (Some(trouble), _) => Err(trouble),
            (None, Err(stop)) => Err(stop.into()),
            (None, Ok(_)) => {
                match system.bound(world) {
                    _ if goes_on => (),
                    Some(bound) => self.graph.cut = self.graph.cut.or(Some(bound)),
                    None => self.graph.end = self.graph.end.or(Some(index as u32)),
                }
                Ok(())
            }
        }
    }

    fn reach(&mut self, world: &[u8]) -> Result<(u32, bool), Trouble> {
        self.reach_from(world, self.graph.links.len())
    }

    /// The number of a world that was reached, which is `next` if it is new, and whether it is.
    fn reach_from(&mut self, world: &[u8], next: u64) -> Result<(u32, bool), Trouble> {
        let fingerprint = Fingerprint::of(world);
        if let Some(known) = self.known.get(&fingerprint) {
            return Ok((*known, false));
        }
        let view = self.system.view(world);
        let Awaited { property, holds, .. } = self.awaited;
        let holds = holds(&view)
            .map_err(|error| Trouble::Failed { property: Some(property.name.clone()), error })?;
        if holds || !self.judge.admits(view)? {
            if !holds {
                self.graph.cut.get_or_insert("a state constraint");
            }
            return Ok((OUT, false));
        }
        if next >= self.most || next >= u64::from(OUT) {
            return Err(repeated(Stop::Error(Error::Divergence(
                "the worlds that were expanded again lead to others than before; \
                 the system is not deterministic"
                    .into(),
            ))));
        }
        self.known.insert(fingerprint, next as u32);
        self.fresh.push(world);
        Ok((next as u32, true))
    }

    fn fair(&mut self, number: u64) -> u32 {
        let next = self.fairness.len() as u32 + 1;
        *self.fairness.entry(number).or_insert(next)
    }
}

/// The search made this step, and nothing was wrong with it.
fn repeated(stop: Stop) -> Trouble {
    match stop {
        Stop::Violated(breach) => Error::Divergence(format!(
            "a step that was repeated broke \"{}\" ({}), and did not before; \
             the system is not deterministic",
            breach.property, breach.why
        ))
        .into(),
        Stop::Error(error) => error.into(),
    }
}
