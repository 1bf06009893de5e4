//! Mappings and the program break: the kernel keeps them, up to a limit.

use super::super::contract::ARENA_BASE;
use super::super::node::Node;
use super::super::request::Request;
use super::{Answer, refuse};
use crate::system::Stop;

/// Bytes that a node may map beside its arena, its libraries included.
pub const LIMIT: u64 = 512 << 20;

pub fn map(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    match request.call.number {
        libc::SYS_munmap => node.mapped = node.mapped.saturating_sub(request.raw(1)),
        // The preload's arena has a limit of its own.
        _ if request.raw(0) == ARENA_BASE => {}
        _ => node.mapped = node.mapped.saturating_add(request.raw(1)),
    }
    check(node, request)
}

pub fn set_break(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    let wanted = request.raw(0);
    if node.break_start == 0 {
        node.break_start = wanted;
    }
    node.broken_off = wanted.saturating_sub(node.break_start);
    check(node, request)
}

fn check(node: &Node, request: &Request) -> Result<Answer, Stop> {
    if node.mapped.saturating_add(node.broken_off) > LIMIT {
        let advice = format!(
            "has mapped more than {} MiB of memory: it leaks, or needs a smaller load",
            LIMIT >> 20
        );
        return Err(refuse(node, request, &advice));
    }
    Ok(Answer::LetRun)
}
