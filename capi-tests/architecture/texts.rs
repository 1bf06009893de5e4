//! Unsafe code, length and names of files, and what no text of the repository holds.

use crate::rust_code::{code, has_word};
use crate::tree::{Tree, holds, rejects, rejects_line};

/// The files that hold unsafe code; those in `src/capi` because a name without a mangle is unsafe, and
/// because callers in C give pointers.
const UNSAFE: [&str; 31] = [
    "capi-tests/cores/compiled.rs",
    "capi-tests/cores/reading.rs",
    "capi-tests/cores/scripted.rs",
    "capi-tests/gate.rs",
    "capi-tests/liveness/traced.rs",
    "src/capi/error.rs",
    "src/capi/handle.rs",
    "src/capi/history.rs",
    "src/capi/model.rs",
    "src/capi/predicate.rs",
    "src/capi/result.rs",
    "src/capi/search.rs",
    "src/capi/version.rs",
    "src/capi/world.rs",
    "src/check/core_file.rs",
    "src/check/setup.rs",
    "src/cli/fault.rs",
    "src/cores/abi.rs",
    "src/cores/call.rs",
    "src/cores/core.rs",
    "src/cores/env.rs",
    "src/cores/format.rs",
    "src/cores/sized.rs",
    "src/main.rs",
    "src/process/launch.rs",
    "src/process/notify.rs",
    "src/process/pages.rs",
    "src/process/registers.rs",
    "src/search/crew.rs",
    "src/search/memory.rs",
    "src/search/unwritten.rs",
];

/// Files of more than [`LONG`] lines, and why they are one noun all the same.
const LONG_FILES: [(&str, &str); 6] = [
    ("capi-tests/model_file.rs", "one table of messages, one of values, one of properties"),
    ("capi-tests/search.rs", "one rule of the search after the other, over the same systems"),
    ("include/cmc.h", "the whole interface, generated, as its users read it"),
    ("src/check/expression/typing.rs", "one rule for each kind of expression"),
    ("src/process/launch.rs", "both sides of one fork, step by step"),
    ("src/process/node.rs", "one loop over the calls of a node, with its messages"),
];

const LONG: usize = 400;

/// Names that say nothing about what is in a file.
const VAGUE: [&str; 6] = ["util", "common", "helpers", "types", "manager", "misc"];

fn unsafe_code_is_listed(tree: &Tree) -> Vec<String> {
    let mut broken = Vec::new();
    for (path, text) in tree.files("", ".rs") {
        let code = code(text);
        let allowed = code.contains("allow(unsafe_code)");
        let found = has_word(&code, "unsafe") || allowed;
        match (found, UNSAFE.contains(&path)) {
            (true, false) => {
                broken.push(format!("{path}: unsafe code in a file that is not listed"))
            }
            (false, true) => broken.push(format!("{path}: listed, and holds no unsafe code")),
            _ => {}
        }
    }
    if !tree.text("src/lib.rs").contains("#![deny(unsafe_code)]") {
        broken.push("src/lib.rs: unsafe code is not denied".into());
    }
    broken
}

fn long_files_are_listed(tree: &Tree) -> Vec<String> {
    let mut broken = Vec::new();
    let sources = [".rs", ".c", ".h", ".sh"];
    for (path, text) in sources.iter().flat_map(|end| tree.files("", end)) {
        let lines = text.lines().count();
        match (lines > LONG, LONG_FILES.iter().any(|(listed, _)| *listed == path)) {
            (true, false) => broken.push(format!(
                "{path}: {lines} lines; find the second noun in it, or list it with a reason"
            )),
            (false, true) => broken.push(format!("{path}: listed as long, and is not")),
            _ => {}
        }
    }
    broken
}

fn names_say_something(tree: &Tree) -> Vec<String> {
    let vague = |part: &str| VAGUE.contains(&part.split('.').next().unwrap_or_default());
    let paths = tree.0.keys().filter(|path| path.split('/').any(vague));
    paths.map(|path| format!("{path}: a name that says nothing")).collect()
}

/// Put together here, so that this file does not hold them.
fn forbidden() -> [String; 5] {
    let slashes = |name: &str| ["/", name, "/"].concat();
    [
        ["TO", "DO"].concat(),
        ["FIX", "ME"].concat(),
        slashes("work"),
        slashes("root"),
        slashes("home"),
    ]
}

fn nothing_is_left_over(tree: &Tree) -> Vec<String> {
    let mut broken = Vec::new();
    for (path, text) in &tree.0 {
        for (number, line) in text.lines().enumerate() {
            for word in forbidden().iter().filter(|word| line.contains(word.as_str())) {
                broken.push(format!("{path}:{}: \"{word}\"", number + 1));
            }
        }
    }
    broken
}

#[test]
fn unsafe_code_is_where_the_list_says() {
    holds(unsafe_code_is_listed);
    let line = "fn f() { unsafe { core::hint::unreachable_unchecked() } }";
    rejects_line(unsafe_code_is_listed, "src/world.rs", line, "not listed");
    let line = "#![allow(unsafe_code)]";
    rejects_line(unsafe_code_is_listed, "src/process/node.rs", line, "not listed");
    rejects(unsafe_code_is_listed, UNSAFE[0], |_| String::new(), "holds no unsafe code");
    rejects(unsafe_code_is_listed, "src/lib.rs", |_| String::new(), "is not denied");
}

#[test]
fn long_files_have_a_reason() {
    holds(long_files_are_listed);
    rejects(long_files_are_listed, "src/bytes.rs", |old| old.repeat(9), "lines; find");
    rejects(long_files_are_listed, LONG_FILES[0].0, |_| String::new(), "listed as long");
}

#[test]
fn file_names_say_what_is_in_them() {
    holds(names_say_something);
    for path in ["src/util.rs", "src/check/helpers/text.rs", "docs/misc.md"] {
        rejects(names_say_something, path, |_| "x".into(), "says nothing");
    }
}

#[test]
fn nothing_is_left_to_do_and_no_machine_is_named() {
    holds(nothing_is_left_over);
    for word in forbidden() {
        rejects_line(nothing_is_left_over, "README.md", &word, &word);
    }
}
