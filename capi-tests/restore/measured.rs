//! What restoring is worth, measured: steps a second by both back ends in one run, where their time
//! goes, what saved memories take, and how much of a state a step changes. As Markdown:
//! `cargo test --release --test restore -- --include-ignored --nocapture --test-threads=1` prints it all,
//! with what hostile programs printed and how many executions both back ends agreed in.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::command::{check, examples, folder, model_files, root};
use crate::variant::with_state;

/// Times that each back end searches each model, one after the other; medians are shown.
const ROUNDS: usize = 3;

/// Bytes of a page, and how many of them a saved memory, and a local state, may take on average.
const PAGE: f64 = 4096.0;
const PAGES: f64 = 3.0;

/// Models of more than 1,000 local states: programs of `capi-tests/memory`, the number of keys that they
/// are sent, each once and in any order, and the state kind.
const KEY_SETS: [(&str, usize, &str); 7] = [
    ("list", 6, "raw"),
    ("getline", 6, "raw"),
    ("treap", 6, "raw"),
    ("vector", 8, "raw"),
    ("list", 7, "raw"),
    ("hash_insertion", 7, "memory"),
    ("list", 8, "memory"),
];

fn number(found: &Value, key: &str) -> f64 {
    found[key].as_f64().unwrap_or_else(|| panic!("{key}: {found}"))
}

/// The numbers of a list, added up.
fn sum(found: &Value, key: &str) -> u64 {
    found[key].as_array().into_iter().flatten().filter_map(Value::as_u64).sum()
}

fn compile(source: &Path, program: &Path, keys: usize) {
    let mut gcc = Command::new("gcc");
    gcc.args(["-O2", "-g", "-Wall", "-Wextra", "-Werror", "-no-pie"]);
    gcc.arg(format!("-DKEYS={keys}")).arg("-o").arg(program).arg(source);
    assert!(gcc.status().is_ok_and(|status| status.success()), "{}", source.display());
}

fn key_set(folder: &Path, name: &str, keys: usize, state: &str) -> PathBuf {
    let program = format!("{name}-{keys}");
    let sources = root().join("capi-tests/memory");
    compile(&sources.join(format!("{name}.c")), &folder.join(&program), keys);
    let line = ["fgets", "getline"].contains(&name);
    let message = |key: usize| if line { format!("x:3{key}0a") } else { key.to_string() };
    let messages: Vec<String> = (1..=keys).map(message).collect();
    let text = format!(
        "[[node]]\nprogram = \"./{program}\"\nstate = \"{state}\"\n[network]\nmode = \
         \"message\"\n[[client]]\nnode = 0\nsend = {messages:?}\norder = \"any\"\nwait = true\n"
    );
    let file = folder.join(format!("{program}-{state}.toml"));
    fs::write(&file, text).expect("the model file can be written");
    file
}

/// The accounts of `session.c`, with longer requests of two clients.
fn session(folder: &Path) -> PathBuf {
    let sources = root().join("capi-tests/memory");
    compile(&sources.join("session.c"), &folder.join("session"), 0);
    let text = with_state(&sources.join("session.toml"), "raw");
    let text = text.replace(&format!("{}/", sources.display()), "./");
    let more = [("\"pay ann 333\"", "login bob"), ("\"logout ann\"", "pay bob 5")];
    let text = more.iter().fold(text, |text, (last, next)| {
        text.replace(last, &format!("{last}, \"{next}\", \"pay bob 7\""))
    });
    let file = folder.join("session-raw.toml");
    fs::write(&file, text).expect("the model file can be written");
    file
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Seconds of processor time of the processes that this one has waited for, and of those that they have.
fn processor_time() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").expect("it is mounted");
    let fields = stat.rsplit(") ").next().unwrap_or_default().split(' ');
    // `cutime` and `cstime` of proc_pid_stat(5), in hundredths of seconds.
    let ticks = fields.skip(13).take(2).map(|ticks| ticks.trim().parse::<f64>().expect("a number"));
    ticks.sum::<f64>() / 100.0
}

/// Steps of a whole search by the second, and by the second of processor time, of which it took
/// `processor`; and those by its back end alone by the second.
fn speeds(found: &Value, processor: f64) -> [f64; 3] {
    let steps = number(found, "steps_run") + number(found, "audited");
    let (executed, seconds) = match number(found, "restored") {
        0.0 => (steps, number(found, "process_seconds")),
        restored => (restored, number(found, "restored_seconds")),
    };
    [steps / number(found, "seconds"), steps / processor, executed / seconds]
}

#[test]
#[ignore = "measures for minutes"]
fn steps_a_second_by_both_back_ends() {
    let folder = folder("measured");
    let sets = KEY_SETS.iter().map(|(name, keys, state)| key_set(&folder, name, *keys, state));
    let files: Vec<PathBuf> = [session(&folder)].into_iter().chain(sets).collect();
    println!(
        "| model | local states | steps run | audited | compared | steps/s: history · restore · ratio | \
         steps a second of processor time | its steps alone, steps/s | KB changed | pages changed | KB kept \
         a memory |\n|{}",
        "---|".repeat(11)
    );
    let mut phases = Vec::new();
    for file in files {
        let name = file.file_stem().expect("a model file has a name").to_string_lossy();
        let mut rates: [Vec<[f64; 3]>; 2] = Default::default();
        let mut last = Value::Null;
        for _ in 0..ROUNDS {
            for (rates, backend) in rates.iter_mut().zip(["history", "restore"]) {
                let backend = format!("--backend={backend}");
                let before = processor_time();
                let (_, found) = check(&folder, &file, &["--workers=1", &backend]);
                assert_eq!(found["verdict"], "pass", "{found}");
                rates.push(speeds(&found, processor_time() - before));
                last = found;
            }
        }
        let of = |which: usize| {
            let middle = |rates: &Vec<[f64; 3]>| median(rates.iter().map(|r| r[which]).collect());
            let [history, restore] = [middle(&rates[0]), middle(&rates[1])];
            format!("{history:.0} · {restore:.0} · {:.1}", restore / history)
        };
        let (_, sized) = check(&folder, &file, &["--workers=1", "--stats"]);
        let node = &sized["sizes"]["node 0"];
        println!(
            "| {name} | {} | {} | {} | {} | {} | {} | {} | {:.2} | {:.2} | {:.1} |",
            sum(&last, "local_states"),
            last["steps_run"],
            last["audited"],
            last["restores_compared"],
            of(0),
            of(1),
            of(2),
            number(node, "changed_bytes") / 1024.0,
            number(node, "changed_pages"),
            number(&last, "saved_bytes") / number(&last, "saved_states") / 1024.0,
        );
        phases.push((name.into_owned(), sized["sizes"]["steps"].clone()));
    }
    println!("\nMicroseconds by phase, each time, and how often, histories included:\n");
    for (name, steps) in phases {
        let steps = steps.as_object().expect("phases were measured");
        let told = steps.iter().map(|(phase, of)| {
            format!("{phase} {:.0} x {}", number(of, "microseconds"), of["times"])
        });
        println!("- {name}: {}", told.collect::<Vec<_>>().join(", "));
    }
}

#[test]
fn a_saved_memory_takes_few_pages_on_average() {
    let folder = folder("sizes");
    println!(
        "| example | local states | memories kept | KB | pages a memory | pages a local state |\n|{}",
        "---|".repeat(6)
    );
    let (mut states, mut memories, mut bytes) = (0.0, 0.0, 0.0);
    for file in model_files() {
        let (_, found) = check(&folder, &file, &["--workers=1"]);
        let found_states = sum(&found, "local_states");
        let kept = [number(&found, "saved_states"), number(&found, "saved_bytes")];
        println!(
            "| {} | {found_states} | {} | {:.0} | {:.2} | {:.2} |",
            file.file_stem().expect("a model file has a name").to_string_lossy(),
            kept[0],
            kept[1] / 1024.0,
            kept[1] / kept[0] / PAGE,
            kept[1] / found_states as f64 / PAGE
        );
        states += found_states as f64;
        (memories, bytes) = (memories + kept[0], bytes + kept[1]);
    }
    let [by_memory, by_state] = [memories, states].map(|count| bytes / count / PAGE);
    println!(
        "{memories} memories of {by_memory:.2} pages, with those at the start of each program; \
         {by_state:.2} pages by each of {states} local states"
    );
    assert!(by_memory <= PAGES, "{by_memory}");
    assert!(by_state <= PAGES, "{by_state}");
    // A local state has one memory at least, and the start of its program.
    assert!(memories >= states, "{memories} memories of {states}");
}

#[test]
#[ignore = "prints Table 1 of three programs"]
fn table_1_of_three_programs() {
    let folder = folder("table-1");
    for model in ["election/election", "kv/kv-drop", "list/list"] {
        let file = examples().join(format!("{model}.toml"));
        let output = Command::new(env!("CARGO_BIN_EXE_cmc"))
            .arg(format!("--model-file={}", file.display()))
            .args(["--stats", "--workers=1"])
            .current_dir(&folder)
            .output()
            .expect("cmc starts");
        println!("{}", String::from_utf8_lossy(&output.stdout));
    }
}
