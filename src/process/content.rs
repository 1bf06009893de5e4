//! The content of the local state of a node that waits, as its state kind says. Two nodes with equal
//! contents count as equal, so whatever is read here must be complete for its kind.

use super::config::{NodeConfig, StateKind};
use super::elf::Program;
use super::node::Node;
use crate::error::Error;
use crate::system::Stop;

/// The content of `node`; `memory` answers the digest of its whole memory.
pub fn read(
    node: &Node,
    config: &NodeConfig,
    program: &Program,
    memory: impl FnOnce() -> Result<u128, Stop>,
) -> Result<Vec<u8>, Stop> {
    match &config.state {
        StateKind::Report => node.report.clone().ok_or_else(|| {
            node.cannot(
                "it waits and has written no report, but the model says state = \"report\": write the \
                 length byte and the state to descriptor 3 before the first wait, or use state = \
                 \"region:SYMBOL\" or \"raw\"",
            )
            .into()
        }),
        StateKind::Region(symbol) => object(node, program, symbol, 0, None),
        StateKind::Raw => {
            let mut content = memory()?.to_le_bytes().to_vec();
            content.extend(reads(node, config, program)?);
            Ok(content)
        }
        StateKind::Memory => Err(Error::Internal("a memory is taken as a whole".into()).into()),
    }
}

/// What fields of the model name in the memory of `node`, one behind the other.
pub fn reads(node: &Node, config: &NodeConfig, program: &Program) -> Result<Vec<u8>, Stop> {
    let mut bytes = Vec::new();
    for read in &config.reads {
        let length = Some(read.length);
        bytes.extend(object(node, program, &read.symbol, read.offset, length)?);
    }
    Ok(bytes)
}

fn object(
    node: &Node,
    program: &Program,
    symbol: &str,
    offset: u64,
    length: Option<u64>,
) -> Result<Vec<u8>, Stop> {
    let object = program.object(symbol).map_err(Error::Program)?;
    let address = node.bias().wrapping_add(object.address).wrapping_add(offset);
    let length = length.unwrap_or(object.size);
    let bytes = node.memory().bytes(address, length as usize);
    bytes.ok_or_else(|| {
        node.cannot(&format!("symbol \"{symbol}\" is not mapped at {address:#x}")).into()
    })
}
