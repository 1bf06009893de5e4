//! The check of the normal form: a step is run as the program runs by itself, without a byte or a register
//! of it changed at any rest on the way, and must do what it does from the normal form.

use std::ops::Range;
use std::sync::atomic::Ordering;

use super::Processes;
use super::audit::Auditor;
use super::config::StateKind;
use super::disagreement;
use super::history::{History, Zygotes};
use super::origin::Origins;
use super::step::{Event, Rest};
use super::table::{Ending, Leaf, Table};
use crate::error::Error;
use crate::system::Stop;

/// Of the steps of nodes that have a normal form one in so many is executed without it.
const PLAINLY: u128 = 16;

impl Processes {
    /// Whether nodes of this number go on from a normal form.
    pub fn has_normal_form(&self, number: usize) -> bool {
        self.config.nodes[number].state == StateKind::Memory
    }
}

impl Auditor {
    /// Execute some of the `leaves` of nodes that go on from a normal form without it, too: it may leave
    /// out what nobody reads only.
    pub(super) fn plainly(
        &self,
        processes: &Processes,
        zygotes: &mut Zygotes,
        table: &Table,
        origins: &Origins,
        leaves: Range<usize>,
    ) -> Result<(), Stop> {
        let mut drawn: Vec<&Leaf> = leaves.map(|place| table.leaf(place)).collect();
        drawn.retain(|leaf| leaf.key % PLAINLY == 0 && processes.has_normal_form(leaf.node));
        drawn.sort_by_key(|leaf| (leaf.key, leaf.answers.clock, leaf.answers.boots));
        for leaf in drawn {
            let history = leaf.before.and_then(|before| origins.first(leaf.node, before));
            zygotes.compare_plainly(processes, leaf, history.as_deref())?;
            self.plain.fetch_add(1, Ordering::Relaxed);
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
        let (events, ending) = match node.run(&leaf.cause, leaf.answers, None) {
            Ok(ran) => ran,
            Err(Stop::Violated(breach)) => match &leaf.done.ending {
                Ending::Broke(learned) if learned.property == breach.property => return Ok(()),
                _ => return Err(differs(processes, leaf, &breach.why)),
            },
            Err(stop) => return Err(stop),
        };
        let same = match (&ending, &leaf.done.ending) {
            (Rest::Waiting(wait, _), Ending::Rests(state)) => *wait == state.wait,
            (Rest::Exited, Ending::Exited) => true,
            _ => false,
        };
        if same && events == leaf.done.events {
            return Ok(());
        }
        let told: Vec<String> = events.iter().filter_map(disagreement::event).collect();
        let printed = events.iter().any(|event| matches!(event, Event::Printed { .. }));
        Err(differs(
            processes,
            leaf,
            &match told.is_empty() {
                true if printed => "it prints something else".into(),
                true => "nothing".to_owned(),
                false => told.join(", "),
            },
        ))
    }
}

fn differs(processes: &Processes, leaf: &Leaf, plainly: &str) -> Stop {
    Error::Divergence(format!(
        "node {} ({}): identity incomplete: a step ({}) does something else where nothing that seems dead \
         was cleared before: {plainly}; the program reads memory that it has not written, or uses its \
         stack in a way that its code does not show; check it with state = \"raw\"",
        leaf.node,
        processes.config.nodes[leaf.node].program,
        disagreement::cause(&leaf.cause)
    ))
    .into()
}
