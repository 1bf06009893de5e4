//! Turns a path of a core and its worlds into a story: what each step does, what the node then asks
//! for, and what changes, field by field where the core's author names fields.

use super::core_model::CoreModel;
use super::outcome::{Change, Scene, Story};
use super::story::show;
use crate::action::{Action, Kind};
use crate::cores::abi::CmcBytesKind;
use crate::cores::outstanding::Outstanding;
use crate::error::Error;
use crate::system::System;
use crate::trace::Trace;

/// Tells runs of one core.
pub struct CoreTeller<'a> {
    /// The core, and how it is shown.
    pub model: &'a CoreModel,
}

impl CoreTeller<'_> {
    /// The story of `trace`. `worlds` are the initial one and those behind each step; the last step
    /// may have none.
    pub fn story(&self, trace: &Trace, worlds: &[Vec<u8>]) -> Result<Story, Error> {
        let Some(first) = worlds.first() else { return Ok(Story::default()) };
        let mut story = Story { start: self.changes(None, Vec::new(), first)?, steps: Vec::new() };
        for (index, label) in trace.labels.iter().enumerate() {
            let Some(before) = worlds.get(index) else { break };
            let cores = &self.model.cores;
            let told = cores.tell(before, &label.action)?;
            let name = cores.name(before, &label.action);
            let note = self.note(before, &label.action, told.node, told.payload.as_deref());
            let changes = match worlds.get(index + 1) {
                Some(after) => {
                    let known = cores.untouched(before, &label.action)?;
                    self.changes(Some(before), known, after)?
                }
                None => Vec::new(),
            };
            let own = label.action.kind == Kind::Action;
            story.steps.push(Scene {
                action: name.clone(),
                name,
                node: told.node.filter(|_| !own),
                words: match &note {
                    Some(note) if own => note.clone(),
                    _ => told.words,
                },
                payload: told.payload.filter(|_| note.is_none()),
                note,
                changes,
                crash: None,
                printed: Vec::new(),
            });
        }
        Ok(story)
    }

    /// What moves in a step, in the words of the core's author.
    fn note(
        &self,
        before: &[u8],
        action: &Action,
        node: Option<usize>,
        payload: Option<&[u8]>,
    ) -> Option<String> {
        let CoreModel { cores, format, .. } = self.model;
        let node = cores.node(node.unwrap_or(0));
        match action.kind {
            Kind::Action => format.action(node, &cores.direct_action(before, action).ok()??),
            Kind::Flush => format.bytes(node, CmcBytesKind::CMC_BYTES_RECORD, payload?),
            Kind::Deliver | Kind::Dup | Kind::Drop => {
                format.bytes(node, CmcBytesKind::CMC_BYTES_MESSAGE, payload?)
            }
            _ => None,
        }
    }

    /// What differs between two worlds. What is outstanding behind them and not `known` is new, also
    /// where it is equal to something that was taken or lost.
    fn changes(
        &self,
        before: Option<&[u8]>,
        mut known: Vec<(usize, Outstanding)>,
        after: &[u8],
    ) -> Result<Vec<Change>, Error> {
        let mut changes = Vec::new();
        for node in 0..self.model.cores.env().nodes {
            self.state_changes(node, before, after, &mut changes)?;
        }
        let bytes = |node, kind, bytes: &[u8]| {
            let said = self.model.format.bytes(self.model.cores.node(node), kind, bytes);
            said.unwrap_or_else(|| show(bytes))
        };
        for one in self.model.cores.outstanding(after)? {
            if let Some(at) = known.iter().position(|other| *other == one) {
                known.remove(at);
                continue;
            }
            let (node, outstanding) = one;
            let (what, new) = match outstanding {
                Outstanding::Message(to, message) => {
                    let message = bytes(node, CmcBytesKind::CMC_BYTES_MESSAGE, &message);
                    (format!("sends to {to}"), message)
                }
                Outstanding::Record(record) => {
                    ("persists".into(), bytes(node, CmcBytesKind::CMC_BYTES_RECORD, &record))
                }
                Outstanding::Timer(timer) => ("arms timer".into(), timer.to_string()),
                Outstanding::Wake(waiter) => ("wakes waiter".into(), waiter.to_string()),
                Outstanding::Reset(peer) => ("is cut off from".into(), peer.to_string()),
            };
            changes.push(Change { node: Some(node), what, old: None, new });
        }
        let answered = before.map(|world| self.replies(world)).transpose()?.map_or(0, |r| r.len());
        for (node, reply) in self.replies(after)?.into_iter().skip(answered) {
            changes.push(Change {
                node: Some(node),
                what: "replies".into(),
                old: None,
                new: bytes(node, CmcBytesKind::CMC_BYTES_REPLY, &reply),
            });
        }
        Ok(changes)
    }

    fn state_changes(
        &self,
        node: usize,
        before: Option<&[u8]>,
        after: &[u8],
        changes: &mut Vec<Change>,
    ) -> Result<(), Error> {
        let state = |world| -> Result<Vec<u8>, Error> {
            let view = self.model.cores.view(world);
            Ok(view.reader.content(world, node)?.unwrap_or_default().to_vec())
        };
        let (old, new) = (before.map(&state).transpose()?, state(after)?);
        if old.as_ref() == Some(&new) {
            return Ok(());
        }
        let mut push = |what: &str, old: Option<String>, new: String| {
            if old.as_ref() != Some(&new) {
                // In calibration mode one state is the whole world.
                let node = (!self.model.cores.core().is_direct()).then_some(node);
                changes.push(Change { node, what: what.into(), old, new });
            }
        };
        let said = |state: &[u8]| self.model.format.state(self.model.cores.node(node), state);
        match said(&new) {
            None => push("state", old.as_deref().map(show), show(&new)),
            Some(text) => {
                let earlier = old.as_deref().and_then(said);
                let earlier = earlier.as_deref().map(fields);
                for (index, (name, value)) in fields(&text).into_iter().enumerate() {
                    let old = earlier.as_ref().and_then(|earlier| {
                        let same = earlier.get(index).filter(|(known, _)| *known == name);
                        let same =
                            same.or_else(|| earlier.iter().find(|(known, _)| *known == name));
                        same.map(|(_, value)| (*value).to_owned())
                    });
                    push(name, old, value.to_owned());
                }
            }
        }
        Ok(())
    }

    /// The reply log: who answered, and what.
    fn replies(&self, world: &[u8]) -> Result<Vec<(usize, Vec<u8>)>, Error> {
        let mut replies = Vec::new();
        self.model.cores.view(world).reader.replies(world, &mut |reply| {
            replies.push((reply.node.unwrap_or(0), reply.bytes.to_vec()));
            true
        })?;
        Ok(replies)
    }
}

/// The words of a state: each `NAME=VALUE`, or all of it where it is not made so.
fn fields(text: &str) -> Vec<(&str, &str)> {
    let words = || text.split_whitespace();
    match words().all(|word| word.contains('=')) {
        true => words().filter_map(|word| word.split_once('=')).collect(),
        false => vec![("state", text)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_words_with_names_or_one_text() {
        assert_eq!(fields("term=1 log=[1,2]"), [("term", "1"), ("log", "[1,2]")]);
        assert_eq!(fields("term 1 log=2"), [("state", "term 1 log=2")]);
        assert_eq!(fields(""), []);
    }
}
