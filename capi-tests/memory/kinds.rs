//! Every example under every kind of state: its report or region, its raw memory, and its canonical
//! memory. What is asked of them may not depend on it.

use std::path::Path;

use serde_json::Value;

use crate::programs::two_at_a_time;
use crate::variant::{Variant, check_variant, examples, own_kind, variant};

fn complete(json: &Value) -> bool {
    json["verdict"] == "pass"
}

/// What is wrong with `found`, under a kind that lacks some of the properties of `own`.
fn complaint(own: &Value, lacks: &Variant, found: &Value) -> Option<&'static str> {
    if found["disagreed"] != 0 || found["raw_fallbacks"] != 0 {
        return Some("not all of its memory was understood");
    }
    let property = own["property"].as_str();
    let same = property.is_none_or(|property| !lacks.lacks.contains(property));
    match same {
        true if found["verdict"] != own["verdict"] => Some("another verdict"),
        true if found["property"] != own["property"] => Some("another property"),
        // Kinds tell more or less apart, and no step of the program is left out for that.
        true if found["trace_len"] != own["trace_len"] => Some("another length of the trace"),
        false if found["verdict"] != "pass" => Some("what is left of the properties is broken"),
        _ => None,
    }
}

fn one_example(file: &Path) {
    let text = std::fs::read_to_string(file).expect("the model file can be read");
    let home = file.parent().expect("a model file is in a folder");
    let under = |kind: &str| {
        let variant = variant(&text, home, kind);
        let json = check_variant("kinds", file, kind, &variant.text);
        (variant, json)
    };
    let (_, own) = under(own_kind(&text));
    let [(raw_lacks, raw), (lacks, memory)] = ["raw", "memory"].map(under);
    for (kind, variant, found) in [("raw", &raw_lacks, &raw), ("memory", &lacks, &memory)] {
        let wrong = complaint(&own, variant, found);
        assert_eq!(wrong, None, "{} {kind}: {own} {found}", file.display());
    }
    if complete(&raw) && complete(&memory) {
        let states = |json: &Value| -> Vec<u64> {
            let states = json["local_states"].as_array().expect("an array").iter();
            states.map(|number| number.as_u64().expect("a number")).collect()
        };
        let pairs = states(&memory).into_iter().zip(states(&raw));
        assert!(pairs.clone().all(|(memory, raw)| memory <= raw), "{}: {pairs:?}", file.display());
        let worlds = |json: &Value| json["distinct"].as_u64().expect("a number");
        assert!(worlds(&memory) <= worlds(&raw), "{}", file.display());
    }
}

#[test]
fn every_example_is_the_same_under_every_kind_of_state() {
    two_at_a_time(examples(), |file| one_example(&file));
}
