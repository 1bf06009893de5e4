//! The dead bytes of stdio's buffers, as the checker reads them from a process that waits, against
//! what the program says of its own streams; and that overwriting them loses nothing.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use cmc::process::memory::Memory;
use cmc::process::stdio::Streams;

fn hexadecimal(word: &str) -> u64 {
    u64::from_str_radix(word.trim_start_matches("0x"), 16).expect("an address")
}

/// Wait until the process is in `read`.
fn await_read(pid: u32) {
    for _ in 0..2000 {
        let call = fs::read_to_string(format!("/proc/{pid}/syscall")).unwrap_or_default();
        if call.starts_with("0 ") {
            return;
        }
        sleep(Duration::from_millis(5));
    }
    panic!("it does not wait for input");
}

#[test]
fn dead_bytes_of_streams_are_found_and_nobody_misses_them() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stdio");
    fs::create_dir_all(&folder).expect("the folder can be made");
    let program = folder.join("streams");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("capi-tests/stdio/streams.c");
    let mut gcc = Command::new("gcc");
    gcc.args(["-O2", "-g", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&program).arg(source);
    assert!(gcc.status().is_ok_and(|status| status.success()), "streams.c");
    let mut command = Command::new(&program);
    command.arg(&folder).env("LC_ALL", "C").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut input = child.stdin.take().expect("a pipe");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let pid = child.id();

    await_read(pid);
    input.write_all(b"a line that is rather long\n").expect("it reads");
    sleep(Duration::from_millis(20));
    await_read(pid);
    input.write_all(b"short\n").expect("it reads");
    let mut expected: BTreeMap<String, Option<Range<u64>>> = BTreeMap::new();
    loop {
        let line = output.next().expect("it goes on").expect("it is text");
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["ready"] => break,
            [name, "none"] => expected.insert(name.into(), None),
            [name, from, to] => {
                expected.insert(name.into(), Some(hexadecimal(from)..hexadecimal(to)))
            }
            _ => panic!("{line}"),
        };
    }
    assert_eq!(expected.len(), 10);
    await_read(pid);

    let memory = Memory::new(nix::unistd::Pid::from_raw(pid as i32));
    let mappings = memory.mappings().expect("it lives");
    let libc = mappings.iter().find(|m| m.name.contains("libc.so")).expect("it has a libc");
    let streams = Streams::of(&fs::read(&libc.name).expect("its libc")).expect("it is a glibc");
    let mut dead = streams.dead(libc.start, |address, buffer| memory.read(address, buffer));
    let mut wanted: Vec<_> = expected.values().flatten().cloned().collect();
    let by_start = |range: &Range<u64>| range.start;
    dead.sort_by_key(by_start);
    wanted.sort_by_key(by_start);
    assert_eq!(dead, wanted, "{expected:x?}");

    let bytes = |range: &Range<u64>| {
        memory.bytes(range.start, (range.end - range.start) as usize).expect("it can be read")
    };
    let stdin = bytes(expected["stdin"].as_ref().expect("it has a buffer"));
    assert!(stdin.starts_with(b"short\n that is rather long\n"), "there are stale bytes");
    for range in &dead {
        let noise = vec![0xee; (range.end - range.start) as usize];
        assert!(memory.write(range.start, &noise), "{range:x?}");
    }
    input.write_all(b"go on\n").expect("it reads");
    assert_eq!(output.next().expect("it goes on").expect("it is text"), "done");
    assert!(child.wait().expect("it ends").success());
}
