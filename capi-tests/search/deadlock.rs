//! Deadlock as an option: a world without actions that no terminal predicate allows.

use cmc::search::{Search, Verdict, confirm, replay};
use cmc::trace::TraceFile;

use super::systems::disk_paxos::Bals;
use super::systems::graph::{Graph, constraint, invariant, terminal};
use super::systems::oracle::Planted;
use super::{agrees, breadth, counts, disk_paxos, divergence, line, run, trace_file, walks};

fn strict() -> Search<'static> {
    Search { deadlock: true, ..breadth() }
}

#[test]
fn a_world_without_actions_is_a_deadlock_only_when_asked() {
    assert_eq!(run(&breadth(), &line(), &[]).verdict, Verdict::Pass);
    let found = run(&strict(), &line(), &[]);
    assert_eq!(found.verdict, Verdict::Violated);
    assert_eq!(found.property.as_deref(), Some("deadlock"));
    assert_eq!((found.trace_len, found.depth), (Some(10), Some(10)));
    assert_eq!(counts(&found), [10, 10, 10, 0].map(Some));
    assert!(found.why.unwrap().starts_with("nothing is possible in the last state"));
}

#[test]
fn a_world_where_a_terminal_predicate_holds_is_no_deadlock() {
    let ends = |last: u8| terminal("ends", move |world| world == last);
    assert_eq!(run(&strict(), &line(), &[ends(9)]).verdict, Verdict::Pass);
    assert_eq!(run(&strict(), &line(), &[ends(8), ends(9)]).verdict, Verdict::Pass);
    assert_eq!(run(&strict(), &line(), &[ends(8)]).property.as_deref(), Some("deadlock"));
}

#[test]
fn a_deadlock_is_found_when_its_world_is_expanded() {
    // World 2 ends; the level behind it is stored up to there, and what it breaks comes first.
    let graph = Graph::plain(&[0], &[(0, 1), (0, 2), (0, 3), (1, 4), (1, 5), (3, 6), (6, 6)]);
    let found = run(&strict(), &graph, &[]);
    assert_eq!((found.trace_len, found.depth), (Some(2), Some(3)));
    assert_eq!(counts(&found), [6, 6, 3, 3].map(Some));
    let found = run(&strict(), &graph, &[invariant("not five", |world| world != 5)]);
    assert_eq!(found.property.as_deref(), Some("not five"));
    let found = run(&strict(), &graph, &[invariant("not six", |world| world != 6)]);
    assert_eq!(found.property.as_deref(), Some("deadlock"));
}

#[test]
fn a_self_loop_and_a_successor_outside_the_constraint_are_no_deadlock() {
    let graph = Graph::plain(&[0], &[(0, 1), (1, 1), (0, 2), (2, 9)]);
    let found = run(&strict(), &graph, &[constraint("low", |world| world < 9)]);
    assert_eq!((found.verdict, found.distinct), (Verdict::Pass, Some(3)));
}

#[test]
fn a_deadlock_at_the_bound_on_depth_is_found_there() {
    let bounded = |depth| run(&Search { depth: Some(depth), ..strict() }, &line(), &[]);
    let found = bounded(10);
    assert_eq!((found.property.as_deref(), found.trace_len), (Some("deadlock"), Some(10)));
    assert_eq!(bounded(9).verdict, Verdict::Incomplete);
    // With several worlds at the bound: the first of them.
    let graph = Graph::plain(&[0], &[(0, 1), (0, 2), (0, 3), (1, 1)]);
    let found = run(&Search { depth: Some(2), ..strict() }, &graph, &[]);
    assert_eq!(found.trace.unwrap().labels[0].action.argument, 2);
    assert_eq!(found.queue_left, Some(2));
}

#[test]
fn a_walk_finds_a_deadlock() {
    let search = Search { deadlock: true, ..walks(1, 100, 1) };
    let found = run(&search, &line(), &[]);
    assert_eq!((found.property.as_deref(), found.trace_len), (Some("deadlock"), Some(10)));
    let ends = [terminal("ends", |world| world == 9)];
    assert_eq!(run(&search, &line(), &ends).verdict, Verdict::Incomplete);
}

#[test]
fn a_deadlock_is_confirmed_and_replayed() {
    let found = run(&strict(), &line(), &[]);
    let trace = found.trace.as_ref().unwrap();
    assert_eq!(confirm(&line(), &[], trace, "deadlock").unwrap().worlds.len(), 10);
    let file = trace_file(&line(), &found);
    assert_eq!(replay(&line(), &[], &file).property.as_deref(), Some("deadlock"));
    // The world before it can go on, and one that may end is none.
    let short = TraceFile { steps: file.steps[..8].to_vec(), ..file.clone() };
    let found = replay(&line(), &[], &short);
    assert!(divergence(&found).contains("\"deadlock\" is not broken"), "{found:?}");
    let found = replay(&line(), &[terminal("ends", |world| world == 9)], &file);
    assert!(divergence(&found).contains("\"deadlock\" is not broken"), "{found:?}");
}

#[test]
fn graphs_with_deadlocks_are_searched_as_a_plain_queue_does() {
    let mut deadlocks = 0;
    for seed in 0..250 {
        let planted = Planted::ending(seed);
        let expected = planted.explore();
        agrees(&planted, &expected, &planted.properties(), seed);
        deadlocks += u32::from(expected.property.as_deref() == Some("deadlock"));
    }
    assert!((30..200).contains(&deadlocks), "{deadlocks} deadlocks");
}

#[test]
fn disk_paxos_runs_out_of_ballots_as_tlc_says() {
    let system = disk_paxos((1, 2, 2, Bals::Mod));
    let found = run(&strict(), &system, &[system.invariant("Agreement")]);
    assert_eq!(found.verdict, Verdict::Pass, "DP40");
    assert_eq!(counts(&found), [18, 20, 9, 0].map(Some), "DP40");
    let system = disk_paxos((2, 2, 2, Bals::Mod));
    let found = run(&strict(), &system, &[system.invariant("Agreement")]);
    assert_eq!((found.property.as_deref(), found.trace_len), (Some("deadlock"), Some(13)), "DP41");
    assert_eq!(counts(&found), [650, 1112, 14, 68].map(Some), "DP41");
}
