//! The check of the short ways: a step is run as the program runs by itself, without a byte or a register
//! of it changed at any rest on the way, and must do what it does from the normal form; and from a
//! memory that its history has led to, where it was learned from one that was restored.

use std::ops::Range;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use super::Processes;
use super::audit::{self, Auditor, KEPT};
use super::config::StateKind;
use super::disagreement;
use super::history::History;
use super::node::Node;
use super::origin::Origins;
use super::restore::Backend;
use super::step::{Cause, Event, Rest};
use super::table::{Ending, Leaf, Table};
use super::zygotes::{Way, Zygotes};
use crate::error::Error;
use crate::system::Stop;

/// Of the steps one in so many is executed by the long way; and the first from every chain of callers,
/// and all of them where the audit is full.
const LONG_WAY: u128 = 16;

impl Processes {
    /// Whether nodes of this number go on from a normal form.
    pub fn has_normal_form(&self, number: usize) -> bool {
        self.config.nodes[number].state == StateKind::Memory
    }
}

impl Auditor {
    /// Execute some of the `fresh` leaves by the long way too: from a memory that its history has led to
    /// and not one that was restored; and where there is a normal form without it, as the history of the
    /// state that it starts in has led there, and as others have that were found to lead there too. What
    /// a normal form clears wrongly it clears in all of them, so that only these can see it.
    pub(super) fn by_the_long_way(
        &self,
        processes: &Processes,
        zygotes: &mut Zygotes,
        table: &Table,
        origins: &Origins,
        fresh: Range<usize>,
    ) -> Result<(), Stop> {
        for place in fresh.clone() {
            let leaf = table.leaf(place);
            if let Ending::Rests(state) = leaf.done.ending {
                let mut ways = self.ways.lock().unwrap_or_else(PoisonError::into_inner);
                ways.entry((leaf.node, state.id)).or_default().push(place);
            }
        }
        for (leaf, first) in self.drawn(processes, fresh.map(|place| table.leaf(place)).collect()) {
            let history = leaf.before.and_then(|before| origins.first(leaf.node, before));
            if processes.has_normal_form(leaf.node) {
                self.plainly(processes, zygotes, leaf, history.as_deref())?;
                for other in self.other_ways(table, origins, leaf, history.as_deref()) {
                    self.plainly(processes, zygotes, leaf, Some(&other))?;
                }
                self.behind(processes, zygotes, table, leaf, history.clone())?;
            }
            let way = history.as_deref().filter(|_| processes.restores.backend != Backend::History);
            if let Some(history) = way
                && let Some(other) = match first {
                    true => Some(Way::Compared),
                    false => self.by_both(leaf.key / LONG_WAY, history),
                }
            {
                let executed = audit::run(processes, zygotes, leaf, way, Some(other))?;
                if !audit::same(&leaf.done, &executed.done) {
                    self.judge(processes, zygotes, origins, leaf, way, &executed)?;
                }
            }
        }
        Ok(())
    }

    /// Those of the `fresh` leaves that are executed, in an order that does not depend on timing; and
    /// whether each is the first from its chain of callers.
    fn drawn<'t>(&self, processes: &Processes, mut fresh: Vec<&'t Leaf>) -> Vec<(&'t Leaf, bool)> {
        fresh.sort_by_key(|leaf| order(leaf));
        let mut chains = self.chains.lock().unwrap_or_else(PoisonError::into_inner);
        let drawn = fresh.into_iter().filter_map(|leaf| {
            // What is dead depends on who has called whom.
            let chain = |before| processes.reader.states.get(before).call.clone();
            let first = chains.insert((leaf.node, leaf.before.map(chain)));
            (first || self.is_full() || leaf.key % LONG_WAY == 0).then_some((leaf, first))
        });
        drawn.collect()
    }

    fn plainly(
        &self,
        processes: &Processes,
        zygotes: &mut Zygotes,
        leaf: &Leaf,
        history: Option<&History>,
    ) -> Result<(), Stop> {
        let compared = zygotes.asking(|zygotes| zygotes.compare_plainly(processes, leaf, history));
        let count = match compared {
            Err(Stop::Error(Error::Divergence(_))) => &self.disagreed,
            _ => &self.plain,
        };
        count.fetch_add(1, Ordering::Relaxed);
        compared
    }

    /// Histories that end in the state that `leaf` starts in, beside its `first`: one, or some where the
    /// audit is full.
    fn other_ways(
        &self,
        table: &Table,
        origins: &Origins,
        leaf: &Leaf,
        first: Option<&History>,
    ) -> Vec<History> {
        let (Some(before), Some(first)) = (leaf.before, first) else { return Vec::new() };
        let ways = self.ways.lock().unwrap_or_else(PoisonError::into_inner);
        let places = ways.get(&(leaf.node, before)).cloned().unwrap_or_default();
        let mut ways: Vec<&Leaf> = places.into_iter().map(|place| table.leaf(place)).collect();
        ways.sort_by_key(|way| order(way));
        let histories = ways.into_iter().map(|way| {
            let start = way.before.and_then(|before| origins.first(way.node, before));
            History::new(start, way.cause.clone(), way.answers)
        });
        let same = |one: &Option<Arc<History>>, other: &Option<Arc<History>>| match (one, other) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        };
        let mut others: Vec<History> = histories
            .filter(|way| {
                way.cause != first.cause
                    || way.answers != first.answers
                    || !same(&way.before, &first.before)
            })
            .collect();
        if others.is_empty() {
            return others;
        }
        if self.is_full() {
            others.truncate(KEPT);
            return others;
        }
        vec![others.swap_remove((leaf.key >> 64) as usize % others.len())]
    }

    /// Go on behind `leaf`, from where `history` leads, with a step that was learned from another memory
    /// of the state that it ends in.
    fn behind(
        &self,
        processes: &Processes,
        zygotes: &mut Zygotes,
        table: &Table,
        leaf: &Leaf,
        history: Option<Arc<History>>,
    ) -> Result<(), Stop> {
        let Ending::Rests(state) = leaf.done.ending else { return Ok(()) };
        let next = self.of_state(table, leaf.node, state.id);
        if next.is_empty() {
            return Ok(());
        }
        let (_, next) = next[(leaf.key >> 64) as usize % next.len()];
        let history = History::new(history, leaf.cause.clone(), leaf.answers);
        self.plainly(processes, zygotes, next, Some(&history))
    }
}

/// An order of leaves that does not depend on timing.
fn order(leaf: &Leaf) -> (u128, i64, u64) {
    (leaf.key, leaf.answers.clock, leaf.answers.boots)
}

impl Zygotes {
    /// An error unless `leaf`, run plainly from where `history` leads, does what was learned.
    pub fn compare_plainly(
        &mut self,
        processes: &Processes,
        leaf: &Leaf,
        history: Option<&History>,
    ) -> Result<(), Stop> {
        let steps = history.map_or(Vec::new(), History::steps);
        let first = steps.first().map_or(leaf.answers, |step| step.answers);
        let mut node = self.start_one(processes, leaf.node, first)?;
        for step in steps {
            node.run(&step.cause, step.answers, None)?;
        }
        let rest = match &leaf.done.ending {
            Ending::Rests(state) => Some(Rest::Waiting(state.wait, Vec::new())),
            Ending::Exited => Some(Rest::Exited),
            Ending::Broke(_) => None,
        };
        let learned = match (&leaf.done.ending, rest) {
            (Ending::Broke(breach), _) => Err(Stop::Violated(breach.clone())),
            (_, rest) => Ok((leaf.done.events.clone(), rest.unwrap_or(Rest::Exited))),
        };
        let plainly = self.run_last(&mut node, &leaf.cause, leaf.answers);
        compare(&node, &leaf.cause, &learned, plainly)
    }
}

/// What a step of a node came to.
type Ran = Result<(Vec<Event>, Rest), Stop>;

/// An error unless `plainly`, the step of `node` for `cause` as the program runs by itself, is what it
/// came to from a normal form.
pub fn compare(node: &Node, cause: &Cause, normal: &Ran, plainly: Ran) -> Result<(), Stop> {
    match (normal, plainly) {
        (_, Err(stop @ Stop::Error(_))) => Err(stop),
        (Err(Stop::Error(_)), _) => Ok(()),
        (Err(Stop::Violated(one)), Err(Stop::Violated(other)))
            if one.property == other.property =>
        {
            Ok(())
        }
        (_, Err(Stop::Violated(breach))) => Err(differs(node, cause, &breach.why)),
        (normal, Ok((events, rest))) => {
            let same = match normal {
                Ok((learned, end)) => events == *learned && same_rest(&rest, end),
                Err(_) => false,
            };
            if same {
                return Ok(());
            }
            let told: Vec<String> = events.iter().filter_map(disagreement::event).collect();
            let printed = events.iter().any(|event| matches!(event, Event::Printed { .. }));
            Err(differs(
                node,
                cause,
                &match told.is_empty() {
                    true if printed => "it prints something else".into(),
                    true => "nothing".to_owned(),
                    false => told.join(", "),
                },
            ))
        }
    }
}

/// Whether two rests are one, wherever buffers lie.
fn same_rest(one: &Rest, other: &Rest) -> bool {
    match (one, other) {
        (Rest::Waiting(one, _), Rest::Waiting(other, _)) => one == other,
        (one, other) => one == other,
    }
}

fn differs(node: &Node, cause: &Cause, plainly: &str) -> Stop {
    Error::Divergence(format!(
        "node {} ({}): identity incomplete: a step ({}) does something else where nothing that seems dead \
         was cleared before: {plainly}; the program reads memory that it has not written, uses its stack \
         in a way that its code does not show, or needs what `ignore` leaves out; check it with state = \
         \"raw\"",
        node.number(),
        node.setting.program,
        disagreement::cause(cause)
    ))
    .into()
}
