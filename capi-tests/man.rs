//! The EXAMPLES of cmc(1) are sessions: every command is run, in order, in a directory that holds a
//! copy of docs/examples, and must print the lines that stand below it.

#[path = "session.rs"]
mod session;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use session::{Exchange, exchanges, happens, missing};

/// A directory of its own with the examples, built.
fn workplace() -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("man");
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(place.join("docs")).expect("a directory for the session");
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/examples");
    let copied = Command::new("cp").arg("-R").arg(examples).arg(place.join("docs")).status();
    assert!(copied.expect("cp starts").success());
    let built = Command::new("make").args(["-s", "-C"]).arg(place.join("docs/examples")).status();
    assert!(built.expect("make starts").success());
    place
}

#[test]
fn the_examples_of_the_manual_happen() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("man/cmc.1"));
    let session = exchanges(&page.expect("man/cmc.1"));
    assert!(session.len() >= 6, "the page has examples: {session:?}");
    let place = workplace();
    let binaries = Path::new(env!("CARGO_BIN_EXE_cmc")).parent().expect("a directory");
    let path = std::env::var("PATH").unwrap_or_default();
    happens(session, || {
        let mut shell = Command::new("sh");
        shell.current_dir(&place).env("PATH", format!("{}:{path}", binaries.display()));
        shell
    });
}

#[test]
fn the_keys_of_the_answer_are_those_of_the_manual() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("man/cmc.1"));
    let page = page.expect("man/cmc.1");
    let output = page.split(".Sh ").find(|section| section.starts_with("OUTPUT"));
    let heads = output.expect("a section").lines().filter_map(|line| line.strip_prefix(".It Cm "));
    let told: BTreeSet<&str> = heads.flat_map(|head| head.split(" , ")).collect();
    // An early error has every key.
    let answer =
        Command::new(env!("CARGO_BIN_EXE_cmc")).args(["--json", "--model-file=none.toml"]).output();
    let answer = answer.expect("cmc starts").stdout;
    let answer: serde_json::Value = serde_json::from_slice(&answer).expect("an object");
    let known = answer.as_object().expect("an object").keys().map(String::as_str);
    assert_eq!(known.collect::<BTreeSet<_>>(), told);
}

#[test]
fn a_page_that_says_otherwise_is_found_out() {
    let page = "x\n.Sh EXAMPLES\n.Bd -literal\nno command\n.Ed\n\
                .Bd -literal\n$ a\nb ...\nc\n.Ed\n.Sh SEE ALSO\n";
    let [Exchange { command, expected }] = &exchanges(page)[..] else { panic!("one exchange") };
    assert_eq!(command, "a");
    assert_eq!(missing(expected, "a\nb 1\n2\nc\n"), None);
    assert_eq!(missing(expected, "c\nb 1\n"), Some("c"));
    assert_eq!(missing(expected, "b\nc\n"), Some("b ..."));
    assert_eq!(missing(&["1".into()], "0\n"), Some("1"));
}
