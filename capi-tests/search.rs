//! What a search answers, held against counts made by hand, against TLC, and against a plain queue.

#[path = "search/batches.rs"]
mod batches;
#[path = "search/constraint.rs"]
mod constraint;
#[path = "search/deadlock.rs"]
mod deadlock;
#[path = "search/depth.rs"]
mod depth;
#[path = "search/ends.rs"]
mod ends;
#[path = "search/keep_going.rs"]
mod keep_going;
#[path = "search/large.rs"]
mod large;
#[path = "search/liveness.rs"]
mod liveness;
#[path = "search/suspicion.rs"]
mod suspicion;
mod systems;
#[path = "search/together.rs"]
mod together;
#[path = "search/wide.rs"]
mod wide;
#[path = "search/workers.rs"]
mod workers;

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use cmc::action::{Action, ChoiceKind, Kind, Label};
use cmc::error::Error;
use cmc::property::Property;
use cmc::search::{
    Found, Observer, Progress, Search, Strategy, Verdict, confirm, confirm_among, follow, replay,
};
use cmc::system::{Breach, Choice, Position, Stop, System, Told};
use cmc::trace::{Checked, Step, Trace, TraceFile};
use cmc::world::View;

use systems::disk_paxos::{Bals, DiskPaxos};
use systems::graph::{Graph, Then, act, fault, invariant, readable, sometimes, step};
use systems::oracle::{Expected, Planted};

static GO_ON: AtomicBool = AtomicBool::new(false);

fn breadth() -> Search<'static> {
    Search::new(&GO_ON)
}

fn run<S: System>(search: &Search<'_>, system: &S, properties: &[Property]) -> Found {
    search.run(system, properties, &mut (), &mut |_| ())
}

fn counts(found: &Found) -> [Option<u64>; 4] {
    [found.distinct, found.generated, found.depth, found.queue_left]
}

fn trace_file(system: &impl System, found: &Found) -> TraceFile {
    let trace = found.trace.as_ref().expect("it has a trace");
    let steps = trace.labels.iter().map(|label| Step {
        name: system.name(&[], &label.action),
        choices: label.choices.to_vec(),
        note: None,
    });
    TraceFile {
        checked: Checked::Driver { name: "test".into() },
        verdict: "violated".into(),
        property: found.property.clone(),
        among: false,
        seed: None,
        back: None,
        initial: trace.initial,
        steps: steps.collect(),
    }
}

fn divergence(found: &Found) -> &str {
    match &found.verdict {
        Verdict::Error(Error::Divergence(text)) => text,
        other => panic!("no divergence: {other:?}"),
    }
}

/// Five worlds, twelve generated: an initial duplicate, a self-loop, choices that end alike.
fn small() -> Graph {
    let mut graph = Graph { initial: vec![0, 1, 0], ..Graph::default() };
    let crash = |ways| Then::Ask(ChoiceKind::Crash, ways);
    let four = crash(vec![Then::Go(4), Then::Go(4)]);
    graph.arc(0, Kind::Client, 0, crash(vec![Then::Go(2), Then::Go(3)]));
    graph.arc(0, Kind::Action, 0, Then::Go(1));
    graph.arc(1, Kind::Deliver, 0, Then::Go(2));
    graph.arc(1, Kind::Timeout, 0, Then::Go(1));
    let ways = vec![four, Then::Go(3)];
    graph.arc(2, Kind::Accept, 0, Then::Ask(ChoiceKind::Other, ways));
    graph.arc(4, Kind::Restart, 0, Then::Go(0));
    graph
}

#[test]
fn every_action_and_every_choice_is_generated_once_and_counted_in_the_receipts() {
    let found = run(&breadth(), &small(), &[]);
    assert_eq!(found.verdict, Verdict::Pass);
    assert_eq!(counts(&found), [Some(5), Some(12), Some(3), Some(0)]);
    assert_eq!((&found.trace, found.trace_len, &found.why), (&None, None, &None));
    let happened: Vec<_> = found.receipts.of(&Kind::ALL).filter(|(_, count)| *count > 0).collect();
    let expected = [
        (Kind::Accept, 3),
        (Kind::Deliver, 1),
        (Kind::Client, 2),
        (Kind::Timeout, 1),
        (Kind::Crash, 2),
        (Kind::Restart, 1),
        (Kind::Action, 1),
    ];
    assert_eq!(happened, expected);
}

#[test]
fn a_violation_counts_only_what_one_worker_would_have_generated() {
    let properties = [invariant("never four", |world| world != 4)];
    let found = run(&breadth(), &small(), &properties);
    assert_eq!(found.verdict, Verdict::Violated);
    assert_eq!(found.property.as_deref(), Some("never four"));
    assert_eq!(counts(&found), [Some(5), Some(9), Some(3), Some(1)]);
    assert_eq!(found.trace_len, Some(3));
    assert_eq!(found.receipts.count(Kind::Accept), 1);
    let labels = [act(Kind::Client, 0), act(Kind::Accept, 0)].map(Label::plain);
    let labels = labels.to_vec();
    assert_eq!(found.trace, Some(Trace { initial: 0, labels }));
}

#[test]
fn a_label_carries_the_choices_up_to_the_last_that_is_not_zero() {
    let properties = [invariant("never three", |world| world != 3)];
    let found = run(&breadth(), &small(), &properties);
    let label = Label { action: act(Kind::Client, 0), choices: [1].into() };
    assert_eq!(found.trace.unwrap().labels, [label]);
    assert_eq!(found.generated, Some(5));
}

#[test]
fn a_step_that_stops_is_generated_and_ends_the_trace_and_is_not_distinct() {
    let mut graph = small();
    graph.arc(3, Kind::Deliver, 7, Then::Break("signal"));
    let found = run(&breadth(), &graph, &[]);
    assert_eq!(found.verdict, Verdict::Violated);
    assert_eq!(found.property.as_deref(), Some("signal"));
    assert_eq!(found.why.as_deref(), Some("as planted"));
    // World 3 is the last of level 2; world 4 of level 3 is stored before.
    assert_eq!(counts(&found), [Some(5), Some(12), Some(3), Some(1)]);
    assert_eq!(found.trace_len, Some(3));
    let last = found.trace.unwrap().labels.pop().unwrap();
    assert_eq!(last.action, act(Kind::Deliver, 7));
}

#[test]
fn a_step_property_is_checked_on_transitions_to_known_worlds() {
    let found =
        run(&breadth(), &small(), &[step("one stays not", |old, new| (old, new) != (1, 1))]);
    assert_eq!(found.property.as_deref(), Some("one stays not"));
    assert_eq!(counts(&found), [Some(4), Some(8), Some(2), Some(2)]);
    assert_eq!((found.trace_len, found.trace.unwrap().initial), (Some(2), 1));
}

#[test]
fn an_invariant_comes_before_a_step_property_of_the_same_transition() {
    let graph = Graph::plain(&[0], &[(0, 1)]);
    let properties = [
        step("step", |_, _| false),
        invariant("second", |world| world == 0),
        invariant("third", |world| world == 0),
    ];
    let found = run(&breadth(), &graph, &properties);
    assert_eq!(found.property.as_deref(), Some("second"));
}

#[test]
fn a_violation_in_an_initial_world_has_no_counts_and_a_trace_of_one() {
    let graph = Graph::plain(&[0, 1, 2], &[]);
    let found = run(&breadth(), &graph, &[invariant("zero", |world| world == 0)]);
    assert_eq!(found.verdict, Verdict::Violated);
    assert_eq!(counts(&found), [None; 4]);
    assert_eq!((found.trace_len, found.collision), (Some(1), None));
    let labels = Vec::new();
    assert_eq!(found.trace, Some(Trace { initial: 1, labels }));
}

#[test]
fn a_search_without_an_initial_world_is_an_error() {
    for strategy in [Strategy::Breadth, Strategy::Simulate { walks: 1, depth: 1 }] {
        let search = Search { strategy, ..breadth() };
        let found = run(&search, &Graph::default(), &[]);
        assert!(matches!(found.verdict, Verdict::Error(Error::Model(_))), "{found:?}");
    }
}

#[test]
fn an_error_comes_with_the_way_to_it() {
    let mut graph = small();
    graph.arc(3, Kind::Deliver, 7, Then::Fail);
    let found = run(&breadth(), &graph, &[]);
    assert_eq!(found.verdict, Verdict::Error(fault()));
    assert_eq!(found.why, Some(fault().to_string()));
    assert_eq!(found.generated, Some(11), "the step that failed was not generated");
    let trace = found.trace.clone().unwrap();
    assert_eq!(trace.labels.last(), Some(&Label::plain(act(Kind::Deliver, 7))));
    assert_eq!(follow(&graph, &trace), Err(fault()));
    let file = trace_file(&graph, &found);
    assert_eq!(replay(&graph, &[], &file).verdict, Verdict::Error(fault()));

    let properties = [readable("readable", |world| world != 4)];
    let found = run(&breadth(), &small(), &properties);
    assert!(matches!(found.verdict, Verdict::Error(Error::Property { .. })));
    assert_eq!((found.property.as_deref(), found.trace_len), (Some("readable"), Some(3)));

    let opaque = Graph { opaque: vec![2], ..small() };
    let found = run(&breadth(), &opaque, &[]);
    assert_eq!((found.verdict, found.trace_len), (Verdict::Error(fault()), Some(2)));
}

/// What is broken, and the states of the way there.
fn violations(found: &Found) -> Vec<(String, u64)> {
    let states = |trace: &Option<Trace>| trace.as_ref().map_or(0, Trace::states);
    let all = found.violations.iter();
    all.map(|violation| (violation.property.clone(), states(&violation.trace))).collect()
}

/// Hold what searches find of a planted graph against what the queue found, in several orders.
fn agrees(planted: &Planted, expected: &Expected, properties: &[Property], seed: u64) {
    let mut first = None;
    let ways = [
        (None, 1, None),
        (None, 1, Some(24)),
        (None, 1, Some(3)),
        (Some(1), 1, None),
        (Some(2), 1, Some(24)),
        (None, 3, None),
        (Some(4), 2, Some(7)),
    ];
    for (shuffle, workers, batch) in ways {
        let at = format!("graph {seed}, shuffle {shuffle:?}, {workers} workers, batch {batch:?}");
        planted.graph.places.lock().unwrap().clear();
        let mut stored = Stored::default();
        let (deadlock, keep_going) = (planted.terminal.is_some(), planted.keep_going);
        let search = Search { shuffle, workers, batch, deadlock, keep_going, ..breadth() };
        let found = search.run(&planted.graph, properties, &mut stored, &mut |_| ());
        let named = (found.verdict == Verdict::Pass).then(String::new);
        let of_error = matches!(found.verdict, Verdict::Error(_));
        let property = named.or(found.property.clone().filter(|_| !of_error));
        assert_eq!(property, expected.property, "{at}");
        let numbers = [expected.distinct, expected.generated, expected.depth, expected.queue_left];
        assert_eq!(counts(&found), numbers.map(Some), "{at}");
        assert_eq!(found.trace_len, expected.trace_len, "{at}");
        assert_eq!(violations(&found), expected.violations, "{at}");
        assert_eq!(found.violation_count, expected.violations.len() as u64, "{at}");
        for violation in &found.violations {
            let trace = violation.trace.as_ref().unwrap();
            let confirmed = confirm_among(&planted.graph, properties, trace, &violation.property);
            assert!(confirmed.is_ok(), "{confirmed:?} of {violation:?}, {at}");
        }
        for (kind, count) in found.receipts.of(&Kind::ALL) {
            let expected = expected.receipts.get(&kind).copied().unwrap_or(0);
            assert_eq!(count, expected, "{kind}, {at}");
        }
        assert_eq!(stored.0.len() as u64, expected.distinct);
        if let Some(property) = expected.property.as_deref().filter(|name| !name.is_empty()) {
            let trace = found.trace.as_ref().unwrap();
            assert!(confirm(&planted.graph, properties, trace, property).is_ok(), "{at}");
        }
        let mut places = planted.graph.places.lock().unwrap().clone();
        let expanded = expected.distinct - expected.queue_left;
        if (shuffle, workers, batch) == (None, 1, None) {
            let behind = places.keys().any(|&index| index >= expanded);
            assert!(!behind, "a world behind the event was expanded");
        }
        // Worlds behind the event are expanded in some orders, and a violating world counts as
        // neither queued nor expanded.
        places.retain(|&index, _| index + 2 < expanded);
        let this = (found, stored.0, places);
        assert_eq!(first.get_or_insert_with(|| this.clone()), &this, "{at}");
    }
}

#[test]
fn any_order_inside_a_level_finds_what_a_plain_queue_finds() {
    let mut outcomes = [0; 5];
    for seed in 0..400 {
        let planted = Planted::random(seed);
        let (expected, properties) = (planted.explore(), planted.properties());
        agrees(&planted, &expected, &properties, seed);
        let outcome = match expected.property.as_deref() {
            None => 0,
            Some("") => 1,
            Some("signal") => 2,
            Some("good") => 3,
            _ => 4,
        };
        outcomes[outcome] += 1;
    }
    assert!(outcomes.iter().all(|&count| count >= 20), "too few of a kind: {outcomes:?}");
}

#[derive(Default)]
struct Stored(Vec<Vec<u8>>);

impl Observer for Stored {
    fn stored(&mut self, world: &[u8]) {
        self.0.push(world.to_vec());
    }
}

#[test]
fn worlds_are_shown_once_in_order_of_discovery_and_their_place_leads_to_them() {
    let graph = small();
    let mut stored = Stored::default();
    breadth().run(&graph, &[], &mut stored, &mut |_| ());
    assert_eq!(stored.0, [[0], [1], [2], [3], [4]]);
    let places = graph.places.lock().unwrap().clone();
    assert_eq!(places.len(), 4, "world 3 has no step");
    for (index, (world, initial, labels)) in places {
        assert_eq!(stored.0[index as usize], [world]);
        let run = follow(&graph, &Trace { initial, labels }).unwrap();
        assert_eq!(run.worlds.last().unwrap(), &[world]);
    }
}

/// A line of worlds 0 to 9.
fn line() -> Graph {
    let arcs: Vec<_> = (0..9).map(|world| (world, world + 1)).collect();
    Graph::plain(&[0], &arcs)
}

#[test]
fn a_bound_on_depth_is_incomplete_only_where_it_cuts() {
    let bounded = |depth| {
        let depth = Some(depth);
        run(&Search { depth, ..breadth() }, &line(), &[])
    };
    let found = bounded(4);
    assert_eq!(found.verdict, Verdict::Incomplete);
    assert_eq!(found.bounds, ["depth"]);
    assert_eq!(counts(&found), [Some(4), Some(4), Some(4), Some(1)]);
    assert_eq!(bounded(9).verdict, Verdict::Incomplete);
    let found = bounded(10);
    assert_eq!((found.verdict, found.queue_left), (Verdict::Pass, Some(0)));
    assert!(found.bounds.is_empty());
    assert!(matches!(bounded(0).verdict, Verdict::Error(Error::Argument(_))));
}

#[test]
fn a_bound_on_states_is_incomplete_only_where_it_cuts() {
    let arcs = [(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (3, 5), (5, 0)];
    let bounded = |max_states, shuffle| {
        let max_states = Some(max_states);
        let search = Search { max_states, shuffle, ..breadth() };
        run(&search, &Graph::plain(&[0], &arcs), &[invariant("not five", |world| world != 5)])
    };
    for shuffle in [None, Some(1), Some(2), Some(3)] {
        let found = bounded(4, shuffle);
        assert_eq!(found.verdict, Verdict::Incomplete);
        assert_eq!(found.bounds, ["states"]);
        assert_eq!(counts(&found), [Some(4), Some(5), Some(2), Some(2)]);
        // One that breaks a rule is reported even as the first too many.
        let found = bounded(5, shuffle);
        assert_eq!((found.verdict, found.distinct), (Verdict::Violated, Some(6)));
    }
    let all = |max_states| {
        let max_states = Some(max_states);
        run(&Search { max_states, ..breadth() }, &Graph::plain(&[0, 6], &arcs), &[])
    };
    assert_eq!(all(7).verdict, Verdict::Pass);
    assert_eq!(all(6).bounds, ["states"]);
    assert_eq!(counts(&all(1)), [Some(1), Some(2), Some(1), Some(1)]);
    assert!(matches!(all(0).verdict, Verdict::Error(Error::Argument(_))));
}

#[test]
fn an_interrupt_is_incomplete_and_says_what_is_left() {
    let stop = AtomicBool::new(true);
    let found = run(&Search::new(&stop), &small(), &[]);
    assert_eq!(found.verdict, Verdict::Incomplete);
    assert_eq!(found.bounds, ["interrupt"]);
    assert_eq!(counts(&found), [Some(2), Some(3), Some(1), Some(2)]);

    let stop = AtomicBool::new(false);
    let search = Search { progress_every: Duration::ZERO, ..Search::new(&stop) };
    let mut told = |progress: &Progress| stop.store(progress.depth == 2, Ordering::Relaxed);
    let found = search.run(&small(), &[], &mut (), &mut told);
    assert_eq!(found.bounds, ["interrupt"]);
    assert_eq!(counts(&found), [Some(5), Some(11), Some(3), Some(2)]);
}

#[test]
fn progress_is_told_no_more_often_than_asked() {
    let told = Cell::new(0);
    let count = |progress_every| {
        told.set(0);
        let search = Search { progress_every, ..breadth() };
        search.run(&small(), &[], &mut (), &mut |progress| {
            told.set(told.get() + 1);
            assert!(progress.queue <= progress.distinct && progress.walks.is_none());
        });
        told.get()
    };
    assert_eq!(count(Duration::from_secs(3600)), 0);
    // At least once for each of the worlds.
    assert!(count(Duration::ZERO) >= 5);
}

#[test]
fn a_sometimes_must_be_reached_by_a_complete_search() {
    let properties = [
        sometimes("two", |world| world == 2),
        sometimes("ten", |world| world == 10),
        sometimes("eleven", |world| world == 11),
    ];
    let found = run(&breadth(), &small(), &properties);
    assert_eq!(found.verdict, Verdict::Violated);
    assert_eq!(found.property.as_deref(), Some("ten"));
    assert_eq!((found.trace, found.trace_len), (None, None));
    assert_eq!(found.unreached, ["ten", "eleven"]);
    assert_eq!(found.generated, Some(12));
    let found = run(&breadth(), &small(), &properties[..1]);
    assert_eq!((found.verdict, found.unreached.len()), (Verdict::Pass, 0));
    let search = Search { depth: Some(1), ..breadth() };
    let found = run(&search, &small(), &properties);
    assert_eq!(found.verdict, Verdict::Incomplete);
    assert_eq!(found.unreached, ["two", "ten", "eleven"]);
}

#[test]
fn a_pass_says_how_likely_a_collision_was() {
    let found = run(&breadth(), &small(), &[]);
    let estimate = found.collision.unwrap();
    assert!(estimate > 0.0 && estimate < 1e-30, "{estimate}");
}

/// A row of `calibration/register-consensus.tsv`: id, N, B, V, Bals, invariants, the violated one,
/// then trace_len, depth, distinct, generated, queue_left as TLC printed them.
type Row = (
    &'static str,
    (usize, u8, u8, Bals),
    &'static [&'static str],
    Option<&'static str>,
    [Option<u64>; 5],
);

const MOST: &[&str] = &["Agreement", "Inv1", "Inv3", "Inv4"];
const ALL: &[&str] = &["Agreement", "Inv1", "Inv2", "Inv3", "Inv4"];
const FEW: &[&str] = &["Agreement", "Inv1"];

const fn pass(depth: u64, distinct: u64, generated: u64) -> [Option<u64>; 5] {
    [None, Some(depth), Some(distinct), Some(generated), Some(0)]
}

/// An invariant that is violated behind the initial states: the depth is that of the trace.
const fn cut(trace: u64, distinct: u64, generated: u64, queue: u64) -> [Option<u64>; 5] {
    [Some(trace), Some(trace), Some(distinct), Some(generated), Some(queue)]
}

#[rustfmt::skip]
const ROWS: [Row; 22] = [
    ("DP01", (1, 1, 1, Bals::Mod), ALL, None, pass(9, 9, 10)),
    ("DP02", (1, 3, 3, Bals::Mod), ALL, None, pass(9, 27, 30)),
    ("DP03", (2, 2, 1, Bals::Mod), ALL, None, pass(21, 225, 398)),
    ("DP04", (2, 2, 2, Bals::Mod), ALL, None, pass(21, 900, 1592)),
    ("DP05", (2, 2, 3, Bals::Mod), ALL, None, pass(21, 2025, 3582)),
    ("DP06", (2, 3, 2, Bals::Mod), MOST, None, pass(29, 7204, 13416)),
    ("DP07", (2, 4, 2, Bals::Mod), MOST, None, pass(37, 38308, 71656)),
    ("DP09", (2, 5, 2, Bals::Mod), MOST, None, pass(45, 199716, 373800)),
    ("DP10", (2, 6, 2, Bals::Mod), FEW, None, pass(53, 1043748, 1953704)),
    ("DP11", (3, 3, 1, Bals::Mod), FEW, None, pass(37, 22253, 65720)),
    ("DP12", (3, 3, 2, Bals::Mod), FEW, None, pass(37, 180472, 531756)),
    ("DP20", (2, 3, 2, Bals::Mod), &["Inv2"], Some("Inv2"), cut(9, 476, 770, 148)),
    ("DP21", (3, 4, 1, Bals::Mod), &["Inv2"], Some("Inv2"), cut(10, 2665, 6728, 1180)),
    ("DP22", (2, 2, 2, Bals::Mod), &["NobodyDecides"], Some("NobodyDecides"), cut(11, 405, 649, 91)),
    ("DP23", (3, 3, 1, Bals::Mod), &["NobodyDecides"], Some("NobodyDecides"), cut(13, 2726, 7063, 675)),
    ("DP24", (2, 3, 2, Bals::Mod), &["NotAllDecide"], Some("NotAllDecide"), cut(21, 5541, 10141, 475)),
    ("DP25", (2, 4, 2, Bals::Mod), &["MinBallotDecides"], Some("MinBallotDecides"), cut(14, 3067, 5312, 799)),
    ("DP27", (2, 3, 2, Bals::Mod), &["RegAgreement"], Some("RegAgreement"), cut(13, 1844, 3196, 420)),
    ("DP29", (2, 1, 2, Bals::All), &["Agreement"], Some("Agreement"), cut(21, 2790, 5755, 47)),
    ("DP31", (3, 2, 2, Bals::Parity), &["Agreement"], Some("Agreement"), cut(25, 399974, 1272953, 34686)),
    ("DP32", (2, 2, 2, Bals::Mod), &["InputsEqual"], Some("InputsEqual"), [Some(1), None, None, None, None]),
    ("DP33", (2, 4, 2, Bals::Mod), &["HigherDecides"], Some("HigherDecides"), cut(23, 18990, 34714, 2344)),
];

fn disk_paxos((processes, ballots, values, bals): (usize, u8, u8, Bals)) -> DiskPaxos {
    DiskPaxos { processes, ballots, values, bals }
}

#[test]
fn disk_paxos_over_registers_has_the_counts_of_tlc() {
    for (id, constants, invariants, violated, numbers) in ROWS {
        let system = disk_paxos(constants);
        let properties: Vec<_> = invariants.iter().map(|name| system.invariant(name)).collect();
        let found = run(&breadth(), &system, &properties);
        let verdict = if violated.is_some() { Verdict::Violated } else { Verdict::Pass };
        assert_eq!((&found.verdict, found.property.as_deref()), (&verdict, violated), "{id}");
        let [distinct, generated, depth, queue_left] = counts(&found);
        assert_eq!([found.trace_len, depth, distinct, generated, queue_left], numbers, "{id}");
        if let (Some(trace), Some(property)) = (&found.trace, violated) {
            let run = confirm(&system, &properties, trace, property).expect(id);
            assert_eq!(Some(run.worlds.len() as u64), found.trace_len, "{id}");
        }
    }
}

#[test]
fn disk_paxos_is_the_same_in_any_order_inside_a_level() {
    for (id, constants, invariants, _, numbers) in ROWS {
        if numbers[2] > Some(10_000) {
            continue; // The larger ones only take longer.
        }
        let system = disk_paxos(constants);
        let properties: Vec<_> = invariants.iter().map(|name| system.invariant(name)).collect();
        let in_order = run(&breadth(), &system, &properties);
        for seed in 0..4 {
            let shuffle = Some(seed);
            let shuffled = run(&Search { shuffle, ..breadth() }, &system, &properties);
            assert_eq!(shuffled, in_order, "{id}, seed {seed}");
        }
        // The same where a bound on states cuts inside a level, and inside a world's expansion.
        for most in (90..140).map(Some) {
            let bounded = |shuffle| {
                let max_states = most;
                let search = Search { max_states, shuffle, ..breadth() };
                run(&search, &system, &properties)
            };
            let in_order = bounded(None);
            assert_eq!(bounded(Some(1)), in_order, "{id}, {most:?} states");
            assert_eq!(bounded(Some(2)), in_order, "{id}, {most:?} states");
        }
    }
}

fn walks(walks: u64, depth: u64, seed: u64) -> Search<'static> {
    let strategy = Strategy::Simulate { walks, depth };
    Search { strategy, seed, ..breadth() }
}

#[test]
fn a_simulation_finds_a_planted_violation_by_its_seed_and_replay_reproduces_it() {
    let system = disk_paxos((2, 3, 2, Bals::Mod));
    let properties = [system.invariant("Agreement"), system.invariant("RegAgreement")];
    let found = run(&walks(200, 40, 7), &system, &properties);
    assert_eq!(found.verdict, Verdict::Violated);
    assert_eq!(found.property.as_deref(), Some("RegAgreement"));
    assert_eq!((found.distinct, found.queue_left, found.collision), (None, None, None));
    assert_eq!(found, run(&walks(1000, 40, 7), &system, &properties));
    let other = run(&walks(200, 40, 8), &system, &properties);
    assert_ne!((found.walk, &found.trace), (other.walk, &other.trace));
    let trace = found.trace.as_ref().unwrap();
    assert_eq!(Some(trace.states()), found.trace_len);
    let run = confirm(&system, &properties, trace, "RegAgreement").unwrap();
    assert_eq!(run.worlds.len() as u64, trace.states());

    let file = trace_file(&system, &found);
    let file = TraceFile::parse("paxos.trace", &file.to_text().unwrap()).unwrap();
    let again = replay(&system, &properties, &file);
    assert_eq!((again.verdict, again.property), (found.verdict, found.property));
    assert_eq!((again.trace, again.why), (found.trace, found.why));
}

#[test]
fn a_simulation_that_finds_nothing_is_never_a_pass() {
    let found = run(
        &walks(50, 100, 1),
        &small(),
        &[sometimes("four", |world| world == 4), sometimes("ten", |world| world == 10)],
    );
    assert_eq!(found.verdict, Verdict::Incomplete);
    assert_eq!(found.why.as_deref(), Some("50 random walks broke nothing; walks are never a pass"));
    assert_eq!(found.unreached, ["ten"]);
    let steps: u64 = found.receipts.of(&Kind::ALL).map(|(_, count)| count).sum();
    let crashes = found.receipts.count(Kind::Crash);
    assert_eq!(found.generated, Some(50 + steps - crashes));
    for kind in [Kind::Client, Kind::Accept, Kind::Restart, Kind::Crash] {
        assert!(found.receipts.count(kind) > 0, "{kind} is drawn");
    }
    assert_eq!(run(&walks(50, 100, 1), &line(), &[]).bounds, [""; 0]);
    let found = run(&walks(50, 9, 1), &line(), &[]);
    assert_eq!((found.bounds, found.depth), (vec!["depth".to_owned()], Some(9)));
}

#[test]
fn a_walk_ends_at_errors_and_stops_as_a_search_does() {
    let mut graph = line();
    graph.arc(9, Kind::Deliver, 3, Then::Break("exit"));
    let found = run(&walks(1, 100, 1), &graph, &[]);
    assert_eq!((found.verdict, found.trace_len), (Verdict::Violated, Some(11)));
    assert_eq!((found.generated, found.depth), (Some(11), Some(10)));
    let mut graph = line();
    graph.arc(9, Kind::Deliver, 3, Then::Fail);
    let found = run(&walks(1, 100, 1), &graph, &[]);
    assert_eq!((found.verdict, found.trace_len), (Verdict::Error(fault()), Some(11)));
    let search = Search { max_states: Some(9), ..walks(1, 100, 1) };
    let found = run(&search, &graph, &[]);
    assert!(matches!(found.verdict, Verdict::Error(Error::Argument(_))));
    let stop = AtomicBool::new(true);
    let search = Search { stop: &stop, ..walks(1, 100, 1) };
    assert_eq!(run(&search, &graph, &[]).bounds, ["interrupt"]);
}

/// `small` with a violation behind it, found and written down.
fn recorded() -> (Graph, TraceFile) {
    let mut graph = small();
    graph.arc(3, Kind::Deliver, 7, Then::Break("signal"));
    let found = run(&breadth(), &graph, &[]);
    let file = trace_file(&graph, &found);
    (graph, file)
}

#[test]
fn a_step_that_stops_is_followed_to_its_breach() {
    let (graph, file) = recorded();
    let found = replay(&graph, &[], &file);
    assert_eq!((&found.verdict, found.trace_len), (&Verdict::Violated, Some(3)));
    assert_eq!(found.receipts.count(Kind::Crash), 1);
    let run = follow(&graph, &found.trace.unwrap()).unwrap();
    assert_eq!(run.worlds, [[0], [3]]);
    assert_eq!(run.breach.unwrap().property, "signal");
}

#[test]
fn replay_names_the_step_that_is_not_possible_and_what_is() {
    let (graph, mut file) = recorded();
    file.steps[1].name = "DELIVER 8".into();
    let found = replay(&graph, &[], &file);
    let text = divergence(&found);
    assert!(text.starts_with("step 2, DELIVER 8, "), "{text}");
    assert!(text.ends_with("possible there: DELIVER 7"), "{text}");
    assert_eq!(found.trace_len, Some(2), "the part that could be run is shown");

    file.initial = 3;
    let found = replay(&graph, &[], &file);
    assert!(divergence(&found).contains("initial world 3"), "{found:?}");
}

#[test]
fn choices_that_the_step_does_not_have_are_divergences() {
    let (graph, file) = recorded();
    assert_eq!(file.steps[0].choices, [1]);
    for (choices, said) in [(vec![2], "@2"), (vec![1, 0], "2 choices")] {
        let mut file = file.clone();
        file.steps[0].choices = choices;
        let found = replay(&graph, &[], &file);
        let text = divergence(&found);
        assert!(text.starts_with("step 1, CLIENT 0: ") && text.contains(said), "{text}");
    }
    let mut file = file;
    file.steps[0].choices.clear();
    let found = replay(&graph, &[], &file);
    let text = divergence(&found);
    assert!(text.contains("possible there: ACCEPT 0"), "left out means 0: {text}");
}

#[test]
fn a_replay_that_breaks_something_else_or_nothing_is_a_divergence() {
    let (graph, file) = recorded();
    let never_three = [invariant("never three", |world| world != 3)];
    let found = replay(&graph, &never_three, &file);
    assert!(divergence(&found).contains("step 1 broke \"never three\""), "{found:?}");
    let short = TraceFile { steps: file.steps[..1].to_vec(), ..file.clone() };
    let found = replay(&graph, &[], &short);
    assert!(divergence(&found).contains("\"signal\" is not broken"), "{found:?}");
    let mut long = file.clone();
    long.steps.push(file.steps[1].clone());
    let found = replay(&graph, &[], &long);
    let text = divergence(&found);
    assert!(text.ends_with("where the trace breaks \"signal\" at step 3"), "{text}");
    let free = TraceFile { property: None, ..short };
    assert_eq!(replay(&graph, &[], &free).verdict, Verdict::Incomplete);
    let free = TraceFile { property: None, ..file };
    assert_eq!(replay(&graph, &[], &free).property.as_deref(), Some("signal"));
}

/// A system whose steps change their mind after the search: what was found cannot be repeated.
struct Fickle {
    graph: Graph,
    applied: AtomicU64,
    patience: u64,
    then: fn(&mut Vec<u8>) -> Result<(), Stop>,
}

impl System for Fickle {
    type Worker = ();

    fn worker(&self, id: usize) -> Result<(), Stop> {
        self.graph.worker(id)
    }

    fn initial(&self, worker: &mut (), each: &mut dyn FnMut(&[u8])) -> Result<(), Stop> {
        self.graph.initial(worker, each)
    }

    fn enabled(&self, worker: &mut (), world: &[u8], out: &mut Vec<Action>) -> Result<(), Stop> {
        self.graph.enabled(worker, world, out)
    }

    fn apply(
        &self,
        worker: &mut (),
        at: Position<'_>,
        world: &[u8],
        action: &Action,
        choose: &mut dyn Choice,
        next: &mut Vec<u8>,
    ) -> Result<(), Stop> {
        self.graph.apply(worker, at, world, action, choose, next)?;
        if self.applied.fetch_add(1, Ordering::Relaxed) < self.patience {
            return Ok(());
        }
        (self.then)(next)
    }

    fn view<'a>(&'a self, world: &'a [u8]) -> View<'a> {
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
fn a_counterexample_that_cannot_be_repeated_is_a_divergence_not_a_violation() {
    let elsewhere: fn(&mut Vec<u8>) -> Result<(), Stop> = |next| {
        next[0] += 100;
        Ok(())
    };
    let stops: fn(&mut Vec<u8>) -> Result<(), Stop> = |_| {
        let (property, why) = ("exit".into(), "status 1".into());
        Err(Stop::Violated(Breach { property, why }))
    };
    for (then, said) in [(elsewhere, "possible there"), (stops, "step 1 of 4 broke \"exit\"")] {
        let fickle = Fickle { graph: line(), applied: AtomicU64::new(0), patience: 4, then };
        let properties = [invariant("never four", |world| world != 4)];
        let found = run(&breadth(), &fickle, &properties);
        assert_eq!(found.verdict, Verdict::Violated);
        let trace = found.trace.as_ref().unwrap();
        let Err(Error::Divergence(text)) = follow(&fickle, trace) else { panic!("followed") };
        assert!(text.contains(said) || text.contains("nothing is possible there"), "{text}");
        let confirmed = confirm(&fickle, &properties, trace, "never four");
        assert!(matches!(confirmed, Err(Error::Divergence(_))), "{confirmed:?}");
        divergence(&replay(&fickle, &properties, &trace_file(&fickle, &found)));
    }
}

/// Asks for a different number of choices each time.
struct Restless(AtomicU64);

impl System for Restless {
    type Worker = ();

    fn worker(&self, _: usize) -> Result<(), Stop> {
        Ok(())
    }

    fn initial(&self, _: &mut (), each: &mut dyn FnMut(&[u8])) -> Result<(), Stop> {
        each(&[0]);
        Ok(())
    }

    fn enabled(&self, _: &mut (), _: &[u8], out: &mut Vec<Action>) -> Result<(), Stop> {
        out.push(act(Kind::Action, 0));
        Ok(())
    }

    fn apply(
        &self,
        _: &mut (),
        _: Position<'_>,
        world: &[u8],
        _: &Action,
        choose: &mut dyn Choice,
        next: &mut Vec<u8>,
    ) -> Result<(), Stop> {
        let count = [2, 3, 0][self.0.fetch_add(1, Ordering::Relaxed) as usize % 3];
        choose.choose(ChoiceKind::Other, count);
        next.clear();
        next.extend_from_slice(world);
        Ok(())
    }

    fn view<'a>(&'a self, world: &'a [u8]) -> View<'a> {
        let reader = &systems::Blind;
        View { world, reader }
    }

    fn kinds(&self) -> &'static [Kind] {
        &[Kind::Action]
    }

    fn name(&self, _: &[u8], _: &Action) -> String {
        "ACTION".into()
    }

    fn tell(&self, _: &[u8], _: &Action) -> Result<Told, Error> {
        Ok(Told::default())
    }
}

#[test]
fn a_step_that_asks_for_other_choices_when_repeated_is_a_divergence() {
    let found = run(&breadth(), &Restless(AtomicU64::new(0)), &[]);
    assert!(divergence(&found).contains("not deterministic"), "{found:?}");
    for search in [breadth(), walks(1, 5, 0)] {
        let found = run(&search, &Restless(AtomicU64::new(2)), &[]);
        assert!(matches!(found.verdict, Verdict::Error(Error::Internal(_))), "{found:?}");
    }
}

#[test]
fn the_barrier_is_called_at_the_end_of_each_level_and_its_error_is_an_error() {
    let barred = Barred { levels: AtomicU64::new(0), last: 2 };
    let found = run(&breadth(), &barred, &[]);
    assert_eq!(found.verdict, Verdict::Error(fault()));
    assert_eq!(counts(&found), [Some(3), Some(3), Some(3), Some(1)]);
    assert_eq!((found.trace, found.trace_len), (None, None));
}

/// Counts upwards for ever, but for its barrier.
struct Barred {
    levels: AtomicU64,
    last: u64,
}

impl System for Barred {
    type Worker = ();

    fn worker(&self, _: usize) -> Result<(), Stop> {
        Ok(())
    }

    fn initial(&self, _: &mut (), each: &mut dyn FnMut(&[u8])) -> Result<(), Stop> {
        each(&[0]);
        Ok(())
    }

    fn enabled(&self, _: &mut (), _: &[u8], out: &mut Vec<Action>) -> Result<(), Stop> {
        out.push(act(Kind::Action, 0));
        Ok(())
    }

    fn apply(
        &self,
        _: &mut (),
        _: Position<'_>,
        world: &[u8],
        _: &Action,
        _: &mut dyn Choice,
        next: &mut Vec<u8>,
    ) -> Result<(), Stop> {
        next.clear();
        next.push(world[0] + 1);
        Ok(())
    }

    fn view<'a>(&'a self, world: &'a [u8]) -> View<'a> {
        let reader = &systems::Blind;
        View { world, reader }
    }

    fn kinds(&self) -> &'static [Kind] {
        &[Kind::Action]
    }

    fn name(&self, _: &[u8], _: &Action) -> String {
        "ACTION".into()
    }

    fn tell(&self, _: &[u8], _: &Action) -> Result<Told, Error> {
        Ok(Told::default())
    }

    fn barrier(&self, _: &mut [()]) -> Result<(), Stop> {
        if self.levels.fetch_add(1, Ordering::Relaxed) < self.last {
            return Ok(());
        }
        Err(fault().into())
    }
}
