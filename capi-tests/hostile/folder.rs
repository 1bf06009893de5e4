//! A folder of one test: its programs and model files, and the processes that run programs in it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::{Duration, Instant};

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Empty at first, gone when dropped.
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    pub fn new(test: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hostile").join(test);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("the folder can be made");
        Folder { path: path.canonicalize().expect("the folder is there") }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn join(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.join(name);
        fs::write(&path, bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        path
    }

    pub fn set_mode(&self, name: &str, mode: u32) {
        let permissions = fs::Permissions::from_mode(mode);
        fs::set_permissions(self.join(name), permissions).expect("the mode can be set");
    }

    /// Compile sources of this folder to `name` with gcc and `flags`, which come last.
    pub fn compile(&self, name: &str, sources: &[&str], flags: &[&str]) {
        let targets = root().join("capi-tests/targets");
        let mut gcc = Command::new("gcc");
        gcc.args(["-O2", "-g", "-Wall", "-Wextra", "-Werror", "-I"]).arg(targets);
        gcc.args(["-o", name]).args(sources).args(flags).current_dir(&self.path);
        assert!(gcc.status().expect("gcc starts").success(), "{name}");
    }

    /// A model of one node that runs `./program`, with one client that dials, sends and closes.
    pub fn model(&self, program: &str, state: &str, rest: &str) -> PathBuf {
        self.model_with(program, state, "send = [\"abc\"]\nclose = true", rest)
    }

    /// The same with another script for the client.
    pub fn model_with(&self, program: &str, state: &str, script: &str, rest: &str) -> PathBuf {
        self.write(
            &format!("{program}.toml"),
            format!(
                "[[node]]\nprogram = \"./{program}\"\nstate = \"{state}\"\n\n[network]\nmode = \
                 \"message\"\n\n[[client]]\nnode = 0\n{script}\n\n{rest}\n"
            ),
        )
    }

    /// Copy files of an example, built: the programs keep their modes.
    pub fn copy_example(&self, example: &str, names: &[&str]) {
        static BUILT: OnceLock<()> = OnceLock::new();
        let examples = root().join("docs/examples");
        BUILT.get_or_init(|| {
            let made = Command::new("make").arg("-s").arg("-C").arg(&examples).status();
            assert!(made.expect("make starts").success(), "make -C docs/examples");
        });
        for name in names {
            self.copy(&examples.join(example).join(name), name);
        }
    }

    /// Copy a program, or another file, with its mode. Another process does it: a child that a test
    /// starts meanwhile would have this one's open files for a moment, and what is open for writing
    /// cannot be run.
    pub fn copy(&self, from: &Path, name: &str) {
        let copied = Command::new("cp").arg("-p").arg(from).arg(self.join(name)).status();
        assert!(copied.expect("cp starts").success(), "{name}");
    }

    /// The names of the files here, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.path).expect("the folder can be read");
        let name = |entry: std::io::Result<fs::DirEntry>| {
            entry.expect("the entry can be read").file_name().to_string_lossy().into_owned()
        };
        let mut names: Vec<String> = entries.map(name).collect();
        names.sort();
        names
    }

    /// The processes that run a program in this folder.
    pub fn processes(&self) -> Vec<String> {
        let numbers = fs::read_dir("/proc").expect("/proc is there").flatten();
        let runs_here = |entry: fs::DirEntry| {
            let program = fs::read_link(entry.path().join("exe")).ok()?;
            let here = program.starts_with(&self.path);
            here.then(|| format!("{} {}", entry.file_name().display(), program.display()))
        };
        numbers.filter_map(runs_here).collect()
    }

    /// No process runs a program of this folder, a second from now at the latest.
    pub fn assert_no_process(&self, after: &str) {
        let start = Instant::now();
        while !self.processes().is_empty() {
            let left = self.processes();
            assert!(start.elapsed() < Duration::from_secs(1), "{after} leaves {left:?}");
            sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What a failed test leaves is of use.
        if !std::thread::panicking() {
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}
