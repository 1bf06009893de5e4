//! Actions as people read them: the name in a trace, and what one means in a world.

use super::config::Config;
use super::enabled::{ClientStep, Line};
use super::environment::Environment;
use super::network::{End, SideId};
use super::step::WaitKind;
use crate::action::{Action, Kind};
use crate::system::Told;

/// What `action` is called.
pub fn name(config: &Config, action: &Action) -> String {
    let Action { kind, subject, argument } = *action;
    match kind {
        Kind::Accept | Kind::Deliver | Kind::Eof => format!("{kind} {subject} {argument}"),
        Kind::Client => match ClientStep::of(argument) {
            ClientStep::Dial => format!("{kind} {subject} dial"),
            ClientStep::Close => format!("{kind} {subject} close"),
            ClientStep::Send(index) => {
                let text = &config.clients[usize::from(subject)].send[index];
                format!("{kind} {subject} \"{}\"", text.escape_ascii())
            }
        },
        Kind::Drop => match Line::of(argument) {
            Line::Descriptor(fd) => format!("{kind} {subject} {fd}"),
            Line::Place(place) => format!("{kind} {subject} port:{place}"),
        },
        _ => format!("{kind} {subject}"),
    }
}

/// What `action` means in `environment`.
pub fn tell(config: &Config, environment: &Environment, action: &Action) -> Told {
    let subject = usize::from(action.subject);
    let argument = action.argument;
    let network = &environment.network;
    let texts = &environment.texts;
    let from = |id: Option<&SideId>| match id.map(|id| network.side(id.other()).end) {
        Some(End::Node(node, _) | End::Waiting(node)) => format!(" from node {node}"),
        Some(End::Client(client)) => format!(" from client {client}"),
        Some(End::Gone) | None => " from an end that is gone".into(),
    };
    let first = |id: &SideId| network.oldest(*id).map(|text| texts.get(text).to_vec());
    if action.kind == Kind::Client {
        let script = &config.clients[subject];
        let (words, payload) = match ClientStep::of(argument) {
            ClientStep::Dial => (format!("client {subject} dials node {}", script.node), None),
            ClientStep::Send(index) => (
                format!("client {subject} sends to node {}", script.node),
                Some(script.send[index].clone()),
            ),
            ClientStep::Close => (format!("client {subject} closes"), None),
        };
        return Told { node: None, words, payload };
    }
    let node = &environment.nodes[subject];
    let (words, payload) = match action.kind {
        Kind::Accept => (
            format!("accepts a connection{} on descriptor {argument}", from(node.backlog.first())),
            None,
        ),
        Kind::Deliver => {
            let id = node.end(argument as i32);
            let room = node.wait().map_or(u64::MAX, |wait| wait.capacity);
            let payload = id.as_ref().and_then(first).map(|mut bytes| {
                bytes.truncate(usize::try_from(room).unwrap_or(usize::MAX));
                bytes
            });
            (format!("reads a message{} on descriptor {argument}", from(id.as_ref())), payload)
        }
        Kind::Eof => (format!("reads the end of descriptor {argument}"), None),
        Kind::Timeout => {
            let wait = match node.wait().map(|wait| (wait.kind, wait.fd)) {
                Some((WaitKind::Accept, fd)) => format!("accept on descriptor {fd}"),
                Some((WaitKind::Read, fd)) => format!("read on descriptor {fd}"),
                None => "no wait".into(),
            };
            (format!("runs out of time in {wait}"), None)
        }
        Kind::Drop => {
            let (id, place) = match Line::of(argument) {
                Line::Descriptor(fd) => (node.end(fd), format!("descriptor {fd}")),
                Line::Place(place) => {
                    (node.backlog.get(place).copied(), format!("place {place} of its port"))
                }
            };
            (
                format!("loses the oldest message{} on {place}", from(id.as_ref())),
                id.as_ref().and_then(first),
            )
        }
        Kind::Crash => ("crashes".into(), None),
        Kind::Restart => match &node.durable {
            Some(record) => {
                let record = texts.get(*record).to_vec();
                ("boots again and finds its durable record".into(), Some(record))
            }
            None => ("boots again without a durable record".into(), None),
        },
        _ => unreachable!("told above, or not of this front end"),
    };
    Told { node: Some(subject), words, payload }
}
