//! Mappings and the program break: the kernel keeps them, up to a limit.

use super::super::call_log;
use super::super::contract::ARENA_BASE;
use super::super::memory::{LARGEST_MAPPED, Mapping, PAGE};
use super::super::node::{Node, Stage};
use super::super::request::Request;
use super::{Answer, refuse};
use crate::system::Stop;

/// Bytes that are written anew where they are about to be unwritable.
const LARGEST_TOUCHED: u64 = 1 << 20;

/// Flags of `mmap` that show in the mapping, or nowhere.
const PLAIN: i32 = libc::MAP_SHARED
    | libc::MAP_PRIVATE
    | libc::MAP_FIXED
    | libc::MAP_FIXED_NOREPLACE
    | libc::MAP_ANONYMOUS
    | libc::MAP_NORESERVE
    | libc::MAP_POPULATE
    | libc::MAP_STACK
    | libc::MAP_DENYWRITE
    | libc::MAP_EXECUTABLE
    | libc::MAP_32BIT;

/// An error if the call is about memory that the process shares with the checker.
fn leave_log(node: &Node, request: &Request) -> Result<(), Stop> {
    let range = range(request);
    match call_log::overlaps(range.start, range.end) {
        true => Err(refuse(node, request, "is about memory that cmc shares with the program")),
        false => Ok(()),
    }
}

pub fn map(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    leave_log(node, request)?;
    match request.call.number {
        libc::SYS_munmap => node.local.mapped = node.local.mapped.saturating_sub(request.raw(1)),
        // The preload's arena has a limit of its own.
        _ if request.raw(0) == ARENA_BASE => {}
        _ => node.local.mapped = node.local.mapped.saturating_add(request.raw(1)),
    }
    unseal(node, request);
    if request.call.number == libc::SYS_mmap && node.stage == Stage::Running {
        let flags = request.int(3);
        // Which part of a file is mapped does not show in the layout.
        if flags & !PLAIN != 0 || flags & libc::MAP_ANONYMOUS == 0 {
            node.mark_lasting("mmap");
        }
    }
    check(node, request)
}

pub fn set_break(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    let wanted = request.raw(0);
    if node.local.break_start == 0 {
        node.local.break_start = wanted;
    }
    if wanted != 0 && wanted < node.local.break_start {
        // Whether the kernel takes that depends on what it keeps alone.
        node.mark_lasting("brk");
    }
    node.local.grown = wanted.saturating_sub(node.local.break_start);
    check(node, request)
}

pub fn protect(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    leave_log(node, request)?;
    let rights = request.int(2);
    if node.stage == Stage::Running && rights & libc::PROT_WRITE == 0 && !touch(node, request)? {
        node.mark_lasting("mprotect");
    }
    node.layout = None;
    unseal(node, request);
    if rights & !(libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC) != 0 {
        node.mark_lasting("mprotect");
    }
    Ok(Answer::LetRun)
}

/// Write every page anew that the node is about to lose its right to write. Which of them it has ever
/// written shows from then on, and is otherwise not the same in a process that was put into this state.
/// False where that is too much.
fn touch(node: &mut Node, request: &Request) -> Result<bool, Stop> {
    let range = range(request);
    let mut left = LARGEST_TOUCHED;
    for mapping in node.layout()?.mappings.iter().filter(|mapping| mapping.writable) {
        let (start, end) = (mapping.start.max(range.start), mapping.end.min(range.end));
        let length = end.saturating_sub(start);
        if length > left {
            return Ok(false);
        }
        left -= length;
        let bytes = node.memory.bytes(start, length as usize);
        if length > 0 && !bytes.is_some_and(|bytes| node.memory.write(start, &bytes)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The memory that a call is about.
fn range(request: &Request) -> std::ops::Range<u64> {
    let (start, length) = (request.raw(0), request.raw(1));
    let end = start.saturating_add(length).checked_next_multiple_of(PAGE);
    start..end.unwrap_or(u64::MAX)
}

/// What was sealed is the node's own from the moment on at which it has anything else done there.
fn unseal(node: &mut Node, request: &Request) {
    let range = range(request);
    let touched = |mapping: &Mapping| mapping.start < range.end && range.start < mapping.end;
    if node.sealed.iter().any(touched) {
        node.sealed = node.sealed.iter().filter(|mapping| !touched(mapping)).cloned().collect();
    }
}

/// `MADV_FREE` may be ignored, and is: when the kernel takes such pages depends on the host.
pub fn advise(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    leave_log(node, request)?;
    unseal(node, request);
    match request.int(2) {
        libc::MADV_FREE => return Ok(Answer::Return(0)),
        libc::MADV_NORMAL
        | libc::MADV_RANDOM
        | libc::MADV_SEQUENTIAL
        | libc::MADV_WILLNEED
        | libc::MADV_DONTNEED
        | libc::MADV_HUGEPAGE
        | libc::MADV_NOHUGEPAGE
        | libc::MADV_DONTDUMP
        | libc::MADV_DODUMP => {}
        _ => node.mark_lasting("madvise"),
    }
    node.layout = None;
    Ok(Answer::LetRun)
}

/// The thread pointer is a register; what else this call sets the kernel keeps.
pub fn thread_pointer(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    /// Of asm/prctl.h.
    const SET_GS: i32 = 0x1001;
    const SET_FS: i32 = 0x1002;
    const GET_FS: i32 = 0x1003;
    const GET_GS: i32 = 0x1004;
    if node.stage == Stage::Running && !matches!(request.int(0), SET_GS | SET_FS | GET_FS | GET_GS)
    {
        node.layout = None;
        node.mark_lasting("arch_prctl");
    }
    Ok(Answer::LetRun)
}

fn check(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    node.layout = None;
    if node.local.mapped.saturating_add(node.local.grown) > LARGEST_MAPPED {
        let advice = format!(
            "has mapped more than {} MiB of memory: it leaks, or needs a smaller load",
            LARGEST_MAPPED >> 20
        );
        return Err(refuse(node, request, &advice));
    }
    Ok(Answer::LetRun)
}
