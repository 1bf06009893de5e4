//! Traces that cannot be replayed, and runs that depart from them.

use std::fs;
use std::process::Command;

use crate::checker::cmc;
use crate::folder::Folder;

/// One byte more than a trace may have.
const TOO_LARGE: u64 = (64 << 20) + 1;

/// A folder with kv-bug, its model and the trace of its violation; the text of the trace.
fn violated(test: &str) -> (Folder, String) {
    let folder = Folder::new(test);
    folder.copy_example("kv", &["kv-bug", "kv-bug.toml"]);
    let answer = cmc(&folder, ["--quiet", "--model-file=kv-bug.toml"]);
    assert_eq!(answer.code(), 1, "{}", answer.err);
    let trace = fs::read_to_string(folder.join("kv-bug.trace")).expect("the trace was written");
    (folder, trace)
}

#[test]
fn a_trace_that_cannot_be_read_is_refused_with_the_place() {
    let (folder, trace) = violated("broken-traces");
    let large = fs::File::create(folder.join("large.trace")).expect("the file can be made");
    large.set_len(TOO_LARGE).expect("it can be sparse");
    fs::create_dir(folder.join("directory")).expect("the directory can be made");
    folder.write("binary.trace", b"cmc-trace 1\n\xff\xfe");
    folder.write("empty.trace", "");
    folder.write("version.trace", trace.replacen("cmc-trace 1", "cmc-trace 2", 1));
    folder.write("header.trace", trace.replacen("model-hash:", "model_hash:", 1));
    folder.write("no-model.trace", trace.replacen("kv-bug.toml", "gone.toml", 1));
    folder.write("not-a-model.trace", trace.replacen("kv-bug.toml", "kv-bug", 1));
    for (name, said) in [
        ("missing.trace", "missing.trace: No such file or directory"),
        ("directory", "directory: "),
        ("large.trace", "large.trace: 67108865 bytes; a trace has at most 67108864"),
        ("binary.trace", "binary.trace: not text in UTF-8; a trace is written by cmc"),
        ("empty.trace", "empty.trace:1: "),
        ("version.trace", "version.trace:1: "),
        ("header.trace", "header.trace:3: unknown header key \"model_hash\""),
        ("no-model.trace", "no-model.trace: its model file cannot be used: gone.toml: there is no"),
    ] {
        let answer = cmc(&folder, [&format!("--replay={name}")]);
        answer.assert_refused(name, &[said]);
        let json = cmc(&folder, ["--json", &format!("--replay={name}")]);
        json.assert_refused(name, &[said]);
        assert_eq!(json.json()["verdict"], "error", "{name}");
    }
    // This message shows the line.
    let answer = cmc(&folder, ["--replay=not-a-model.trace"]);
    let said = "not-a-model.trace: its model file cannot be used: kv-bug:1:";
    assert_eq!((answer.code(), answer.why().contains(said)), (2, true), "{}", answer.err);
    folder.assert_no_process("a broken trace");
}

#[test]
fn a_run_that_departs_from_its_trace_is_an_error_that_names_the_step() {
    let (folder, trace) = violated("departed-traces");
    let first_read = "DELIVER 0 5 # \"SET b\"\n";
    let without_end =
        trace.trim_end().rsplit_once('\n').expect("several lines").0.to_owned() + "\n";
    for (name, changed, words) in [
        (
            "action",
            trace.replacen("ACCEPT 0 4", "ACCEPT 0 9", 1),
            ["step 2, ACCEPT 0 9, is not possible", "possible there: "],
        ),
        (
            "missing-step",
            trace.replacen(first_read, "", 1),
            ["step 4, CLIENT 0 \"SET a\", is not possible", "possible there: "],
        ),
        (
            "node",
            trace.replacen("ACCEPT 0 4", "ACCEPT 7 4", 1),
            ["step 2, ACCEPT 7 4, is not possible", "possible there: "],
        ),
        (
            "other-property",
            trace.replacen("property: a cell once set stays set", "property: other", 1),
            ["step 6 broke \"a cell once set stays set\"", "the trace breaks \"other\" at step 6"],
        ),
        (
            "cut",
            without_end,
            ["the run went through all 5 steps", "\"a cell once set stays set\" is not broken"],
        ),
        (
            "initial",
            trace.replacen("initial: 0", "initial: 3", 1),
            ["the trace starts at initial world 3 (counted from 0)", "there are 1"],
        ),
        ("choice", trace.replacen("ACCEPT 0 4", "ACCEPT 0 4 @1", 1), ["step 2", "choice"]),
    ] {
        assert_ne!(changed, trace, "{name}");
        folder.write("changed.trace", &changed);
        let answer = cmc(&folder, ["--json", "--replay=changed.trace"]);
        answer.assert_refused(name, &words);
        assert_eq!(answer.json()["verdict"], "error", "{name}");
    }
    folder.assert_no_process("a departed run");
}

#[test]
fn a_changed_model_or_program_is_a_warning() {
    let (folder, _) = violated("changed-model");
    let replay = || {
        let answer = cmc(&folder, ["--replay=kv-bug.trace"]);
        assert_eq!(answer.code(), 1, "{}{}", answer.out, answer.err);
        assert!(answer.out.starts_with("kv-bug: violated: a cell once set stays set\n"));
        answer.out
    };
    assert!(!replay().contains("warning"));
    let append = |name: &str, more: &str| {
        let script = format!("printf '{more}' >>{name}");
        let done = Command::new("sh").args(["-c", &script]).current_dir(folder.path()).status();
        assert!(done.expect("sh starts").success(), "{name}");
    };
    append("kv-bug.toml", "\\n# changed\\n");
    let model = "note: warning: kv-bug.toml has changed since the trace was written\n";
    let told = replay();
    assert!(told.contains(model) && !told.contains("program"), "{told}");
    append("kv-bug", "\\0");
    let program =
        "note: warning: the program of node 0, ./kv-bug, has changed since the trace was written\n";
    let told = replay();
    assert!(told.contains(model) && told.contains(program), "{told}");
}

/// The trace finds its model from wherever it is replayed.
#[test]
fn a_trace_is_replayed_from_another_directory() {
    let (folder, _) = violated("moved");
    let other = Folder::new("moved-from");
    let trace = crate::checker::option("--replay", &folder.join("kv-bug.trace"));
    assert_eq!(cmc(&other, [trace]).code(), 1);
}
