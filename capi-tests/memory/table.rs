//! The table of the kinds of state, on every example and every program, as Markdown.
//! `cargo test --release --test memory -- --ignored --nocapture table` prints it.

use serde_json::Value;

use crate::models;
use crate::programs::{LEVELS, check, checked, raw};
use crate::variant::{check_variant, examples, own_kind, variant};

/// What is shown of each check.
const COLUMNS: [(&str, &str); 8] = [
    ("local states", "local_states"),
    ("identities", "identities"),
    ("worlds", "distinct"),
    ("seconds", "seconds"),
    ("steps run", "steps_run"),
    ("audited", "audited"),
    ("disagreed", "disagreed"),
    ("raw forms", "raw_fallbacks"),
];

fn written(value: &Value) -> String {
    match value {
        Value::Array(values) => values.iter().map(written).collect::<Vec<_>>().join("/"),
        Value::Number(number) if number.is_f64() => {
            format!("{:.2}", number.as_f64().unwrap_or_default())
        }
        other => other.to_string(),
    }
}

/// One row: a model, and what each of some checks of it found.
fn row(name: &str, kind: &str, checks: &[Value]) -> String {
    let verdicts: Vec<&str> = checks.iter().filter_map(|json| json["verdict"].as_str()).collect();
    let same = verdicts.iter().all(|verdict| *verdict == verdicts[0]);
    let mut cells = vec![name.to_owned(), kind.to_owned()];
    cells.push(if same { verdicts[0].into() } else { verdicts.join(" · ") });
    for (_, key) in COLUMNS {
        let values: Vec<String> = checks.iter().map(|json| written(&json[key])).collect();
        let same = values.iter().all(|value| *value == values[0]);
        cells.push(if same { values[0].clone() } else { values.join(" · ") });
    }
    format!("| {} |", cells.join(" | "))
}

fn head(first: &str, second: &str) {
    let titles: Vec<&str> = COLUMNS.map(|(title, _)| title).to_vec();
    println!("| {first} | {second} | verdict | {} |", titles.join(" | "));
    println!("|{}", "---|".repeat(3 + COLUMNS.len()));
}

#[test]
#[ignore = "prints the table of the kinds of state"]
fn table_of_the_kinds_of_state() {
    head("example", "own · raw · memory");
    for file in examples() {
        let text = std::fs::read_to_string(&file).expect("the model file can be read");
        let home = file.parent().expect("a model file is in a folder");
        let own = own_kind(&text);
        let checks = [own, "raw", "memory"].map(|kind| {
            let text = variant(&text, home, kind).text;
            check_variant("table", &file, kind, &text)
        });
        let name = file.file_stem().expect("a model file has a name").to_string_lossy();
        println!("{}", row(&name, own.split(':').next().unwrap_or_default(), &checks));
    }
    println!();
    head("program", "least to most");
    for (model, (_, expected)) in models() {
        let counts = format!("{} to {}", expected.counts["ideal"], expected.counts["stale"]);
        let raw = checked("table", &raw(&model, "O2"), &[]);
        let memory = LEVELS.map(|level| check("table", &model, level, &[]));
        println!("{}", row(&format!("{model}, raw at -O2"), "", &[raw]));
        println!("{}", row(&model, &counts, &memory));
    }
}
