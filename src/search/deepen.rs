//! Depth first to one bound after the other: to a single one, or to 1, 2, 3 … until nothing is left
//! open or something is wrong. What is wrong on a path of n states is found in the round to n, and no
//! round before found anything, so the counterexample is a shortest one.

use super::depth::{Counts, Depth, Known};
use super::found::{End, Found};
use super::initial::Initial;
use super::judge::Judge;
use super::links::Links;
use super::progress::{Pace, Progress};
use super::sample::Sample;
use super::seen::Seen;
use super::{Observer, Search};
use crate::fingerprint::collision_estimate;
use crate::property::Property;
use crate::system::System;

pub(super) fn run<S: System>(
    search: &Search<'_>,
    bounds: impl IntoIterator<Item = u64>,
    system: &S,
    properties: &[Property],
    observer: &mut dyn Observer,
    sample: &mut Sample,
    pace: &mut Pace<'_>,
) -> Found {
    let mut worker = match system.worker(0) {
        Ok(worker) => worker,
        Err(stop) => return Found::troubled(stop.into(), None),
    };
    let mut judge = Judge::new(properties, search.keep_going);
    let mut links = Links::default();
    let most = search.max_states.unwrap_or(u64::MAX);
    let initial =
        Initial::of(system, &mut worker, &mut judge, most, &mut Seen::default(), &mut links);
    if let Some(found) = initial.missing() {
        return found;
    }
    let mut counts = Counts {
        generated: initial.generated,
        violations: initial.violations,
        violation_count: initial.violation_count,
        ..Counts::default()
    };
    let mut known = Known::default();
    let mut last = (End::Complete, 0, 0, 0);
    for bound in bounds {
        let mut round =
            Depth::new(search, &mut judge, &mut counts, observer, sample, &known, bound);
        for at in 0..initial.worlds.len() {
            round.start(links.trace(at as u64, None).initial, initial.worlds.get(at));
        }
        let end = match initial.full {
            true => End::Bound("states"),
            false => round.run(system, &mut worker, |round, worker| {
                pace.tick(|| Progress {
                    distinct: Some(round.known.len() as u64),
                    generated: round.generated(),
                    depth: round.longest,
                    queue: Some(round.left()),
                    walks: None,
                });
                system.barrier(std::slice::from_mut(worker))
            }),
        };
        let stored = round.known.len() as u64;
        last = (end, stored, round.longest, round.left());
        known = std::mem::take(&mut round.known);
        if !matches!(last.0, End::Bound("depth")) {
            break;
        }
    }
    let (end, distinct, depth, left) = last;
    let Counts { generated, receipts, violations, violation_count } = counts;
    Found {
        distinct: Some(distinct),
        generated: Some(generated),
        depth: Some(depth),
        queue_left: Some(left),
        receipts,
        collision: Some(collision_estimate(distinct, generated)),
        ..Found::ended(end, judge.unreached(), violations, violation_count)
    }
}
