//! Programs without a hook, whose memory is their state: their comments agree with an enumeration
//! of their rules, they answer on real sockets what these say, and a check finds as many states as
//! the comments say.

#[path = "memory/comment.rs"]
mod comment;
#[path = "memory/conversation.rs"]
mod conversation;
#[path = "memory/histories.rs"]
mod histories;
#[path = "memory/key_set.rs"]
mod key_set;
#[path = "memory/machine.rs"]
mod machine;
#[path = "memory/places.rs"]
mod places;
#[path = "memory/structures.rs"]
mod structures;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, OnceLock};

use comment::{Expected, expectations, root};
use histories::{Counts, clients, count};
use machine::Machine;
use serde_json::Value;

const LEVELS: [&str; 3] = ["O0", "O2", "protector"];

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("capi-tests/memory")
}

/// The folder of the programs and model files, built.
fn built() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("memory");
        let mut make = Command::new("make");
        make.args(["-s", "-j2", "-C"]).arg(sources()).arg(format!("OUT={}", folder.display()));
        let status = make.args(["all", "sanitized"]).status();
        assert!(status.is_ok_and(|status| status.success()), "make -C capi-tests/memory");
        folder
    })
}

/// The files of the folder that end so, without their suffix.
fn names(suffix: &str) -> Vec<String> {
    let entries = std::fs::read_dir(sources()).expect("the folder can be read");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let names = names.map(|name| name.into_string().expect("a name in UTF-8"));
    let mut names: Vec<String> =
        names.filter_map(|name| name.strip_suffix(suffix).map(String::from)).collect();
    names.sort();
    names
}

fn source(program: &str) -> String {
    std::fs::read_to_string(sources().join(format!("{program}.c"))).expect("the source is text")
}

fn model_file(model: &str) -> PathBuf {
    sources().join(format!("{model}.toml"))
}

fn rules(model: &str) -> Box<dyn Machine> {
    let found = key_set::machine(model).or_else(|| structures::machine(model));
    found.or_else(|| places::machine(model)).unwrap_or_else(|| panic!("{model} has no rules"))
}

/// Every model with its program and what is expected of it.
fn models() -> BTreeMap<String, (String, Expected)> {
    let mut models = BTreeMap::new();
    for program in names(".c") {
        for (model, expected) in expectations(&program, &source(&program)) {
            models.insert(model, (program.clone(), expected));
        }
    }
    models
}

/// Call `each` with every one of `items`, two at a time.
fn two_at_a_time<T: Send>(items: Vec<T>, each: impl Fn(T) + Sync) {
    let items = Mutex::new(items.into_iter());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let next = items.lock().expect("no thread has panicked").next();
                    let Some(item) = next else { break };
                    each(item);
                }
            });
        }
    });
}

#[test]
fn comments_count_what_the_rules_of_the_programs_give() {
    let models = models();
    assert_eq!(models.keys().cloned().collect::<Vec<_>>(), names(".toml"));
    let mut wrong = Vec::new();
    for (model, (_, expected)) in &models {
        let clients = clients(&model_file(model));
        let Counts { ideal, stale, histories } = count(&*rules(model), &clients);
        let counted = [("ideal", ideal), ("stale", stale), ("histories", histories)];
        if expected.counts != counted.map(|(name, number)| (name.into(), number)).into() {
            wrong.push(format!("{model}: ideal={ideal} stale={stale} histories={histories}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_class_of_roots_has_a_program_whose_state_it_is() {
    let programs = names(".c");
    let roots: BTreeSet<String> = programs
        .iter()
        .flat_map(|program| LEVELS.map(|level| root(&source(program), level)))
        .flatten()
        .collect();
    let classes = ["data", "held", "library", "register", "stack", "tls"];
    assert_eq!(roots, classes.map(String::from).into());
}

#[test]
fn a_comment_complains_of_what_it_does_not_say() {
    let source = "/* expect: verdict=pass states=3 O0<=4 O0>=2 disagreed=0 raw_fallbacks>=1\n\
                  * expect other: verdict=error word=\"on addresses\" states=measured */";
    let models = expectations("one", source);
    let found = |states: u64, raw: Value| {
        serde_json::json!({"verdict": "pass", "local_states": [states], "disagreed": 0,
                           "raw_fallbacks": raw, "why": null})
    };
    let complaints = |model: &str, level: &str, json: &Value| -> usize {
        models[model].complaints(level, json).len()
    };
    for (level, states, raw, wrong) in [
        ("O2", 3, Value::from(1), 0),
        ("O2", 4, Value::from(1), 1),
        ("O2", 4, Value::from(0), 2),
        ("O0", 4, Value::from(1), 0),
        ("O0", 5, Value::from(1), 1),
        ("O0", 1, Value::from(1), 1),
        ("O2", 3, Value::Null, 1),
    ] {
        assert_eq!(complaints("one", level, &found(states, raw)), wrong, "{level} {states}");
    }
    let error = serde_json::json!({"verdict": "error", "why": "it depends on addresses"});
    assert_eq!(complaints("one", "O2", &error), 4);
    assert_eq!(complaints("other", "O2", &error), 0);
    assert_eq!(complaints("other", "O2", &found(3, Value::from(1))), 2);
}

/// The orders in which the messages are sent; all of a short script would be too many.
fn orders(messages: &[String]) -> Vec<Vec<String>> {
    let backwards = messages.iter().rev().cloned().collect();
    let (even, odd): (Vec<_>, Vec<_>) =
        messages.iter().cloned().enumerate().partition(|(place, _)| place % 2 == 0);
    let mixed = odd.into_iter().chain(even).map(|(_, message)| message).collect();
    vec![messages.to_vec(), backwards, mixed]
}

#[test]
fn programs_answer_on_real_sockets_what_their_rules_say() {
    let folder = built();
    // Numbers that the nodes of no model have.
    let programs: Vec<(u16, String)> = (300..).step_by(10).zip(names(".c")).collect();
    two_at_a_time(programs, |(node, program)| {
        let clients = clients(&model_file(&program));
        for level in LEVELS.into_iter().chain(["sanitized"]) {
            for order in 0..3 {
                let mut clients = clients.clone();
                for client in &mut clients {
                    client.messages = orders(&client.messages).swap_remove(order);
                }
                if order == 1 {
                    clients.reverse();
                }
                let file = folder.join(format!("{program}-{level}"));
                let held =
                    conversation::hold(&file, node + order as u16, rules(&program), &clients);
                // The sanitizer ends a program that reads freed memory, which one does on purpose,
                // but for the order in which the mark comes last.
                let reads_freed = (program.as_str(), level) == ("dangling", "sanitized");
                assert_eq!(held.is_err(), reads_freed && order != 1, "{held:?}");
            }
        }
    });
}

/// What is left out of these grows without end, and so would an audit of all memories.
const ENDLESS: [&str; 1] = ["counter_ignored"];

/// What `state = KIND` makes of the program of `model` at `level`.
fn check(model: &str, level: &str, kind: &str) -> Value {
    let folder = built();
    let text = std::fs::read_to_string(folder.join(format!("{model}-{level}.toml")));
    let mut text = text.expect("make has written it").replace("\"memory\"", &format!("{kind:?}"));
    if kind != "memory" {
        text =
            text.lines().filter(|line| !line.starts_with("ignore")).collect::<Vec<_>>().join("\n");
    }
    let file = folder.join(format!("{model}-{level}-{kind}.toml"));
    std::fs::write(&file, text).expect("the model file can be written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_cmc"));
    let audit = if ENDLESS.contains(&model) { "--audit=10%" } else { "--audit=full" };
    command.args(["--json", audit]).arg(format!("--model-file={}", file.display()));
    command.arg(format!("--trace={model}-{level}-{kind}.trace")).current_dir(folder);
    let output = command.output().expect("cmc starts");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{}: {error}: {}", file.display(), String::from_utf8_lossy(&output.stderr))
    })
}

/// Check every model at every level with `state = KIND` and say what `judge` finds wrong.
fn check_all(kind: &str, judge: impl Fn(&str, &Expected, &str, &Value) -> Vec<String> + Sync) {
    let models = models();
    let runs: Vec<(&str, &Expected, &str)> = models
        .iter()
        .flat_map(|(model, (_, expected))| LEVELS.map(|level| (model.as_str(), expected, level)))
        .collect();
    let wrong = Mutex::new(Vec::new());
    two_at_a_time(runs, |(model, expected, level)| {
        let json = check(model, level, kind);
        println!(
            "{model}-{level}: {} {} states, {} audited, {} disagreed, {} raw: {}",
            json["verdict"],
            json["local_states"],
            json["audited"],
            json["disagreed"],
            json["raw_fallbacks"],
            json["why"],
        );
        for complaint in judge(model, expected, level, &json) {
            wrong
                .lock()
                .expect("no thread has panicked")
                .push(format!("{model}-{level}: {complaint}"));
        }
    });
    let wrong = wrong.into_inner().expect("no thread has panicked");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Programs that need a call which is refused, with its name.
const REFUSED: [(&str, &str); 2] = [("root_held", "sigaltstack"), ("statics", "zoneinfo")];

#[test]
fn raw_memory_has_a_state_for_each_history_at_most() {
    check_all("raw", |model, expected, _, json| {
        if let Some((_, call)) = REFUSED.iter().find(|(refused, _)| *refused == model) {
            let why = json["why"].as_str().unwrap_or_default();
            return if why.contains(call) { vec![] } else { vec![format!("{call} is answered")] };
        }
        let states = json["local_states"][0].as_u64().unwrap_or_default() as usize;
        let mut wrong = Vec::new();
        if json["verdict"] != "pass" || json["disagreed"] != 0 {
            wrong.push(format!("{}: {}", json["verdict"], json["why"]));
        }
        if states < expected.counts["ideal"] || states > expected.counts["histories"] {
            wrong.push(format!("{states} states"));
        }
        wrong
    });
}

#[test]
#[ignore = "there is no state = \"memory\""]
fn canonical_memory_has_the_states_that_the_comments_say() {
    check_all("memory", |_, expected, level, json| expected.complaints(level, json));
}
