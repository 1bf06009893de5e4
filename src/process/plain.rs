//! The check of the short ways: a step is run as the program runs by itself, without a byte or a register
//! of it changed at any rest on the way, and must do what it does from the normal form; and from a
//! memory that its history has led to, where it was learned from one that was restored.

use std::ops::Range;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use super::Processes;
use super::audit::{self, Auditor};
use super::config::StateKind;
use super::disagreement;
use super::history::{History, Zygotes};
use super::node::Node;
use super::origin::Origins;
use super::restore::Backend;
use super::step::{Cause, Event, Rest};
use super::table::{Ending, Leaf, Table};
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
    /// Execute some of the `leaves` by the long way too: from a memory that its history has led to and
    /// not one that was restored, and where there is a normal form without it.
    pub(super) fn by_the_long_way(
        &self,
        processes: &Processes,
        zygotes: &mut Zygotes,
        table: &Table,
        origins: &Origins,
        leaves: Range<usize>,
    ) -> Result<(), Stop> {
        let mut drawn: Vec<&Leaf> = leaves.map(|place| table.leaf(place)).collect();
        drawn.sort_by_key(|leaf| (leaf.key, leaf.answers.clock, leaf.answers.boots));
        let mut chains = self.chains.lock().unwrap_or_else(PoisonError::into_inner);
        drawn.retain(|leaf| {
            // What is dead depends on who has called whom.
            let chain = |before| processes.reader.states.get(before).call.clone();
            let first = chains.insert((leaf.node, leaf.before.map(chain)));
            first || self.is_full() || leaf.key % LONG_WAY == 0
        });
        drop(chains);
        for leaf in drawn {
            let history = leaf.before.and_then(|before| origins.first(leaf.node, before));
            if processes.has_normal_form(leaf.node) {
                zygotes.compare_plainly(processes, leaf, history.as_deref())?;
                self.plain.fetch_add(1, Ordering::Relaxed);
            }
            if history.is_some() && processes.restores.backend != Backend::History {
                audit::run(processes, zygotes, leaf, history.as_deref(), true)?;
            }
        }
        Ok(())
    }
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
        let plainly = node.run(&leaf.cause, leaf.answers, None);
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
         was cleared before: {plainly}; the program reads memory that it has not written, or uses its \
         stack in a way that its code does not show; check it with state = \"raw\"",
        node.number(),
        node.setting.program,
        disagreement::cause(cause)
    ))
    .into()
}
