//! The gates of cores, `cores/purity_gate.sh` and `cores/msan.sh`: that they bite, that every core of
//! the repository passes them, and that what they cannot check is no pass.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn cores() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cores")
}

/// Runs a script of `cores`, in bounded time.
fn run(script: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new("timeout");
    command.arg("900").arg(cores().join(script)).args(arguments).current_dir(cores());
    command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"))
}

/// What a script prints, where it must end with `status`.
fn said(script: &str, arguments: &[&str], status: i32) -> String {
    let output = run(script, arguments);
    assert_eq!(output.status.code(), Some(status), "{script} {arguments:?}: {output:#?}");
    String::from_utf8([output.stdout, output.stderr].concat()).expect("text in UTF-8")
}

/// A fresh directory of this test.
fn directory(name: &str) -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("purity").join(name);
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place).expect("the directory for tests can be written");
    place
}

/// The directories below `place` that hold a core and its model.
fn modelled(place: &Path, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(place).expect("a directory").map(|e| e.expect("an entry").path());
    for path in entries.filter(|path| path.is_dir()) {
        if path.join("model.c").exists() {
            found.push(path.clone());
        }
        modelled(&path, found);
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

#[test]
fn each_probe_is_rejected_for_its_reason_and_pure_cores_pass() {
    let table = said("purity_teeth.sh", &[], 0);
    assert!(table.contains("\ndirect_out_alias "), "{table}");
    assert!(!table.contains("MISSED"), "{table}");
}

#[test]
fn each_planted_bug_is_found_and_clean_cores_pass() {
    let table = said("msan_teeth.sh", &[], 0);
    assert!(table.contains("\nmsan/effect_padding "), "{table}");
    assert!(!table.contains("MISSED"), "{table}");
}

#[test]
fn every_core_passes_both_gates() {
    let mut found = Vec::new();
    modelled(&cores(), &mut found);
    let name = |path: &PathBuf| path.file_name().expect("a name").to_os_string();
    let sources: Vec<PathBuf> =
        found.iter().map(|path| path.join(name(path)).with_extension("c")).collect();
    // Both processors, where there are two.
    let halves = [0, 1].map(|half| sources.iter().skip(half).step_by(2).map(|path| text(path)));
    std::thread::scope(|scope| {
        for half in halves {
            let half: Vec<&str> = half.collect();
            scope.spawn(move || {
                if half.is_empty() {
                    return;
                }
                said(
                    "purity_gate.sh",
                    &[&["--cc=gcc -O2", "--cc=clang -O2"], &half[..]].concat(),
                    0,
                );
                let lines = said("msan.sh", &[&["--walks=60"], &half[..]].concat(), 0);
                for core in half {
                    assert!(lines.contains(&format!("{core}: clean: ")), "{core}: {lines}");
                }
            });
        }
    });
}

#[test]
fn what_cannot_be_checked_is_no_pass() {
    let place = directory("unchecked");
    let write = |name: &str, content: &str| {
        let path = place.join(name);
        fs::write(&path, content).expect("the directory for tests can be written");
        text(&path).to_owned()
    };
    let good = "teeth/good/memory.c";
    let (broken, other) = (write("broken.c", "int f(void) { return"), write("other.c", "int f;"));
    let (empty, word) = (write("empty.o", ""), write("core.txt", "text"));
    let masked = write("a b.c", "");
    let unchecked: [(&[&str], &str); 12] = [
        (&[], "no file"),
        (&["--quick", good], "--quick is no option"),
        (&["--include=/nowhere", good], "--include=DIR"),
        (&["--cc=no-such-compiler", good], "no-such-compiler is missing"),
        (&["--cc=gcc -include x.h", good], "-include"),
        (&["--cc=gcc --no-such-option", good], "does not compile it"),
        (&["nowhere.c"], "there is no such file"),
        (&[&broken], "clang does not compile it"),
        (&[&other], "is no core"),
        (&[&empty], "readelf says"),
        (&[&word], "neither FILE.c nor FILE.o"),
        (&[&masked], "a character in its name"),
    ];
    for (arguments, message) in unchecked {
        let lines = said("purity_gate.sh", arguments, 2);
        assert!(lines.contains(message), "{arguments:?}: {lines}");
    }
    // One that can be checked beside one that cannot is judged, and does not hide it.
    let lines = said("purity_gate.sh", &["--cc=gcc -O2", "teeth/call.c", "nowhere.c"], 2);
    assert!(lines.contains("teeth/call.c: outside: puts, "), "{lines}");
}

#[test]
fn an_object_is_judged_without_its_source() {
    let place = directory("objects");
    let built = |source: &str, options: &[&str]| {
        let stem = Path::new(source).file_stem().expect("a name").to_string_lossy();
        let object = place.join(format!("{stem}{}.o", options.concat()));
        let status = Command::new("gcc")
            .args(["-w", "-c", "-I"])
            .arg(cores().join("../include"))
            .args(options)
            .arg("-o")
            .arg(&object)
            .arg(cores().join(source))
            .status();
        assert!(status.expect("gcc starts").success(), "{source}");
        text(&object).to_owned()
    };
    let pure = built("teeth/good/memory.c", &["-O2", "-fno-stack-protector"]);
    assert_eq!(said("purity_gate.sh", &[&pure], 0), "");

    let clock = built("teeth/clock_builtin.c", &["-O2", "-fno-stack-protector"]);
    let lines = said("purity_gate.sh", &[&pure, &clock], 1);
    assert!(lines.contains(&format!("{clock}: clock: rdtsc, in step()")), "{lines}");

    let jumps = built("teeth/good/flow.c", &["-O2", "-fno-stack-protector"]);
    let lines = said("purity_gate.sh", &[&jumps], 1);
    assert!(lines.contains("indirect-call: ") && lines.contains("-fno-jump-tables"), "{lines}");

    let guarded = built("teeth/good/memory.c", &["-O2", "-fstack-protector-all"]);
    let lines = said("purity_gate.sh", &[&guarded], 1);
    assert!(lines.contains("outside: __stack_chk_fail, "), "{lines}");

    let late = built("teeth/good/memory.c", &["-O2", "-flto"]);
    assert!(said("purity_gate.sh", &[&late], 2).contains("-fno-lto"));
}

#[test]
fn the_calls_of_a_walk_can_be_recorded_and_made_again() {
    let place = directory("recordings");
    let recording = text(&place.join("calls")).to_owned();
    let (record, replay) = (format!("--record={recording}"), format!("--replay={recording}"));
    let core = "teeth/msan/good/ring.c";
    let walked = said("msan.sh", &["--walks=30", &record, core], 0);
    let kinds = "MESSAGE TIMER FLUSHED WAKE CLIENT RESET RESTART persist";
    for kind in kinds.split(' ') {
        assert!(walked.contains(&format!(", {kind} ")), "{kind} did not happen: {walked}");
    }
    assert_eq!(said("msan.sh", &[&replay, core], 0), walked);

    // The walk that the message names finds the bug again, and so does its recording.
    let bug = "teeth/msan/read_late.c";
    let found = said("msan.sh", &["--seed=5", bug], 1);
    let line = |said: &str| said.lines().find(|l| l.starts_with(bug)).map(str::to_owned);
    let first = line(&found).expect("a line of the gate");
    let seed = first.split("--seed=").nth(1).and_then(|rest| rest.split(')').next());
    let seed = format!("--seed={}", seed.expect("a seed"));
    let again = said("msan.sh", &["--walks=1", &seed, &record, bug], 1);
    assert_eq!(line(&again), Some(first));
    let replayed = said("msan.sh", &[&replay, bug], 1);
    assert!(line(&replayed).is_some_and(|l| l.contains(": uninitialised-read: ")), "{replayed}");
}

#[test]
fn a_recording_that_cannot_be_read_is_an_error_with_its_line() {
    let place = directory("malformed");
    let path = text(&place.join("calls")).to_owned();
    let replay = format!("--replay={path}");
    let malformed = [
        ("", "is empty"),
        ("cmc-events 2\n", ":1: no recording of this version"),
        ("cmc-events 1\nnodes 9\n", ":2: too many nodes"),
        ("cmc-events 1\nnodes 2\ninit 2 0\n", ":3: no such node"),
        ("cmc-events 1\nnodes 2\n\nstep 0 KNOCK 0 0 -\n", ":4: no such kind of event"),
        ("cmc-events 1\nnodes 2\nstep 0 TIMER 0 256 -\n", ":3: the number is no byte"),
        ("cmc-events 1\nnodes 2\nstep 0 TIMER 0 1\n", ":3: bytes are missing"),
        ("cmc-events 1\nnodes 2\nstep 0 TIMER 0 1 0\n", ":3: two digits a byte"),
        ("cmc-events 1\nnodes 2\nstep 0 TIMER 0 1 0g\n", ":3: bytes are written with"),
        ("cmc-events 1\nnodes 2\ninit 0 0 0\n", ":3: more on the line"),
        ("cmc-events 1\nnodes 2\nactions 0\n", ":3: the core has no direct_actions()"),
        ("cmc-events 1\nnodes 2\nsleep 0\n", ":3: a line says"),
    ];
    for (content, message) in malformed {
        fs::write(&path, content).expect("the directory for tests can be written");
        let lines = said("msan.sh", &[&replay, "teeth/msan/good/ring.c"], 2);
        assert!(lines.contains(message), "{content:?}: {lines}");
    }
}
