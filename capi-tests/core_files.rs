//! Every core in `cores/` is checked by the real command: its first comment says what a check finds,
//! for the defaults, for other numbers and for each planted bug, and search by any number of
//! threads, doubled steps, simulation and replay agree.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;

use serde_json::Value;

/// Walks that find every planted bug with the seed of its comment.
const WALKS: &str = "20000";

/// One worker that runs everything twice.
const DET: [&str; 2] = ["--workers=1", "--det"];

/// What of an answer is the same for any number of workers.
const SAME: [&str; 8] =
    ["distinct", "generated", "depth", "queue_left", "property", "trace", "violations", "receipts"];

/// One line of a first comment: `expect: key=value …`.
#[derive(Clone, Debug, Default)]
struct Expect {
    core: String,
    file: PathBuf,
    settings: Vec<String>,
    seed: Option<String>,
    pairs: Vec<(String, String)>,
}

impl Expect {
    fn get(&self, key: &str) -> Option<&str> {
        self.pairs.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    fn said(&self) -> String {
        format!("{} {}", self.file.display(), self.settings.join(" "))
    }

    fn arguments(&self) -> Vec<String> {
        let settings = self.settings.iter().map(|text| format!("--set={text}"));
        std::iter::once(format!("--core={}", self.file.display())).chain(settings).collect()
    }
}

fn cores() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cores")
}

/// `key=value` words, where a value may stand in quotes.
fn words(line: &str) -> Vec<(String, String)> {
    let (mut pairs, mut rest) = (Vec::new(), line.trim());
    while !rest.is_empty() {
        let (key, value) = rest.split_once('=').expect("key=value");
        let (value, tail) = match value.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').expect("a closing quote"),
            None => value.split_once(' ').unwrap_or((value, "")),
        };
        pairs.push((key.to_owned(), value.to_owned()));
        rest = tail.trim_start();
    }
    pairs
}

/// The cores to learn from: `cores/NAME` with `NAME.c` and `model.c` in it.
fn names() -> Vec<String> {
    let entries = std::fs::read_dir(cores()).expect("the cores");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let names = names.map(|name| name.into_string().expect("a name in UTF-8"));
    let is_core = |name: &String| {
        let folder = cores().join(name);
        folder.join(format!("{name}.c")).exists() && folder.join("model.c").exists()
    };
    let mut names: Vec<String> = names.filter(is_core).collect();
    names.sort();
    assert!(names.len() >= 7, "{names:?}");
    names
}

/// What the first comment of `cores/NAME/NAME.c` expects.
fn expectations(name: &str) -> Vec<Expect> {
    let folder = cores().join(name);
    let source = std::fs::read_to_string(folder.join(format!("{name}.c"))).expect("a source");
    let comment = source.split("*/").next().unwrap_or_default();
    let lines = comment.lines().filter_map(|line| line.split_once("expect: "));
    let read = |(_, line): (&str, &str)| {
        let mut expect = Expect { core: name.to_owned(), ..Expect::default() };
        let mut bug = String::new();
        for (key, value) in words(line) {
            match key.as_str() {
                "bug" => bug = format!("-bug{value}"),
                "set" => expect.settings = value.split(',').map(str::to_owned).collect(),
                "simulate_seed" => expect.seed = Some(value),
                _ => expect.pairs.push((key, value)),
            }
        }
        expect.file = folder.join(format!("{name}{bug}.so"));
        expect
    };
    let expectations: Vec<Expect> = lines.map(read).collect();
    assert!(!expectations.is_empty(), "{name}.c says what a check of it finds");
    expectations
}

/// Call `each` with every expectation, two at a time, and a folder of the `test`'s own.
fn on_every_core(test: &str, each: impl Fn(&Expect, &Path) + Sync) {
    let built = Command::new("make").args(["-s", "-C"]).arg(cores()).status();
    assert!(built.is_ok_and(|status| status.success()), "make -C cores");
    let all: Vec<Expect> = names().iter().flat_map(|name| expectations(name)).collect();
    let all = Mutex::new(all.into_iter());
    std::thread::scope(|scope| {
        for worker in 0..2 {
            let (all, each) = (&all, &each);
            scope.spawn(move || {
                let folder =
                    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cores-{test}-{worker}"));
                std::fs::create_dir_all(&folder).expect("a folder for traces");
                loop {
                    let Some(expect) = all.lock().expect("no test has panicked").next() else {
                        break;
                    };
                    each(&expect, &folder);
                }
            });
        }
    });
}

fn cmc(folder: &Path, arguments: &[String]) -> (Output, Value) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cmc"));
    let output = command.arg("--json").args(arguments).current_dir(folder).output();
    let output = output.expect("cmc starts");
    let json = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{arguments:?}: {error}: {}", String::from_utf8_lossy(&output.stderr))
    });
    (output, json)
}

fn written(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn strings(arguments: &[&str]) -> Vec<String> {
    arguments.iter().map(|&argument| argument.to_owned()).collect()
}

#[test]
fn every_core_is_what_its_comment_says_and_replay_agrees() {
    on_every_core("search", |expect, folder| {
        let mut first = None;
        let workers = ["--workers=1", "--workers=2", "--workers=3", "--workers=8"];
        for more in workers.iter().map(std::slice::from_ref).chain([&DET[..]]) {
            let more = strings(&[more, &["--trace=found.trace"]].concat());
            let (output, json) = cmc(folder, &[expect.arguments(), more.clone()].concat());
            for (key, expected) in &expect.pairs {
                let said = expect.said();
                assert_eq!(&written(&json[key]), expected, "{said} {more:?}: {key}: {json:#}");
            }
            let status = if expect.get("verdict") == Some("pass") { 0 } else { 1 };
            assert_eq!(output.status.code(), Some(status), "{}", expect.said());
            let found = SAME.map(|key| json[key].clone());
            assert_eq!(*first.get_or_insert(found.clone()), found, "{} {more:?}", expect.said());
            if status == 1 {
                let (output, again) = cmc(folder, &strings(&["--replay=found.trace"]));
                assert_eq!(output.status.code(), Some(1), "{}: {again:#}", expect.said());
                for key in ["verdict", "property", "trace_len", "trace"] {
                    assert_eq!(again[key], json[key], "{}: {key}", expect.said());
                }
            }
        }
    });
}

#[test]
fn every_way_to_search_finds_the_same_with_any_number_of_threads() {
    let ways = [
        &["--dfs=60", "--max-states=15000"][..],
        &["--iterative=9", "--max-states=15000"],
        &["--simulate=1500", "--depth=40", "--seed=7"],
    ];
    on_every_core("threads", |expect, folder| {
        for way in ways {
            let mut first = None;
            for workers in ["1", "2", "3", "8"] {
                let more = [way, &["--trace=threads.trace", "--workers", workers]].concat();
                let (_, mut json) = cmc(folder, &[expect.arguments(), strings(&more)].concat());
                assert_ne!(json["verdict"], "error", "{}: {json:#}", expect.said());
                for key in ["workers", "seconds", "peak_bytes"] {
                    json[key] = Value::Null;
                }
                let said = format!("{} {way:?}, {workers} workers", expect.said());
                assert_eq!(*first.get_or_insert(json.clone()), json, "{said}");
            }
        }
    });
}

#[test]
fn simulation_finds_every_planted_bug_and_never_passes() {
    on_every_core("walks", |expect, folder| {
        if expect.get("lasso").is_some() {
            // No walk goes on for ever.
            return;
        }
        let seed = format!("--seed={}", expect.seed.as_deref().unwrap_or("1"));
        let walks = match expect.get("verdict") {
            Some("violated") => format!("--simulate={WALKS}"),
            _ => "--simulate=200".to_owned(),
        };
        let more = vec![walks, seed, "--depth=300".into(), "--trace=walk.trace".into()];
        let (output, json) = cmc(folder, &[expect.arguments(), more].concat());
        match expect.get("verdict") {
            Some("violated") => {
                assert_eq!(output.status.code(), Some(1), "{}: {json:#}", expect.said());
                assert_eq!(written(&json["property"]), expect.get("property").unwrap_or_default());
                let (output, again) = cmc(folder, &strings(&["--replay=walk.trace"]));
                assert_eq!(output.status.code(), Some(1), "{}: {again:#}", expect.said());
                assert_eq!(again["trace"], json["trace"], "{}", expect.said());
            }
            _ => assert_eq!(output.status.code(), Some(3), "{}: {json:#}", expect.said()),
        }
    });
}

#[test]
fn every_core_has_a_planted_bug_that_names_its_property() {
    on_every_core("bugs", |expect, _| {
        let bugs = expectations(&expect.core);
        let bugs = bugs.iter().filter(|bug| bug.get("verdict") == Some("violated"));
        let named = bugs.filter(|bug| bug.get("property").is_some());
        assert!(named.count() > 0, "{} has a planted bug", expect.core);
    });
}
