//! Equal situations are equal bytes, and situations that differ are not.

use cmc::cores::abi::{CmcEvent, CmcNode, CmcOut};
use cmc::cores::{Discipline, Env};

use crate::puppet::{Do, On, Puppet, bag, plan};
use crate::scripted::{Script, core, emit, send};
use crate::walk::{Walk, search};

/// Does what a request asks for and keeps nothing in mind. The settings say what that is.
struct Oblivious;

const SEND: u8 = 0;
const PERSIST: u8 = 1;
const SEND_TWICE: u8 = 2;

impl Script for Oblivious {
    const STATE: usize = 17;

    fn step(node: &CmcNode, _: &mut [u8], event: &CmcEvent, out: &mut CmcOut) {
        if event.kind != 5 {
            return;
        }
        match node.settings[0] {
            SEND => send(out, 2, &[9, node.id]),
            PERSIST => emit(out, 4, 0, 0, &[node.id, 4, 4]),
            _ => [event.id, 1 - event.id].iter().for_each(|byte| send(out, 2, &[*byte])),
        }
    }
}

fn oblivious(what: u8, network: Discipline, clients: [u8; 8]) -> Walk {
    let env = Env { nodes: 3, network, clients, settings: vec![what], ..Env::default() };
    Walk::new(core::<Oblivious>(), env)
}

const BOTH: [u8; 8] = [1, 1, 0, 0, 0, 0, 0, 0];

/// Whether both orders of two requests lead to one world.
fn merges(what: u8, network: Discipline) -> bool {
    let (mut one, mut two) = (oblivious(what, network, BOTH), oblivious(what, network, BOTH));
    one.go(&["CLIENT 0", "CLIENT 1"]);
    two.go(&["CLIENT 1", "CLIENT 0"]);
    one.world == two.world
}

#[test]
fn two_orders_of_sends_in_a_bag_merge() {
    assert!(merges(SEND, Discipline::Bag));
    let walk = oblivious(SEND, Discipline::Bag, BOTH);
    let found = search(&walk.cores, &[]);
    // Each message is not sent, in flight, or taken.
    assert_eq!((found.distinct, found.depth), (Some(9), Some(5)));
}

#[test]
fn two_orders_of_sends_on_different_channels_merge() {
    assert!(merges(SEND, Discipline::Fifo));
}

#[test]
fn two_orders_of_persists_on_different_disks_merge() {
    assert!(merges(PERSIST, Discipline::Fifo));
}

#[test]
fn the_order_within_a_channel_is_kept_and_that_in_a_bag_is_not() {
    for (network, same) in [(Discipline::Fifo, false), (Discipline::Bag, true)] {
        let clients = [2, 0, 0, 0, 0, 0, 0, 0];
        let mut walk = oblivious(SEND_TWICE, network, clients);
        let sent = |walk: &Walk| walk.messages().iter().map(|m| m.2).collect::<Vec<_>>();
        walk.go(&["CLIENT 0"]);
        let first = sent(&walk);
        let deliver = ["DELIVER 2 0", "DELIVER 2 0 x:00"][usize::from(same)];
        walk.go(&[deliver, &deliver.replace("00", "01"), "CLIENT 0"]);
        assert_eq!(sent(&walk) == first, same, "{network:?}");
    }
}

#[test]
fn the_order_of_pending_persists_is_kept() {
    let ends = [[1, 2], [2, 1]].map(|[one, two]| {
        let lines = [(On::Start(0), Do::Persist(one)), (On::Start(0), Do::Persist(two))];
        Walk::puppets(plan(1, &lines)).world
    });
    assert_ne!(ends[0], ends[1]);
}

#[test]
fn how_often_a_message_is_in_a_bag_is_part_of_the_state() {
    let sends = |count| vec![(On::Start(0), Do::Send(0, 1)); count];
    let [one, two] = [1, 2].map(|count| Walk::puppets(bag(1, &sends(count))).world);
    assert_ne!(one, two);
}

#[test]
fn who_sent_a_message_and_to_whom_is_part_of_the_state() {
    let world = |from, to| Walk::puppets(plan(3, &[(On::Start(from), Do::Send(to, 1))])).world;
    let worlds = [world(0, 1), world(1, 0), world(0, 2), world(2, 0), world(1, 1)];
    for (at, one) in worlds.iter().enumerate() {
        assert!(!worlds[..at].contains(one));
    }
}

#[test]
fn what_is_pending_is_told_from_what_is_answered_or_in_flight() {
    let world = |what| Walk::puppets(plan(1, &[(On::Start(0), what)])).world;
    let worlds = [Do::Send(0, 1), Do::Persist(1), Do::Reply(1), Do::Arm(1), Do::Wake(1)].map(world);
    for (at, one) in worlds.iter().enumerate() {
        assert!(!worlds[..at].contains(one));
    }
}

#[test]
fn states_stand_at_multiples_of_sixteen_bytes_with_zeros_between() {
    let walk = oblivious(SEND, Discipline::Fifo, BOTH);
    assert_eq!(walk.world[..96], [0; 96]);
    let walk = Walk::puppets(Env { clients: BOTH, ..plan(2, &[]) });
    let mut walk = walk;
    walk.go(&["CLIENT 1"]);
    assert_eq!(walk.world[16..32], [0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(walk.state(1), &walk.world[16..23]);
}

#[test]
fn what_was_in_memory_before_is_not_in_the_world() {
    // The same world, reached with a worker that has seen longer ones.
    let lines = [
        (On::Timer(0, 1), Do::Send(0, 1)),
        (On::Timer(0, 1), Do::Persist(1)),
        (On::Timer(0, 1), Do::Reply(1)),
        (On::Start(0), Do::Arm(1)),
        (On::Start(0), Do::Arm(2)),
    ];
    let fresh = |name: &str| {
        let mut walk = Walk::puppets(plan(1, &lines));
        walk.go(&[name]);
        walk.world
    };
    let mut used = Walk::puppets(plan(1, &lines));
    let start = used.world.clone();
    used.go(&["FIRE 0 1", "DELIVER 0 0"]);
    used.world = start;
    used.go(&["FIRE 0 2"]);
    assert_eq!(used.world, fresh("FIRE 0 2"));
    assert_ne!(used.world, fresh("FIRE 0 1"));
    assert_eq!(core::<Puppet>().state_size(), 7);
}
