//! Checks a core: the search, what it found run again on the core, and its story in the words of the
//! core's author.

use std::path::PathBuf;
use std::time::Instant;

use libloading::Library;

use super::core_story::CoreTeller;
use super::outcome::{Outcome, Telling};
use super::run::{self, Options, Way};
use crate::cores::Cores;
use crate::cores::format::Format;
use crate::error::Error;
use crate::property::Property;
use crate::search::{self, Progress, Verdict};
use crate::system::System;
use crate::system::det::Det;
use crate::trace::{Checked, TraceFile};

/// The rule that two runs of a step do the same.
const DET: &str = "det";

/// Where a core comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A core file.
    File {
        /// Where it is.
        path: PathBuf,
        /// XXH3-128 of its bytes, in 32 hexadecimal digits.
        hash: String,
        /// What was set in it, each `NAME=VALUE`.
        settings: Vec<String>,
    },
    /// The program that checks it.
    Program,
}

/// A core in its environment, and how it is shown.
pub struct CoreModel {
    /// The core.
    pub cores: Cores,
    /// How states and bytes are shown.
    pub format: Format,
    /// Where it comes from.
    pub origin: Origin,
    /// What keeps its functions loaded; it goes last.
    pub library: Option<Library>,
}

impl CoreModel {
    /// A core that this program has linked, shown in hexadecimal.
    pub fn new(cores: Cores) -> Self {
        CoreModel { cores, format: Format::default(), origin: Origin::Program, library: None }
    }
}

/// Check the core of `model`.
pub fn check(
    model: &CoreModel,
    properties: &[Property],
    options: &Options,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Outcome, Error> {
    let (cores, most) = (&model.cores, options.max_memory);
    let (found, seconds, workers) = match options.det {
        false => run::search(cores, properties, options, most, &mut (), progress),
        true => run::search(&Det(cores), properties, options, most, &mut (), progress),
    };
    let seed = run::drawn(options);
    let outcome = Outcome { seconds, workers, seed, ..Outcome::of(found, cores.kinds()) };
    let mut outcome = tell(model, properties, options.det, false, outcome);
    if outcome.found.verdict == Verdict::Pass && !options.det {
        outcome.notes.push(
            "no step was run twice: a core that depends on more than its arguments is found by --det \
             and by cores/purity_gate.sh"
                .into(),
        );
    }
    Ok(outcome)
}

/// Replay the trace in `trace` on the core of `model`.
pub fn replay(
    model: &CoreModel,
    properties: &[Property],
    trace: &TraceFile,
) -> Result<Outcome, Error> {
    let start = Instant::now();
    let det = trace.property.as_deref() == Some(DET);
    let found = match det {
        false => search::replay(&model.cores, properties, trace),
        true => search::replay(&Det(&model.cores), properties, trace),
    };
    let seconds = start.elapsed().as_secs_f64();
    let mut notes = Vec::new();
    if let (Checked::Core { file, hash, .. }, Origin::File { hash: now, .. }) =
        (&trace.checked, &model.origin)
        && hash != now
    {
        notes.push(format!("warning: {file} has changed since the trace was written"));
    }
    let kinds = model.cores.kinds();
    let outcome = Outcome { seconds, seed: trace.seed, notes, ..Outcome::of(found, kinds) };
    Ok(tell(model, properties, det, trace.among, outcome))
}

/// Run what was found again, and tell it.
fn tell(
    model: &CoreModel,
    properties: &[Property],
    det: bool,
    among: bool,
    mut outcome: Outcome,
) -> Outcome {
    let again = |way| again(model, properties, det, &outcome, way);
    let told = Way::of(&outcome.found, among).into_iter().map(again).collect::<Result<Vec<_>, _>>();
    let suspected: Result<Vec<_>, _> =
        Way::suspected(&outcome.found).into_iter().map(again).collect();
    match told.and_then(|told| Ok((told, suspected?))) {
        Ok((told, suspected)) => (outcome.told, outcome.suspected) = (told, suspected),
        // That it came out otherwise once more says the same.
        Err(Error::Divergence(text)) if outcome.found.property.as_deref() == Some(DET) => {
            outcome
                .notes
                .push(format!("it did not come out the same when it was run again: {text}"));
        }
        Err(error) => outcome.found = outcome.found.contradicted(error),
    }
    outcome
}

fn again(
    model: &CoreModel,
    properties: &[Property],
    det: bool,
    outcome: &Outcome,
    way: Way<'_>,
) -> Result<Telling, Error> {
    let run = match det {
        false => way.go(&model.cores, properties),
        true => way.go(&Det(&model.cores), properties),
    };
    let run = run.map_err(|error| match error {
        Error::Divergence(text) => Error::Divergence(format!(
            "the counterexample did not happen again, so the core is not deterministic; run it with \
             --det: {text}"
        )),
        other => other,
    })?;
    let story = CoreTeller { model }.story(way.trace, &run.worlds)?;
    let trace_file = run::trace_file(checked(model), outcome, way, &run, &story);
    Ok(Telling { story, worlds: run::snapshots(&model.cores, &run.worlds)?, trace_file })
}

/// What a trace says was checked.
fn checked(model: &CoreModel) -> Checked {
    match &model.origin {
        Origin::File { path, hash, settings } => Checked::Core {
            file: path.display().to_string(),
            hash: hash.clone(),
            settings: settings.clone(),
        },
        Origin::Program => Checked::Driver { name: model.cores.core().name().to_owned() },
    }
}
