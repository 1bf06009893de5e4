//! The only place where the functions of a core are called, and where it is checked that they change
//! nothing but what they are given to change: not what lies beside it, which is an error, because
//! nobody knows what else was hit; not durable bytes, or in `apply_persist()` others, which is the
//! violation `durable`. What they ask for is judged elsewhere. A call allocates nothing.
#![allow(unsafe_code)] // it calls functions of a core

use std::fmt;

use super::abi::{
    CMC_MAX_ACTIONS, CMC_MAX_EFFECTS, CmcEffect, CmcEvent, CmcEventKind, CmcNode, CmcOut,
};
use super::core::Core;
use super::payload::Payload;
use super::room::{Apart, Beside, Guard, Room, Row};
use crate::error::Error;
use crate::short;
use crate::system::{Breach, Stop};

/// A function of a core, as messages name it.
#[derive(Clone, Copy, Debug)]
enum Called {
    Init,
    Step(u8),
    ApplyPersist,
    DirectActions,
}

impl fmt::Display for Called {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let event = match self {
            Called::Init => return f.write_str("init()"),
            Called::ApplyPersist => return f.write_str("apply_persist()"),
            Called::DirectActions => return f.write_str("direct_actions()"),
            Called::Step(event) => event,
        };
        let event = match event {
            1 => "CMC_EV_MESSAGE",
            2 => "CMC_EV_TIMER",
            3 => "CMC_EV_FLUSHED",
            4 => "CMC_EV_WAKE",
            5 => "CMC_EV_CLIENT",
            6 => "CMC_EV_RESET",
            7 => "CMC_EV_RESTART",
            _ => "CMC_EV_ACTION",
        };
        write!(f, "step({event})")
    }
}

/// What a core writes its effects to, with a guard behind it; on cache lines of its own.
#[repr(C, align(128))]
struct Out {
    out: CmcOut,
    guard: Guard,
}

/// What a core writes its actions to, with a guard behind it; on cache lines of its own.
#[repr(C, align(128))]
pub struct Actions {
    /// The actions.
    pub listed: [CmcEvent; CMC_MAX_ACTIONS],
    guard: Guard,
}

impl Actions {
    /// All zero.
    pub fn new() -> Box<Self> {
        Box::new(Actions { listed: [NO_EVENT; CMC_MAX_ACTIONS], guard: Guard::WHOLE })
    }
}

/// An event without bytes.
pub const NO_EVENT: CmcEvent =
    CmcEvent { kind: 0, peer: 0, id: 0, len: 0, data: Payload::ZERO.padded() };
const NO_EFFECT: CmcEffect =
    CmcEffect { kind: 0, to: 0, id: 0, len: 0, data: Payload::ZERO.padded() };

/// Calls functions of one core, and holds the state that they change.
pub struct Caller {
    room: Room,
    out: Box<Out>,
    /// What the call must not change: bytes of a state, at their places.
    kept: Apart,
}

impl Caller {
    /// For `core`.
    pub fn new(core: &Core) -> Self {
        let out = CmcOut { n: 0, o: [NO_EFFECT; CMC_MAX_EFFECTS] };
        Caller {
            room: Room::new(core.state_size()),
            out: Box::new(Out { out, guard: Guard::WHOLE }),
            kept: Apart::new(0, core.state_size()),
        }
    }

    /// The state, as calls have left it.
    #[inline]
    pub fn state(&self) -> &[u8] {
        self.room.state()
    }

    /// Take `state`, which is as long as the core's states are.
    #[inline]
    pub fn load(&mut self, state: &[u8]) {
        short::copy(state, self.room.state_mut());
    }

    /// Zero the state from byte `start` on.
    pub fn clear(&mut self, start: usize) {
        self.room.state_mut()[start..].fill(0);
    }

    /// How many initial worlds there are.
    pub fn initial_count(&self, core: &Core, node: &CmcNode) -> u32 {
        match core.initial_count {
            // SAFETY: the function is what its type says and the header asks of it, as whoever made
            // the Core has vouched; it reads `node`.
            Some(count) => unsafe { count(node) },
            None => 1,
        }
    }

    /// Write the first state of `node` in initial world `index`, on zeros.
    pub fn init(&mut self, core: &Core, node: &CmcNode, index: u32) -> Result<(), Stop> {
        self.clear(0);
        self.out.out.n = 0;
        // SAFETY: as above; the state is of the core's size and alignment, and `out` is of its type.
        unsafe { (core.init)(node, index, self.room.pointer().cast(), &raw mut self.out.out) };
        self.look_beside(core, node, Called::Init)
    }

    /// Let `node` take `event`.
    #[inline(always)]
    pub fn step(&mut self, core: &Core, node: &CmcNode, event: &CmcEvent) -> Result<(), Stop> {
        let durable = core.durable_size();
        if durable > 0 {
            short::copy(&self.room.state()[..durable], &mut self.kept[..durable]);
        }
        self.out.out.n = 0;
        // SAFETY: as above.
        unsafe { (core.step)(node, self.room.pointer().cast(), event, &raw mut self.out.out) };
        self.look_beside(core, node, Called::Step(event.kind))?;
        if short::equal(&self.kept[..durable], &self.room.state()[..durable]) {
            return Ok(());
        }
        Err(self.durable_changed(core, node, event))
    }

    /// Let `node` take what is `made` of each of `events` in the state that `row` begins with, each in a room
    /// of its own in `bytes`, which are so many rooms. Answers whether there is nothing to say: then all
    /// that [`Caller::step`] looks at is as it should be but for durable bytes, which are not looked at,
    /// and no effects were asked for.
    #[inline]
    pub fn steps<L>(
        &mut self,
        core: &Core,
        node: &CmcNode,
        (events, made): (&[L], impl Fn(&L) -> CmcEvent),
        row: &Row,
        bytes: &mut [u8],
    ) -> bool {
        let mut asked = 0;
        row.open(bytes);
        let (mut events, out) = (events.iter(), &mut self.out.out);
        row.begin(&mut bytes[row.first()..], |room| {
            let event = made(events.next().expect("there are as many as rooms"));
            out.n = 0;
            // SAFETY: as above; a room is like that of a single state.
            unsafe { (core.step)(node, room.as_mut_ptr().cast(), &raw const event, &raw mut *out) };
            asked |= out.n;
        });
        let whole = self.out.guard.is_whole();
        if !whole {
            self.out.guard = Guard::WHOLE;
        }
        asked == 0 && whole && row.is_whole(bytes)
    }

    /// A step changed durable bytes.
    #[cold]
    fn durable_changed(&self, core: &Core, node: &CmcNode, event: &CmcEvent) -> Stop {
        let durable = core.durable_size();
        let changed = changed(&self.kept[..durable], &self.room.state()[..durable], 0);
        durable_breach(format!(
            "{} of node {} changed durable {changed}; only apply_persist() may change the first \
             {durable} bytes of a state",
            Called::Step(event.kind),
            node.id
        ))
    }

    /// Put `record` into the durable bytes, if the core has any.
    pub fn apply_persist(
        &mut self,
        core: &Core,
        node: &CmcNode,
        record: &Payload,
    ) -> Result<(), Stop> {
        let Some(apply_persist) = core.apply_persist else { return Ok(()) };
        let durable = core.durable_size();
        // What reaches the disk must not depend on memory, so there is none to look at.
        self.kept[durable..].copy_from_slice(&self.room.state()[durable..]);
        self.clear(durable);
        let (data, len) = (record.padded(), record.bytes().len());
        // SAFETY: as above; `len` bytes of `data` are readable.
        unsafe { apply_persist(node, self.room.pointer().cast(), data.as_ptr(), len) };
        let called = Called::ApplyPersist;
        self.look_beside(core, node, called)?;
        let now = &mut self.room.state_mut()[durable..];
        if now.iter().all(|&byte| byte == 0) {
            now.copy_from_slice(&self.kept[durable..]);
            return Ok(());
        }
        self.kept[durable..].fill(0);
        let changed = changed(&self.kept[durable..], now, durable);
        Err(durable_breach(format!(
            "{called} of node {} changed {changed}; only the first {durable} bytes of a state are \
             durable",
            node.id
        )))
    }

    /// What the last call, one for `node`, asked for.
    pub fn effects(&self, node: u8) -> Result<&[CmcEffect], Stop> {
        let CmcOut { n, o } = &self.out.out;
        o.get(..*n as usize).ok_or_else(|| {
            Stop::Violated(Breach {
                property: "cap:effects".into(),
                why: format!(
                    "node {node} asks for {n} effects, and a step has at most {CMC_MAX_EFFECTS}"
                ),
            })
        })
    }

    /// How many effects the last call asked for.
    #[inline]
    pub fn effect_count(&self) -> u32 {
        self.out.out.n
    }

    #[inline(always)]
    fn look_beside(&self, core: &Core, node: &CmcNode, called: Called) -> Result<(), Stop> {
        if !self.out.guard.is_whole() {
            return Err(beside(core, node, called, "behind the end of out"));
        }
        look_around(&self.room, core, node, called)
    }
}

/// Let `core` list the actions of the state in `room`, and answer how many there are; what is more
/// than [`CMC_MAX_ACTIONS`] is not among `actions`. A core without `direct_actions` has none.
pub fn direct_actions(
    core: &Core,
    node: &CmcNode,
    room: &mut Room,
    actions: &mut Actions,
) -> Result<usize, Stop> {
    let Some(direct_actions) = core.direct_actions else { return Ok(0) };
    let place = (&raw mut actions.listed).cast();
    // SAFETY: the function is what its type says and the header asks of it, as whoever made the Core
    // has vouched; the state is of the core's size and alignment, and as many actions as it is told
    // fit.
    let count =
        unsafe { direct_actions(node, room.pointer().cast_const().cast(), place, CMC_MAX_ACTIONS) };
    let called = Called::DirectActions;
    if !actions.guard.is_whole() {
        return Err(beside(core, node, called, "behind the last of actions"));
    }
    look_around(room, core, node, called)?;
    Ok(count)
}

#[inline(always)]
fn look_around(room: &Room, core: &Core, node: &CmcNode, called: Called) -> Result<(), Stop> {
    match room.broken() {
        None => Ok(()),
        Some(side) => Err(beside_state(core, node, called, side)),
    }
}

/// One of some steps wrote where it may not, and none of them does when it is taken again.
#[cold]
pub fn strayed(core: &Core, node: &CmcNode) -> Stop {
    let step = Called::Step(CmcEventKind::CMC_EV_ACTION as u8);
    beside(core, node, step, "beside its state or out, but not each time that it is called,")
}

#[cold]
fn beside_state(core: &Core, node: &CmcNode, called: Called, side: Beside) -> Stop {
    let place = match side {
        Beside::Before => "before its state".into(),
        Beside::Behind => format!("behind the {} bytes of its state", core.state_size()),
    };
    beside(core, node, called, &place)
}

#[cold]
fn beside(core: &Core, node: &CmcNode, called: Called, place: &str) -> Stop {
    Stop::Error(Error::Node {
        node: node.id.into(),
        text: format!(
            "core {}: {called} wrote {place}; make state_size the sizeof of the state, and look for \
             an index that is too large (gcc -fsanitize=address finds its line)",
            core.name()
        ),
    })
}

/// The first byte that differs; the bytes compared begin at byte `start` of the state.
fn changed(before: &[u8], after: &[u8], start: usize) -> String {
    let pairs = before.iter().zip(after).enumerate();
    let mut differing = pairs.filter(|(_, (old, new))| old != new);
    differing.next().map_or_else(String::new, |(at, (old, new))| {
        format!("byte {} from {old:02x} to {new:02x}", start + at)
    })
}

fn durable_breach(why: String) -> Stop {
    Stop::Violated(Breach { property: "durable".into(), why })
}
