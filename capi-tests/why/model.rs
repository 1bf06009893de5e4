//! Model files of programs, and what the command says of them.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A folder for the files of one test, empty.
pub fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("why").join(test);
    match fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            panic!("{}: {error}", folder.display())
        }
        _ => fs::create_dir_all(&folder).expect("the folder can be made"),
    }
    folder
}

/// A program whose keys are sent in every order, and what is left out of its states.
pub struct Model<'a> {
    /// The source, in `capi-tests`.
    pub source: &'a str,
    /// Options of the compiler.
    pub options: &'a [&'a str],
    pub ignore: &'a [&'a str],
    /// What the client sends.
    pub send: &'a [&'a str],
    /// What more there is in the model file.
    pub more: &'a str,
}

impl Model<'_> {
    /// Build the program in `folder`, and write the model file beside it.
    pub fn write(&self, folder: &Path) -> PathBuf {
        let program = Path::new(self.source).file_stem().expect("a source has a name");
        let mut gcc = Command::new("gcc");
        gcc.args(["-Wall", "-Wextra", "-Werror", "-o"]).arg(folder.join(program));
        gcc.args(self.options).arg(root().join("capi-tests").join(self.source));
        assert!(gcc.status().is_ok_and(|status| status.success()), "{}", self.source);
        let mut text = format!("[[node]]\nprogram = \"./{}\"\n", program.display());
        let _ = writeln!(text, "ignore = {:?}\n\n[network]\nmode = \"message\"\n", self.ignore);
        let _ = writeln!(text, "[[client]]\nnode = 0\nsend = {:?}", self.send);
        let _ = writeln!(text, "order = \"any\"\nwait = true\n{}", self.more);
        let file = folder.join("model.toml");
        fs::write(&file, text).expect("the model file can be written");
        file
    }

    /// What the command prints of it as JSON.
    pub fn check(&self, folder: &Path, arguments: &[&str]) -> Value {
        let file = self.write(folder);
        let output = run(folder, &file, &[&["--json"], arguments].concat());
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
            panic!("{}: {error}: {}", self.source, String::from_utf8_lossy(&output.stderr))
        })
    }
}

/// What the command says of the model in `file`.
pub fn run(folder: &Path, file: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cmc"));
    command.arg(format!("--model-file={}", file.display())).args(arguments).current_dir(folder);
    command.output().expect("cmc starts")
}
