//! `getrandom`: a function of node, boot and position, so that a run can be repeated. It is not a
//! choice of the search.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::super::node::Node;
use super::super::request::Request;
use super::super::step::Query;
use super::{Answer, errno};
use crate::system::Stop;

/// Bytes of one block of the stream.
const BLOCK: u64 = 8;
/// The most that one call gives, as in the kernel.
const LARGEST: u64 = 33_554_431;

pub fn random(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    let length = request.raw(1).min(LARGEST);
    let first = node.local.drawn;
    let seed = (node.setting.number as u64) << 32 | node.ask(Query::Boots) as u64;
    let bytes: Vec<u8> = (first..first + length)
        .map(|position| {
            let block = xxh3_64_with_seed(&(position / BLOCK).to_le_bytes(), seed);
            block.to_le_bytes()[(position % BLOCK) as usize]
        })
        .collect();
    match request.output(0, &bytes) {
        Some(written) => {
            node.local.drawn += written as u64;
            Ok(Answer::Return(written as i64))
        }
        None => Ok(errno(libc::EFAULT)),
    }
}
