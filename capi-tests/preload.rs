//! `cmc-preload.so` under real programs, without the checker: natively it must be a good heap and
//! otherwise invisible. What each program of `capi-tests/preload/` is expected to do stands in its
//! first comment, as `expect ARGUMENT: exit STATUS` or `expect ARGUMENT: abort MESSAGE`.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use cmc::process::arena::{Heap, Hit, Placement};
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

/// As [`with_argument`], and the hello is answered with `answer`.
fn answered(test: &str, program: &Path, answer: u64, argument: &str) -> Command {
    let mut command = Command::new(compile(test, "answered", &[]));
    command.arg(PRELOAD).arg(answer.to_string()).arg(program);
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
fn the_heap_keeps_its_rules_in_the_permuted_placement() {
    for name in ["stress", "misuse"] {
        let program = compile("permuted", name, &[]);
        meets_expectations_by(name, |argument| {
            answered("permuted", &program, contract::HELLO_PERMUTED, argument)
        });
    }
}

/// A line of `places.c`: what was asked for, where it was given, and which object was there before.
type Place = (u64, u64, i64);

fn places(program: &Path, answer: u64) -> Vec<Place> {
    let printed =
        meets_expectations_by("places", |argument| answered("places", program, answer, argument));
    let lines = printed[0].lines().map(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |word: &str| word.parse::<i64>().expect("a number");
        (number(words[0]) as u64, hexadecimal(words[1]), number(words[2]))
    });
    lines.collect()
}

#[test]
fn the_permuted_placement_changes_every_address_and_nothing_else() {
    let program = compile("places", "places", &[]);
    let first = places(&program, 0);
    let permuted = places(&program, contract::HELLO_PERMUTED);
    assert!(first.len() > 3000, "{}", first.len());
    assert_eq!(places(&program, contract::HELLO_PERMUTED), permuted, "it is repeatable");
    let rest = |places: &[Place]| places.iter().map(|p| (p.0, p.2)).collect::<Vec<_>>();
    assert_eq!(rest(&first), rest(&permuted), "sizes and the order of reuse");
    for (a, b) in first.iter().zip(&permuted) {
        assert_ne!(a.1, b.1, "{a:x?}");
        assert_eq!(b.1 % contract::ALIGN, 0);
    }
}

#[test]
fn no_difference_of_two_addresses_is_the_same_in_both_placements() {
    let program = compile("differences", "places", &[]);
    let first = places(&program, 0);
    let permuted = places(&program, contract::HELLO_PERMUTED);
    let (mut pairs, mut turned, mut by_chance) = (0u32, 0u32, 0u32);
    let (mut neighbours, mut turned_neighbours) = (0u32, 0u32);
    for i in 0..first.len() {
        for j in (i + 1)..first.len() {
            let [a, b, c, d] = [first[i].1, first[j].1, permuted[i].1, permuted[j].1];
            let distance = |a: u64, b: u64| a.wrapping_sub(b) as i64;
            if a == b {
                assert_eq!(c, d, "a place that was used twice");
                continue;
            }
            let same = a ^ b == c ^ d || distance(a, b).abs() == distance(c, d).abs();
            pairs += 1;
            by_chance += u32::from(same);
            let turn = u32::from((a < b) != (c < d));
            turned += turn;
            // Of one slab, or large and in a row.
            if first[i].0 == first[j].0 && a.abs_diff(b) < contract::PAGE || j == i + 1 {
                assert!(!same, "{:x?} {:x?}: {c:x} {d:x}", first[i], first[j]);
                neighbours += 1;
                turned_neighbours += turn;
            }
        }
    }
    let all = format!(
        "{neighbours} neighbours, {turned_neighbours} turned round; {pairs} pairs, \
                       {turned} turned round, {by_chance} look alike"
    );
    assert!(turned_neighbours > neighbours / 3 && turned > pairs / 8, "{all}");
    assert!(by_chance < pairs / 500, "{all}");
    println!("{all}");
}

/// What `image.c` wrote and printed.
fn image(test: &str, placement: Placement) -> (Vec<u8>, String) {
    let program = compile(test, "image", &[]);
    let file = program.with_extension("arena");
    let path = file.to_str().expect("a path in UTF-8");
    let output = run(&mut answered(test, &program, placement.answer() as u64, path));
    assert!(output.status.success(), "{} {}", output.status, text(&output.stderr));
    (fs::read(file).expect("image.c wrote it"), text(&output.stdout))
}

#[test]
fn the_checker_finds_in_the_arena_what_the_program_has_there() {
    for (test, placement) in [("reads", Placement::First), ("reads-2", Placement::Permuted)] {
        let (bytes, said) = image(test, placement);
        let heap = Heap::read(&bytes).expect("a whole heap");
        assert_eq!((heap.placement(), heap.used()), (placement, bytes.len() as u64));
        assert_eq!(heap.stray(&bytes), None, "no byte of the program outlives its object");
        let (mut live, mut free) = (0, [0; contract::CLASSES as usize]);
        for line in said.lines().map(|line| line.split(' ').collect::<Vec<_>>()) {
            let number = |word: usize| line[word].parse::<u32>().expect("a number");
            if line[0] == "live" {
                let (address, size) = (hexadecimal(line[1]), number(2));
                let Hit::Live { index, .. } = heap.find(address) else {
                    panic!("{line:?}: {:?}", heap.find(address));
                };
                let object = heap.objects()[index as usize];
                assert_eq!((object.start, object.size), (address, size));
                let end = address + u64::from(size);
                let expected = Hit::Live { start: address, size, index };
                assert_eq!(heap.find(end), expected);
                assert_eq!(heap.find(end + 1), Hit::Elsewhere);
                live += 1;
            } else {
                let (class, start) = (number(1), hexadecimal(line[2]));
                let place = free[class as usize];
                let Hit::Free { room, .. } = heap.find(start) else {
                    panic!("{line:?}: {:?}", heap.find(start));
                };
                let expected = Hit::Free { class, place, start, room, offset: 31 };
                assert_eq!(heap.find(start + 31), expected);
                free[class as usize] += 1;
            }
        }
        assert!(live > 300 && free.iter().sum::<u32>() > 100, "{live} {free:?}");
        // The two streams of the program, which hold no buffer of their own.
        assert!((live..live + 3).contains(&heap.objects().len()));
        assert!(heap.objects().is_sorted_by_key(|object| object.start));
    }
}

#[test]
fn a_heap_of_which_any_word_was_overwritten_is_read_without_harm() {
    let (whole, _) = image("broken", Placement::First);
    let mut heap = Heap::default();
    let mut errors = 0;
    let mut seed = 1u64;
    let draw = |seed: &mut u64| {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (*seed >> 33) as usize
    };
    let mut bytes = whole.clone();
    for round in 0..4000 {
        // The header and the first table, then anywhere.
        let range = if round % 2 == 0 { 2 * contract::PAGE as usize } else { bytes.len() };
        let at = draw(&mut seed) % (range / 4) * 4;
        let word = draw(&mut seed) as u32 >> (draw(&mut seed) % 32);
        bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        match heap.read_anew(&bytes) {
            Err(why) => {
                assert!(why.starts_with("it has overwritten the records of its heap: "), "{why}");
                errors += 1;
            }
            Ok(()) => {
                for object in heap.objects() {
                    assert!(matches!(heap.find(object.start), Hit::Live { .. }));
                }
            }
        }
        bytes[at..at + 4].copy_from_slice(&whole[at..at + 4]);
    }
    assert!(errors > 500, "{errors}");
    heap.read_anew(&whole).expect("it can be read again after an error");
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
fn nothing_but_the_heap_clocks_and_random_numbers_is_interposed() {
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

/// The same output and status with the preload as without it.
fn is_unchanged(program: &str, arguments: &[&str], input: &str) {
    let output_of = |command: &mut Command| {
        let mut child = command
            .args(arguments)
            .env("LC_ALL", "C")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|why| panic!("{program}: {why}"));
        let mut to_child = child.stdin.take().expect("a pipe");
        let input = input.to_owned();
        let writer = std::thread::spawn(move || to_child.write_all(input.as_bytes()));
        let output = child.wait_with_output().expect("the child ends");
        // A program that does not read its input is no failure.
        let _ = writer.join();
        output
    };
    let native = output_of(&mut Command::new(program));
    assert!(native.status.success(), "{program} natively: {}", text(&native.stderr));
    assert!(!native.stdout.is_empty());
    let ours = output_of(&mut preloaded(program));
    assert_eq!(ours.status, native.status, "{program}: {}", text(&ours.stderr));
    assert_eq!(text(&ours.stderr), text(&native.stderr));
    assert!(ours.stdout == native.stdout, "{program} prints something else");
}

#[test]
fn perl_works() {
    let code = r#"
        my %h; $h{$_} = "x" x ($_ % 700) for 1 .. 20000; delete $h{$_ * 3} for 1 .. 6000;
        my @w = sort { length $a <=> length $b or $a cmp $b } map { "$_:$h{$_}" } keys %h;
        my $s = join ",", @w; $s =~ s/x+/length $&/ge;
        print scalar(@w), " ", length $s, " ", unpack("%32C*", $s), "\n"; print `echo child`;
    "#;
    is_unchanged("perl", &["-e", code], "");
}

#[test]
fn bash_works() {
    let code = "a=(); for i in {1..3000}; do a+=(\"$i$i\"); done; echo ${#a[@]} ${a[@]: -3}; \
                (echo sub; exit 3); echo $?; x=$(printf '%s\n' \"${a[@]}\" | wc -c); echo $x";
    is_unchanged("bash", &["--norc", "-c", code], "");
}

#[test]
fn sort_with_threads_works() {
    let mut lines = String::new();
    let mut word: u32 = 1;
    for _ in 0..200_000 {
        word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        lines.push_str(&format!("{word}\n"));
    }
    // More lines than one thread takes for itself.
    is_unchanged("sort", &["-n", "--parallel=4", "--buffer-size=20M"], &lines);
}
