//! Programs that do what may go wrong.

use std::fs;
use std::path::Path;
use std::process::Command;

use cmc::process::contract::{
    LOG_AT_ENTRIES, LOG_AT_KINDS, LOG_AT_RANGES, LOG_AT_SECONDS, LOG_BASE,
};

use crate::agreement::agree;
use crate::command::{check, folder, root, two_at_a_time};

pub fn build(folder: &Path, name: &str) {
    let path = root().join(format!("capi-tests/inside/{name}.c"));
    let mut gcc = Command::new("gcc");
    gcc.args(["-O2", "-g", "-Wall", "-Wextra", "-Werror", "-no-pie"]);
    gcc.arg(format!("-DLOG_BASE={LOG_BASE:#x}")).arg("-o").arg(folder.join(name));
    assert!(gcc.arg(&path).status().is_ok_and(|status| status.success()), "{name}");
}

/// A model of the program `name` with these arguments, that is sent `letters` in any order.
pub fn model(folder: &Path, name: &str, state: &str, args: &[&str], letters: &[&str]) -> String {
    let file = format!("{name}-{state}-{}.toml", args.concat());
    let text = format!(
        "[[node]]\nprogram = \"./{name}\"\nargs = {args:?}\nstate = \"{state}\"\n\n[network]\nmode = \
         \"message\"\n\n[[client]]\nnode = 0\nsend = {letters:?}\norder = \"any\"\nwait = true\n"
    );
    fs::write(folder.join(&file), text).expect("the model file can be written");
    file
}

/// The programs, what each is sent, and what comes of it.
const PROGRAMS: [(&str, &[&str], &str); 5] = [
    ("edges", &["a", "b", "a"], "pass"),
    ("traces", &["a", "b"], "pass"),
    ("around", &["a", "b", "a"], "pass"),
    ("dies", &["a", "x", "b"], "violated"),
    ("many", &["a", "x"], "violated"),
];

#[test]
fn programs_are_the_same_with_and_without() {
    let folder = folder("inside-programs");
    two_at_a_time(PROGRAMS.to_vec(), |(name, letters, verdict)| {
        build(&folder, name);
        for state in ["raw", "memory", "report"] {
            let file = folder.join(model(&folder, name, state, &[], letters));
            for arguments in [&["--audit=100%"][..], &["--backend=history"]] {
                let found = agree(&folder, &file, arguments);
                assert_eq!(found["verdict"], verdict, "{name}, {state}: {found:#}");
            }
        }
    });
}

#[test]
fn calls_around_libc_are_asked() {
    let folder = folder("inside-around");
    build(&folder, "around");
    let file = folder.join(model(&folder, "around", "raw", &[], &["a", "b"]));
    let (_, found) = check(&folder, &file, &["--stats"]);
    assert_eq!(found["verdict"], "pass", "{found:#}");
    assert_eq!(found["sizes"]["calls"]["inside"], 0, "{found:#}");
    assert!(found["sizes"]["calls"]["asked"].as_u64() > Some(20), "{found:#}");
}

#[test]
fn a_program_that_writes_into_the_log_is_found() {
    let folder = folder("inside-scribbles");
    build(&folder, "scribbles");
    let places = [
        (0, true),
        (8, true),
        (16, true),
        (LOG_AT_SECONDS, true),
        // A descriptor that is open, and one that is not.
        (LOG_AT_KINDS + 3, true),
        (LOG_AT_KINDS + 77, true),
        (LOG_AT_RANGES + 8, true),
        // The first call of the step, and its last byte; where nothing stands nothing is read.
        (LOG_AT_ENTRIES, false),
        (LOG_AT_ENTRIES + 72, false),
    ];
    for (place, always) in places {
        for state in ["raw", "memory"] {
            let place = place.to_string();
            let file = folder.join(model(&folder, "scribbles", state, &[&place], &["a", "x"]));
            for (arguments, found) in [
                (&["--backend=auto"][..], true),
                (&["--backend=history"], true),
                (&["--no-inline"], always),
                (&["--whole-replay"], always),
            ] {
                let (_, outcome) = check(&folder, &file, arguments);
                let why = outcome["why"].as_str().unwrap_or_default();
                let case = format!("{place}, {state}, {arguments:?}: {outcome:#}");
                assert_eq!(outcome["verdict"] == "error", found, "{case}");
                assert_eq!(why.contains("memory that cmc shares with it"), found, "{case}");
            }
        }
    }
}

#[test]
fn the_log_cannot_be_unmapped() {
    let folder = folder("inside-unmaps");
    build(&folder, "unmaps");
    for how in ["munmap", "mprotect", "madvise", "mmap"] {
        let file = folder.join(model(&folder, "unmaps", "raw", &[how], &["x"]));
        let (_, found) = check(&folder, &file, &[]);
        let why = found["why"].as_str().unwrap_or_default();
        assert_eq!(found["verdict"], "error", "{found:#}");
        assert!(why.contains("is about memory that cmc shares with the program"), "{why}");
        assert!(why.contains(how), "{why}");
    }
}
