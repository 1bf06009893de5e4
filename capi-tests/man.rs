//! The EXAMPLES of cmc(1) are sessions: every command is run, in order, in a directory that holds a
//! copy of docs/examples, and must print the lines that stand below it, in that order. `...` stands
//! for any text, and further lines between are left out in the page.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A command and what it prints.
#[derive(Debug, PartialEq, Eq)]
struct Exchange {
    command: String,
    expected: Vec<String>,
}

/// The exchanges in the displays of the section EXAMPLES.
fn exchanges(page: &str) -> Vec<Exchange> {
    let examples = page.split("\n.Sh ").find(|section| section.starts_with("EXAMPLES\n"));
    let mut exchanges = Vec::new();
    for display in examples.expect("a section EXAMPLES").split("\n.Bd -literal").skip(1) {
        let body = display.split("\n.Ed").next().unwrap_or_default();
        for line in body.lines().skip(1) {
            match line.strip_prefix("$ ") {
                Some(command) => {
                    exchanges.push(Exchange { command: command.into(), expected: Vec::new() });
                }
                None => {
                    let exchange = exchanges.last_mut().expect("a display starts with a command");
                    exchange.expected.push(line.replace("\\&", "").replace("\\e", "\\"));
                }
            }
        }
    }
    exchanges
}

fn matches(pattern: &str, line: &str) -> bool {
    let Some((start, rest)) = pattern.split_once("...") else { return pattern == line };
    line.strip_prefix(start).is_some_and(|tail| {
        rest.is_empty() || tail.char_indices().any(|(at, _)| matches(rest, &tail[at..]))
    })
}

/// The first expected line that `output` does not hold behind those before it.
fn missing<'a>(expected: &'a [String], output: &str) -> Option<&'a str> {
    let mut lines = output.lines();
    let mut found = |pattern: &str| lines.any(|line| matches(pattern, line));
    expected.iter().map(String::as_str).find(|pattern| !found(pattern))
}

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

/// Run one command of a session; `status` is the exit status of the command before it.
fn run(place: &Path, status: i32, command: &str) -> Output {
    let binaries = Path::new(env!("CARGO_BIN_EXE_cmc")).parent().expect("a directory");
    let path = std::env::var("PATH").unwrap_or_default();
    Command::new("sh")
        .arg("-c")
        .arg(format!("(exit {status})\n{command}"))
        .current_dir(place)
        .env("PATH", format!("{}:{path}", binaries.display()))
        .output()
        .expect("sh starts")
}

#[test]
fn the_examples_of_the_manual_happen() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("man/cmc.1"));
    let session = exchanges(&page.expect("man/cmc.1"));
    assert!(session.len() >= 6, "the page has examples: {session:?}");
    let place = workplace();
    let mut status = 0;
    for Exchange { command, expected } in session {
        let output = run(&place, status, &command);
        let text = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        if let Some(line) = missing(&expected, &text) {
            panic!("$ {command}\nprinted no line \"{line}\" in its place:\n{text}{errors}");
        }
        assert!(command.starts_with("echo") || !text.is_empty(), "$ {command}\n{errors}");
        status = output.status.code().expect("an exit status");
    }
}

#[test]
fn a_page_that_says_otherwise_is_found_out() {
    let page = "x\n.Sh EXAMPLES\n.Bd -literal\n$ a\nb ...\nc\n.Ed\n.Sh SEE ALSO\n";
    let [Exchange { command, expected }] = &exchanges(page)[..] else { panic!("one exchange") };
    assert_eq!(command, "a");
    assert_eq!(missing(expected, "a\nb 1\n2\nc\n"), None);
    assert_eq!(missing(expected, "c\nb 1\n"), Some("c"));
    assert_eq!(missing(expected, "b\nc\n"), Some("b ..."));
    assert_eq!(missing(&["1".into()], "0\n"), Some("1"));
}
