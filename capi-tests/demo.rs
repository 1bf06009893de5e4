//! The demonstration succeeds only if every run ends as expected: it is shown a cmc that answers
//! right, and ones that answer wrong in one place.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// A cmc that knows the answers by heart.
const RIGHT: &str = r#"#!/bin/sh
case "$*" in
*kv-bug.toml) touch kv-bug.trace; echo 'kv-bug: violated: a cell once set stays set'; exit 1 ;;
*kv-bug.trace) echo 'kv-bug: violated: a cell once set stays set'; exit 1 ;;
*election-bug.toml) touch election-bug.trace; echo 'election-bug: violated: one leader per term'; exit 1 ;;
*bug3.*) echo 'violated: nobody commits what another aborts'; exit 1 ;;
*list-raw.toml) echo 'local states 17'; exit 0 ;;
*list.toml) echo 'local states 14'; exit 0 ;;
*list-ignore.toml) echo 'local states 9'; exit 0 ;;
*) echo 'pass'; exit 0 ;;
esac
"#;

/// Whether the demonstration of this cmc succeeds, run in a directory called `name`.
fn succeeds(name: &str, cmc: &str) -> bool {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("demo").join(name);
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place).expect("a directory for the demonstration");
    let program = place.join("cmc");
    fs::write(&program, cmc).expect("the cmc to be shown");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/examples/demo.sh");
    let output = Command::new("sh").arg(demo).arg("./cmc").current_dir(&place).output();
    output.expect("sh starts").status.success()
}

#[test]
fn the_demonstration_succeeds_when_all_comes_out_as_expected() {
    assert!(succeeds("right", RIGHT));
}

#[test]
fn the_demonstration_fails_when_one_thing_does_not() {
    let wrong = [
        ("status", RIGHT.replace("exit 0", "exit 3")),
        ("word", RIGHT.replace("'pass'", "'incomplete'")),
        ("states", RIGHT.replace("local states 9", "local states 8")),
        ("property", RIGHT.replace("one leader per term", "another")),
        ("core", RIGHT.replace("what another aborts", "anything")),
        ("trace", RIGHT.replace("touch election-bug.trace; ", "")),
        ("replay", RIGHT.replace("*kv-bug.trace)", "*kv-bug.trace) echo no; exit 2 ;; *never)")),
    ];
    for (name, cmc) in wrong {
        assert_ne!(cmc, RIGHT, "{name}");
        assert!(!succeeds(name, &cmc), "{name}");
    }
}
