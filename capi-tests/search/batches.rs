//! Walks are taken in batches: several workers find what one finds, whatever the size of a batch, and in
//! step too.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use cmc::action::{Action, Kind};
use cmc::error::Error;
use cmc::search::{Progress, Search, Strategy, Verdict};
use cmc::system::{Choice, Position, Stop, System, Told};
use cmc::world::View;

use super::systems::graph::{Graph, invariant, sometimes};
use super::together::{alike, planted};
use super::{line, run, small, walks};

/// From each of `stations` worlds a step leads to the next, and one to an end.
pub fn lottery(stations: u8) -> Graph {
    let arcs = (0..stations).flat_map(|world| [(world, world + 1), (world, 200 + world % 3)]);
    Graph::plain(&[0], &arcs.collect::<Vec<_>>())
}

#[test]
fn random_graphs_are_walked_alike_by_any_number_of_workers() {
    let (mut violated, mut failed) = (0, 0);
    for seed in 0..60 {
        for planted in planted(seed) {
            let (graph, mut properties) = (&planted.graph, planted.properties());
            properties.push(sometimes("forty", |world| world == 40));
            let deadlock = planted.terminal.is_some();
            let search = Search { deadlock, ..walks(70, 12, seed) };
            let found = alike(&search, graph, &properties, || (), &format!("graph {seed}"));
            violated += u32::from(found.verdict == Verdict::Violated);
            failed += u32::from(matches!(found.verdict, Verdict::Error(_)));
            // In step the same is found.
            let slow = InStep::new(graph);
            let at = format!("graph {seed}, in step");
            let rounds = || {
                // Behind the last barrier of a search that something ended.
                slow.done.lock().unwrap().clear();
                std::mem::take(&mut *slow.rounds.lock().unwrap())
            };
            let in_step = alike(&search, &slow, &properties, rounds, &at);
            assert_eq!(in_step, found, "{at}");
        }
    }
    assert!(violated > 20 && failed > 10, "{violated} violated, {failed} failed");
}

#[test]
fn the_walk_that_is_reported_is_the_first_however_many_batches_there_are() {
    let (graph, properties) = (lottery(12), [invariant("not twelve", |world| world != 12)]);
    let mut latest = 0;
    for seed in 0..6 {
        let found = alike(&walks(20_000, 100, seed), &graph, &properties, || (), "lottery");
        assert_eq!((&found.verdict, found.trace_len), (&Verdict::Violated, Some(13)));
        let walk = found.walk.unwrap();
        latest = latest.max(walk);
        // As many walks as that one needs are enough, and one less is not.
        let enough = run(&walks(walk + 1, 100, seed), &graph, &properties);
        assert_eq!(enough, found);
        let less = run(&walks(walk, 100, seed), &graph, &properties);
        assert_eq!((less.verdict, less.walk), (Verdict::Incomplete, None));
        assert!(less.generated < found.generated);
        // What is found in step does not depend on the size of the batch, which is another one there.
        let in_step = run(
            &Search { workers: 2, ..walks(20_000, 100, seed) },
            &InStep::new(&graph),
            &properties,
        );
        assert_eq!(in_step, found);
    }
    assert!(latest > 1024, "no walk of a second batch was needed: {latest}");
}

#[test]
fn an_interrupt_ends_the_walks_of_all_workers() {
    let (stop, endless) = (AtomicBool::new(false), Graph::plain(&[0], &[(0, 1), (1, 0)]));
    for workers in [1, 3] {
        stop.store(false, Ordering::Relaxed);
        let strategy = Strategy::Simulate { walks: 1 << 40, depth: 20 };
        let progress_every = Duration::ZERO;
        let search = Search { strategy, workers, progress_every, ..Search::new(&stop) };
        let mut told = |progress: &Progress| {
            assert_eq!((progress.distinct, progress.queue), (None, None));
            assert!(progress.generated >= progress.walks.unwrap());
            stop.store(progress.walks > Some(5000), Ordering::Relaxed);
        };
        let found = search.run(&endless, &[], &mut (), &mut told);
        assert_eq!((found.verdict, found.depth), (Verdict::Incomplete, Some(20)));
        assert!(found.bounds.contains(&"interrupt".to_owned()), "{:?}", found.bounds);
    }
}

#[test]
fn walks_of_no_choice_are_all_alike() {
    let found = run(&Search { workers: 3, ..walks(2000, 100, 1) }, &line(), &[]);
    assert_eq!((found.generated, found.depth), (Some(20_000), Some(10)));
    let found = run(&Search { workers: 3, ..walks(2000, 100, 1) }, &small(), &[]);
    let steps: u64 = found.receipts.of(&Kind::ALL).map(|(_, count)| count).sum();
    let crashes = found.receipts.count(Kind::Crash);
    assert_eq!(found.generated, Some(2000 + steps - crashes));
}

/// A graph whose walks are taken in step, and which sees to it.
struct InStep<'a> {
    graph: &'a Graph,
    /// The indices of what was done since the last barrier.
    done: Mutex<BTreeSet<u64>>,
    /// How many things were done between two barriers, as long as anything was.
    rounds: Mutex<Vec<usize>>,
}

impl<'a> InStep<'a> {
    fn new(graph: &'a Graph) -> Self {
        InStep { graph, done: Mutex::default(), rounds: Mutex::default() }
    }
}

impl System for InStep<'_> {
    type Worker = ();

    fn worker(&self, _: usize) -> Result<(), Stop> {
        Ok(())
    }

    fn initial(&self, _: &mut (), each: &mut dyn FnMut(&[u8])) -> Result<(), Stop> {
        self.graph.initial(&mut (), each)
    }

    fn enabled(&self, _: &mut (), world: &[u8], out: &mut Vec<Action>) -> Result<(), Stop> {
        self.graph.enabled(&mut (), world, out)
    }

    fn apply(
        &self,
        _: &mut (),
        at: Position<'_>,
        world: &[u8],
        action: &Action,
        choose: &mut dyn Choice,
        next: &mut Vec<u8>,
    ) -> Result<(), Stop> {
        let mut labels = Vec::new();
        at.path.labels(at.index, &mut labels);
        {
            let mut done = self.done.lock().unwrap();
            assert!(done.insert(at.index), "two things have one place");
            let steps = |index: u64| index & 0xffff_ffff_ffff;
            assert_eq!(labels.len() as u64, steps(at.index), "the way is that of the place");
            let all = done.iter().all(|&index| steps(index) == steps(at.index));
            assert!(all, "a walk is ahead of another: {done:x?}");
        }
        self.graph.apply(&mut (), at, world, action, choose, next)
    }

    fn view<'w>(&'w self, world: &'w [u8]) -> View<'w> {
        self.graph.view(world)
    }

    fn kinds(&self) -> &'static [Kind] {
        self.graph.kinds()
    }

    fn name(&self, world: &[u8], action: &Action) -> String {
        self.graph.name(world, action)
    }

    fn tell(&self, world: &[u8], action: &Action) -> Result<Told, Error> {
        self.graph.tell(world, action)
    }

    fn in_step(&self) -> bool {
        true
    }

    fn barrier(&self, workers: &mut [()]) -> Result<(), Stop> {
        assert!(!workers.is_empty());
        let done = std::mem::take(&mut *self.done.lock().unwrap());
        self.rounds.lock().unwrap().push(done.len());
        Ok(())
    }
}
