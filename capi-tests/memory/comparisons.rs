//! A hundred thousand comparisons of the audit: programs that are sent more keys, so that a state has
//! many memories, of which every one is executed.
//! `cargo test --release --test memory -- --ignored --nocapture hundred` prints how many there were.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::programs::{checked, sources, two_at_a_time};

/// Programs of a set of keys, in an order in which two threads have as much to do.
const PROGRAMS: [&str; 10] = [
    "fgets",
    "getline",
    "list_cleared",
    "hash_sorted",
    "treap",
    "tree",
    "packed",
    "hash_insertion",
    "list",
    "xor",
];

/// Build `program` for keys up to `keys`, and write a model that sends each once, in every order.
fn model(program: &str, keys: usize) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("comparisons");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let name = format!("{program}-{keys}");
    let mut gcc = Command::new("gcc");
    gcc.args(["-O2", "-g", "-Wall", "-Wextra", "-Werror", "-no-pie"]);
    gcc.arg(format!("-DKEYS={keys}")).arg("-o").arg(folder.join(&name));
    let status = gcc.arg(sources().join(format!("{program}.c"))).status();
    assert!(status.is_ok_and(|status| status.success()), "{program}.c");
    let line = ["fgets", "getline"].contains(&program);
    let message = |key: usize| if line { format!("x:3{key}0a") } else { key.to_string() };
    let messages: Vec<String> = (1..=keys).map(message).collect();
    let file = folder.join(format!("{name}.toml"));
    let text = format!(
        "[[node]]\nprogram = \"./{name}\"\n[network]\nmode = \"message\"\n[[client]]\nnode = 0\nsend = \
         {messages:?}\norder = \"any\"\nwait = true\n[sometimes]\n\"every key is answered\" = \
         \"count(r in replies: true) == {keys}\"\n"
    );
    std::fs::write(&file, text).expect("the model file can be written");
    file
}

/// Audit every program with `keys` keys in full; how many comparisons agreed.
fn audited(keys: usize) -> u64 {
    let sum = AtomicU64::new(0);
    two_at_a_time(PROGRAMS.to_vec(), |program| {
        let json = checked("audit", &model(program, keys), &["--audit=full", "--workers=1"]);
        let hides = program == "xor";
        let (verdict, disagreed) = if hides { ("error", 1) } else { ("pass", 0) };
        assert_eq!(json["verdict"], verdict, "{program}: {json}");
        assert_eq!(json["disagreed"], disagreed, "{program}: {json}");
        let audited = json["audited"].as_u64().expect("a number");
        println!(
            "{program}, {keys} keys: {} local states, {audited} audited, {} disagreed, {:.0} s",
            json["local_states"][0],
            json["disagreed"],
            json["seconds"].as_f64().expect("a number")
        );
        sum.fetch_add(audited, Ordering::Relaxed);
    });
    let sum = sum.into_inner();
    println!("{sum} comparisons");
    sum
}

#[test]
#[ignore = "takes minutes"]
fn a_hundred_thousand_comparisons_agree() {
    assert!(audited(7) >= 100_000);
}
