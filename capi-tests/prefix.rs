//! The C library as its users have it: installed below a prefix of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The top of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What a command that succeeds says.
pub fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    assert!(output.status.success(), "{command:?}: {output:?}");
    output
}

/// A fresh prefix with what `make install` puts there.
pub fn prefix(name: &str) -> PathBuf {
    let prefix = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&prefix);
    let built = Path::new(env!("CARGO_BIN_EXE_cmc")).parent().expect("a directory");
    // Cargo makes the library in deps/ for one test, and puts it here for `cargo build` only.
    let library = |path: &str| fs::read(built.join(path)).unwrap_or_else(|e| panic!("{path}: {e}"));
    let fresh = library("libcmc.so") == library("deps/libcmc.so");
    assert!(fresh, "libcmc.so is not what the sources say: run make all");
    run(Command::new("make")
        .arg("-C")
        .arg(root())
        .arg("install")
        .arg(format!("BUILT={}", built.display()))
        .arg(format!("PREFIX={}", prefix.display()))
        .env_remove("DESTDIR"));
    prefix
}

/// The C compiler.
pub fn compiler() -> Command {
    Command::new(std::env::var_os("CC").unwrap_or("cc".into()))
}
