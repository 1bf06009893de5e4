//! The command cmc(1): arguments in, text or JSON and an exit status out. Nothing below this layer
//! prints.

mod fault;
pub mod options;
mod progress;

use std::ffi::OsString;
use std::io::{ErrorKind, Write, stderr, stdout};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGINT, SIGTERM};

use self::options::{Command, Options};
use self::progress::StatusLine;
use crate::check::outcome::{Outcome, Telling};
use crate::check::run::{self, LONGEST_WALK, Options as How};
use crate::check::save::{self, Unsaved};
use crate::check::{core_file, json, model::Model, report};
use crate::error::Error;
use crate::search::{Verdict, Walks};

/// The exit status for "could not check".
const COULD_NOT_CHECK: u8 = 2;

/// Run the command with the arguments behind the program's name; its exit status.
pub fn main(arguments: Vec<OsString>) -> u8 {
    let (command, options) = match options::parse(arguments) {
        Ok(parsed) => parsed,
        Err(fault) => return complain(&fault),
    };
    let done = match command {
        Command::Help => print(&options::help()).map(|()| 0),
        Command::Version => print(&format!("cmc {}\n", env!("CARGO_PKG_VERSION"))).map(|()| 0),
        Command::Check(file) => Model::load(&file).and_then(|model| check(model, &options)),
        Command::Core(file) => fault::explain()
            .and_then(|()| core_file::open(&file, &options.set))
            .and_then(|model| check(model, &options)),
        Command::Replay(trace) => fault::explain().and_then(|()| replay(&trace, &options)),
    };
    match done {
        Ok(status) => status,
        Err(error) if options.json => match print(&format!("{:#}\n", json::failure(&error))) {
            Ok(()) => COULD_NOT_CHECK,
            Err(unwritten) => complain(&format!("{error}; {unwritten}")),
        },
        Err(error) => complain(&error.to_string()),
    }
}

fn check(mut model: Model, options: &Options) -> Result<u8, Error> {
    if !options.properties.is_empty() {
        model.select(&options.properties)?;
    }
    let mut status = StatusLine::new(!options.quiet && !options.json);
    let outcome = run::check(&model, &how(options)?, &mut |progress| status.show(progress));
    status.clear();
    let mut outcome = outcome?;
    let saved = save(&model, &mut outcome, options)?;
    show(&model.name, &outcome, options)?;
    if let (Some(trace), false) = (saved, options.json) {
        print(&format!("replay: cmc --replay={}\n", trace.display()))?;
    }
    Ok(outcome.exit_status())
}

fn replay(trace: &Path, options: &Options) -> Result<u8, Error> {
    let (model, outcome) = run::replay(trace, &how(options)?)?;
    show(&model.name, &outcome, options)?;
    Ok(outcome.exit_status())
}

fn show(name: &str, outcome: &Outcome, options: &Options) -> Result<(), Error> {
    let text = match (options.json, options.quiet) {
        (true, _) => format!("{:#}\n", json::object(outcome)),
        (false, true) => report::headline(name, outcome),
        (false, false) => report::text(name, outcome),
    };
    print(&text)
}

/// Write the counterexample, or the suspicious walk, to its file; where it went.
fn save(model: &Model, outcome: &mut Outcome, options: &Options) -> Result<Option<PathBuf>, Error> {
    let (telling, suffix) = match outcome.found.verdict {
        Verdict::Violated => (outcome.told.first(), "trace"),
        Verdict::Incomplete => (outcome.suspected.first(), "suspicion.trace"),
        _ => (None, ""),
    };
    let Some(Telling { trace_file, .. }) = telling else { return Ok(None) };
    let path = options.trace.clone().unwrap_or_else(|| format!("{}.{suffix}", model.name).into());
    match save::save(trace_file, &path) {
        Ok(()) => Ok(Some(path)),
        Err(Unsaved::Text(error)) => Err(error),
        Err(Unsaved::File(error)) => {
            // The verdict stands, and the run is in the report.
            outcome.notes.push(format!(
                "warning: the trace could not be written to {}: {error}; name another file with \
                 --trace=FILE",
                path.display()
            ));
            Ok(None)
        }
    }
}

fn how(options: &Options) -> Result<How, Error> {
    let interrupt = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // The second one ends the command at once; its nodes die with it.
        signal_hook::flag::register_conditional_default(signal, Arc::clone(&interrupt))
            .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&interrupt)))
            .map_err(|error| Error::host("sigaction", &error, "the host refuses it"))?;
    }
    Ok(How {
        back_end: options.back_end,
        restore: options.restore,
        inline: options.inline,
        max_memory: options.max_memory,
        stats: options.stats,
        why_so_many: options.why_so_many,
        strategy: options.strategy,
        workers: options.workers,
        depth: options.depth,
        max_states: options.max_states,
        deadlock: options.deadlock,
        keep_going: options.keep_going,
        liveness: options.live.map(|walks| Walks { walks, length: LONGEST_WALK }),
        seed: options.seed,
        det: options.det,
        preload: options.preload.clone(),
        interrupt,
    })
}

fn print(text: &str) -> Result<(), Error> {
    let mut out = stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| {
        let remedy = match error.kind() {
            ErrorKind::BrokenPipe => "let its reader read to the end",
            _ => "free some space",
        };
        Error::host("writing to standard output", &error, remedy)
    })
}

fn complain(text: &str) -> u8 {
    let _ = writeln!(stderr(), "cmc: {text}");
    COULD_NOT_CHECK
}
