//! How messages travel, get lost, and come twice.

use cmc::cores::Env;
use cmc::system::System;

use crate::puppet::{BYTE, Do, KIND, On, PEER, bag, plan};
use crate::walk::Walk;

#[test]
fn a_fifo_channel_delivers_in_order_and_channels_are_independent() {
    let lines = [
        (On::Start(0), Do::Send(2, 9)),
        (On::Start(0), Do::Send(2, 1)),
        (On::Start(1), Do::Send(2, 5)),
    ];
    let mut walk = Walk::puppets(plan(3, &lines));
    assert_eq!(walk.names(), ["DELIVER 2 0", "DELIVER 2 1"]);
    walk.go(&["DELIVER 2 0"]);
    assert_eq!(walk.state(2)[BYTE], 9);
    assert_eq!(walk.go(&["DELIVER 2 1", "DELIVER 2 0"]).state(2)[BYTE], 1);
    assert_eq!(walk.messages(), []);
}

#[test]
fn a_node_may_send_to_itself() {
    let lines = [(On::Start(0), Do::Send(0, 1)), (On::Start(0), Do::Send(0, 2))];
    let mut walk = Walk::puppets(Env { drops: 1, ..plan(2, &lines) });
    // Nothing of it is in flight between two nodes, so nothing can be dropped.
    assert_eq!(walk.names(), ["DELIVER 0 0"]);
    walk.go(&["DELIVER 0 0"]);
    assert_eq!(walk.state(0)[KIND..], [1, 0, 0, 1, 1]);
    let mut walk = Walk::puppets(Env { drops: 1, ..bag(2, &lines) });
    let both = ["DELIVER 0 0 x:01", "DELIVER 0 0 x:02", "DROP 0 0 x:01", "DROP 0 0 x:02"];
    assert_eq!(walk.names(), both);
}

#[test]
fn a_drop_in_fifo_mode_resets_the_connection() {
    let lines = [
        (On::Start(0), Do::Send(1, 1)),
        (On::Start(0), Do::Send(1, 2)),
        (On::Start(1), Do::Send(0, 3)),
        (On::Start(0), Do::Send(2, 4)),
        (On::Start(2), Do::Send(0, 5)),
    ];
    let mut walk = Walk::puppets(Env { drops: 1, ..plan(3, &lines) });
    let names = walk.names();
    assert_eq!(names[names.len() - 2..], ["DROP 0 1", "DROP 0 2"]);
    walk.go(&["DROP 0 1"]);
    // Both directions are emptied, the other connection is not; both ends are to be told.
    assert_eq!(walk.messages(), [(0, 2, 5), (2, 0, 4)]);
    assert_eq!(walk.names(), ["DELIVER 0 2", "DELIVER 2 0", "RESET 0 1", "RESET 1 0"]);
    assert_eq!((walk.budget("drops"), walk.state(0)[KIND]), (Some(0), 0));
    walk.go(&["RESET 1 0"]);
    assert_eq!((walk.state(1)[KIND], walk.state(1)[PEER]), (6, 0));
    assert_eq!(walk.names(), ["DELIVER 0 2", "DELIVER 2 0", "RESET 0 1"]);
}

#[test]
fn a_drop_needs_a_message_in_flight_in_either_direction() {
    let mut walk = Walk::puppets(Env { drops: 1, ..plan(3, &[(On::Start(2), Do::Send(1, 1))]) });
    assert_eq!(walk.names(), ["DELIVER 1 2", "DROP 1 2"]);
    assert_eq!(walk.go(&["DELIVER 1 2"]).names(), [""; 0]);
}

#[test]
fn what_is_sent_before_the_reset_is_told_goes_nowhere_and_what_comes_from_the_peer_arrives() {
    let lines = [
        (On::Start(0), Do::Send(1, 1)),
        (On::Client(0, 0), Do::Send(1, 2)),
        (On::Client(0, 1), Do::Send(1, 3)),
        (On::Client(1, 0), Do::Send(0, 4)),
        (On::Reset(1, 0), Do::Send(0, 5)),
    ];
    let clients = [2, 1, 0, 0, 0, 0, 0, 0];
    let mut walk = Walk::puppets(Env { drops: 1, clients, ..plan(2, &lines) });
    walk.go(&["DROP 0 1", "CLIENT 0", "CLIENT 1"]);
    assert_eq!(walk.messages(), []);
    // Told of the reset, node 1 sends on the next connection: its step is behind the reset.
    walk.go(&["RESET 1 0"]);
    assert_eq!(walk.messages(), [(0, 1, 5)]);
    // Node 0 gets it though it was not told yet, and before it is.
    assert_eq!(walk.names(), ["DELIVER 0 1", "CLIENT 0", "RESET 0 1"]);
    walk.go(&["DELIVER 0 1", "RESET 0 1", "CLIENT 0"]);
    assert_eq!(walk.messages(), [(1, 0, 3)]);
}

#[test]
fn a_second_drop_while_a_reset_is_pending_adds_no_second_reset() {
    let lines = [(On::Start(0), Do::Send(1, 1)), (On::Reset(0, 1), Do::Send(1, 2))];
    let mut walk = Walk::puppets(Env { drops: 2, ..plan(2, &lines) });
    walk.go(&["DROP 0 1", "RESET 0 1", "DROP 0 1"]);
    assert_eq!(walk.names(), ["RESET 0 1", "RESET 1 0"]);
}

#[test]
fn a_bag_delivers_any_message_and_equal_ones_are_one_action() {
    let lines = [
        (On::Start(0), Do::Send(1, 9)),
        (On::Start(0), Do::Send(1, 2)),
        (On::Start(0), Do::Send(1, 9)),
    ];
    let mut walk = Walk::puppets(bag(2, &lines));
    assert_eq!(walk.names(), ["DELIVER 1 0 x:02", "DELIVER 1 0 x:09"]);
    walk.go(&["DELIVER 1 0 x:09"]);
    assert_eq!(walk.messages(), [(1, 0, 2), (1, 0, 9)]);
    walk.go(&["DELIVER 1 0 x:09", "DELIVER 1 0 x:02"]);
    assert_eq!(walk.messages(), []);
}

#[test]
fn a_dup_delivers_and_keeps_the_message() {
    let mut walk = Walk::puppets(Env { dups: 1, ..bag(2, &[(On::Start(0), Do::Send(1, 7))]) });
    assert_eq!(walk.names(), ["DELIVER 1 0 x:07", "DUP 1 0 x:07"]);
    walk.go(&["DUP 1 0 x:07"]);
    assert_eq!((walk.state(1)[BYTE], walk.messages()), (7, vec![(1, 0, 7)]));
    assert_eq!((walk.names(), walk.budget("dups")), (vec!["DELIVER 1 0 x:07".into()], Some(0)));
}

#[test]
fn a_drop_in_a_bag_loses_one_copy_and_resets_nothing() {
    let lines = [(On::Start(0), Do::Send(1, 7)), (On::Start(0), Do::Send(1, 7))];
    let mut walk = Walk::puppets(Env { drops: 1, ..bag(2, &lines) });
    walk.go(&["DROP 1 0 x:07"]);
    assert_eq!((walk.messages(), walk.budget("drops")), (vec![(1, 0, 7)], Some(0)));
    assert_eq!(walk.names(), ["DELIVER 1 0 x:07"]);
    assert_eq!(walk.state(1)[KIND], 0);
}

#[test]
fn a_message_of_a_bag_is_the_same_event_of_fairness_wherever_it_stands() {
    let lines = [(On::Start(0), Do::Send(1, 5)), (On::Start(0), Do::Send(1, 2))];
    let mut walk = Walk::puppets(bag(2, &lines));
    let [two, five] = walk.actions()[..] else { panic!("two messages") };
    let fairness = |walk: &Walk, action| walk.cores.fairness(&walk.world, action);
    let number = fairness(&walk, &five);
    assert_ne!(number, fairness(&walk, &two));
    walk.go(&["DELIVER 1 0 x:02"]);
    let [alone] = walk.actions()[..] else { panic!("one message") };
    assert_ne!(alone, five, "it stands elsewhere");
    assert_eq!(number, fairness(&walk, &alone));
}

#[test]
fn a_channel_of_a_fifo_network_is_one_event_of_fairness() {
    let lines = [(On::Start(0), Do::Send(1, 5)), (On::Start(0), Do::Send(1, 2))];
    let mut walk = Walk::puppets(plan(2, &lines));
    let first = walk.actions()[0];
    let number = walk.cores.fairness(&walk.world, &first);
    walk.go(&["DELIVER 1 0"]);
    let second = walk.actions()[0];
    assert_eq!(number, walk.cores.fairness(&walk.world, &second));
}
