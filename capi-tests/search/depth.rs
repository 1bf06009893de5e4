//! Depth first to a bound, and deepening: what they find is held against breadth first.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use cmc::action::Kind;
use cmc::error::Error;
use cmc::search::{Found, Progress, Search, Strategy, Verdict, confirm, confirm_among, follow};
use cmc::trace::Trace;

use super::systems::disk_paxos::Bals;
use super::systems::graph::{Graph, Then, invariant, sometimes, step};
use super::systems::oracle::Planted;
use super::{Stored, breadth, counts, disk_paxos, line, run, small};

fn depth(bound: u64) -> Search<'static> {
    Search { strategy: Strategy::Depth { bound }, ..breadth() }
}

fn iterative(bound: u64) -> Search<'static> {
    Search { strategy: Strategy::Iterative { bound }, ..breadth() }
}

#[test]
fn a_complete_search_depth_first_stores_what_breadth_first_stores() {
    let broad = run(&breadth(), &small(), &[]);
    let found = run(&depth(100), &small(), &[]);
    assert_eq!((found.verdict, found.distinct), (Verdict::Pass, broad.distinct));
    assert_eq!((found.queue_left, found.depth), (Some(0), Some(3)));
    assert_eq!((found.generated, found.collision.is_some()), (broad.generated, true));
    let system = disk_paxos((2, 3, 2, Bals::Mod));
    let found = run(&depth(1000), &system, &[system.invariant("Agreement")]);
    assert_eq!((found.verdict, found.distinct), (Verdict::Pass, Some(7204)));
    assert_eq!(found.generated, Some(13416), "what is generated again counts once");
}

#[test]
fn the_first_path_is_followed_to_its_end() {
    let graph = Graph::plain(&[0], &[(0, 1), (0, 2), (1, 3), (2, 4), (3, 5)]);
    let mut stored = Stored::default();
    depth(10).run(&graph, &[], &mut stored, &mut |_| ());
    assert_eq!(stored.0, [[0], [1], [2], [3], [5], [4]]);
}

#[test]
fn a_world_that_was_cut_is_expanded_when_it_is_reached_nearer() {
    // 9 is reached through 1, 2 and 3 first, at the bound, and then through 5.
    let arcs = [(0, 1), (0, 5), (1, 2), (2, 3), (3, 9), (5, 9), (9, 10), (10, 11)];
    let graph = Graph::plain(&[0], &arcs);
    let properties = [invariant("not eleven", |world| world != 11)];
    let found = run(&depth(5), &graph, &properties);
    assert_eq!((found.verdict, found.trace_len), (Verdict::Violated, Some(5)));
    let found = run(&depth(5), &graph, &[]);
    assert_eq!((found.verdict, found.distinct), (Verdict::Pass, Some(8)));
    // The same where it was expanded, too deep to get far: 9 and 10 twice.
    let arcs = [(0, 1), (0, 5), (1, 2), (2, 9), (5, 9), (9, 10), (10, 11), (11, 12)];
    let graph = Graph::plain(&[0], &arcs);
    let properties = [invariant("not twelve", |world| world != 12)];
    let found = run(&depth(6), &graph, &properties);
    assert_eq!((found.verdict, found.trace_len), (Verdict::Violated, Some(6)));
    let found = run(&depth(6), &graph, &[]);
    assert_eq!((found.verdict, found.distinct), (Verdict::Pass, Some(8)));
    assert_eq!(found.generated, Some(9), "once, though 9 and 10 are expanded twice");
}

#[test]
fn a_bound_on_the_path_is_incomplete_only_where_it_cuts() {
    for search in [depth, iterative] {
        let found = run(&search(4), &line(), &[]);
        assert_eq!((found.verdict, found.bounds), (Verdict::Incomplete, vec!["depth".to_owned()]));
        assert_eq!((found.distinct, found.depth, found.queue_left), (Some(4), Some(4), Some(1)));
        let found = run(&search(10), &line(), &[]);
        assert_eq!((found.verdict, found.queue_left), (Verdict::Pass, Some(0)));
        let found = run(&Search { depth: Some(4), ..search(10) }, &line(), &[]);
        assert_eq!(found.bounds, ["depth"]);
        for bounded in [search(0), Search { depth: Some(0), ..search(3) }] {
            let found = run(&bounded, &line(), &[]);
            assert!(matches!(found.verdict, Verdict::Error(Error::Argument(_))), "{found:?}");
        }
    }
}

#[test]
fn a_bound_on_states_cuts_depth_first_too() {
    for search in [depth(100), iterative(100)] {
        let bounded =
            |most| Search { max_states: Some(most), strategy: search.strategy, ..breadth() };
        let found = run(&bounded(5), &line(), &[]);
        assert_eq!((found.verdict, found.bounds), (Verdict::Incomplete, vec!["states".to_owned()]));
        assert_eq!(found.distinct, Some(5));
        assert_eq!(run(&bounded(10), &line(), &[]).verdict, Verdict::Pass);
        let found = run(&bounded(5), &line(), &[invariant("not five", |world| world != 5)]);
        assert_eq!((found.verdict, found.distinct), (Verdict::Violated, Some(6)));
        let found = run(&bounded(1), &small(), &[]);
        assert_eq!((found.bounds, found.distinct), (vec!["states".to_owned()], Some(1)));
    }
}

#[test]
fn deepening_counts_the_work_of_all_rounds_and_the_worlds_of_the_last() {
    let found = run(&iterative(100), &line(), &[invariant("not three", |world| world != 3)]);
    assert_eq!((&found.verdict, found.trace_len), (&Verdict::Violated, Some(4)));
    // One initial world; 0, 1, 2 and 3 steps.
    assert_eq!(counts(&found), [4, 7, 4, 1].map(Some));
    let found = run(&iterative(100), &line(), &[sometimes("nine", |world| world == 9)]);
    assert_eq!((found.verdict, found.distinct, found.depth), (Verdict::Pass, Some(10), Some(10)));
    let mut stored = Stored::default();
    iterative(100).run(&small(), &[], &mut stored, &mut |_| ());
    stored.0.sort();
    assert_eq!(stored.0, [[0], [1], [2], [3], [4]], "each is shown once");
}

#[test]
fn deepening_does_not_keep_going() {
    let found = run(&Search { keep_going: true, ..iterative(9) }, &line(), &[]);
    assert!(matches!(found.verdict, Verdict::Error(Error::Argument(_))));
}

#[test]
fn an_interrupt_ends_the_search_depth_first() {
    let stop = AtomicBool::new(false);
    let every = Duration::ZERO;
    for strategy in [Strategy::Depth { bound: 100 }, Strategy::Iterative { bound: 100 }] {
        stop.store(false, Ordering::Relaxed);
        let search = Search { strategy, progress_every: every, ..Search::new(&stop) };
        let mut told = |progress: &Progress| {
            assert!(progress.queue <= progress.distinct && progress.walks.is_none());
            stop.store(progress.depth == 4, Ordering::Relaxed);
        };
        let found = search.run(&line(), &[], &mut (), &mut told);
        assert_eq!((found.verdict, found.bounds), (Verdict::Incomplete, vec!["interrupt".into()]));
        assert_eq!((found.distinct, found.queue_left), (Some(4), Some(1)));
    }
}

#[test]
fn an_error_ends_the_search_depth_first() {
    let mut graph = line();
    graph.arc(5, Kind::Deliver, 0, Then::Fail);
    for search in [depth(100), iterative(100)] {
        let found = run(&search, &graph, &[]);
        assert!(matches!(found.verdict, Verdict::Error(Error::Node { .. })), "{found:?}");
        assert_eq!(found.trace_len, Some(7));
    }
    let opaque = Graph { opaque: vec![5], ..line() };
    for search in [depth(100), iterative(100), depth(6)] {
        let found = run(&search, &opaque, &[]);
        assert!(matches!(found.verdict, Verdict::Error(Error::Node { .. })), "{found:?}");
        assert_eq!(found.trace_len, Some(6));
    }
}

/// Whether something is wrong.
fn wrong(found: &Found) -> bool {
    matches!(found.verdict, Verdict::Violated | Verdict::Error(_))
}

fn planted(seed: u64) -> [Planted; 3] {
    [Planted::random(seed), Planted::constrained(seed), Planted::ending(seed)]
}

#[test]
fn what_is_within_the_bound_is_found_depth_first_and_deepening_finds_the_shortest() {
    let mut wrongs = 0;
    for seed in 0..150 {
        for planted in planted(seed) {
            let (graph, properties) = (&planted.graph, planted.properties());
            let deadlock = planted.terminal.is_some();
            for bound in [1, 2, 3, 4, 5, 7, 100] {
                let at = format!("graph {seed}, bound {bound}");
                let broad = Search { deadlock, depth: Some(bound), ..breadth() };
                let broad = run(&broad, graph, &properties);
                let deep = run(&Search { deadlock, ..depth(bound) }, graph, &properties);
                let shortest = run(&Search { deadlock, ..iterative(bound) }, graph, &properties);
                wrongs += u32::from(wrong(&broad));
                for found in [&deep, &shortest] {
                    assert_eq!(wrong(found), wrong(&broad), "{at}");
                    assert!(found.depth <= Some(bound) && found.generated.is_some(), "{at}");
                    if wrong(&broad) {
                        assert!(found.trace_len <= Some(bound), "{at}");
                    } else {
                        assert_eq!(found.verdict, broad.verdict, "{at}");
                        assert_eq!(found.distinct, broad.distinct, "{at}");
                        assert_eq!(found.queue_left, broad.queue_left, "{at}");
                        assert_eq!(found.bounds, broad.bounds, "{at}");
                    }
                    if found.verdict == Verdict::Violated {
                        let property = found.property.as_ref().unwrap();
                        let trace = found.trace.as_ref().unwrap();
                        confirm(graph, &properties, trace, property).expect(&at);
                    }
                }
                if wrong(&broad) {
                    // A deadlock is found by breadth first when its world is expanded, and may come
                    // behind what is a step longer.
                    let states = shortest.trace_len;
                    assert!(states <= broad.trace_len, "{at}");
                    assert!(deadlock || states == broad.trace_len, "{at}");
                }
            }
        }
    }
    assert!(wrongs > 300, "something is wrong in only {wrongs}");
}

#[test]
fn depth_first_goes_on_as_breadth_first_does() {
    let mut compared = 0;
    for seed in 0..150 {
        for planted in planted(seed) {
            let (graph, properties) = (&planted.graph, planted.properties());
            for bound in [2, 4, 6, 100] {
                let broad = Search { keep_going: true, depth: Some(bound), ..breadth() };
                let broad = run(&broad, graph, &properties);
                let deep = run(&Search { keep_going: true, ..depth(bound) }, graph, &properties);
                let errors =
                    [&broad, &deep].map(|found| matches!(found.verdict, Verdict::Error(_)));
                assert_eq!(errors[0], errors[1], "graph {seed}, bound {bound}");
                if errors[0] {
                    continue;
                }
                compared += broad.violation_count;
                assert_eq!(deep.verdict, broad.verdict, "graph {seed}, bound {bound}");
                assert_eq!(deep.violation_count, broad.violation_count, "graph {seed}, {bound}");
                assert_eq!(deep.distinct, broad.distinct, "graph {seed}, bound {bound}");
                let sorted = |found: &Found| {
                    let all = found.violations.iter();
                    let mut names: Vec<_> = all.map(|it| it.property.clone()).collect();
                    names.sort();
                    names
                };
                assert_eq!(sorted(&deep), sorted(&broad), "graph {seed}, bound {bound}");
                for violation in &deep.violations {
                    let trace = violation.trace.as_ref().unwrap();
                    confirm_among(graph, &properties, trace, &violation.property).unwrap();
                }
            }
        }
    }
    assert!(compared > 1000, "only {compared} violations");
}

#[test]
fn the_place_of_a_world_leads_to_it_depth_first() {
    for seed in 0..40 {
        let graph = Planted::random(seed).graph;
        for search in [depth(6), iterative(6)] {
            graph.places.lock().unwrap().clear();
            run(&search, &graph, &[step("any", |_, _| true)]);
            let places = graph.places.lock().unwrap().clone();
            for (world, initial, labels) in places.into_values() {
                let run = follow(&graph, &Trace { initial, labels }).unwrap();
                assert_eq!(run.worlds.last().unwrap(), &[world]);
            }
        }
    }
}
