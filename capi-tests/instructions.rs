//! What a generated state costs, in instructions: times of a small model on a busy machine say nothing,
//! and callgrind counts the same every time. The figures of `cores/bench/instructions.tsv` may rise by
//! 5 % and no more. With `CMC_WRITE_INSTRUCTIONS` in the environment, as `make instructions` sets it,
//! they are taken anew.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is measured: the model, and the settings of its two sizes.
const MODELS: [(&str, &str, &str); 3] = [
    ("two_phase", "RMS=4", "RMS=5"),
    ("paxos_ballots", "BALLOTS=1 VALUES=2", "BALLOTS=2 VALUES=2"),
    ("peterson", "N=2", "N=3"),
];

/// How far a figure may rise above the one that is kept.
const RISE: f64 = 1.05;

/// The C library picks its copying functions by the processor; these are there on every one.
const PLAIN_LIBC: &str = "glibc.cpu.hwcaps=-AVX2,-AVX512F,-AVX512VL,-AVX512BW,-ERMS,-FSRM,-MOVBE";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn figures() -> PathBuf {
    root().join("cores/bench/instructions.tsv")
}

/// A fresh directory of this test.
fn directory(name: &str) -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("instructions").join(name);
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place).expect("the directory for tests can be written");
    place
}

/// Compile the core of `model` into `folder`.
fn core(model: &str, folder: &Path, optimisation: &str) -> PathBuf {
    let source = root().join("cores/bench").join(model);
    let core = folder.join(format!("{model}{optimisation}.so"));
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let done = Command::new(compiler)
        .args(["-std=c11", optimisation, "-fPIC", "-shared", "-o"])
        .arg(&core)
        .arg("-I")
        .arg(root().join("include"))
        .arg("-I")
        .arg(root().join("cores/bench"))
        .args([source.join("model.c"), source.join(format!("{model}.c"))])
        .output()
        .expect("a C compiler can be started");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    core
}

/// Instructions and generated states of one run.
fn run(core: &Path, settings: &str, folder: &Path) -> (f64, f64) {
    let done = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", env!("CARGO_BIN_EXE_cmc")])
        .arg(format!("--core={}", core.display()))
        .args(settings.split(' ').map(|setting| format!("--set={setting}")))
        .args(["--workers=1", "--json"])
        .env("GLIBC_TUNABLES", PLAIN_LIBC)
        .current_dir(folder)
        .output()
        .expect("valgrind can be started; make deps installs it");
    let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert_eq!(done.status.code(), Some(0), "{out}{err}");
    let found: serde_json::Value = serde_json::from_str(&out).expect("the answer is JSON");
    assert_eq!(found["verdict"], "pass", "{out}");
    let collected = err.lines().find_map(|line| line.split_once("Collected : "));
    let (_, instructions) = collected.unwrap_or_else(|| panic!("callgrind counts nothing: {err}"));
    let instructions = instructions.trim().parse().expect("a number of instructions");
    (instructions, found["generated"].as_f64().expect("a pass has counts"))
}

/// Instructions for each generated state.
fn measure(core: &Path, smaller: &str, larger: &str, folder: &Path) -> f64 {
    let [(few, less), (many, more)] = [smaller, larger].map(|size| run(core, size, folder));
    assert!(more > less + 300.0, "{} generates too few states to measure", core.display());
    (many - few) / (more - less)
}

/// The figure that is kept for `model`, if what it is a figure of is the same.
fn kept(figures: &str, model: &str, smaller: &str, larger: &str) -> Option<f64> {
    figures.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let mut fields = line.split('\t');
        let of = [fields.next()?, fields.next()?, fields.next()?];
        (of == [model, smaller, larger]).then(|| fields.next()?.parse().ok())?
    })
}

/// What is wrong with a figure, if anything is.
fn risen(model: &str, kept: f64, measured: f64) -> Option<String> {
    (measured > kept * RISE).then(|| {
        format!(
            "{model}: {measured:.1} instructions a generated state, and {kept:.1} were enough: find out \
             what costs more (valgrind --tool=callgrind, callgrind_annotate), or accept it by `make \
             instructions`"
        )
    })
}

/// The head of the file of figures, which says what they are.
fn head(figures: &str) -> String {
    figures.lines().filter(|line| line.starts_with('#')).map(|line| format!("{line}\n")).collect()
}

#[test]
fn a_generated_state_costs_no_more_instructions_than_it_did() {
    let folder = directory("figures");
    let figures_file = figures();
    let figures = fs::read_to_string(&figures_file).expect("the figures can be read");
    let measured: Vec<f64> = std::thread::scope(|scope| {
        let one = |(model, smaller, larger): (&'static str, &'static str, &'static str)| {
            let folder = folder.as_path();
            scope.spawn(move || measure(&core(model, folder, "-O2"), smaller, larger, folder))
        };
        let all: Vec<_> = MODELS.into_iter().map(one).collect();
        all.into_iter().map(|it| it.join().expect("a model was measured")).collect()
    });
    if std::env::var_os("CMC_WRITE_INSTRUCTIONS").is_some() {
        let rows = MODELS.iter().zip(&measured).map(|((model, smaller, larger), measured)| {
            format!("{model}\t{smaller}\t{larger}\t{measured:.1}\n")
        });
        let text: String = std::iter::once(head(&figures)).chain(rows).collect();
        fs::write(&figures_file, text).expect("the figures can be written");
        return;
    }
    let wrong: Vec<String> = MODELS
        .iter()
        .zip(&measured)
        .filter_map(|((model, smaller, larger), &measured)| {
            println!("{model}: {measured:.1} instructions a generated state");
            match kept(&figures, model, smaller, larger) {
                Some(kept) => risen(model, kept, measured),
                None => Some(format!("{model}: no figure is kept; `make instructions` writes it")),
            }
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The gate has teeth: a core that is compiled without optimisation does the same in more instructions.
#[test]
fn a_slower_step_is_found() {
    let folder = directory("slower");
    let figures = fs::read_to_string(figures()).expect("the figures can be read");
    let (model, smaller, larger) = MODELS[0];
    let measured = measure(&core(model, &folder, "-O0"), smaller, larger, &folder);
    let kept = kept(&figures, model, smaller, larger).expect("a figure is kept");
    let said = risen(model, kept, measured).unwrap_or_else(|| panic!("{measured} is no rise"));
    assert!(said.contains("make instructions"), "{said}");
    assert_eq!(risen(model, kept, kept * 1.04), None);
}
