//! Which actions are possible: decided from the environment alone. No function here is ever handed
//! the content of a node, so no rule can depend on it.

use super::config::{ClientConfig, Config, Timeout};
use super::environment::Environment;
use super::participant::ClientSide;
use super::step::WaitKind;
use crate::action::{Action, Kind};
use crate::world::Liveness;

/// The argument of a CLIENT action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientStep {
    /// It dials its node.
    Dial,
    /// It sends the message with this index.
    Send(usize),
    /// It closes its end.
    Close,
}

impl ClientStep {
    /// As an action's argument.
    pub fn argument(self) -> u32 {
        match self {
            ClientStep::Dial => 0,
            ClientStep::Send(index) => 1 + index as u32,
            ClientStep::Close => u32::MAX,
        }
    }

    /// From an action's argument.
    pub fn of(argument: u32) -> Self {
        match argument {
            0 => ClientStep::Dial,
            u32::MAX => ClientStep::Close,
            index => ClientStep::Send(index as usize - 1),
        }
    }
}

/// The argument of a DROP action: where the message was going.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// To a descriptor of the node.
    Descriptor(i32),
    /// To a place at its port.
    Place(usize),
}

impl Line {
    const PLACE: u32 = 1 << 31;

    /// As an action's argument.
    pub fn argument(self) -> u32 {
        match self {
            Line::Descriptor(fd) => fd as u32,
            Line::Place(place) => place as u32 | Self::PLACE,
        }
    }

    /// From an action's argument.
    pub fn of(argument: u32) -> Self {
        match argument & Self::PLACE {
            0 => Line::Descriptor(argument as i32),
            _ => Line::Place((argument & !Self::PLACE) as usize),
        }
    }
}

/// The kinds of action of real programs, in the order in which a world's actions are listed.
pub const KINDS: [Kind; 8] = [
    Kind::Accept,
    Kind::Deliver,
    Kind::Eof,
    Kind::Client,
    Kind::Timeout,
    Kind::Drop,
    Kind::Crash,
    Kind::Restart,
];

/// Append the actions that are possible in `environment`, in canonical order: by kind, by node, by
/// descriptor.
pub fn enabled(config: &Config, environment: &Environment, out: &mut Vec<Action>) {
    let mut push = |kind, subject: usize, argument| {
        out.push(Action { kind, subject: subject as u8, argument });
    };
    let nodes = || environment.nodes.iter().enumerate();
    for (n, node) in nodes() {
        if let Some(wait) = environment.waits(n, WaitKind::Accept)
            && !node.backlog.is_empty()
        {
            push(Kind::Accept, n, wait.fd as u32);
        }
    }
    // (node, descriptor, whether a message is there, whether the other end is finished)
    let reads = || {
        nodes().filter_map(|(n, node)| {
            let wait = environment.waits(n, WaitKind::Read)?;
            let side = environment.network.side(node.end(wait.fd)?);
            Some((n, wait.fd, side.waiting > 0, side.finished))
        })
    };
    for (n, fd, message, _) in reads() {
        if message {
            push(Kind::Deliver, n, fd as u32);
        }
    }
    for (n, fd, message, finished) in reads() {
        if !message && finished {
            push(Kind::Eof, n, fd as u32);
        }
    }
    for (k, script) in config.clients.iter().enumerate() {
        client_steps(script, k, environment, |step| push(Kind::Client, k, step.argument()));
    }
    if environment.budgets.timeouts > 0 {
        timed(config, environment).for_each(|n| push(Kind::Timeout, n, 0));
    }
    if environment.budgets.drops > 0 {
        for (n, node) in nodes() {
            let has = |id| environment.network.side(id).waiting > 0;
            for &(fd, _) in node.ends.iter().filter(|&&(_, id)| has(id)) {
                push(Kind::Drop, n, Line::Descriptor(fd).argument());
            }
            for (place, _) in node.backlog.iter().enumerate().filter(|&(_, &id)| has(id)) {
                push(Kind::Drop, n, Line::Place(place).argument());
            }
        }
    }
    for (kind, budget, liveness) in [
        (Kind::Crash, environment.budgets.crashes, Liveness::Running),
        (Kind::Restart, environment.budgets.restarts, Liveness::Crashed),
    ] {
        for (n, _) in nodes().filter(|(_, node)| budget > 0 && node.liveness == liveness) {
            push(kind, n, 0);
        }
    }
}

/// The nodes whose wait can run out of time.
pub fn timed(config: &Config, environment: &Environment) -> impl Iterator<Item = usize> {
    let byte = config.timeout == Timeout::Byte;
    let nodes = environment.nodes.iter().enumerate();
    nodes
        .filter(move |(_, node)| node.wait().is_some_and(|wait| byte || wait.timeout.is_some()))
        .map(|(n, _)| n)
}

/// Call `push` with the steps that script `k` can take.
fn client_steps(
    script: &ClientConfig,
    k: usize,
    environment: &Environment,
    mut push: impl FnMut(ClientStep),
) {
    let ClientSide { dialled, sent, end } = &environment.clients[k];
    if !dialled {
        let target = &environment.nodes[script.node];
        if target.liveness == Liveness::Running && target.listens {
            push(ClientStep::Dial);
        }
        return;
    }
    let done = sent.iter().filter(|&&sent| sent).count();
    if end.is_none() || script.wait && environment.replies_of(k) < done {
        return;
    }
    if done == sent.len() {
        if script.close {
            push(ClientStep::Close);
        }
        return;
    }
    let left = (0..sent.len()).filter(|&index| !sent[index]);
    if !script.any_order {
        return left.take(1).map(ClientStep::Send).for_each(push);
    }
    // Equal texts are one action, and the first of them is the one that goes.
    let fresh = |&index: &usize| {
        (0..index).all(|before| sent[before] || script.send[before] != script.send[index])
    };
    left.filter(fresh).map(ClientStep::Send).for_each(push);
}
