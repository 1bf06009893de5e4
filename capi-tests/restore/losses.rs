//! What is lost is made again, and what is wrong is found: saved memories that no room is left for,
//! processes that die between steps, and pages that were saved wrongly.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use cmc::check::file::ModelFile;
use cmc::process::Processes;
use cmc::process::audit::Policy;
use cmc::process::images::Images;
use cmc::process::learned::{Counts, Learned};
use cmc::process::restore::Restored;
use cmc::search::{Found, Observer, Search, Verdict};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::command::examples;

/// The children of this process are those of one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// Search the election on one thread, prepared by `prepare`.
fn searched(
    policy: Policy,
    observer: &mut dyn Observer,
    prepare: impl FnOnce(&mut Processes),
) -> (Found, Counts, Restored) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let file = examples().join("election/election.toml");
    let model = ModelFile::load(&file).expect("examples are model files");
    let preload = Path::new(env!("CMC_PRELOAD_BUILT"));
    let never = Arc::new(AtomicBool::new(false));
    let mut processes =
        Processes::new(model.config.clone(), preload, &never).expect("programs start");
    prepare(&mut processes);
    let processes = Arc::new(processes);
    let learned = Learned::new(Arc::clone(&processes), policy);
    let stop = AtomicBool::new(false);
    let search = Search { workers: 1, ..Search::new(&stop) };
    let found = search.run(&learned, &model.properties, observer, &mut |_| ());
    (found, learned.counts(), processes.restores.counts())
}

/// Kills every child that is stopped between two steps, once in a while.
#[derive(Default)]
struct Killer {
    worlds: u64,
    killed: u64,
}

impl Observer for Killer {
    fn stored(&mut self, _: &[u8]) {
        self.worlds += 1;
        if !self.worlds.is_multiple_of(100) {
            return;
        }
        let own = std::process::id().to_string();
        for entry in fs::read_dir("/proc").expect("it is mounted").flatten() {
            let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else { continue };
            let fields = stat.rsplit(") ").next().unwrap_or_default();
            let mut fields = fields.split(' ');
            let (state, parent) = (fields.next(), fields.next());
            if (state, parent) == (Some("t"), Some(&own)) {
                let pid = entry.file_name().to_string_lossy().parse().expect("a number");
                kill(Pid::from_raw(pid), Signal::SIGKILL).expect("it is a child");
                self.killed += 1;
            }
        }
    }
}

#[test]
fn memories_that_are_dropped_are_made_again() {
    let (found, counts, whole) = searched(Policy::Sampled(100), &mut (), |_| ());
    assert_eq!((&found.verdict, whole.fallbacks), (&Verdict::Pass, 0));
    let budget = whole.bytes / 3;
    let (again, same, less) = searched(Policy::Sampled(100), &mut (), |processes| {
        processes.restores.images = Images::new(processes.config.nodes.len(), budget);
    });
    assert_eq!((again, same), (found, counts));
    assert!(less.fallbacks > 0 && less.bytes < whole.bytes && less.saved < whole.saved, "{less:?}");
}

#[test]
fn a_process_that_dies_between_steps_costs_itself_alone() {
    let (found, counts, whole) = searched(Policy::Sampled(100), &mut (), |_| ());
    let mut killer = Killer::default();
    let (again, same, less) = searched(Policy::Sampled(100), &mut killer, |_| ());
    assert_eq!((again, same), (found, counts));
    assert!(killer.killed > 0 && less.spoilt > 0, "{} killed, {less:?}", killer.killed);
    assert_eq!(whole.spoilt, 0);
}

#[test]
fn a_byte_that_was_saved_wrongly_is_found() {
    // Where no look-up is drawn, a share of the steps is.
    for (policy, least) in [(Policy::Sampled(1000), 100), (Policy::Sampled(0), 10)] {
        let (found, _, restored) = searched(policy, &mut (), |_| ());
        assert_eq!(found.verdict, Verdict::Pass);
        assert!(restored.compared > least, "{restored:?}");
        let (found, ..) = searched(policy, &mut (), |processes| {
            let object = processes.programs[0].object("me").expect("the program has it");
            processes.restores.images.spoil_for_tests(object.address);
        });
        match found.verdict {
            Verdict::Error(error) => {
                let said = error.to_string();
                assert!(said.contains("in a process put into the memory saved there"), "{said}");
            }
            other => panic!("{other:?}"),
        }
    }
}
