//! The text form of a trace.

use cmc::error::Error;
use cmc::trace::{Checked, Program, Step, TraceFile};
use proptest::prelude::*;

fn step(name: &str, choices: &[u16], note: Option<&str>) -> Step {
    Step { name: name.into(), choices: choices.into(), note: note.map(Into::into) }
}

const TEXT: &str = r#"cmc-trace 1
model: kv.toml
model-hash: 00ff
program: 0 12ab ./kv
program: 1 34cd "./k\"v "
verdict: violated
property: a cell once set stays set
seed: 7
initial: 2

CLIENT 0 "SET b @1 # x"
DELIVER 1 5 @2 @0 # "VOTE 1" @3
CLIENT 1 "\" @1 \\" @65535
CRASH 0 #
"#;

fn file() -> TraceFile {
    let program =
        |node, hash: &str, path: &str| Program { node, hash: hash.into(), path: path.into() };
    TraceFile {
        checked: Checked::Model {
            file: "kv.toml".into(),
            hash: "00ff".into(),
            programs: vec![program(0, "12ab", "./kv"), program(1, "34cd", "./k\"v ")],
        },
        verdict: "violated".into(),
        property: Some("a cell once set stays set".into()),
        among: false,
        seed: Some(7),
        back: None,
        initial: 2,
        steps: vec![
            step(r#"CLIENT 0 "SET b @1 # x""#, &[], None),
            step("DELIVER 1 5", &[2, 0], Some("\"VOTE 1\" @3")),
            step(r#"CLIENT 1 "\" @1 \\""#, &[65535], None),
            step("CRASH 0", &[], Some("")),
        ],
    }
}

#[test]
fn a_trace_reads_as_it_is_written() {
    assert_eq!(TraceFile::parse("kv.trace", TEXT), Ok(file()));
    let written = file().to_text().unwrap();
    assert_eq!(written.lines().collect::<Vec<_>>()[..11], TEXT.lines().collect::<Vec<_>>()[..11]);
    assert_eq!(TraceFile::parse("kv.trace", &written), Ok(file()));
}

#[test]
fn what_cannot_be_read_is_an_error_with_file_and_line() {
    let cases = [
        ("cmc-trace 1\n", "cmc-trace 2\n", 1, "first line"),
        ("seed: 7", "sed: 7", 8, "unknown header key \"sed\""),
        ("seed: 7", "seed: +7", 8, "no number"),
        ("seed: 7", "seed: 18446744073709551616", 8, "no number"),
        ("seed: 7", "seed", 8, "KEY: VALUE"),
        ("seed: 7", "verdict: pass", 8, "stands twice"),
        ("seed: 7\ninitial: 2", "seed: 7", 9, "no \"initial: …\""),
        ("00ff", "00fg", 3, "no hash"),
        ("0 12ab ./kv", "0 12ab", 4, "NODE HASH PATH"),
        ("0 12ab", "x 12ab", 4, "no node number"),
        ("\"./k\\\"v \"", "\"./k\\xv\"", 5, "quoted string"),
        ("\"./k\\\"v \"", "\"./k", 5, "quoted string"),
        ("\"./k\\\"v \"", "\"\\u{d800}\"", 5, "quoted string"),
        ("# x\"", "# x", 11, "does not end"),
        ("@2 @0", "@2 @", 12, "no choice"),
        ("@2 @0", "@2 @65536", 12, "no choice"),
        ("@2 @0", "@2 @0 x", 12, "unexpected text \"x"),
        ("CRASH 0 #", " @1", 14, "no name"),
        ("CRASH 0 #", "CRASH 0 #x", 14, "unexpected text"),
        ("seed: 7", "core: a.so", 10, "more than one of model, core and driver"),
        ("seed: 7", "back: 4", 10, "a state before the last of 4 steps"),
        ("seed: 7", "among: no", 8, "leave it out"),
        ("property: a cell once set stays set", "among: yes", 10, "name it"),
    ];
    for (old, new, line, said) in cases {
        let text = TEXT.replacen(old, new, 1);
        assert_ne!(text, TEXT, "{old}");
        let Err(Error::Trace(fault)) = TraceFile::parse("kv.trace", &text) else {
            panic!("{new} was read")
        };
        assert!(fault.starts_with(&format!("kv.trace:{line}: ")), "{fault}");
        assert!(fault.contains(said), "{fault}");
    }
}

#[test]
fn a_name_that_would_not_read_back_is_not_written() {
    for name in ["", "A\nB", "A @1", "A # note", "A \"open", "A \"\" #"] {
        let mut file = file();
        file.steps.push(step(name, &[], None));
        assert!(matches!(file.to_text(), Err(Error::Internal(_))), "{name:?}");
    }
}

/// A name of words and quoted strings of any text.
fn name() -> impl Strategy<Value = String> {
    let quoted = any::<String>().prop_map(|text| format!("\"{}\"", text.escape_default()));
    let word = prop_oneof!["[A-Z0-9#@][A-Z0-9#@\\\\]{0,3}", quoted];
    prop::collection::vec(word, 1..4)
        .prop_map(|words| words.join("-"))
        .prop_map(|name| format!("X {name}").replace(" @", " a").replace(" #", " h"))
}

fn one_step() -> impl Strategy<Value = Step> {
    let note = prop::option::of(any::<String>().prop_map(|note| note.replace('\n', " ")));
    (name(), prop::collection::vec(any::<u16>(), 0..4), note)
        .prop_map(|(name, choices, note)| Step { name, choices, note })
}

proptest! {
    #[test]
    fn any_trace_comes_back(
        (model, verdict) in any::<(String, String)>(),
        property in any::<Option<String>>(),
        (seed, initial, among) in any::<(Option<u64>, u64, bool)>(),
        (kind, settings) in (0..3, prop::collection::vec(any::<String>(), 0..3)),
        programs in prop::collection::vec((0usize..9, "[0-9a-f]{1,32}", any::<String>()), 0..3),
        steps in prop::collection::vec(one_step(), 0..5),
    ) {
        let program = |(node, hash, path)| Program { node, hash, path };
        let programs = programs.into_iter().map(program).collect();
        let hash = "0".to_owned();
        let checked = match kind {
            0 => Checked::Model { file: model, hash, programs },
            1 => Checked::Core { file: model, hash, settings },
            _ => Checked::Driver { name: model },
        };
        let back = (steps.len() as u64).checked_sub(1).filter(|_| kind == 1);
        let among = among && property.is_some();
        let file = TraceFile { checked, verdict, property, among, seed, back, initial, steps };
        let text = file.to_text().unwrap();
        prop_assert_eq!(TraceFile::parse("any", &text), Ok(file));
    }

    #[test]
    fn any_text_is_read_or_refused_without_a_panic(
        text in any::<String>(),
        line in "[ -~é\\t]{0,40}",
        at in 0usize..16,
    ) {
        let _ = TraceFile::parse("any", &text);
        let mut lines: Vec<&str> = TEXT.lines().collect();
        lines.insert(at.min(lines.len()), &line);
        let _ = TraceFile::parse("any", &lines.join("\n"));
        let _ = TraceFile::parse("any", &format!("cmc-trace 1\n{text}"));
    }
}
