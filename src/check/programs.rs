//! Checks programs: the back end that was asked for, the counterexample run again on fresh processes,
//! and what should be known about the answer.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::file::ModelFile;
use super::outcome::{Outcome, Telling};
use super::record::Recorder;
use super::run::{self, BackEnd, Options, Way};
use super::story::Teller;
use super::tally::Tally;
use crate::action::Kind;
use crate::error::Error;
use crate::process::Processes;
use crate::process::config::StateKind;
use crate::process::enabled::KINDS;
use crate::process::images;
use crate::process::learned::Learned;
use crate::process::preload;
use crate::process::restore::Backend;
use crate::process::sizes::{Measured, Sizes};
use crate::process::whole_replay::{Start, WholeReplay};
use crate::property::Property;
use crate::search::{self, Progress};
use crate::system::{Stop, System};
use crate::trace::{Checked, Program, TraceFile};

/// Check the programs of `file`.
pub fn check(
    file: &ModelFile,
    properties: &[Property],
    options: &Options,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Outcome, Error> {
    if options.det {
        return Err(Error::Argument(
            "--det runs the steps of a core twice; learned steps of programs are audited, see --audit"
                .into(),
        ));
    }
    let processes = match processes(file, options) {
        Err(Error::Interrupted) => return Ok(Outcome::interrupted(&KINDS)),
        other => other?,
    };
    let oracle = WholeReplay::new(Arc::clone(&processes), Start::Execve);
    let outcome = match options.back_end {
        BackEnd::WholeReplay(start) => {
            let system = WholeReplay::new(Arc::clone(&processes), start);
            search(properties, options, &system, &processes, progress)?.0
        }
        BackEnd::Learned(policy) => {
            let learned = Learned::new(Arc::clone(&processes), policy);
            let (outcome, states) = search(properties, options, &learned, &processes, progress)?;
            let table = learned.counts();
            let sizes = processes.restores.sizes.as_ref();
            let outcome = Outcome {
                table: Some(table),
                steps_run: Some(table.run),
                restored: Some(processes.restores.counts()),
                sizes: sizes.map(|sizes| Measured::of(sizes, &processes.ledger.phases)),
                ..outcome
            };
            multiplied(&learned, &states, options, outcome)
        }
    };
    tell(file, properties, &oracle, false, outcome)
}

/// `outcome`, and what multiplies the local states, if that was asked for. The verdict does not depend
/// on it.
fn multiplied(
    learned: &Learned,
    states: &[Vec<u128>],
    options: &Options,
    mut outcome: Outcome,
) -> Outcome {
    if options.why_so_many {
        match learned.why_so_many(states) {
            Ok(multiplied) => outcome.multiplied = Some(multiplied),
            Err(stop) => {
                let why = match stop {
                    Stop::Error(error) => error.to_string(),
                    Stop::Violated(breach) => breach.why,
                };
                outcome.notes.push(format!("--why-so-many cannot look at a local state: {why}"));
            }
        }
    }
    outcome
}

/// Search `system`, and count; with the local states of each node that were found, by digest.
fn search<S: System>(
    properties: &[Property],
    options: &Options,
    system: &S,
    processes: &Processes,
    progress: &mut dyn FnMut(&Progress),
) -> Result<(Outcome, Vec<Vec<u128>>), Error> {
    let mut tally = Tally::new(processes);
    let most = options.max_memory.map(|most| most - saved_share(options));
    let (found, seconds, workers) =
        run::search(system, properties, options, most, &mut tally, progress);
    if let Some(fault) = tally.fault {
        return Err(fault);
    }
    let outcome = Outcome {
        local_states: tally.local_states(),
        identities: tally.identities(),
        seconds,
        workers,
        seed: run::drawn(options),
        ..Outcome::of_processes(found, &processes.ledger)
    };
    Ok((outcome, tally.into_states()))
}

/// Replay the trace in `trace` on the programs of `file`.
pub fn replay(
    file: &ModelFile,
    properties: &[Property],
    trace: &TraceFile,
    options: &Options,
) -> Result<Outcome, Error> {
    let system = match processes(file, options) {
        Err(Error::Interrupted) => return Ok(Outcome::interrupted(&KINDS)),
        other => WholeReplay::new(other?, Start::Execve),
    };
    let start = Instant::now();
    let found = search::replay(&system, properties, trace);
    let seconds = start.elapsed().as_secs_f64();
    let mut notes = Vec::new();
    if let Checked::Model { file: path, hash, programs } = &trace.checked {
        if *hash != file.hash {
            notes.push(format!("warning: {path} has changed since the trace was written"));
        }
        for Program { node, hash, path } in programs {
            let now = system.processes().programs.get(*node).map(|p| format!("{:032x}", p.hash));
            if now.as_ref() != Some(hash) {
                notes.push(format!(
                    "warning: the program of node {node}, {path}, has changed since the trace was \
                     written"
                ));
            }
        }
    }
    let ledger = &system.processes().ledger;
    let outcome =
        Outcome { seconds, seed: trace.seed, notes, ..Outcome::of_processes(found, ledger) };
    tell(file, properties, &system, trace.among, outcome)
}

/// What saved memories of nodes may take: half of what the check may, where anything is said of that.
fn saved_share(options: &Options) -> u64 {
    let saves = matches!(options.back_end, BackEnd::Learned(_));
    match options.max_memory {
        Some(most) if saves && options.restore != Backend::History => most / 2,
        Some(_) => 0,
        None => images::BUDGET,
    }
}

fn processes(file: &ModelFile, options: &Options) -> Result<Arc<Processes>, Error> {
    let preload = match &options.preload {
        Some(preload) => preload.clone(),
        None => preload::find()?,
    };
    let mut processes = Processes::new(file.config.clone(), &preload, &options.interrupt)?;
    processes.inline = options.inline;
    processes.restores.backend = options.restore;
    processes.restores.images.budget = saved_share(options);
    processes.restores.sizes = options.stats.then(|| Sizes::new(file.config.nodes.len()));
    file.check_regions(&|node, symbol| {
        processes.programs[node].object(symbol).map(|object| object.size)
    })?;
    Ok(Arc::new(processes))
}

/// Run what was found again, and say what should be known about it.
fn tell(
    file: &ModelFile,
    properties: &[Property],
    system: &WholeReplay,
    among: bool,
    mut outcome: Outcome,
) -> Result<Outcome, Error> {
    let again = |way| again(file, properties, system, &outcome, way);
    let told = Way::of(&outcome.found, among).into_iter().map(again).collect::<Result<Vec<_>, _>>();
    let suspected: Result<Vec<_>, _> =
        Way::suspected(&outcome.found).into_iter().map(again).collect();
    match told.and_then(|told| Ok((told, suspected?))) {
        Ok((told, suspected)) => (outcome.told, outcome.suspected) = (told, suspected),
        Err(Error::Interrupted) => {
            outcome.notes.push("interrupted before the trace was run again".into());
        }
        Err(error) => outcome.found = outcome.found.contradicted(error),
    }
    notes(system.processes(), &mut outcome);
    Ok(outcome)
}

fn again(
    file: &ModelFile,
    properties: &[Property],
    system: &WholeReplay,
    outcome: &Outcome,
    way: Way<'_>,
) -> Result<Telling, Error> {
    let recorder = Recorder::new(system);
    let run = way.go(&recorder, properties).map_err(|error| match error {
        Error::Divergence(text) => Error::Divergence(format!(
            "the counterexample did not happen again on fresh processes, so the identity of some \
             local state is incomplete, or the program is not deterministic: {text}"
        )),
        other => other,
    })?;
    let teller = Teller { system, processes: system.processes(), fields: &file.fields };
    let story = teller.story(way.trace, &run.worlds, &recorder.happened())?;
    let trace_file = run::trace_file(checked(file, system), outcome, way, &run, &story);
    Ok(Telling { story, worlds: run::snapshots(system, &run.worlds)?, trace_file })
}

/// What a trace says was checked.
fn checked(file: &ModelFile, system: &WholeReplay) -> Checked {
    let programs = system.processes().programs.iter().zip(&file.config.nodes).enumerate();
    let programs = programs.map(|(node, (program, config))| Program {
        node,
        hash: format!("{:032x}", program.hash),
        path: config.program.clone(),
    });
    Checked::Model {
        file: file.path.display().to_string(),
        hash: file.hash.clone(),
        programs: programs.collect(),
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
    let raw = processes.reader.states.raw();
    if raw > 0 {
        let nodes = (0..config.nodes.len()).map(|node| (node, processes.hidden(node)));
        let named = nodes.filter(|(_, places)| !places.is_empty());
        let named = named.map(|(node, places)| format!("node {node} {places}"));
        note(format!(
            "{raw} local states hold an address that cannot be followed, so that equal logical states \
             may count as different ones: {}; see docs/memory.md",
            named.collect::<Vec<_>>().join("; ")
        ));
    }
    for (node, why) in &outcome.restored.as_ref().map(|done| done.unfit.clone()).unwrap_or_default()
    {
        note(format!("node {node} is led to local states by its history, not restored: {why}"));
    }
    if ledger.lost_writes.load(Ordering::Relaxed) {
        note(
            "a node wrote to a peer that was gone: EPIPE and ECONNRESET are not modelled in message \
             mode, so the write succeeded and went nowhere"
                .into(),
        );
    }
    let advanced = outcome.found.receipts.count(Kind::Timeout) > 0;
    if ledger.clock_read.load(Ordering::Relaxed) && !advanced {
        note("a node read its clock, and the clock never advanced: there was no TIMEOUT".into());
    }
}
