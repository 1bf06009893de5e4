//! Depth first to one bound after the other: to a single one, or to 1, 2, 3 … until nothing is left
//! open or something is wrong. What is wrong on a path of n states is found in the round to n, and no
//! round before found anything, so the counterexample is a shortest one.

use std::mem::take;
use std::sync::{Mutex, RwLock};

use super::crew::Crew;
use super::depth::{Counts, Depth, Shared};
use super::found::{End, Found};
use super::initial::Initial;
use super::judge::Judge;
use super::links::Links;
use super::progress::{Pace, Progress};
use super::sample::Sample;
use super::seen::Seen;
use super::wave::{Haul, Known, Sea, Wave, write};
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
    let judge = Judge::new(properties, search.keep_going);
    let sea = RwLock::new(Sea { judge, known: Known::default(), wave: Wave::default() });
    let hauls: Vec<_> = (0..search.threads()).map(|_| Mutex::new(Haul::default())).collect();
    let lead = |crew: &Crew<S::Worker>| {
        let shared = Shared { search, system, crew, sea: &sea, hauls: &hauls };
        rounds(&shared, bounds, observer, sample, pace)
    };
    let found = Crew::run(hauls.len(), &|number| system.worker(number), lead);
    found.unwrap_or_else(|stop| Found::troubled(stop.into(), None))
}

fn rounds<S: System>(
    shared: &Shared<'_, '_, S>,
    bounds: impl IntoIterator<Item = u64>,
    observer: &mut dyn Observer,
    sample: &mut Sample,
    pace: &mut Pace<'_>,
) -> Found {
    let Shared { search, system, crew, sea, .. } = *shared;
    let mut links = Links::default();
    let most = search.max_states.unwrap_or(u64::MAX);
    let initial = crew.first(|worker| {
        let judge = &mut write(sea).judge;
        Initial::of(system, worker, judge, most, &mut Seen::default(), &mut links)
    });
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
        let mut round = Depth::new(shared, &mut counts, observer, sample, &known, bound);
        round.start(&initial.worlds, |at| links.trace(at as u64, None).initial);
        let end = match initial.full {
            true => End::Bound("states"),
            false => round.run(|round| {
                pace.tick(|| Progress {
                    distinct: Some(round.stored()),
                    generated: round.generated(),
                    depth: round.deepest(),
                    queue: Some(round.left()),
                    walks: None,
                });
            }),
        };
        last = (end, round.stored(), round.deepest(), round.left());
        known = take(&mut write(sea).known);
        if !matches!(last.0, End::Bound("depth")) {
            break;
        }
    }
    let (end, distinct, depth, left) = last;
    let Counts { generated, receipts, violations, violation_count, .. } = counts;
    Found {
        distinct: Some(distinct),
        generated: Some(generated),
        depth: Some(depth),
        queue_left: Some(left),
        receipts,
        collision: Some(collision_estimate(distinct, generated)),
        ..Found::ended(end, write(sea).judge.unreached(), violations, violation_count)
    }
}
