//! An outcome as text: the verdict first, then the run that led there, what was counted, and the
//! command that replays it.

use std::fmt::Write;

use super::multiplied;
use super::outcome::{Change, Outcome, Scene, Story, Telling};
use super::sizes;
use super::story::{hex, show};
use crate::search::{Liveness, Suspicion, Verdict};

/// Bytes of a payload that are shown in hexadecimal.
const HEX_SHOWN: usize = 16;
/// Steps of a suspicious walk that are shown behind the critical one.
const SHOWN_BEHIND: usize = 5;

/// The report on `outcome` of the model called `name`.
pub fn text(name: &str, outcome: &Outcome) -> String {
    let mut out = String::new();
    out.push_str(&headline(name, outcome));
    if let Some(telling) = outcome.told.first() {
        tell(&telling.story, &mut out);
        if let Some(state) = outcome.found.lasso {
            let _ =
                writeln!(out, "  the last step leads back to {state}: it can go on so for ever\n");
        }
    }
    for (suspicion, telling) in outcome.found.suspicions.iter().zip(&outcome.suspected) {
        suspect(suspicion, telling, &mut out);
    }
    counts(outcome, &mut out);
    receipts(outcome, &mut out);
    multiplied::text(outcome.multiplied.as_deref().unwrap_or_default(), &mut out);
    for note in &outcome.notes {
        let _ = writeln!(out, "note: {note}");
    }
    out
}

/// The verdict, in a line or two.
pub fn headline(name: &str, outcome: &Outcome) -> String {
    let found = &outcome.found;
    let mut out = String::new();
    let _ = write!(out, "{name}: {}", outcome.word());
    match (&found.verdict, &found.property, &found.why) {
        (Verdict::Pass, ..) => {}
        (Verdict::Violated, Some(property), Some(why)) => {
            let _ = write!(out, ": {property}\n  {why}");
        }
        (_, _, Some(why)) => {
            let _ = write!(out, ": {why}");
        }
        _ => {}
    }
    out.push('\n');
    out
}

/// A walk on which something did not come true. It proves nothing, and says so.
fn suspect(suspicion: &Suspicion, telling: &Telling, out: &mut String) {
    let Suspicion { property, critical, tried, length, .. } = suspicion;
    let _ = writeln!(out, "suspicion, no proof: \"{property}\" did not come true on this walk");
    let _ = match critical {
        Some(step) => writeln!(
            out,
            "  critical step {step}: before it one of {tried} walks of {length} steps made it true, \
             behind it none"
        ),
        None => {
            writeln!(out, "  none of {tried} walks of {length} steps from its start made it true")
        }
    };
    let steps = telling.story.steps.len();
    let shown = critical.map_or(0, |step| step as usize).saturating_add(SHOWN_BEHIND).min(steps);
    let _ = writeln!(out, "\n  0  start");
    changes(&telling.story.start, out);
    for (index, scene) in telling.story.steps[..shown].iter().enumerate() {
        step(index + 1, scene, out);
    }
    if shown < steps {
        let _ = writeln!(out, "  …  {} more steps; the trace has all", steps - shown);
    }
    out.push('\n');
}

fn tell(story: &Story, out: &mut String) {
    let _ = writeln!(out, "\n  0  start");
    changes(&story.start, out);
    for (index, scene) in story.steps.iter().enumerate() {
        step(index + 1, scene, out);
    }
    out.push('\n');
}

fn step(number: usize, scene: &Scene, out: &mut String) {
    let who = scene.node.map_or(String::new(), |node| format!("node {node} "));
    let _ = writeln!(out, "{number:>3}  {:<24} {who}{}", scene.action, scene.words);
    if let Some(payload) = &scene.payload {
        let shown = show(payload);
        let cut = if payload.len() > HEX_SHOWN { "…" } else { "" };
        let bytes = hex(&payload[..payload.len().min(HEX_SHOWN)]);
        let _ = match shown.starts_with('"') {
            true => writeln!(out, "       {shown}  x:{bytes}{cut}"),
            false => writeln!(out, "       {shown}"),
        };
    }
    if let Some(note) = scene.note.as_ref().filter(|note| **note != scene.words) {
        let _ = writeln!(out, "       {note}");
    }
    if let Some(crash) = &scene.crash {
        let list = |parts: &[String]| match parts.is_empty() {
            true => "nothing".to_owned(),
            false => parts.join(", "),
        };
        let _ = writeln!(out, "       {who}crashes behind effect {} of this step", crash.way);
        let _ = writeln!(out, "       done: {}", list(&crash.done));
        let _ = writeln!(out, "       lost: {}", list(&crash.lost));
    }
    changes(&scene.changes, out);
    for (node, fd, bytes) in &scene.printed {
        let stream = if *fd == 2 { "stderr" } else { "stdout" };
        for line in String::from_utf8_lossy(bytes).lines() {
            let _ = writeln!(out, "       node {node} {stream}: {line}");
        }
    }
}

fn changes(changes: &[Change], out: &mut String) {
    for Change { node, what, old, new } in changes {
        let who = node.map_or(String::new(), |node| format!("node {node}: "));
        let _ = match old {
            Some(old) => writeln!(out, "       {who}{what}: {old} -> {new}"),
            None => writeln!(out, "       {who}{what}: {new}"),
        };
    }
}

fn counts(outcome: &Outcome, out: &mut String) {
    let found = &outcome.found;
    let mut parts = Vec::new();
    let mut count = |value: Option<u64>, what: &str| {
        if let Some(value) = value {
            parts.push(format!("{value} {what}"));
        }
    };
    count(found.distinct, "distinct");
    count(found.generated, "generated");
    if let Some(depth) = found.depth {
        parts.push(format!("depth {depth}"));
    }
    if let Some(states) = &outcome.local_states {
        parts.push(format!("local states {}", list(states)));
    }
    parts.push(format!("{:.3} s", outcome.seconds));
    let _ = writeln!(out, "{}", parts.join(", "));
    let mut work = Vec::new();
    if let Some(steps) = outcome.steps_run {
        work.push(format!("{steps} node steps run"));
    }
    if let Some(table) = &outcome.table {
        work.push(format!("{} looked up", table.hits));
    }
    if let Some(processes) = outcome.processes {
        work.push(format!("{processes} processes"));
    }
    if let (Some(seconds), true) = (outcome.process_seconds, outcome.table.is_some()) {
        work.push(format!("{seconds:.3} s in processes"));
    }
    if let Some(collision) = found.collision {
        work.push(format!("probability of a fingerprint collision {collision:.1e}"));
    }
    if let Some(seed) = outcome.seed {
        work.push(format!("seed {seed}"));
    }
    let _ = writeln!(out, "{}", work.join(", "));
    if let Some(table) = &outcome.table
        && table.full
        && found.verdict == Verdict::Pass
    {
        let _ = writeln!(
            out,
            "audit: full and closed: every learned step does the same from all memories that its state \
             has in this search ({} executions)",
            table.audited
        );
    } else if let Some(table) = &outcome.table {
        let _ = writeln!(
            out,
            "audit: {} steps executed again, {} disagreed; {} local states have several memories, \
             {} one (unaudited); {} memories beyond those kept",
            table.audited,
            table.disagreed,
            table.audited_states,
            table.unaudited_states,
            table.excess
        );
    }
    if let Some(done) = outcome.restored.as_ref().filter(|done| done.restored + done.fallbacks > 0)
    {
        let _ = writeln!(
            out,
            "restored: {} steps in a process put into a saved local state, {} compared with their \
             histories, {} led there by history; {} memories kept, {:.1} KB each",
            done.restored,
            done.compared,
            done.fallbacks,
            done.saved,
            done.bytes as f64 / 1024.0 / done.saved.max(1) as f64
        );
    }
    if let Some(table) = outcome.table.as_ref().filter(|table| table.plain > 0) {
        let _ = writeln!(
            out,
            "normal form: {} steps did the same from memories in which nothing was cleared",
            table.plain
        );
    }
    if let Some(measured) = &outcome.sizes {
        out.push_str(&sizes::table(measured));
    }
    match found.liveness {
        Some(Liveness::Exact) => {
            let _ = writeln!(out, "what must come true: decided by all fair runs");
        }
        Some(Liveness::Walks) => {
            let _ = writeln!(
                out,
                "what must come true: looked at by random walks, which prove nothing"
            );
        }
        None => {}
    }
    if found.violation_count > 1 {
        let _ = writeln!(out, "violations: {}, the first is told", found.violation_count);
    }
    if !found.bounds.is_empty() {
        let _ = writeln!(out, "bounds hit: {}", found.bounds.join(", "));
    }
    if !found.unreached.is_empty() {
        let _ = writeln!(out, "never true: {}", found.unreached.join(", "));
    }
}

fn list(numbers: &[u64]) -> String {
    let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
    numbers.join("/")
}

fn receipts(outcome: &Outcome, out: &mut String) {
    let receipts = &outcome.found.receipts;
    let (happened, never): (Vec<_>, Vec<_>) =
        receipts.of(outcome.kinds).partition(|(_, count)| *count > 0);
    let happened: Vec<String> =
        happened.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
    let never: Vec<String> = never.iter().map(|(kind, _)| kind.to_string()).collect();
    if !happened.is_empty() {
        let _ = writeln!(out, "happened: {}", happened.join(", "));
    }
    if !never.is_empty() {
        let _ = writeln!(out, "never happened: {}", never.join(", "));
    }
}
