//! What never comes true where a search is not complete: random walks suspect, and never prove.

use std::sync::atomic::AtomicBool;

use cmc::action::Kind;
use cmc::error::Error;
use cmc::property::Property;
use cmc::search::{Found, Liveness, Search, Strategy, Suspicion, Verdict, Walks, follow};

use super::systems::graph::{Graph, Then, constraint, eventually, invariant, terminal};
use super::{breadth, line, run, walks};

fn looking(walks: u64, length: u64) -> Search<'static> {
    let liveness = Some(Walks { walks, length });
    Search { depth: Some(3), liveness, ..breadth() }
}

fn reaches(goal: u8) -> Property {
    eventually("arrives", &[Kind::Action], move |world| world == goal)
}

/// 0 to 4 in a row that may start anew at any time; from 4 either to 9, and round for ever through
/// 5 and 6, or into the trap of 7 and 8.
fn trap() -> Graph {
    let arcs = [(0, 1), (1, 2), (2, 3), (3, 4), (1, 0), (2, 0), (3, 0), (4, 5), (5, 6), (6, 9)];
    let mut graph = Graph::plain(&[0], &arcs);
    graph.arc(4, Kind::Crash, 0, Then::Go(7));
    graph.arc(7, Kind::Action, 0, Then::Go(8));
    graph.arc(8, Kind::Action, 0, Then::Go(7));
    graph.arc(9, Kind::Action, 0, Then::Go(9));
    graph
}

fn suspicion(found: &Found) -> &Suspicion {
    assert_eq!((&found.verdict, found.liveness), (&Verdict::Incomplete, Some(Liveness::Walks)));
    assert_eq!((found.violation_count, &found.trace), (0, &None));
    found.suspicions.first().expect("there is one")
}

#[test]
fn a_walk_that_never_makes_it_true_is_a_suspicion_with_its_critical_step() {
    let found = run(&looking(20, 200), &trap(), &[reaches(9)]);
    let suspicion = suspicion(&found);
    assert_eq!((suspicion.property.as_str(), suspicion.length), ("arrives", 200));
    assert!(suspicion.tried > 0 && suspicion.trace.labels.len() >= 200);
    let critical = suspicion.critical.unwrap() as usize;
    assert_eq!(suspicion.trace.labels[critical - 1].action.kind, Kind::Crash, "4 to 7");
    let worlds = follow(&trap(), &suspicion.trace).unwrap().worlds;
    assert_eq!((worlds[critical - 1][0], worlds[critical][0]), (4, 7));
    assert!(worlds.iter().all(|world| world[0] != 9));
    let why = found.why.unwrap();
    assert!(why.contains("\"arrives\" came true on no walk of 200 steps: a suspicion"), "{why}");
}

#[test]
fn a_suspicion_depends_on_the_seed_alone() {
    let first = run(&looking(20, 200), &trap(), &[reaches(9)]);
    for (workers, shuffle) in [(1, Some(1)), (3, None), (2, Some(5))] {
        let again = Search { workers, shuffle, ..looking(20, 200) };
        assert_eq!(run(&again, &trap(), &[reaches(9)]), first);
    }
    let other = run(&Search { seed: 1, ..looking(20, 200) }, &trap(), &[reaches(9)]);
    assert_ne!(other.suspicions, first.suspicions);
}

#[test]
fn what_no_walk_makes_true_from_the_first_state_on_has_no_critical_step() {
    let found = run(&looking(5, 100), &trap(), &[reaches(77)]);
    assert_eq!(suspicion(&found).critical, None);
    assert_eq!(found.suspicions.len(), 1, "once for each property");
}

#[test]
fn a_walk_that_was_merely_too_short_is_no_suspicion() {
    // The walks are as long as the row, and come to its end only when they begin behind the start.
    let found = run(&looking(30, 5), &line(), &[reaches(5)]);
    assert_eq!((&found.verdict, found.liveness), (&Verdict::Incomplete, Some(Liveness::Walks)));
    assert!(found.suspicions.is_empty());
    assert_eq!(found.why.as_deref(), Some("the bound on depth cut the search"));
    assert!(run(&looking(30, 4), &line(), &[reaches(5)]).suspicions.is_empty());
}

#[test]
fn a_walk_that_ends_before_it_came_true_is_a_violation() {
    let found = run(&looking(5, 100), &line(), &[reaches(77)]);
    assert_eq!((&found.verdict, found.property.as_deref()), (&Verdict::Violated, Some("arrives")));
    assert_eq!((found.trace_len, found.lasso), (Some(10), None));
    assert_eq!((found.bounds, found.violation_count), (vec!["depth".to_owned()], 1));
    assert_eq!(found.distinct, Some(3), "the counts are the search's");
}

#[test]
fn what_a_walk_breaks_is_a_violation() {
    let low = invariant("low", |world| world < 7);
    let found = run(&looking(5, 100), &line(), &[reaches(77), low]);
    assert_eq!((found.verdict, found.property.as_deref()), (Verdict::Violated, Some("low")));
    assert_eq!(found.trace_len, Some(8));
    let search = Search { deadlock: true, ..looking(5, 100) };
    let found = run(&search, &line(), &[reaches(77)]);
    assert_eq!(found.property.as_deref(), Some("deadlock"));
    let found = run(&search, &line(), &[reaches(77), terminal("nine", |world| world == 9)]);
    assert_eq!(found.property.as_deref(), Some("arrives"));
    let mut graph = line();
    graph.arc(9, Kind::Deliver, 0, Then::Fail);
    let found = run(&looking(5, 100), &graph, &[reaches(77)]);
    assert!(matches!(found.verdict, Verdict::Error(Error::Node { .. })));
}

#[test]
fn a_walk_that_leaves_the_constraint_says_nothing() {
    let low = constraint("low", |world| world < 5);
    let found = run(&looking(5, 100), &line(), &[reaches(77), low]);
    assert_eq!((found.verdict, found.liveness), (Verdict::Incomplete, Some(Liveness::Walks)));
    assert!(found.suspicions.is_empty());
}

#[test]
fn walks_begin_in_stored_worlds_too() {
    // From 0 chance leads into the side path; the trap behind 20 is reached from stored worlds only.
    let mut graph = Graph { initial: vec![0], ..Graph::default() };
    for argument in 0..200 {
        graph.arc(0, Kind::Action, argument, Then::Go(9));
    }
    graph.arc(0, Kind::Crash, 0, Then::Go(20));
    graph.arc(20, Kind::Action, 0, Then::Go(21));
    graph.arc(21, Kind::Action, 0, Then::Go(20));
    graph.arc(9, Kind::Action, 0, Then::Go(9));
    for strategy in [Strategy::Breadth, Strategy::Depth { bound: 2 }] {
        let search = Search { strategy, depth: Some(2), ..looking(20, 30) };
        let found = run(&search, &graph, &[reaches(9)]);
        assert_eq!(suspicion(&found).critical, Some(1), "{strategy:?}");
    }
}

#[test]
fn walks_look_behind_a_simulation_and_behind_a_cut_too() {
    let liveness = Some(Walks { walks: 20, length: 100 });
    let found = run(&Search { liveness, ..walks(5, 10, 1) }, &trap(), &[reaches(9)]);
    assert!(suspicion(&found).critical.is_some());
    let properties = [reaches(9), constraint("low", |world| world < 5)];
    let found = run(&Search { liveness, ..breadth() }, &line(), &properties);
    assert_eq!((found.verdict, found.liveness), (Verdict::Incomplete, Some(Liveness::Walks)));
    assert!(found.why.unwrap().contains("a state constraint cuts runs"));
}

#[test]
fn a_complete_search_is_not_left_to_walks() {
    let liveness = Some(Walks { walks: 20, length: 100 });
    let found = run(&Search { liveness, ..breadth() }, &trap(), &[reaches(9)]);
    assert_eq!((found.verdict, found.liveness), (Verdict::Violated, Some(Liveness::Exact)));
    assert_eq!((found.suspicions.len(), found.lasso), (0, Some(0)), "0 and 1 go round");
}

#[test]
fn no_walks_and_no_steps_are_no_way_to_look() {
    for (walks, length) in [(0, 5), (5, 0)] {
        let found = run(&looking(walks, length), &line(), &[reaches(9)]);
        assert!(matches!(found.verdict, Verdict::Error(Error::Argument(_))));
    }
}

#[test]
fn an_interrupted_search_is_not_looked_at() {
    let stop = AtomicBool::new(true);
    let search = Search { liveness: Some(Walks { walks: 5, length: 5 }), ..Search::new(&stop) };
    let found = run(&search, &trap(), &[reaches(9)]);
    assert_eq!((found.bounds, found.liveness), (vec!["interrupt".to_owned()], None));
}
