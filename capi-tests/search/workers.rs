//! Several workers find what one finds, each on a thread of its own for the whole search.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::ThreadId;
use std::time::Duration;

use cmc::action::{Action, Kind};
use cmc::error::Error;
use cmc::property::Property;
use cmc::search::{Found, Observer, Progress, Search, Verdict};
use cmc::system::{Choice, Position, Stop, System, Told};
use cmc::world::View;

use super::systems::graph::{Graph, fault, invariant, step};
use super::systems::oracle::Planted;
use super::{ROWS, Stored, breadth, counts, disk_paxos, line, run};

const NUMBERS: [usize; 4] = [1, 2, 3, 8];
const SHUFFLES: [Option<u64>; 3] = [None, Some(1), Some(2)];

/// The search of so many workers in this order, with a size of batches that depends on them.
fn way(workers: usize, shuffle: Option<u64>) -> Search<'static> {
    let batch = [None, Some(2), Some(24)][(workers + shuffle.map_or(1, |it| it as usize)) % 3];
    Search { workers, shuffle, batch, ..breadth() }
}

/// Every number of workers in every order.
fn ways() -> impl Iterator<Item = (usize, Option<u64>)> {
    NUMBERS.into_iter().flat_map(|workers| SHUFFLES.map(|shuffle| (workers, shuffle)))
}

#[test]
fn random_graphs_are_searched_alike_by_any_number_of_workers() {
    for seed in 0..150 {
        let planted = Planted::random(seed);
        let (expected, properties) = (planted.explore(), planted.properties());
        // With and without a bound on states that cuts somewhere inside.
        for max_states in [None, Some(1 + expected.distinct * 2 / 3)] {
            let mut first = None;
            for (workers, shuffle) in ways() {
                planted.graph.places.lock().unwrap().clear();
                let mut stored = Stored::default();
                let search = Search { max_states, ..way(workers, shuffle) };
                let found = search.run(&planted.graph, &properties, &mut stored, &mut |_| ());
                // The links, as the worlds that were expanded in any case saw them.
                let mut places = planted.graph.places.lock().unwrap().clone();
                let expanded = found.distinct.unwrap() - found.queue_left.unwrap();
                places.retain(|&index, _| index + 2 < expanded);
                let this = (found, stored.0, places);
                let first = first.get_or_insert_with(|| this.clone());
                assert_eq!(first, &this, "graph {seed}, {workers} workers, {shuffle:?}");
            }
            if max_states.is_none() {
                let numbers =
                    [expected.distinct, expected.generated, expected.depth, expected.queue_left];
                assert_eq!(counts(&first.unwrap().0), numbers.map(Some), "graph {seed}");
            }
        }
    }
}

#[test]
fn disk_paxos_is_the_same_for_any_number_of_workers() {
    for (id, constants, invariants, _, numbers) in ROWS {
        if numbers[2] > Some(10_000) {
            continue; // The larger ones only take longer.
        }
        let system = disk_paxos(constants);
        let properties: Vec<_> = invariants.iter().map(|name| system.invariant(name)).collect();
        let searched = |workers, shuffle, max_states| {
            let search = Search { max_states, ..way(workers, shuffle) };
            let mut stored = Stored::default();
            (search.run(&system, &properties, &mut stored, &mut |_| ()), stored.0)
        };
        for most in [None, Some(90), Some(101), Some(113), Some(700)] {
            let expected = searched(1, None, most);
            for (workers, shuffle) in ways() {
                let found = searched(workers, shuffle, most);
                assert!(found == expected, "{id}, {workers} workers, {shuffle:?}, {most:?} states");
            }
        }
    }
}

#[test]
fn levels_of_many_worlds_are_the_same_for_any_number_of_workers() {
    for (id, constants, invariants, _, numbers) in ROWS {
        if !["DP09", "DP31"].contains(&id) {
            continue;
        }
        let system = disk_paxos(constants);
        let properties: Vec<_> = invariants.iter().map(|name| system.invariant(name)).collect();
        for workers in [2, 5] {
            let found = run(&Search { workers, ..breadth() }, &system, &properties);
            let [distinct, generated, depth, queue_left] = counts(&found);
            assert_eq!([found.trace_len, depth, distinct, generated, queue_left], numbers, "{id}");
        }
    }
}

/// A graph whose workers know their numbers and insist on their threads.
struct Watched<'a> {
    graph: Graph,
    caller: ThreadId,
    /// The numbers of the workers at each barrier.
    barriers: Mutex<Vec<Vec<usize>>>,
    dropped: AtomicUsize,
    /// Called with the number of the worker that is made.
    making: &'a (dyn Fn(usize) -> Result<(), Stop> + Sync),
    /// Called with the number of the worker and the world that it expands.
    applying: &'a (dyn Fn(usize, u8) -> Result<(), Stop> + Sync),
}

struct Seated<'a> {
    number: usize,
    thread: ThreadId,
    dropped: &'a AtomicUsize,
}

impl Drop for Seated<'_> {
    fn drop(&mut self) {
        assert_eq!(std::thread::current().id(), self.thread, "a worker ends where it lived");
        self.dropped.fetch_add(1, Ordering::Relaxed);
    }
}

impl<'a> Watched<'a> {
    fn new(graph: Graph) -> Self {
        Watched {
            graph,
            caller: std::thread::current().id(),
            barriers: Mutex::default(),
            dropped: AtomicUsize::new(0),
            making: &|_| Ok(()),
            applying: &|_, _| Ok(()),
        }
    }
}

/// The worker is moved about with its system borrowed, so the system is a reference.
impl<'a> System for &'a Watched<'_> {
    type Worker = Seated<'a>;

    fn worker(&self, number: usize) -> Result<Seated<'a>, Stop> {
        (self.making)(number)?;
        let thread = std::thread::current().id();
        assert_eq!(thread == self.caller, number == 0, "worker 0 is on the calling thread");
        Ok(Seated { number, thread, dropped: &self.dropped })
    }

    fn initial(&self, worker: &mut Seated, each: &mut dyn FnMut(&[u8])) -> Result<(), Stop> {
        assert_eq!((worker.number, std::thread::current().id()), (0, self.caller));
        self.graph.initial(&mut (), each)
    }

    fn enabled(
        &self,
        worker: &mut Seated,
        world: &[u8],
        out: &mut Vec<Action>,
    ) -> Result<(), Stop> {
        assert_eq!(std::thread::current().id(), worker.thread, "a worker stays on its thread");
        self.graph.enabled(&mut (), world, out)
    }

    fn apply(
        &self,
        worker: &mut Seated,
        at: Position<'_>,
        world: &[u8],
        action: &Action,
        choose: &mut dyn Choice,
        next: &mut Vec<u8>,
    ) -> Result<(), Stop> {
        assert_eq!(std::thread::current().id(), worker.thread, "a worker stays on its thread");
        (self.applying)(worker.number, world[0])?;
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

    fn barrier(&self, workers: &mut [Seated<'a>]) -> Result<(), Stop> {
        assert_eq!(std::thread::current().id(), self.caller);
        let numbers = workers.iter().map(|worker| worker.number).collect();
        self.barriers.lock().unwrap().push(numbers);
        Ok(())
    }
}

/// World 0, then 1 to `width`, each of which leads to 100.
fn fan(width: u8) -> Graph {
    let arcs: Vec<_> = (1..=width).flat_map(|world| [(0, world), (world, 100)]).collect();
    Graph::plain(&[0], &arcs)
}

#[test]
fn a_worker_stays_on_its_thread_and_every_barrier_has_all_of_them() {
    for workers in NUMBERS {
        for (graph, levels) in [(fan(60), 3), (line(), 10)] {
            let watched = Watched::new(graph);
            let found = run(&Search { workers, ..breadth() }, &&watched, &[]);
            assert_eq!((found.verdict, found.depth), (Verdict::Pass, Some(levels)));
            // The one before the first level and one behind each.
            let numbers: Vec<_> = (0..workers).collect();
            let expected = vec![numbers; 1 + levels as usize];
            assert_eq!(*watched.barriers.lock().unwrap(), expected);
            assert_eq!(watched.dropped.load(Ordering::Relaxed), workers);
        }
    }
}

/// Wait until `done` says so; it is looked at when `news` comes.
fn wait_for<T>(state: &Mutex<T>, news: &Condvar, done: impl Fn(&T) -> bool) {
    let guard = state.lock().unwrap();
    let limit = Duration::from_secs(30);
    let (_guard, waited) = news.wait_timeout_while(guard, limit, |state| !done(state)).unwrap();
    assert!(!waited.timed_out(), "nobody went on");
}

#[test]
fn a_worker_that_is_held_up_holds_up_neither_the_others_nor_the_progress() {
    // Worker 1 sits at its first world until the progress says that all others are expanded.
    const WIDTH: u8 = 20;
    #[derive(Default)]
    struct State {
        held: bool,
        told: bool,
    }
    let (state, news) = (Mutex::new(State::default()), Condvar::new());
    let applying = |number: usize, world: u8| {
        if world == 0 {
            return Ok(());
        }
        if number == 1 {
            state.lock().unwrap().held = true;
            news.notify_all();
            wait_for(&state, &news, |state| state.told);
        } else {
            wait_for(&state, &news, |state| state.held);
        }
        Ok(())
    };
    let watched = Watched { applying: &applying, ..Watched::new(fan(WIDTH)) };
    let search = Search { workers: 2, progress_every: Duration::ZERO, ..breadth() };
    let mut tell = |progress: &Progress| {
        assert_eq!(std::thread::current().id(), watched.caller);
        assert!(progress.queue <= progress.distinct);
        // World 100 is found, and one world of this level is not expanded.
        if progress.depth == 2 && progress.queue == Some(2) {
            state.lock().unwrap().told = true;
            news.notify_all();
        }
    };
    let found = search.run(&&watched, &[], &mut (), &mut tell);
    assert_eq!(counts(&found), [Some(22), Some(41), Some(3), Some(0)]);
    assert!(state.lock().unwrap().told);
}

fn internal<'a>(found: &'a Found, text: &str) -> &'a Found {
    match &found.verdict {
        Verdict::Error(Error::Internal(why)) if why.contains(text) => found,
        other => panic!("no internal error with \"{text}\": {other:?}"),
    }
}

/// What any number of workers finds, which must be the same.
fn found_by_all(system: &impl System, properties: &[Property]) -> Found {
    let all = ways().map(|(workers, shuffle)| {
        (run(&way(workers, shuffle), system, properties), (workers, shuffle))
    });
    all.reduce(|first, next| {
        assert_eq!(first.0, next.0, "{:?}", next.1);
        first
    })
    .unwrap()
    .0
}

#[test]
fn a_panic_is_an_error_at_the_first_place_where_it_happens() {
    let applying = |_: usize, world: u8| {
        assert!(world % 10 != 7, "seven");
        Ok(())
    };
    let watched = Watched { applying: &applying, ..Watched::new(fan(60)) };
    let found = found_by_all(&&watched, &[]);
    let trace = internal(&found, "seven").trace.as_ref().unwrap();
    assert_eq!(trace.labels.last().unwrap().action.argument, 7);
    // 61 worlds at the end of level 1, and world 100 from world 1.
    assert_eq!(counts(&found), [Some(62), Some(67), Some(3), Some(54)]);

    let panics =
        invariant("calm", |world| if world == 44 { panic!("in a property") } else { true });
    let found = found_by_all(&&Watched::new(fan(60)), &[panics]);
    assert_eq!(internal(&found, "in a property").trace_len, Some(2));
    assert_eq!(counts(&found), [Some(45), Some(45), Some(2), Some(43)]);
}

#[test]
fn a_worker_that_cannot_be_made_is_an_error() {
    let making = |number: usize| match number {
        2 | 5 => Err(fault().into()),
        _ => Ok(()),
    };
    let watched = Watched { making: &making, ..Watched::new(fan(60)) };
    let found = run(&Search { workers: 8, ..breadth() }, &&watched, &[]);
    assert_eq!((found.verdict, found.distinct), (Verdict::Error(fault()), None));
    assert_eq!(watched.dropped.load(Ordering::Relaxed), 6);
    let making = |number: usize| match number {
        1 => panic!("not me"),
        _ => Ok(()),
    };
    let watched = Watched { making: &making, ..Watched::new(fan(60)) };
    internal(&run(&Search { workers: 3, ..breadth() }, &&watched, &[]), "not me");
}

#[test]
fn a_panic_of_the_caller_leaves_no_worker_behind() {
    struct Faint;
    impl Observer for Faint {
        fn stored(&mut self, world: &[u8]) {
            assert!(world[0] != 9, "faint");
        }
    }
    let watched = Watched::new(fan(60));
    let search = Search { workers: 3, ..breadth() };
    let searching = || search.run(&&watched, &[], &mut Faint, &mut |_| ());
    assert!(catch_unwind(AssertUnwindSafe(searching)).is_err());
    assert_eq!(watched.dropped.load(Ordering::Relaxed), 3);
}

#[test]
fn an_interrupt_ends_the_work_of_all() {
    for workers in NUMBERS {
        let stop = AtomicBool::new(false);
        let applying = |_: usize, world: u8| {
            stop.fetch_or(world == 30, Ordering::Relaxed);
            Ok(())
        };
        let watched = Watched { applying: &applying, ..Watched::new(fan(99)) };
        let found = run(&Search { workers, ..Search::new(&stop) }, &&watched, &[]);
        assert_eq!((found.verdict, found.bounds), (Verdict::Incomplete, vec!["interrupt".into()]));
        assert_eq!((found.distinct, found.depth), (Some(101), Some(3)));
        // The interrupt comes too late where all of the level is in somebody's hands.
        let left = found.queue_left.unwrap();
        assert!(left >= 1 && (workers > 1 || left == 70), "{left} left by {workers} workers");
    }
}

#[test]
fn an_interrupted_step_hides_no_violation_that_is_known() {
    // World 5 waits for the violation behind it, and is interrupted then.
    let (known, news) = (Arc::new(Mutex::new(false)), Arc::new(Condvar::new()));
    let applying = |_: usize, world: u8| {
        if world != 5 {
            return Ok(());
        }
        wait_for(&known, &news, |known| *known);
        Err(Error::Interrupted.into())
    };
    let watched = Watched { applying: &applying, ..Watched::new(fan(60)) };
    let tell = (Arc::clone(&known), Arc::clone(&news));
    let planted = step("not from fifty", move |old, _| {
        if old == 50 {
            *tell.0.lock().unwrap() = true;
            tell.1.notify_all();
        }
        old != 50
    });
    let found = run(&Search { workers: 2, ..breadth() }, &&watched, &[planted]);
    assert_eq!((found.verdict, found.trace_len), (Verdict::Violated, Some(3)));
    assert_eq!(found.bounds, ["interrupt"], "the counts are not exact");
}
