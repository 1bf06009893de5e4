//! With and without: every example, by both back ends.

use std::path::Path;

use serde_json::Value;

use crate::command::{check, folder, model_files, two_at_a_time};

/// What depends on time, and on how memory was given.
const TIMES: [&str; 5] =
    ["seconds", "process_seconds", "restored_seconds", "peak_bytes", "saved_bytes"];

/// Check with one worker and `arguments`, with and without; all that was found.
pub fn agree(folder: &Path, file: &Path, arguments: &[&str]) -> Value {
    let by = |more: &[&str]| {
        let (output, mut found) =
            check(folder, file, &[&["--workers=1"], arguments, more].concat());
        for key in TIMES {
            found.as_object_mut().expect("an object").remove(key).expect("it is told");
        }
        (output.status.code(), found)
    };
    let (inside, asked) = (by(&[]), by(&["--no-inline"]));
    assert_eq!(inside, asked, "{} {arguments:?}", file.display());
    inside.1
}

#[test]
fn every_example_is_the_same_with_and_without() {
    let folder = folder("inside");
    two_at_a_time(model_files(), |file| {
        for arguments in [["--backend=auto"], ["--backend=history"]] {
            agree(&folder, &file, &arguments);
        }
    });
}

#[test]
fn most_calls_are_answered_inside() {
    let folder = folder("inside-most");
    let election = model_files().into_iter().find(|file| file.ends_with("election.toml"));
    let election = election.expect("it is an example");
    let calls = |more: &[&str]| {
        let (_, found) = check(&folder, &election, &[&["--workers=1", "--stats"], more].concat());
        let calls = &found["sizes"]["calls"];
        (calls["asked"].as_u64().expect("a number"), calls["inside"].as_u64().expect("a number"))
    };
    let (asked, inside) = calls(&[]);
    assert!(inside > asked / 2, "{inside} inside, {asked} asked");
    assert_eq!(calls(&["--no-inline"]), (asked + inside, 0));
}
