//! Takes one action of a core that speaks by messages: the environment does its part, one node takes
//! one event, and what it asks for becomes part of the environment. A drop calls no node. Nothing is
//! allocated once the memory of a worker has grown to what its worlds need.

use std::ops::{ControlFlow, Range};

use super::Cores;
use super::abi::{CmcEvent, CmcEventKind as EventKind};
use super::call::Caller;
use super::effects;
use super::enabled::enabled;
use super::encode::encode;
use super::env::{Discipline, Env};
use super::environment::Environment;
use super::payload::Payload;
use crate::action::{Action, Kind};
use crate::brood::Brood;
use crate::error::Error;
use crate::short;
use crate::system::Stop;
use crate::world::Touched;

/// The environment of the world that was asked about last, which is read once for all its successors,
/// and the memory in which they are made.
pub struct Scene {
    /// The world whose environment `now` is; empty when there is none.
    world: Vec<u8>,
    now: Environment,
    actions: Vec<Action>,
    making: Making,
}

/// The successor that is being made: its environment, and its bytes.
struct Making {
    next: Environment,
    world: Vec<u8>,
}

impl Scene {
    /// No world.
    pub fn new(cores: &Cores) -> Self {
        let now = Environment::new(&cores.env);
        let making = Making { next: now.clone(), world: Vec::new() };
        Scene { world: Vec::new(), now, actions: Vec::new(), making }
    }

    /// The environment of `world`.
    pub fn environment(&mut self, cores: &Cores, world: &[u8]) -> Result<&Environment, Error> {
        if self.world != world {
            self.world.clear();
            cores.layout.environment(world)?.decode(&mut self.now)?;
            self.world.extend_from_slice(world);
        }
        Ok(&self.now)
    }

    /// Write the successor of `world` under `action` to `out`.
    pub fn apply(
        &mut self,
        cores: &Cores,
        caller: &mut Caller,
        world: &[u8],
        action: &Action,
        out: &mut Vec<u8>,
    ) -> Result<(), Stop> {
        self.environment(cores, world)?;
        let Scene { now, making: Making { next, .. }, .. } = self;
        step(cores, caller, world, now, action, next)?;
        out.clear();
        out.extend_from_slice(cores.layout.states(world));
        out[cores.layout.range(action.subject)].copy_from_slice(caller.state());
        encode(next, cores.env.nodes, out);
        Ok(())
    }

    /// [`crate::system::System::successors`] of `world`, whose environment is read once. An action
    /// concerns one node, so between two successors the states of the others stay where they are.
    pub fn successors(
        &mut self,
        cores: &Cores,
        caller: &mut Caller,
        world: &[u8],
        brood: &mut Brood,
        look: &mut impl FnMut(&mut Brood) -> ControlFlow<()>,
    ) -> Result<bool, Stop> {
        self.environment(cores, world)?;
        let Scene { now, actions, making: Making { next, world: made }, .. } = self;
        let layout = &cores.layout;
        let states = layout.states(world);
        actions.clear();
        enabled(now, cores.env.nodes, actions)?;
        made.clear();
        made.extend_from_slice(states);
        for action in &*actions {
            let range = layout.range(action.subject);
            let Range { start, end } = range;
            match step(cores, caller, world, now, action, next) {
                Err(stop) => brood.stop(*action, stop),
                Ok(()) => {
                    short::copy(caller.state(), &mut made[range.clone()]);
                    made.truncate(states.len());
                    encode(next, cores.env.nodes, made);
                    brood.push(*action, Touched { start, end, behind: states.len() }, made);
                    short::copy(&world[range.clone()], &mut made[range]);
                }
            }
            if brood.is_full() && look(brood).is_break() {
                break;
            }
        }
        Ok(!actions.is_empty())
    }
}

/// Take `action` in `world`, whose environment is `now`: the state of the node that it concerns is with
/// `caller` then, and the environment is `next`.
fn step(
    cores: &Cores,
    caller: &mut Caller,
    world: &[u8],
    now: &Environment,
    action: &Action,
    next: &mut Environment,
) -> Result<(), Stop> {
    next.copy_from(now);
    let Cores { core, env, layout, nodes, .. } = cores;
    let node = usize::from(action.subject);
    caller.load(layout.state(world, node)?);
    let disk = |record: &Payload| caller.apply_persist(core, &nodes[node], record);
    if let Some(event) = happens(env, next, action, disk)? {
        if action.kind == Kind::Crash {
            caller.clear(core.durable_size());
        }
        caller.step(core, &nodes[node], &event)?;
        effects::take(env, next, action.subject, caller.effects(action.subject)?)?;
    }
    Ok(())
}

/// Let network, clock, clients and `disk`, which is given the records that reach it, do their part of
/// `action`. The answer is the event that the node takes then, if it takes one.
pub fn happens(
    env: &Env,
    next: &mut Environment,
    action: &Action,
    mut disk: impl FnMut(&Payload) -> Result<(), Stop>,
) -> Result<Option<CmcEvent>, Stop> {
    let Action { kind, subject: node, argument } = *action;
    let impossible = || Error::Internal(format!("{action:?} is not possible in this world"));
    let number = u8::try_from(argument).map_err(|_| impossible())?;
    let side = &mut next.sides[usize::from(node)];
    let none = Payload::ZERO;
    Ok(Some(match kind {
        Kind::Deliver => {
            let place = next.network.place(node, argument).ok_or_else(impossible)?;
            let message = next.network.take(place);
            event(EventKind::CMC_EV_MESSAGE, message.from, 0, message.payload)
        }
        Kind::Dup => {
            spend(&mut next.dups).ok_or_else(impossible)?;
            let place = next.network.place(node, argument).ok_or_else(impossible)?;
            let message = next.network.messages()[place];
            event(EventKind::CMC_EV_MESSAGE, message.from, 0, message.payload)
        }
        Kind::Fire => {
            side.timers.remove(number).ok_or_else(impossible)?;
            event(EventKind::CMC_EV_TIMER, 0, number, none)
        }
        Kind::Flush => {
            let record = next.flush(node).ok_or_else(impossible)?;
            disk(&record)?;
            event(EventKind::CMC_EV_FLUSHED, 0, 0, record)
        }
        Kind::Wake => {
            side.wakes.remove(number).ok_or_else(impossible)?;
            event(EventKind::CMC_EV_WAKE, 0, number, none)
        }
        Kind::Client => {
            let before = env.clients[usize::from(node)] - side.clients;
            spend(&mut side.clients).ok_or_else(impossible)?;
            event(EventKind::CMC_EV_CLIENT, 0, before, none)
        }
        Kind::Drop => {
            spend(&mut next.drops).ok_or_else(impossible)?;
            match env.network {
                Discipline::Fifo => next.reset(node, number).ok_or_else(impossible)?,
                Discipline::Bag => {
                    let place = next.network.place(node, argument).ok_or_else(impossible)?;
                    next.network.take(place);
                }
            }
            return Ok(None);
        }
        Kind::Crash => {
            spend(&mut next.crashes).ok_or_else(impossible)?;
            for _ in 0..number {
                disk(&next.flush(node).ok_or_else(impossible)?)?;
            }
            next.crash(node, env.nodes);
            event(EventKind::CMC_EV_RESTART, 0, 0, none)
        }
        Kind::Reset => {
            side.resets.remove(number).ok_or_else(impossible)?;
            event(EventKind::CMC_EV_RESET, number, 0, none)
        }
        _ => return Err(impossible().into()),
    }))
}

/// Take one from a budget, if there is one left.
fn spend(budget: &mut u8) -> Option<()> {
    *budget = budget.checked_sub(1)?;
    Some(())
}

fn event(kind: EventKind, peer: u8, id: u8, payload: Payload) -> CmcEvent {
    CmcEvent { kind: kind as u8, peer, id, len: payload.len(), data: payload.padded() }
}
