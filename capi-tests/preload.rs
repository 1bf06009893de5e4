//! `cmc-preload.so` under real programs, without the checker: natively it must be a good heap and
//! otherwise invisible. What each program of `capi-tests/preload/` is expected to do stands in its
//! first comment, as `expect ARGUMENT: exit STATUS` or `expect ARGUMENT: abort MESSAGE`.

#[path = "preload/placements.rs"]
mod placements;
#[path = "preload/reader.rs"]
mod reader;
#[path = "preload/unchanged.rs"]
mod unchanged;

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use cmc::process::contract;

const PRELOAD: &str = env!("CMC_PRELOAD_BUILT");
const SIGABRT: i32 = 6;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn source(name: &str) -> PathBuf {
    root().join("capi-tests/preload").join(format!("{name}.c"))
}

/// Compiles a program of `capi-tests/preload/` for one test; `test` keeps the files of tests that
/// run at the same time apart.
fn compile(test: &str, name: &str, more: &[&str]) -> PathBuf {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("preload-{test}-{name}"));
    let contract = Path::new(PRELOAD).parent().expect("the built preload lies in a directory");
    let output = Command::new(env::var_os("CC").unwrap_or("cc".into()))
        .args(["-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror"])
        // The programs misuse the heap on purpose and count every call: no call may be removed.
        .args(["-fno-builtin", "-Wno-use-after-free", "-pthread"])
        .arg("-I")
        .arg(contract)
        .arg("-I")
        .arg(root().join("preload"))
        .arg(source(name))
        .args(more)
        .arg("-o")
        .arg(&program)
        .output()
        .expect("a C compiler runs");
    assert!(output.status.success(), "{name}: {}", text(&output.stderr));
    program
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn preloaded(program: impl AsRef<Path>) -> Command {
    let mut command = Command::new(program.as_ref());
    command.env("LD_PRELOAD", PRELOAD);
    command
}

fn run(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|why| panic!("{command:?}: {why}"))
}

/// The lines `expect ARGUMENT: WHAT` of a program's first comment; no argument is "".
fn expectations(name: &str) -> Vec<(String, String)> {
    let code = fs::read_to_string(source(name)).expect("a source file");
    let comment = code.split("*/").next().unwrap_or_default();
    let lines = comment
        .lines()
        .filter_map(|line| line.trim_start_matches([' ', '/', '*']).strip_prefix("expect"));
    let all: Vec<_> = lines
        .map(|line| line.split_once(": ").expect("expect ARGUMENT: WHAT"))
        .map(|(argument, what)| (argument.trim().to_owned(), what.to_owned()))
        .collect();
    assert!(!all.is_empty(), "{name}.c does not say what to expect");
    all
}

fn with_argument(program: &Path, argument: &str) -> Command {
    let mut command = preloaded(program);
    command.args(Some(argument).filter(|argument| !argument.is_empty()));
    command
}

/// Runs the program once for each expectation; answers what it printed to standard output.
fn meets_expectations(name: &str, program: &Path) -> Vec<String> {
    meets_expectations_by(name, |argument| with_argument(program, argument))
}

fn meets_expectations_by(name: &str, command: impl Fn(&str) -> Command) -> Vec<String> {
    let mut printed = Vec::new();
    for (argument, expected) in expectations(name) {
        let output = run(&mut command(&argument));
        let errors = text(&output.stderr);
        let seen = format!("{name} {argument}: {} {errors}", output.status);
        match expected.split_once(' ') {
            Some(("exit", status)) => {
                assert_eq!(output.status.code(), status.parse().ok(), "{seen}");
                assert_eq!(errors, "", "{seen}");
            }
            Some(("abort", message)) => {
                assert_eq!(output.status.signal(), Some(SIGABRT), "{seen}");
                assert!(errors.contains(message), "{seen}: expected {message}");
            }
            _ => panic!("{name}.c: expect {argument}: {expected}: exit STATUS or abort MESSAGE"),
        }
        printed.push(text(&output.stdout));
    }
    printed
}

/// A system call as the kernel sees it: number and first three arguments.
type Call = (u64, [u64; 3]);

/// What `watch.c` saw of a preloaded program.
struct Watched {
    calls: Vec<Call>,
    end: String,
    printed: String,
}

fn watch(test: &str, program: &Path, argument: &str) -> Watched {
    let mut command = Command::new(compile(test, "watch", &[]));
    command.arg(PRELOAD).arg(program);
    command.args(Some(argument).filter(|argument| !argument.is_empty()));
    let output = run(&mut command);
    let lines = text(&output.stderr);
    let calls = lines
        .lines()
        .filter_map(|line| line.strip_prefix("call "))
        .map(|line| line.split(' ').map(hexadecimal).collect::<Vec<_>>())
        .map(|words| (words[0], [words[1], words[2], words[3]]))
        .collect();
    let end = lines.lines().find_map(|line| line.strip_prefix("end "));
    Watched {
        calls,
        end: end.unwrap_or_else(|| panic!("watch did not see the end: {lines}")).to_owned(),
        printed: text(&output.stdout),
    }
}

fn hexadecimal(word: &str) -> u64 {
    u64::from_str_radix(word.trim().trim_start_matches("0x"), 16)
        .unwrap_or_else(|why| panic!("{word:?}: {why}"))
}

fn of_the_contract(calls: &[Call]) -> Vec<Call> {
    let numbers = [contract::CALL_HELLO, contract::CALL_ARENA_FULL, contract::CALL_HEAP_MISUSE];
    calls.iter().filter(|call| numbers.contains(&call.0)).copied().collect()
}

fn hello() -> Call {
    (contract::CALL_HELLO, [contract::PROTOCOL, contract::ARENA_BASE, contract::ARENA_SIZE])
}

#[test]
fn the_heap_keeps_its_rules_under_a_random_program() {
    let program = compile("stress", "stress", &[]);
    let native = run(&mut Command::new(&program));
    assert!(native.status.success(), "natively: {}", text(&native.stderr));
    meets_expectations("stress", &program);
}

#[test]
fn two_runs_give_the_same_addresses() {
    let program = compile("twice", "stress", &[]);
    let first = run(&mut with_argument(&program, "arena"));
    // Nothing of the surroundings may enter: not the environment's size, not where the stack is.
    let second = run(with_argument(&program, "arena").env("CMC_TEST_PADDING", "x".repeat(5000)));
    assert!(!first.stdout.is_empty());
    assert_eq!(text(&first.stdout), text(&second.stdout));
}

#[test]
fn a_misused_heap_ends_the_program_with_the_reason() {
    let program = compile("misuse", "misuse", &[]);
    let native = run(&mut Command::new(&program));
    assert!(native.status.success(), "natively: {}", text(&native.stderr));
    meets_expectations("misuse", &program);
}

#[test]
fn a_misused_heap_is_told_to_the_checker_first() {
    let program = compile("misuse-told", "misuse", &[]);
    for (argument, expected) in expectations("misuse") {
        let seen = watch("misuse-told", &program, &argument);
        let address = hexadecimal(&seen.printed);
        let mut told = vec![hello()];
        if expected.contains("not the start") {
            told.push((contract::CALL_HEAP_MISUSE, [address, contract::MISUSE_NOT_LIVE, 0]));
        } else if expected.contains("overwritten") {
            told.push((contract::CALL_HEAP_MISUSE, [address, contract::MISUSE_OVERRUN, 0]));
        }
        assert_eq!(seen.end, if told.len() == 1 { "exit 0" } else { "signal 6" }, "{argument}");
        assert_eq!(of_the_contract(&seen.calls), told, "{argument}");
    }
}

#[test]
fn a_full_arena_answers_null_and_tells_the_checker() {
    let program = compile("full", "full", &[]);
    meets_expectations("full", &program);
    let seen = watch("full", &program, "");
    assert_eq!(seen.end, "exit 0");
    let size = contract::ARENA_SIZE;
    let full = |bytes| (contract::CALL_ARENA_FULL, [bytes, 0, 0]);
    assert_eq!(
        of_the_contract(&seen.calls),
        [
            hello(),
            full(size),
            full(size),
            full(size),
            full((1 << 20) - 16),
            full(16),
            full(3000),
            full(16),
        ]
    );
}

#[test]
fn the_greeting_comes_before_every_other_constructor() {
    let seen = watch_asks("greeting");
    let asked: Vec<_> = seen
        .calls
        .iter()
        .filter(|call| **call == hello() || call.0 == GETPPID)
        .map(|call| call.0)
        .collect();
    assert_eq!(asked, [contract::CALL_HELLO, GETPPID, GETPPID]);
}

const GETPPID: u64 = 110;

fn watch_asks(test: &str) -> Watched {
    let early = compile(test, "early", &["-shared", "-fPIC"]);
    let program = compile(test, "asks", &[early.to_str().expect("a path in UTF-8")]);
    let native = run(&mut Command::new(&program));
    assert!(native.status.success(), "natively: {}", text(&native.stderr));
    meets_expectations("asks", &program);
    watch(test, &program, "")
}

#[test]
fn clocks_and_random_numbers_are_one_system_call_each() {
    const CLOCK_GETTIME: u64 = 228;
    const CLOCK_GETRES: u64 = 229;
    const GETTIMEOFDAY: u64 = 96;
    const TIME: u64 = 201;
    const GETRANDOM: u64 = 318;
    const EXIT_GROUP: u64 = 231;

    let seen = watch_asks("asks");
    assert_eq!(seen.end, "exit 0");
    let from = seen.calls.iter().rposition(|call| call.0 == GETPPID).expect("asks.c calls early()");
    let numbers: Vec<_> = seen.calls[from + 1..].iter().map(|call| call.0).collect();
    let mut expected =
        vec![CLOCK_GETTIME, CLOCK_GETRES, GETTIMEOFDAY, TIME, CLOCK_GETTIME, CLOCK_GETTIME];
    let random = if has_arc4random() { 5 } else { 2 };
    expected.extend([GETRANDOM].repeat(random));
    expected.push(EXIT_GROUP);
    assert_eq!(numbers, expected);
}

fn has_arc4random() -> bool {
    let version = text(&run(Command::new("getconf").arg("GNU_LIBC_VERSION")).stdout);
    let minor = version.trim().strip_prefix("glibc 2.").and_then(|minor| minor.parse::<u32>().ok());
    minor.expect("glibc 2.MINOR") >= 36
}

#[test]
fn nothing_but_the_heap_clocks_random_numbers_and_what_is_answered_inside_is_interposed() {
    let mut expected = BTreeSet::from([
        "malloc",
        "calloc",
        "realloc",
        "reallocarray",
        "free",
        "aligned_alloc",
        "posix_memalign",
        "memalign",
        "valloc",
        "pvalloc",
        "malloc_usable_size",
        "clock_gettime",
        "clock_getres",
        "gettimeofday",
        "time",
        "timespec_get",
        "getrandom",
        "getentropy",
    ]);
    expected.extend("write close getpid socket connect send bind listen setsockopt".split(' '));
    if has_arc4random() {
        expected.extend(["arc4random", "arc4random_buf", "arc4random_uniform"]);
    }
    let names = text(&run(Command::new("nm").args(["-D", "--defined-only", PRELOAD])).stdout);
    let exported: BTreeSet<_> =
        names.lines().filter_map(|line| line.split_whitespace().last()).collect();
    assert_eq!(exported, expected);
}

#[test]
fn one_word_outside_the_arena_is_writable() {
    let names = text(&run(Command::new("nm").arg(PRELOAD)).stdout);
    let writable: Vec<_> = names
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .filter(|words| words.len() == 3 && matches!(words[1], "b" | "B" | "d" | "D"))
        .map(|words| words[2])
        // Both lie in the part that the loader makes read-only.
        .filter(|name| !["_DYNAMIC", "_GLOBAL_OFFSET_TABLE_"].contains(name))
        .collect();
    assert_eq!(writable, ["mapped"]);
    let segments = text(&run(Command::new("readelf").args(["-lW", PRELOAD])).stdout);
    assert!(segments.contains("GNU_RELRO"), "{segments}");
}

#[test]
fn the_loader_is_asked_to_start_it_first() {
    let dynamic = text(&run(Command::new("readelf").args(["-dW", PRELOAD])).stdout);
    let line = |tag: &str| dynamic.lines().find(|line| line.contains(tag)).unwrap_or_default();
    for flag in ["NOW", "NODELETE", "INITFIRST"] {
        assert!(line("(FLAGS_1)").contains(flag), "{flag}: {dynamic}");
    }
    assert!(line("(SONAME)").ends_with("[cmc-preload.so]"), "{dynamic}");
    let needed: Vec<_> = dynamic.lines().filter(|line| line.contains("(NEEDED)")).collect();
    assert!(needed.len() == 1 && needed[0].contains("[libc.so."), "{dynamic}");
}

#[test]
fn it_lies_beside_the_binaries() {
    let beside = Path::new(env!("CARGO_BIN_EXE_cmc")).with_file_name("cmc-preload.so");
    let same = fs::read(beside).expect("cmc-preload.so beside cmc") == fs::read(PRELOAD).unwrap();
    assert!(same, "build.rs copies what it built");
}
