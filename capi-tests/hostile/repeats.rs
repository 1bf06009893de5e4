//! Two checks of one model agree to the byte, whoever runs them and where: counts, traces, and the
//! digests of whole memory.

use std::process::Command;

use serde_json::Value;

use crate::checker::{CMC, PATIENCE, Running, option};
use crate::folder::Folder;

/// Ways to run the command that must make no difference: scripts for sh, where `"$@"` is the command.
const WAYS: [(&str, &str); 6] = [
    ("as it is", "exec \"$@\""),
    ("again", "exec \"$@\""),
    ("elsewhere", "cd / && exec \"$@\""),
    (
        "another environment",
        "exec env -u PATH LANG=de_DE.UTF-8 TZ=Asia/Tokyo LD_LIBRARY_PATH=/nowhere \"$@\"",
    ),
    ("a large environment", "exec env LARGE=$(head -c 100000 /dev/zero | tr '\\0' x) \"$@\""),
    (
        "another stack and session",
        "ulimit -S -s 4096 && ulimit -S -n 256 && umask 077 && exec setsid -w nice \"$@\"",
    ),
];

/// The answer to `model`, without seconds and memory.
fn answer(folder: &Folder, way: &str, model: &str, options: &[&str]) -> Value {
    let mut command = Command::new("sh");
    command.args(["-c", way, "sh", CMC, "--json"]).args(options);
    command.arg(option("--model-file", &folder.join(model)));
    command.arg(option("--trace", &folder.join("found.trace")));
    let answer = Running::start(folder, &mut command).end(PATIENCE);
    let mut object = answer.json();
    assert!([0, 1, 3].contains(&answer.code()), "{way}: {object:#}");
    for seconds in ["seconds", "process_seconds", "peak_bytes"] {
        assert!(object[seconds].take().is_number(), "{way}");
    }
    // Whole replay restores nothing.
    object["restored_seconds"].take();
    object
}

/// With one worker, so that what processes did is the same too.
fn assert_no_way_matters(folder: &Folder, model: &str, options: &[&str]) -> Value {
    let [(_, first), others @ ..] = WAYS;
    let options = &[options, &["--workers=1"]].concat();
    let expected = answer(folder, first, model, options);
    for (name, way) in others {
        let found = answer(folder, way, model, options);
        assert_eq!(found, expected, "{model}, {name}");
    }
    expected
}

#[test]
fn two_checks_of_a_position_independent_program_agree() {
    let folder = Folder::new("repeat-kv");
    folder.copy_example("kv", &["kv-pie", "kv-pie.toml"]);
    let found = assert_no_way_matters(&folder, "kv-pie.toml", &[]);
    assert_eq!(found["verdict"], "pass");
}

/// What a search finds; what processes did for it depends on which worker came first.
const FOUND: [&str; 13] = [
    "verdict",
    "property",
    "why",
    "distinct",
    "generated",
    "depth",
    "trace_len",
    "bounds",
    "receipts",
    "unreached",
    "local_states",
    "identities",
    "trace",
];

#[test]
fn any_number_of_workers_finds_the_same() {
    let folder = Folder::new("repeat-workers");
    let election = ["election", "election.toml", "election-bug", "election-bug.toml"];
    folder.copy_example("election", &election);
    folder.copy_example("kv", &["kv", "kv.toml", "kv-bug", "kv-bug.toml"]);
    for (back_end, models) in
        [("--audit=1%", &["election", "election-bug"]), ("--whole-replay", &["kv", "kv-bug"])]
    {
        for model in models {
            let searched = |workers: u64| {
                let options = [back_end, &format!("--workers={workers}")];
                let object = answer(&folder, WAYS[0].1, &format!("{model}.toml"), &options);
                assert_eq!(object["workers"], workers);
                let found = FOUND.map(|key| object[key].clone());
                // Every step is run once, where all of the steps are.
                let complete = back_end != "--whole-replay" && object["verdict"] == "pass";
                (
                    found,
                    complete.then(|| [object["steps_run"].clone(), object["table_hits"].clone()]),
                )
            };
            let expected = searched(1);
            for workers in 2..5 {
                assert_eq!(searched(workers), expected, "{model}, {back_end}, {workers} workers");
            }
        }
    }
}

#[test]
fn two_checks_of_an_election_agree() {
    let folder = Folder::new("repeat-election");
    folder.copy_example("election", &["election", "election.toml"]);
    let found = assert_no_way_matters(&folder, "election.toml", &[]);
    assert_eq!(found["verdict"], "pass");
    let some = ["--whole-replay", "--max-states=40"];
    let found = assert_no_way_matters(&folder, "election.toml", &some);
    assert_eq!(found["distinct"], 40);
}

/// `raw` digests memory, stack and registers: whatever leaks in from the host shows in the counts, and
/// in the trace, which tells the digests.
#[test]
fn two_checks_of_whole_memory_agree() {
    let folder = Folder::new("repeat-list");
    folder.copy_example("list", &["list", "list-raw-2.toml"]);
    let model = std::fs::read_to_string(folder.join("list-raw-2.toml")).expect("it was copied");
    let broken = "[invariants]\n\"never two\" = \"count(r in replies: true) < 2\"";
    folder.write("list.toml", model.replacen("[invariants]", broken, 1));
    let found = assert_no_way_matters(&folder, "list.toml", &[]);
    assert_eq!(found["property"], "never two");
    let digests = found["trace"].to_string().matches("content").count();
    assert!(digests >= 2, "the trace tells no digests: {:#}", found["trace"]);
    let whole = assert_no_way_matters(&folder, "list-raw-2.toml", &[]);
    assert_eq!(whole["verdict"], "pass");
}
