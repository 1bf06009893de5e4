//! The check of the normal form: a step is run as the program runs by itself, without a byte or a register
//! of it changed at any rest on the way, and must do what it does from the normal form.

use super::Processes;
use super::config::StateKind;
use super::disagreement;
use super::history::{History, Zygotes};
use super::step::{Event, Rest};
use super::table::{Ending, Leaf};
use crate::error::Error;
use crate::system::Stop;

impl Processes {
    /// Whether nodes of this number go on from a normal form.
    pub fn has_normal_form(&self, number: usize) -> bool {
        self.config.nodes[number].state == StateKind::Memory
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
