//! Runs a check: model and options in, [`Outcome`] out. Every counterexample is run again on fresh
//! processes before it is reported.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::file::Model;
use super::outcome::{Outcome, Story, word};
use super::record::Recorder;
use super::story::{Teller, show};
use super::tally::Tally;
use crate::error::Error;
use crate::process::Processes;
use crate::process::audit::Policy;
use crate::process::config::StateKind;
use crate::process::learned::Learned;
use crate::process::whole_replay::{Start, WholeReplay};
use crate::search::{self, Found, Progress, Search, Strategy, Verdict};
use crate::system::System;
use crate::trace::{Program, Step, Trace, TraceFile};

/// How worlds are reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackEnd {
    /// By starting every node, so, and repeating what happened.
    WholeReplay(Start),
    /// By learned steps, audited so.
    Learned(Policy),
}

/// How to check.
#[derive(Clone, Debug)]
pub struct Options {
    /// How worlds are reached.
    pub back_end: BackEnd,
    /// How to search.
    pub strategy: Strategy,
    /// How many threads search; 0 for one on each processor.
    pub workers: usize,
    /// The states of a path, at most.
    pub depth: Option<u64>,
    /// The worlds stored, at most.
    pub max_states: Option<u64>,
    /// The seed of everything drawn.
    pub seed: u64,
    /// The preload on the host.
    pub preload: PathBuf,
    /// Set when the user wants to stop.
    pub interrupt: Arc<AtomicBool>,
}

/// Check `model`.
pub fn check(
    model: &Model,
    options: &Options,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Outcome, Error> {
    let processes = match processes(model, options) {
        Err(Error::Interrupted) => return Ok(Outcome::interrupted()),
        other => other?,
    };
    let oracle = WholeReplay::new(Arc::clone(&processes), Start::Execve);
    let (outcome, table) = match options.back_end {
        BackEnd::WholeReplay(start) => {
            let system = WholeReplay::new(Arc::clone(&processes), start);
            (search(model, options, &system, &processes, progress)?, None)
        }
        BackEnd::Learned(policy) => {
            let learned = Learned::new(Arc::clone(&processes), policy);
            let outcome = search(model, options, &learned, &processes, progress)?;
            (outcome, Some(learned.counts()))
        }
    };
    let steps_run = table.map_or(outcome.steps_run, |table| Some(table.run));
    tell(model, &oracle, Outcome { table, steps_run, ..outcome })
}

/// Search `system`, and count.
fn search<S: System>(
    model: &Model,
    options: &Options,
    system: &S,
    processes: &Processes,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Outcome, Error> {
    let search = Search {
        strategy: options.strategy,
        depth: options.depth,
        max_states: options.max_states,
        seed: options.seed,
        workers: options.workers,
        ..Search::new(&options.interrupt)
    };
    let start = Instant::now();
    let mut tally = Tally::new(processes);
    let found = search.run(system, &model.properties, &mut tally, progress);
    let seconds = start.elapsed().as_secs_f64();
    if let Some(fault) = tally.fault {
        return Err(fault);
    }
    let drawn = matches!(options.strategy, Strategy::Simulate { .. });
    Ok(Outcome {
        local_states: tally.local_states(),
        identities: tally.identities(),
        seconds,
        workers: search.threads(),
        seed: drawn.then_some(options.seed),
        ..Outcome::of(found, &processes.ledger)
    })
}

/// Replay the trace in `text`, read from `path`.
pub fn replay(path: &Path, text: &str, options: &Options) -> Result<(Model, Outcome), Error> {
    let said = path.display().to_string();
    let file = TraceFile::parse(&said, text)?;
    let directory = path.parent().unwrap_or(Path::new(""));
    let model = Model::load(&directory.join(&file.model))
        .map_err(|error| Error::Trace(format!("{said}: its model file cannot be used: {error}")))?;
    let system = match processes(&model, options) {
        Err(Error::Interrupted) => return Ok((model, Outcome::interrupted())),
        other => WholeReplay::new(other?, Start::Execve),
    };
    let start = Instant::now();
    let found = search::replay(&system, &model.properties, &file);
    let seconds = start.elapsed().as_secs_f64();
    let mut notes = Vec::new();
    if file.model_hash != model.hash {
        notes.push(format!("warning: {} has changed since the trace was written", file.model));
    }
    for Program { node, hash, path } in &file.programs {
        let now = system.processes().programs.get(*node).map(|p| format!("{:032x}", p.hash));
        if now.as_ref() != Some(hash) {
            notes.push(format!(
                "warning: the program of node {node}, {path}, has changed since the trace was written"
            ));
        }
    }
    let ledger = &system.processes().ledger;
    let outcome = Outcome { seconds, seed: file.seed, notes, ..Outcome::of(found, ledger) };
    let outcome = tell(&model, &system, outcome)?;
    Ok((model, outcome))
}

fn processes(model: &Model, options: &Options) -> Result<Arc<Processes>, Error> {
    let processes = Processes::new(model.config.clone(), &options.preload, &options.interrupt)?;
    model.check_regions(&|node, symbol| {
        processes.programs[node].object(symbol).map(|object| object.size)
    })?;
    Ok(Arc::new(processes))
}

/// Run what was found again, and say what should be known about it.
fn tell(model: &Model, system: &WholeReplay, mut outcome: Outcome) -> Result<Outcome, Error> {
    if let Some(trace) = outcome.found.trace.clone() {
        match run_again(model, system, &outcome.found, &trace) {
            Ok(story) => {
                outcome.trace_file = Some(trace_file(model, system, &outcome, &trace, &story));
                outcome.story = Some(story);
            }
            Err(Error::Interrupted) => {
                outcome.notes.push("interrupted before the trace was run again".into());
            }
            Err(error) => {
                outcome.found = Found {
                    why: Some(error.to_string()),
                    verdict: Verdict::Error(error),
                    ..outcome.found
                };
            }
        }
    }
    notes(system.processes(), &mut outcome);
    Ok(outcome)
}

fn run_again(
    model: &Model,
    system: &WholeReplay,
    found: &Found,
    trace: &Trace,
) -> Result<Story, Error> {
    let recorder = Recorder::new(system);
    let worlds = match (&found.verdict, &found.property) {
        (Verdict::Violated, Some(property)) => {
            let run = search::confirm(&recorder, &model.properties, trace, property);
            run.map_err(|error| match error {
                Error::Divergence(text) => Error::Divergence(format!(
                    "the counterexample did not happen again on fresh processes, so the identity of \
                     some local state is incomplete, or the program is not deterministic: {text}"
                )),
                other => other,
            })?
            .worlds
        }
        _ => {
            // The last step is the one that could not be checked.
            let labels = trace.labels.len().saturating_sub(1);
            let before = Trace { labels: trace.labels[..labels].to_vec(), ..trace.clone() };
            match trace.labels.is_empty() {
                true => Vec::new(),
                false => search::follow(&recorder, &before)?.worlds,
            }
        }
    };
    let teller = Teller { system, processes: system.processes(), fields: &model.fields };
    let happened = recorder.happened();
    teller.story(trace, &worlds, &happened)
}

fn trace_file(
    model: &Model,
    system: &WholeReplay,
    outcome: &Outcome,
    trace: &Trace,
    story: &Story,
) -> TraceFile {
    let programs = system.processes().programs.iter().zip(&model.config.nodes).enumerate();
    let steps = trace.labels.iter().zip(&story.steps);
    TraceFile {
        model: model.path.display().to_string(),
        model_hash: model.hash.clone(),
        programs: programs
            .map(|(node, (program, config))| Program {
                node,
                hash: format!("{:032x}", program.hash),
                path: config.program.clone(),
            })
            .collect(),
        verdict: word(&outcome.found.verdict).into(),
        property: outcome.found.property.clone(),
        seed: outcome.seed,
        initial: trace.initial,
        steps: steps
            .map(|(label, scene)| Step {
                name: scene.name.clone(),
                choices: label.choices.to_vec(),
                note: scene.payload.as_deref().map(show),
            })
            .collect(),
    }
}

fn notes(processes: &Processes, outcome: &mut Outcome) {
    let config = &processes.config;
    let ledger = &processes.ledger;
    let mut note = |text: String| outcome.notes.push(text);
    let kinds = config.nodes.iter().enumerate();
    let raw: Vec<String> =
        kinds.filter(|(_, n)| n.state == StateKind::Raw).map(|(n, _)| n.to_string()).collect();
    if !raw.is_empty() {
        note(format!(
            "state = \"raw\" (node {}): equal logical states may count as different ones, different \
             ones never as equal",
            raw.join(", ")
        ));
    }
    if ledger.lost_writes.load(Ordering::Relaxed) {
        note(
            "a node wrote to a peer that was gone: EPIPE and ECONNRESET are not modelled in message \
             mode, so the write succeeded and went nowhere"
                .into(),
        );
    }
    let advanced = outcome.found.receipts.count(crate::action::Kind::Timeout) > 0;
    if ledger.clock_read.load(Ordering::Relaxed) && !advanced {
        note("a node read its clock, and the clock never advanced: there was no TIMEOUT".into());
    }
}
