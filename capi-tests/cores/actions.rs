//! Where actions come from: what a core asked for, and budgets.

use cmc::action::Kind;
use cmc::cores::Env;
use cmc::system::System;
use cmc::world::{Liveness, Reader};

use crate::puppet::{BYTE, Do, ID, KIND, LEN, On, PEER, bag, plan};
use crate::walk::{Walk, search};

#[test]
fn a_timer_is_armed_once_fires_once_and_is_disarmed_then() {
    let lines =
        [(On::Start(0), Do::Arm(3)), (On::Start(0), Do::Arm(3)), (On::Start(0), Do::Arm(15))];
    let mut walk = Walk::puppets(plan(1, &lines));
    assert_eq!(walk.names(), ["FIRE 0 3", "FIRE 0 15"]);
    walk.go(&["FIRE 0 3"]);
    assert_eq!(walk.state(0)[KIND..=LEN], [2, 0, 3, 0]);
    assert_eq!(walk.names(), ["FIRE 0 15"]);
    walk.go(&["FIRE 0 15"]);
    assert_eq!(walk.names(), [""; 0]);
}

#[test]
fn arming_an_armed_timer_changes_nothing() {
    let once = Walk::puppets(plan(1, &[(On::Start(0), Do::Arm(3))]));
    let lines = [(On::Start(0), Do::Arm(3)), (On::Start(0), Do::Arm(3))];
    let twice = Walk::puppets(plan(1, &lines));
    assert_eq!(once.world, twice.world);
}

#[test]
fn a_step_may_arm_its_own_timer_again() {
    let lines = [(On::Start(0), Do::Arm(1)), (On::Timer(0, 1), Do::Arm(1))];
    let mut walk = Walk::puppets(plan(1, &lines));
    walk.go(&["FIRE 0 1", "FIRE 0 1"]);
    assert_eq!(walk.names(), ["FIRE 0 1"]);
}

#[test]
fn a_timer_that_is_cancelled_does_not_fire_and_cancelling_another_is_nothing() {
    let lines = [
        (On::Start(0), Do::Arm(1)),
        (On::Start(0), Do::Arm(2)),
        (On::Start(0), Do::Cancel(1)),
        (On::Start(0), Do::Cancel(9)),
    ];
    let mut walk = Walk::puppets(plan(1, &lines));
    assert_eq!(walk.names(), ["FIRE 0 2"]);
}

#[test]
fn a_waiter_goes_on_once_however_often_it_was_woken() {
    let lines = [
        (On::Client(0, 0), Do::Wake(7)),
        (On::Client(0, 0), Do::Wake(7)),
        (On::Client(0, 0), Do::Wake(0)),
        (On::Wake(0, 7), Do::Wake(3)),
    ];
    let mut walk = Walk::puppets(Env { clients: [1, 0, 0, 0, 0, 0, 0, 0], ..plan(1, &lines) });
    assert_eq!(walk.go(&["CLIENT 0"]).names(), ["WAKE 0 0", "WAKE 0 7"]);
    walk.go(&["WAKE 0 7"]);
    assert_eq!(walk.state(0)[KIND..=LEN], [4, 0, 7, 0]);
    assert_eq!(walk.names(), ["WAKE 0 0", "WAKE 0 3"]);
}

#[test]
fn a_client_asks_as_often_as_its_budget_says_and_counts_for_each_node() {
    let env = Env { clients: [2, 1, 0, 0, 0, 0, 0, 0], ..plan(2, &[]) };
    let mut walk = Walk::puppets(env);
    assert_eq!(walk.names(), ["CLIENT 0", "CLIENT 1"]);
    assert_eq!((walk.budget("clients 0"), walk.budget("clients 1")), (Some(2), Some(1)));
    walk.go(&["CLIENT 0", "CLIENT 1"]);
    assert_eq!(walk.state(0)[KIND..=ID], [5, 0, 0]);
    assert_eq!(walk.state(1)[KIND..=ID], [5, 0, 0]);
    walk.go(&["CLIENT 0"]);
    assert_eq!(walk.state(0)[KIND..=ID], [5, 0, 1]);
    assert_eq!(walk.names(), [""; 0]);
    assert_eq!((walk.budget("clients 0"), walk.budget("clients 1")), (Some(0), Some(0)));
    assert_eq!((walk.budget("clients 2"), walk.budget("timeouts")), (None, None));
    assert_eq!((walk.budget("clients"), walk.budget("clients x")), (None, None));
}

#[test]
fn replies_are_logged_in_order_of_emission() {
    let lines = [
        (On::Client(0, 0), Do::Reply(5)),
        (On::Client(0, 0), Do::Reply(4)),
        (On::Client(1, 0), Do::Reply(3)),
    ];
    let env = || Env { clients: [1, 1, 0, 0, 0, 0, 0, 0], ..plan(2, &lines) };
    let mut walk = Walk::puppets(env());
    walk.go(&["CLIENT 0", "CLIENT 1"]);
    assert_eq!(walk.replies(), [(0, 5), (0, 4), (1, 3)]);
    let mut other = Walk::puppets(env());
    other.go(&["CLIENT 1", "CLIENT 0"]);
    assert_eq!(other.replies(), [(1, 3), (0, 5), (0, 4)]);
    assert_ne!(walk.world, other.world);
}

#[test]
fn what_init_asks_for_counts() {
    let lines = [
        (On::Start(1), Do::Send(0, 9)),
        (On::Start(1), Do::Arm(4)),
        (On::Start(1), Do::Persist(6)),
        (On::Start(1), Do::Wake(2)),
        (On::Start(1), Do::Reply(8)),
    ];
    let mut walk = Walk::puppets(plan(2, &lines));
    assert_eq!(walk.names(), ["DELIVER 0 1", "FIRE 1 4", "FLUSH 1", "WAKE 1 2"]);
    assert_eq!((walk.messages(), walk.replies()), (vec![(0, 1, 9)], vec![(1, 8)]));
}

#[test]
fn actions_are_listed_by_kind_then_node_then_argument() {
    let lines = [
        (On::Start(1), Do::Send(0, 1)),
        (On::Start(0), Do::Send(1, 1)),
        (On::Start(0), Do::Arm(2)),
        (On::Start(0), Do::Arm(1)),
        (On::Start(1), Do::Persist(1)),
        (On::Start(1), Do::Wake(1)),
    ];
    let clients = [1, 1, 0, 0, 0, 0, 0, 0];
    let env = Env { drops: 2, dups: 1, crashes: 1, clients, ..bag(2, &lines) };
    let mut walk = Walk::puppets(env);
    let expected = [
        "DELIVER 0 1 x:01",
        "DELIVER 1 0 x:01",
        "DUP 0 1 x:01",
        "DUP 1 0 x:01",
        "FIRE 0 1",
        "FIRE 0 2",
        "FLUSH 1",
        "WAKE 1 1",
        "CLIENT 0",
        "CLIENT 1",
        "DROP 0 1 x:01",
        "DROP 1 0 x:01",
        "CRASH 0 0",
        "CRASH 1 0",
        "CRASH 1 1",
    ];
    assert_eq!(walk.names(), expected);
    let mut walk =
        Walk::puppets(Env { dups: 0, network: plan(1, &[]).network, ..walk.cores.env().clone() });
    walk.go(&["DROP 0 1"]);
    let last = ["DROP", "CRASH 0 0", "CRASH 1 0", "CRASH 1 1", "RESET 0 1", "RESET 1 0"];
    assert_eq!(walk.names()[6..], last[1..]);
    let order = Kind::ALL.iter().filter(|kind| walk.cores.kinds().contains(kind));
    assert!(order.eq(walk.cores.kinds()), "listed in the order of all kinds");
}

#[test]
fn without_budgets_there_are_no_faults() {
    let lines = [(On::Start(0), Do::Send(1, 1)), (On::Start(0), Do::Persist(1))];
    assert_eq!(Walk::puppets(plan(2, &lines)).names(), ["DELIVER 1 0", "FLUSH 0"]);
    assert_eq!(Walk::puppets(bag(2, &lines)).names(), ["DELIVER 1 0 x:01", "FLUSH 0"]);
}

#[test]
fn a_message_comes_with_its_sender_its_length_and_its_bytes() {
    let mut walk = Walk::puppets(plan(2, &[(On::Start(1), Do::Send(0, 77))]));
    walk.go(&["DELIVER 0 1"]);
    assert_eq!(walk.state(0)[KIND..=BYTE], [1, 1, 0, 1, 77]);
    assert_eq!(walk.state(0)[PEER], 1);
}

#[test]
fn every_action_is_told_with_its_node_and_what_moves() {
    let lines = [
        (On::Start(0), Do::Send(1, 0xab)),
        (On::Start(0), Do::Persist(0xcd)),
        (On::Start(0), Do::Arm(2)),
    ];
    let clients = [0, 1, 0, 0, 0, 0, 0, 0];
    let mut walk = Walk::puppets(Env { drops: 1, crashes: 1, clients, ..plan(2, &lines) });
    let told: Vec<_> =
        walk.actions().iter().map(|a| walk.cores.tell(&walk.world, a).unwrap()).collect();
    let lines: Vec<_> =
        told.iter().map(|t| (t.node, t.words.as_str(), t.payload.as_deref())).collect();
    type Line<'a> = (Option<usize>, &'a str, Option<&'a [u8]>);
    let expected: [Line; 8] = [
        (Some(1), "takes a message from node 0", Some(&[0xab])),
        (Some(0), "finds that timer 2 ran out", None),
        (Some(0), "learns that its oldest record is on disk", Some(&[0xcd])),
        (Some(1), "is asked by a client, request 0", None),
        (
            None,
            "the connection between nodes 0 and 1 is reset, and what is in flight on it lost",
            None,
        ),
        (
            Some(0),
            "crashes with 0 of 1 records on their way to its disk kept, and starts again",
            None,
        ),
        (
            Some(0),
            "crashes with 1 of 1 records on their way to its disk kept, and starts again",
            None,
        ),
        (Some(1), "crashes with nothing under way to its disk, and starts again", None),
    ];
    assert_eq!(lines, expected);
}

#[test]
fn all_nodes_run_in_every_world_and_have_no_clock() {
    let walk = Walk::puppets(plan(3, &[]));
    for node in 0..3 {
        assert_eq!(walk.cores.liveness(&walk.world, node), Ok(Liveness::Running));
        assert_eq!(walk.cores.clock(&walk.world, node), Ok(0));
        assert_eq!(walk.state(node).len(), 7);
    }
    assert!(walk.cores.content(&walk.world, 3).is_err());
    assert!(walk.cores.liveness(&walk.world, 3).is_err());
    assert_eq!(walk.cores.nodes(), 3);
}

#[test]
fn receipts_are_about_the_kinds_that_cores_have() {
    let mut walk = Walk::puppets(plan(2, &[(On::Start(0), Do::Send(1, 1))]));
    let found = search(&walk.cores, &[]);
    assert_eq!(found.receipts.count(Kind::Deliver), 1);
    assert_eq!(found.receipts.of(walk.cores.kinds()).count(), 9);
    assert_eq!((found.distinct, found.generated, found.depth), (Some(2), Some(2), Some(2)));
    assert_eq!(walk.names().len(), 1);
}
