//! Runs a check: model and options in, [`Outcome`] out. What a search found is run again, on the real
//! programs or core, before it is told.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::memory;
use super::model::{Model, Subject};
use super::outcome::{Outcome, Story, word};
use super::snapshot::Snapshot;
use super::story::show;
use super::{core_file, core_model, programs, read};
use crate::error::Error;
use crate::process::audit::Policy;
use crate::process::restore::Backend;
use crate::process::whole_replay::Start;
use crate::property::Property;
use crate::search::{self, Found, Observer, Progress, Run, Search, Strategy, Suspicion, Walks};
use crate::system::System;
use crate::trace::{Checked, Step, Trace, TraceFile};

/// The states of a random walk, at most, where nothing else is said.
pub const LONGEST_WALK: u64 = 1000;
/// More threads than this are a slip of the finger.
pub const MOST_WORKERS: u64 = 1024;

/// How worlds of programs are reached.
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
    /// How worlds are reached; programs only.
    pub back_end: BackEnd,
    /// How nodes are put into local states; learned steps of programs only.
    pub restore: Backend,
    /// Whether calls are answered inside of nodes where that can be; learned steps of programs only.
    pub inline: bool,
    /// The bytes of memory that the check takes, at most; breadth first, and for what is saved of nodes.
    pub max_memory: Option<u64>,
    /// Whether sizes of states are measured; learned steps of programs only.
    pub stats: bool,
    /// Whether to say what multiplies local states; learned steps of programs only.
    pub why_so_many: bool,
    /// How to search.
    pub strategy: Strategy,
    /// How many threads search; 0 for one on each processor.
    pub workers: usize,
    /// The states of a path, at most.
    pub depth: Option<u64>,
    /// The worlds stored, at most.
    pub max_states: Option<u64>,
    /// Whether a world in which nothing is possible breaks a rule.
    pub deadlock: bool,
    /// Whether the search goes on behind what is broken.
    pub keep_going: bool,
    /// Walks for properties that must come true, where they are not decided.
    pub liveness: Option<Walks>,
    /// The seed of everything drawn.
    pub seed: u64,
    /// Run every step twice and compare; cores only.
    pub det: bool,
    /// The preload on the host, `None` to look where it belongs; programs only.
    pub preload: Option<PathBuf>,
    /// Set when the user wants to stop.
    pub interrupt: Arc<AtomicBool>,
}

/// Check `model`.
pub fn check(
    model: &Model,
    options: &Options,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Outcome, Error> {
    match &model.subject {
        Subject::Programs(file) => programs::check(file, model.properties(), options, progress),
        Subject::Core(core) => core_model::check(core, model.properties(), options, progress),
    }
}

/// Replay the trace in the file `path` on what it says was checked.
pub fn replay(path: &Path, options: &Options) -> Result<(Model, Outcome), Error> {
    let said = path.display().to_string();
    let file = read::trace(path)?;
    let directory = path.parent().unwrap_or(Path::new(""));
    let model = match &file.checked {
        Checked::Model { file, .. } => {
            let model = Model::load(&directory.join(file));
            model.map_err(|error| {
                Error::Trace(format!("{said}: its model file cannot be used: {error}"))
            })?
        }
        Checked::Core { file, settings, .. } => core_file::open(&directory.join(file), settings)
            .map_err(|error| {
                Error::Trace(format!("{said}: its core file cannot be used: {error}"))
            })?,
        Checked::Driver { name } => {
            return Err(Error::Trace(format!(
                "{said}: it belongs to {name}, a core inside of another program; replay it there, \
                 with cmc_replay()"
            )));
        }
    };
    let outcome = replay_on(&model, &file, options)?;
    Ok((model, outcome))
}

/// Replay the trace in `file` on `model`.
pub fn replay_on(model: &Model, file: &TraceFile, options: &Options) -> Result<Outcome, Error> {
    let other = |of: &str| {
        Err(Error::Trace(format!(
            "the trace is one of {of}, and {} is not; replay it on what it was written of",
            model.name
        )))
    };
    match (&model.subject, &file.checked) {
        (Subject::Programs(programs), Checked::Model { .. }) => {
            programs::replay(programs, model.properties(), file, options)
        }
        (Subject::Core(core), Checked::Driver { name }) if *name != core.cores.core().name() => {
            other(&format!("the core {name}"))
        }
        (Subject::Core(core), Checked::Core { .. } | Checked::Driver { .. }) => {
            core_model::replay(core, model.properties(), file)
        }
        (_, Checked::Model { file, .. }) => other(&format!("the programs of {file}")),
        (_, Checked::Core { file: name, .. } | Checked::Driver { name }) => {
            other(&format!("the core {name}"))
        }
    }
}

/// Search `system`, in so much memory: what was found, how long it took in seconds, and by how many
/// threads.
pub(super) fn search<S: System>(
    system: &S,
    properties: &[Property],
    options: &Options,
    max_memory: Option<u64>,
    observer: &mut dyn Observer,
    progress: &mut dyn FnMut(&Progress),
) -> (Found, f64, usize) {
    let search = Search {
        strategy: options.strategy,
        depth: options.depth,
        max_states: options.max_states,
        max_memory: max_memory.map(|most| most.saturating_sub(memory::resident())),
        deadlock: options.deadlock,
        keep_going: options.keep_going,
        liveness: options.liveness,
        seed: options.seed,
        workers: options.workers,
        ..Search::new(&options.interrupt)
    };
    let start = Instant::now();
    let found = search.run(system, properties, observer, progress);
    (found, start.elapsed().as_secs_f64(), search.threads())
}

/// The seed, if the search draws anything.
pub(super) fn drawn(options: &Options) -> Option<u64> {
    matches!(options.strategy, Strategy::Simulate { .. }).then_some(options.seed)
}

/// A way that is told.
#[derive(Clone, Copy)]
pub(super) struct Way<'a> {
    /// What stands at its end.
    end: End<'a>,
    /// The way.
    pub trace: &'a Trace,
    /// The state to which its last step leads back.
    lasso: Option<usize>,
}

/// What stands at the end of a way.
#[derive(Clone, Copy)]
enum End<'a> {
    /// This property breaks; where `among`, others may break before.
    Breaks { property: &'a str, among: bool },
    /// The last step is the one that could not be checked.
    Fails,
    /// Nothing: something did not come true on it.
    Suspected,
}

/// Violations that are told, and suspicions; the others are counted.
const TOLD: usize = 16;

impl<'a> Way<'a> {
    /// The ways to what was found. Where the search went on, or `among` says so, something may break
    /// on the way to something else.
    pub fn of(found: &'a Found, among: bool) -> Vec<Way<'a>> {
        let among = among || found.violation_count > 1;
        let violations = found.violations.iter().filter_map(|violation| {
            let end = End::Breaks { property: &violation.property, among };
            let lasso = violation.lasso;
            violation.trace.as_ref().map(|trace| Way { end, trace, lasso })
        });
        let failed = found.trace.as_ref().filter(|_| found.violations.is_empty());
        let failed = failed.map(|trace| Way { end: End::Fails, trace, lasso: None });
        failed.into_iter().chain(violations).take(TOLD).collect()
    }

    /// The walks on which something did not come true.
    pub fn suspected(found: &'a Found) -> Vec<Way<'a>> {
        let way = |suspicion: &'a Suspicion| Way {
            end: End::Suspected,
            trace: &suspicion.trace,
            lasso: None,
        };
        found.suspicions.iter().take(TOLD).map(way).collect()
    }

    /// Go it again on `system`. A run that departs from it is [`Error::Divergence`].
    pub fn go<S: System>(self, system: &S, properties: &[Property]) -> Result<Run, Error> {
        let trace = self.trace;
        match self.end {
            End::Breaks { property, among: false } => {
                search::confirm(system, properties, trace, property)
            }
            End::Breaks { property, among: true } => {
                search::confirm_among(system, properties, trace, property)
            }
            End::Suspected => search::follow(system, trace),
            End::Fails if trace.labels.is_empty() => {
                Ok(Run { worlds: Vec::new(), breach: None, among: false })
            }
            End::Fails => {
                let labels = trace.labels[..trace.labels.len() - 1].to_vec();
                search::follow(system, &Trace { labels, ..trace.clone() })
            }
        }
    }
}

/// `worlds` of `system`, read out.
pub(super) fn snapshots<S: System>(system: &S, worlds: &[Vec<u8>]) -> Result<Vec<Snapshot>, Error> {
    worlds.iter().map(|world| Snapshot::take(system.view(world))).collect()
}

/// The trace file of `way`, which came out as `run`, and whose steps `story` tells.
pub(super) fn trace_file(
    checked: Checked,
    outcome: &Outcome,
    way: Way<'_>,
    run: &Run,
    story: &Story,
) -> TraceFile {
    let steps = way.trace.labels.iter().zip(&story.steps);
    TraceFile {
        checked,
        verdict: word(&outcome.found.verdict).into(),
        property: match way.end {
            End::Breaks { property, .. } => Some(property.to_owned()),
            End::Fails | End::Suspected => None,
        },
        among: run.among,
        seed: outcome.seed,
        back: way.lasso.map(|state| state as u64),
        initial: way.trace.initial,
        steps: steps
            .map(|(label, scene)| Step {
                name: scene.name.clone(),
                choices: label.choices.to_vec(),
                note: scene.note.clone().or_else(|| scene.payload.as_deref().map(show)),
            })
            .collect(),
    }
}
