//! Mappings and the program break: the kernel keeps them, up to a limit.

use super::super::contract::ARENA_BASE;
use super::super::memory::LARGEST_MAPPED;
use super::super::node::Node;
use super::super::request::Request;
use super::{Answer, refuse};
use crate::system::Stop;

pub fn map(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    match request.call.number {
        libc::SYS_munmap => node.local.mapped = node.local.mapped.saturating_sub(request.raw(1)),
        // The preload's arena has a limit of its own.
        _ if request.raw(0) == ARENA_BASE => {}
        _ => node.local.mapped = node.local.mapped.saturating_add(request.raw(1)),
    }
    check(node, request)
}

pub fn set_break(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    let wanted = request.raw(0);
    if node.local.break_start == 0 {
        node.local.break_start = wanted;
    }
    node.local.grown = wanted.saturating_sub(node.local.break_start);
    check(node, request)
}

pub fn protect(node: &mut Node) -> Result<Answer, Stop> {
    node.layout = None;
    Ok(Answer::LetRun)
}

/// `MADV_FREE` may be ignored, and is: when the kernel takes such pages depends on the host.
pub fn advise(request: &Request) -> Result<Answer, Stop> {
    Ok(match request.int(2) {
        libc::MADV_FREE => Answer::Return(0),
        _ => Answer::LetRun,
    })
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
