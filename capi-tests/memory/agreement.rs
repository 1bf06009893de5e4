//! What a check of memories finds does not depend on how nodes are put into their states, nor on how
//! many threads look: whole replay, replayed histories and restored processes agree.

use serde_json::Value;

use crate::programs::{LEVELS, check, names, two_at_a_time};

/// What must not depend on how worlds are reached.
const KEYS: [&str; 12] = [
    "verdict",
    "property",
    "why",
    "distinct",
    "generated",
    "depth",
    "trace_len",
    "local_states",
    "identities",
    "receipts",
    "bounds",
    "unreached",
];

/// Models whose check ends with an error, at whatever step shows it first.
const ERRORS: [&str; 2] = ["xor", "address_hash"];

/// Every model, each at one level.
fn in_turn() -> Vec<(String, &'static str)> {
    let models = names(".toml").into_iter().enumerate();
    models.map(|(place, model)| (model, LEVELS[place % LEVELS.len()])).collect()
}

fn same(model: &str, expected: &Value, found: &Value, how: &[&str]) {
    for key in KEYS {
        assert_eq!(expected[key], found[key], "{model} {how:?}: {key}");
    }
}

#[test]
fn every_program_is_the_same_by_history_and_restored_by_one_worker_and_by_two() {
    two_at_a_time(in_turn(), |(model, level)| {
        let run = |how: &[&str]| check("backends", &model, level, how);
        let restored = run(&["--backend=restore", "--workers=2"]);
        let replayed = run(&["--backend=history", "--workers=1"]);
        if ERRORS.contains(&model.as_str()) {
            assert_eq!(restored["verdict"], "error", "{model}-{level}");
            assert_eq!(replayed["verdict"], "error", "{model}-{level}");
            return;
        }
        same(&model, &restored, &replayed, &["--backend=history"]);
        // How much is audited is a matter of the model, not of threads and back ends.
        for key in ["audited", "audited_states", "unaudited_states", "excess_origins"] {
            assert_eq!(restored[key], replayed[key], "{model}-{level}: {key}");
        }
    });
}

/// Paths on which whole replay looks at every model, at one level each: four messages and more.
const DEPTH: &str = "--depth=9";
/// Models that it looks at whole: what is merged, what is freed, and a second connection.
const WHOLE: [&str; 3] = ["list_cleared", "dangling", "session"];

#[test]
fn every_program_is_the_same_by_whole_replay() {
    // The audit ends the check of xor, and whole replay has none.
    let bounded = in_turn().into_iter().filter(|(model, _)| model != "xor");
    let bounded = bounded.map(|(model, level)| (model, level, DEPTH));
    let whole = WHOLE.map(|model| (model.into(), "O2", "--depth=99"));
    two_at_a_time(whole.into_iter().chain(bounded).collect(), |(model, level, depth)| {
        let learned = check("learned", &model, level, &[depth]);
        let replay = [depth, "--whole-replay", "--zygote"];
        let oracle = check("replayed", &model, level, &replay);
        println!("{model}-{level}: {} worlds, {} s", oracle["distinct"], oracle["seconds"]);
        same(&model, &learned, &oracle, &replay);
    });
}
