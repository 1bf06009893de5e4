//! One run of cmc(1), with a time limit: it is killed, and the test fails, when that is up.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use nix::unistd::Pid;
use serde_json::Value;

use crate::folder::Folder;

/// The time that a run may take unless a test says otherwise. The machine may be busy.
pub const PATIENCE: Duration = Duration::from_secs(40);

/// The command under test.
pub const CMC: &str = env!("CARGO_BIN_EXE_cmc");

/// A run that has begun.
pub struct Running {
    child: Child,
    out: PathBuf,
    err: PathBuf,
}

/// How a run ended.
pub struct Answer {
    pub status: ExitStatus,
    pub out: String,
    pub err: String,
}

/// Run cmc with `arguments` in the folder, to its end.
pub fn cmc<S: AsRef<OsStr>>(folder: &Folder, arguments: impl IntoIterator<Item = S>) -> Answer {
    Running::start(folder, Command::new(CMC).args(arguments)).end(PATIENCE)
}

/// Check a model file with `--json` and `options`.
pub fn check(folder: &Folder, model: &Path, options: &[&str]) -> Answer {
    let mut command = Command::new(CMC);
    command.arg("--json").args(options).arg(option("--model-file", model));
    Running::start(folder, &mut command).end(PATIENCE)
}

/// `--name=PATH`
pub fn option(name: &str, path: &Path) -> String {
    format!("{name}={}", path.to_str().expect("the path is text"))
}

impl Running {
    /// Start `command` in the folder. What it writes goes to files beside the folder, unless the
    /// command has said otherwise through the shell.
    pub fn start(folder: &Folder, command: &mut Command) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let place = |stream: &str| {
            let name = folder.path().file_name().expect("the folder has a name");
            folder.path().with_file_name(format!("{}.{number}.{stream}", name.display()))
        };
        let (out, err) = (place("out"), place("err"));
        let file = |path: &Path| fs::File::create(path).expect("the file can be made");
        let child = command
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(file(&out))
            .stderr(file(&err))
            .spawn()
            .expect("the command starts");
        Running { child, out, err }
    }

    pub fn signal(&self, number: i32) {
        let number = Signal::try_from(number).expect("a signal");
        let child = Pid::from_raw(self.child.id() as i32);
        nix::sys::signal::kill(child, number).expect("it was not waited for");
    }

    /// Wait for the end, at most this long.
    pub fn end(mut self, patience: Duration) -> Answer {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("the command can be waited for") {
                let read = |path: &Path| {
                    let bytes = fs::read(path).expect("the output can be read");
                    String::from_utf8_lossy(&bytes).into_owned()
                };
                return Answer { status, out: read(&self.out), err: read(&self.err) };
            }
            assert!(start.elapsed() < patience, "cmc does not end within {patience:?}");
            sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail when it was waited for, which is as well.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_file(&self.out);
        let _ = fs::remove_file(&self.err);
    }
}

impl Answer {
    /// The object that `--json` prints.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out)
            .unwrap_or_else(|error| panic!("{error}: {:?} {:?}", self.out, self.err))
    }

    /// The exit status, or minus the signal that ended it.
    pub fn code(&self) -> i32 {
        let signal = self.status.signal().map(|signal| -signal);
        self.status.code().or(signal).expect("a status or a signal")
    }

    /// It could not check, and said why with all of these words, in one object or on one line.
    pub fn assert_refused(&self, case: &str, words: &[&str]) {
        let why = self.why();
        assert_eq!(self.code(), 2, "{case}: {why}");
        for word in words {
            assert!(why.contains(word), "{case}: {word:?} is not in {why:?}");
        }
        assert!(!why.contains('\n'), "{case}: {why:?}");
    }

    /// The reason given, by `--json` or on standard error.
    pub fn why(&self) -> String {
        match self.out.is_empty() {
            true => self.err.trim_end().strip_prefix("cmc: ").unwrap_or(&self.err).to_owned(),
            false => self.json()["why"].as_str().unwrap_or_default().to_owned(),
        }
    }
}
