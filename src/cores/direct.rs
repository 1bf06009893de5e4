//! Calibration mode: a core that lists its own actions. Its world is its one state, so here, and only
//! here, what is possible comes from a state; there is no environment that could be asked instead.

use std::ops::ControlFlow;

use super::abi::{CMC_MAX_ACTIONS, CMC_MAX_BYTES, CmcEvent, CmcEventKind, CmcNode};
use super::call::{self, Actions, Caller, NO_EVENT};
use super::core::Core;
use super::enabled::within_cap;
use super::room::{Room, Row};
use crate::action::{Action, Kind};
use crate::brood::{Brood, Run};
use crate::error::Error;
use crate::short;
use crate::system::{Breach, Stop};
use crate::world::Touched;

/// The one kind of action of such cores.
pub const KINDS: [Kind; 1] = [Kind::Action];

/// The actions of the state that was asked about last.
pub struct Listing {
    room: Room,
    actions: Box<Actions>,
    /// How steps are taken.
    row: Row,
    /// How many of `actions` are of the state in `room`; `None` when nothing was listed for it.
    count: Option<usize>,
}

impl Listing {
    /// None listed so far.
    pub fn new(core: &Core) -> Self {
        Listing {
            room: Room::new(core.state_size()),
            actions: Actions::new(),
            row: Row::new(core.state_size()),
            count: None,
        }
    }

    /// How many actions `world` has.
    pub fn count(&mut self, core: &Core, node: &CmcNode, world: &[u8]) -> Result<usize, Stop> {
        fits(core, world)?;
        match self.count {
            Some(count) if self.room.state() == world => Ok(count),
            _ => self.list(core, node, world),
        }
    }

    /// The world has the length of a state.
    fn list(&mut self, core: &Core, node: &CmcNode, world: &[u8]) -> Result<usize, Stop> {
        // A field that the core leaves alone is zero, and not what the state before had there. Behind what
        // was listed is one that it may have written and did not count.
        let written = self.count.take().map_or(CMC_MAX_ACTIONS, |count| count + 1);
        self.actions.listed[..written.min(CMC_MAX_ACTIONS)].fill(NO_EVENT);
        short::copy(world, self.room.state_mut());
        let count = call::direct_actions(core, node, &mut self.room, &mut self.actions)?;
        if !short::equal(self.room.state(), world) {
            let differs = self.room.state().iter().zip(world).position(|(new, old)| new != old);
            let text = format!(
                "core {}: direct_actions() changed byte {} of the state, which it may only read",
                core.name(),
                differs.unwrap_or_default()
            );
            return Err(Error::Node { node: 0, text }.into());
        }
        within_cap(count)?;
        let mut listed = self.actions.listed[..count].iter();
        if let Some(action) = listed.find(|action| usize::from(action.len) > CMC_MAX_BYTES) {
            return Err(too_long(action.len));
        }
        self.count = Some(count);
        Ok(count)
    }

    /// [`crate::system::System::successors`] of `world`, whose actions are listed once.
    #[inline]
    pub fn successors(
        &mut self,
        core: &Core,
        node: &CmcNode,
        caller: &mut Caller,
        world: &[u8],
        brood: &mut Brood,
        look: &mut impl FnMut(&mut Brood) -> ControlFlow<()>,
    ) -> Result<bool, Stop> {
        fits(core, world)?;
        // Long before it is read: what was just written in pieces cannot be read as a whole at once.
        self.row.stand(world);
        let count = self.list(core, node, world)?;
        let Listing { actions, row, .. } = self;
        // Durable bytes are looked at one by one.
        let together = core.durable_size() == 0;
        let mut argument = 0;
        for events in actions.listed[..count].chunks(row.most) {
            if argument > 0 && look(brood).is_break() {
                break;
            }
            let (count, bytes) = (events.len() as u32, row.bytes(events.len()));
            let action = Action { kind: Kind::Action, subject: 0, argument };
            let room = brood.room(bytes);
            if together && caller.steps(core, node, (events, tidied), row, room) {
                let (start, stride, len) = (row.first(), row.stride(), world.len());
                let touched = Touched::ALL;
                brood.append(Run { action, count, start, stride, len, touched }, bytes);
            } else {
                let explained = one_by_one((core, node), caller, world, (action, events), brood);
                if together && !explained {
                    brood.stop(action, call::strayed(core, node));
                }
            }
            argument += count;
        }
        Ok(count > 0)
    }

    /// The event of `action`, which is possible in `world`.
    pub fn event(
        &mut self,
        core: &Core,
        node: &CmcNode,
        world: &[u8],
        action: &Action,
    ) -> Result<CmcEvent, Stop> {
        let count = self.count(core, node, world)?;
        let listed = self.actions.listed[..count].get(action.argument as usize);
        let fault = || Error::Internal(format!("there is no action {} here", action.argument));
        Ok(listed.map(tidied).ok_or_else(fault)?)
    }
}

/// Let `node` take each of `events` in `world`, where each is looked at for itself; `action` is that of
/// the first. Answers whether there was anything to see.
#[cold]
fn one_by_one(
    (core, node): (&Core, &CmcNode),
    caller: &mut Caller,
    world: &[u8],
    (action, events): (Action, &[CmcEvent]),
    brood: &mut Brood,
) -> bool {
    let mut explained = false;
    for (argument, event) in (action.argument..).zip(events.iter().map(tidied)) {
        caller.load(world);
        let stepped = caller.step(core, node, &event).and_then(|()| nothing_asked(caller));
        let action = Action { argument, ..action };
        match stepped {
            Ok(()) => brood.push(action, Touched::ALL, caller.state()),
            Err(stop) => {
                explained = true;
                brood.stop(action, stop);
            }
        }
    }
    explained
}

/// An error if `world` is no state of `core`.
#[inline]
fn fits(core: &Core, world: &[u8]) -> Result<(), Error> {
    match world.len() == core.state_size() {
        true => Ok(()),
        false => Err(Error::Internal("a world is not as long as a state".into())),
    }
}

/// An action that was listed as an event of its own: of the kind that actions have, and with zeros behind
/// its end, which are no part of it and so must not reach the core. What the core writes to it, though it
/// may only read it, reaches no other. Its fields are read one by one, as they were written a moment ago:
/// what was written in pieces cannot be read as a whole so soon.
#[inline(always)]
fn tidied(listed: &CmcEvent) -> CmcEvent {
    let CmcEvent { peer, id, len, ref data, .. } = *listed;
    let kind = CmcEventKind::CMC_EV_ACTION as u8;
    match len {
        0 => CmcEvent { kind, peer, id, len, ..NO_EVENT },
        _ => {
            let mut event = CmcEvent { kind, peer, id, len, data: *data };
            event.data[len.into()..].fill(0);
            event
        }
    }
}

#[cold]
fn too_long(len: u8) -> Stop {
    Stop::Violated(Breach {
        property: "cap:bytes".into(),
        why: format!(
            "direct_actions() lists an action of {len} bytes, and there are at most \
             {CMC_MAX_BYTES}"
        ),
    })
}

/// A core that lists its own actions asks for nothing.
#[inline]
pub fn nothing_asked(caller: &Caller) -> Result<(), Stop> {
    match caller.effect_count() {
        0 => Ok(()),
        count => Err(asked(count)),
    }
}

#[cold]
fn asked(count: u32) -> Stop {
    Stop::Violated(Breach {
        property: "effect".into(),
        why: format!(
            "{count} effects were asked for by a core that lists its own actions, for which there \
             is no environment"
        ),
    })
}
