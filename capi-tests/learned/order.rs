//! What is found, and what is audited, does not depend on the order inside the levels.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cmc::check::file::ModelFile;
use cmc::process::Processes;
use cmc::process::audit::Policy;
use cmc::process::learned::{Counts, Learned};
use cmc::search::{Found, Search, Verdict};

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
    let Prepared { model, learned } = prepared(file);
    let stop = AtomicBool::new(false);
    let search = Search { shuffle, ..Search::new(&stop) };
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
