//! Both back ends come to the same, model by model; and executions of one step by both, which the audit
//! draws, agree in all that they did and in the memory that they ended in.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;

use crate::command::{check, folder, model_files, two_at_a_time};
use crate::variant::{KEYS, with_state};

/// What is the same beside [`KEYS`] where no thread was ahead of another when the search ended.
const WORK: [&str; 5] =
    ["steps_run", "disagreed", "audited_states", "unaudited_states", "excess_origins"];

/// Executions by both back ends in all tests of this file, at least.
const COMPARED: u64 = 10_000;

/// Check with both back ends; what restoring found.
pub fn agree(folder: &Path, file: &Path, arguments: &[&str]) -> Value {
    let by = |backend| check(folder, file, &[arguments, &[backend]].concat());
    let (status, history) = by("--backend=history");
    let (restored_status, restored) = by("--backend=auto");
    let complete = history["verdict"] == "pass";
    for key in KEYS.iter().chain(WORK.iter().filter(|_| complete)) {
        assert_eq!(history[key], restored[key], "{} {arguments:?}: {key}", file.display());
    }
    assert_eq!(status.status.code(), restored_status.status.code(), "{}", file.display());
    assert_eq!(history["restored"], 0);
    restored
}

/// How many executions both back ends ran.
fn compared(found: &Value) -> u64 {
    found["restores_compared"].as_u64().expect("it is counted")
}

/// Every example agrees with these arguments, and with its own state kind, or this one.
fn every_example_agrees(name: &str, state: Option<&str>, arguments: &[&str]) -> u64 {
    let folder = folder(name);
    let total = AtomicU64::new(0);
    two_at_a_time(model_files(), |file| {
        let mut file = file;
        if let Some(state) = state {
            let copy = folder.join(file.file_name().expect("a model file has a name"));
            fs::write(&copy, with_state(&file, state)).expect("the model file can be written");
            file = copy;
        }
        let found = agree(&folder, &file, arguments);
        total.fetch_add(compared(&found), Ordering::Relaxed);
    });
    total.into_inner()
}

#[test]
fn every_example_is_the_same_by_restoring() {
    let one = every_example_agrees("restore", None, &["--workers=1", "--audit=full"]);
    let arguments = ["--workers=1", "--audit=100%", "--max-states=1500"];
    let raw = every_example_agrees("restore-raw", Some("raw"), &arguments);
    let memory = every_example_agrees("restore-memory", Some("memory"), &arguments);
    let all = one + raw + memory;
    println!("{one} + {raw} + {memory} executions by both back ends, none disagreed");
    assert!(all >= COMPARED, "{all}");
}

#[test]
fn every_example_is_the_same_by_restoring_on_two_threads() {
    assert!(every_example_agrees("restore-two", None, &["--workers=2"]) > 0);
}

#[test]
fn walks_are_the_same_by_restoring() {
    let arguments = ["--simulate=30", "--depth=25", "--seed=5", "--audit=10%"];
    assert!(every_example_agrees("restore-walks", None, &arguments) > 0);
}
