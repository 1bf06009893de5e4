//! Actions as people read them: the name in a trace, and what one means in a world.

use std::fmt::Write as _;

use super::abi::CmcEvent;
use super::encode::Encoded;
use super::env::{Discipline, Env};
use super::environment::Environment;
use crate::action::{Action, Kind};
use crate::error::Error;
use crate::system::Told;

/// What `action`, which is possible in `world`, is called.
pub fn name(env: &Env, world: &Encoded<'_>, action: &Action) -> String {
    let Action { kind, subject, argument } = *action;
    match (kind, env.network) {
        (Kind::Deliver | Kind::Dup | Kind::Drop, Discipline::Bag) => {
            // Its place says nothing to people, and another in another world.
            match world.messages().nth(argument as usize) {
                Some(Ok((to, from, bytes))) => format!("{kind} {to} {from} {}", hex(bytes)),
                Some(Err(_)) | None => format!("{kind} {subject} place:{argument}"),
            }
        }
        (Kind::Flush | Kind::Client, _) => format!("{kind} {subject}"),
        _ => format!("{kind} {subject} {argument}"),
    }
}

/// What an action that a core lists itself is called.
pub fn direct_name(event: &CmcEvent) -> String {
    let bytes = &event.data[..event.len.into()];
    format!("{} {} {} {}", Kind::Action, event.id, event.peer, hex(bytes))
}

/// What such an action means.
pub fn direct(event: &CmcEvent) -> Told {
    let bytes = &event.data[..event.len.into()];
    Told {
        node: Some(0),
        words: format!("takes action {} of process {}", event.id, event.peer),
        payload: (!bytes.is_empty()).then(|| bytes.to_vec()),
    }
}

/// What `action` means where the environment is `environment`.
pub fn tell(env: &Env, environment: &Environment, action: &Action) -> Result<Told, Error> {
    let Action { kind, subject: node, argument } = *action;
    let number = usize::from(node);
    let network = &environment.network;
    let message = || {
        let place = network.place(node, argument).ok_or_else(|| {
            Error::Internal(format!("{action:?} is about a message that is not there"))
        })?;
        let message = &network.messages()[place];
        Ok((message.from, Some(message.payload.bytes().to_vec())))
    };
    let pending = environment.pending(node);
    let (node, words, payload) = match (kind, env.network) {
        (Kind::Deliver, _) => {
            let (from, payload) = message()?;
            (Some(number), format!("takes a message from node {from}"), payload)
        }
        (Kind::Dup, _) => {
            let (from, payload) = message()?;
            let words = format!("takes a message from node {from}, which will come once more");
            (Some(number), words, payload)
        }
        (Kind::Drop, Discipline::Bag) => {
            let (from, payload) = message()?;
            (Some(number), format!("is never given a message from node {from}"), payload)
        }
        (Kind::Drop, Discipline::Fifo) => {
            let words = format!(
                "the connection between nodes {node} and {argument} is reset, and what is in \
                 flight on it lost"
            );
            (None, words, None)
        }
        (Kind::Fire, _) => (Some(number), format!("finds that timer {argument} ran out"), None),
        (Kind::Flush, _) => {
            let record = pending.first().map(|entry| entry.payload.bytes().to_vec());
            (Some(number), "learns that its oldest record is on disk".into(), record)
        }
        (Kind::Wake, _) => (Some(number), format!("goes on as waiter {argument}"), None),
        (Kind::Client, _) => {
            let before = env.clients[number] - environment.sides[number].clients;
            (Some(number), format!("is asked by a client, request {before}"), None)
        }
        (Kind::Crash, _) => {
            let disk = match pending.len() {
                0 => "nothing under way to its disk".into(),
                count => format!("{argument} of {count} records on their way to its disk kept"),
            };
            (Some(number), format!("crashes with {disk}, and starts again"), None)
        }
        (Kind::Reset, _) => {
            let words = format!("learns that its connection to node {argument} was reset");
            (Some(number), words, None)
        }
        _ => return Err(Error::Internal(format!("{action:?} is no action of a core"))),
    };
    Ok(Told { node, words, payload })
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::from("x:");
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}
