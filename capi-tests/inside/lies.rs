//! Preloads that answer otherwise than the checker: each lie is found where it is told.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{check, folder, root};
use crate::programs::{build, model};

/// What the preload says, what it says instead, and words of the error.
const LIES: [(&str, &str, &str); 7] = [
    (
        "(const void *)start, count, (long)count)",
        "(const void *)start, count, 1)",
        "was answered 1 inside",
    ),
    (
        "(const void *)start, count, (long)count)",
        "(const void *)\"wrong wrong wrong\", count, (long)count)",
        "",
    ),
    ("now.tv_sec = the_log->seconds;", "now.tv_sec = the_log->uptime;", "was answered 0 inside"),
    (
        "note(call, arguments, 3, NULL, 0, fd)",
        "note(call, arguments, 3, NULL, 0, fd + 1)",
        "inside, where the answer is",
    ),
    (
        "the_log->kinds[(unsigned)call->rdi] = CMC_LOG_FD_NONE;",
        "",
        "memory that cmc shares with it",
    ),
    ("check ^= check >> 32;", "check ^= check >> 31;", "memory that cmc shares with it"),
    ("call->number = answer;", "call->number = answer + (answer == 3);", ""),
];

/// The preload with one text in answer.c replaced.
fn preload(folder: &Path, number: usize, (text, instead, _): (&str, &str, &str)) -> PathBuf {
    let sources = folder.join(format!("preload-{number}"));
    fs::create_dir_all(&sources).expect("the folder can be made");
    let mut files = Vec::new();
    for entry in fs::read_dir(root().join("preload")).expect("it can be read") {
        let path = entry.expect("it can be read").path();
        let mut source = fs::read_to_string(&path).expect("the source is text");
        if path.ends_with("answer.c") {
            assert!(source.contains(text), "{text}");
            source = source.replace(text, instead);
        }
        let copy = sources.join(path.file_name().expect("a file has a name"));
        fs::write(&copy, source).expect("it can be written");
        if copy.extension().is_some_and(|extension| extension == "c") {
            files.push(copy);
        }
    }
    let contract = Path::new(env!("CMC_PRELOAD_BUILT")).parent().expect("it lies in a folder");
    let built = sources.join("cmc-preload.so");
    let mut gcc = Command::new("gcc");
    gcc.args(["-std=gnu11", "-O2", "-fPIC", "-fvisibility=hidden", "-fno-builtin", "-shared"]);
    gcc.args(["-nostartfiles", "-Wl,-z,initfirst", "-Wl,-z,now", "-Wl,-z,nodelete", "-I"]);
    gcc.arg(contract).args(files).arg("-o").arg(&built);
    assert!(gcc.status().is_ok_and(|status| status.success()), "{instead}");
    built
}

#[test]
fn a_preload_that_answers_otherwise_is_found() {
    let folder = folder("inside-lies");
    build(&folder, "asks");
    let file = folder.join(model(&folder, "asks", "raw", &[], &["a", "b"]));
    let (_, found) = check(&folder, &file, &[]);
    assert_eq!(found["verdict"], "pass", "{found:#}");
    for (number, lie) in LIES.into_iter().enumerate() {
        let built = format!("--preload={}", preload(&folder, number, lie).display());
        let (_, found) = check(&folder, &file, &[&built, "--audit=full"]);
        let why = found["why"].as_str().unwrap_or_default();
        assert_ne!(found["verdict"], "pass", "{lie:?}: {found:#}");
        assert!(why.contains(lie.2), "{lie:?}: {why}");
        // Nobody who asks is lied to.
        let (_, found) = check(&folder, &file, &[&built, "--no-inline"]);
        assert_eq!(found["verdict"], "pass", "{lie:?}: {found:#}");
    }
}
