//! Every example is checked by the real command on its real programs: the numbers are those of its
//! first comment and of the enumeration that was written without the checker, and search, simulation
//! and replay agree.

#[path = "enumeration/mod.rs"]
mod oracle;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;

use cmc::check::file::ModelFile;
use cmc::property::Rule;
use serde_json::Value;

/// Walks that find every planted bug with [`SEED`].
const WALKS: &str = "3000";
const SEED: &str = "1";

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/examples")
}

/// Every model file of the examples, the slow ones first.
fn model_files() -> Vec<PathBuf> {
    let built = Command::new("make").args(["-s", "-C"]).arg(examples()).status();
    assert!(built.is_ok_and(|status| status.success()), "make -C docs/examples");
    let entries = |folder: &Path| {
        let entries = std::fs::read_dir(folder).expect("the folder can be read");
        entries.map(|entry| entry.expect("the entry can be read").path()).collect::<Vec<_>>()
    };
    let mut files: Vec<PathBuf> = entries(&examples())
        .iter()
        .filter(|path| path.is_dir())
        .flat_map(|folder| entries(folder))
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    files.sort_by_key(|path| (!path.to_string_lossy().contains("election"), path.clone()));
    files
}

/// Call `each` with every model file, two at a time, and a folder of the `test`'s own.
fn on_every_model(test: &str, each: impl Fn(&Path, &Path) + Sync) {
    let files = Mutex::new(model_files().into_iter());
    std::thread::scope(|scope| {
        for worker in 0..2 {
            let (files, each) = (&files, &each);
            scope.spawn(move || {
                let folder = std::env::temp_dir()
                    .join(format!("cmc-{test}-{}-{worker}", std::process::id()));
                std::fs::create_dir_all(&folder).expect("a folder for traces");
                loop {
                    let Some(file) = files.lock().expect("no test has panicked").next() else {
                        break;
                    };
                    each(&file, &folder);
                }
                std::fs::remove_dir_all(&folder).expect("the folder goes");
            });
        }
    });
}

fn cmc(folder: &Path, arguments: &[&str]) -> (Output, Value) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cmc"));
    let output = command.arg("--json").args(arguments).current_dir(folder).output();
    let output = output.expect("cmc starts");
    let json = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{arguments:?}: {error}: {}", String::from_utf8_lossy(&output.stderr))
    });
    (output, json)
}

/// A value as an `# expect:` comment writes it.
fn written(value: &Value) -> String {
    match value {
        Value::Array(values) => values.iter().map(written).collect::<Vec<_>>().join("/"),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[test]
fn every_example_is_what_its_comment_and_the_enumeration_say() {
    on_every_model("search", |file, folder| {
        let model = ModelFile::load(file).expect("examples are model files");
        let argument = format!("--model-file={}", file.display());
        let (output, json) = cmc(folder, &[&argument, "--trace=found.trace"]);
        let expect = model.expect.expect("examples state what they expect");
        for (key, expected) in &expect.pairs {
            assert_eq!(&written(&json[key]), expected, "{}: {key}", file.display());
        }
        let status = match expect.get("verdict") {
            Some("pass") => 0,
            Some("violated") => 1,
            other => panic!("{}: expects {other:?}", file.display()),
        };
        assert_eq!(output.status.code(), Some(status), "{}", file.display());
        agree_with_the_enumeration(&model.name, &json);
        if status == 1 {
            replay_agrees(file, folder, &json);
        }
    });
}

fn agree_with_the_enumeration(name: &str, json: &Value) {
    if !oracle::MODELS.iter().any(|(_, known)| *known == name) {
        return;
    }
    let counted = oracle::predict(name);
    let number = |key: &str| json[key].as_u64().map(|number| number as usize);
    let states: Vec<usize> = json["local_states"]
        .as_array()
        .expect("an array")
        .iter()
        .map(|number| number.as_u64().expect("a number") as usize)
        .collect();
    assert_eq!(written(&json["verdict"]), counted.verdict, "{name}");
    if name.starts_with("list-raw") {
        // Memory may tell apart what the enumeration does not, never the other way round.
        assert!(states[0] >= counted.local_states[0], "{name}: {states:?}");
        assert!(number("distinct") >= Some(counted.distinct), "{name}");
        return;
    }
    assert_eq!(states, counted.local_states, "{name}");
    assert_eq!(number("distinct"), Some(counted.distinct), "{name}");
    assert_eq!(number("generated"), Some(counted.generated), "{name}");
    assert_eq!(number("depth"), Some(counted.depth), "{name}");
    assert_eq!(number("trace_len"), counted.trace_len, "{name}");
}

fn replay_agrees(file: &Path, folder: &Path, json: &Value) {
    let (output, again) = cmc(folder, &["--replay=found.trace"]);
    assert_eq!(output.status.code(), Some(1), "{}: {again}", file.display());
    for key in ["verdict", "property", "trace_len", "trace", "lasso"] {
        assert_eq!(again[key], json[key], "{}: {key}", file.display());
    }
}

/// What a search finds; what processes did for it depends on which worker came first.
const FOUND: [&str; 20] = [
    "verdict",
    "property",
    "why",
    "distinct",
    "generated",
    "depth",
    "trace_len",
    "queue_left",
    "violations",
    "bounds",
    "receipts",
    "unreached",
    "local_states",
    "identities",
    "disagreed",
    "lasso",
    "liveness",
    "suspicions",
    "notes",
    "trace",
];

/// Which steps were learned and audited: the same too, where the search comes to its end.
const LEARNED: [&str; 3] = ["steps_run", "table_hits", "audited"];

#[test]
fn any_number_of_workers_finds_the_same_in_every_example() {
    on_every_model("workers", |file, folder| {
        let argument = format!("--model-file={}", file.display());
        let trace = folder.join("workers.trace");
        let found = |workers: u64| {
            let arguments = [&argument, "--trace=workers.trace", &format!("--workers={workers}")];
            let (output, json) = cmc(folder, &arguments);
            assert_eq!(json["workers"], workers, "{}: {json:#}", file.display());
            let written = match output.status.code() {
                Some(1) => Some(std::fs::read(&trace).expect("a counterexample is written")),
                _ => None,
            };
            let learned = (json["verdict"] == "pass").then(|| LEARNED.map(|key| json[key].clone()));
            let all = FOUND.iter().chain(&LEARNED);
            all.for_each(|key| assert!(json.get(key).is_some(), "{key}: {json:#}"));
            (FOUND.map(|key| json[key].clone()), learned, written)
        };
        let expected = found(1);
        for workers in [2, 3, 8] {
            assert_eq!(found(workers), expected, "{}, {workers} workers", file.display());
        }
    });
}

#[test]
fn simulation_finds_what_the_search_finds_and_never_passes() {
    on_every_model("walks", |file, folder| {
        let model = ModelFile::load(file).expect("examples are model files");
        let violated = model.expect.as_ref().and_then(|expect| expect.get("property"));
        let walks = if violated.is_some() { WALKS } else { "20" };
        let seed = format!("--seed={SEED}");
        let argument = format!("--model-file={}", file.display());
        let simulate = format!("--simulate={walks}");
        let arguments = [&argument, &simulate, &seed, "--depth=40", "--trace=walked.trace"];
        let (output, json) = cmc(folder, &arguments);
        let awaited = |property: &&str| {
            let known = model.properties.iter().find(|known| known.name == **property);
            known.is_some_and(|known| matches!(known.rule, Rule::Eventually { .. }))
        };
        match violated {
            // A walk meets worlds, and no run that never ends.
            Some(property) if awaited(&property) => {
                assert_eq!(output.status.code(), Some(3), "{}", file.display());
                let why = written(&json["why"]);
                assert!(why.contains("only a complete search decides"), "{why}");
            }
            Some(property) => {
                assert_eq!(written(&json["property"]), property, "{}", file.display());
                let (again, replayed) = cmc(folder, &["--replay=walked.trace"]);
                assert_eq!(again.status.code(), Some(1), "{}", file.display());
                assert_eq!(replayed["trace"], json["trace"], "{}", file.display());
            }
            None => {
                assert_eq!(output.status.code(), Some(3), "{}", file.display());
                assert_eq!(json["verdict"], "incomplete", "{}", file.display());
            }
        }
    });
}

#[test]
fn an_end_for_want_of_time_outs_decides_nothing() {
    let folder = std::env::temp_dir().join(format!("cmc-bound-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the model");
    assert!(!model_files().is_empty(), "they are built");
    let pair = examples().join("pair");
    let text = std::fs::read_to_string(pair.join("pair-answered.toml")).expect("the example");
    let program = format!("\"{}\"", pair.join("pair").display());
    let text = text.replace("\"./pair\"", &program);
    for (timeouts, verdict) in [("2", "pass"), ("1", "incomplete")] {
        let text = text.replace("timeouts = 2", &format!("timeouts = {timeouts}"));
        std::fs::write(folder.join("few.toml"), text).expect("the model is written");
        for engine in ["--audit=full", "--whole-replay"] {
            let (output, json) = cmc(&folder, &["--model-file=few.toml", engine]);
            assert_eq!(json["verdict"], verdict, "{timeouts} {engine}");
            if verdict == "incomplete" {
                assert_eq!(output.status.code(), Some(3));
                assert_eq!(json["liveness"], Value::Null);
                let why = written(&json["why"]);
                assert!(why.starts_with("the budget of time-outs cuts runs"), "{why}");
            }
        }
    }
    std::fs::remove_dir_all(&folder).expect("the folder goes");
}
