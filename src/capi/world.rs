//! The accessors of worlds. What they hand out stays where it is as long as the world does. One that fails
//! leaves a fault behind, so that an evaluation that did not look at it gives no answer.
#![allow(unsafe_code)] // pointers of callers, and exported names: ours all start with cmc_

use std::ffi::c_char;
use std::ptr::NonNull;

use super::copies::ALIGNMENT;
use super::error::{CmcStatus, Failure};
use super::guard::guard;
use super::handle::{self, Out};
use super::lend::{Extra, Source, World};
use crate::world::Liveness;

/// One state of a model. Lent for the length of a callback, or while its result lives.
pub struct CmcWorld {
    /// It stands for a [`World`], whose lifetimes C does not have.
    _opaque: [u8; 0],
}

/// A message that is on its way to a node.
#[derive(Clone, Copy)]
#[repr(C)]
#[allow(missing_docs)]
pub struct CmcMessage {
    /// The node it goes to.
    pub to: u8,
    /// The node that sent it, or -1.
    pub from: i16,
    /// The client that sent it, or -1.
    pub client: i16,
    pub len: usize,
    pub bytes: *const u8,
}

/// One entry of the log of what clients were answered, in order of emission.
#[derive(Clone, Copy)]
#[repr(C)]
#[allow(missing_docs)]
pub struct CmcReply {
    /// The node that answered, or -1.
    pub node: i16,
    /// The client that was answered, or -1.
    pub client: i16,
    pub len: usize,
    pub bytes: *const u8,
}

impl CmcReply {
    /// Lives as long as `bytes` stay where they are.
    pub(super) fn new(node: Option<usize>, client: Option<usize>, bytes: &[u8]) -> Self {
        CmcReply {
            node: or_none(node),
            client: or_none(client),
            len: bytes.len(),
            bytes: bytes.as_ptr(),
        }
    }
}

/// Run the accessor `name` on a world. Apart from the accessors, so that those which nearly always have the
/// answer at hand need not get ready for all that this needs.
///
/// # Safety
/// `world` is NULL, or came from [`World::pointer`] and its world lives.
#[inline(never)]
unsafe fn read(
    name: &str,
    world: *const CmcWorld,
    call: impl FnOnce(&World<'_>) -> Result<(), Failure>,
) -> CmcStatus {
    guard(|| {
        // SAFETY: as the caller vouches; a World is shared by reference only.
        let world = unsafe { handle::lent(world.cast::<World<'_>>(), "world") }?;
        call(world).inspect_err(|failure| {
            world.fail(format!("{name}() failed: {}", failure.text));
        })
    })
}

/// A number that may be missing, for C.
fn or_none(number: Option<usize>) -> i16 {
    number.and_then(|number| i16::try_from(number).ok()).unwrap_or(-1)
}

/// How many nodes there are. This and all functions of worlds: threads many.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_world_nodes(world: *const CmcWorld, nodes: *mut usize) -> CmcStatus {
    // SAFETY: the caller vouches for both pointers.
    unsafe {
        read("cmc_world_nodes", world, |world| {
            Out::new(nodes, "nodes")?.put(world.view().reader.nodes());
            Ok(())
        })
    }
}

/// Whether a node runs.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_world_alive(
    world: *const CmcWorld,
    node: usize,
    alive: *mut bool,
) -> CmcStatus {
    // SAFETY: the caller vouches for both pointers.
    unsafe {
        read("cmc_world_alive", world, |world| {
            let alive = Out::new(alive, "alive")?;
            let view = world.view();
            let liveness = view.reader.liveness(view.world, world.node(node)?)?;
            alive.put(liveness == Liveness::Running);
            Ok(())
        })
    }
}

/// The state of a core's node, aligned as the core wants it, or the content of a program's. Fails for
/// a node that does not run. What it points to lives while the world does, as with all functions of
/// worlds.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_world_state(
    world: *const CmcWorld,
    node: usize,
    state: *mut *const std::ffi::c_void,
    len: *mut usize,
) -> CmcStatus {
    // SAFETY: as for `read`. Nothing here can panic, and predicates ask for this all the time.
    let lent = unsafe { world.cast::<World<'_>>().as_ref() };
    if let (Some(state), Some(len)) = (NonNull::new(state), NonNull::new(len))
        && let Some(World { source: Source::Lent(view, Extra { bare: true, .. }), .. }) = lent
        && node == 0
        && view.world.as_ptr().addr().is_multiple_of(ALIGNMENT)
    {
        // SAFETY: the caller vouches for both pointers.
        unsafe {
            state.write(view.world.as_ptr().cast());
            len.write(view.world.len());
        }
        return CmcStatus::CMC_OK;
    }
    // SAFETY: the caller vouches for all pointers.
    unsafe {
        read("cmc_world_state", world, |world| {
            let (state, len) = (Out::new(state, "state")?, Out::new(len, "len")?);
            let view = world.view();
            let content = view.reader.content(view.world, world.node(node)?)?;
            let content = content.ok_or_else(|| {
                Failure::argument(format!("node {node} does not run; ask cmc_world_alive() first"))
            })?;
            let place = match content.as_ptr().addr().is_multiple_of(ALIGNMENT) {
                true => content.as_ptr(),
                false => world.copies().state(node, content),
            };
            state.put(place.cast());
            len.put(content.len());
            Ok(())
        })
    }
}

/// The clock of a program's node, in microseconds since its start; 0 for a core.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_world_clock(
    world: *const CmcWorld,
    node: usize,
    micros: *mut i64,
) -> CmcStatus {
    // SAFETY: the caller vouches for both pointers.
    unsafe {
        read("cmc_world_clock", world, |world| {
            let micros = Out::new(micros, "micros")?;
            let view = world.view();
            micros.put(view.reader.clock(view.world, world.node(node)?)?);
            Ok(())
        })
    }
}

/// What is left of a budget: "drops", "dups", "crashes", "timeouts", "restarts"; "clients 0" and so on
/// for requests at node 0 of a core. Fails for one that the model does not have.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_world_budget(
    world: *const CmcWorld,
    name: *const c_char,
    left: *mut u64,
) -> CmcStatus {
    // SAFETY: the caller vouches for all pointers.
    unsafe {
        read("cmc_world_budget", world, |world| {
            let (name, left) = (handle::text(name, "name")?, Out::new(left, "left")?);
            let view = world.view();
            let found = view.reader.budget(view.world, name)?;
            left.put(found.ok_or_else(|| {
                Failure::argument(format!(
                    "the model has no budget {name:?}; see cmc_world_budget() in libcmc(3)"
                ))
            })?);
            Ok(())
        })
    }
}

/// How many messages are on their way.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_world_messages(
    world: *const CmcWorld,
    count: *mut usize,
) -> CmcStatus {
    // SAFETY: the caller vouches for both pointers.
    unsafe {
        read("cmc_world_messages", world, |world| {
            let count = Out::new(count, "count")?;
            count.put(world.copies().messages(world.view())?.len());
            Ok(())
        })
    }
}

/// One of the messages that are on their way, counted from 0.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_world_message(
    world: *const CmcWorld,
    index: usize,
    message: *mut CmcMessage,
) -> CmcStatus {
    // SAFETY: the caller vouches for both pointers.
    unsafe {
        read("cmc_world_message", world, |world| {
            let place = Out::new(message, "message")?;
            let mut copies = world.copies();
            let list = copies.messages(world.view())?;
            let found = list.get(index);
            let (entry, bytes) =
                found.ok_or_else(|| Failure::range("message", index, list.len()))?;
            place.put(CmcMessage {
                to: entry.to.unwrap_or_default() as u8,
                from: or_none(entry.node),
                client: or_none(entry.client),
                len: bytes.len(),
                bytes: bytes.as_ptr(),
            });
            Ok(())
        })
    }
}

/// How many replies clients got.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_world_replies(world: *const CmcWorld, count: *mut usize) -> CmcStatus {
    // SAFETY: the caller vouches for both pointers.
    unsafe {
        read("cmc_world_replies", world, |world| {
            let count = Out::new(count, "count")?;
            count.put(world.copies().replies(world.view())?.len());
            Ok(())
        })
    }
}

/// One of the replies that clients got, the oldest being 0.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_world_reply(
    world: *const CmcWorld,
    index: usize,
    reply: *mut CmcReply,
) -> CmcStatus {
    // SAFETY: the caller vouches for both pointers.
    unsafe {
        read("cmc_world_reply", world, |world| {
            let place = Out::new(reply, "reply")?;
            let mut copies = world.copies();
            let list = copies.replies(world.view())?;
            let (entry, bytes) =
                list.get(index).ok_or_else(|| Failure::range("reply", index, list.len()))?;
            place.put(CmcReply::new(entry.node, entry.client, bytes));
            Ok(())
        })
    }
}

/// The settings of a core. Fails for programs, which have none.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_world_settings(
    world: *const CmcWorld,
    settings: *mut *const u8,
    len: *mut usize,
) -> CmcStatus {
    // SAFETY: as for `read`. Nothing here can panic, and predicates ask for this all the time.
    let lent = unsafe { world.cast::<World<'_>>().as_ref() };
    if let (Some(settings), Some(len)) = (NonNull::new(settings), NonNull::new(len))
        && let Some(World { source: Source::Lent(_, extra), .. }) = lent
        && let Some(found) = &extra.settings
    {
        // SAFETY: the caller vouches for both pointers.
        unsafe {
            settings.write(found.as_ptr());
            len.write(found.len());
        }
        return CmcStatus::CMC_OK;
    }
    // SAFETY: the caller vouches for all pointers.
    unsafe {
        read("cmc_world_settings", world, |world| {
            let (place, len) = (Out::new(settings, "settings")?, Out::new(len, "len")?);
            let settings = world.settings().ok_or_else(no_settings)?;
            place.put(settings.as_ptr());
            len.put(settings.len());
            Ok(())
        })
    }
}

/// Programs have no settings.
pub(super) fn no_settings() -> Failure {
    Failure::argument("programs have no settings; their model file says all there is")
}
