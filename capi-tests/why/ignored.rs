//! What `ignore` names is left out of the states, wherever it is, and nothing else is; what is not
//! there is said before anything runs; and what matters is found to matter.

use serde_json::Value;

use crate::model::{Model, folder};

/// All that multiplies the states of the program and that no answer depends on.
const IGNORED: [&str; 6] = [
    "table.count",
    "struct node.visits",
    "book->length",
    "book->text->*",
    "serve:request.text",
    "serve:served",
];
/// A variable out of scope, which may still be in its slot.
const STALE: &str = "serve:answer";
/// Where the compiler puts the program and its variables.
const LEVELS: [&[&str]; 3] = [&["-g", "-O0"], &["-g", "-O2"], &["-g", "-O2", "-no-pie"]];

fn places<'a>(options: &'a [&'a str], ignore: &'a [&'a str]) -> Model<'a> {
    Model { source: "why/places.c", options, ignore, send: &["a", "a", "b"], more: "" }
}

fn states(json: &Value) -> u64 {
    assert_eq!(json["verdict"], "pass", "{}", json["why"]);
    json["local_states"][0].as_u64().expect("a number of states")
}

#[test]
fn every_sort_of_place_can_be_left_out() {
    for (level, options) in LEVELS.iter().enumerate() {
        let folder = folder(&format!("left-out-{level}"));
        let all = [&IGNORED[..], &[STALE]].concat();
        let all = places(options, &all).check(&folder, &["--audit=10%"]);
        assert_eq!(states(&all), 5, "{options:?}");
        assert!(all["audited"].as_u64() > Some(0), "{options:?}");
        // None of them is left out for nothing.
        for place in IGNORED {
            let others = IGNORED.into_iter().filter(|other| *other != place);
            let others: Vec<&str> = others.chain([STALE]).collect();
            let without = places(options, &others).check(&folder, &[]);
            assert!(states(&without) > 5, "{options:?}: {place}");
        }
    }
}

#[test]
fn what_matters_is_found_to_matter() {
    for place in ["struct node.key", "head->key", "head"] {
        let folder = folder(&format!("matters-{}", place.replace([' ', '>'], "-")));
        let ignore = [&IGNORED[..], &[STALE, place]].concat();
        let json = places(LEVELS[1], &ignore).check(&folder, &["--audit=100%"]);
        match place {
            // What a pointer that is left out leads to keeps its place, so that no two states are one.
            "head" => assert!(states(&json) >= 5),
            _ => {
                assert_eq!(json["verdict"], "error", "{place}");
                let why = json["why"].as_str().expect("a reason");
                assert!(why.contains("identity incomplete"), "{why}");
            }
        }
    }
}

#[test]
fn what_is_not_there_is_said_before_anything_runs() {
    let plain: &[&str] = &["-O2"];
    for (options, place, words) in [
        (
            LEVELS[1],
            "tabel",
            "\"tabel\": variable \"tabel\" is not in the program; did you mean \"table\"?",
        ),
        (LEVELS[1], "table.cuont", "has no field \"cuont\"; did you mean \"count\"?"),
        (LEVELS[1], "serve:reqest", "serve has no variable \"reqest\"; did you mean \"request\"?"),
        (LEVELS[1], "sevre:request", "did you mean \"serve\"?"),
        (
            LEVELS[1],
            "struct nod.key",
            "\"struct nod\" is not in the program; did you mean \"node\"?",
        ),
        (LEVELS[1], "head.key", "write \"->key\""),
        (LEVELS[1], "own", "\"own\" is thread-local"),
        (plain, "serve:request", "build it with -g"),
        (plain, "head->key", "build the program with -g"),
    ] {
        let folder = folder("absent");
        let json = places(options, &[place]).check(&folder, &[]);
        assert_eq!(json["verdict"], "error", "{place}");
        let why = json["why"].as_str().expect("a reason");
        assert!(why.contains("program \"./places\": ignore: ") && why.contains(words), "{why}");
        assert_eq!(json["processes"], Value::Null, "{place}");
    }
    let json = places(LEVELS[1], &["head->"]).check(&folder("grammar"), &[]);
    let why = json["why"].as_str().expect("a reason");
    assert!(why.contains("model.toml:3:11: column 7 of \"head->\": the name of a field"), "{why}");
}
