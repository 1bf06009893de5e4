//! Imports go down only; the two sides of the seam cannot name each other; the vocabulary touches
//! nothing outside.

use crate::rust_code::{code, has_word};
use crate::tree::{Tree, holds, rejects, rejects_line};

/// The modules of the crate, by floor.
const FLOORS: [&[&str]; 4] = [
    &[
        "action",
        "brood",
        "bytes",
        "error",
        "fingerprint",
        "history",
        "limits",
        "property",
        "short",
        "spelling",
        "system",
        "trace",
        "world",
    ],
    &["cores", "process", "search"],
    &["check"],
    &["capi", "cli"],
];

/// Files that put the modules together, and may name all of them.
const ROOTS: [&str; 2] = ["src/lib.rs", "src/main.rs"];

fn floor(module: &str) -> Option<usize> {
    FLOORS.iter().position(|modules| modules.contains(&module))
}

/// The modules that a path into this file leads through: `process`, `handle` for
/// `src/process/handle/mod.rs`.
fn modules(path: &str) -> Vec<&str> {
    let inner = path.trim_start_matches("src/").trim_end_matches(".rs").trim_end_matches("/mod");
    inner.split('/').collect()
}

/// The modules of the crate that `code` in a file `depth` modules deep names: behind `crate::` or
/// `cmc::`, in braces behind it, or behind as many `super::` as lead to the root.
fn named(code: &str, depth: usize) -> Vec<String> {
    let code: String = code.chars().filter(|c| !c.is_whitespace()).collect();
    let to_root = "super::".repeat(depth);
    let mut found = Vec::new();
    for start in ["crate::", "cmc::", &to_root] {
        for (at, _) in code.match_indices(start) {
            let rest = &code[at + start.len()..];
            match rest.strip_prefix('{') {
                Some(list) => found.extend(list_heads(list)),
                None => found.push(head(rest)),
            }
        }
    }
    found.retain(|name| floor(name).is_some());
    found
}

/// The first word of each entry of a list in braces.
fn list_heads(list: &str) -> Vec<String> {
    let (mut depth, mut entry, mut heads) = (0usize, true, Vec::new());
    for (at, c) in list.char_indices() {
        if entry {
            heads.push(head(&list[at..]));
            entry = false;
        }
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => entry = true,
            _ => {}
        }
    }
    heads
}

fn head(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

fn imports_go_down(tree: &Tree) -> Vec<String> {
    let mut broken = Vec::new();
    for (path, text) in tree.files("src/", ".rs").filter(|(path, _)| !ROOTS.contains(path)) {
        let modules = modules(path);
        let Some(own) = floor(modules[0]) else {
            broken.push(format!("{path}: module {} has no floor", modules[0]));
            continue;
        };
        for name in named(&code(text), modules.len()) {
            let other = floor(&name).expect("only modules with a floor are named");
            if name != modules[0] && (other > own || other == own && own > 0) {
                broken.push(format!("{path}: {} must not name {name}", modules[0]));
            }
        }
    }
    broken
}

fn vocabulary_is_pure(tree: &Tree) -> Vec<String> {
    const OUTSIDE: [&str; 6] =
        ["std::fs", "std::net", "std::process", "std::env", "nix::", "libc::"];
    let mut broken = Vec::new();
    for (path, text) in tree.files("src/", ".rs") {
        if floor(modules(path)[0]) != Some(0) {
            continue;
        }
        // The error of the system is a value that messages quote.
        let code = code(text).replace("std::io::Error", "");
        let named = OUTSIDE.iter().chain(&["std::io"]).filter(|name| code.contains(**name));
        broken.extend(named.map(|name| format!("{path}: vocabulary must not name {name}")));
    }
    broken
}

fn only_doors_print(tree: &Tree) -> Vec<String> {
    let mut broken = Vec::new();
    for (path, text) in tree.files("src/", ".rs") {
        if path.starts_with("src/cli/") || path == "src/main.rs" {
            continue;
        }
        let code = code(text);
        let words = ["println", "eprintln", "print", "eprint", "dbg"];
        let macros = words.iter().filter(|word| has_word(&code, &format!("{word}!")));
        broken.extend(macros.map(|word| format!("{path}: only cli and main print, not {word}!")));
    }
    broken
}

#[test]
fn every_import_goes_down() {
    holds(imports_go_down);
    let rejected = [
        ("src/search/mod.rs", "use crate::process::node::Node;"),
        ("src/search/mod.rs", "use crate::cores::Cores;"),
        ("src/cores/mod.rs", "use crate::process::Processes;"),
        ("src/cores/apply.rs", "use crate::search::Search;"),
        ("src/process/mod.rs", "use crate::search::Search;"),
        ("src/process/handle/socket.rs", "use crate::{limits, search::Search};"),
        ("src/world.rs", "fn f() -> super::check::file::Model {}"),
        ("src/process/handle/mod.rs", "use super::super::check;"),
        ("src/check/file.rs", "use crate::cli;"),
        ("src/check/file.rs", "use crate::capi;"),
        ("src/capi/version.rs", "use crate::cli;"),
        ("src/bytes.rs", "use crate::{\n    error::{self, Error},\n    process,\n};"),
    ];
    for (file, line) in rejected {
        rejects_line(imports_go_down, file, line, "must not name");
    }
    rejects(imports_go_down, "src/rumour.rs", |_| "struct S;".into(), "has no floor");
}

#[test]
fn the_vocabulary_does_no_input_or_output() {
    holds(vocabulary_is_pure);
    for line in ["use std::fs;", "fn f(o: &mut dyn std::io::Write) {}", "use std::net::TcpStream;"]
    {
        rejects_line(vocabulary_is_pure, "src/trace.rs", line, "must not name std::");
    }
}

#[test]
fn nothing_but_the_doors_prints() {
    holds(only_doors_print);
    rejects_line(only_doors_print, "src/check/mod.rs", "fn f() { println!(); }", "only cli");
    rejects_line(only_doors_print, "src/process/content.rs", "fn f() { eprintln!(); }", "only cli");
}
