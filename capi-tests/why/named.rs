//! `--why-so-many` names the words that multiply states, says how many are saved without each, and is
//! right about it.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::model::{Model, folder, run};

/// What is said of a word: states that are saved without it, and whether it can be left out.
type Words = BTreeMap<String, (u64, bool)>;

fn words(json: &Value) -> Words {
    let words = json["why_so_many"]["nodes"][0]["words"].as_array().expect("words");
    let said = |word: &Value| {
        let name = word["name"].as_str().expect("a name").to_owned();
        (name, (word["saved"].as_u64().expect("a number"), word["ignore"].is_string()))
    };
    words.iter().map(said).collect()
}

fn states(json: &Value) -> u64 {
    assert_eq!(json["verdict"], "pass", "{}", json["why"]);
    json["local_states"][0].as_u64().expect("a number of states")
}

const KEYS: [&str; 5] = ["1", "2", "3", "4", "5"];
const LINES: [&str; 5] = ["1\n", "2\n", "3\n", "4\n", "5\n"];
const TWICE: [&str; 6] = ["1", "2", "3", "1", "2", "3"];
const USES: [&str; 6] = ["1", "2", "3", "4", "1", "2"];

#[test]
fn what_is_saved_without_a_word_is_what_ignoring_it_saves() {
    let options: [&[&str]; 2] = [&["-g", "-O0"], &["-g", "-O2"]];
    for (source, send, word, saved) in [
        ("memory/list.c", &KEYS[..], "serve:buf", 49),
        ("memory/counter.c", &TWICE, "requests", 12),
        ("memory/lru.c", &USES, "serve:out", 56),
        ("memory/fgets.c", &LINES, "serve:line", 49),
        ("memory/getline.c", &LINES, "serve:line->*", 49),
        ("why/places.c", &["a", "a", "b"], "struct node.visits", 0),
    ] {
        for (level, options) in options.into_iter().enumerate() {
            let folder = folder(&format!("saved-{level}-{}", source.replace('/', "-")));
            let model = Model { source, options, ignore: &[], send, more: "" };
            let before = model.check(&folder, &["--why-so-many"]);
            let (said, can_be_left_out) = words(&before)[word];
            assert_eq!((said, can_be_left_out), (saved, true), "{source} {options:?}: {word}");
            let ignore = &[word];
            let after = Model { ignore, ..model }.check(&folder, &["--why-so-many"]);
            assert_eq!(states(&after), states(&before) - saved, "{source} {options:?}: {word}");
            assert!(!words(&after).contains_key(word), "{source} {options:?}: {word}");
        }
    }
}

#[test]
fn words_have_the_names_that_c_has_for_them() {
    let named = |source: &str, send: &[&str], options: &[&str]| {
        let folder = folder(&format!("named-{}", source.replace('/', "-")));
        let json = Model { source, options, ignore: &[], send, more: "" };
        words(&json.check(&folder, &["--why-so-many"]))
    };
    let places = named("why/places.c", &["a", "a", "b"], &["-g", "-O2"]);
    for word in [
        "table.count.hits",
        "table.count.misses",
        "struct node.visits",
        "struct node.key",
        "struct book.length",
        "struct book.text->*",
        "serve:request.text",
        "serve:served",
        "head",
    ] {
        assert!(places.get(word).is_some_and(|(_, ignore)| *ignore), "{word}: {places:#?}");
    }
    let lru = named("memory/lru.c", &USES, &["-g", "-O2"]);
    assert!(["serve:buf", "serve:out"].iter().all(|word| lru.contains_key(*word)), "{lru:#?}");
    // Without debug information, symbols have names and frames those of their functions.
    let plain = named("memory/counter.c", &TWICE, &["-O0"]);
    assert_eq!(plain["requests"], (12, true), "{plain:#?}");
    assert!(plain.keys().any(|word| word.starts_with("head->")), "{plain:#?}");
    assert!(plain.contains_key("stack of serve"), "{plain:#?}");
    assert!(plain.keys().all(|word| !word.contains("struct ")), "{plain:#?}");
}

#[test]
fn states_that_hide_an_address_are_told_by_the_word() {
    let model = Model {
        source: "memory/xor.c",
        options: &["-g", "-O2"],
        ignore: &[],
        send: &["1", "2", "3"],
        more: "",
    };
    let json = model.check(&folder("hidden"), &["--why-so-many"]);
    let raw = words(&json);
    let word = raw.keys().find(|word| word.starts_with("where heap objects lie"));
    let word = word.unwrap_or_else(|| panic!("{raw:#?}"));
    assert!(word.contains("an address is hidden in struct node.link"), "{word}");
    assert!(!raw[word].1);
    let notes = json["notes"].to_string();
    assert!(notes.contains("node 0 struct node.link"), "{notes}");
}

#[test]
fn the_answer_does_not_depend_on_timing_nor_on_how_states_are_reached() {
    let folder = folder("timing");
    let model = Model {
        source: "memory/lru.c",
        options: &["-g", "-O2"],
        ignore: &[],
        send: &USES,
        more: "",
    };
    let one = model.check(&folder, &["--why-so-many", "--workers=1", "--backend=history"]);
    for arguments in [["--workers=4", "--backend=auto"], ["--workers=2", "--backend=history"]] {
        let other = model.check(&folder, &[&["--why-so-many"], &arguments[..]].concat());
        assert_eq!(other["why_so_many"], one["why_so_many"], "{arguments:?}");
    }
}

#[test]
fn the_report_has_a_table_only_where_it_was_asked_for() {
    let folder = folder("report");
    let model = Model {
        source: "memory/list.c",
        options: &["-g", "-O2"],
        ignore: &[],
        send: &KEYS,
        more: "",
    };
    let file = model.write(&folder);
    let said = |arguments: &[&str]| {
        String::from_utf8(run(&folder, Path::new(&file), arguments).stdout).expect("text")
    };
    let table = said(&["--why-so-many"]);
    assert!(table.contains("what multiplies the 82 local states of node 0:"), "{table}");
    assert!(table.contains("      49          49       7  \"serve:buf\"\n"), "{table}");
    assert!(!said(&[]).contains("what multiplies"));
    for arguments in [["--why-so-many", "--simulate=3"], ["--why-so-many", "--whole-replay"]] {
        let output = run(&folder, &file, &arguments);
        let why = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && why.contains("leave out"), "{why}");
    }
    assert_eq!(model.check(&folder, &[])["why_so_many"], Value::Null);
}
