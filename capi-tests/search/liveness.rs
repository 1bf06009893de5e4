//! What must come true in every fair run, decided exactly behind a complete search.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use cmc::action::Kind;
use cmc::error::Error;
use cmc::property::Property;
use cmc::search::{Found, Liveness, Search, Strategy, Verdict, confirm, follow, replay};
use cmc::system::{Breach, Stop};
use cmc::trace::{Trace, TraceFile};

use super::systems::graph::{Graph, Then, constraint, eventually, invariant, sometimes};
use super::systems::rounds::{FAIR, Rounds};
use super::{Fickle, breadth, counts, divergence, line, run, trace_file, violations};

/// That the world `goal` is reached, fair to deliveries and timers.
pub(super) fn reaches(goal: u8) -> Property {
    eventually("arrives", &FAIR, move |world| world == goal)
}

pub(super) fn deliver(graph: &mut Graph, arcs: &[(u8, u8)]) {
    for &(from, to) in arcs {
        graph.arc(from, Kind::Deliver, u32::from(to), Then::Go(to));
    }
}

/// Hold a counterexample against the graph: it never meets the property, and it ends where nothing
/// is possible but faults or goes round fairly.
pub(super) fn proves(graph: &Graph, properties: &[Property], found: &Found) {
    let trace = found.trace.as_ref().unwrap();
    let run = confirm(graph, properties, trace, found.property.as_ref().unwrap()).unwrap();
    assert_eq!(found.trace_len, Some(trace.states()));
    assert_eq!(found.violations.len() as u64, found.violation_count);
    assert_eq!(
        (found.violations[0].lasso, &found.violations[0].why),
        (found.lasso, found.why.as_ref().unwrap())
    );
    let last = run.worlds.last().unwrap();
    match found.lasso {
        None => {
            let arcs = graph.arcs.get(&last[0]).into_iter().flatten();
            let faults = [Kind::Drop, Kind::Dup, Kind::Crash];
            assert!(arcs.into_iter().all(|(action, _)| faults.contains(&action.kind)));
        }
        Some(lasso) => {
            assert_eq!(&run.worlds[lasso], last);
            assert!(lasso < trace.labels.len(), "a round has a step");
        }
    }
}

#[test]
fn what_comes_true_on_every_run_is_a_pass() {
    let found = run(&breadth(), &line(), &[eventually("nine", &[], |world| world == 9)]);
    assert_eq!((&found.verdict, found.liveness), (&Verdict::Pass, Some(Liveness::Exact)));
    assert_eq!(
        counts(&found),
        counts(&run(&breadth(), &line(), &[])),
        "the counts are the search's"
    );
    assert_eq!(run(&breadth(), &line(), &[]).liveness, None);
    // True at once counts, whatever comes behind.
    let found = run(&breadth(), &line(), &[eventually("zero", &[], |world| world == 0)]);
    assert_eq!(found.verdict, Verdict::Pass);
}

#[test]
fn a_run_that_ends_before_it_comes_true_is_a_violation() {
    let graph = Graph::plain(&[0], &[(0, 1), (0, 2), (1, 3), (2, 4), (4, 9)]);
    let properties = [reaches(9)];
    let found = run(&breadth(), &graph, &properties);
    assert_eq!((&found.verdict, found.property.as_deref()), (&Verdict::Violated, Some("arrives")));
    assert_eq!((found.trace_len, found.lasso), (Some(3), None));
    assert_eq!(found.liveness, Some(Liveness::Exact));
    assert!(found.why.as_ref().unwrap().contains("nothing need happen in the last state"));
    proves(&graph, &properties, &found);
    // Behind a world where it is true nothing matters.
    let graph = Graph::plain(&[0], &[(0, 9), (9, 3), (3, 3)]);
    assert_eq!(run(&breadth(), &graph, &properties).verdict, Verdict::Pass);
}

/// The labels of the first arcs from 0 through `targets`.
pub(super) fn labels(graph: &Graph, targets: &[u8]) -> Vec<cmc::action::Label> {
    let mut world = 0;
    let arc = |&to: &u8| {
        let arcs = &graph.arcs[&world];
        let arc = arcs.iter().find(|(_, then)| matches!(then, Then::Go(end) if *end == to));
        world = to;
        cmc::action::Label::plain(arc.unwrap().0)
    };
    targets.iter().map(arc).collect()
}

#[test]
fn a_round_that_is_fair_is_a_violation() {
    // 1 and 2 go round; 2 loses a message that would have led on, and faults need not be fair.
    let mut graph = Graph { initial: vec![0], ..Graph::default() };
    deliver(&mut graph, &[(0, 1), (1, 2), (2, 1)]);
    graph.arc(2, Kind::Drop, 0, Then::Go(9));
    let properties = [reaches(9)];
    let found = run(&breadth(), &graph, &properties);
    assert_eq!((found.verdict.clone(), found.lasso), (Verdict::Violated, Some(1)));
    assert_eq!(found.trace_len, Some(4));
    assert!(found.why.as_ref().unwrap().ends_with("leads back to the state behind step 1"));
    proves(&graph, &properties, &found);
    // Fair to faults too, the run is not fair: but only while the fault stays possible.
    let fair = [Kind::Deliver, Kind::Drop];
    let found = run(&breadth(), &graph, &[eventually("arrives", &fair, |world| world == 9)]);
    assert_eq!(found.verdict, Verdict::Violated, "in 1 there is nothing to lose");
    graph.arc(1, Kind::Drop, 0, Then::Go(9));
    let found = run(&breadth(), &graph, &[eventually("arrives", &fair, |world| world == 9)]);
    assert_eq!(found.verdict, Verdict::Pass);
}

#[test]
fn a_round_that_puts_off_for_ever_what_stays_possible_is_none() {
    let mut graph = Graph { initial: vec![0], ..Graph::default() };
    graph.arc(0, Kind::Client, 0, Then::Go(1));
    graph.arc(1, Kind::Client, 0, Then::Go(0));
    graph.arc(0, Kind::Fire, 7, Then::Go(9));
    graph.arc(1, Kind::Fire, 7, Then::Go(9));
    assert_eq!(run(&breadth(), &graph, &[reaches(9)]).verdict, Verdict::Pass);
    // Another timer is another event.
    graph.arcs.get_mut(&1).unwrap().pop();
    graph.arc(1, Kind::Fire, 8, Then::Go(9));
    assert_eq!(run(&breadth(), &graph, &[reaches(9)]).verdict, Verdict::Violated);
    // A self-loop is a round; taking the timer there is fair to it.
    let mut graph = Graph { initial: vec![0], ..Graph::default() };
    graph.arc(0, Kind::Fire, 7, Then::Go(0));
    graph.arc(0, Kind::Client, 0, Then::Go(9));
    let found = run(&breadth(), &graph, &[reaches(9)]);
    assert_eq!((found.verdict, found.lasso), (Verdict::Violated, Some(0)));
    assert!(found.why.unwrap().ends_with("leads back to the first state"));
}

#[test]
fn actions_with_one_fairness_number_are_one_event() {
    // The message to be delivered is called 7 in one world and 8 in the other.
    let mut graph = Graph { initial: vec![0], ..Graph::default() };
    graph.arc(0, Kind::Client, 0, Then::Go(1));
    graph.arc(1, Kind::Client, 0, Then::Go(0));
    graph.arc(0, Kind::Deliver, 7, Then::Go(9));
    graph.arc(1, Kind::Deliver, 8, Then::Go(9));
    let properties = [reaches(9)];
    assert_eq!(run(&breadth(), &graph, &properties).verdict, Verdict::Violated);
    graph.fairness = [(7, 1), (8, 1)].into();
    assert_eq!(run(&breadth(), &graph, &properties).verdict, Verdict::Pass);
    // Taking either is fair to both.
    graph.arc(1, Kind::Deliver, 7, Then::Go(0));
    let found = run(&breadth(), &graph, &properties);
    assert_eq!(found.verdict, Verdict::Violated);
    proves(&graph, &properties, &found);
}

#[test]
fn the_round_that_is_shown_is_fair_by_itself() {
    // The client goes round 0 and 1, where the timer 7 is always armed: it runs out in 2 only, which
    // the round has to visit; and timer 8 is not armed in 3, which it has to visit too.
    let mut graph = Graph { initial: vec![0], ..Graph::default() };
    for world in 0..4 {
        graph.arc(world, Kind::Client, 0, Then::Go((world + 1) % 2));
        graph.arc(world, Kind::Client, 1, Then::Go(2));
        graph.arc(world, Kind::Client, 2, Then::Go(3));
        graph.arc(world, Kind::Fire, 7, Then::Go(if world == 2 { 0 } else { 9 }));
        if world != 3 {
            graph.arc(world, Kind::Fire, 8, Then::Go(9));
        }
    }
    let properties = [reaches(9)];
    let found = run(&breadth(), &graph, &properties);
    assert_eq!((&found.verdict, found.lasso), (&Verdict::Violated, Some(0)));
    proves(&graph, &properties, &found);
    let worlds = follow(&graph, found.trace.as_ref().unwrap()).unwrap().worlds;
    assert!(worlds.contains(&vec![2]) && worlds.contains(&vec![3]), "{worlds:?}");
    // Without 3 no round is fair.
    for world in 0..4 {
        graph
            .arcs
            .get_mut(&world)
            .unwrap()
            .retain(|(action, _)| (action.kind, action.argument) != (Kind::Client, 2));
    }
    assert_eq!(run(&breadth(), &graph, &properties).verdict, Verdict::Pass);
}

#[test]
fn a_counterexample_that_proves_nothing_is_a_divergence() {
    let mut graph = Graph { initial: vec![0], ..Graph::default() };
    deliver(&mut graph, &[(0, 1), (1, 0), (1, 9)]);
    graph.arc(0, Kind::Fire, 0, Then::Go(9));
    graph.arc(1, Kind::Fire, 0, Then::Go(9));
    let properties = [reaches(9)];
    let trace = |targets: &[u8]| Trace { initial: 0, labels: labels(&graph, targets) };
    for (targets, said) in [
        (&[1, 0][..], "never done"),
        (&[1, 9], "comes true, in the state behind step 2"),
        (&[1], "something is possible there"),
    ] {
        let confirmed = confirm(&graph, &properties, &trace(targets), "arrives");
        let Err(Error::Divergence(text)) = confirmed else { panic!("{confirmed:?}") };
        assert!(text.contains(said), "{text}");
    }
}

#[test]
fn a_counterexample_is_replayed_from_its_file() {
    let mut graph = Graph { initial: vec![0], ..Graph::default() };
    deliver(&mut graph, &[(0, 1), (1, 2), (2, 1)]);
    let properties = [reaches(9)];
    let found = run(&breadth(), &graph, &properties);
    let file = trace_file(&graph, &found);
    let again = replay(&graph, &properties, &file);
    assert_eq!((&again.verdict, &again.property), (&found.verdict, &found.property));
    assert_eq!((again.lasso, &again.violations), (found.lasso, &found.violations));
    assert_eq!((again.trace, again.why), (found.trace, found.why));
    let short = TraceFile { steps: file.steps[..2].to_vec(), ..file };
    assert!(divergence(&replay(&graph, &properties, &short)).contains("may"));
}

#[test]
fn the_first_that_never_comes_true_is_reported_or_all_when_asked() {
    let properties = [
        eventually("nine", &[], |world| world == 9),
        eventually("ten", &[], |world| world == 10),
        eventually("eleven", &[], |world| world == 11),
    ];
    let found = run(&breadth(), &line(), &properties);
    assert_eq!(violations(&found), [("ten".to_owned(), 10)]);
    let found = run(&Search { keep_going: true, ..breadth() }, &line(), &properties);
    assert_eq!(violations(&found), [("ten".to_owned(), 10), ("eleven".to_owned(), 10)]);
    assert_eq!(found.violation_count, 2);
}

#[test]
fn a_search_that_found_something_wrong_decides_nothing() {
    let never = || eventually("ten", &[], |world| world == 10);
    let found = run(&breadth(), &line(), &[never(), invariant("low", |world| world < 9)]);
    assert_eq!((found.property.as_deref(), found.liveness), (Some("low"), None));
    let found = run(&breadth(), &line(), &[never(), sometimes("ten at all", |world| world == 10)]);
    assert_eq!((found.property.as_deref(), found.liveness), (Some("ten at all"), None));
}

#[test]
fn an_incomplete_search_never_decides() {
    let nine = [eventually("nine", &[], |world| world == 9)];
    for search in [
        Search { depth: Some(5), ..breadth() },
        Search { max_states: Some(5), ..breadth() },
        Search { strategy: Strategy::Depth { bound: 5 }, ..breadth() },
        Search { strategy: Strategy::Iterative { bound: 5 }, ..breadth() },
        Search { strategy: Strategy::Simulate { walks: 1, depth: 50 }, ..breadth() },
    ] {
        let found = run(&search, &line(), &nine);
        assert_eq!((found.verdict, found.liveness), (Verdict::Incomplete, None));
        let why = found.why.unwrap();
        assert!(why.ends_with("; only a complete search decides \"nine\""), "{why}");
    }
}

#[test]
fn a_complete_search_depth_first_decides_too() {
    for strategy in [Strategy::Depth { bound: 50 }, Strategy::Iterative { bound: 50 }] {
        let search = Search { strategy, ..breadth() };
        let found = run(&search, &line(), &[reaches(9)]);
        assert_eq!((found.verdict, found.liveness), (Verdict::Pass, Some(Liveness::Exact)));
        assert_eq!(run(&search, &line(), &[reaches(10)]).verdict, Verdict::Violated);
    }
}

#[test]
fn a_constraint_that_cuts_a_run_leaves_it_undecided() {
    let low = || constraint("low", |world| world < 5);
    let found = run(&breadth(), &line(), &[low(), reaches(9)]);
    assert_eq!((found.verdict, found.liveness), (Verdict::Incomplete, None));
    assert!(found.why.unwrap().contains("a state constraint cuts runs on which \"arrives\""));
    // Not where it is true outside, or before.
    assert_eq!(run(&breadth(), &line(), &[low(), reaches(5)]).verdict, Verdict::Pass);
    assert_eq!(run(&breadth(), &line(), &[low(), reaches(4)]).verdict, Verdict::Pass);
    // What is found inside is real.
    let mut graph = line();
    graph.arc(3, Kind::Deliver, 0, Then::Go(20));
    graph.arc(20, Kind::Deliver, 0, Then::Go(21));
    let low = || constraint("low", |world| !(5..=15).contains(&world));
    let properties = [low(), reaches(9)];
    let found = run(&breadth(), &graph, &properties);
    assert_eq!((&found.verdict, found.trace_len), (&Verdict::Violated, Some(6)));
    proves(&graph, &properties, &found);
    // An initial world outside is a run that is cut, too.
    let graph = Graph::plain(&[9, 7], &[]);
    let found = run(&breadth(), &graph, &[reaches(9), constraint("not 7", |world| world != 7)]);
    assert_eq!(found.verdict, Verdict::Incomplete);
}

#[test]
fn a_property_that_cannot_be_read_is_an_error() {
    let holds = |view: &cmc::world::View<'_>| match view.world[0] {
        3 => Err(Error::Property { name: "arrives".into(), text: "no such field".into() }),
        world => Ok(world == 9),
    };
    let rule = cmc::property::Rule::Eventually {
        holds: Box::new(holds),
        fair: cmc::property::Kinds::DEFAULT,
    };
    let found = run(&breadth(), &line(), &[Property { name: "arrives".into(), rule }]);
    assert!(matches!(found.verdict, Verdict::Error(Error::Property { .. })));
    assert_eq!((found.property.as_deref(), found.distinct), (Some("arrives"), Some(10)));
}

#[test]
fn a_step_that_breaks_a_rule_only_when_it_is_repeated_is_a_divergence() {
    let (graph, applied, patience) = (line(), AtomicU64::new(0), 9);
    let then = |_: &mut Vec<u8>| {
        let (property, why) = ("exit".into(), "status 1".into());
        Err(Stop::Violated(Breach { property, why }))
    };
    let fickle = Fickle { graph, applied, patience, then };
    let found = run(&breadth(), &fickle, &[eventually("nine", &[], |world| world == 9)]);
    assert!(divergence(&found).contains("was repeated broke \"exit\""), "{found:?}");
}

#[test]
fn more_worlds_than_the_search_stored_are_a_divergence() {
    // All three steps of 0 end in 1 at first, and in three worlds when they are made again.
    let mut graph = Graph { initial: vec![0], ..Graph::default() };
    (0..3).for_each(|argument| graph.arc(0, Kind::Action, argument, Then::Go(1)));
    static MADE: AtomicU8 = AtomicU8::new(100);
    let then = |next: &mut Vec<u8>| {
        next[0] = MADE.fetch_add(1, Ordering::Relaxed);
        Ok(())
    };
    let fickle = Fickle { graph, applied: AtomicU64::new(0), patience: 3, then };
    let found = run(&breadth(), &fickle, &[eventually("one", &[], |world| world == 1)]);
    assert!(divergence(&found).contains("lead to others than before"), "{found:?}");
}

#[test]
fn small_graphs_are_decided_as_by_looking_at_every_set_of_worlds() {
    let (mut verdicts, mut lassos) = ([0; 3], 0);
    for seed in 0..4000 {
        let mut rounds = Rounds::random(seed);
        let goals = rounds.holds.clone();
        let mut properties =
            vec![eventually("arrives", &FAIR, move |world| goals.contains(&world))];
        if seed % 3 == 0 {
            rounds.outside = vec![(seed / 3 % 8) as u8];
            let outside = rounds.outside.clone();
            properties.push(constraint("inside", move |world| !outside.contains(&world)));
        }
        if rounds.graph.initial.iter().all(|world| rounds.outside.contains(world)) {
            continue;
        }
        let (never, cut) = rounds.explore();
        let found = run(&breadth(), &rounds.graph, &properties);
        let expected = match (never, cut) {
            (true, _) => Verdict::Violated,
            (false, true) => Verdict::Incomplete,
            (false, false) => Verdict::Pass,
        };
        assert_eq!(found.verdict, expected, "graph {seed}");
        verdicts[usize::from(never) + 2 * usize::from(cut && !never)] += 1;
        if never {
            proves(&rounds.graph, &properties, &found);
            fair_by_itself(&rounds, &found);
            lassos += u32::from(found.lasso.is_some());
        }
        for (workers, shuffle) in [(3, None), (1, Some(1)), (2, Some(2))] {
            let again = run(&Search { workers, shuffle, ..breadth() }, &rounds.graph, &properties);
            assert_eq!(again, found, "graph {seed}, {workers} workers");
        }
    }
    assert!(verdicts.iter().all(|&count| count > 50) && lassos > 300, "{verdicts:?}, {lassos}");
}

/// The round that is shown, and nothing else of its component, is fair.
fn fair_by_itself(rounds: &Rounds, found: &Found) {
    let Some(lasso) = found.lasso else { return };
    let trace = found.trace.as_ref().unwrap();
    let worlds = follow(&rounds.graph, trace).unwrap().worlds;
    let taken: BTreeSet<_> = trace.labels[lasso..]
        .iter()
        .map(|label| (label.action.kind, label.action.argument))
        .collect();
    let everywhere = worlds[lasso..]
        .iter()
        .map(|world| rounds.enabled(world[0]))
        .reduce(|one, other| &one & &other)
        .unwrap();
    assert!(everywhere.is_subset(&taken), "{everywhere:?} against {taken:?}");
    assert!(worlds.iter().all(|world| !rounds.holds.contains(&world[0])));
}
