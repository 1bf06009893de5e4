//! Programs that keep their state where one does not look first: legal C and C++ in which a careless
//! reader of machine code, of debug information or of the heap takes something live for dead. What
//! they do with `state = "memory"` must be what they do with all of their memory as it is.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// What the first comment of a program says.
struct Program {
    source: PathBuf,
    /// How it is built: a compiler and its arguments.
    builds: Vec<String>,
    /// What the client sends.
    send: String,
    /// Replies that some run must show; every program answers `B` where it has lost something.
    replies: Vec<String>,
    /// How many states may keep their raw form.
    raw_fallbacks: Option<u64>,
}

fn programs() -> Vec<Program> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("capi-tests/unusual");
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut sources: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    sources.sort();
    let program = |source: PathBuf| {
        let text = std::fs::read_to_string(&source).expect("the source can be read");
        let comment = text.split("*/").next().unwrap_or_default();
        let said = |key: &str| -> Vec<String> {
            let lines = comment.lines().map(|line| line.trim_start_matches(['/', '*', ' ']));
            lines.filter_map(|line| line.strip_prefix(key)).map(|s| s.trim().to_owned()).collect()
        };
        Program {
            builds: said("build:"),
            send: said("send:").concat(),
            replies: said("reply:"),
            raw_fallbacks: said("raw_fallbacks:").first().map(|n| n.parse().expect("a number")),
            source,
        }
    };
    sources.into_iter().map(program).collect()
}

/// The model of a program in the folder of the model file.
fn model(program: &Program, name: &str, state: &str) -> String {
    let send: Vec<String> = program.send.split(' ').map(|text| format!("{text:?}")).collect();
    let sometimes = program.replies.iter().map(|reply| {
        format!("\"{reply} is a reply\" = \"exists r in replies: r.bytes == '{reply}'\"\n")
    });
    format!(
        "[[node]]\nprogram = \"./{name}\"\nstate = \"{state}\"\n\n[network]\nmode = \"message\"\n\n\
         [[client]]\nnode = 0\nsend = [{}]\norder = \"any\"\nwait = true\n\n\
         [invariants]\n\"nothing is lost\" = \"forall r in replies: r.bytes != 'B'\"\n\n[sometimes]\n{}",
        send.join(", "),
        sometimes.collect::<String>()
    )
}

fn check(folder: &Path, file: &str, arguments: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cmc"));
    command.arg("--json").arg(format!("--model-file={file}")).args(arguments);
    let output = command.current_dir(folder).output().expect("cmc starts");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{file}: {error}: {}", String::from_utf8_lossy(&output.stderr))
    })
}

#[test]
fn unusual_programs_do_by_memory_what_they_do_by_all_of_it() {
    // A blank in the path is legal, too.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("unusual programs");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let (mut wrong, mut compilers) = (Vec::new(), BTreeSet::new());
    for program in programs() {
        assert!(!program.builds.is_empty() && !program.replies.is_empty(), "{:?}", program.source);
        let stem = program.source.file_stem().expect("a name").to_string_lossy().into_owned();
        for (number, build) in program.builds.iter().enumerate() {
            let name = format!("{stem}-{number}");
            let mut words = build.split(' ');
            let compiler = words.next().expect("a compiler");
            let mut command = Command::new(compiler);
            command.args(words).args(["-w", "-o"]).arg(folder.join(&name)).arg(&program.source);
            let status = command.status();
            assert!(status.is_ok_and(|status| status.success()), "{stem}: {build}");
            compilers.insert(compiler.to_owned());
            let [memory, raw] = ["memory", "raw"].map(|state| {
                let file = format!("{name}-{state}.toml");
                let text = model(&program, &name, state);
                std::fs::write(folder.join(&file), text).expect("the model can be written");
                let audit = if state == "memory" { "--audit=full" } else { "--audit=1%" };
                check(&folder, &file, &[audit])
            });
            let states = |json: &Value| json["local_states"][0].as_u64().unwrap_or(0);
            let fallbacks = memory["raw_fallbacks"].as_u64();
            let good = memory["verdict"] == "pass"
                && raw["verdict"] == "pass"
                && memory["disagreed"] == 0
                && (1..=states(&raw)).contains(&states(&memory))
                && program.raw_fallbacks.is_none_or(|most| fallbacks <= Some(most));
            if !good {
                wrong.push(format!("{name} ({build}):\n  memory {memory}\n  raw {raw}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(compilers, ["clang", "clang++", "g++", "gcc"].map(String::from).into());
}
