//! Seeded random walks. Walk `i` draws from stream `i` of the seed, so each is reproducible by
//! itself. Uniform among the initial worlds, among the actions of a world, and in each choice. A
//! world outside the constraints is judged and ends its walk. A walk that finds nothing proves
//! nothing: the verdict is never a pass.

use super::Search;
use super::choices::Draw;
use super::found::{Found, Verdict};
use super::initial::Initial;
use super::judge::{Judge, Trouble};
use super::level::Worlds;
use super::links::Links;
use super::progress::{Pace, Progress};
use super::random::Random;
use super::receipts::Receipts;
use super::seen::Seen;
use crate::action::Action;
use crate::property::Property;
use crate::system::{Position, Stop, System};
use crate::trace::Trace;

struct Simulation<'a, S: System> {
    search: &'a Search<'a>,
    system: &'a S,
    worker: S::Worker,
    judge: Judge<'a>,
    /// The states of a walk, at most.
    depth: u64,
    initial: Worlds,
    links: Links,
    /// Whether the bound on depth cut a walk.
    cut: bool,
    longest: u64,
    generated: u64,
    receipts: Receipts,
    // Scratch memory of a step.
    actions: Vec<Action>,
    world: Vec<u8>,
    next: Vec<u8>,
}

pub(super) fn run<S: System>(
    search: &Search<'_>,
    walks: u64,
    depth: u64,
    system: &S,
    properties: &[Property],
    pace: &mut Pace<'_>,
) -> Found {
    let mut worker = match system.worker(0) {
        Ok(worker) => worker,
        Err(stop) => return Found::troubled(stop.into(), None),
    };
    let mut judge = Judge::new(properties, false);
    let mut links = Links::default();
    let seen = &mut Seen::new();
    let initial = Initial::of(system, &mut worker, &mut judge, u64::MAX, seen, &mut links);
    if let Some(found) = initial.missing() {
        return found;
    }
    let mut simulation = Simulation {
        search,
        system,
        worker,
        judge,
        depth,
        initial: initial.worlds,
        links,
        cut: false,
        longest: 0,
        generated: 0,
        receipts: Receipts::default(),
        actions: Vec::new(),
        world: Vec::new(),
        next: Vec::new(),
    };
    let found = simulation.walks(walks, pace);
    simulation.finish(found)
}

impl<S: System> Simulation<'_, S> {
    fn walks(&mut self, walks: u64, pace: &mut Pace<'_>) -> Found {
        for walk in 0..walks {
            if let Err((trouble, trace)) = self.walk(walk) {
                return Found { walk: Some(walk), ..Found::troubled(trouble, Some(trace)) };
            }
            if self.search.interrupted() {
                return Found::bounded("interrupt");
            }
            if let Err(stop) = self.system.barrier(std::slice::from_mut(&mut self.worker)) {
                return Found::troubled(stop.into(), None);
            }
            pace.tick(|| Progress {
                distinct: None,
                generated: self.generated,
                depth: self.longest,
                queue: None,
                walks: Some(walk + 1),
            });
        }
        Found {
            why: Some(format!("{walks} random walks broke nothing; walks are never a pass")),
            ..Found::new(Verdict::Incomplete)
        }
    }

    /// One walk, to its end, to the bound, or to trouble.
    fn walk(&mut self, number: u64) -> Result<(), (Trouble, Trace)> {
        let mut random = Random::new(self.search.seed, number);
        let start = random.below(self.initial.len());
        let mut trace = self.links.trace(start as u64, None);
        self.world.clear();
        self.world.extend_from_slice(self.initial.get(start));
        self.generated += 1;
        self.longest = self.longest.max(1);
        while !self.search.interrupted() {
            self.actions.clear();
            let listed = self.system.enabled(&mut self.worker, &self.world, &mut self.actions);
            if let Err(stop) = listed {
                return Err((stop.into(), trace));
            }
            if self.actions.is_empty() {
                if self.search.deadlock {
                    let ended = self.judge.end(self.system.view(&self.world));
                    ended.map_err(|trouble| (trouble, trace))?;
                }
                break;
            }
            if trace.states() == self.depth {
                self.cut = true;
                break;
            }
            match self.step(&mut random, &mut trace) {
                Err(trouble) => return Err((trouble, trace)),
                Ok(false) => break,
                Ok(true) => std::mem::swap(&mut self.world, &mut self.next),
            }
        }
        Ok(())
    }

    /// One step from `world` to `next`; its label is appended to `trace` in any case. Answers whether
    /// `next` is inside the constraints.
    fn step(&mut self, random: &mut Random, trace: &mut Trace) -> Result<bool, Trouble> {
        let action = self.actions[random.below(self.actions.len())];
        let mut draw = Draw::new(random);
        let position = Position { index: trace.labels.len() as u64, path: trace };
        let applied = self.system.apply(
            &mut self.worker,
            position,
            &self.world,
            &action,
            &mut draw,
            &mut self.next,
        );
        let (label, crashed, fault) = draw.finish(action);
        trace.labels.push(label);
        if let Some(error) = fault {
            return Err(error.into());
        }
        if !matches!(applied, Err(Stop::Error(_))) {
            self.generated += 1;
            self.receipts.add(action.kind, crashed);
        }
        applied?;
        let after = self.system.view(&self.next);
        self.longest = self.longest.max(trace.states());
        let reached = self.judge.visit(after)?;
        if let Some(reached) = &reached {
            self.judge.reach(reached);
        }
        self.judge.step(self.system.view(&self.world), after)?;
        Ok(reached.is_some())
    }

    fn finish(self, mut found: Found) -> Found {
        if self.cut {
            found.bounds.push("depth".into());
        }
        Found {
            generated: Some(self.generated),
            depth: (self.longest > 0).then_some(self.longest),
            receipts: self.receipts,
            unreached: self.judge.unreached(),
            ..found
        }
    }
}
