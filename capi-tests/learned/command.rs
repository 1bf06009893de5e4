//! The command, the example models and the audit targets, built.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, OnceLock};

use serde_json::Value;

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A folder for the files of one test, empty.
pub fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("learned").join(test);
    match fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            panic!("{}: {error}", folder.display())
        }
        _ => fs::create_dir_all(&folder).expect("the folder can be made"),
    }
    folder
}

/// The folder of the example models, with their programs built.
pub fn examples() -> PathBuf {
    static BUILT: OnceLock<()> = OnceLock::new();
    let examples = root().join("docs/examples");
    BUILT.get_or_init(|| {
        let status = Command::new("make").args(["-s", "-C"]).arg(&examples).status();
        assert!(status.is_ok_and(|status| status.success()), "make -C docs/examples");
    });
    examples
}

/// Every model file of the examples, the slow ones first.
pub fn model_files() -> Vec<PathBuf> {
    let entries = |folder: &Path| {
        let entries = fs::read_dir(folder).expect("the folder can be read");
        entries.map(|entry| entry.expect("the entry can be read").path()).collect::<Vec<_>>()
    };
    let folders = entries(&examples()).into_iter().filter(|path| path.is_dir());
    let mut files: Vec<PathBuf> = folders
        .flat_map(|folder| entries(&folder))
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    let slow = |path: &Path| {
        let path = path.to_string_lossy();
        ["election", "pair", "counter"].iter().any(|name| path.contains(name))
    };
    files.sort_by_key(|path| (!slow(path), path.clone()));
    files
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

/// Build the audit target `name` in `folder`.
pub fn build_target(folder: &Path, name: &str) {
    let mut gcc = Command::new("gcc");
    gcc.args(["-O2", "-g", "-Wall", "-Wextra", "-Werror", "-no-pie", "-o"]).arg(folder.join(name));
    let status = gcc.arg(root().join(format!("capi-tests/audit/{name}.c"))).status();
    assert!(status.is_ok_and(|status| status.success()), "{name}.c");
}

/// A model of the audit target `name`, built in `folder`; `more` goes behind the program's table.
pub fn target(folder: &Path, name: &str, more: &str) -> PathBuf {
    build_target(folder, name);
    let text = format!(
        "[[node]]\nprogram = \"./{name}\"\nstate = \"report\"\n{more}\n[network]\nmode = \"message\"\n"
    );
    let file = folder.join(format!("{name}.toml"));
    fs::write(&file, text).expect("the model file can be written");
    file
}

/// A client that sends `letters` in any order.
pub fn letters(letters: &[&str]) -> String {
    format!("[[client]]\nnode = 0\nsend = {letters:?}\norder = \"any\"\nwait = true")
}

/// Check the model in `file`; what the command printed as JSON.
pub fn check(folder: &Path, file: &Path, arguments: &[&str]) -> (Output, Value) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cmc"));
    let trace = file.file_stem().expect("a model file has a name").to_string_lossy();
    command.arg("--json").arg(format!("--model-file={}", file.display())).args(arguments);
    command.arg(format!("--trace={trace}.trace")).current_dir(folder);
    let output = command.output().expect("cmc starts");
    let json = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{}: {error}: {}", file.display(), String::from_utf8_lossy(&output.stderr))
    });
    (output, json)
}
