//! The C library as its users have it: installed below a prefix of its own, found by pkg-config and
//! by nothing else. What it exports, what the header declares, what libcmc(3) describes and
//! `symbols.txt` are the same names; the EXAMPLES of libcmc(3) are compiled and run.

#[path = "prefix.rs"]
mod prefix;
#[path = "session.rs"]
mod session;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use cmc::capi::version::VERSION;
use prefix::{compiler, prefix, root, run};

fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn stdout(command: &mut Command) -> String {
    String::from_utf8(run(command).stdout).expect("output in UTF-8")
}

/// Builds the driver of libcmc(3) with what pkg-config says and nothing else.
fn built(prefix: &Path, pkg_config: &[&str]) -> PathBuf {
    let source = prefix.join("driver.c");
    fs::write(&source, driver()).expect("the directory for tests can be written");
    let flags = stdout(
        Command::new("pkg-config")
            .args(pkg_config)
            .args(["--cflags", "--libs", "libcmc"])
            .env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")),
    );
    let program = prefix.join("driver");
    run(compiler()
        .args(["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"])
        .arg(source)
        .args(flags.split_whitespace())
        .arg("-o")
        .arg(&program)
        .current_dir(prefix));
    program
}

/// The program in the EXAMPLES of libcmc(3).
fn driver() -> String {
    let displays = session::displays(&text("man/libcmc.3"));
    let program = displays.into_iter().find(|lines| lines[0].starts_with("#include"));
    program.expect("a program").join("\n") + "\n"
}

/// It finds what is wrong with its core, and says so.
fn finds_the_violation(program: &mut Command) {
    let output = program.output().expect("the driver starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.starts_with("token: violated: one holder\n"), "{output:?}");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
}

fn needed(file: &Path) -> String {
    stdout(Command::new("readelf").args(["-W", "-d"]).arg(file))
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

/// What stands between two headings of a manual page.
fn section<'a>(page: &'a str, name: &str) -> &'a str {
    let found = page.split("\n.Sh ").find_map(|section| section.strip_prefix(name));
    found.unwrap_or_else(|| panic!("a section {name}"))
}

#[test]
fn exports_header_manual_and_list_are_the_same_names() {
    let list: Vec<String> = text("capi-tests/symbols.txt").lines().map(str::to_owned).collect();
    assert_eq!(declared(&text("include/cmc.h")), list, "include/cmc.h and symbols.txt");
    let list: BTreeSet<String> = list.into_iter().collect();
    let page = text("man/libcmc.3");
    let named: BTreeSet<String> = names(section(&page, "NAME"), "\n.Nm cmc")
        .into_iter()
        .map(|name| format!("cmc{name}"))
        .collect();
    assert_eq!(named, list, "the names of libcmc(3) and symbols.txt");
    assert_eq!(names(section(&page, "SYNOPSIS"), "\n.Fn "), list, "its synopsis and symbols.txt");
    let described = names(section(&page, "DESCRIPTION"), "\n.Fn ");
    let forgotten: Vec<_> = list.difference(&described).collect();
    assert!(forgotten.is_empty(), "the description of libcmc(3) leaves out {forgotten:?}");

    let prefix = prefix("exports");
    let symbols = stdout(
        Command::new("nm")
            .args(["-D", "--defined-only", "--format=posix"])
            .arg(prefix.join("lib/libcmc.so")),
    );
    let exports = symbols.lines().filter_map(|line| line.split(' ').next());
    let exports: BTreeSet<String> = exports.map(str::to_owned).collect();
    assert_eq!(exports, list, "the exports of libcmc.so and symbols.txt");

    let symbols = stdout(
        Command::new("nm")
            .args(["-D", "--defined-only", "--format=posix"])
            .arg(prefix.join("bin/cmc")),
    );
    let exports = symbols.lines().filter_map(|line| line.split(' ').next());
    let exports: BTreeSet<String> =
        exports.filter(|name| name.starts_with("cmc_")).map(str::to_owned).collect();
    assert_eq!(exports, list, "what cmc exports to core files, and symbols.txt");
}

#[test]
fn the_driver_in_the_examples_shows_what_one_bit_is_too_little_for() {
    let folder = root().join("docs/examples/driver");
    let library = prefix("example").join("lib/libcmc.a");
    run(Command::new("make")
        .args(["-s", "-B", "-C"])
        .arg(&folder)
        .arg(format!("LIBRARY={}", library.display())));
    let output = Command::new(folder.join("driver")).output().expect("the driver starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let first = "alternating_bit: violated: messages are delivered in order\n";
    assert!(text.starts_with(first), "{output:?}");
    assert!(text.contains("\n  7  DELIVER 1 0 x:0000 "), "{output:?}");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
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
    finds_the_violation(Command::new(program).env("LD_LIBRARY_PATH", prefix.join("lib")));
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
    finds_the_violation(&mut Command::new(program));
}

#[test]
fn the_examples_of_the_manual_happen() {
    let prefix = prefix("manual");
    fs::write(prefix.join("driver.c"), driver()).expect("the directory for tests can be written");
    let session = session::exchanges(&text("man/libcmc.3"));
    assert!(session.len() == 3, "{session:?}");
    session::happens(session, || {
        let mut shell = Command::new("sh");
        shell
            .current_dir(&prefix)
            .env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"))
            .env("LD_LIBRARY_PATH", prefix.join("lib"));
        shell
    });
}

#[test]
fn the_version_of_the_header_is_that_of_the_package() {
    let version = VERSION.to_str().expect("UTF-8");
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
    assert!(text("include/cmc.h").contains(&format!("#define CMC_VERSION \"{version}\"\n")));
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
