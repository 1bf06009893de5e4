//! A page that was saved wrongly is found by the comparison with the history.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cmc::check::file::ModelFile;
use cmc::process::Processes;
use cmc::process::audit::Policy;
use cmc::process::learned::Learned;
use cmc::search::{Search, Verdict};

use crate::command::examples;

/// Search the election with a byte of every saved memory flipped, if `lie`; the verdict, and how many
/// executions both back ends ran.
fn searched(lie: bool) -> (Verdict, u64) {
    let file = examples().join("election/election.toml");
    let model = ModelFile::load(&file).expect("examples are model files");
    let preload = Path::new(env!("CMC_PRELOAD_BUILT"));
    let never = Arc::new(AtomicBool::new(false));
    let mut processes =
        Processes::new(model.config.clone(), preload, &never).expect("programs start");
    if lie {
        let object = processes.programs[0].object("me").expect("the program has it");
        processes.restores.images.spoil_for_tests(object.address);
    }
    let processes = Arc::new(processes);
    let learned = Learned::new(Arc::clone(&processes), Policy::Sampled(1000));
    let stop = AtomicBool::new(false);
    let found = Search::new(&stop).run(&learned, &model.properties, &mut (), &mut |_| ());
    (found.verdict, processes.restores.counts().compared)
}

#[test]
fn a_byte_that_was_saved_wrongly_is_found() {
    let (verdict, compared) = searched(false);
    assert_eq!(verdict, Verdict::Pass);
    assert!(compared > 100, "{compared}");
    match searched(true).0 {
        Verdict::Error(error) => {
            let said = error.to_string();
            assert!(said.contains("in a process put into the memory saved there"), "{said}");
        }
        other => panic!("{other:?}"),
    }
}
