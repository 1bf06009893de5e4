//! Limits are violations named after themselves, with the trace that leads there; what means nothing
//! is a violation too; what writes beside its memory is an error.

use cmc::action::{Action, Kind};
use cmc::cores::abi::{CmcEvent, CmcNode, CmcOut};
use cmc::cores::{Cores, Env};
use cmc::error::Error;
use cmc::search::{Found, Verdict, confirm};
use cmc::system::{Breach, Stop, System};

use crate::puppet::{Do, On, Puppet, bag, plan};
use crate::scripted::{self, Script, emit, send};
use crate::walk::{Walk, search};

fn violated<'a>(found: &'a Found, property: &str) -> &'a str {
    assert_eq!(found.verdict, Verdict::Violated, "{found:?}");
    assert_eq!(found.property.as_deref(), Some(property), "{found:?}");
    found.why.as_deref().expect("a reason")
}

/// Search puppets whose rule breaks on the `len`-th state, the start included, and run that again.
fn broken(env: Env, property: &str, len: u64) -> String {
    let cores = Cores::new(scripted::core::<Puppet>(), env).unwrap();
    let found = search(&cores, &[]);
    let why = violated(&found, property).to_owned();
    assert_eq!(found.trace_len, Some(len), "{found:?}");
    let run = confirm(&cores, &[], &found.trace.unwrap(), property).expect("it breaks again");
    assert_eq!((run.breach.unwrap().why, run.worlds.len() as u64), (why.clone(), len - 1));
    why
}

fn asks(what: &[Do]) -> Env {
    let lines: Vec<_> = what.iter().map(|&what| (On::Timer(0, 0), what)).collect();
    plan(2, &[&[(On::Start(0), Do::Arm(0))], &lines[..]].concat())
}

#[test]
fn more_effects_than_a_step_may_ask_for_are_cap_effects() {
    assert_eq!(search(&Walk::puppets(asks(&[Do::Wake(0); 16])).cores, &[]).verdict, Verdict::Pass);
    let why = broken(asks(&[Do::Wake(0); 17]), "cap:effects", 2);
    assert_eq!(why, "node 0 asks for 17 effects, and a step has at most 16");
}

#[test]
fn more_bytes_than_fit_are_cap_bytes() {
    for kind in [1, 4, 6] {
        let env = |len| {
            let lines = [(On::Start(0), Do::Arm(0)), (On::Timer(0, 0), Do::Odd(kind, len))];
            // Its receiver is node 200, which is judged first.
            plan(2, &lines)
        };
        let property = if kind == 1 { "effect" } else { "cap:bytes" };
        broken(env(33), property, 2);
        broken(env(255), property, 2);
    }
    let found = search(&Cores::new(scripted::core::<Wide>(), Env::default()).unwrap(), &[]);
    let why = violated(&found, "cap:bytes");
    assert_eq!(why, "node 0 asks for a message of more than 32 bytes");
}

/// Sends 32 bytes to itself, then 33.
struct Wide;

impl Script for Wide {
    const STATE: usize = 1;

    fn init(_: &CmcNode, _: u32, _: &mut [u8], out: &mut CmcOut) {
        send(out, 0, &[1; 32]);
    }

    fn step(_: &CmcNode, _: &mut [u8], event: &CmcEvent, out: &mut CmcOut) {
        assert_eq!((event.len, event.data), (32, [1; 32]));
        send(out, 0, &[1; 33]);
    }
}

#[test]
fn one_message_more_than_the_cap_is_cap_messages() {
    let full = |max_messages| Env { max_messages, ..asks(&[Do::Send(1, 1); 3]) };
    assert_eq!(search(&Walk::puppets(full(3)).cores, &[]).verdict, Verdict::Pass);
    let why = broken(full(2), "cap:messages", 2);
    assert_eq!(why, "node 0 asks for one more, and there are 2 messages in flight at most");
    broken(Env { max_messages: 2, ..bag(2, &three_sends()) }, "cap:messages", 2);
}

fn three_sends() -> Vec<(On, Do)> {
    let sends = (0..3).map(|byte| (On::Timer(0, 0), Do::Send(1, byte)));
    std::iter::once((On::Start(0), Do::Arm(0))).chain(sends).collect()
}

#[test]
fn a_message_that_goes_nowhere_needs_no_room() {
    let lines = [
        (On::Start(0), Do::Send(1, 1)),
        (On::Client(0, 0), Do::Send(1, 2)),
        (On::Client(0, 0), Do::Send(1, 3)),
    ];
    let clients = [1, 0, 0, 0, 0, 0, 0, 0];
    let env = Env { max_messages: 1, drops: 1, clients, ..plan(2, &lines) };
    let mut walk = Walk::puppets(env);
    walk.go(&["DROP 0 1"]);
    walk.go(&["CLIENT 0"]);
    assert_eq!(walk.messages(), []);
}

#[test]
fn one_pending_persist_more_than_the_cap_is_cap_persists() {
    let full = |max_persists| Env { max_persists, ..asks(&[Do::Persist(1); 3]) };
    assert_eq!(search(&Walk::puppets(full(3)).cores, &[]).verdict, Verdict::Pass);
    let why = broken(full(2), "cap:persists", 2);
    assert_eq!(why, "node 0 asks for one more, and there are 2 pending persists of a node at most");
}

#[test]
fn one_reply_more_than_the_cap_is_cap_replies() {
    let full = |max_replies| Env { max_replies, ..asks(&[Do::Reply(1); 3]) };
    assert_eq!(search(&Walk::puppets(full(3)).cores, &[]).verdict, Verdict::Pass);
    let why = broken(full(2), "cap:replies", 2);
    assert_eq!(why, "node 0 asks for one more, and there are 2 entries of the reply log at most");
}

#[test]
fn timers_and_waiters_beyond_the_last_are_cap_timers_and_cap_waiters() {
    for what in [Do::Arm(16), Do::Cancel(16), Do::Arm(255)] {
        let why = broken(asks(&[what]), "cap:timers", 2);
        assert!(why.ends_with("and timers are 0 to 15"), "{why}");
    }
    for what in [Do::Wake(8), Do::Wake(255)] {
        let why = broken(asks(&[what]), "cap:waiters", 2);
        assert!(why.ends_with("and waiters are 0 to 7"), "{why}");
    }
    let fine = asks(&[Do::Cancel(15), Do::Wake(7)]);
    assert_eq!(search(&Walk::puppets(fine).cores, &[]).verdict, Verdict::Pass);
}

#[test]
fn an_effect_of_no_kind_and_a_send_to_no_node_are_the_violation_effect() {
    for kind in [0, 7, 255] {
        let why = broken(asks(&[Do::Odd(kind, 0)]), "effect", 2);
        assert_eq!(why, format!("node 0 asks for an effect of kind {kind}, which there is not"));
    }
    let why = broken(asks(&[Do::Send(2, 0)]), "effect", 2);
    assert_eq!(why, "node 0 sends to node 2, and the last is node 1");
}

#[test]
fn effects_are_judged_in_order_and_the_first_that_is_wrong_is_named() {
    broken(asks(&[Do::Wake(8), Do::Arm(16)]), "cap:waiters", 2);
    broken(asks(&[Do::Arm(16), Do::Wake(8)]), "cap:timers", 2);
    // Behind the cap on effects none is looked at.
    let mut many = vec![Do::Wake(8)];
    many.extend([Do::Wake(0); 16]);
    broken(asks(&many), "cap:effects", 2);
}

#[test]
fn a_rule_broken_in_init_ends_the_search_at_the_start() {
    let env = plan(1, &[(On::Start(0), Do::Wake(8))]);
    let found = search(&Cores::new(scripted::core::<Puppet>(), env).unwrap(), &[]);
    violated(&found, "cap:waiters");
    assert_eq!((found.trace_len, found.distinct, found.generated), (Some(1), None, None));
}

/// Tells itself more different things than there may be actions.
struct Chatty;

impl Script for Chatty {
    const STATE: usize = 1;

    fn init(_: &CmcNode, _: u32, _: &mut [u8], out: &mut CmcOut) {
        emit(out, 2, 0, 0, &[]);
    }

    fn step(_: &CmcNode, state: &mut [u8], event: &CmcEvent, out: &mut CmcOut) {
        if event.kind == 2 {
            // 15 records a step, until there are as many as may be pending.
            (0..15).for_each(|_| emit(out, 4, 0, 0, &[]));
            state[0] += 1;
            if state[0] < 17 {
                emit(out, 2, 0, 0, &[]);
            }
        }
    }
}

#[test]
fn more_possible_actions_than_are_counted_are_cap_actions() {
    // Eight nodes with 255 records each have 256 crashes each, with eight flushes 2056 actions.
    let env = Env { nodes: 8, crashes: 1, max_persists: 255, ..Env::default() };
    let mut walk = Walk::new(scripted::core::<Chatty>(), env);
    for node in 0..8 {
        let rounds = if node < 7 { 17 } else { 16 };
        let name = format!("FIRE {node} 0");
        walk.go(&vec![name.as_str(); rounds]);
    }
    // Node 7 lacks 15 records, and has its timer still.
    assert_eq!(walk.names().len(), 7 * 257 + 242 + 1);
    walk.go(&["FIRE 7 0"]);
    let mut worker = walk.cores.worker(0).unwrap();
    let stop = walk.cores.enabled(&mut worker, &walk.world, &mut Vec::new()).unwrap_err();
    let why = "2056 actions are possible, and at most 2048 are counted".to_owned();
    assert_eq!(stop, Stop::Violated(Breach { property: "cap:actions".into(), why }));
}

#[test]
fn an_action_that_is_not_possible_is_an_error_and_takes_no_step() {
    let mut walk = Walk::puppets(plan(2, &[(On::Start(0), Do::Send(1, 1))]));
    for kind in Kind::ALL {
        let action = Action { kind, subject: 1, argument: 1 };
        let refused = walk.take(&action);
        let internal = matches!(&refused, Err(Stop::Error(Error::Internal(_))));
        assert!(internal, "{action:?}: {refused:?}");
    }
}
