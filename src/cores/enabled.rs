//! Which actions are possible: decided from the environment alone. No function here is ever handed
//! the state of a node, so no rule can depend on it.

use super::abi::CMC_MAX_ACTIONS;
use super::env::Discipline;
use super::environment::Environment;
use crate::action::{Action, Kind};
use crate::system::{Breach, Stop};

/// The kinds of action of cores, in the order in which a world's actions are listed.
pub const KINDS: [Kind; 9] = [
    Kind::Deliver,
    Kind::Dup,
    Kind::Fire,
    Kind::Flush,
    Kind::Wake,
    Kind::Client,
    Kind::Drop,
    Kind::Crash,
    Kind::Reset,
];

/// Append the actions that are possible in `environment`, of so many nodes, in canonical order: by
/// kind, by node, by argument.
pub fn enabled(environment: &Environment, nodes: usize, out: &mut Vec<Action>) -> Result<(), Stop> {
    let before = out.len();
    let sides = || (0..).zip(&environment.sides[..nodes]);
    let mut push = |kind, subject: u8, argument: u32| out.push(Action { kind, subject, argument });
    let network = &environment.network;
    for (place, message) in network.first() {
        push(Kind::Deliver, message.to, network.argument(place));
    }
    if environment.dups > 0 {
        for (place, message) in network.first() {
            push(Kind::Dup, message.to, network.argument(place));
        }
    }
    for (node, side) in sides() {
        side.timers.iter().for_each(|timer| push(Kind::Fire, node, timer.into()));
    }
    // They lie by node.
    let heads = environment.persists.chunk_by(|a, b| a.node == b.node);
    heads.for_each(|records| push(Kind::Flush, records[0].node, 0));
    for (node, side) in sides() {
        side.wakes.iter().for_each(|waiter| push(Kind::Wake, node, waiter.into()));
    }
    for (node, _) in sides().filter(|(_, side)| side.clients > 0) {
        push(Kind::Client, node, 0);
    }
    if environment.drops > 0 {
        match network.discipline() {
            Discipline::Fifo => {
                for (a, between) in (0..).zip(network.connections()) {
                    between.iter().for_each(|b| push(Kind::Drop, a, b.into()));
                }
            }
            Discipline::Bag => {
                for (place, message) in network.first() {
                    push(Kind::Drop, message.to, network.argument(place));
                }
            }
        }
    }
    if environment.crashes > 0 {
        for (node, _) in sides() {
            let pending = environment.pending(node).len() as u32;
            (0..=pending).for_each(|kept| push(Kind::Crash, node, kept));
        }
    }
    for (node, side) in sides() {
        side.resets.iter().for_each(|peer| push(Kind::Reset, node, peer.into()));
    }
    within_cap(out.len() - before)
}

/// A world has at most [`CMC_MAX_ACTIONS`] actions.
pub fn within_cap(count: usize) -> Result<(), Stop> {
    if count <= CMC_MAX_ACTIONS {
        return Ok(());
    }
    Err(Stop::Violated(Breach {
        property: "cap:actions".into(),
        why: format!("{count} actions are possible, and at most {CMC_MAX_ACTIONS} are counted"),
    }))
}
