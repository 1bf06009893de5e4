//! Everything twice: a core that depends on more than it is given breaks `det`.

use cmc::cores::{Cores, Env};
use cmc::search::{Found, Verdict};
use cmc::system::det::Det;

use crate::compiled::load;
use crate::walk::{search, search_as};

const NOTHING: u8 = 0;
const COUNTS_CALLS: u8 = 1;
const READS_ITS_ADDRESS: u8 = 2;
const BREAKS_A_RULE: u8 = 3;
const COUNTS_INITIAL: u8 = 4;
const INITIAL_STATE: u8 = 5;
const LISTS_FEWER: u8 = 6;
const LISTS_ANOTHER: u8 = 7;

fn fickle(direct: bool, how: u8) -> Cores {
    let core = load("fickle", if direct { &["DIRECT"] } else { &[] });
    Cores::new(core, Env { settings: vec![how], ..Env::default() }).unwrap()
}

fn why(found: &Found, trace_len: u64) -> &str {
    assert_eq!(
        (&found.verdict, found.property.as_deref()),
        (&Verdict::Violated, Some("det")),
        "{found:?}"
    );
    assert_eq!(found.trace_len, Some(trace_len), "{found:?}");
    found.why.as_deref().expect("a reason")
}

#[test]
fn a_core_that_is_a_function_of_its_arguments_is_found_the_same_twice_as_once() {
    for direct in [false, true] {
        let cores = fickle(direct, NOTHING);
        let once = search(&cores, &[]);
        assert_eq!((&once.verdict, once.distinct), (&Verdict::Pass, Some(5)));
        assert_eq!(search(&Det(&cores), &[]), once);
        let several = search_as(&Det(&cores), &[], |search| search.workers = 2);
        assert_eq!((several.verdict, several.distinct), (once.verdict, once.distinct));
    }
}

#[test]
fn a_step_that_differs_is_named_with_its_first_byte_and_its_node() {
    let how = [COUNTS_CALLS, READS_ITS_ADDRESS];
    for (direct, how) in [false, true].into_iter().flat_map(|direct| how.map(|how| (direct, how))) {
        let cores = fickle(direct, how);
        let found = search(&Det(&cores), &[]);
        let why = why(&found, 4);
        assert!(why.starts_with("two runs from the same bytes differ at byte "), "{why}");
        assert!(
            why.contains("; that is byte ") && why.ends_with(" of the state of node 0"),
            "{why}"
        );
    }
}

#[test]
fn a_step_that_breaks_a_rule_in_one_run_only_is_det() {
    let cores = fickle(false, BREAKS_A_RULE);
    let found = search(&Det(&cores), &[]);
    let why = why(&found, 4);
    assert!(why.contains("one went on and the other broke cap:waiters"), "{why}");
}

#[test]
fn initial_worlds_that_differ_are_det() {
    for direct in [false, true] {
        let found = search(&Det(&fickle(direct, COUNTS_INITIAL)), &[]);
        let why_count = why(&found, 1);
        assert!(why_count.contains("initial world"), "{why_count}");
        let found = search(&Det(&fickle(direct, INITIAL_STATE)), &[]);
        let why = why(&found, 1);
        assert!(
            why.starts_with("initial world 0: two runs from the same bytes differ at byte"),
            "{why}"
        );
    }
}

#[test]
fn actions_that_differ_are_det() {
    let found = search(&Det(&fickle(true, LISTS_FEWER)), &[]);
    let fewer = why(&found, 3);
    assert!(fewer.starts_with("two runs from the same bytes list different actions: "), "{fewer}");
    let found = search(&Det(&fickle(true, LISTS_ANOTHER)), &[]);
    assert!(why(&found, 4).contains("that is byte 4 of the state of node 0"), "{found:?}");
}
