//! Answers that cannot be written: a verdict that nobody can read is exit status 2, a trace that
//! cannot be written takes nothing from the verdict.

use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::process::Command;

use crate::checker::{Answer, CMC, PATIENCE, Running, cmc};
use crate::folder::Folder;

/// Run `script` in sh, where `$0` is cmc.
fn shell(folder: &Folder, script: &str) -> Answer {
    Running::start(folder, Command::new("sh").args(["-c", script, CMC])).end(PATIENCE)
}

#[test]
fn a_verdict_that_cannot_be_written_is_an_error() {
    let folder = Folder::new("stdout");
    folder.copy_example("kv", &["kv", "kv.toml"]);
    let full = "writing to standard output: No space left on device";
    let closed = "standard output is closed, so that nobody would see the answer; redirect it";
    for (arguments, to, said) in [
        ("--model-file=kv.toml", ">/dev/full", full),
        ("--json --model-file=kv.toml", ">/dev/full", full),
        ("--quiet --model-file=kv.toml", ">/dev/full", full),
        (
            "--json --model-file=missing.toml",
            ">/dev/full",
            "missing.toml: there is no such model file",
        ),
        ("--json --model-file=missing.toml", ">/dev/full", full),
        ("--help", ">/dev/full", full),
        ("--version", ">/dev/full", full),
        ("--model-file=kv.toml", ">&-", closed),
        ("--json --model-file=kv.toml", ">&-", closed),
    ] {
        let case = format!("{arguments} {to}");
        let answer = shell(&folder, &format!("\"$0\" {arguments} {to}"));
        assert_eq!(answer.code(), 2, "{case}");
        assert!(
            answer.err.starts_with("cmc: ") && answer.err.contains(said),
            "{case}: {}",
            answer.err
        );
        assert_eq!(answer.out, "", "{case}");
    }
    folder.assert_no_process("a full disk");
}

#[test]
fn a_reader_that_left_is_an_error() {
    let folder = Folder::new("pipe");
    folder.copy_example("kv", &["kv", "kv.toml"]);
    // The reader has gone when the writer is let on.
    let script = "mkfifo gate; { read line <gate; \"$0\" --model-file=kv.toml; echo $? >status; } | \
                  { exec <&-; echo go >gate; }";
    let answer = shell(&folder, script);
    let status = fs::read_to_string(folder.join("status")).expect("the writer ended");
    assert_eq!(status, "2\n", "{}", answer.err);
    assert!(answer.err.contains("writing to standard output: Broken pipe"), "{}", answer.err);
}

#[test]
fn closed_input_and_error_streams_change_nothing() {
    let folder = Folder::new("streams");
    folder.copy_example("kv", &["kv", "kv.toml"]);
    assert_eq!(shell(&folder, "\"$0\" --model-file=kv.toml <&- 2>&-").code(), 0);
    assert_eq!(shell(&folder, "\"$0\" --model-file=missing.toml 2>&-").code(), 2);
    assert_eq!(shell(&folder, "\"$0\" --model-file=missing.toml 2>/dev/full").code(), 2);
}

#[test]
fn a_trace_that_cannot_be_written_leaves_the_verdict_and_the_run() {
    let folder = Folder::new("trace-file");
    folder.copy_example("kv", &["kv-bug", "kv-bug.toml"]);
    fs::create_dir(folder.join("directory")).expect("the directory can be made");
    folder.write("file", "");
    for (trace, said) in [
        ("/dev/full", "No space left on device"),
        ("nowhere/x.trace", "No such file or directory"),
        ("file/x.trace", "Not a directory"),
        ("directory", "Is a directory"),
        // Root may write everywhere but here.
        ("/proc/x.trace", "No such file or directory"),
    ] {
        let trace = format!("--trace={trace}");
        let answer = cmc(&folder, ["--model-file=kv-bug.toml", &trace]);
        let warning = format!("note: warning: the trace could not be written to {}: ", &trace[8..]);
        assert_eq!(answer.code(), 1, "{trace}");
        for part in [
            "kv-bug: violated: a cell once set stays set\n",
            "DELIVER 0 5",
            &warning,
            said,
            "; name another file with --trace=FILE",
        ] {
            assert!(answer.out.contains(part), "{trace}: {part:?} is not in {}", answer.out);
        }
        assert!(!answer.out.contains("replay: "), "{trace}: {}", answer.out);
        let json = cmc(&folder, ["--json", "--model-file=kv-bug.toml", &trace]).json();
        assert!(json["notes"].to_string().contains(said), "{trace}: {json:#}");
        assert_eq!(json["trace"].as_array().map(Vec::len), Some(7), "{trace}");
    }
    let kind = fs::metadata("/dev/full").expect("it is there").file_type();
    assert!(kind.is_char_device(), "the device was replaced");
    assert_eq!(folder.names(), ["directory", "file", "kv-bug", "kv-bug.toml"]);
}
