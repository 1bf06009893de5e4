//! `[[client]]`: the scripts that dial, send and perhaps close.

use super::field::literal;
use super::key::CLIENT;
use super::table::{Item, Table};
use crate::error::Error;
use crate::limits;
use crate::process::config::ClientConfig;

/// Read the scripts of a model with `nodes` nodes.
pub fn read(clients: Item<'_>, nodes: usize) -> Result<Vec<ClientConfig>, Error> {
    let tables = clients.tables(CLIENT)?;
    let most = limits::CLIENTS.value;
    if let Some(table) = tables.get(most) {
        return Err(table.error(&format!("a model has at most {most} clients; remove one")));
    }
    tables.iter().map(|table| one(table, nodes)).collect()
}

fn one(table: &Table<'_>, nodes: usize) -> Result<ClientConfig, Error> {
    let target = table.require("node", "node = 0")?;
    let node = target.integer(i64::MIN..=i64::MAX)?;
    let Some(node) = usize::try_from(node).ok().filter(|node| *node < nodes) else {
        let last = nodes - 1;
        return Err(target.error(&format!("there is no node {node}; the last one is {last}")));
    };
    let send = table.require("send", "send = [\"TEXT\"]")?;
    let send = send.array()?.map(|text| message(&text)).collect::<Result<Vec<_>, _>>()?;
    let any_order = match table.get("order") {
        Some(order) => order.choice(&[("sequence", false), ("any", true)])?,
        None => false,
    };
    let truth = |item: Option<Item<'_>>| item.map_or(Ok(false), |item| item.boolean());
    let wait = truth(table.get("wait"))?;
    let close = truth(table.get("close"))?;
    Ok(ClientConfig { node, send, any_order, wait, close })
}

/// The bytes of one send.
fn message(item: &Item<'_>) -> Result<Vec<u8>, Error> {
    let bytes = literal(item.string()?).map_err(|message| item.error(&message))?;
    if bytes.is_empty() {
        return Err(item.error("a send has at least one byte; close = true ends the connection"));
    }
    let most = limits::WRITE.value;
    if bytes.len() > most {
        let message = format!("this send has {} bytes, at most {most} fit; split it", bytes.len());
        return Err(item.error(&message));
    }
    Ok(bytes)
}
