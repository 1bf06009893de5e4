//! The answer of a check as data: what was found, by which run, and the counterexample step by step.
//! A number that has no meaning for an outcome is `None`, never 0.

use std::sync::atomic::{AtomicU64, Ordering};

use super::snapshot::Snapshot;
use crate::action::Kind;
use crate::process::Ledger;
use crate::process::enabled::KINDS;
use crate::process::learned::Counts;
use crate::process::restore::Restored;
use crate::process::sizes::Measured;
use crate::process::why::Multiplied;
use crate::search::{Found, Verdict};
use crate::trace::TraceFile;

/// The answer of a check.
#[derive(Debug)]
pub struct Outcome {
    /// The kinds of action that the model has, in listing order.
    pub kinds: &'static [Kind],
    /// What the search found.
    pub found: Found,
    /// Distinct contents, by node; `None` where no world was stored.
    pub local_states: Option<Vec<u64>>,
    /// Distinct local states in the full sense, by node.
    pub identities: Option<Vec<u64>>,
    /// Steps of nodes that a process ran during the search.
    pub steps_run: Option<u64>,
    /// What the step table did; `None` for whole replay.
    pub table: Option<Counts>,
    /// How nodes were put into local states; `None` for whole replay.
    pub restored: Option<Restored>,
    /// How large states are; `None` where that was not measured.
    pub sizes: Option<Measured>,
    /// What multiplies the local states of nodes; `None` where nobody asked.
    pub multiplied: Option<Vec<Multiplied>>,
    /// Seconds in which processes ran steps.
    pub process_seconds: Option<f64>,
    /// Processes started during the search.
    pub processes: Option<u64>,
    /// Seconds of the search.
    pub seconds: f64,
    /// Threads that searched.
    pub workers: usize,
    /// The seed, if anything was drawn.
    pub seed: Option<u64>,
    /// What the verdict leaves out, and what should be known to read it.
    pub notes: Vec<String>,
    /// The ways to the violations, in their order, or to the error; the first of them.
    pub told: Vec<Telling>,
    /// The walks on which something that must come true did not; the first of them.
    pub suspected: Vec<Telling>,
}

/// A way to what was found, run again and told.
#[derive(Debug)]
pub struct Telling {
    /// The initial world and the steps.
    pub story: Story,
    /// The worlds of the story: the start, and one behind each step that has a successor.
    pub worlds: Vec<Snapshot>,
    /// The story as a trace file, whose paths are as seen from here.
    pub trace_file: TraceFile,
}

/// A run, told for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Story {
    /// What holds at the start.
    pub start: Vec<Change>,
    /// The steps.
    pub steps: Vec<Scene>,
}

/// One step of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scene {
    /// The action as the trace names it.
    pub name: String,
    /// The same with the choices taken in it.
    pub action: String,
    /// The node that it concerns.
    pub node: Option<usize>,
    /// What happens, in words.
    pub words: String,
    /// The bytes that move.
    pub payload: Option<Vec<u8>>,
    /// The same for a trace, where the bytes alone say too little.
    pub note: Option<String>,
    /// What it changed.
    pub changes: Vec<Change>,
    /// The crash inside the step, if there was one.
    pub crash: Option<Crash>,
    /// What nodes printed: node, descriptor, bytes.
    pub printed: Vec<(usize, i32, Vec<u8>)>,
}

/// A crash between two effects of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crash {
    /// Behind how many effects.
    pub way: u16,
    /// What the node did before it died.
    pub done: Vec<String>,
    /// What it would have done next.
    pub lost: Vec<String>,
}

/// Something that is different after a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Of which node; `None` for what belongs to none.
    pub node: Option<usize>,
    /// A field's name, or `state`, `durable`, `clock`, `content`, `reply`.
    pub what: String,
    /// What it was; `None` at the start and for something new.
    pub old: Option<String>,
    /// What it is.
    pub new: String,
}

impl Outcome {
    /// The user stopped it before the search began.
    pub fn interrupted(kinds: &'static [Kind]) -> Self {
        Outcome::of(Found::interrupted(), kinds)
    }

    /// What a search of a model that has `kinds` found.
    pub fn of(found: Found, kinds: &'static [Kind]) -> Self {
        Outcome {
            kinds,
            found,
            local_states: None,
            identities: None,
            steps_run: None,
            table: None,
            restored: None,
            sizes: None,
            multiplied: None,
            process_seconds: None,
            processes: None,
            seconds: 0.0,
            workers: 1,
            seed: None,
            notes: Vec::new(),
            told: Vec::new(),
            suspected: Vec::new(),
        }
    }

    /// What a search of programs found, and what processes did meanwhile.
    pub fn of_processes(found: Found, ledger: &Ledger) -> Self {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Outcome {
            steps_run: Some(count(&ledger.steps)),
            process_seconds: Some(count(&ledger.micros) as f64 / 1e6),
            processes: Some(count(&ledger.processes)),
            ..Outcome::of(found, &KINDS)
        }
    }

    /// The exit status of cmc(1): 0 pass, 1 violated, 2 could not check, 3 incomplete.
    pub fn exit_status(&self) -> u8 {
        match self.found.verdict {
            Verdict::Pass => 0,
            Verdict::Violated => 1,
            Verdict::Error(_) => 2,
            Verdict::Incomplete => 3,
        }
    }

    /// The verdict as a word.
    pub fn word(&self) -> &'static str {
        word(&self.found.verdict)
    }
}

/// A verdict as a word.
pub fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "pass",
        Verdict::Violated => "violated",
        Verdict::Incomplete => "incomplete",
        Verdict::Error(_) => "error",
    }
}
