//! Programs that do to themselves, and to what the kernel keeps for them, what a process cannot be put
//! back from by its memory alone: the verdict is that of histories, and it is what the program says.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::agreement::agree;
use crate::command::{check, folder, root, two_at_a_time};

/// The programs, and what each is sent, in any order.
const PROGRAMS: [(&str, &[&str]); 10] = [
    ("deep", &["a", "b", "c", "d"]),
    ("descriptors", &["c", "o", "a", "o"]),
    ("handlers", &["h", "d", "b", "u", "f", "f"]),
    ("mappings", &["m", "n", "w", "d", "w"]),
    ("preload", &["u", "a", "m", "a"]),
    ("registers", &["r", "g", "v", "g"]),
    ("returns", &["f", "a", "b", "f"]),
    ("room", &["m", "a", "b", "a"]),
    ("stack", &["a", "b", "x", "a"]),
    ("wild", &["x", "a", "b"]),
];

/// What the first comment says, by key.
fn expected(source: &str) -> BTreeMap<&str, &str> {
    let line = source.lines().next().and_then(|line| line.strip_prefix("/* # expect: "));
    let pairs = line.expect("the program says what to expect").split(' ');
    pairs.map(|pair| pair.split_once('=').expect("KEY=VALUE")).collect()
}

/// The verdict, and what was said of it.
fn told(found: &Value) -> String {
    let notes = found["notes"].as_array().into_iter().flatten();
    let said = [&found["verdict"], &found["property"], &found["why"]].into_iter().chain(notes);
    said.filter_map(Value::as_str).collect::<Vec<_>>().join("; ")
}

fn build(folder: &Path, name: &str) -> String {
    let path = root().join(format!("capi-tests/restore/{name}.c"));
    let mut gcc = Command::new("gcc");
    gcc.args(["-O2", "-g", "-Wall", "-Wextra", "-Werror", "-no-pie", "-o"]).arg(folder.join(name));
    assert!(gcc.arg(&path).status().is_ok_and(|status| status.success()), "{name}");
    fs::read_to_string(path).expect("the source is text")
}

#[test]
fn what_programs_do_to_themselves_ends_as_by_history() {
    let folder = folder("hostile");
    two_at_a_time(PROGRAMS.to_vec(), |(name, letters)| {
        let source = build(&folder, name);
        let expected = expected(&source);
        for state in ["raw", "memory"] {
            let text = format!(
                "[[node]]\nprogram = \"./{name}\"\nstate = \"{state}\"\n\n[network]\nmode = \
                 \"message\"\n\n[[client]]\nnode = 0\nsend = {letters:?}\norder = \"any\"\nwait = true\n"
            );
            let file = folder.join(format!("{name}-{state}.toml"));
            fs::write(&file, text).expect("the model file can be written");
            let found =
                agree(&folder, &file, &["--workers=1", "--audit=100%", "--max-states=2000"]);
            let case = format!("{name}, {state}: {found:#}");
            println!("{name}, {state}: {}", told(&found));
            assert_eq!(found["verdict"], expected["verdict"], "{case}");
            assert_eq!(found["property"].as_str(), expected.get("property").copied(), "{case}");
            let why = found["why"].as_str().unwrap_or_default();
            assert!(why.contains(expected.get("word").copied().unwrap_or_default()), "{case}");
            let notes = found["notes"].to_string();
            assert!(notes.contains(expected.get("note").copied().unwrap_or_default()), "{case}");
            assert!(found["restored"].as_u64() > Some(0), "{case}");
            if let Some(call) = expected.get("note") {
                let (_, found) = check(&folder, &file, &["--backend=restore"]);
                let why = found["why"].as_str().unwrap_or_default();
                let said = [&format!("call {call}"), "use --backend=auto"];
                assert!(said.iter().all(|said| why.contains(*said)), "{case}: {why}");
            }
        }
    });
}
