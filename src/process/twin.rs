//! The twin of a node: the same history in a second process, whose heap lies otherwise. A program that
//! orders or hashes addresses does other things there, and cannot be checked with its heap objects
//! renamed.

use super::disagreement::event;
use super::node::Node;
use super::step::{Event, Rest};
use crate::error::Error;
use crate::system::Stop;

/// An error unless the twin of `node` did what `node` did: `ran`.
pub fn compare(
    node: &Node,
    ran: &(Vec<Event>, Rest),
    other: Result<(Vec<Event>, Rest), Stop>,
) -> Result<(), Stop> {
    let (events, rest) = ran;
    let twin = node.twin.as_deref();
    let (others, end) = match other {
        Ok(other) => other,
        Err(Stop::Violated(breach)) => {
            return Err(depends(node, &told(events, rest), &breach.why));
        }
        Err(stop) => return Err(stop),
    };
    let matters = |events: &[Event]| -> Vec<Event> {
        let events = events.iter().filter(|event| !matches!(event, Event::Printed { .. }));
        events.cloned().collect()
    };
    let same_rest = match (rest, &end) {
        // Arguments may be addresses: number and place of the call must agree.
        (Rest::Waiting(wait, call), Rest::Waiting(other, place)) => {
            wait == other && call[..2] == place[..2]
        }
        (rest, end) => rest == end,
    };
    let asked = twin.is_none_or(|twin| twin.asked == node.asked);
    if same_rest && asked && matters(events) == matters(&others) {
        return Ok(());
    }
    Err(depends(node, &told(events, rest), &told(&others, &end)))
}

fn told(events: &[Event], rest: &Rest) -> String {
    let mut parts: Vec<String> = events.iter().filter_map(event).collect();
    parts.push(match rest {
        Rest::Waiting(..) => "it waits".into(),
        Rest::Exited => "it exits".into(),
        Rest::Cut => "it is stopped".into(),
    });
    parts.join(", ")
}

fn depends(node: &Node, did: &str, other: &str) -> Stop {
    Error::Divergence(format!(
        "node {} ({}): depends on addresses: one step does two things when heap objects lie \
         elsewhere: {did}; or {other}; the program orders, hashes or prints addresses, or reads memory \
         that it has not written: make it use something else, or check it with state = \"raw\"",
        node.number(),
        node.setting.program
    ))
    .into()
}
