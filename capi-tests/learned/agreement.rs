//! Learned steps and whole replay give the same verdict, counts and trace, for search and walks,
//! whatever the state kind.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::command::{check, folder, letters, model_files, target, two_at_a_time};
use crate::variant::{KEYS, moved, with_state};

/// Of so many worlds on, whole replay starts nodes by forking a zygote: by `execve` it takes four times
/// as long, and smaller models show that it comes to the same.
const MANY: u64 = 200;

/// Check both ways; what learned steps found.
fn agree(folder: &Path, file: &Path, arguments: &[&str]) -> Value {
    let (status, learned) = check(folder, file, arguments);
    let mut whole_replay = [arguments, &["--whole-replay"]].concat();
    if learned["distinct"].as_u64() > Some(MANY) {
        whole_replay.push("--zygote");
    }
    let (oracle_status, oracle) = check(folder, file, &whole_replay);
    for key in KEYS {
        assert_eq!(learned[key], oracle[key], "{} {arguments:?}: {key}", file.display());
    }
    assert_eq!(status.status.code(), oracle_status.status.code(), "{}", file.display());
    learned
}

/// The model by its raw memory, which keeps what the reports leave out: with all budgets there are too
/// many worlds.
fn raw(file: &Path) -> String {
    let text = with_state(file, "raw");
    text.replace("timeouts = 2", "timeouts = 1").replace("drops = 1", "drops = 0")
}

#[test]
fn every_example_is_the_same_by_whole_replay() {
    let folder = folder("examples");
    two_at_a_time(model_files(), |file| {
        let name = file.file_name().expect("a model file has a name");
        // Whole replay takes its time over elections; those with crashes between effects are whole.
        if name == "election.toml" || name == "election-bug.toml" {
            let copy = folder.join(name);
            let text = moved(&file).replace("timeouts = 2", "timeouts = 1");
            fs::write(&copy, text).expect("the model file can be written");
            agree(&folder, &copy, &[]);
        } else {
            agree(&folder, &file, &[]);
        }
    });
}

#[test]
fn every_example_is_the_same_by_whole_replay_with_raw_states() {
    let folder = folder("raw");
    two_at_a_time(model_files(), |file| {
        let name = file.file_name().expect("a model file has a name");
        let copy = folder.join(name);
        fs::write(&copy, raw(&file)).expect("the model file can be written");
        let found = agree(&folder, &copy, &["--max-states=800"]);
        assert!(found["notes"].to_string().contains("raw"), "{}", file.display());
    });
}

#[test]
fn walks_are_the_same_by_whole_replay() {
    let folder = folder("walks");
    two_at_a_time(model_files(), |file| {
        agree(&folder, &file, &["--simulate=40", "--depth=25", "--seed=3"]);
    });
}

#[test]
fn clock_and_chance_branch_the_same_by_whole_replay() {
    let folder = folder("chance");
    let budget = "[budget]\ntimeouts = 3\ncrashes = 1\nrestarts = 1";
    let client = "[[client]]\nnode = 0\nsend = []";
    let file = target(&folder, "chance", &format!("{budget}\n{client}"));
    let found = agree(&folder, &file, &[]);
    assert_eq!(found["verdict"], "pass");
    // Seconds and random bytes are told apart, or there would be one state for each count.
    assert!(found["local_states"][0].as_u64() > Some(8), "{found}");
    agree(&folder, &file, &["--simulate=40", "--seed=3"]);
}

#[test]
fn two_encodings_of_one_state_are_two_states_and_pass() {
    let folder = folder("two_ways");
    let file = target(&folder, "two_ways", &letters(&["a", "b", "t"]));
    let found = agree(&folder, &file, &[]);
    assert_eq!(found["verdict"], "pass");
    // Nothing, a, b, and a and b in two orders.
    assert_eq!(found["local_states"][0], 5);
    assert_eq!(check(&folder, &file, &["--audit=full"]).1["verdict"], "pass");
}

#[test]
fn where_a_node_waits_in_its_code_is_part_of_its_state() {
    let folder = folder("two_places");
    let client = "[[client]]\nnode = 0\nsend = [\"1\", \"2\", \"3\"]\nwait = true\nclose = true";
    let answers = "\"A, then B\" = '(exists r in replies: r.bytes == \"B\") implies (count(r in \
                   replies: r.bytes == \"A\") == 1)'";
    let file = target(&folder, "two_places", &format!("{client}\n[invariants]\n{answers}"));
    let found = agree(&folder, &file, &[]);
    assert_eq!(found["verdict"], "pass", "{found}");
    assert_eq!(found["local_states"][0], 1);
    // It waits in accept, and in two places for a message.
    assert_eq!(found["identities"][0], 3);
}

#[test]
fn what_the_loader_asks_belongs_to_the_boot() {
    let folder = folder("early");
    let budget = "[budget]\ncrashes = 1\nrestarts = 1";
    let file = target(&folder, "early", &format!("{budget}\n{}", letters(&["a"])));
    let found = agree(&folder, &file, &[]);
    assert_eq!(found["verdict"], "pass", "{found}");
    // One random byte a boot.
    assert_eq!(found["local_states"][0], 2, "{found}");
}

#[test]
fn nodes_of_one_model_may_run_different_programs() {
    let folder = folder("different");
    let file = folder.join("different.toml");
    let examples = crate::command::examples();
    let text = format!(
        "[[node]]\nprogram = \"{0}/kv/kv\"\nstate = \"region:cmc_state\"\n[node.fields]\na = \
         \"u8@0\"\n[[node]]\nprogram = \"{0}/list/list-report\"\nstate = \"report\"\n[node.fields]\nfirst \
         = \"u8@0\"\n[network]\nmode = \"message\"\n[[client]]\nnode = 0\nsend = [\"SET \
         a\"]\n[[client]]\nnode = 1\nsend = [\"INS 3\"]\n[sometimes]\n\"both did\" = \"node(0).a == 1 \
         and node(1).first == 3\"\n",
        examples.display()
    );
    fs::write(&file, text).expect("the model file can be written");
    let found = agree(&folder, &file, &[]);
    assert_eq!(found["verdict"], "pass", "{found}");
    // Each alone has five steps; the replies tell the order of the last ones.
    assert_eq!(found["local_states"], serde_json::json!([2, 2]), "{found}");
}

#[test]
fn crashes_of_booting_multiply_over_the_nodes() {
    let folder = folder("boot");
    let more = "count = 2\n[fields]\nfound = \"u8@0\"\n[budget]\ncrashes = 2\nrestarts = 1\n\
                [invariants]\n\"at most two before\" = \"forall n in nodes: alive(n) implies n.found <= \
                2\"";
    let file = target(&folder, "boot", more);
    // Each of two boots ends whole or behind its first effect.
    let initial = agree(&folder, &file, &["--depth=1"]);
    assert_eq!((&initial["distinct"], &initial["generated"]), (&4.into(), &4.into()), "{initial}");
    let found = agree(&folder, &file, &[]);
    assert_eq!(found["verdict"], "pass", "{found}");
    // The trace of a violation in the second initial world names that world.
    let whole = "forall n in nodes: not crashed(n)";
    let text = fs::read_to_string(&file).expect("the model file can be read");
    let text = text.replace("forall n in nodes: alive(n) implies n.found <= 2", whole);
    fs::write(&file, text).expect("the model file can be written");
    assert_eq!(agree(&folder, &file, &[])["trace_len"], 1);
    let trace = fs::read_to_string(folder.join("boot.trace")).expect("a trace was written");
    assert!(trace.contains("\ninitial: 1\n"), "{trace}");
}
