//! Where a run may end on which something has not come true.

use cmc::action::Kind;
use cmc::error::Error;
use cmc::search::{Verdict, confirm};
use cmc::trace::Trace;

use super::liveness::{deliver, labels, proves, reaches};
use super::systems::graph::{Graph, Then, eventually};
use super::{breadth, run};

#[test]
fn a_run_may_end_where_only_faults_are_possible() {
    // What comes true behind a fault only need not: the fault need not happen.
    for kind in [Kind::Crash, Kind::Drop, Kind::Dup] {
        let mut graph = Graph { initial: vec![0], ..Graph::default() };
        deliver(&mut graph, &[(0, 1)]);
        graph.arc(1, kind, 0, Then::Go(9));
        let found = run(&breadth(), &graph, &[reaches(9)]);
        assert_eq!((&found.verdict, found.trace_len), (&Verdict::Violated, Some(2)), "{kind}");
        proves(&graph, &[reaches(9)], &found);
        let fair = [Kind::Deliver, kind];
        let found = run(&breadth(), &graph, &[eventually("fair", &fair, |world| world == 9)]);
        assert_eq!(found.verdict, Verdict::Pass, "{kind}");
    }
    // A client goes on, a wait runs out of time, and who crashed comes back as long as he may.
    for kind in [Kind::Client, Kind::Timeout, Kind::Restart] {
        let mut graph = Graph { initial: vec![0], ..Graph::default() };
        graph.arc(0, kind, 0, Then::Go(9));
        assert_eq!(run(&breadth(), &graph, &[reaches(9)]).verdict, Verdict::Pass, "{kind}");
    }
}

#[test]
fn an_end_that_a_bound_makes_leaves_it_undecided() {
    let mut graph = Graph { bounded: vec![2], ..Graph::plain(&[0], &[(0, 1), (1, 2)]) };
    let found = run(&breadth(), &graph, &[reaches(9)]);
    assert_eq!((found.verdict, found.liveness), (Verdict::Incomplete, None));
    let why = found.why.unwrap();
    assert!(why.contains("the plan cuts runs on which \"arrives\" had not come true"), "{why}");
    assert_eq!(run(&breadth(), &graph, &[reaches(2)]).verdict, Verdict::Pass);
    let trace = Trace { initial: 0, labels: labels(&graph, &[1, 2]) };
    let confirmed = confirm(&graph, &[reaches(9)], &trace, "arrives");
    let Err(Error::Divergence(text)) = confirmed else { panic!("{confirmed:?}") };
    assert!(text.contains("the plan ends the run"), "{text}");
    // An end of the system's own is one still.
    graph.arc(0, Kind::Deliver, 3, Then::Go(3));
    let found = run(&breadth(), &graph, &[reaches(9)]);
    assert_eq!((&found.verdict, found.trace_len), (&Verdict::Violated, Some(2)));
    proves(&graph, &[reaches(9)], &found);
}
