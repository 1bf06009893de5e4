//! Every class of roots is one that some program's state is in: where the walk forgets it, memories
//! that answer differently are one state, and the check must not pass.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cmc::check::file::ModelFile;
use cmc::process::Processes;
use cmc::process::audit::Policy;
use cmc::process::canonical::RootClass;
use cmc::process::learned::{Counts, Learned};
use cmc::search::{Search, Verdict};

use crate::comment::root;
use crate::programs::{LEVELS, built, names, source, two_at_a_time};

/// The classes by their names in comments.
const CLASSES: [(&str, RootClass); 6] = [
    ("data", RootClass::ProgramData),
    ("held", RootClass::Held),
    ("library", RootClass::LibraryData),
    ("register", RootClass::Registers),
    ("stack", RootClass::Stack),
    ("tls", RootClass::Mapped),
];

/// Every program at every level with the class of roots that its state is in.
fn programs() -> Vec<(String, &'static str, String)> {
    let names = names(".c");
    let at_levels = names.iter().flat_map(|program| LEVELS.map(|level| (program, level)));
    let with_roots = at_levels.filter_map(|(program, level)| {
        root(&source(program), level).map(|class| (program.clone(), level, class))
    });
    with_roots.collect()
}

/// Check `program`, built at `level`, with a walk that forgets the roots `dropped`.
fn without(program: &str, level: &str, dropped: &[RootClass]) -> (Verdict, Counts) {
    told(program, level, Policy::Full, |processes| processes.drop_roots_for_tests(dropped))
}

/// Check `program`, built at `level`, with a lie, audited by `policy`.
fn told(
    program: &str,
    level: &str,
    policy: Policy,
    lie: impl FnOnce(&mut Processes),
) -> (Verdict, Counts) {
    let file = built().join(format!("{program}-{level}.toml"));
    let model = ModelFile::load(&file).expect("make has written it");
    let preload = Path::new(env!("CMC_PRELOAD_BUILT"));
    let never = Arc::new(AtomicBool::new(false));
    let processes = Processes::new(model.config.clone(), preload, &never);
    let mut processes = processes.expect("its program starts");
    lie(&mut processes);
    let learned = Learned::new(Arc::new(processes), policy);
    let stop = AtomicBool::new(false);
    // Without properties, of which a wrong merge may break one before the audit has seen it.
    let found = Search::new(&stop).run(&learned, &[], &mut (), &mut |_| ());
    (found.verdict, learned.counts())
}

#[test]
fn every_class_of_roots_has_a_program_whose_state_it_is() {
    let roots: BTreeSet<String> = programs().into_iter().map(|(_, _, class)| class).collect();
    assert_eq!(roots, CLASSES.map(|(name, _)| name.into()).into());
}

#[test]
fn a_walk_that_forgets_a_class_of_roots_never_passes() {
    two_at_a_time(programs(), |(program, level, class)| {
        let known = CLASSES.iter().find(|(name, _)| *name == class);
        let (_, dropped) = known.unwrap_or_else(|| panic!("{program}: {class} is no class"));
        let (verdict, counts) = without(&program, level, &[]);
        assert_eq!((verdict, counts.disagreed), (Verdict::Pass, 0), "{program}-{level}");
        let (verdict, counts) = without(&program, level, &[*dropped]);
        let Verdict::Error(error) = verdict else { panic!("{program}-{level}: {verdict:?}") };
        println!("{program}-{level} without {class}: {error}");
        assert!(error.to_string().contains("identity incomplete"), "{program}-{level}: {error}");
        assert_eq!(counts.disagreed, 1, "{program}-{level}");
    });
}

/// The twin and the restored memory are cleared alike, so that they cannot see it.
#[test]
fn a_live_variable_that_is_taken_for_dead_is_found_without_a_full_audit() {
    let bury = |processes: &mut Processes| processes.bury_for_tests("level");
    let (verdict, _) = told("root_data", "O2", Policy::Sampled(0), bury);
    let Verdict::Error(error) = verdict else { panic!("{verdict:?}") };
    assert!(error.to_string().contains("was cleared before"), "{error}");
}
