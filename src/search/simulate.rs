//! Seeded random walks. Walk `i` draws from stream `i` of the seed, so each is reproducible by
//! itself. Uniform among the initial worlds, among the actions of a world, and in each choice. A
//! world outside the constraints is judged and ends its walk. A walk that finds nothing proves
//! nothing: the verdict is never a pass.

use super::Search;
use super::found::{Found, Verdict};
use super::initial::Initial;
use super::judge::{Judge, Trouble};
use super::level::Worlds;
use super::links::Links;
use super::progress::{Pace, Progress};
use super::random::Random;
use super::seen::Seen;
use super::walker::Walker;
use crate::property::Property;
use crate::system::System;

struct Simulation<'a, S: System> {
    search: &'a Search<'a>,
    walker: Walker<'a, S>,
    /// The states of a walk, at most.
    depth: u64,
    initial: Worlds,
    links: Links,
    /// Whether the bound on depth cut a walk.
    cut: bool,
    /// Walks begun.
    begun: u64,
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
    let seen = &mut Seen::default();
    let initial = Initial::of(system, &mut worker, &mut judge, u64::MAX, seen, &mut links);
    if let Some(found) = initial.missing() {
        return found;
    }
    let walker = Walker::new(system, worker, judge);
    let initial = initial.worlds;
    let mut simulation = Simulation { search, walker, depth, initial, links, cut: false, begun: 0 };
    let found = simulation.walks(walks, pace);
    simulation.finish(found)
}

impl<S: System> Simulation<'_, S> {
    fn walks(&mut self, walks: u64, pace: &mut Pace<'_>) -> Found {
        for walk in 0..walks {
            if let Err(trouble) = self.walk(walk) {
                let trace = Some(self.walker.trace.clone());
                return Found { walk: Some(walk), ..Found::troubled(trouble, trace) };
            }
            if self.search.interrupted() {
                return Found::bounded("interrupt");
            }
            let Walker { system, worker, .. } = &mut self.walker;
            if let Err(stop) = system.barrier(std::slice::from_mut(worker)) {
                return Found::troubled(stop.into(), None);
            }
            pace.tick(|| Progress {
                distinct: None,
                generated: self.generated(),
                depth: self.walker.longest,
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
    fn walk(&mut self, number: u64) -> Result<(), Trouble> {
        let mut random = Random::new(self.search.seed, number);
        let start = random.below(self.initial.len());
        self.walker.stand(self.initial.get(start), self.links.trace(start as u64, None));
        self.begun += 1;
        while !self.search.interrupted() {
            if !self.walker.can_act()? {
                if self.search.deadlock {
                    self.walker.judge.end(self.walker.system.view(&self.walker.world))?;
                }
                break;
            }
            if self.walker.trace.states() == self.depth {
                self.cut = true;
                break;
            }
            if !self.walker.draw(&mut random)? {
                break;
            }
        }
        Ok(())
    }

    /// The initial world of every walk, and its steps.
    fn generated(&self) -> u64 {
        self.begun + self.walker.generated
    }

    fn finish(self, mut found: Found) -> Found {
        if self.cut {
            found.bounds.push("depth".into());
        }
        Found {
            generated: Some(self.generated()),
            depth: (self.walker.longest > 0).then_some(self.walker.longest),
            receipts: self.walker.receipts,
            unreached: self.walker.judge.unreached(),
            ..found
        }
    }
}
