//! An outcome as one JSON object. A number that is not known is null, never 0.

use serde_json::{Map, Value, json};

use super::memory;
use super::multiplied;
use super::outcome::{Change, Outcome, Scene, Telling};
use super::sizes;
use super::story::{hex, show};
use crate::error::Error;
use crate::search::{Found, Liveness};

/// The object for `outcome`.
pub fn object(outcome: &Outcome) -> Value {
    let found = &outcome.found;
    let table = outcome.table.as_ref();
    let receipts: Map<String, Value> = found
        .receipts
        .of(outcome.kinds)
        .map(|(kind, count)| (kind.to_string(), json!(count)))
        .collect();
    let trace = outcome.told.first().map(|Telling { story, .. }| {
        let start = json!({
            "action": null,
            "node": null,
            "text": "start",
            "payload": null,
            "changes": story.start.iter().map(change).collect::<Vec<_>>(),
        });
        let steps = story.steps.iter().map(scene);
        std::iter::once(start).chain(steps).collect::<Vec<_>>()
    });
    let suspicions: Vec<Value> = found.suspicions.iter().enumerate().map(|(index, suspicion)| {
        let telling = outcome.suspected.get(index);
        json!({
            "property": suspicion.property,
            "critical": suspicion.critical,
            "tried": suspicion.tried,
            "length": suspicion.length,
            "trace_len": suspicion.trace.states(),
            "trace": telling.map(|telling| telling.story.steps.iter().map(scene).collect::<Vec<_>>()),
        })
    }).collect();
    let mut object = json!({
        "verdict": outcome.word(),
        "property": found.property,
        "why": found.why,
        "distinct": found.distinct,
        "generated": found.generated,
        "depth": found.depth,
        "trace_len": found.trace_len,
        "queue_left": found.queue_left,
        "violations": found.violation_count,
        "seconds": outcome.seconds,
        "workers": outcome.workers,
        "seed": outcome.seed,
        "bounds": found.bounds,
        "receipts": receipts,
        "unreached": found.unreached,
        "collision": found.collision,
        "slots": found.slots,
        "peak_bytes": memory::peak(),
        "local_states": outcome.local_states,
        "identities": outcome.identities,
        "steps_run": outcome.steps_run,
        "table_hits": table.map(|table| table.hits),
        "audited": table.map(|table| table.audited),
        "disagreed": table.map(|table| table.disagreed),
        "audit": table.map(|table| if table.full { "full" } else { "sampled" }),
        "audited_states": table.map(|table| table.audited_states),
        "unaudited_states": table.map(|table| table.unaudited_states),
        "excess_origins": table.map(|table| table.excess),
        "plain_steps": table.map(|table| table.plain),
        "raw_fallbacks": table.map(|table| table.raw_fallbacks),
        "restored": outcome.restored.as_ref().map(|done| done.restored),
        "restores_compared": outcome.restored.as_ref().map(|done| done.compared),
        "fallbacks": outcome.restored.as_ref().map(|done| done.fallbacks),
        "process_seconds": outcome.process_seconds,
        "processes": outcome.processes,
        "lasso": found.lasso,
        "liveness": found.liveness.map(|liveness| match liveness {
            Liveness::Exact => "exact",
            Liveness::Walks => "walks",
        }),
        "suspicions": suspicions,
        "notes": outcome.notes,
        "trace": trace,
        "version": env!("CARGO_PKG_VERSION"),
    });
    object["why_so_many"] = json!(outcome.multiplied.as_deref().map(multiplied::object));
    let seconds = outcome.restored.as_ref().map(|done| done.micros as f64 / 1e6);
    object["restored_seconds"] = json!(seconds);
    object["saved_states"] = json!(outcome.restored.as_ref().map(|done| done.saved));
    object["saved_bytes"] = json!(outcome.restored.as_ref().map(|done| done.bytes));
    object["sizes"] = json!(outcome.sizes.as_ref().map(sizes::object));
    object
}

/// The object for an error that left nothing to report on: the same keys, and what is not known null.
pub fn failure(error: &Error) -> Value {
    let mut object = object(&Outcome {
        found: Found::failed(error.clone()),
        seconds: 0.0,
        ..Outcome::interrupted(&[])
    });
    object["seconds"] = Value::Null;
    object["receipts"] = Value::Null;
    object
}

fn scene(scene: &Scene) -> Value {
    json!({
        "action": scene.action,
        "node": scene.node,
        "text": scene.words,
        "note": scene.note,
        "payload": scene.payload.as_deref().map(|bytes| json!({ "text": show(bytes), "hex": hex(bytes) })),
        "crash": scene.crash.as_ref().map(|crash| json!({
            "way": crash.way, "done": crash.done, "lost": crash.lost,
        })),
        "changes": scene.changes.iter().map(change).collect::<Vec<_>>(),
        "printed": scene.printed.iter().map(|(node, fd, bytes)| json!({
            "node": node, "descriptor": fd, "text": String::from_utf8_lossy(bytes),
        })).collect::<Vec<_>>(),
    })
}

fn change(change: &Change) -> Value {
    json!({ "node": change.node, "what": change.what, "old": change.old, "new": change.new })
}
