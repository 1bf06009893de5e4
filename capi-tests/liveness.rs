//! What is said to be dead is dead: real programs, stopped behind every system call that they make,
//! have all of it overwritten with garbage, and must still do what they do when left alone.

#[path = "liveness/broken.rs"]
mod broken;
#[path = "liveness/known.rs"]
mod known;
#[path = "liveness/subject.rs"]
mod subject;
#[path = "liveness/temporary.rs"]
mod temporary;
#[path = "liveness/traced.rs"]
mod traced;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use cmc::process::liveness::{Code, Module, Object, Reads, Register, RegisterSet, Stack};

use subject::{Garbage, Subject, Tally, compiled};
use temporary::folder;

/// Compilers and options, as far from each other as they go.
const BUILDS: [(&str, &[&str]); 10] = [
    ("gcc", &["-O0", "-g"]),
    ("gcc", &["-O1", "-fno-omit-frame-pointer"]),
    ("gcc", &["-O2"]),
    ("gcc", &["-O2", "-g"]),
    ("gcc", &["-O2", "-g", "-fstack-protector-strong", "-fcf-protection", "-fno-plt"]),
    ("gcc", &["-O3", "-g", "-maccumulate-outgoing-args", "-fno-pie", "-no-pie"]),
    ("gcc", &["-Os", "-mindirect-branch=thunk"]),
    ("clang", &["-O0", "-g"]),
    ("clang", &["-O2", "-g"]),
    ("clang", &["-Os", "-fstack-protector-strong"]),
];

fn subject(folder: &Path, program: PathBuf, arguments: &[&str]) -> Subject {
    let mut text = String::new();
    for line in 0..24 {
        let _ = writeln!(text, "word{} {line}", line * 7919 % 101);
    }
    let input = folder.join("input");
    fs::write(&input, text).expect("an input");
    let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
    Subject { program, arguments, input, output: folder.join("output") }
}

/// The subject does the same with garbage in all that is dead.
fn holds(subject: &Subject) -> Tally {
    let alone = subject.alone();
    let (spoiled, tally) = subject.spoiled(Garbage(0x5eed));
    assert_eq!(spoiled, alone, "{}", subject.program.display());
    tally
}

fn builds_hold(name: &str, source: &str) -> Vec<Tally> {
    let folder = folder(name);
    let programs = BUILDS.iter().filter_map(|(compiler, options)| {
        compiled(&folder, compiler, &[options, &["-w"][..]].concat(), source)
    });
    programs.map(|program| holds(&subject(&folder, program, &[]))).collect()
}

#[test]
fn frames_of_many_shapes_go_on_with_garbage_in_what_is_dead() {
    for tally in builds_hold("shapes", "probe.c") {
        assert!(tally.waits > 100 && tally.complete == tally.waits, "{tally:?}");
    }
}

#[test]
fn stdio_goes_on_with_garbage_in_what_is_dead() {
    for tally in builds_hold("stdio", "lines.c") {
        assert!(tally.waits > 15 && tally.complete == tally.waits, "{tally:?}");
        // Between the program and the wait are frames of the library that keep little.
        assert!(tally.dead > 60 * tally.waits as u64, "{tally:?}");
        assert!(tally.preserved > 2 * tally.waits, "{tally:?}");
    }
}

#[test]
fn a_server_goes_on_with_garbage_in_what_is_dead() {
    for tally in builds_hold("server", "list.c") {
        assert!(tally.waits > 100 && tally.complete == tally.waits, "{tally:?}");
    }
}

#[test]
fn programs_of_the_host_go_on_with_garbage_in_what_is_dead() {
    let folder = folder("host");
    for (program, arguments) in
        [("/bin/sh", &["-c", "while read a b; do echo $b; done"][..]), ("/usr/bin/sort", &[])]
    {
        holds(&subject(&folder, program.into(), arguments));
    }
}

/// A probe changes what is known or said to be dead; whether the run differs then.
fn is_caught(
    subject: &Subject,
    known: impl Fn(&mut Vec<Module>),
    also: impl FnMut(&[Module], &mut Stack),
) -> bool {
    let alone = subject.alone();
    subject.spoiled_by(Garbage(0x5eed), known, also).0 != alone
}

fn probe(folder: &Path, source: &str, options: &[&str]) -> Subject {
    let program = compiled(folder, "cc", options, source).expect("a compiler");
    subject(folder, program, &[])
}

#[test]
fn a_register_that_is_live_is_missed() {
    let subject = probe(&folder("register"), "list.c", &["-O2"]);
    let missed =
        |register| is_caught(&subject, |_| {}, |_, stack| stack.dead_registers.insert(register));
    assert!(missed(Register::RBP) && missed(Register::R12));
}

#[test]
fn a_slot_that_only_a_caller_needs_is_missed() {
    let subject = probe(&folder("slot"), "probe.c", &["-O2"]);
    let all_saved = |modules: &[Module], stack: &mut Stack| {
        for frame in stack.frames.iter().take(3) {
            let module = &modules[frame.module];
            let code = module.code.as_ref().expect("a frame has code");
            let point = code.at(frame.return_address - module.bias).expect("a frame has a place");
            let saved = point.slots.iter().filter(|run| run.reads != Reads::NEVER);
            let run = |start: i32| frame.cfa.wrapping_add_signed(start.into());
            stack.dead.extend(saved.map(|saved| run(saved.start)..run(saved.end)));
        }
    };
    assert!(is_caught(&subject, |_| {}, all_saved));
}

#[test]
fn an_object_that_is_not_known_is_missed() {
    let subject = probe(&folder("object"), "probe.c", &["-O0"]);
    // Nothing is where the addresses point.
    let nothing = |_| {
        let at = |at: i64| Object { bytes: at..at, reach: at..at + 1, scalar: true };
        Some((-4096..0).map(at).collect())
    };
    let lie = |modules: &mut Vec<Module>| {
        for module in modules {
            let own = module.range.start < 0x7000_0000_0000;
            let bytes = own.then(|| fs::read(&subject.program).expect("the program"));
            if let Some(bytes) = bytes {
                module.code = Code::new(bytes, Some(Box::new(nothing))).map(Into::into);
            }
        }
    };
    assert!(is_caught(&subject, lie, |_, _| {}));
}

#[test]
fn what_the_kernel_overwrites_is_dead() {
    let subject = probe(&folder("kernel"), "list.c", &["-O2"]);
    let mut all = true;
    let overwritten = |_: &[Module], stack: &mut Stack| {
        all &= stack.dead_registers.and(RegisterSet::OVERWRITTEN) == RegisterSet::OVERWRITTEN
            || !stack.complete;
    };
    assert!(!is_caught(&subject, |_| {}, overwritten));
    assert!(all);
}
