//! The C interface as programs in C see it: `capi-tests/c` has a program for each section of the
//! header, and each of them says what failed. They are compiled without a warning against the installed
//! library, and run plainly, under valgrind, and with the sanitizers of gcc.

#[path = "prefix.rs"]
mod prefix;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use prefix::{compiler, prefix, root, run};

/// What a program is given.
#[derive(Clone, Copy)]
enum Given {
    Nothing,
    Directory,
    CoreFiles,
    Programs,
}

use Given::*;

const PROGRAMS: [(&str, Given); 14] = [
    ("core", Nothing),
    ("env", Nothing),
    ("errors", Nothing),
    ("escape", Nothing),
    ("history", Nothing),
    ("model", CoreFiles),
    ("process", Programs),
    ("progress", Nothing),
    ("replay", Directory),
    ("result", Directory),
    ("search", Nothing),
    ("threads", Nothing),
    ("versions", Nothing),
    ("world", Nothing),
];

const WARNINGS: [&str; 6] =
    ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"];

/// A prefix, and the directory for what is built against it.
struct Place {
    prefix: PathBuf,
    flags: &'static [&'static str],
}

impl Place {
    fn new(name: &str, flags: &'static [&'static str]) -> Self {
        Place { prefix: prefix(name), flags }
    }

    fn compile(&self, source: &str, more: &[&str], out: &str) -> PathBuf {
        let out = self.prefix.join(out);
        run(compiler()
            .args(WARNINGS)
            .args(["-g", "-O1", "-pthread"])
            .args(self.flags)
            .arg(root().join("capi-tests/c").join(source))
            .args(more)
            .arg("-I")
            .arg(self.prefix.join("include"))
            .arg("-L")
            .arg(self.prefix.join("lib"))
            .args(["-lcmc", "-o"])
            .arg(&out));
        out
    }

    /// The program `name` with its arguments, to be run by `tool`.
    fn program(&self, tool: &[&str], name: &str, given: Given) -> Command {
        let program = self.compile(&format!("{name}.c"), &[], name);
        let words: Vec<&std::ffi::OsStr> =
            tool.iter().map(|word| word.as_ref()).chain([program.as_os_str()]).collect();
        let mut command = Command::new(words[0]);
        command
            .args(&words[1..])
            .current_dir(&self.prefix)
            .env("LD_LIBRARY_PATH", self.prefix.join("lib"));
        match given {
            Nothing => {}
            Directory => {
                command.arg(&self.prefix);
            }
            CoreFiles => {
                // A core file takes the interface from the program that opens it.
                for (file, flag) in
                    [("good.so", "-UFAILS"), ("bad.so", "-DFAILS"), ("missing.so", "-DMISSING")]
                {
                    let flags = ["-shared", "-fPIC", flag];
                    command.arg(self.compile("token_file.c", &flags, file));
                }
            }
            Programs => {
                let examples = root().join("docs/examples");
                run(Command::new("make").arg("-s").arg("-C").arg(&examples));
                let preload = self.prefix.join("lib/cmc/cmc-preload.so");
                command
                    .arg(examples.join("kv/kv.toml"))
                    .arg(examples.join("kv/kv-bug.toml"))
                    .arg(preload);
            }
        }
        command
    }

    /// Run the programs but `left_out`, each by `tool`, and say which fail.
    fn run_all(&self, tool: &[&str], left_out: &[&str]) {
        let failures: Vec<String> = PROGRAMS
            .iter()
            .filter(|(name, _)| !left_out.contains(name))
            .filter_map(|&(name, given)| {
                let output = self.program(tool, name, given).output().expect("the program starts");
                // The library prints nothing, and a program only what failed.
                let silent = output.stdout.is_empty() && output.stderr.is_empty();
                (!output.status.success() || !silent).then(|| format!("{name}: {}", said(&output)))
            })
            .collect();
        assert!(failures.is_empty(), "{}", failures.join("\n"));
    }
}

fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("{}\n{}{}", output.status, text(&output.stdout), text(&output.stderr))
}

#[test]
fn every_program_passes() {
    Place::new("plain", &[]).run_all(&["timeout", "120"], &[]);
}

/// Without programs as nodes: valgrind runs a node's side of the fork too, whose system calls the
/// filter then takes for the node's. Without the callback that leaves by `longjmp()`: what it leaves
/// behind is lost.
#[test]
fn every_program_passes_under_valgrind_without_a_leak() {
    let suppressions = root().join("capi-tests/c/valgrind.supp");
    let suppressions = format!("--suppressions={}", suppressions.display());
    let tool = [
        "timeout",
        "600",
        "valgrind",
        "--quiet",
        "--leak-check=full",
        "--errors-for-leak-kinds=definite,indirect,possible",
        "--error-exitcode=9",
        &suppressions,
    ];
    Place::new("valgrind", &[]).run_all(&tool, &["process", "escape"]);
}

#[test]
fn every_program_passes_with_the_address_and_undefined_behaviour_sanitizers() {
    let flags = &["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    Place::new("sanitized", flags).run_all(&["timeout", "300"], &["escape"]);
}

/// The library itself is not instrumented, and its own accesses are left out; what the functions of a
/// core and predicates do on the threads of a search is watched. That a predicate which counts without
/// care is found shows that it is.
#[test]
fn cores_and_predicates_on_several_threads_are_free_of_races() {
    let careful = Place::new("careful", &["-fsanitize=thread"]);
    let careless = Place::new("careless", &["-fsanitize=thread", "-DCARELESS"]);
    for (place, races) in [(careful, false), (careless, true)] {
        let mut program = place.program(&["timeout", "300"], "threads", Nothing);
        program.env("TSAN_OPTIONS", "ignore_noninstrumented_modules=1");
        let output = program.output().expect("the program starts");
        assert_eq!(said(&output).contains("data race"), races, "{}", said(&output));
        assert_eq!(output.status.success(), !races, "{}", said(&output));
    }
}

/// A test of the tests: the header section has its program, and every program is run.
#[test]
fn every_program_is_listed() {
    let directory = std::fs::read_dir(root().join("capi-tests/c")).expect("capi-tests/c");
    let mut found: Vec<String> = directory
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|end| end == "c"))
        .filter(|path| is_program(path))
        .map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    found.sort();
    let listed: Vec<String> = PROGRAMS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(found, listed);
}

fn is_program(path: &Path) -> bool {
    std::fs::read_to_string(path).expect("a text").contains("\nint main(")
}
