//! The programs of this folder, built, and what the command makes of them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, OnceLock};

use serde_json::Value;

/// How each program is built.
pub const LEVELS: [&str; 3] = ["O0", "O2", "protector"];

pub fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("capi-tests/memory")
}

/// The folder of the programs and model files, built.
pub fn built() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(env!("CARGO_CRATE_NAME"));
        let mut make = Command::new("make");
        make.args(["-s", "-j2", "-C"]).arg(sources()).arg(format!("OUT={}", folder.display()));
        let status = make.args(["all", "sanitized"]).status();
        assert!(status.is_ok_and(|status| status.success()), "make -C capi-tests/memory");
        folder
    })
}

/// The files of the folder that end so, without their suffix.
pub fn names(suffix: &str) -> Vec<String> {
    let entries = std::fs::read_dir(sources()).expect("the folder can be read");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let names = names.map(|name| name.into_string().expect("a name in UTF-8"));
    let mut names: Vec<String> =
        names.filter_map(|name| name.strip_suffix(suffix).map(String::from)).collect();
    names.sort();
    names
}

/// Every model at every level.
pub fn models_at_levels() -> Vec<(String, &'static str)> {
    let models = names(".toml");
    models.iter().flat_map(|model| LEVELS.map(|level| (model.clone(), level))).collect()
}

pub fn source(program: &str) -> String {
    std::fs::read_to_string(sources().join(format!("{program}.c"))).expect("the source is text")
}

pub fn model_file(model: &str) -> PathBuf {
    sources().join(format!("{model}.toml"))
}

/// Call `each` with every one of `items`, two at a time.
pub fn two_at_a_time<T: Send>(items: Vec<T>, each: impl Fn(T) + Sync) {
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

/// What the command prints as JSON of the model in `file`; `test` is the caller, whose trace it is.
pub fn checked(test: &str, file: &Path, arguments: &[&str]) -> Value {
    let stem = file.file_stem().expect("a model file has a name").to_string_lossy();
    let mut command = Command::new(env!("CARGO_BIN_EXE_cmc"));
    command.arg("--json").arg(format!("--model-file={}", file.display())).args(arguments);
    command.arg(format!("--trace={test}-{stem}.trace"));
    command.current_dir(file.parent().expect("a model file is in a folder"));
    let output = command.output().expect("cmc starts");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{}: {error}: {}", file.display(), String::from_utf8_lossy(&output.stderr))
    })
}

/// What `state = "memory"` makes of the program of `model` at `level`.
pub fn check(test: &str, model: &str, level: &str, arguments: &[&str]) -> Value {
    checked(test, &built().join(format!("{model}-{level}.toml")), arguments)
}

/// The model file of the program of `model` at `level` with `state = "raw"`, which leaves nothing out.
pub fn raw(model: &str, level: &str) -> PathBuf {
    let folder = built();
    let text = std::fs::read_to_string(folder.join(format!("{model}-{level}.toml")));
    let text = text.expect("make has written it").replace("\"memory\"", "\"raw\"");
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("ignore")).collect();
    let file = folder.join(format!("{model}-{level}-raw.toml"));
    std::fs::write(&file, lines.join("\n")).expect("the model file can be written");
    file
}
