//! Cores written in Rust, for rules that take a step or two to see.
#![allow(unsafe_code)] // a core is functions over pointers, called by the engine

use std::ffi::c_void;

use cmc::cores::abi::{CmcCore, CmcEffect, CmcEffectKind, CmcEvent, CmcNode, CmcOut};
use cmc::cores::{Core, Env};
use cmc::error::Error;

/// A core. It is never made: its functions are all there is of it.
pub trait Script: 'static {
    const STATE: usize;
    const DURABLE: usize = 0;
    /// It lists its own actions.
    const DIRECT: bool = false;
    const INITIAL: u32 = 1;

    fn init(_node: &CmcNode, _index: u32, _state: &mut [u8], _out: &mut CmcOut) {}
    fn step(node: &CmcNode, state: &mut [u8], event: &CmcEvent, out: &mut CmcOut);
    fn apply_persist(_node: &CmcNode, _state: &mut [u8], _record: &[u8]) {}
    fn actions(_node: &CmcNode, _state: &[u8]) -> Vec<CmcEvent> {
        Vec::new()
    }
}

/// Ask for an effect as `cmc_emit` of the header does.
pub fn emit(out: &mut CmcOut, kind: u8, to: u8, id: u8, bytes: &[u8]) {
    if let Some(place) = out.o.get_mut(out.n as usize) {
        *place = CmcEffect { kind, to, id, len: bytes.len().min(255) as u8, ..*place };
        match place.data.get_mut(..bytes.len()) {
            Some(data) => data.copy_from_slice(bytes),
            None => place.len = 255,
        }
    }
    out.n += 1;
}

pub fn send(out: &mut CmcOut, to: u8, bytes: &[u8]) {
    emit(out, CmcEffectKind::CMC_FX_SEND as u8, to, 0, bytes);
}

pub fn arm(out: &mut CmcOut, timer: u8) {
    emit(out, CmcEffectKind::CMC_FX_ARM as u8, 0, timer, &[]);
}

/// The vtable of `S`.
pub fn vtable<S: Script>() -> CmcCore {
    CmcCore {
        size: size_of::<CmcCore>(),
        name: c"scripted".as_ptr(),
        state_size: S::STATE,
        durable_size: S::DURABLE,
        initial_count: Some(initial_count::<S>),
        init: Some(init::<S>),
        step: Some(step::<S>),
        apply_persist: (S::DURABLE > 0).then_some(apply_persist::<S>),
        direct_actions: if S::DIRECT { Some(direct_actions::<S>) } else { None },
    }
}

/// The core of `S`, as the engine keeps it.
pub fn core<S: Script>() -> Core {
    read(&vtable::<S>()).expect("a core without fault")
}

/// Read a core that a test filled in.
pub fn read(core: &CmcCore) -> Result<Core, Error> {
    // SAFETY: tests fill in names that end, and the functions below.
    unsafe { Core::read(core) }
}

/// Read an environment that a test filled in.
pub fn read_env(env: &cmc::cores::abi::CmcEnv) -> Result<Env, Error> {
    // SAFETY: tests point to settings that are as long as they say.
    unsafe { Env::read(env) }
}

unsafe extern "C" fn initial_count<S: Script>(_: *const CmcNode) -> u32 {
    S::INITIAL
}

unsafe extern "C" fn init<S: Script>(
    node: *const CmcNode,
    index: u32,
    state: *mut c_void,
    out: *mut CmcOut,
) {
    // SAFETY: the engine passes a node, a state of the size asked for, and room for effects.
    let (node, state, out) = unsafe { (&*node, bytes::<S>(state), &mut *out) };
    S::init(node, index, state, out);
}

unsafe extern "C" fn step<S: Script>(
    node: *const CmcNode,
    state: *mut c_void,
    event: *const CmcEvent,
    out: *mut CmcOut,
) {
    // SAFETY: as above, and an event.
    let (node, state, event, out) = unsafe { (&*node, bytes::<S>(state), &*event, &mut *out) };
    S::step(node, state, event, out);
}

unsafe extern "C" fn apply_persist<S: Script>(
    node: *const CmcNode,
    durable: *mut c_void,
    record: *const u8,
    len: usize,
) {
    // SAFETY: the durable bytes are the first of a state; the record has `len` bytes.
    let (node, state, record) =
        unsafe { (&*node, bytes::<S>(durable), std::slice::from_raw_parts(record, len)) };
    S::apply_persist(node, state, record);
}

unsafe extern "C" fn direct_actions<S: Script>(
    node: *const CmcNode,
    state: *const c_void,
    actions: *mut CmcEvent,
    cap: usize,
) -> usize {
    // SAFETY: as above; `cap` actions fit.
    let (node, state, actions) = unsafe {
        (&*node, bytes::<S>(state.cast_mut()), std::slice::from_raw_parts_mut(actions, cap))
    };
    let listed = S::actions(node, state);
    actions.iter_mut().zip(&listed).for_each(|(place, action)| *place = *action);
    listed.len()
}

/// # Safety
/// `state` is a state of `S`.
unsafe fn bytes<'a, S: Script>(state: *mut c_void) -> &'a mut [u8] {
    assert!(state.addr().is_multiple_of(16), "a state is maximally aligned");
    // SAFETY: a state of `S` has that many bytes.
    unsafe { std::slice::from_raw_parts_mut(state.cast(), S::STATE) }
}
