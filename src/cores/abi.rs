//! What a core and the engine share: the types of a core, of its environment and of what a core file
//! says beside it. They are C's, and `include/cmc.h` is generated from here. Nothing here is trusted:
//! [`super::core`] reads what callers fill, and `super::effects` judges what cores ask for.
#![allow(missing_docs)] // fields whose names say what they are
use std::ffi::{c_char, c_int, c_void};

/// Nodes of a model.
pub const CMC_MAX_NODES: usize = 8;

/// Bytes of a message, of a record to persist, of a reply, and of an event's data.
pub const CMC_MAX_BYTES: usize = 32;

/// Effects of one step.
pub const CMC_MAX_EFFECTS: usize = 16;

/// Possible actions of a world.
pub const CMC_MAX_ACTIONS: usize = 2048;

/// Timers of a node: 0 to 15.
pub const CMC_MAX_TIMERS: usize = 16;

/// Waiters of a node: 0 to 7.
pub const CMC_MAX_WAITERS: usize = 8;

/// Bytes of settings.
pub const CMC_MAX_SETTINGS: usize = 256;

/// Why a core's step() is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
#[allow(non_camel_case_types)]
pub enum CmcEventKind {
    /// A message: `peer` sent `len` bytes of `data`.
    CMC_EV_MESSAGE = 1,
    /// Timer `id` ran out; it is no longer armed.
    CMC_EV_TIMER = 2,
    /// The oldest pending record, `len` bytes of `data`, is durable: apply_persist() has been called.
    CMC_EV_FLUSHED = 3,
    /// Waiter `id` goes on.
    CMC_EV_WAKE = 4,
    /// A client asks; `id` counts the requests to this node from 0.
    CMC_EV_CLIENT = 5,
    /// The connection to `peer` was reset.
    CMC_EV_RESET = 6,
    /// The node starts again after a crash: its volatile bytes are zero.
    CMC_EV_RESTART = 7,
    /// An action that direct_actions() listed.
    CMC_EV_ACTION = 8,
}

/// What a step is about. It has no pointers: it can be stored, hashed and replayed.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct CmcEvent {
    /// A CmcEventKind; the engine sets it for what direct_actions() lists.
    pub kind: u8,
    /// The sender, or the other end of the connection.
    pub peer: u8,
    /// The timer, the waiter, the request, or the number of the action.
    pub id: u8,
    /// Bytes used of `data`.
    pub len: u8,
    pub data: [u8; CMC_MAX_BYTES],
}

/// What a step asks of the engine. Written by the functions of cmc_core.h.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
#[allow(non_camel_case_types)]
pub enum CmcEffectKind {
    CMC_FX_SEND = 1,
    CMC_FX_ARM = 2,
    CMC_FX_CANCEL = 3,
    CMC_FX_PERSIST = 4,
    CMC_FX_WAKE = 5,
    CMC_FX_REPLY = 6,
}

/// One effect.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct CmcEffect {
    /// A CmcEffectKind.
    pub kind: u8,
    /// Whom a message goes to.
    pub to: u8,
    /// The timer or the waiter.
    pub id: u8,
    /// Bytes used of `data`; 255: more were asked for than fit.
    pub len: u8,
    pub data: [u8; CMC_MAX_BYTES],
}

/// The effects of one step, in order. A core never writes to `o`: it calls the functions of
/// cmc_core.h, which count what was asked for; the engine judges it.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct CmcOut {
    /// Effects asked for; more than CMC_MAX_EFFECTS is the violation cap:effects.
    pub n: u32,
    pub o: [CmcEffect; CMC_MAX_EFFECTS],
}

/// Which node a function is called for, and what all nodes know.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct CmcNode {
    /// Its number, from 0.
    pub id: u8,
    /// How many nodes there are.
    pub nodes: u8,
    /// Bytes used of `settings`.
    pub len: u16,
    pub settings: [u8; CMC_MAX_SETTINGS],
}

/// A core: pure functions over a state of fixed size without pointers. They must be deterministic,
/// change nothing but what they are given to change, call nothing but each other and mem*(), and
/// return. States are compared as bytes: padding must be kept as the engine gives it, which is zero.
/// State pointers are maximally aligned.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct CmcCore {
    /// sizeof(CmcCore).
    pub size: usize,
    pub name: *const c_char,
    /// Bytes of a node's state, 1 to 65536.
    pub state_size: usize,
    /// The first so many bytes survive a crash; only apply_persist() changes them.
    pub durable_size: usize,
    /// How many initial worlds there are, at most 2^24; NULL: one.
    pub initial_count: Option<unsafe extern "C" fn(node: *const CmcNode) -> u32>,
    /// Write the first state of `node` in initial world `index`; `state` is zero. Effects may be asked
    /// for: sends, timers, persists, wakes, replies.
    pub init: Option<
        unsafe extern "C" fn(
            node: *const CmcNode,
            index: u32,
            state: *mut c_void,
            out: *mut CmcOut,
        ),
    >,
    /// Take one event.
    pub step: Option<
        unsafe extern "C" fn(
            node: *const CmcNode,
            state: *mut c_void,
            event: *const CmcEvent,
            out: *mut CmcOut,
        ),
    >,
    /// Put a record into the durable bytes; NULL if durable_size is 0. What lies behind them is zero
    /// meanwhile, and stays as it was.
    pub apply_persist: Option<
        unsafe extern "C" fn(
            node: *const CmcNode,
            durable: *mut c_void,
            record: *const u8,
            len: usize,
        ),
    >,
    /// NULL, or calibration mode: write the actions possible in `state`, one for each witness, to the
    /// first `cap` of `actions`, and return how many there are. Each becomes CMC_EV_ACTION. There is
    /// one node, nothing durable, and no effect.
    pub direct_actions: Option<
        unsafe extern "C" fn(
            node: *const CmcNode,
            state: *const c_void,
            actions: *mut CmcEvent,
            cap: usize,
        ) -> usize,
    >,
}

/// How messages travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
#[allow(non_camel_case_types)]
pub enum CmcNetwork {
    /// One ordered channel for each pair of nodes and direction, as with TCP.
    CMC_NET_FIFO = 0,
    /// An unordered multiset.
    CMC_NET_BAG = 1,
}

/// The environment of a core.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct CmcEnv {
    /// sizeof(CmcEnv).
    pub size: usize,
    /// How many nodes, 1 to CMC_MAX_NODES; 0: one.
    pub nodes: u8,
    /// A CmcNetwork.
    pub network: u8,
    /// Budgets.
    pub drops: u8,
    pub dups: u8,
    pub crashes: u8,
    /// Requests of clients, by node.
    pub clients: [u8; CMC_MAX_NODES],
    /// Caps: messages in flight (0: 64), entries of the reply log (0: 64), pending persists of a node
    /// (0: 16). Going past one is the violation cap:messages, cap:replies, cap:persists.
    pub max_messages: u8,
    pub max_replies: u8,
    pub max_persists: u8,
    /// The settings, copied.
    pub settings_len: u16,
    pub settings: *const u8,
}

/// One byte of settings that has a name, for `cmc --set NAME=VALUE`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct CmcParameter {
    /// Unlike the names of the environment: nodes, network, drops, dups, crashes, clients,
    /// max_messages, max_replies, max_persists.
    pub name: *const c_char,
    /// Its default and its bounds.
    pub value: u8,
    pub min: u8,
    pub max: u8,
    /// What it is, in a few words.
    pub what: *const c_char,
}

/// What bytes are, for CmcFormat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
#[allow(non_camel_case_types)]
pub enum CmcBytesKind {
    CMC_BYTES_MESSAGE = 1,
    CMC_BYTES_RECORD = 2,
    CMC_BYTES_REPLY = 3,
}

/// How states and bytes are shown. Each function writes text of at most `cap` bytes with its NUL and
/// returns the length that it has or would have, as snprintf() does; NULL: hexadecimal.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct CmcFormat {
    /// sizeof(CmcFormat).
    pub size: usize,
    /// A node's state as NAME=VALUE words, separated by spaces; a trace shows those that change.
    pub state: Option<
        unsafe extern "C" fn(
            node: *const CmcNode,
            state: *const c_void,
            text: *mut c_char,
            cap: usize,
        ) -> usize,
    >,
    /// A message, record or reply; `kind` is a CmcBytesKind.
    pub bytes: Option<
        unsafe extern "C" fn(
            node: *const CmcNode,
            kind: c_int,
            bytes: *const u8,
            len: usize,
            text: *mut c_char,
            cap: usize,
        ) -> usize,
    >,
    /// An action of direct_actions().
    pub action: Option<
        unsafe extern "C" fn(
            node: *const CmcNode,
            action: *const CmcEvent,
            text: *mut c_char,
            cap: usize,
        ) -> usize,
    >,
}
