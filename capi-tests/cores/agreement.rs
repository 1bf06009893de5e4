//! What a search finds in a core in C, random walks find, and replay repeats from the text of a trace.

use cmc::cores::{Cores, Env};
use cmc::property::{Property, Rule};
use cmc::search::{Found, Strategy, Verdict, confirm, replay};
use cmc::system::System;
use cmc::system::det::Det;
use cmc::trace::{Checked, Step, TraceFile};
use cmc::world::View;

use crate::compiled::load;
use crate::walk::{search, search_as};

const HOLDS: usize = 1;
const TURNS: usize = 0;

fn token(bug: u8, env: Env) -> Cores {
    Cores::new(load("token", &[&format!("BUG={bug}")]), Env { nodes: 3, ..env }).unwrap()
}

fn state<'a>(view: View<'a>, node: usize) -> &'a [u8] {
    view.reader.content(view.world, node).unwrap().unwrap()
}

fn invariant(name: &str, holds: impl Fn(View<'_>) -> bool + Send + Sync + 'static) -> Property {
    let holds = Box::new(move |view: &View<'_>| Ok(holds(*view)));
    Property { name: name.into(), rule: Rule::Invariant(holds) }
}

fn properties() -> Vec<Property> {
    vec![
        invariant("one token", |view| {
            (0..3).filter(|&node| state(view, node)[HOLDS] == 1).count() <= 1
        }),
        invariant("what was answered is on disk", |view| {
            let mut kept = true;
            let outcome = view.reader.replies(view.world, &mut |reply| {
                let node = reply.node.expect("a node gave it");
                kept &= state(view, node)[TURNS] >= reply.bytes[0];
                true
            });
            outcome.unwrap();
            kept
        }),
    ]
}

fn clients() -> Env {
    Env { clients: [2, 1, 1, 0, 0, 0, 0, 0], ..Env::default() }
}

#[test]
fn a_token_that_is_passed_on_stays_one_whatever_is_lost() {
    for env in [clients(), Env { drops: 1, crashes: 1, ..clients() }] {
        let cores = token(0, env);
        let found = search(&cores, &properties());
        assert_eq!(found.verdict, Verdict::Pass, "{found:?}");
        for workers in [2, 3] {
            let other = search_as(&cores, &properties(), |search| search.workers = workers);
            assert_eq!(other, found);
        }
        assert_eq!(search(&Det(&cores), &properties()), found);
        assert_eq!(search_as(&cores, &properties(), |search| search.shuffle = Some(5)), found);
    }
}

/// Write the trace as text, read it, run it.
fn from_text(cores: &Cores, properties: &[Property], found: &Found) -> Found {
    let trace = found.trace.as_ref().expect("a trace");
    let run = confirm(cores, properties, trace, found.property.as_deref().unwrap()).unwrap();
    let steps = trace.labels.iter().zip(&run.worlds).map(|(label, world)| Step {
        name: cores.name(world, &label.action),
        choices: label.choices.to_vec(),
        note: Some(cores.tell(world, &label.action).unwrap().words),
    });
    let file = TraceFile {
        checked: Checked::Driver { name: "token".into() },
        verdict: "violated".into(),
        property: found.property.clone(),
        among: false,
        seed: None,
        back: None,
        initial: trace.initial,
        steps: steps.collect(),
    };
    let text = file.to_text().expect("a text");
    let read = TraceFile::parse("token.trace", &text).expect("it reads back");
    assert_eq!(read, file);
    replay(cores, properties, &read)
}

#[test]
fn search_walks_and_replay_agree_on_a_bug() {
    for (bug, property, states) in [(1, "one token", 2), (2, "what was answered is on disk", 2)] {
        for env in [clients(), Env { drops: 1, ..clients() }, bag()] {
            let cores = token(bug, env);
            let found = search(&cores, &properties());
            let broken = (Verdict::Violated, Some(property));
            assert_eq!((found.verdict.clone(), found.property.as_deref()), broken);
            assert_eq!(found.trace_len, Some(states));
            let again = from_text(&cores, &properties(), &found);
            assert_eq!((again.verdict.clone(), again.property.as_deref()), broken);
            assert_eq!((again.trace_len, &again.trace), (found.trace_len, &found.trace));
            let walked = search_as(&cores, &properties(), |search| {
                search.strategy = Strategy::Simulate { walks: 100, depth: 30 };
                search.seed = 7;
            });
            assert_eq!(walked.verdict, Verdict::Violated);
            let again = from_text(&cores, &properties(), &walked);
            assert_eq!((again.property, again.trace), (walked.property, walked.trace));
        }
    }
}

fn bag() -> Env {
    Env { network: cmc::cores::Discipline::Bag, dups: 1, drops: 1, ..clients() }
}

#[test]
fn a_token_in_a_bag_that_duplicates_is_two() {
    let cores = token(0, bag());
    let found = search(&cores, &properties());
    assert_eq!(found.property.as_deref(), Some("one token"), "{found:?}");
    assert_eq!(from_text(&cores, &properties(), &found).verdict, Verdict::Violated);
}

#[test]
fn a_lattice_has_as_many_worlds_as_points_and_as_many_steps_as_edges() {
    let core = load("lattice", &[]);
    let cores = Cores::new(core, Env { settings: vec![3], ..Env::default() }).unwrap();
    let found = search(&cores, &[]);
    let points = 4u64.pow(6);
    let edges = 6 * 3 * 4u64.pow(5);
    let counts = (found.distinct, found.generated, found.depth);
    assert_eq!(
        (found.verdict.clone(), counts),
        (Verdict::Pass, (Some(points), Some(edges + 1), Some(19)))
    );
    let several = search_as(&cores, &[], |search| search.workers = 3);
    assert_eq!(several, found);
}
