//! Programs without a hook, whose memory is their state: their comments agree with an enumeration
//! of their rules, they answer on real sockets what these say, and a check finds as many states as
//! the comments say.

#[path = "memory/agreement.rs"]
mod agreement;
#[path = "memory/boots.rs"]
mod boots;
#[path = "memory/comment.rs"]
mod comment;
#[path = "memory/comparisons.rs"]
mod comparisons;
#[path = "memory/conversation.rs"]
mod conversation;
#[path = "memory/histories.rs"]
mod histories;
#[path = "memory/key_set.rs"]
mod key_set;
#[path = "memory/kinds.rs"]
mod kinds;
#[path = "memory/machine.rs"]
mod machine;
#[path = "memory/places.rs"]
mod places;
#[path = "memory/plain.rs"]
mod plain;
#[path = "memory/programs.rs"]
mod programs;
#[path = "memory/roots.rs"]
mod roots;
#[path = "memory/structures.rs"]
mod structures;
#[path = "memory/table.rs"]
mod table;
#[path = "memory/variant.rs"]
mod variant;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use comment::{Expected, expectations};
use histories::{Counts, clients, count};
use machine::Machine;
use programs::{
    LEVELS, built, check, checked, model_file, models_at_levels, names, raw, source, two_at_a_time,
};
use serde_json::Value;

fn rules(model: &str) -> Box<dyn Machine> {
    let found = key_set::machine(model).or_else(|| structures::machine(model));
    found.or_else(|| places::machine(model)).unwrap_or_else(|| panic!("{model} has no rules"))
}

/// Every model with its program and what is expected of it.
fn models() -> BTreeMap<String, (String, Expected)> {
    let mut models = BTreeMap::new();
    for program in names(".c") {
        for (model, expected) in expectations(&program, &source(&program)) {
            models.insert(model, (program.clone(), expected));
        }
    }
    models
}

#[test]
fn comments_count_what_the_rules_of_the_programs_give() {
    let models = models();
    assert_eq!(models.keys().cloned().collect::<Vec<_>>(), names(".toml"));
    let mut wrong = Vec::new();
    for (model, (_, expected)) in &models {
        let clients = clients(&model_file(model));
        let Counts { ideal, stale, histories } = count(&*rules(model), &clients);
        let counted = [("ideal", ideal), ("stale", stale), ("histories", histories)];
        if expected.counts != counted.map(|(name, number)| (name.into(), number)).into() {
            wrong.push(format!("{model}: ideal={ideal} stale={stale} histories={histories}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_comment_complains_of_what_it_does_not_say() {
    let source = "/* expect: verdict=pass states=3 O0<=4 O0>=2 disagreed=0 raw_fallbacks>=1\n\
                  * expect other: verdict=error word=\"on addresses\" states=measured */";
    let models = expectations("one", source);
    let found = |states: u64, raw: Value| {
        serde_json::json!({"verdict": "pass", "local_states": [states], "disagreed": 0,
                           "raw_fallbacks": raw, "why": null})
    };
    let complaints = |model: &str, level: &str, json: &Value| -> usize {
        models[model].complaints(level, json).len()
    };
    for (level, states, raw, wrong) in [
        ("O2", 3, Value::from(1), 0),
        ("O2", 4, Value::from(1), 1),
        ("O2", 4, Value::from(0), 2),
        ("O0", 4, Value::from(1), 0),
        ("O0", 5, Value::from(1), 1),
        ("O0", 1, Value::from(1), 1),
        ("O2", 3, Value::Null, 1),
    ] {
        assert_eq!(complaints("one", level, &found(states, raw)), wrong, "{level} {states}");
    }
    let error = serde_json::json!({"verdict": "error", "why": "it depends on addresses"});
    assert_eq!(complaints("one", "O2", &error), 4);
    assert_eq!(complaints("other", "O2", &error), 0);
    assert_eq!(complaints("other", "O2", &found(3, Value::from(1))), 2);
}

/// The orders in which the messages are sent; all of a short script would be too many.
fn orders(messages: &[String]) -> Vec<Vec<String>> {
    let backwards = messages.iter().rev().cloned().collect();
    let (even, odd): (Vec<_>, Vec<_>) =
        messages.iter().cloned().enumerate().partition(|(place, _)| place % 2 == 0);
    let mixed = odd.into_iter().chain(even).map(|(_, message)| message).collect();
    vec![messages.to_vec(), backwards, mixed]
}

#[test]
fn programs_answer_on_real_sockets_what_their_rules_say() {
    let folder = built();
    // Numbers that the nodes of no model have.
    let programs: Vec<(u16, String)> = (300..).step_by(10).zip(names(".c")).collect();
    two_at_a_time(programs, |(node, program)| {
        let clients = clients(&model_file(&program));
        for level in LEVELS.into_iter().chain(["sanitized"]) {
            for order in 0..3 {
                let mut clients = clients.clone();
                for client in &mut clients {
                    client.messages = orders(&client.messages).swap_remove(order);
                }
                if order == 1 {
                    clients.reverse();
                }
                let file = folder.join(format!("{program}-{level}"));
                let held =
                    conversation::hold(&file, node + order as u16, rules(&program), &clients);
                // The sanitizer ends a program that reads freed memory, which one does on purpose,
                // but for the order in which the mark comes last.
                let reads_freed = (program.as_str(), level) == ("dangling", "sanitized");
                assert_eq!(held.is_err(), reads_freed && order != 1, "{held:?}");
            }
        }
    });
}

/// Judge what a check of every model at every level finds; how many comparisons agreed.
fn judge_all(
    check: impl Fn(&str, &str) -> Value + Sync,
    judge: impl Fn(&Expected, &str, &Value) -> Vec<String> + Sync,
) -> u64 {
    let models = models();
    let wrong = Mutex::new(Vec::new());
    let audited = AtomicU64::new(0);
    two_at_a_time(models_at_levels(), |(model, level)| {
        let json = check(&model, level);
        println!(
            "{model}-{level}: {} {} states, {} audited, {} disagreed, {} raw: {}",
            json["verdict"],
            json["local_states"],
            json["audited"],
            json["disagreed"],
            json["raw_fallbacks"],
            json["why"],
        );
        audited.fetch_add(json["audited"].as_u64().unwrap_or_default(), Ordering::Relaxed);
        let (_, expected) = &models[&model];
        for complaint in judge(expected, level, &json) {
            let mut wrong = wrong.lock().expect("no thread has panicked");
            wrong.push(format!("{model}-{level}: {complaint}"));
        }
    });
    let wrong = wrong.into_inner().expect("no thread has panicked");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    audited.into_inner()
}

#[test]
fn raw_memory_has_a_state_for_each_history_at_most() {
    let raw_check = |model: &str, level: &str| checked("raw", &raw(model, level), &[]);
    judge_all(raw_check, |expected, _, json| {
        let states = json["local_states"][0].as_u64().unwrap_or_default() as usize;
        let mut wrong = Vec::new();
        if json["verdict"] != "pass" || json["disagreed"] != 0 {
            wrong.push(format!("{}: {}", json["verdict"], json["why"]));
        }
        if states < expected.counts["ideal"] || states > expected.counts["histories"] {
            wrong.push(format!("{states} states"));
        }
        wrong
    });
}

/// What is left out of these grows without end, and with it the memories that a full audit would try.
const ENDLESS: [&str; 1] = ["counter_ignored"];

/// Comparisons of learned steps that a full audit of all programs makes at least.
const AUDITED: u64 = 5_000;

#[test]
fn canonical_memory_has_the_states_that_the_comments_say() {
    let memory_check = |model: &str, level: &str| {
        let audit = if ENDLESS.contains(&model) { "--audit=10%" } else { "--audit=full" };
        check("memory", model, level, &[audit])
    };
    let audited = judge_all(memory_check, |expected, level, json| expected.complaints(level, json));
    println!("{audited} audited");
    assert!(audited >= AUDITED, "{audited}");
}
