//! A start of a program can be repeated: whichever way it is started, no word of its memory differs;
//! and where its heap places what it gives changes nothing but addresses.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cmc::check::file::ModelFile;
use cmc::process::Processes;
use cmc::process::arena::{Heap, Placement};
use cmc::process::contract::{ARENA_BASE, ARENA_USED};
use cmc::process::node::Node;
use cmc::process::start_words::{self, Image};
use cmc::process::step::{Answers, Cause, Input, Rest};
use cmc::process::zygotes::Zygotes;

/// The programs of a model of two nodes that run `words.c`, built for one test.
fn processes(test: &str) -> Processes {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join("starts").join(test);
    fs::create_dir_all(&folder).expect("the folder can be made");
    let mut gcc = Command::new("gcc");
    gcc.args(["-O2", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", "-I"]);
    gcc.arg(root.join("capi-tests/targets")).arg(root.join("capi-tests/starts/words.c"));
    let status = gcc.arg("-o").arg(folder.join("words")).status();
    assert!(status.is_ok_and(|status| status.success()), "words.c");
    let model = folder.join("words.toml");
    let node = "[[node]]\nprogram = \"./words\"\nstate = \"report\"\n\n";
    let rest = "[network]\nmode = \"message\"\n[[client]]\nnode = 0\nsend = [\"a\"]\n\
                [fields]\nid = \"u32le@0\"\n[invariants]\n\"some\" = \"forall n in nodes: n.id > 0\"\n";
    fs::write(&model, [node, node, rest].concat()).expect("the model can be written");
    let model = ModelFile::load(&model).expect("it is a model");
    let preload = Path::new(env!("CMC_PRELOAD_BUILT"));
    let never = Arc::new(AtomicBool::new(false));
    Processes::new(model.config.clone(), preload, &never).expect("its programs start")
}

/// Boots, is dialled, and is sent two messages.
fn causes() -> [Cause; 4] {
    let input = |bytes: &[u8]| Cause::Input(Input::Bytes(bytes.to_vec()));
    let accepted = Cause::Input(Input::Accepted { synthetic: false });
    [Cause::Boot(None), accepted, input(b"one two three"), input(b"four")]
}

fn step(node: &mut Node, cause: &Cause) {
    let (_, rest) = node.run(cause, Answers::default(), None).expect("it runs");
    assert!(matches!(rest, Rest::Waiting(..)), "{cause:?}");
}

fn image(node: &Node) -> Image {
    start_words::image(node.memory(), None).expect("its memory can be read")
}

#[test]
fn no_writable_word_differs_between_two_boots_however_they_are_started() {
    let processes = processes("boots");
    let start = || processes.start(0, Answers::default(), true).expect("it starts");
    let mut zygotes = Zygotes::default();
    let forked = zygotes.start(&processes, 0, Answers::default()).expect("it starts");
    let mut nodes = [start(), start(), forked];
    let compare = |nodes: &[Node; 3], when: &str| {
        let first = image(&nodes[0]);
        assert!(first.len() > 5 && first.iter().any(|(start, ..)| *start == ARENA_BASE));
        for other in &nodes[1..] {
            let differences = start_words::compare(&first, &image(other));
            assert_eq!(differences, [], "{when}");
        }
    };
    compare(&nodes, "at the hello");
    for cause in &causes() {
        nodes.iter_mut().for_each(|node| step(node, cause));
        compare(&nodes, &format!("{cause:?}"));
    }
    let place = ARENA_BASE + 8 * ARENA_USED;
    let expected = image(&nodes[0]);
    assert!(nodes[1].memory().write(place, &[0xff; 8]));
    let differences = start_words::compare(&expected, &image(&nodes[1]));
    assert_eq!(differences.len(), 1, "a word that does differ is seen");
    assert_eq!(differences[0].address, place);
}

#[test]
fn libc_believes_the_number_that_the_node_is_told() {
    let processes = processes("numbers");
    for number in 0..2 {
        let mut node = processes.start(number, Answers::default(), true).expect("it starts");
        step(&mut node, &causes()[0]);
        let report = node.report.expect("it reports");
        let told = 1000 + number as u32;
        assert_eq!(report[..8], [told.to_le_bytes(), told.to_le_bytes()].concat());
    }
}

#[test]
fn the_placement_changes_where_objects_are_and_nothing_else() {
    let processes = processes("placements");
    let run = |placement| {
        let mut node = processes.start(0, Answers::default(), true).expect("it starts");
        node.placement = placement;
        let mut reports = Vec::new();
        for cause in &causes() {
            step(&mut node, cause);
            reports.push(node.report.clone().expect("it reports"));
        }
        let used = node.memory().word(ARENA_BASE + ARENA_USED).expect("it has a heap");
        let arena = node.memory().bytes(ARENA_BASE, used as usize).expect("it can be read");
        let heap = Heap::read(&arena).expect("it is whole");
        assert_eq!((heap.placement(), heap.stray(&arena)), (placement, None));
        (reports, heap.objects().len())
    };
    let (first, objects) = run(Placement::First);
    let (permuted, permuted_objects) = run(Placement::Permuted);
    assert_eq!(objects, permuted_objects);
    for (a, b) in first.iter().zip(&permuted) {
        assert_eq!(a[..16], b[..16], "what it holds");
        assert_ne!(a[16..], b[16..], "where");
    }
}
