//! The C library as its users have it: installed below a prefix of its own, found by pkg-config and
//! by nothing else. What it exports, what the header declares, what libcmc(3) describes and
//! `symbols.txt` are the same names.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use cmc::capi::version::VERSION;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    assert!(output.status.success(), "{command:?}: {output:?}");
    output
}

fn stdout(command: &mut Command) -> String {
    String::from_utf8(run(command).stdout).expect("output in UTF-8")
}

/// A fresh prefix with what `make install` puts there.
fn prefix(name: &str) -> PathBuf {
    let prefix = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&prefix);
    let built = Path::new(env!("CARGO_BIN_EXE_cmc")).parent().expect("a directory");
    run(Command::new("make")
        .arg("-C")
        .arg(root())
        .arg("install")
        .arg(format!("BUILT={}", built.display()))
        .arg(format!("PREFIX={}", prefix.display()))
        .env_remove("DESTDIR"));
    prefix
}

/// Builds `version.c` with what pkg-config says and nothing else.
fn built(prefix: &Path, pkg_config: &[&str]) -> PathBuf {
    let flags = stdout(
        Command::new("pkg-config")
            .args(pkg_config)
            .args(["--cflags", "--libs", "libcmc"])
            .env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")),
    );
    let program = prefix.join("version");
    run(Command::new(std::env::var_os("CC").unwrap_or("cc".into()))
        .args(["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"])
        .arg(root().join("capi-tests/version.c"))
        .args(flags.split_whitespace())
        .arg("-o")
        .arg(&program)
        .current_dir(prefix));
    program
}

fn needed(file: &Path) -> String {
    stdout(Command::new("readelf").args(["-W", "-d"]).arg(file))
}

fn says_the_version(program: &mut Command) {
    assert_eq!(stdout(program), format!("{}\n", VERSION.to_str().expect("UTF-8")));
}

/// The words behind each `start`, up to what is no part of a name.
fn names(text: &str, start: &str) -> BTreeSet<String> {
    let behind = text.match_indices(start).map(|(at, _)| &text[at + start.len()..]);
    let part = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
    behind.map(|rest| rest.chars().take_while(part).collect()).collect()
}

/// The functions that a header declares, in the order of their names, as often as it does.
fn declared(header: &str) -> Vec<String> {
    let code = header.lines().filter(|line| !line.trim_start().starts_with(['/', '*', '#']));
    let words = code.flat_map(|line| line.split([' ', '*']));
    let calls = words.filter_map(|word| word.split_once('(')).map(|(name, _)| name.to_owned());
    let mut names: Vec<String> = calls.filter(|name| name.starts_with("cmc_")).collect();
    names.sort();
    names
}

#[test]
fn exports_header_manual_and_list_are_the_same_names() {
    let list: Vec<String> = text("capi-tests/symbols.txt").lines().map(str::to_owned).collect();
    assert_eq!(declared(&text("include/cmc.h")), list, "include/cmc.h and symbols.txt");
    let list: BTreeSet<String> = list.into_iter().collect();
    assert_eq!(names(&text("man/libcmc.3"), "\n.Fn "), list, "libcmc(3) and symbols.txt");

    let prefix = prefix("exports");
    let symbols = stdout(
        Command::new("nm")
            .args(["-D", "--defined-only", "--format=posix"])
            .arg(prefix.join("lib/libcmc.so")),
    );
    let exports = symbols.lines().filter_map(|line| line.split(' ').next());
    let exports: BTreeSet<String> = exports.map(str::to_owned).collect();
    assert_eq!(exports, list, "the exports of libcmc.so and symbols.txt");
}

#[test]
fn a_program_links_to_the_shared_library_by_its_soname() {
    let prefix = prefix("shared");
    let number = concat!(env!("CARGO_PKG_VERSION_MAJOR"), ".", env!("CARGO_PKG_VERSION_MINOR"));
    let soname = format!("libcmc.so.{number}");
    let library = needed(&prefix.join("lib/libcmc.so"));
    assert!(library.contains(&format!("Library soname: [{soname}]")), "{library}");

    let program = built(&prefix, &[]);
    let wants = needed(&program);
    assert!(wants.contains(&format!("Shared library: [{soname}]")), "{wants}");
    assert!(!wants.contains("libseccomp"), "only what the program itself calls: {wants}");
    says_the_version(Command::new(program).env("LD_LIBRARY_PATH", prefix.join("lib")));
}

/// `-lcmc` takes the archive where there is no shared library.
#[test]
fn a_program_links_to_the_archive_by_pkg_config_static() {
    let prefix = prefix("static");
    for entry in fs::read_dir(prefix.join("lib")).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libcmc.so")) {
            fs::remove_file(path).expect("the library can be removed");
        }
    }
    let program = built(&prefix, &["--static"]);
    let wants = needed(&program);
    assert!(!wants.contains("libcmc"), "{wants}");
    says_the_version(&mut Command::new(program));
}

/// Libseccomp, which rustc would list too for our own archive, is what `Requires.private` says.
#[test]
fn the_private_libraries_are_what_rustc_says() {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let source = place.join("nothing.rs");
    fs::write(&source, "").expect("the directory for tests can be written");
    let output = run(Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()))
        .args(["--crate-type=staticlib", "--print=native-static-libs", "-o"])
        .arg(place.join("libnothing.a"))
        .arg(source));
    let said = String::from_utf8(output.stderr).expect("output in UTF-8");
    let said = said.lines().find_map(|line| line.strip_prefix("note: native-static-libs: "));
    let file = text("pkgconfig/libcmc.pc.in");
    let ours = file.lines().find_map(|line| line.strip_prefix("Libs.private: "));
    assert_eq!(ours, Some(said.expect("a list of libraries").trim()));
    assert!(file.contains("\nRequires.private: libseccomp\n"));
}
