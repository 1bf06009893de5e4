//! The enumeration of the example models gives the numbers that are known otherwise, and the
//! `# expect:` comments of the model files and of the programs say what it counts.

#[path = "enumeration/mod.rs"]
mod oracle;

use oracle::{MODELS, predict};
use std::fs;
use std::path::{Path, PathBuf};

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/examples")
}

fn expectation(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let first = text.lines().next().unwrap_or("");
    let (_, expected) = first
        .split_once("# expect: ")
        .unwrap_or_else(|| panic!("{}: no # expect:", file.display()));
    expected.trim_end().to_string()
}

fn verdict_of(model: &str) -> String {
    let counts = predict(model);
    match counts.property {
        None => format!("verdict={}", counts.verdict),
        Some(property) => format!("verdict={} property=\"{property}\"", counts.verdict),
    }
}

fn everything_of(model: &str) -> String {
    let c = predict(model);
    let numbers = format!("distinct={} generated={} depth={}", c.distinct, c.generated, c.depth);
    match c.trace_len {
        None => {
            let states: Vec<_> = c.local_states.iter().map(usize::to_string).collect();
            format!("{} local_states={} {numbers}", verdict_of(model), states.join("/"))
        }
        Some(length) => format!("{} trace_len={length} {numbers}", verdict_of(model)),
    }
}

#[test]
fn the_diamond_of_kv_closes() {
    assert_eq!(everything_of("kv"), "verdict=pass local_states=4 distinct=12 generated=15 depth=7");
}

#[test]
fn a_reported_list_has_one_state_a_set() {
    for (n, model) in
        [(1, "list-report-1"), (2, "list-report-2"), (3, "list-report"), (4, "list-report-4")]
    {
        assert_eq!(predict(model).local_states, [1 << n], "{model}");
    }
}

#[test]
fn a_raw_list_has_a_state_a_history() {
    for (histories, model) in
        [(2, "list-raw-1"), (5, "list-raw-2"), (16, "list-raw"), (65, "list-raw-4")]
    {
        assert_eq!(predict(model).local_states, [histories], "{model}");
    }
}

#[test]
fn every_planted_bug_is_found_and_nothing_else() {
    for (_, model) in MODELS {
        // Crashes while nodes wait do not show the bug that is between two effects.
        let shows = model.contains("-bug") && *model != "ack-bug-quiescent";
        let expected = if shows { "violated" } else { "pass" };
        assert_eq!(predict(model).verdict, expected, "{model}");
        assert_eq!(predict(model).trace_len.is_some(), shows, "{model}");
    }
}

#[test]
fn models_are_small() {
    for (_, model) in MODELS {
        assert!(predict(model).distinct < 5000, "{model}");
    }
}

/// Raw memory may split what the oracle merges, so that its files state the verdict only.
#[test]
fn model_files_expect_what_is_counted() {
    for (folder, model) in MODELS {
        let expected = expectation(&examples().join(folder).join(format!("{model}.toml")));
        let counted =
            if model.starts_with("list-raw") { verdict_of(model) } else { everything_of(model) };
        assert_eq!(expected, counted, "{model}.toml");
    }
}

#[test]
fn every_model_file_is_predicted() {
    for folder in ["kv", "list", "echo", "lock", "election", "ack"] {
        for entry in fs::read_dir(examples().join(folder)).expect("the folder is there") {
            let path = entry.expect("the entry can be read").path();
            if path.extension().is_some_and(|e| e == "toml") {
                let name = path.file_stem().and_then(|s| s.to_str()).expect("names are text");
                // What memory holds beside the keys is counted in their own comments.
                let by_memory = ["list", "list-ignore"].contains(&name);
                let predicted = by_memory || MODELS.contains(&(folder, name));
                assert!(predicted, "{} has no prediction", path.display());
            }
        }
    }
}

#[test]
fn a_program_expects_what_its_main_model_file_does() {
    for (name, model) in [
        ("kv", "kv"),
        ("list", "list-report"),
        ("echo", "echo"),
        ("lock", "lock"),
        ("election", "election"),
        ("ack", "ack"),
    ] {
        let folder = examples().join(name);
        let of_model = expectation(&folder.join(format!("{model}.toml")));
        assert_eq!(expectation(&folder.join(format!("{name}.c"))), of_model, "{name}.c");
    }
}
