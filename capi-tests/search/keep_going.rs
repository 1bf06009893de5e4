//! A search that keeps going reports every violation and explores everything.

use cmc::action::Kind;
use cmc::error::Error;
use cmc::search::{Search, Verdict, confirm, confirm_among, replay};
use cmc::trace::{Checked, Step, TraceFile};

use super::systems::disk_paxos::Bals;
use super::systems::graph::{Graph, Then, constraint, invariant, sometimes, step};
use super::systems::oracle::Planted;
use super::{agrees, breadth, counts, disk_paxos, line, run, violations, walks};

fn going() -> Search<'static> {
    Search { keep_going: true, ..breadth() }
}

fn named(violations: &[(&str, u64)]) -> Vec<(String, u64)> {
    violations.iter().map(|(name, states)| (name.to_string(), *states)).collect()
}

#[test]
fn a_violating_world_is_reported_stored_and_expanded() {
    let properties = [
        invariant("even", |world| world % 2 == 0),
        invariant("not three", |world| world != 3),
        sometimes("three", |world| world == 3),
    ];
    let found = run(&going(), &line(), &properties);
    assert_eq!(found.verdict, Verdict::Violated);
    assert_eq!(counts(&found), counts(&run(&breadth(), &line(), &[])));
    // Only the first broken invariant of a world is named; it reaches what it reaches all the same.
    let expected = [("even", 2), ("even", 4), ("even", 6), ("even", 8), ("even", 10)];
    assert_eq!(violations(&found), named(&expected));
    assert_eq!((found.violation_count, found.unreached), (5, vec![]));
    assert_eq!((found.property.as_deref(), found.trace_len), (Some("even"), Some(2)));
}

#[test]
fn a_step_that_breaks_a_rule_is_reported_each_time() {
    let mut graph = Graph::plain(&[0], &[(0, 1), (1, 2), (2, 1), (2, 2)]);
    graph.arc(1, Kind::Crash, 0, Then::Break("exit"));
    let properties = [
        step("up", |old, new| old < new),
        invariant("not two", |world| world != 2),
        step("not to two", |_, new| new != 2),
    ];
    let found = run(&going(), &graph, &properties);
    // World 2 first, then the step to it; of a step the first rule; a step that stops.
    let expected = [("not two", 3), ("not to two", 3), ("exit", 3), ("up", 4), ("up", 4)];
    assert_eq!(violations(&found), named(&expected));
    assert_eq!(counts(&found), [3, 6, 3, 0].map(Some));
}

#[test]
fn a_world_outside_the_constraint_is_reported_each_time_it_is_generated() {
    let graph = Graph::plain(&[0, 9], &[(0, 1), (0, 9), (1, 9), (1, 2)]);
    let properties =
        [constraint("low", |world| world < 9), invariant("not nine", |world| world < 9)];
    let found = run(&going(), &graph, &properties);
    let expected = [("not nine", 1), ("not nine", 2), ("not nine", 3)];
    assert_eq!(violations(&found), named(&expected));
    assert_eq!(counts(&found), [3, 6, 3, 0].map(Some));
}

#[test]
fn an_initial_world_that_breaks_a_rule_does_not_end_the_search() {
    let graph = Graph::plain(&[0, 1, 2], &[(0, 3), (2, 4)]);
    let found = run(&going(), &graph, &[invariant("zero", |world| world == 0)]);
    let expected = [("zero", 1), ("zero", 1), ("zero", 2), ("zero", 2)];
    assert_eq!(violations(&found), named(&expected));
    assert_eq!(counts(&found), [5, 5, 2, 0].map(Some));
    assert_eq!((found.trace_len, found.trace.unwrap().initial), (Some(1), 1));
}

#[test]
fn a_deadlock_ends_the_search_all_the_same() {
    let graph = Graph::plain(&[0], &[(0, 1), (0, 2), (1, 3), (3, 3)]);
    let search = Search { deadlock: true, ..going() };
    let found = run(&search, &graph, &[invariant("not one", |world| world != 1)]);
    assert_eq!(violations(&found), named(&[("not one", 2), ("deadlock", 2)]));
    assert_eq!((found.property.as_deref(), found.distinct), (Some("not one"), Some(4)));
}

#[test]
fn an_error_ends_the_search_and_what_was_broken_before_is_told() {
    let mut graph = Graph::plain(&[0], &[(0, 1), (1, 2)]);
    graph.arc(2, Kind::Deliver, 0, Then::Fail);
    let found = run(&going(), &graph, &[invariant("not one", |world| world != 1)]);
    assert!(matches!(found.verdict, Verdict::Error(Error::Node { .. })));
    assert_eq!((found.property, found.trace_len), (None, Some(4)));
    assert_eq!(found.violations.len(), 1);
}

#[test]
fn a_bound_that_cuts_is_named_beside_the_violations() {
    let properties = [invariant("low", |world| world < 3)];
    let found = run(&Search { depth: Some(5), ..going() }, &line(), &properties);
    assert_eq!((&found.verdict, found.violation_count), (&Verdict::Violated, 2));
    assert_eq!(found.bounds, ["depth"]);
    // The first world that does not fit is reported, and not stored.
    let found = run(&Search { max_states: Some(5), ..going() }, &line(), &properties);
    assert_eq!((&found.verdict, found.violation_count), (&Verdict::Violated, 3));
    assert_eq!((found.bounds, found.distinct), (vec!["states".to_owned()], Some(5)));
}

#[test]
fn what_is_not_reached_is_among_the_violations() {
    let properties =
        [invariant("not nine", |world| world != 9), sometimes("ten", |world| world == 10)];
    let found = run(&going(), &line(), &properties);
    assert_eq!(violations(&found), named(&[("not nine", 10), ("ten", 0)]));
}

#[test]
fn a_later_violation_is_confirmed_among_others() {
    let properties = [invariant("low", |world| world < 3), step("not to five", |_, new| new != 5)];
    let found = run(&going(), &line(), &properties);
    assert_eq!(violations(&found)[2..4], named(&[("low", 6), ("not to five", 6)]));
    for violation in &found.violations {
        let trace = violation.trace.as_ref().unwrap();
        let run = confirm_among(&line(), &properties, trace, &violation.property).unwrap();
        assert_eq!(run.worlds.len() as u64, trace.states());
        // The first is the only one with nothing on its way or beside it.
        let first = (violation.property.as_str(), trace.states()) == ("low", 4);
        assert_eq!(run.among, !first);
    }
    let last = found.violations.last().unwrap().trace.as_ref().unwrap();
    assert!(matches!(confirm(&line(), &properties, last, "low"), Err(Error::Divergence(_))));
    let other = confirm_among(&line(), &properties, last, "not to five");
    assert!(matches!(other, Err(Error::Divergence(_))));
}

#[test]
fn the_trace_of_a_later_violation_replays_where_it_says_that_it_is_one() {
    let properties = [invariant("low", |world| world < 3), step("not to five", |_, new| new != 5)];
    let found = run(&going(), &line(), &properties);
    for violation in &found.violations[1..] {
        let trace = violation.trace.as_ref().unwrap();
        let steps = trace.labels.iter().map(|label| Step {
            name: line().name(&[], &label.action),
            choices: label.choices.to_vec(),
            note: None,
        });
        let file = TraceFile {
            checked: Checked::Driver { name: "line".into() },
            verdict: "violated".into(),
            property: Some(violation.property.clone()),
            among: true,
            seed: None,
            back: None,
            initial: trace.initial,
            steps: steps.collect(),
        };
        let again = replay(&line(), &properties, &file);
        assert_eq!((&again.verdict, &again.property), (&Verdict::Violated, &file.property));
        assert_eq!(again.trace_len, Some(trace.states()));
        // What it names must still break at its end, and an error is never passed over.
        let other = TraceFile { property: Some("another".into()), ..file.clone() };
        let other = replay(&line(), &properties, &other).verdict;
        assert!(matches!(other, Verdict::Error(Error::Divergence(_))), "{other:?}");
        let alone = replay(&line(), &properties, &TraceFile { among: false, ..file }).verdict;
        assert!(matches!(alone, Verdict::Error(Error::Divergence(_))), "{alone:?}");
    }
}

#[test]
fn all_violations_are_counted_and_the_first_thousand_told() {
    // 200 worlds, each with ten steps that stop.
    let mut graph = Graph::plain(&[0], &[]);
    for world in 0..200 {
        graph.arc(world, Kind::Action, 0, Then::Go(world + 1));
        for argument in 0..10 {
            graph.arc(world, Kind::Crash, argument, Then::Break("exit"));
        }
    }
    for (shuffle, workers) in [(None, 1), (Some(1), 1), (None, 3)] {
        let found = run(&Search { shuffle, workers, ..going() }, &graph, &[]);
        assert_eq!((found.violation_count, found.violations.len()), (2000, 1000));
        assert_eq!(found.violations[999].trace.as_ref().unwrap().states(), 101);
    }
    // The same in one level.
    let mut wide = Graph { initial: (0..200).collect(), ..Graph::default() };
    wide.arcs = graph.arcs;
    for (shuffle, workers) in [(None, 1), (Some(1), 1), (None, 3)] {
        let found = run(&Search { shuffle, workers, ..going() }, &wide, &[]);
        assert_eq!((found.violation_count, found.violations.len()), (2000, 1000));
        assert_eq!(found.violations[999].trace.as_ref().unwrap().initial, 99);
    }
}

#[test]
fn walks_do_not_keep_going() {
    let found = run(&Search { keep_going: true, ..walks(1, 9, 1) }, &line(), &[]);
    assert!(matches!(found.verdict, Verdict::Error(Error::Argument(_))));
}

#[test]
fn graphs_are_searched_on_as_a_plain_queue_does() {
    let mut most = 0;
    for seed in 0..150 {
        for mut planted in
            [Planted::random(seed), Planted::constrained(seed), Planted::ending(seed)]
        {
            planted.keep_going = true;
            let expected = planted.explore();
            agrees(&planted, &expected, &planted.properties(), seed);
            most = most.max(expected.violations.len());
        }
    }
    assert!(most > 10, "at most {most} violations of a graph");
}

#[test]
fn disk_paxos_goes_on_as_tlc_does() {
    type Row = (&'static str, (usize, u8, u8, Bals), &'static str, [u64; 5]);
    // Then trace_len, depth, distinct, generated, violations.
    #[rustfmt::skip]
    let rows: [Row; 7] = [
        ("DP20c", (2, 3, 2, Bals::Mod), "Inv2", [9, 29, 7204, 13416, 208]),
        ("DP22c", (2, 2, 2, Bals::Mod), "NobodyDecides", [11, 21, 900, 1592, 132]),
        ("DP24c", (2, 3, 2, Bals::Mod), "NotAllDecide", [21, 29, 7204, 13416, 52]),
        ("DP27c", (2, 3, 2, Bals::Mod), "RegAgreement", [13, 29, 7204, 13416, 256]),
        ("DP29c", (2, 1, 2, Bals::All), "Agreement", [21, 21, 2808, 5821, 6]),
        // TLC numbers no trace of an initial state; the first with a number has 2.
        ("DP32c", (2, 2, 2, Bals::Mod), "InputsEqual", [1, 21, 900, 1592, 302]),
        ("DP33c", (2, 4, 2, Bals::Mod), "HigherDecides", [23, 37, 38308, 71656, 272]),
    ];
    for (id, constants, name, numbers) in rows {
        let system = disk_paxos(constants);
        for workers in [1, 3] {
            let search = Search { workers, ..going() };
            let found = run(&search, &system, &[system.invariant(name)]);
            assert_eq!((&found.verdict, found.queue_left), (&Verdict::Violated, Some(0)), "{id}");
            let counts = [found.trace_len, found.depth, found.distinct, found.generated];
            assert_eq!(counts, [numbers[0], numbers[1], numbers[2], numbers[3]].map(Some), "{id}");
            assert_eq!(found.violation_count, numbers[4], "{id}");
        }
    }
}
