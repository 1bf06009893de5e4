//! A core that does what a plan says: on this event at this node, ask for that. It notes the last
//! event that it took, and how many records its disk got.

use cmc::cores::abi::{CmcEffectKind as Effect, CmcEvent, CmcEventKind as Event, CmcNode, CmcOut};
use cmc::cores::{Discipline, Env};

use crate::scripted::{Script, emit};

/// When something is to be done. The first number is the node.
#[derive(Clone, Copy)]
pub enum On {
    Start(u8),
    /// A message that begins with this byte.
    Message(u8, u8),
    Timer(u8, u8),
    Flushed(u8),
    Wake(u8, u8),
    Client(u8, u8),
    Reset(u8, u8),
    Restart(u8),
}

/// What is to be done.
#[derive(Clone, Copy)]
pub enum Do {
    Send(u8, u8),
    Arm(u8),
    Cancel(u8),
    Persist(u8),
    Wake(u8),
    Reply(u8),
    /// An effect of this kind and length.
    Odd(u8, u8),
    /// Change a durable byte.
    Scratch,
}

pub struct Puppet;

/// The state: what the disk holds, then the last event.
pub const RECORD: usize = 0;
pub const RECORDS: usize = 1;
pub const KIND: usize = 2;
pub const PEER: usize = 3;
pub const ID: usize = 4;
pub const LEN: usize = 5;
pub const BYTE: usize = 6;

/// An environment of `nodes` puppets with this plan.
pub fn plan(nodes: usize, lines: &[(On, Do)]) -> Env {
    let line = |&(on, what): &(On, Do)| {
        let (kind, node, id) = match on {
            On::Start(node) => (0, node, 0),
            On::Message(node, byte) => (Event::CMC_EV_MESSAGE as u8, node, byte),
            On::Timer(node, timer) => (Event::CMC_EV_TIMER as u8, node, timer),
            On::Flushed(node) => (Event::CMC_EV_FLUSHED as u8, node, 0),
            On::Wake(node, waiter) => (Event::CMC_EV_WAKE as u8, node, waiter),
            On::Client(node, request) => (Event::CMC_EV_CLIENT as u8, node, request),
            On::Reset(node, peer) => (Event::CMC_EV_RESET as u8, node, peer),
            On::Restart(node) => (Event::CMC_EV_RESTART as u8, node, 0),
        };
        let (what, a, b) = match what {
            Do::Send(to, byte) => (Effect::CMC_FX_SEND as u8, to, byte),
            Do::Arm(timer) => (Effect::CMC_FX_ARM as u8, timer, 0),
            Do::Cancel(timer) => (Effect::CMC_FX_CANCEL as u8, timer, 0),
            Do::Persist(byte) => (Effect::CMC_FX_PERSIST as u8, 0, byte),
            Do::Wake(waiter) => (Effect::CMC_FX_WAKE as u8, waiter, 0),
            Do::Reply(byte) => (Effect::CMC_FX_REPLY as u8, 0, byte),
            Do::Odd(kind, len) => (100, kind, len),
            Do::Scratch => (101, 0, 0),
        };
        [kind, node, id, what, a, b]
    };
    Env { nodes, settings: lines.iter().flat_map(line).collect(), ..Env::default() }
}

/// The same in a bag.
pub fn bag(nodes: usize, lines: &[(On, Do)]) -> Env {
    Env { network: Discipline::Bag, ..plan(nodes, lines) }
}

fn perform(node: &CmcNode, state: &mut [u8], kind: u8, id: u8, out: &mut CmcOut) {
    for line in node.settings[..node.len.into()].chunks_exact(6) {
        let &[on, at, which, what, a, b] = line else { unreachable!("lines have six bytes") };
        if (on, at, which) != (kind, node.id, id) {
            continue;
        }
        match what {
            100 => {
                emit(out, a, 200, 0, &[]);
                out.o[out.n as usize - 1].len = b;
            }
            101 => state[RECORD] ^= 1,
            kind => {
                let bytes: &[u8] = if matches!(kind, 1 | 4 | 6) { &[b] } else { &[] };
                emit(out, kind, a, a, bytes);
            }
        }
    }
}

impl Script for Puppet {
    const STATE: usize = 7;
    const DURABLE: usize = 2;

    fn init(node: &CmcNode, _: u32, state: &mut [u8], out: &mut CmcOut) {
        perform(node, state, 0, 0, out);
    }

    fn step(node: &CmcNode, state: &mut [u8], event: &CmcEvent, out: &mut CmcOut) {
        let CmcEvent { kind, peer, id, len, data } = *event;
        assert!(data[len.into()..].iter().all(|&byte| byte == 0), "zeros stand behind the end");
        state[KIND..].copy_from_slice(&[kind, peer, id, len, data[0]]);
        let which = match kind {
            1 => data[0],
            6 => peer,
            _ => id,
        };
        perform(node, state, kind, which, out);
    }

    fn apply_persist(_: &CmcNode, durable: &mut [u8], record: &[u8]) {
        durable[RECORD] = record[0];
        durable[RECORDS] += 1;
    }
}
