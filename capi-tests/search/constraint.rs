//! State constraints: a world outside is generated, counted and judged, and then dropped.

use cmc::error::Error;
use cmc::search::{Search, Strategy, Verdict, confirm};

use super::systems::graph::{Graph, constraint, invariant, sometimes, step};
use super::systems::oracle::Planted;
use super::{agrees, breadth, counts, disk_paxos, line, run, walks};
use crate::systems::disk_paxos::Bals;

#[test]
fn a_world_outside_is_generated_and_not_stored() {
    let graph = Graph::plain(&[0, 7, 7], &[(0, 1), (0, 5), (1, 5), (1, 2), (5, 6)]);
    let inside = || constraint("low", |world| world < 5);
    let found = run(&breadth(), &graph, &[inside()]);
    assert_eq!(found.verdict, Verdict::Pass);
    // Three initial ones, two of them outside; 1, 5, 5 again, 2.
    assert_eq!(counts(&found), [Some(3), Some(7), Some(3), Some(0)]);
    // All constraints must hold.
    let found = run(&breadth(), &graph, &[inside(), constraint("one", |world| world < 2)]);
    assert_eq!(counts(&found), [Some(2), Some(7), Some(2), Some(0)]);
}

#[test]
fn a_world_outside_is_held_to_the_invariants_and_the_steps_to_it_are_too() {
    let graph = Graph::plain(&[0], &[(0, 1), (1, 5), (1, 2), (5, 6)]);
    let rules = [
        (invariant("not five", |world| world != 5), "not five"),
        (step("not to five", |_, new| new != 5), "not to five"),
    ];
    for (rule, name) in rules {
        let properties = [constraint("low", |world| world < 5), rule];
        let found = run(&breadth(), &graph, &properties);
        assert_eq!((found.verdict, found.property.as_deref()), (Verdict::Violated, Some(name)));
        assert_eq!((found.trace_len, found.depth), (Some(3), Some(2)));
        assert_eq!((found.distinct, found.queue_left), (Some(2), Some(0)));
        let trace = found.trace.unwrap();
        assert_eq!(confirm(&graph, &properties, &trace, name).unwrap().worlds.len(), 3);
    }
    // What is behind a world outside is not looked at.
    let properties =
        [constraint("low", |world| world < 5), invariant("not six", |world| world != 6)];
    assert_eq!(run(&breadth(), &graph, &properties).verdict, Verdict::Pass);
}

#[test]
fn a_world_outside_reaches_no_sometimes() {
    let graph = Graph::plain(&[0], &[(0, 5)]);
    let properties = [constraint("low", |world| world < 5), sometimes("five", |world| world == 5)];
    let found = run(&breadth(), &graph, &properties);
    assert_eq!((found.verdict, found.unreached), (Verdict::Violated, vec!["five".to_owned()]));
}

#[test]
fn an_initial_world_outside_is_judged_too() {
    let graph = Graph::plain(&[0, 5], &[]);
    let properties =
        [constraint("low", |world| world < 5), invariant("not five", |world| world != 5)];
    let found = run(&breadth(), &graph, &properties);
    assert_eq!((found.verdict, found.trace_len), (Verdict::Violated, Some(1)));
    assert_eq!(found.trace.unwrap().initial, 1);
}

#[test]
fn a_search_without_an_initial_world_inside_is_an_error() {
    for strategy in [Strategy::Breadth, Strategy::Simulate { walks: 1, depth: 1 }] {
        let search = Search { strategy, ..breadth() };
        let found = run(&search, &line(), &[constraint("none", |_| false)]);
        assert!(matches!(found.verdict, Verdict::Error(Error::Model(_))), "{found:?}");
    }
}

#[test]
fn a_walk_judges_the_world_outside_and_ends_there() {
    let properties = [constraint("low", |world| world < 5)];
    let found = run(&walks(1, 100, 1), &line(), &properties);
    assert_eq!((found.generated, found.depth), (Some(6), Some(6)));
    let properties =
        [constraint("low", |world| world < 5), invariant("not five", |world| world != 5)];
    let found = run(&walks(1, 100, 1), &line(), &properties);
    assert_eq!((found.verdict, found.trace_len), (Verdict::Violated, Some(6)));
}

#[test]
fn constrained_graphs_are_searched_as_a_plain_queue_does() {
    let (mut outside, mut broken) = (0, 0);
    for seed in 0..250 {
        let planted = Planted::constrained(seed);
        let expected = planted.explore();
        agrees(&planted, &expected, &planted.properties(), seed);
        let plain = Planted::random(seed).explore();
        outside += u32::from(plain.distinct != expected.distinct);
        broken += u32::from(expected.trace_len > Some(expected.depth));
    }
    assert!(outside > 150, "the constraint leaves something out in only {outside} graphs");
    assert!(broken > 5, "only {broken} violations outside, behind the last level");
}

#[test]
fn constrained_disk_paxos_has_the_counts_of_tlc() {
    let system = disk_paxos((2, 6, 2, Bals::Mod));
    let properties = [system.invariant("Agreement"), system.constraint("LowBal")];
    let found = run(&breadth(), &system, &properties);
    assert_eq!(found.verdict, Verdict::Pass, "DP50");
    assert_eq!(counts(&found), [7204, 15464, 29, 0].map(Some), "DP50");
    let properties = [system.invariant("LowBal"), system.constraint("LowBal")];
    let found = run(&breadth(), &system, &properties);
    assert_eq!((found.property.as_deref(), found.trace_len), (Some("LowBal"), Some(6)), "DP51");
    assert_eq!(counts(&found), [135, 191, 6, 63].map(Some), "DP51");
}
