//! What an action does to the environment, and which node it then asks to run. Both back ends and
//! every search go through here.

use super::config::{Config, Timeout};
use super::enabled::{ClientStep, Line};
use super::environment::{Environment, Why};
use super::network::{End, SideId};
use super::step::WaitKind;
use super::text::Text;
use crate::action::{Action, Kind};
use crate::error::Error;
use crate::system::Stop;
use crate::world::Liveness;

/// How far the clock moves with `timeout = "byte"`.
const SECOND: i64 = 1_000_000;

/// What is left to do after the environment has moved.
#[derive(Clone, Copy, Debug)]
pub enum Run {
    /// Nothing: no node runs.
    Nothing,
    /// A node dies.
    Kill {
        /// Which node.
        node: usize,
    },
    /// A node runs.
    Step {
        /// Which node.
        node: usize,
        /// Why.
        why: Why,
        /// The connection that it accepts, if it does.
        accepting: Option<SideId>,
    },
}

/// Apply `action`, which must be possible, to `environment`.
pub fn act(config: &Config, environment: &mut Environment, action: &Action) -> Result<Run, Stop> {
    let subject = usize::from(action.subject);
    let impossible = || Error::Internal(format!("{action:?} is not possible here"));
    match action.kind {
        Kind::Accept => {
            let id = {
                let backlog = &mut environment.nodes[subject].backlog;
                (!backlog.is_empty()).then(|| backlog.remove(0)).ok_or_else(impossible)?
            };
            Ok(step(subject, Why::Accepted { synthetic: false }, Some(id)))
        }
        Kind::Deliver => {
            let fd = action.argument as i32;
            let wait = environment.waits(subject, WaitKind::Read).filter(|wait| wait.fd == fd);
            let bytes = wait.and_then(|wait| environment.message(subject, wait));
            Ok(step(subject, Why::Bytes(bytes.ok_or_else(impossible)?), None))
        }
        Kind::Eof => Ok(step(subject, Why::Bytes(Text::default()), None)),
        Kind::Timeout => timeout(config, environment, subject),
        Kind::Client => client(config, environment, subject, ClientStep::of(action.argument)),
        Kind::Drop => {
            environment.budgets.drops -= 1;
            let node = &environment.nodes[subject];
            let id = match Line::of(action.argument) {
                Line::Descriptor(fd) => node.end(fd),
                Line::Place(place) => node.backlog.get(place).copied(),
            };
            let id = id.ok_or_else(impossible)?;
            let lost = environment.network.oldest(id).ok_or_else(impossible)?;
            environment.network.arrive(id, lost.len());
            Ok(Run::Nothing)
        }
        Kind::Crash => {
            environment.budgets.crashes -= 1;
            environment.bury(subject, Liveness::Crashed);
            Ok(Run::Kill { node: subject })
        }
        Kind::Restart => {
            environment.budgets.restarts -= 1;
            Ok(boot(environment, subject))
        }
        Kind::Dup | Kind::Fire | Kind::Flush | Kind::Wake | Kind::Reset | Kind::Action => {
            Err(impossible().into())
        }
    }
}

fn step(node: usize, why: Why, accepting: Option<SideId>) -> Run {
    Run::Step { node, why, accepting }
}

/// `node` boots.
pub fn boot(environment: &mut Environment, node: usize) -> Run {
    let side = &mut environment.nodes[node];
    side.liveness = Liveness::Running;
    side.boots += 1;
    step(node, Why::Boot, None)
}

fn timeout(config: &Config, environment: &mut Environment, node: usize) -> Result<Run, Stop> {
    environment.budgets.timeouts -= 1;
    let wait = environment.nodes[node].wait();
    let wait =
        wait.ok_or_else(|| Error::Internal("a TIMEOUT of a node that does not wait".into()))?;
    let (advance, why) = match (config.timeout, wait.kind) {
        (Timeout::Native, _) => (wait.timeout.unwrap_or(0), Why::Expired),
        (Timeout::Byte, WaitKind::Read) => (SECOND, Why::Tick),
        (Timeout::Byte, WaitKind::Accept) => (SECOND, Why::Accepted { synthetic: true }),
    };
    let clock = &mut environment.nodes[node].clock;
    *clock = clock.checked_add(advance).ok_or_else(|| Error::Node {
        node,
        text: "its time-outs add up to more than 292,000 years; use shorter ones".into(),
    })?;
    let synthetic = matches!(why, Why::Accepted { synthetic: true });
    let accepting = synthetic.then(|| environment.synthetic());
    Ok(step(node, why, accepting))
}

fn client(
    config: &Config,
    environment: &mut Environment,
    client: usize,
    step: ClientStep,
) -> Result<Run, Stop> {
    let script = &config.clients[client];
    match step {
        ClientStep::Dial => {
            let id = environment.dial_from(End::Client(client as u8), script.node)?;
            environment.clients[client].dialled = true;
            environment.clients[client].end = Some(id);
        }
        ClientStep::Send(index) => {
            let side = &mut environment.clients[client];
            side.sent[index] = true;
            if let Some(id) = side.end {
                environment.ask(config.requests, client, id.other(), &script.send[index])?;
            }
        }
        ClientStep::Close => {
            if let Some(id) = environment.clients[client].end.take() {
                let shown = config.close == super::config::Close::Shown;
                environment.network.release(id, shown);
            }
        }
    }
    Ok(Run::Nothing)
}
