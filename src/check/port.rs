//! The ports that nodes own: each has one owner, so that a dial can only mean one node.

use super::table::{Item, Table};
use crate::error::Error;

/// The port of node 0 unless it says `listen`.
pub const BASE: usize = 20000;

/// The port of node `number`, which is the `index`-th of its table, while `taken` are those of the
/// nodes before it.
pub fn choose(
    table: &Table<'_>,
    listen: Option<&Item<'_>>,
    number: usize,
    index: usize,
    taken: &[u16],
) -> Result<u16, Error> {
    let fail = |message: &str| listen.map_or_else(|| table.error(message), |at| at.error(message));
    let port = match listen {
        Some(item) => item.integer(1..=65535)? as usize + index,
        None => BASE + number,
    };
    let Ok(port) = u16::try_from(port) else {
        return Err(fail(&format!(
            "node {number} would own port {port}, and ports end at 65535; start lower"
        )));
    };
    if let Some(owner) = taken.iter().position(|other| *other == port) {
        return Err(fail(&format!(
            "node {number} and node {owner} both own port {port}; give one another listen"
        )));
    }
    Ok(port)
}
