//! What is on disk when, and what a crash leaves.

use cmc::cores::Env;

use crate::puppet::{BYTE, Do, KIND, LEN, On, PEER, RECORD, RECORDS, bag, plan};
use crate::walk::Walk;

#[test]
fn a_flush_applies_the_oldest_record_and_then_tells_the_node_of_it() {
    let lines = [
        (On::Start(0), Do::Persist(5)),
        (On::Start(0), Do::Persist(3)),
        (On::Flushed(0), Do::Reply(1)),
    ];
    let mut walk = Walk::puppets(plan(1, &lines));
    assert_eq!((walk.state(0)[RECORDS], walk.names()), (0, vec!["FLUSH 0".to_owned()]));
    walk.go(&["FLUSH 0"]);
    assert_eq!(walk.state(0), [5, 1, 3, 0, 0, 1, 5]);
    assert_eq!(walk.replies(), [(0, 1)]);
    walk.go(&["FLUSH 0"]);
    assert_eq!((walk.state(0)[RECORD], walk.state(0)[RECORDS], walk.names().len()), (3, 2, 0));
}

#[test]
fn a_crash_keeps_any_prefix_of_the_pending_persists() {
    let lines = [(On::Start(1), Do::Persist(5)), (On::Start(1), Do::Persist(3))];
    let walk = || Walk::puppets(Env { crashes: 1, ..plan(2, &lines) });
    assert_eq!(walk().names(), ["FLUSH 1", "CRASH 0 0", "CRASH 1 0", "CRASH 1 1", "CRASH 1 2"]);
    for (name, durable) in [("CRASH 1 0", [0, 0]), ("CRASH 1 1", [5, 1]), ("CRASH 1 2", [3, 2])] {
        let mut walk = walk();
        walk.go(&[name]);
        assert_eq!(walk.state(1)[..2], durable, "{name}");
        // The rest is forgotten.
        assert_eq!(walk.names(), ["RESET 0 1"], "{name}");
        assert_eq!(walk.budget("crashes"), Some(0));
    }
}

#[test]
fn a_crash_zeroes_the_volatile_bytes_and_restarts_in_the_same_action() {
    let lines = [(On::Start(0), Do::Send(1, 7)), (On::Restart(1), Do::Send(0, 8))];
    let mut walk = Walk::puppets(Env { crashes: 1, ..plan(2, &lines) });
    walk.go(&["DELIVER 1 0"]);
    assert_eq!(walk.state(1)[BYTE], 7);
    walk.go(&["CRASH 1 0"]);
    // The event of the restart is the last one; of the message nothing is left.
    assert_eq!(walk.state(1), [0, 0, 7, 0, 0, 0, 0]);
    assert_eq!(walk.messages(), [(0, 1, 8)]);
}

#[test]
fn a_crash_forgets_timers_wakes_and_resets_but_not_the_requests_of_clients() {
    let lines = [
        (On::Start(0), Do::Arm(1)),
        (On::Start(0), Do::Wake(1)),
        (On::Start(0), Do::Send(1, 1)),
        (On::Start(1), Do::Arm(2)),
    ];
    let clients = [1, 0, 0, 0, 0, 0, 0, 0];
    let mut walk = Walk::puppets(Env { crashes: 1, drops: 1, clients, ..plan(2, &lines) });
    walk.go(&["DROP 0 1"]);
    let names = ["FIRE 0 1", "FIRE 1 2", "WAKE 0 1", "CLIENT 0"];
    assert_eq!(walk.names()[..4], names);
    assert_eq!(walk.names()[6..], ["RESET 0 1", "RESET 1 0"]);
    walk.go(&["CRASH 0 0"]);
    assert_eq!(walk.names(), ["FIRE 1 2", "CLIENT 0", "RESET 1 0"]);
}

#[test]
fn a_crash_in_fifo_mode_empties_every_channel_of_the_node_and_leaves_each_peer_a_reset() {
    let lines = [
        (On::Start(0), Do::Send(1, 1)),
        (On::Start(1), Do::Send(1, 2)),
        (On::Start(1), Do::Send(2, 3)),
        (On::Start(0), Do::Send(2, 4)),
    ];
    let mut walk = Walk::puppets(Env { crashes: 1, ..plan(4, &lines) });
    walk.go(&["CRASH 1 0"]);
    assert_eq!(walk.messages(), [(2, 0, 4)]);
    // Node 3 never spoke to it, and learns of it as well: the connection is there without messages.
    assert_eq!(walk.names(), ["DELIVER 2 0", "RESET 0 1", "RESET 2 1", "RESET 3 1"]);
    walk.go(&["RESET 3 1"]);
    assert_eq!((walk.state(3)[KIND], walk.state(3)[PEER], walk.state(3)[LEN]), (6, 1, 0));
}

#[test]
fn after_a_crash_the_node_sends_on_new_connections_and_its_peers_not_before_their_reset() {
    let lines = [
        (On::Restart(0), Do::Send(1, 1)),
        (On::Message(1, 1), Do::Send(0, 2)),
        (On::Reset(1, 0), Do::Send(0, 3)),
    ];
    let mut walk = Walk::puppets(Env { crashes: 1, ..plan(2, &lines) });
    walk.go(&["CRASH 0 0"]);
    assert_eq!((walk.messages(), walk.names().len()), (vec![(1, 0, 1)], 2));
    walk.go(&["DELIVER 1 0"]);
    assert_eq!(walk.messages(), []);
    walk.go(&["RESET 1 0"]);
    assert_eq!(walk.messages(), [(0, 1, 3)]);
}

#[test]
fn a_crash_in_a_bag_leaves_what_is_in_flight_and_resets_nothing() {
    let lines = [
        (On::Start(0), Do::Send(1, 1)),
        (On::Start(1), Do::Send(0, 2)),
        (On::Start(1), Do::Arm(0)),
        (On::Start(1), Do::Persist(6)),
    ];
    let mut walk = Walk::puppets(Env { crashes: 1, ..bag(2, &lines) });
    walk.go(&["CRASH 1 1"]);
    assert_eq!(walk.messages(), [(0, 1, 2), (1, 0, 1)]);
    assert_eq!(walk.names(), ["DELIVER 0 1 x:02", "DELIVER 1 0 x:01"]);
    assert_eq!(walk.state(1), [6, 1, 7, 0, 0, 0, 0]);
}

#[test]
fn persists_of_one_node_say_nothing_of_those_of_another() {
    let lines = [
        (On::Start(0), Do::Persist(1)),
        (On::Start(1), Do::Persist(2)),
        (On::Start(2), Do::Persist(3)),
        (On::Flushed(1), Do::Persist(4)),
    ];
    let mut walk = Walk::puppets(Env { crashes: 1, ..plan(3, &lines) });
    walk.go(&["FLUSH 1", "CRASH 0 1", "FLUSH 1", "FLUSH 2"]);
    assert_eq!([0, 1, 2].map(|node| walk.state(node)[RECORD]), [1, 4, 3]);
    assert_eq!([0, 1, 2].map(|node| walk.state(node)[RECORDS]), [1, 2, 1]);
}

#[test]
fn a_step_that_changes_durable_bytes_is_the_violation_durable() {
    let lines = [(On::Start(0), Do::Arm(1)), (On::Timer(0, 1), Do::Scratch)];
    let breach = Walk::puppets(plan(1, &lines)).breaks("FIRE 0 1");
    assert_eq!(breach.property, "durable");
    let why = "step(CMC_EV_TIMER) of node 0 changed durable byte 0 from 00 to 01; only \
               apply_persist() may change the first 2 bytes of a state";
    assert_eq!(breach.why, why);
    let lines = [(On::Restart(0), Do::Scratch)];
    let mut walk = Walk::puppets(Env { crashes: 1, ..plan(1, &lines) });
    assert_eq!(walk.breaks("CRASH 0 0").property, "durable");
}

#[test]
fn init_may_write_durable_bytes() {
    let walk = Walk::puppets(plan(1, &[(On::Start(0), Do::Scratch)]));
    assert_eq!(walk.state(0)[RECORD], 1);
}
