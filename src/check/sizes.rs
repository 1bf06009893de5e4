//! How large the states of a model are, as a table and as an object: what a process holds of each kind
//! of memory, the network, and all of it, with how much a transition changes; and where the time of steps went.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::process::phases::CallCounts;
use crate::process::sizes::{Measured, PARTS};

/// Averages of one row: bytes, and bytes and pages that a transition changes.
type Row = [f64; 3];

/// The rows of the table: what it is of, and the averages; `None` where nothing was measured.
fn rows(measured: &Measured) -> Vec<(String, Option<Row>)> {
    let mut rows = Vec::new();
    let mut system = Some([0.0; 3]);
    for (node, process) in measured.processes.iter().enumerate() {
        let mut total = Some([0.0; 3]);
        for (part, name) in PARTS.iter().enumerate() {
            let row = process.average(part);
            total = add(total, row);
            rows.push((format!("node {node} {name}"), row));
        }
        rows.push((format!("node {node}"), total));
        // A transition runs one process.
        let share = share(measured, node);
        let weighted = total.map(|[size, bytes, pages]| [size, bytes * share, pages * share]);
        system = add(system, weighted);
    }
    let network = &measured.network;
    let transitions = network.transitions as f64;
    let network = (network.transitions > 0).then(|| {
        [network.bytes as f64 / transitions, network.changed_bytes as f64 / transitions, 0.0]
    });
    rows.push(("network".into(), network));
    rows.push(("system".into(), add(system, network)));
    rows
}

/// The part of the measured transitions that were of process `node`.
fn share(measured: &Measured, node: usize) -> f64 {
    let all: u64 = measured.processes.iter().map(|process| process.transitions).sum();
    measured.processes[node].transitions as f64 / all.max(1) as f64
}

fn add(sum: Option<Row>, row: Option<Row>) -> Option<Row> {
    let (sum, row) = (sum?, row?);
    Some(std::array::from_fn(|column| sum[column] + row[column]))
}

/// The table, in kilobytes of 1024 bytes.
pub fn table(measured: &Measured) -> String {
    let mut out = format!(
        "{:<20}{:>12}{:>14}{:>15}\n",
        "state, average", "KB", "KB changed", "pages changed"
    );
    for (name, row) in rows(measured) {
        let _ = match row {
            Some([size, bytes, pages]) => {
                writeln!(
                    out,
                    "{name:<20}{:>12.2}{:>14.3}{pages:>15.2}",
                    size / 1024.0,
                    bytes / 1024.0
                )
            }
            None => writeln!(out, "{name:<20}{:>12}{:>14}{:>15}", "-", "-", "-"),
        };
    }
    if !measured.phases.is_empty() {
        let _ = writeln!(out, "{:<20}{:>12}{:>14}", "step", "times", "us each");
    }
    for (name, times, each) in &measured.phases {
        let _ = writeln!(out, "{name:<20}{times:>12}{each:>14.1}");
    }
    let CallCounts { asked, inside } = measured.calls;
    let _ = writeln!(out, "{asked} calls asked of cmc, {inside} answered inside of nodes");
    out
}

/// The object: by row its averages, in bytes and pages.
pub fn object(measured: &Measured) -> Value {
    let rows = rows(measured).into_iter().map(|(name, row)| {
        let row = row.map(|[bytes, changed, pages]| {
            json!({ "bytes": bytes, "changed_bytes": changed, "changed_pages": pages })
        });
        (name, row.unwrap_or(Value::Null))
    });
    let phases = measured.phases.iter().map(|(name, times, each)| {
        ((*name).to_owned(), json!({ "times": times, "microseconds": each }))
    });
    let steps = ("steps".to_owned(), Value::Object(phases.collect()));
    let CallCounts { asked, inside } = measured.calls;
    let calls = ("calls".to_owned(), json!({ "asked": asked, "inside": inside }));
    Value::Object(rows.chain([steps, calls]).collect())
}
