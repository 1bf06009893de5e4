//! Several workers find what one finds, depth first and on walks too, in whatever order they come.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};
use std::time::Duration;

use cmc::action::{Action, Kind};
use cmc::error::Error;
use cmc::property::Property;
use cmc::search::{Found, Search, Strategy, Verdict, Walks};
use cmc::system::{Choice, Position, Stop, System, Told};
use cmc::world::View;

use super::batches::lottery;
use super::systems::disk_paxos::Bals;
use super::systems::graph::{Graph, Then, eventually, invariant};
use super::systems::oracle::Planted;
use super::{Stored, breadth, counts, disk_paxos, line, run, walks};

const NUMBERS: [usize; 4] = [1, 2, 3, 8];
/// In an order of theirs all workers take part, however little there is to do.
const SHUFFLES: [Option<u64>; 3] = [None, Some(1), Some(2)];

/// What any number of workers finds in any order. `look` is called behind each search, and has to
/// answer the same, as has the order in which worlds are stored.
pub fn alike<S: System, T: PartialEq>(
    search: &Search<'_>,
    system: &S,
    properties: &[Property],
    look: impl Fn() -> T,
    at: &str,
) -> Found {
    let mut first = None;
    for workers in NUMBERS {
        for shuffle in SHUFFLES {
            let mut stored = Stored::default();
            let search = Search { workers, shuffle, ..*search };
            let found = search.run(system, properties, &mut stored, &mut |_| ());
            let this = (found, stored.0, look());
            match &first {
                None => first = Some(this),
                Some(first) => {
                    let found = &this.0;
                    assert!(*first == this, "{at}, {workers} workers, {shuffle:?}: {found:?}");
                }
            }
        }
    }
    first.expect("there was one").0
}

fn deep(bound: u64) -> Search<'static> {
    Search { strategy: Strategy::Depth { bound }, ..breadth() }
}

fn deeper(bound: u64) -> Search<'static> {
    Search { strategy: Strategy::Iterative { bound }, ..breadth() }
}

pub fn planted(seed: u64) -> [Planted; 3] {
    [Planted::random(seed), Planted::constrained(seed), Planted::ending(seed)]
}

#[test]
fn random_graphs_are_searched_depth_first_alike_by_any_number_of_workers() {
    let (mut violated, mut bounded) = (0, 0);
    for seed in 0..40 {
        for planted in planted(seed) {
            let (graph, properties) = (&planted.graph, planted.properties());
            let deadlock = planted.terminal.is_some();
            // The places too: whatever ends a wave, all of it is expanded.
            let places = || std::mem::take(&mut *graph.places.lock().unwrap());
            for bound in [4, 100] {
                for width in [None, Some(3), Some(64)] {
                    for max_states in [None, Some(25)] {
                        let at = format!("graph {seed}, bound {bound}, {width:?}, {max_states:?}");
                        let limits = |search| Search { deadlock, width, max_states, ..search };
                        let found = alike(&limits(deep(bound)), graph, &properties, places, &at);
                        violated += u32::from(found.verdict == Verdict::Violated);
                        bounded += u32::from(found.verdict == Verdict::Incomplete);
                        alike(&limits(deeper(bound)), graph, &properties, places, &at);
                        let going_on = Search { keep_going: true, ..limits(deep(bound)) };
                        alike(&going_on, graph, &properties, places, &at);
                    }
                }
            }
        }
    }
    assert!(violated > 100 && bounded > 100, "{violated} violated, {bounded} incomplete");
}

#[test]
fn what_nothing_ends_is_counted_as_breadth_first_counts_it_however_wide_the_waves() {
    let mut compared = 0;
    for seed in 0..60 {
        for planted in planted(seed) {
            let (graph, properties) = (&planted.graph, planted.properties());
            for bound in [2, 5, 100] {
                let broad = Search { depth: Some(bound), ..breadth() };
                let broad = run(&broad, graph, &properties);
                if matches!(broad.verdict, Verdict::Violated | Verdict::Error(_)) {
                    continue;
                }
                for width in [None, Some(1), Some(2), Some(7), Some(1000)] {
                    let found = run(&Search { width, ..deep(bound) }, graph, &properties);
                    // Depth first knows no slots.
                    let found = Found { slots: broad.slots, ..found };
                    assert_eq!(found, broad, "graph {seed}, bound {bound}, width {width:?}");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 500, "only {compared}");
}

#[test]
fn disk_paxos_is_searched_depth_first_alike_by_any_number_of_workers() {
    let system = disk_paxos((2, 3, 2, Bals::Mod));
    let broad = run(&breadth(), &system, &[system.invariant("Agreement")]);
    for width in [None, Some(1), Some(20), Some(512)] {
        let search = Search { width, ..deep(1000) };
        let properties = [system.invariant("Agreement")];
        let found = alike(&search, &system, &properties, || (), &format!("{width:?}"));
        assert_eq!(found.verdict, Verdict::Pass, "{width:?}");
        assert_eq!(counts(&found), counts(&broad), "{width:?}");
        let properties = [system.invariant("RegAgreement")];
        let found = alike(&search, &system, &properties, || (), &format!("{width:?}"));
        assert_eq!(found.verdict, Verdict::Violated);
    }
}

#[test]
fn what_is_suspected_behind_a_search_depth_first_is_the_same_too() {
    let graph = lottery(30);
    let properties = [eventually("ninety-nine", &[Kind::Action], |world| world == 99)];
    let liveness = Some(Walks { walks: 6, length: 5 });
    let search = Search { liveness, width: Some(4), max_states: Some(20), ..deep(100) };
    let found = alike(&search, &graph, &properties, || (), "lottery");
    assert_eq!(found.verdict, Verdict::Violated, "{found:?}");
}

#[test]
fn every_strategy_takes_as_many_threads_as_it_is_given() {
    let processors = std::thread::available_parallelism().unwrap().get();
    for search in [breadth(), deep(9), deeper(9), walks(1, 1, 1)] {
        let threads = |workers| Search { workers, ..search }.threads();
        assert_eq!((threads(0), threads(7)), (processors, 7));
    }
}

/// A graph with workers that are not alike: those with another number than 0 always lead to 99.
/// Worker 0 lets one of them go first, if there is one.
struct Unlike {
    graph: Graph,
    made: AtomicUsize,
    others: Mutex<bool>,
    news: Condvar,
}

impl Unlike {
    fn new(graph: Graph) -> Self {
        let (others, news) = (Mutex::default(), Condvar::new());
        Unlike { graph, made: AtomicUsize::new(0), others, news }
    }
}

impl System for Unlike {
    type Worker = usize;

    fn worker(&self, number: usize) -> Result<usize, Stop> {
        self.made.fetch_add(1, Ordering::Relaxed);
        Ok(number)
    }

    fn initial(&self, _: &mut usize, each: &mut dyn FnMut(&[u8])) -> Result<(), Stop> {
        self.graph.initial(&mut (), each)
    }

    fn enabled(&self, _: &mut usize, world: &[u8], out: &mut Vec<Action>) -> Result<(), Stop> {
        self.graph.enabled(&mut (), world, out)
    }

    fn apply(
        &self,
        number: &mut usize,
        at: Position<'_>,
        world: &[u8],
        action: &Action,
        choose: &mut dyn Choice,
        next: &mut Vec<u8>,
    ) -> Result<(), Stop> {
        self.graph.apply(&mut (), at, world, action, choose, next)?;
        let others = self.others.lock();
        let mut others = others.unwrap();
        if *number > 0 {
            next[0] = 99;
            *others = true;
            self.news.notify_all();
        } else if self.made.load(Ordering::Relaxed) > 1 && world[0] > 0 {
            let limit = Duration::from_secs(30);
            let (_others, waited) =
                self.news.wait_timeout_while(others, limit, |others| !*others).unwrap();
            assert!(!waited.timed_out(), "nobody else came");
        }
        Ok(())
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
}

#[test]
fn all_workers_take_part_so_that_one_that_is_unlike_the_others_shows() {
    let fan = || {
        let arcs: Vec<_> = (1..=60).flat_map(|world| [(0, world), (world, 100)]).collect();
        Graph::plain(&[0], &arcs)
    };
    let properties = [invariant("not ninety-nine", |world| world != 99)];
    for search in [deep(9), deeper(9), walks(100, 9, 1)] {
        let width = Some(30);
        for (workers, wrong) in [(1, false), (2, true), (8, true)] {
            let search = Search { workers, shuffle: Some(1), width, ..search };
            let found = run(&search, &Unlike::new(fan()), &properties);
            assert_eq!(found.verdict == Verdict::Violated, wrong, "{workers}: {found:?}");
        }
    }
}

#[test]
fn a_panic_in_any_worker_is_an_error() {
    let mut graph = line();
    graph.arc(0, Kind::Action, 77, Then::Go(77));
    let panics = || {
        vec![invariant("no panic", |world| match world {
            77 => panic!("seventy-seven"),
            _ => true,
        })]
    };
    for search in [deep(100), deeper(100), walks(50, 100, 1)] {
        let found = alike(&search, &graph, &panics(), || (), "a panic");
        let Verdict::Error(Error::Internal(said)) = &found.verdict else { panic!("{found:?}") };
        assert!(said.contains("seventy-seven"), "{said}");
    }
}
