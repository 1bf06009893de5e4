//! Documents say what the code says.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

use cmc::limits;
use cmc::process::calls;

use crate::tree::{Tree, holds, rejects, rejects_line};

/// The lines of a section of a manual page.
fn section<'a>(page: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    let head = format!(".Sh {name}");
    page.lines()
        .skip_while(move |line| *line != head)
        .skip(1)
        .take_while(|l| !l.starts_with(".Sh "))
}

fn calls_are_listed(tree: &Tree) -> Vec<String> {
    let page = calls::page();
    if tree.text("docs/CALLS.md") == page {
        return Vec::new();
    }
    let fresh = Path::new(env!("CARGO_TARGET_TMPDIR")).join("CALLS.md");
    std::fs::write(&fresh, page).expect("the directory for tests can be written");
    vec![format!(
        "docs/CALLS.md is not what the call table says: cp {} docs/CALLS.md",
        fresh.display()
    )]
}

fn limits_are_listed(tree: &Tree) -> Vec<String> {
    let expected: Vec<(String, String)> = limits::ALL
        .iter()
        .chain(&cmc::cores::limits::ALL)
        .map(|limit| {
            (format!(".It Li {}", limit.name), format!("At most {} {}.", limit.value, limit.what))
        })
        .collect();
    let lines: Vec<&str> = section(tree.text("man/cmc.7"), "LIMITS").collect();
    let found: Vec<(String, String)> = lines
        .windows(2)
        .filter(|pair| pair[0].starts_with(".It "))
        .map(|pair| (pair[0].to_owned(), pair[1].to_owned()))
        .collect();
    if found == expected {
        return Vec::new();
    }
    vec![format!("man/cmc.7: LIMITS are {found:#?}, where limits.rs says {expected:#?}")]
}

fn help() -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_cmc")).arg("--help").output();
    let output = output.expect("cmc starts");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("help in UTF-8")
}

/// The options that a text defines at the start of a line, `--name` and whether it takes a value.
fn options(lines: impl Iterator<Item = String>) -> BTreeSet<String> {
    let starts = lines.filter_map(|line| line.trim_start().strip_prefix("--").map(str::to_owned));
    starts
        .map(|line| {
            let end = line.find(|c: char| !c.is_ascii_lowercase() && c != '-');
            let name = &line[..end.unwrap_or(line.len())];
            let value = if line[name.len()..].starts_with('=') { "=" } else { "" };
            format!("--{name}{value}")
        })
        .collect()
}

fn options_are_described(tree: &Tree) -> Vec<String> {
    let items = section(tree.text("man/cmc.1"), "OPTIONS").filter_map(|line| {
        let flag = line.strip_prefix(".It Fl -")?;
        Some(format!("--{}", flag.replace(" Ns = Ns Ar ", "=")))
    });
    let (page, help) = (options(items), options(help().lines().map(str::to_owned)));
    let differ = page.symmetric_difference(&help);
    differ.map(|name| format!("{name}: in one of cmc(1) and cmc --help, not in both")).collect()
}

/// The parts of a message that are always the same: runs of words without a `...`, and without
/// words in capitals that stand for something.
fn fixed_parts(message: &str) -> Vec<String> {
    let stands_for = |word: &str| {
        let letters = word.trim_matches(|c: char| !c.is_alphanumeric());
        word.contains("...") || matches!(letters, "N" | "M" | "NAME")
    };
    let words: Vec<&str> = message.split(' ').collect();
    let runs = words.split(|word| stands_for(word)).map(|run| run.join(" "));
    runs.map(|run| run.trim_end_matches(':').to_owned()).filter(|run| run.len() > 8).collect()
}

fn diagnostics_are_said(tree: &Tree) -> Vec<String> {
    let sources: Vec<&str> = tree.files("src/", ".rs").map(|(_, text)| text).collect();
    // A string that goes on in the next line is one string.
    let mut sources = sources.concat().split("\\\n").map(str::trim_start).collect::<String>();
    sources.retain(|c| c != '\n');
    let mut broken = Vec::new();
    for line in section(tree.text("man/cmc.1"), "DIAGNOSTICS").filter(|l| l.starts_with(".It ")) {
        let messages = line.split('"').skip(1).step_by(2);
        let parts: Vec<String> = messages.flat_map(fixed_parts).collect();
        if parts.is_empty() {
            broken.push(format!("man/cmc.1: {line}: nothing to look for"));
        }
        let unsaid = parts.iter().filter(|part| !sources.contains(part.as_str()));
        broken.extend(unsaid.map(|part| format!("man/cmc.1: no message says \"{part}\"")));
    }
    broken
}

fn pages_are_clean(tree: &Tree) -> Vec<String> {
    let mut broken = Vec::new();
    let pages = ["1", "3", "5", "7"].map(|section| format!(".{section}"));
    for (path, text) in pages.iter().flat_map(|end| tree.files("man/", end)) {
        let mut mandoc = Command::new("mandoc")
            .args(["-T", "lint", "-W", "warning"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("mandoc starts; make deps installs it");
        let mut input = mandoc.stdin.take().expect("a pipe");
        std::io::Write::write_all(&mut input, text.as_bytes()).expect("mandoc reads");
        drop(input);
        let output = mandoc.wait_with_output().expect("mandoc ends");
        let found = String::from_utf8_lossy(&output.stdout).into_owned();
        broken.extend(found.lines().map(|line| format!("{path}: {line}")));
    }
    broken
}

/// The targets that a text tells its reader to make: behind `make ` at the start of a line, of a
/// command, or of code in a sentence.
fn made(text: &str) -> BTreeSet<String> {
    let starts = ["`make ", "$ make ", "\nmake ", ".Ql make "];
    let found = starts.iter().flat_map(|start| {
        text.match_indices(start).flat_map(|(at, _)| {
            let rest = &text[at + start.len()..];
            let end = rest.find(['`', '\n', ',', '.', ';', '#']).unwrap_or(rest.len());
            rest[..end].split_whitespace().map(str::to_owned).collect::<Vec<_>>()
        })
    });
    found.filter(|word| word.bytes().all(|b| b.is_ascii_lowercase())).collect()
}

fn commands_exist(tree: &Tree) -> Vec<String> {
    let makefile = tree.text("Makefile");
    let is_target = |word: &str| makefile.lines().any(|l| l.starts_with(&format!("{word}:")));
    let mut broken = Vec::new();
    for path in ["README.md", "docs/DESIGN.md", "docs/WHY.md", "man/cmc.1", "man/cmc.7"] {
        let missing = made(tree.text(path)).into_iter().filter(|word| !is_target(word));
        broken.extend(missing.map(|word| format!("{path}: make {word} is no target")));
    }
    let documents = tree.files("", ".md");
    for (path, text) in documents.filter(|(path, _)| !path.contains("CALLS")) {
        // Paths of the repository in links.
        for (_, rest) in text.match_indices("](").map(|(at, _)| text.split_at(at + 2)) {
            let target = rest.split([')', '#']).next().unwrap_or_default();
            let folder = path.rfind('/').map_or("", |at| &path[..at + 1]);
            let is_there = tree.0.keys().any(|file| file.starts_with(&format!("{folder}{target}")));
            if !target.contains("://") && !is_there {
                broken.push(format!("{path}: link to {target}, which is not there"));
            }
        }
    }
    broken
}

#[test]
fn the_page_of_calls_is_the_call_table() {
    holds(calls_are_listed);
    rejects(calls_are_listed, "docs/CALLS.md", |old| old.replacen("answered", "allowed", 1), "cp ");
}

#[test]
fn the_manual_lists_every_limit() {
    holds(limits_are_listed);
    let fewer = |old: &str| old.replace("At most 8 nodes.", "At most 9 nodes.");
    rejects(limits_are_listed, "man/cmc.7", fewer, "limits.rs says");
    let without = |old: &str| old.replace(".It Li backlog\n", "");
    rejects(limits_are_listed, "man/cmc.7", without, "limits.rs says");
}

#[test]
fn the_manual_describes_every_option() {
    holds(options_are_described);
    let without = |old: &str| old.replace(".It Fl -json\n", "");
    rejects(options_are_described, "man/cmc.1", without, "--json");
    let more =
        |old: &str| old.replace(".It Fl -json\n", ".It Fl -json\n.It Fl -cfs Ns = Ns Ar n\n");
    rejects(options_are_described, "man/cmc.1", more, "--cfs=");
    let no_value = |old: &str| old.replace(".It Fl -seed Ns = Ns Ar n", ".It Fl -seed");
    rejects(options_are_described, "man/cmc.1", no_value, "--seed");
}

#[test]
fn the_manual_explains_messages_that_exist() {
    holds(diagnostics_are_said);
    let other = |old: &str| old.replace("which no node owns", "which nobody owns");
    rejects(diagnostics_are_said, "man/cmc.1", other, "no message says");
    let empty = |old: &str| old.replace("\n.Bl -diag\n", "\n.Bl -diag\n.It \"... N\"\n");
    rejects(diagnostics_are_said, "man/cmc.1", empty, "nothing to look for");
}

#[test]
fn the_manual_pages_are_clean() {
    holds(pages_are_clean);
    rejects_line(pages_are_clean, "man/cmc.7", ".Nosuch macro", "man/cmc.7");
    rejects(pages_are_clean, "man/new.3", |_| "text\n".into(), "man/new.3");
}

#[test]
fn commands_and_links_in_documents_exist() {
    holds(commands_exist);
    rejects_line(commands_exist, "README.md", "Run `make coffee`.", "make coffee");
    rejects_line(commands_exist, "README.md", "```\nmake tea\n```", "make tea");
    rejects_line(commands_exist, "docs/WHY.md", "[there](nowhere.md)", "nowhere.md");
}
