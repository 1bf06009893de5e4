//! The audit finds what a report leaves out, and a program that spoils its own memory never passes.

use std::path::PathBuf;

use serde_json::Value;

use crate::command::{check, examples, folder, letters, target};

const SEEDS: u64 = 20;

/// The audit must end the check; its words.
fn disagrees(json: &Value) -> String {
    assert_eq!(json["verdict"], "error", "{json}");
    assert_eq!(json["disagreed"], 1, "{json}");
    let why = json["why"].as_str().expect("an error says why").to_string();
    assert!(why.contains("identity incomplete"), "{why}");
    why
}

fn hidden(test: &str) -> (PathBuf, PathBuf) {
    let folder = folder(test);
    let file = target(&folder, "hidden", &letters(&["a", "b", "t", "t", "t"]));
    (folder, file)
}

#[test]
fn a_hidden_variable_is_found_by_its_merge_alone_and_named() {
    let (folder, file) = hidden("hidden");
    // Without samples of the hits, and with the default rate of them.
    for arguments in [&["--audit=0%"][..], &[], &["--audit=full"]] {
        let (output, json) = check(&folder, &file, arguments);
        assert_eq!(output.status.code(), Some(2), "{json}");
        let why = disagrees(&json);
        for part in [
            "\"hidden_first\" (0x",
            "): x:61 and x:62",
            "\"a was first\"",
            "\"b was first\"",
            "one history: boot, accept, read \"a\", ",
            "the other: boot, accept, read \"b\", ",
        ] {
            assert!(why.contains(part), "{arguments:?}: {part}: {why}");
        }
    }
}

#[test]
fn whole_replay_alone_does_not_see_a_hidden_variable() {
    let (folder, file) = hidden("hidden-whole");
    assert_eq!(check(&folder, &file, &["--whole-replay"]).1["verdict"], "pass");
}

#[test]
fn a_hidden_variable_is_found_by_walks_of_every_seed() {
    let (folder, file) = hidden("hidden-walks");
    for seed in 0..SEEDS {
        let seed = format!("--seed={seed}");
        let (_, json) = check(&folder, &file, &["--simulate=60", &seed]);
        assert!(disagrees(&json).contains("\"hidden_first\""), "{seed}: {json}");
    }
}

#[test]
fn addresses_and_errno_are_found_where_a_program_behaves_by_them() {
    let folder = folder("leaks");
    for (name, said) in [
        ("address", ["\"object\"", "\"a is below\"", "\"b is below\""]),
        ("errno", ["x:09 and x:22", "\"no descriptor\"", "\"out of range\""]),
    ] {
        let file = target(&folder, name, &letters(&["a", "b", "t"]));
        let why = disagrees(&check(&folder, &file, &["--audit=0%"]).1);
        for part in said {
            assert!(why.contains(part), "{name}: {part}: {why}");
        }
    }
}

#[test]
fn a_program_that_writes_over_its_own_memory_never_passes() {
    let folder = folder("wild");
    for part in ["all", "arena", "program", "stack"] {
        for state in ["report", "raw"] {
            let more = "[limits]\ncpu_seconds = 1\n[[client]]\nnode = 0\nsend = []";
            let file = target(&folder, "wild", more);
            let text = std::fs::read_to_string(&file).expect("the model file can be read");
            let node = format!("args = [\"{part}\"]\nstate = \"{state}\"");
            std::fs::write(&file, text.replace("state = \"report\"", &node))
                .expect("it is written");
            let (output, json) = check(&folder, &file, &[]);
            match output.status.code() {
                Some(1) => assert_eq!(json["property"], "signal", "{part}, {state}: {json}"),
                Some(2) => assert!(!json["why"].is_null(), "{part}, {state}: {json}"),
                other => panic!("{part}, {state}: {other:?}: {json}"),
            }
        }
    }
}

#[test]
fn a_full_audit_of_a_small_election_closes() {
    let folder = folder("full");
    let file = examples().join("election/election.toml");
    let (_, json) = check(&folder, &file, &["--audit=full"]);
    assert_eq!(json["verdict"], "pass", "{json}");
    let sampled = check(&folder, &file, &[]).1;
    assert_eq!(json["distinct"], sampled["distinct"]);
    assert!(json["audited"].as_u64() > sampled["audited"].as_u64(), "{json}");
    // Every memory that turned up is kept, and executed.
    assert!(json["excess_origins"].as_u64().unwrap_or(0) == 0, "{json}");
}

#[test]
fn a_program_that_differs_from_run_to_run_is_an_error_by_both_back_ends() {
    let folder = folder("cycles");
    let file = target(&folder, "cycles", &letters(&["a", "b"]));
    for arguments in [&[][..], &["--audit=0%"], &["--whole-replay"], &["--simulate=20"]] {
        let (output, json) = check(&folder, &file, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {json}");
        let why = json["why"].as_str().expect("an error says why");
        assert!(why.contains("differs from run to run"), "{arguments:?}: {why}");
    }
}
