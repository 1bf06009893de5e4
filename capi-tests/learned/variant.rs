//! What two ways of one search must agree in, and the examples under other kinds of state.

use std::fs;
use std::path::Path;

/// What must not depend on how worlds are reached, or nodes put into local states.
pub const KEYS: [&str; 13] = [
    "verdict",
    "property",
    "why",
    "distinct",
    "generated",
    "depth",
    "trace_len",
    "local_states",
    "identities",
    "receipts",
    "bounds",
    "collision",
    "trace",
];

/// The model in `file`, with its programs where they are.
pub fn moved(file: &Path) -> String {
    let home = file.parent().expect("a model file is in a folder");
    let text = fs::read_to_string(file).expect("the model file can be read");
    text.replace("program = \"./", &format!("program = \"{}/", home.display()))
}

/// The same with the state kind `state`, and without what reads the report or region.
pub fn with_state(file: &Path, state: &str) -> String {
    let text = moved(file);
    let mut kept = Vec::new();
    let mut reads = false;
    for line in text.lines() {
        if line.starts_with('[') {
            reads = ["[fields]", "[invariants]", "[steps]", "[sometimes]", "[eventually]"]
                .contains(&line);
        }
        match line.starts_with("state = ") {
            true => kept.push(format!("state = \"{state}\"")),
            // Only memory can leave places out.
            false if line.starts_with("ignore = ") => {}
            false if !reads => kept.push(line.to_owned()),
            false => {}
        }
    }
    kept.join("\n")
}
