//! Every program of capi-tests/targets as a node: its first comment says the verdict, and an error
//! names the node, the program, the call with its arguments and place, and what to do.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Mutex;

use serde_json::Value;

use crate::checker::{Answer, check};
use crate::folder::{Folder, root};

/// What the errors say: the call or the fact, and the remedy.
const SAID: [(&str, &str, &str); 24] = [
    ("blocked", "call pause(), number 34, ", "use SO_RCVTIMEO on accept or read"),
    ("dontwait", "call recvfrom(fd=5, buf=0x", "use a blocking recv, with SO_RCVTIMEO"),
    ("exec", "call execve(pathname=\"/bin/true\", ", "name that program in the model file"),
    ("exhaust", "asked for 1048576 bytes more than its heap of 256 MiB", "a smaller load"),
    ("exhaust_mmap", "call mmap(addr=0x0, length=1048576, ", "needs a smaller load"),
    ("fork", "call clone(flags=0x1200011, ", "start the program in the foreground"),
    ("half_report", "the length byte says 5, 2 bytes came", "write the length byte and as many"),
    ("int80", "call number 20 through int 0x80", "use the 64-bit calls of libc"),
    ("io_uring", "call io_uring_setup(entries=4, ", "use the plain calls"),
    ("kill_parent", "call kill(pid=1, sig=9), ", "through the network only"),
    ("long_report", "call write(fd=3, ", "one record a write"),
    ("no_report", "written no report", "before the first wait, or use state = \"region:SYMBOL\""),
    ("no_symbol", "symbol \"cmc_state\" not found", "a global or static variable of the program"),
    ("nonblock", "call fcntl(fd=4, cmd=4, arg=0x800), ", "use blocking accept and read"),
    ("open_write", "call openat(dirfd=-100, pathname=\"target-was-here\", ", "descriptor 193"),
    ("outside", "call connect(fd=4, ", "configure the program to dial nodes there"),
    ("poll", "call poll(fds=0x", "use blocking accept and read, with SO_RCVTIMEO"),
    ("raw_syscall", "call number 321 (bpf), ", "configure the program not to use it"),
    ("sock_nonblock", "call socket(domain=2, type=0x801, protocol=0), ", "use blocking accept"),
    ("spin", "silent, spinning: ", "raise [limits] cpu_seconds or wall_seconds"),
    ("thread", "call clone3(cl_args=0x", "build or configure the program with one thread"),
    ("udp", "call socket(domain=2, type=0x2, protocol=0), ", "use SOCK_STREAM"),
    ("unknown_port", "call connect(fd=4, ", "add a node, or set its `listen`"),
    ("x32", "call number 0x40000027 has the x32 bit", "build the program for x86-64"),
];

/// What some targets report at last, as on a real kernel (see the native tests); of the clock, whose
/// random bytes are the checker's, the first time.
const REPORTED: [(&str, &str); 10] = [
    ("alternate_stack", "000c16000000000e01"),
    ("bad_descriptor", "090909096b"),
    ("bad_pointer", "0e0e"),
    ("clock", "80436d3800000000"),
    ("epipe", "20"),
    ("peer", "4e200200"),
    ("rebind", "62"),
    ("self", "01"),
    ("split_report", "0709"),
    ("timeout", "0001fa00"),
];

/// What the first comment says, by key.
fn expected(source: &str) -> BTreeMap<&str, &str> {
    let line = source.lines().next().and_then(|line| line.strip_prefix("/* # expect: "));
    let pairs = line.expect("the target says what to expect").split(' ');
    pairs.map(|pair| pair.split_once('=').expect("KEY=VALUE")).collect()
}

fn state(target: &str, source: &str) -> &'static str {
    match target {
        "no_symbol" => "region:cmc_state",
        "no_report" | "half_report" | "long_report" | "split_report" => "report",
        _ if source.contains("report.h") => "report",
        _ => "raw",
    }
}

/// What the client does: three messages in any order where the order is what a target hides.
fn script(target: &str) -> &'static str {
    match target {
        "hidden_page" | "own_stack" => "send = [\"1\", \"2\", \"3\"]\norder = \"any\"",
        _ => "send = [\"abc\"]\nclose = true",
    }
}

/// Limits that end `spin` soon, time for `timeout`, and the report that must be seen.
fn rest(target: &str) -> String {
    let mut rest = String::from("[budget]\ntimeouts = 2\n\n");
    if target == "spin" {
        rest += "[limits]\ncpu_seconds = 1\nwall_seconds = 30\n\n";
    }
    if let Some((_, hex)) = REPORTED.iter().find(|(name, _)| *name == target) {
        let length = hex.len() / 2;
        rest += &format!(
            "[fields]\nseen = \"bytes[{length}]@0\"\n\n[sometimes]\n\"reported\" = 'exists n in \
             nodes: alive(n) and n.seen == \"x:{hex}\"'\n"
        );
    }
    rest
}

fn judge(case: &str, target: &str, expected: &BTreeMap<&str, &str>, answer: &Answer) {
    let found = answer.json();
    let why = found["why"].as_str().unwrap_or_default();
    let code = match expected["verdict"] {
        "pass" => 0,
        "violated" => 1,
        _ => 2,
    };
    assert_eq!(found["verdict"], expected["verdict"], "{case}: {found:#}");
    assert_eq!(answer.code(), code, "{case}");
    assert_eq!(found["property"].as_str(), expected.get("property").copied(), "{case}: {why}");
    let word = expected.get("word").copied().unwrap_or_default();
    assert!(why.contains(word), "{case}: {word:?} is not in {why:?}");
    assert_eq!(answer.err, "", "{case}");
    let said = SAID.iter().find(|(name, ..)| *name == target);
    assert_eq!(said.is_some(), code == 2, "{case}: errors, and only they, are in the list");
    let Some((_, fact, remedy)) = said else {
        assert!(code == 0 || why.starts_with(&format!("node 0 (./{case}) ")), "{case}: {why:?}");
        assert_eq!(found["trace"].is_array(), code == 1, "{case}: a way to every violation");
        return;
    };
    let who = match target {
        "no_symbol" => format!("program \"./{case}\": "),
        _ => format!("node 0: (./{case}) "),
    };
    assert!(why.starts_with(&who), "{case}: {why:?}");
    assert!(why.contains(fact) && why.contains(remedy), "{case}: {why:?}");
    assert!(why.find(fact) < why.find(remedy), "{case}: {why:?}");
    assert!(!fact.starts_with("call ") || has_place(why), "{case}: no place in {why:?}");
}

/// `at FILE+0xOFFSET`
fn has_place(why: &str) -> bool {
    why.split(" at ").skip(1).any(|rest| {
        let file = rest.split(['+', ' ']).next().unwrap_or_default();
        let offset = rest[file.len()..].strip_prefix("+0x").unwrap_or_default();
        !file.is_empty() && offset.starts_with(|c: char| c.is_ascii_hexdigit())
    })
}

#[test]
fn targets_come_to_what_they_say() {
    let folder = Folder::new("targets");
    let entries = fs::read_dir(root().join("capi-tests/targets")).expect("the folder is there");
    let paths = entries.map(|entry| entry.expect("the entry can be read").path());
    let sources: Vec<_> = paths.filter(|p| p.extension().is_some_and(|e| e == "c")).collect();
    assert!(sources.len() >= SAID.len() + REPORTED.len());
    let left = Mutex::new(sources.iter());
    let run = || {
        loop {
            let Some(path) = left.lock().expect("no test has panicked").next() else { break };
            let target = path.file_stem().and_then(|stem| stem.to_str()).expect("a name");
            let source = fs::read_to_string(path).expect("the source is text");
            let expected = expected(&source);
            let path = path.to_str().expect("the path is text");
            for (layout, flags) in [("pie", ["-fPIE", "-pie"]), ("fixed", ["-fno-pie", "-no-pie"])]
            {
                let case = format!("{target}-{layout}");
                folder.compile(&case, &[path], &flags);
                let state = state(target, &source);
                let model = folder.model_with(&case, state, script(target), &rest(target));
                let trace = format!("--trace={case}.trace");
                judge(&case, target, &expected, &check(&folder, &model, &[&trace]));
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(run);
        scope.spawn(run);
    });
    folder.assert_no_process("a target");
    assert!(!folder.join("target-was-here").exists(), "open_write wrote a file");
}

/// The counterexample of a target's violation is one that happens again.
#[test]
fn a_violation_of_a_target_is_replayed() {
    let folder = Folder::new("target-replay");
    let source = root().join("capi-tests/targets/exit3.c");
    folder.compile("exit3", &[source.to_str().expect("the path is text")], &[]);
    let model = folder.model("exit3", "raw", "");
    assert_eq!(check(&folder, &model, &[]).code(), 1);
    let again = crate::checker::cmc(&folder, ["--json", "--replay=exit3.trace"]);
    assert_eq!((again.code(), again.json()["property"].clone()), (1, Value::from("exit")));
}
