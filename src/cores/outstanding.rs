//! What nodes have asked for, or are to be told, and what has not come yet, as reports tell it.

use super::environment::Environment;

/// Something that has not come yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outstanding {
    /// A message to this node, in flight.
    Message(u8, Vec<u8>),
    /// A record, on its way to the disk.
    Record(Vec<u8>),
    /// This timer, armed.
    Timer(u8),
    /// This waiter, woken.
    Wake(u8),
    /// The reset of the connection to this node.
    Reset(u8),
}

/// What is outstanding in `environment`, each with the node that asked for it or is to be told.
pub fn outstanding(environment: &Environment) -> Vec<(usize, Outstanding)> {
    let mut list = Vec::new();
    for message in environment.network.messages() {
        let bytes = message.payload.bytes().to_vec();
        list.push((message.from.into(), Outstanding::Message(message.to, bytes)));
    }
    for entry in &environment.persists {
        list.push((entry.node.into(), Outstanding::Record(entry.payload.bytes().to_vec())));
    }
    for (node, side) in environment.sides.iter().enumerate() {
        list.extend(side.timers.iter().map(|timer| (node, Outstanding::Timer(timer))));
        list.extend(side.wakes.iter().map(|waiter| (node, Outstanding::Wake(waiter))));
        list.extend(side.resets.iter().map(|peer| (node, Outstanding::Reset(peer))));
    }
    list
}
