//! Command lines that ask for nothing that can be done: exit status 2 and one line on standard error.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use crate::checker::cmc;
use crate::folder::Folder;

#[test]
fn a_bad_command_line_is_refused_in_one_line() {
    let folder = Folder::new("options");
    let whole = |least: u64| format!(": a whole number from {least} on is needed");
    let (from_0, from_1) = (whole(0), whole(1));
    let number = |option: &str, least: &str| format!("{option}{least}");
    let see = "; see cmc --help";
    let cases: Vec<(&str, String)> = vec![
        (
            "",
            format!("nothing to check: give --model-file=FILE, --core=FILE or --replay=TRACE{see}"),
        ),
        (
            "--bfs --json",
            format!("nothing to check: give --model-file=FILE, --core=FILE or --replay=TRACE{see}"),
        ),
        ("--nope", format!("invalid option '--nope'{see}")),
        ("--modelfile=x", format!("invalid option '--modelfile'{see}")),
        ("--threads=2 --model-file=x", format!("invalid option '--threads'{see}")),
        ("--workers=1025 --model-file=x", "--workers=1025: at most 1024".into()),
        ("-x", format!("invalid option '-x'{see}")),
        ("--nope --help", format!("invalid option '--nope'{see}")),
        ("--json --nope", format!("invalid option '--nope'{see}")),
        ("--model-file", format!("missing argument for option '--model-file'{see}")),
        ("--model-file=", format!("--model-file needs the name of a file{see}")),
        ("--replay=", format!("--replay needs the name of a file{see}")),
        ("--trace= --model-file=x", format!("--trace needs the name of a file{see}")),
        ("--preload= --model-file=x", format!("--preload needs the name of a file{see}")),
        ("--json=1 --model-file=x", format!("unexpected argument for option '--json': \"1\"{see}")),
        (
            "--quiet=no --model-file=x",
            format!("unexpected argument for option '--quiet': \"no\"{see}"),
        ),
        ("x.toml", "what is \"x.toml\" for? a model is given by --model-file=x.toml".into()),
        ("--model-file=x y", "what is \"y\" for? a model is given by --model-file=y".into()),
        ("--model-file=x --replay=y", "give one of --model-file, --core and --replay, once".into()),
        (
            "--model-file=x --model-file=x",
            "give one of --model-file, --core and --replay, once".into(),
        ),
        (
            "--replay=x --depth=3 --seed=1",
            "--depth is for a search; --replay repeats the steps of its trace as they are".into(),
        ),
        ("--replay=x --replay=y", "give one of --model-file, --core and --replay, once".into()),
        (
            "--bfs --simulate=1 --model-file=x",
            "--bfs and --simulate are two ways to search; give one, once".into(),
        ),
        (
            "--simulate=3 --max-states=4 --model-file=x",
            "random walks store no states; leave out --max-states".into(),
        ),
        (
            "--whole-replay --audit=full --model-file=x",
            "--whole-replay learns no steps, so there is nothing to --audit".into(),
        ),
        (
            "--set=a=1 --model-file=x",
            "--set is for a --core; a model file has its numbers in it".into(),
        ),
        (
            "--core=x",
            "x: No such file or directory (os error 2); --core needs a shared object that exports \
             cmc_core"
                .into(),
        ),
        (
            "--audit=x --model-file=x",
            "--audit=x: full, or a share of the hits as in 1% is needed".into(),
        ),
        (
            "--audit=101% --model-file=x",
            "--audit=101%: full, or a share of the hits as in 1% is needed".into(),
        ),
        ("--core=x --audit=full", "--audit is for programs; a core runs in cmc itself".into()),
        ("--preload=y --core=x", "--preload is for programs; a core runs in cmc itself".into()),
        (
            "--core=x --whole-replay",
            "--whole-replay is for programs; a core runs in cmc itself".into(),
        ),
        ("--simulate=0 --model-file=x", number("--simulate=0", &from_1)),
        ("--simulate=x --model-file=x", number("--simulate=x", &from_1)),
        ("--depth=0 --model-file=x", number("--depth=0", &from_1)),
        ("--depth=-1 --model-file=x", number("--depth=-1", &from_1)),
        ("--depth --model-file=x", number("--depth=--model-file=x", &from_1)),
        ("--max-states=1e3 --model-file=x", number("--max-states=1e3", &from_1)),
        (
            "--seed=1 --model-file=x",
            "--seed is for random walks, and there are none to be taken; leave it out, or give \
             --simulate or --live"
                .into(),
        ),
        (
            "--iterative=9 --seed=0 --core=x",
            "--seed is for random walks, and there are none to be taken; leave it out, or give \
             --simulate or --live"
                .into(),
        ),
        (
            "--live=1 --seed=1 --model-file=x.toml",
            "x.toml: there is no such model file; check the path".into(),
        ),
        ("--seed=-1 --model-file=x", number("--seed=-1", &from_0)),
        ("--seed= --model-file=x", number("--seed=", &from_0)),
        (
            "--seed=18446744073709551616 --model-file=x",
            number("--seed=18446744073709551616", &from_0),
        ),
        ("--model-file=x.toml", "x.toml: there is no such model file; check the path".into()),
        ("--model-file=.", ".: this is a directory; name the model file in it".into()),
        ("--replay=x.trace", "x.trace: No such file or directory (os error 2)".into()),
    ];
    for (line, said) in cases {
        let answer = cmc(&folder, line.split_whitespace());
        assert_eq!(answer.code(), 2, "cmc {line}");
        assert_eq!(answer.err, format!("cmc: {said}\n"), "cmc {line}");
        assert_eq!(answer.out, "", "cmc {line}");
    }
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn bytes_that_are_no_text_are_refused_too() {
    let folder = Folder::new("bytes");
    for (bytes, said) in [
        (&b"--\xff"[..], "invalid option '--\u{fffd}'"),
        (b"--model-file=\xff", "\u{fffd}: there is no such model file"),
        (b"--seed=\xff", "--seed=\u{fffd}: a whole number"),
        (b"\xff", "what is \"\\xFF\" for?"),
    ] {
        let answer = cmc(&folder, [OsStr::from_bytes(bytes)]);
        assert_eq!(answer.code(), 2, "{said}");
        assert!(answer.err.starts_with(&format!("cmc: {said}")), "{:?}", answer.err);
    }
}

/// Whoever reads the object finds every key, whatever went wrong.
#[test]
fn an_early_error_has_the_keys_of_every_answer() {
    let folder = Folder::new("keys");
    folder.copy_example("kv", &["kv", "kv.toml"]);
    let keys = |model: &str| -> (i32, Vec<String>) {
        let answer = cmc(&folder, ["--json", model]);
        let object = answer.json();
        (answer.code(), object.as_object().expect("an object").keys().cloned().collect())
    };
    let (code, complete) = keys("--model-file=kv.toml");
    assert_eq!((code, complete.len() > 20), (0, true), "{complete:?}");
    assert_eq!(keys("--model-file=missing.toml"), (2, complete));
    let object = cmc(&folder, ["--json", "--model-file=missing.toml"]).json();
    for number in ["distinct", "generated", "depth", "trace_len", "seconds", "receipts"] {
        assert!(object[number].is_null(), "{number}: {object:#}");
    }
}

#[test]
fn help_and_version_are_answers() {
    let folder = Folder::new("help");
    for (option, said) in
        [("--help", "usage: cmc "), ("--version", "cmc "), ("-h", "usage: "), ("-V", "cmc ")]
    {
        let answer = cmc(&folder, [option]);
        assert_eq!((answer.code(), answer.err.as_str()), (0, ""), "{option}");
        assert!(answer.out.starts_with(said), "{option}");
    }
}
