//! The model file and its expressions: what is read from a good file, the exact words about a broken
//! one, what expressions are worth in a world, and that nothing whatever makes the reader panic.
//! Each file in `broken/` starts with the message that it earns, line by line behind `#|`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use cmc::check::expression::{Expression, Scope};
use cmc::check::field::Value;
use cmc::check::file::ModelFile;
use cmc::check::key;
use cmc::check::source::SIZE;
use cmc::error::Error;
use cmc::fingerprint::Fingerprint;
use cmc::process::config::{
    Budgets, ClientConfig, Close, Config, Crash, MemoryRead, NodeConfig, Patience, Requests,
    StateKind, Timeout,
};
use cmc::process::debug::Place;
use cmc::property::{Kinds, Rule};
use cmc::world::{Liveness, Message, Reader, Reply, View};
use proptest::prelude::*;
use proptest::sample::Index;

const KV: &str = r#"
# A comment of its own.
# expect: verdict=violated property="cells are bits" distinct=12

[[node]]
program = "./kv"
args = ["-v", ""]
count = 2
state = "report"
may_exit = [0, 3]

[[node]]
program = "/bin/other"
ignore = ["table[].hits", "main:buf"]
listen = 7000
[node.fields]
x = "i16be@table+0x10"
y = "bytes[3]@name"

[[node]]
program = "third"
state = "region:cmc_state"

[network]
mode = "message"
close = "silent"

[time]
timeout = "byte"

[budget]
timeouts = 255
crashes = 2
restarts = 1
drops = 0x10
crash = "quiescent"

[[client]]
node = 2
send = ["SET a", "x:0a0B", "SET a"]
order = "any"
wait = true
close = true

[[client]]
node = 0
send = []

[fields]
zz = "u8@0"
aa = "bytes[2]@1"

[sometimes]
"z last" = "true"
"a last of all" = "false"

[steps]
"in the middle" = "old(node(0).zz) <= node(0).zz"

[invariants]
"z first" = "true"
"cells are bits" = 'forall n in nodes: n < 2 implies n.zz <= 1'

[limits]
cpu_seconds = 1
wall_seconds = 86400
"#;

fn manifest(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn parse(text: &str) -> Result<ModelFile, Error> {
    ModelFile::parse(Path::new("dir/kv.toml"), text.as_bytes())
}

fn good(text: &str) -> ModelFile {
    parse(text).unwrap_or_else(|error| panic!("{error}\nin\n{text}"))
}

fn message(result: Result<ModelFile, Error>) -> String {
    match result {
        Ok(_) => "no error".into(),
        Err(Error::Model(text)) => text,
        Err(other) => format!("not a model error: {other:?}"),
    }
}

#[test]
fn each_broken_file_earns_exactly_the_message_in_its_first_comment() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for entry in std::fs::read_dir(manifest("capi-tests/broken")).expect("broken files") {
        let path = entry.expect("an entry").path();
        let name = PathBuf::from(path.file_name().expect("a name"));
        let bytes = std::fs::read(&path).expect("a broken file");
        let text = String::from_utf8_lossy(&bytes);
        let expected: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("#| ")).collect();
        let found = message(ModelFile::parse(&name, &bytes));
        if found != expected.join("\n") {
            wrong.push(format!("{}\n{found}", name.display()));
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(count >= 70, "only {count} broken files");
}

#[test]
fn what_is_no_text_is_refused_with_its_place() {
    let bad = |bytes: &[u8]| message(ModelFile::parse(Path::new("m.toml"), bytes));
    assert_eq!(
        bad(b"# ok\n# \xff\n"),
        "m.toml:2:3: byte 0xff is not UTF-8; save the model file as UTF-8\n \
         2 | # \u{fffd}\n   |   ^"
    );
    assert_eq!(
        bad(b"[[node]]\n\0"),
        "m.toml:2:1: a model file holds no NUL byte; remove it\n 2 | \u{fffd}\n   | ^"
    );
    assert_eq!(
        bad(&vec![b'\n'; SIZE + 1]),
        "m.toml: the model file is larger than 1048576 bytes; split it into several models"
    );
    assert_eq!(
        bad(b""),
        "m.toml:1:1: the model has no node; add [[node]] with its program\n 1 | \n   | ^"
    );
}

#[test]
fn a_path_without_a_readable_file_is_named() {
    let load = |path: &Path| message(ModelFile::load(path));
    let missing = manifest("capi-tests/no-such-model.toml");
    assert_eq!(
        load(&missing),
        format!("{}: there is no such model file; check the path", missing.display())
    );
    let directory = manifest("capi-tests");
    assert_eq!(
        load(&directory),
        format!("{}: this is a directory; name the model file in it", directory.display())
    );
    assert_eq!(
        load(Path::new("/dev/null")),
        "/dev/null: this is not a regular file; a model is read from one"
    );
}

#[test]
fn a_full_file_is_read_as_it_says() {
    let model = good(KV);
    let kv = NodeConfig {
        program: "./kv".into(),
        args: vec!["-v".into(), String::new()],
        state: StateKind::Report,
        ignore: vec![],
        port: 20000,
        may_exit: vec![0, 3],
        reads: vec![],
    };
    let read = |symbol: &str, offset, length| MemoryRead { symbol: symbol.into(), offset, length };
    let other = NodeConfig {
        program: "/bin/other".into(),
        args: vec![],
        state: StateKind::Memory,
        ignore: ["table[].hits", "main:buf"].map(|place| Place::parse(place).expect(place)).into(),
        port: 7000,
        may_exit: vec![0],
        reads: vec![read("table", 16, 2), read("name", 0, 3)],
    };
    let third = NodeConfig {
        program: "third".into(),
        state: StateKind::Region("cmc_state".into()),
        ignore: vec![],
        port: 20003,
        reads: vec![],
        ..other.clone()
    };
    let nodes = vec![kv.clone(), NodeConfig { port: 20001, ..kv }, other, third];
    let send: Vec<Vec<u8>> = vec![b"SET a".to_vec(), vec![10, 11], b"SET a".to_vec()];
    let clients = vec![
        ClientConfig { node: 2, send, any_order: true, wait: true, close: true },
        ClientConfig { node: 0, send: vec![], any_order: false, wait: false, close: false },
    ];
    let config = Config {
        directory: "dir".into(),
        nodes,
        clients,
        close: Close::Silent,
        timeout: Timeout::Byte,
        crash: Crash::Quiescent,
        budgets: Budgets { timeouts: 255, crashes: 2, restarts: 1, drops: 16 },
        patience: Patience { cpu: Duration::from_secs(1), wall: Duration::from_secs(86400) },
        requests: Requests::Forgotten,
    };
    assert_eq!(model.config, config);
    assert_eq!(model.name, "kv");
    assert_eq!(model.path, Path::new("dir/kv.toml"));
    assert_eq!(model.hash, format!("{:032x}", Fingerprint::whole(KV.as_bytes()).0));
    let expect = model.expect.expect("an expectation");
    assert_eq!(expect.get("property"), Some("cells are bits"));
    assert_eq!(expect.get("distinct"), Some("12"));
    assert_eq!(expect.pairs.len(), 3);
}

#[test]
fn properties_come_as_invariants_history_steps_sometimes_eventually_each_in_file_order() {
    let history = "\n[history]\nmodel = 'register'\nwrite = 'SET {value}'\nread = 'x:0a{any}'\n";
    let eventually = "[eventually]\n'a at last' = 'exists n in nodes: alive(n)'\n'b' = 'true'\n";
    let model = good(&format!("{eventually}{KV}{history}"));
    assert_eq!(model.config.requests, Requests::InRealTime);
    let names: Vec<(String, &str)> = model
        .properties
        .into_iter()
        .map(|property| {
            let kind = match property.rule {
                Rule::Invariant(_) => "invariant",
                Rule::Faultless(_) => "history",
                Rule::Step(_) => "step",
                Rule::Sometimes(_) => "sometimes",
                Rule::Eventually { fair: Kinds::DEFAULT, .. } => "eventually",
                Rule::Eventually { .. } | Rule::Constraint(_) | Rule::Terminal(_) => "no table",
            };
            (property.name, kind)
        })
        .collect();
    let names: Vec<(&str, &str)> = names.iter().map(|(name, kind)| (&name[..], *kind)).collect();
    assert_eq!(
        names,
        [
            ("z first", "invariant"),
            ("cells are bits", "invariant"),
            ("linearizable", "history"),
            ("in the middle", "step"),
            ("z last", "sometimes"),
            ("a last of all", "sometimes"),
            ("a at last", "eventually"),
            ("b", "eventually"),
        ]
    );
}

#[test]
fn defaults_are_those_of_the_manual() {
    let model = ModelFile::parse(
        Path::new("kv.toml"),
        b"[[node]]\nprogram = \"kv\"\n[network]\nmode = \"message\"\n",
    )
    .expect("a small model");
    let Config { directory, close, timeout, crash, budgets, patience, .. } = model.config;
    assert_eq!(directory, Path::new("."));
    assert_eq!((close, timeout, crash), (Close::Shown, Timeout::Native, Crash::BetweenEffects));
    assert_eq!((budgets, patience), (Budgets::default(), Patience::default()));
    assert_eq!(model.config.nodes[0].state, StateKind::Memory);
    assert_eq!(model.config.nodes[0].may_exit, [0]);
    assert!(model.properties.is_empty() && model.expect.is_none());
}

#[test]
fn fields_lie_where_the_content_has_them() {
    let model = good(KV);
    let places = |node: usize| -> Vec<(&str, u64)> {
        model.fields[node].list.iter().map(|field| (&field.name[..], field.offset)).collect()
    };
    assert_eq!(places(0), [("zz", 0), ("aa", 1)]);
    assert_eq!(places(2), [("x", 16), ("y", 18)]);
    let mut content = [0; 21];
    content[16..].copy_from_slice(b"\xff\xfeabc");
    assert_eq!(
        model.fields[2].read(&content),
        [("x", Value::Integer(-2)), ("y", Value::Bytes(b"abc".to_vec()))]
    );
    assert_eq!(model.fields[0].read(&[7]), [("zz", Value::Integer(7)), ("aa", Value::Absent)]);
}

#[test]
fn a_field_outside_its_symbol_is_refused_where_it_is_declared() {
    let model = good(KV);
    let sizes = |table: u64| {
        move |_: usize, symbol: &str| match symbol {
            "table" => Ok(table),
            "name" | "cmc_state" => Ok(3),
            _ => Err(format!("there is no symbol {symbol}")),
        }
    };
    assert_eq!(model.check_regions(&sizes(18)), Ok(()));
    let text =
        |size_of: &dyn Fn(usize, &str) -> Result<u64, String>| match model.check_regions(size_of) {
            Err(Error::Model(text)) => text,
            other => panic!("{other:?}"),
        };
    assert_eq!(
        text(&sizes(17)),
        "dir/kv.toml:17:5: field \"x\" of node 2: it ends at byte 18 of table, which has only 17; \
         correct its type or offset\n 17 | x = \"i16be@table+0x10\"\n    |     ^^^^^^^^^^^^^^^^^^"
    );
    assert_eq!(
        text(&|_, symbol| Err(format!("{symbol} is not in the program"))),
        "dir/kv.toml:17:5: field \"x\" of node 2: table is not in the program\n \
         17 | x = \"i16be@table+0x10\"\n    |     ^^^^^^^^^^^^^^^^^^"
    );
}

/// A reader whose worlds are the contents of three nodes; everything else it knows itself.
struct Fake {
    liveness: [Liveness; 3],
    messages: Vec<Message<'static>>,
    replies: Vec<Reply<'static>>,
}

impl Reader for Fake {
    fn nodes(&self) -> usize {
        3
    }
    fn liveness(&self, _: &[u8], node: usize) -> Result<Liveness, Error> {
        Ok(self.liveness[node])
    }
    fn content<'w>(&self, world: &'w [u8], node: usize) -> Result<Option<&'w [u8]>, Error> {
        match self.liveness[node] {
            // Each is behind the others, with its length in front.
            Liveness::Running => {
                let mut rest = world;
                for _ in 0..node {
                    rest = &rest[1 + usize::from(rest[0])..];
                }
                Ok(Some(&rest[1..][..usize::from(rest[0])]))
            }
            _ => Ok(None),
        }
    }
    fn clock(&self, _: &[u8], node: usize) -> Result<i64, Error> {
        Ok([0, 1_000_000, -5][node])
    }
    fn budget(&self, _: &[u8], name: &str) -> Result<Option<u64>, Error> {
        Ok((name != "drops").then_some(2))
    }
    fn messages(&self, _: &[u8], each: &mut dyn FnMut(Message<'_>) -> bool) -> Result<(), Error> {
        let _ = self.messages.iter().all(|message| each(*message));
        Ok(())
    }
    fn replies(&self, _: &[u8], each: &mut dyn FnMut(Reply<'_>) -> bool) -> Result<(), Error> {
        let _ = self.replies.iter().all(|reply| each(*reply));
        Ok(())
    }
}

const FIELDS: &str = r#"
[[node]]
program = "a"
count = 2
state = "report"
[[node]]
program = "b"
state = "report"
[node.fields]
a = "u8@0"
only = "i8@1"
far = "u32le@9"
[network]
mode = "message"
[fields]
a = "u8@0"
name = "bytes[2]@1"
"#;

/// What `expression` is worth between two fixed worlds: nodes hold `a` 1, 2, 3, then 1, 9, 4; in the
/// second world node 1 has crashed.
fn evaluate(expression: &str, scope: Scope) -> Result<bool, String> {
    use Liveness::{Crashed, Running};
    let fields = good(FIELDS).fields;
    let compiled = Expression::compile(expression, &fields, scope)
        .unwrap_or_else(|mistake| panic!("{expression}: {mistake:?}"));
    let world = |contents: [&[u8]; 3]| {
        let one = |content: &[u8]| [&[content.len() as u8], content].concat();
        contents.map(one).concat()
    };
    let before = Fake { liveness: [Running; 3], messages: vec![], replies: vec![] };
    let after = Fake {
        liveness: [Running, Crashed, Running],
        messages: vec![
            Message { to: 0, from: Some(2), client: None, bytes: b"VOTE 1" },
            Message { to: 2, from: None, client: Some(4), bytes: b"SET" },
        ],
        replies: vec![Reply { node: None, client: Some(4), bytes: b"OK" }],
    };
    let (old, new) =
        (world([b"\x01ab", b"\x02cd", b"\x03\xff"]), world([b"\x01ab", b"", b"\x04\xfe"]));
    let old = View { world: &old, reader: &before };
    let new = View { world: &new, reader: &after };
    let old = if scope == Scope::Step { old } else { new };
    compiled.holds(old, new).map_err(|fault| fault.of("p").to_string())
}

#[test]
fn expressions_are_worth_what_the_manual_says() {
    for (expression, value) in [
        ("true and not false", true),
        ("not true or true", true),
        ("not (true or true)", false),
        ("false implies false implies false", true),
        ("(false implies false) implies false", false),
        ("true or true and false", true),
        ("true implies true or false", true),
        ("not 1 == 2", true),
        ("true == (not false)", true),
        ("1 + 2 * 3 == 7 and (1 + 2) * 3 == 9", true),
        ("10 - 3 - 2 == 5 and 100 / 10 / 5 == 2", true),
        ("-7 / 2 == -3 and -7 % 2 == -1 and 7 % -2 == 1", true),
        ("--1 == 1 and - - -1 < 0", true),
        ("0x10 == 16 and 18446744073709551615 + 1 > 0", true),
        ("'ab' == \"x:6162\" and 'ab' != 'abc'", true),
        ("len('') == 0 and len('x:0a0b') == 2", true),
        ("starts_with('VOTE 1', 'VOTE') and not starts_with('V', 'VOTE')", true),
        ("u8('ab', 1) == 98", true),
        ("alive(0) and crashed(1) and not exited(1) and alive(node(2))", true),
        ("node(0).a == 1 and node(2).a == 4 and node(2).only == -2", true),
        ("node(0).name == 'ab'", true),
        ("node(1 + 1).a == 4", true),
        ("forall n in nodes: alive(n) implies n.a > 0", true),
        ("forall n in nodes: not alive(n) or n.a > 1", false),
        ("exists n in nodes: crashed(n) and n == 1", true),
        ("exists n in nodes: n > 2", false),
        ("count(n in nodes: alive(n)) == 2", true),
        ("count(n in nodes: true) * 2 + count(m in messages: true) == 8", true),
        ("count(n in nodes: alive(n) and n.a > 0) >= 2 implies true", true),
        ("forall n in nodes: exists k in nodes: k == n + 1 or n == 2", true),
        ("forall n in nodes: forall k in nodes: n == 2 - k or n != 2 - k", true),
        ("exists m in messages: m.to == 0 and m.from == 2 and m.client == -1", true),
        ("exists m in messages: m.from == -1 and m.client == 4 and m.bytes == 'SET'", true),
        ("forall m in messages: alive(m.to) and node(m.to).a > 0", true),
        ("forall m in messages: exists r in replies: r.client == 4 and m.bytes != r.bytes", true),
        ("exists r in replies: exists m in messages: r.client == m.client", true),
        ("count(r in replies: r.bytes == 'OK') == 1", true),
        ("clock(1) == 1000000 and clock(node(2)) < 0", true),
        ("budget.crashes == 2", true),
        ("forall n in nodes: n < 2 or n.only == -2", true),
        ("true or node(1).a == 0", true),
        ("false and node(1).a == 0", false),
        ("true and forall n in nodes: true", true),
    ] {
        assert_eq!(evaluate(expression, Scope::State), Ok(value), "{expression}");
    }
}

#[test]
fn old_reads_the_earlier_world() {
    for (expression, value) in [
        ("old(node(2).a) == 3 and node(2).a == 4", true),
        ("old(alive(1)) and not alive(1)", true),
        ("forall n in nodes: old(n.a) == n + 1", true),
        ("old(forall n in nodes: n.a == n + 1)", true),
        ("old(count(m in messages: true)) == 0 and count(m in messages: true) == 2", true),
        ("forall m in messages: old(not exists k in messages: k.bytes == m.bytes)", true),
        ("forall n in nodes: alive(n) implies old(n.a) <= n.a", true),
        ("old(node(0).name) == node(0).name", true),
        ("old(node(1).name) == 'cd'", true),
        ("node(2).a - old(node(2).a) > 1", false),
    ] {
        assert_eq!(evaluate(expression, Scope::Step), Ok(value), "{expression}");
    }
}

#[test]
fn what_a_world_lacks_is_said_with_its_remedy() {
    for (expression, text) in [
        (
            "forall n in nodes: n.a > 0",
            "n.a cannot be read: node 1 has crashed; guard it with alive(n)",
        ),
        ("node(1).a == 0", "node(1).a cannot be read: node 1 has crashed; guard it with alive(1)"),
        (
            "forall n in nodes: n.only < 0",
            "n.only cannot be read: node 0 has no field \"only\"; declare it there, or name the \
             nodes that have it",
        ),
        (
            "node(2).far == 0",
            "node(2).far cannot be read: it ends at byte 13 and the content of node 2 has only 2 \
             bytes; correct the field, or let the program report before it waits",
        ),
        (
            "forall m in messages: alive(m.from)",
            "there is no node -1, which m.from is; guard it with \"… >= 0\" or \"… < 3\"",
        ),
        (
            "1 / (node(0).a - 1) == 0",
            "1 / (node(0).a - 1) divides by zero; guard it with \"… != 0 implies\"",
        ),
        ("7 % 0 == 0", "7 % 0 divides by zero; guard it with \"… != 0 implies\""),
        (
            "0xffffffffffffffff * 0xffffffffffffffff * 0xffff > 0",
            "0xffffffffffffffff * 0xffffffffffffffff * 0xffff overflows 128 bits; use smaller \
             numbers",
        ),
        ("u8('ab', 2) == 0", "u8('ab', 2) asks for byte 2 of 2 bytes; guard it with len(…)"),
        ("budget.drops == 0", "this system has no budget.drops; remove it"),
    ] {
        let expected = Err(format!("property \"p\": {text}"));
        assert_eq!(evaluate(expression, Scope::State), expected, "{expression}");
    }
    assert_eq!(
        evaluate("old(exists n in nodes: n.far == 0)", Scope::Step),
        Err(
            "property \"p\": n.far cannot be read: node 0 has no field \"far\"; declare it there, \
             or name the nodes that have it"
                .into()
        )
    );
}

#[test]
fn long_chains_are_no_depth_and_deep_nesting_is_a_mistake() {
    let fields = good(FIELDS).fields;
    let compile = |text: &str| Expression::compile(text, &fields, Scope::Step);
    for chain in [
        format!("true{}", " and true".repeat(20_000)),
        format!("false{}", " or true".repeat(20_000)),
        format!("0{} == 0", " + 1 - 1".repeat(20_000)),
        format!("1{} == 1", " * 1".repeat(20_000)),
    ] {
        assert!(compile(&chain).is_ok());
    }
    for part in ["(", "not ", "-", "true implies ", "forall x in nodes: ", "len(", "old(", "count("]
    {
        for count in [65, 100_000] {
            assert!(compile(&format!("{}true", part.repeat(count))).is_err(), "{part}");
        }
    }
}

fn manual() -> String {
    std::fs::read_to_string(manifest("man/cmc-model.5")).expect("the manual page")
}

#[test]
fn every_example_of_the_manual_is_a_model() {
    let manual = manual();
    let examples = manual.split(".Sh EXAMPLES").nth(1).expect("examples");
    let mut count = 0;
    for block in examples.split(".Bd -literal").skip(1) {
        let (_, body) = block.split_once('\n').expect("a literal block");
        good(body.split(".Ed").next().expect("its end"));
        count += 1;
    }
    assert!(count >= 3);
}

#[test]
fn the_manual_documents_exactly_the_keys_that_are_read() {
    let manual = manual();
    let mut documented: Vec<(String, Vec<String>)> = Vec::new();
    for line in manual.lines().take_while(|line| *line != ".Sh EXPRESSIONS") {
        if let Some(title) = line.strip_prefix(".Ss ") {
            documented.push((title.into(), Vec::new()));
        } else if let Some(name) = line.strip_prefix(".It Ic ") {
            documented.last_mut().expect("a section").1.push(name.into());
        }
    }
    let known: Vec<(String, Vec<String>)> = key::ALL
        .iter()
        .map(|section| {
            let keys = section.keys.unwrap_or_default().iter().map(|key| (*key).into()).collect();
            (section.title.to_owned(), keys)
        })
        .collect();
    assert_eq!(documented, known);
}

/// A model file in pieces: words, blanks, single signs.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut last = None;
    for c in text.chars() {
        let class = if c.is_alphanumeric() {
            0
        } else if c == ' ' {
            1
        } else {
            2
        };
        match tokens.last_mut() {
            Some(token) if class != 2 && last == Some(class) => token.push(c),
            _ => tokens.push(c.into()),
        }
        last = Some(class);
    }
    tokens
}

/// A place, another place, what to do there, and a byte for it.
type Mutation = (Index, Index, u8, u8);

fn mutate(text: &str, mutations: &[Mutation]) -> Vec<u8> {
    let mut tokens = tokens(text);
    let mut noise = Vec::new();
    for (first, second, what, byte) in mutations {
        let (i, j) = (first.index(tokens.len()), second.index(tokens.len()));
        match what % 5 {
            0 => tokens[i].clear(),
            1 => tokens.insert(j, tokens[i].clone()),
            2 => tokens.swap(i, j),
            3 => tokens[i] = tokens[j].clone(),
            _ => noise.push((first, *byte)),
        }
    }
    let mut bytes = tokens.concat().into_bytes();
    for (place, byte) in noise {
        let at = place.index(bytes.len());
        bytes[at] = byte;
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn a_mutated_model_is_a_model_or_a_model_error(
        mutations in prop::collection::vec(any::<Mutation>(), 1..4),
        which in any::<bool>(),
    ) {
        let bytes = mutate(if which { KV } else { FIELDS }, &mutations);
        match ModelFile::parse(Path::new("m.toml"), &bytes) {
            Ok(model) => {
                prop_assert!(!model.config.nodes.is_empty());
                prop_assert_eq!(model.config.nodes.len(), model.fields.len());
            }
            Err(Error::Model(text)) => prop_assert!(text.starts_with("m.toml:"), "{}", text),
            Err(other) => prop_assert!(false, "{:?}", other),
        }
    }

    #[test]
    fn any_bytes_are_a_model_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(matches!(ModelFile::parse(Path::new("m.toml"), &bytes), Err(Error::Model(_))));
    }

    #[test]
    fn any_text_compiles_or_is_a_mistake_inside_it(text in ".{0,80}") {
        if let Err(mistake) = Expression::compile(&text, &good(FIELDS).fields, Scope::Step) {
            prop_assert!(text.get(mistake.span).is_some());
        }
    }

    #[test]
    fn any_words_of_the_language_compile_or_are_a_mistake_inside_them(
        words in prop::collection::vec(prop::sample::select(vec![
            "forall", "exists", "n", "in", "nodes", "messages", ":", "(", ")", "count", "alive",
            "old", "node", "0", "1", ".", "a", "name", "==", "<", "+", "-", "and", "or", "not",
            "implies", "'x:00'", "true", "u8", ",", "len", "budget", "drops",
        ]), 0..14),
    ) {
        let text = words.join(" ");
        if let Err(mistake) = Expression::compile(&text, &good(FIELDS).fields, Scope::Step) {
            prop_assert!(text.get(mistake.span).is_some());
        }
    }
}
