//! `[[node]]`: the programs, what identifies their states, and their fields.

use super::field::{Fields, check_symbol};
use super::key::{NODE, NODE_FIELDS};
use super::port;
use super::table::{Entry, Item, Table};
use crate::error::Error;
use crate::limits;
use crate::process::config::{NodeConfig, StateKind};
use crate::process::debug::Place;

/// Read the nodes; `shared` are the fields of those that have none of their own.
pub fn read(
    nodes: Item<'_>,
    shared: &[Entry<'_>],
) -> Result<(Vec<NodeConfig>, Vec<Fields>), Error> {
    let mut configs: Vec<NodeConfig> = Vec::new();
    let mut fields = Vec::new();
    let tables = nodes.tables(NODE)?;
    if let Some(unused) = shared.first().filter(|_| !tables.is_empty())
        && tables.iter().all(|table| table.get("fields").is_some())
    {
        let message = "every node has its own fields, so that [fields] does nothing; remove it";
        return Err(unused.value.source().error(unused.span.clone(), message));
    }
    for table in tables {
        let most = limits::NODES.value;
        let count = match table.get("count") {
            Some(count) => count.integer(1..=most as i64)? as usize,
            None => 1,
        };
        if configs.len() + count > most {
            let message = format!("a model has at most {most} nodes; this table makes more");
            return Err(table.error(&message));
        }
        let (node, own) = one(&table, shared)?;
        let listen = table.get("listen");
        for index in 0..count {
            let taken: Vec<u16> = configs.iter().map(|config| config.port).collect();
            let port = port::choose(&table, listen.as_ref(), configs.len(), index, &taken)?;
            configs.push(NodeConfig { port, ..node.clone() });
            fields.push(own.clone());
        }
    }
    Ok((configs, fields))
}

/// What all nodes of one table share: everything except the port.
fn one(table: &Table<'_>, shared: &[Entry<'_>]) -> Result<(NodeConfig, Fields), Error> {
    let program = table.require("program", "program = \"./NAME\"")?.argument(false)?;
    let args = match table.get("args") {
        Some(args) => {
            args.array()?.map(|arg| arg.argument(true).map(str::to_owned)).collect::<Result<_, _>>()
        }
        None => Ok(Vec::new()),
    }?;
    let may_exit = match table.get("may_exit") {
        Some(statuses) => statuses
            .array()?
            .map(|status| status.integer(0..=255).map(|status| status as i32))
            .collect::<Result<_, _>>(),
        None => Ok(vec![0]),
    }?;
    let state = match table.get("state") {
        Some(state) => state_kind(&state)?,
        None => StateKind::Memory,
    };
    let ignore = match table.get("ignore") {
        Some(ignore) if state == StateKind::Memory => ignore
            .array()?
            .map(|item| Place::parse(item.string()?).map_err(|wrong| item.error(&wrong)))
            .collect::<Result<_, _>>()?,
        Some(ignore) => {
            let message = "only state = \"memory\" can leave places out; remove this key, or the \
                           state that is given";
            return Err(ignore.error(message));
        }
        None => Vec::new(),
    };
    let fields = match table.get("fields") {
        Some(own) => Fields::parse(&own.table(NODE_FIELDS)?.entries(), &state)?,
        None => Fields::parse(shared, &state)?,
    };
    let reads = match state {
        StateKind::Raw | StateKind::Memory => fields.reads(),
        StateKind::Report | StateKind::Region(_) => Vec::new(),
    };
    let program = program.to_owned();
    Ok((NodeConfig { program, args, state, ignore, port: 0, may_exit, reads }, fields))
}

fn state_kind(item: &Item<'_>) -> Result<StateKind, Error> {
    let text = item.string()?;
    if let Some(symbol) = text.strip_prefix("region:") {
        check_symbol(symbol).map_err(|message| item.error(&message))?;
        return Ok(StateKind::Region(symbol.to_owned()));
    }
    match text {
        "report" => Ok(StateKind::Report),
        "raw" => Ok(StateKind::Raw),
        "region" => Err(item.error("a region needs its symbol; write \"region:SYMBOL\"")),
        "memory" => Ok(StateKind::Memory),
        _ => Err(item.error(&format!(
            "state must be \"memory\", \"report\", \"region:SYMBOL\" or \"raw\", not {text:?}"
        ))),
    }
}
