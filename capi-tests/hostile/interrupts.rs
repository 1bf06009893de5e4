//! The command is stopped by signals, at any moment: it says how far it was, and its nodes die with it.

use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::checker::{CMC, PATIENCE, Running};
use crate::folder::{Folder, root};

/// How often the command is killed, and the seed of the moments.
const KILLS: u64 = 50;
const SEED: u64 = 1;

/// Both back ends: one keeps a zygote of each node and forks it, one starts every node by `execve`.
const BACK_ENDS: [&str; 2] = ["--audit=1%", "--whole-replay"];

/// An election that no search gets through in time, in a folder that holds all it runs: the command
/// itself, its preload and the program, so that whatever it leaves is found there.
fn election(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.copy_example("election", &["election", "election.toml"]);
    let command = Path::new(CMC);
    folder.copy(command, "cmc");
    folder.copy(&command.with_file_name("cmc-preload.so"), "cmc-preload.so");
    let model = std::fs::read_to_string(folder.join("election.toml")).expect("it was copied");
    let long = model.replace("timeouts = 2", "timeouts = 9").replace("crashes = 1", "crashes = 9");
    folder.write("long.toml", long);
    folder
}

fn start(folder: &Folder, model: &str, back_end: &str) -> Running {
    let model = format!("--model-file={model}");
    Running::start(folder, Command::new(folder.join("cmc")).args(["--json", back_end, &model]))
}

/// Wait until a process runs `program` in the folder.
fn await_process(folder: &Folder, program: &str) {
    let begun = Instant::now();
    while !folder.processes().iter().any(|process| process.ends_with(&format!("/{program}"))) {
        assert!(begun.elapsed() < PATIENCE, "no node runs");
        sleep(Duration::from_millis(1));
    }
}

fn assert_incomplete(running: Running, after: &str) {
    let answer = running.end(Duration::from_secs(2));
    assert_eq!(answer.code(), 3, "{after}: {}{}", answer.out, answer.err);
    let found = answer.json();
    assert_eq!(found["verdict"], "incomplete", "{after}");
    assert_eq!(found["bounds"], serde_json::json!(["interrupt"]), "{after}");
    assert_eq!(found["why"], "the search was interrupted", "{after}");
}

#[test]
fn an_interrupted_search_is_incomplete() {
    let folder = election("interrupt");
    for (signal, back_end) in [libc::SIGINT, libc::SIGTERM].into_iter().zip(BACK_ENDS) {
        // While it starts, at its first nodes, and well into the search.
        for wait in [0, 20, 700] {
            let case = format!("signal {signal} after {wait} ms, {back_end}");
            let running = start(&folder, "long.toml", back_end);
            await_process(&folder, "election");
            sleep(Duration::from_millis(wait));
            running.signal(signal);
            assert_incomplete(running, &case);
            folder.assert_no_process(&case);
        }
    }
}

#[test]
fn an_interrupt_ends_a_node_that_spins() {
    let folder = election("interrupt-spin");
    let source = root().join("capi-tests/targets/spin.c");
    folder.compile("spin", &[source.to_str().expect("the path is text")], &[]);
    folder.model("spin", "raw", "");
    for back_end in BACK_ENDS {
        let running = start(&folder, "spin.toml", back_end);
        await_process(&folder, "spin");
        sleep(Duration::from_millis(300));
        running.signal(libc::SIGINT);
        assert_incomplete(running, back_end);
        folder.assert_no_process(back_end);
    }
}

/// Both arrive before the first is looked at: the command is stopped meanwhile.
#[test]
fn a_second_interrupt_ends_the_command_at_once() {
    let folder = election("interrupt-twice");
    let running = start(&folder, "long.toml", BACK_ENDS[0]);
    await_process(&folder, "election");
    sleep(Duration::from_millis(300));
    running.signal(libc::SIGSTOP);
    running.signal(libc::SIGINT);
    running.signal(libc::SIGTERM);
    running.signal(libc::SIGCONT);
    let answer = running.end(Duration::from_secs(2));
    assert!([-libc::SIGINT, -libc::SIGTERM].contains(&answer.code()), "{}", answer.code());
    assert_eq!(answer.out, "");
    folder.assert_no_process("a second signal");
}

/// xorshift64
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

#[test]
fn no_process_outlives_a_command_that_is_killed() {
    let folder = election("kill");
    let begun = Instant::now();
    let mut state = SEED;
    let mut seen = 0;
    for (kill, back_end) in (0..KILLS).zip(BACK_ENDS.iter().cycle()) {
        let moment = Duration::from_micros(next(&mut state) % 200_000);
        let running = start(&folder, "long.toml", back_end);
        sleep(moment);
        seen += u64::from(folder.processes().len() > 1);
        running.signal(libc::SIGKILL);
        assert_eq!(running.end(PATIENCE).code(), -libc::SIGKILL, "kill {kill} at {moment:?}");
        folder.assert_no_process(&format!("kill {kill} at {moment:?}"));
    }
    assert!(seen > KILLS / 2, "nodes ran at {seen} of {KILLS} kills only");
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
}
