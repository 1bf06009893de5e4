//! Turns a path and its worlds into a story: what each step does, and what it changes from what to
//! what.

use super::field::Fields;
use super::outcome::{Change, Crash, Scene, Story};
use crate::action::Label;
use crate::error::Error;
use crate::process::Processes;
use crate::process::disagreement;
use crate::process::environment::Environment;
use crate::process::step::Event;
use crate::process::whole_replay::Happenings;
use crate::system::System;
use crate::trace::Trace;
use crate::world::{Liveness, Reader};

/// Bytes of a content without named fields that a change shows.
const SHOWN: usize = 32;

/// Tells runs of one model.
pub struct Teller<'a, S> {
    /// Where actions have their names from.
    pub system: &'a S,
    /// The model.
    pub processes: &'a Processes,
    /// The named fields, by node.
    pub fields: &'a [Fields],
}

impl<S: System> Teller<'_, S> {
    /// The story of `trace`. `worlds` are the initial one and those behind each step; the last step
    /// may have none. `happened` is what nodes did at boot and in each step.
    pub fn story(
        &self,
        trace: &Trace,
        worlds: &[Vec<u8>],
        happened: &[Happenings],
    ) -> Result<Story, Error> {
        let mut story = Story::default();
        let Some(first) = worlds.first() else { return Ok(story) };
        story.start = self.changes(None, first)?;
        for (index, label) in trace.labels.iter().enumerate() {
            let Some(before) = worlds.get(index) else { break };
            let told = self.system.tell(before, &label.action)?;
            let changes = match worlds.get(index + 1) {
                Some(after) => self.changes(Some(before), after)?,
                None => Vec::new(),
            };
            let nothing = Happenings::default();
            let happened = happened.get(index + 1).unwrap_or(&nothing);
            story.steps.push(Scene {
                name: self.system.name(before, &label.action),
                action: self.title(before, label),
                node: told.node,
                words: told.words,
                payload: told.payload,
                note: None,
                changes,
                crash: crash(label, happened),
                printed: printed(happened),
            });
        }
        Ok(story)
    }

    /// The action's name with its choices, as a trace writes it.
    fn title(&self, before: &[u8], label: &Label) -> String {
        let mut title = self.system.name(before, &label.action);
        for choice in &label.choices {
            title.push_str(&format!(" @{choice}"));
        }
        title
    }

    fn changes(&self, before: Option<&[u8]>, after: &[u8]) -> Result<Vec<Change>, Error> {
        let reader = &self.processes.reader;
        let old = before.map(|world| reader.environment(world)).transpose()?;
        let new = reader.environment(after)?;
        let mut changes = Vec::new();
        for node in 0..reader.nodes() {
            self.node_changes(node, before, after, old.as_ref(), &new, &mut changes)?;
        }
        let answered = old.as_ref().map_or(0, |old| old.log.replies().count());
        for entry in new.log.replies().skip(answered) {
            changes.push(Change {
                node: None,
                what: format!("client {} is answered", entry.client),
                old: None,
                new: show(new.texts.get(entry.text)),
            });
        }
        Ok(changes)
    }

    fn node_changes(
        &self,
        node: usize,
        before: Option<&[u8]>,
        after: &[u8],
        old: Option<&Environment>,
        new: &Environment,
        changes: &mut Vec<Change>,
    ) -> Result<(), Error> {
        let reader = &self.processes.reader;
        let mut push = |what: &str, old: Option<String>, new: String| {
            if old.as_ref() != Some(&new) {
                changes.push(Change { node: Some(node), what: what.into(), old, new });
            }
        };
        let durable = |environment: &Environment| {
            let record = environment.nodes[node].durable?;
            Some(show(environment.texts.get(record)))
        };
        let (was_durable, is_durable) = (old.and_then(durable), durable(new));
        let (old, new) = (old.map(|old| &old.nodes[node]), &new.nodes[node]);
        if old.map(|old| old.liveness) != Some(new.liveness)
            && (old.is_some() || new.liveness != Liveness::Running)
        {
            push("state", old.map(|old| word(old.liveness).into()), word(new.liveness).into());
        }
        let content = |world: &'_ [u8]| -> Result<Option<Vec<u8>>, Error> {
            Ok(reader.content(world, node)?.map(<[u8]>::to_vec))
        };
        let was = before.map(&content).transpose()?.flatten();
        if let Some(is) = content(after)? {
            let fields = &self.fields[node];
            if fields.list.is_empty() {
                push("content", was.as_deref().map(show), show(&is));
            }
            let earlier = was.as_deref().map(|was| fields.read(was));
            for (index, (name, value)) in fields.read(&is).into_iter().enumerate() {
                let earlier = earlier.as_ref().map(|earlier| earlier[index].1.to_string());
                push(name, earlier, value.to_string());
            }
        }
        if let Some(durable) = is_durable {
            push("durable", was_durable, durable);
        }
        if new.clock != old.map_or(0, |old| old.clock) {
            push("clock", old.map(|old| seconds(old.clock)), seconds(new.clock));
        }
        Ok(())
    }
}

/// What a crash inside a step let happen, and what it prevented.
fn crash(label: &Label, happened: &Happenings) -> Option<Crash> {
    let way = *label.choices.first().filter(|&&way| way > 0)?;
    let told = |events: &[(usize, Event)]| {
        events.iter().filter_map(|(_, event)| disagreement::event(event)).collect()
    };
    Some(Crash { way, done: told(&happened.done), lost: told(&happened.lost) })
}

fn printed(happened: &Happenings) -> Vec<(usize, i32, Vec<u8>)> {
    let events = happened.done.iter();
    events
        .filter_map(|(node, event)| match event {
            Event::Printed { fd, bytes } => Some((*node, *fd, bytes.clone())),
            _ => None,
        })
        .collect()
}

fn word(liveness: Liveness) -> &'static str {
    match liveness {
        Liveness::Running => "running",
        Liveness::Exited => "exited",
        Liveness::Crashed => "crashed",
    }
}

fn seconds(micros: i64) -> String {
    format!("{}.{:06} s", micros / 1_000_000, micros % 1_000_000)
}

/// Bytes as text where they are text, else in hexadecimal; long ones are cut, and say so.
pub fn show(bytes: &[u8]) -> String {
    let shown = &bytes[..bytes.len().min(SHOWN)];
    let rest = match bytes.len() - shown.len() {
        0 => String::new(),
        rest => format!("… ({rest} more bytes)"),
    };
    let is_text = !shown.is_empty() && shown.iter().all(|&b| b == b'\n' || (32..127).contains(&b));
    match is_text {
        true => format!("\"{}\"{rest}", shown.escape_ascii()),
        false => format!("x:{}{rest}", hex(shown)),
    }
}

/// Bytes in hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
