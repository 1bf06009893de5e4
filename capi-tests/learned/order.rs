//! What is found, and what is audited, does not depend on the order inside the levels.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cmc::check::file::ModelFile;
use cmc::process::Processes;
use cmc::process::audit::Policy;
use cmc::process::learned::{Counts, Learned};
use cmc::search::{Found, Search, Strategy, Verdict};

use crate::command::examples;

/// A model, and its programs ready to be learned.
pub struct Prepared {
    pub model: ModelFile,
    pub learned: Learned,
}

/// The model of an example, with the default audit.
pub fn prepared(file: &str) -> Prepared {
    let model = ModelFile::load(&examples().join(file)).expect("examples are model files");
    let preload = Path::new(env!("CMC_PRELOAD_BUILT"));
    let never = Arc::new(AtomicBool::new(false));
    let processes = Processes::new(model.config.clone(), preload, &never).expect("programs start");
    let learned = Learned::new(Arc::new(processes), Policy::Sampled(10));
    Prepared { model, learned }
}

fn searched(file: &str, shuffle: Option<u64>) -> (Found, Counts) {
    let stop = AtomicBool::new(false);
    searched_by(&Search { shuffle, ..Search::new(&stop) }, file)
}

fn searched_by(search: &Search<'_>, file: &str) -> (Found, Counts) {
    let Prepared { model, learned } = prepared(file);
    let found = search.run(&learned, &model.properties, &mut (), &mut |_| ());
    (found, learned.counts())
}

#[test]
fn the_order_inside_levels_changes_no_count() {
    for file in ["election/election.toml", "election/election-crash.toml", "pair/pair.toml"] {
        let expected = searched(file, None);
        assert_eq!(expected.0.verdict, Verdict::Pass);
        assert!(expected.1.audited > 0);
        for seed in 1..=8 {
            assert_eq!(searched(file, Some(seed)), expected, "{file}, order {seed}");
        }
    }
}

#[test]
fn the_order_inside_levels_changes_no_violation() {
    for file in ["election/election-bug.toml", "election/election-bug-crash.toml"] {
        let (expected, _) = searched(file, None);
        assert_eq!(expected.verdict, Verdict::Violated);
        for seed in 1..=4 {
            assert_eq!(searched(file, Some(seed)).0, expected, "{file}, order {seed}");
        }
    }
}

#[test]
fn depth_first_and_on_walks_no_number_of_workers_changes_a_count() {
    let stop = AtomicBool::new(false);
    let strategies = [
        Strategy::Depth { bound: 30 },
        Strategy::Iterative { bound: 9 },
        Strategy::Simulate { walks: 150, depth: 30 },
    ];
    for file in ["election/election.toml", "pair/pair.toml", "election/election-bug.toml"] {
        for strategy in strategies {
            let width = Some(10);
            let search = Search { strategy, width, seed: 3, ..Search::new(&stop) };
            let expected = searched_by(&search, file);
            assert!(expected.1.run > 10 && expected.1.audited > 0, "{:?}", expected.1);
            for (workers, shuffle) in [(1, Some(1)), (2, None), (2, Some(2)), (3, Some(3))] {
                let found = searched_by(&Search { workers, shuffle, ..search }, file);
                assert_eq!(found, expected, "{file}, {strategy:?}, {workers} workers, {shuffle:?}");
            }
        }
    }
}
