//! A core that writes beside what it is given is found out.

use cmc::cores::{Cores, Env};
use cmc::error::Error;
use cmc::search::{Found, Verdict};

use crate::compiled::load;
use crate::walk::search;

const INIT: u8 = 1;
const STEP: u8 = 2;
const APPLY_PERSIST: u8 = 3;
const DIRECT_ACTIONS: u8 = 4;
const BEHIND_ROOM: i8 = 127;
const STATE: i8 = 126;

fn stray(direct: bool, function: u8, offset: i8) -> Found {
    let core = load("stray", if direct { &["DIRECT"] } else { &[] });
    let settings = vec![function, offset as u8];
    search(&Cores::new(core, Env { settings, ..Env::default() }).unwrap(), &[])
}

#[test]
fn a_core_that_writes_beside_its_state_is_an_error_that_names_the_function_and_the_side() {
    let cases = [
        (false, INIT, "init()"),
        (true, INIT, "init()"),
        (false, STEP, "step(CMC_EV_FLUSHED)"),
        (true, STEP, "step(CMC_EV_ACTION)"),
        (false, APPLY_PERSIST, "apply_persist()"),
        (true, DIRECT_ACTIONS, "direct_actions()"),
    ];
    for (direct, function, called) in cases {
        for (offset, place) in [
            (3, "behind the 3 bytes of its state"),
            (16, "behind the 3 bytes of its state"),
            (66, "behind the 3 bytes of its state"),
            (-1, "before its state"),
            (-64, "before its state"),
        ] {
            let found = stray(direct, function, offset);
            let Verdict::Error(Error::Node { node: 0, text }) = &found.verdict else {
                panic!("{called} {offset}: {found:?}")
            };
            assert!(text.starts_with(&format!("core stray: {called} wrote {place}; ")), "{text}");
        }
    }
}

#[test]
fn a_core_that_writes_behind_the_room_for_effects_or_actions_is_an_error() {
    for (direct, function) in [(false, STEP), (true, STEP), (false, INIT)] {
        let found = stray(direct, function, BEHIND_ROOM);
        assert!(
            found.why.as_ref().is_some_and(|why| why.contains("behind the end of out")),
            "{found:?}"
        );
    }
    let found = stray(true, DIRECT_ACTIONS, BEHIND_ROOM);
    assert!(
        found.why.as_ref().is_some_and(|why| why.contains("behind the last of actions")),
        "{found:?}"
    );
}

#[test]
fn listing_actions_must_leave_the_state_alone() {
    let found = stray(true, DIRECT_ACTIONS, STATE);
    let why =
        "node 0: core stray: direct_actions() changed byte 0 of the state, which it may only read";
    assert_eq!(found.why.as_deref(), Some(why));
    assert!(matches!(found.verdict, Verdict::Error(_)));
}

#[test]
fn apply_persist_may_change_durable_bytes_only() {
    let found = stray(false, APPLY_PERSIST, 2);
    assert_eq!(found.property.as_deref(), Some("durable"));
    let why = "apply_persist() of node 0 changed byte 2 from 00 to 01; only the first 1 bytes of a \
               state are durable";
    assert_eq!((found.why.as_deref(), found.trace_len), (Some(why), Some(2)));
    assert_eq!(stray(false, APPLY_PERSIST, 0).verdict, Verdict::Pass);
}

#[test]
fn a_core_that_stays_where_it_belongs_passes() {
    let found = stray(false, 0, 0);
    assert_eq!((found.verdict, found.distinct), (Verdict::Pass, Some(2)));
    let found = stray(true, 0, 0);
    assert_eq!((found.verdict, found.distinct), (Verdict::Pass, Some(3)));
}
