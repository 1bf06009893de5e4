//! Calibration mode: a core lists its own actions, and its state is the world.

use cmc::action::{Action, Kind};
use cmc::cores::abi::{CmcEvent, CmcNode, CmcOut};
use cmc::cores::{Cores, Env};
use cmc::error::Error;
use cmc::search::Verdict;
use cmc::system::{Stop, System};
use cmc::world::Reader;

use crate::compiled::load;
use crate::scripted::{Script, arm, core};
use crate::walk::{Walk, initial, search};

/// Two counters that go up to the number in the settings, each step with two witnesses.
pub struct Counters;

fn action(id: u8, peer: u8, bytes: &[u8]) -> CmcEvent {
    let mut data = [0xcc; 32];
    data[..bytes.len()].copy_from_slice(bytes);
    // What kind it is the engine says.
    CmcEvent { kind: 99, peer, id, len: bytes.len() as u8, data }
}

impl Script for Counters {
    const STATE: usize = 5;
    const DIRECT: bool = true;
    const INITIAL: u32 = 3;

    fn init(_: &CmcNode, index: u32, state: &mut [u8], _: &mut CmcOut) {
        // The first two are the same world.
        state[4] = (index / 2) as u8;
    }

    fn step(_: &CmcNode, state: &mut [u8], event: &CmcEvent, _: &mut CmcOut) {
        assert_eq!(event.kind, 8);
        assert!(event.data[event.len.into()..].iter().all(|&byte| byte == 0));
        state[usize::from(event.id)] += 1;
    }

    fn actions(node: &CmcNode, state: &[u8]) -> Vec<CmcEvent> {
        let most = node.settings[0];
        let counters = (0..2u8).filter(|&id| state[usize::from(id)] < most);
        counters.flat_map(|id| [action(id, 7, &[]), action(id, 8, &[0xab, id])]).collect()
    }
}

fn counters(most: u8) -> Walk {
    Walk::new(core::<Counters>(), Env { settings: vec![most], ..Env::default() })
}

#[test]
fn the_world_is_the_state_and_nothing_else() {
    let mut walk = counters(2);
    assert_eq!((walk.world.as_slice(), walk.state(0)), (&[0; 5][..], &[0; 5][..]));
    walk.go(&["ACTION 1 7 x:"]);
    assert_eq!(walk.world, [0, 1, 0, 0, 0]);
    assert_eq!((walk.messages(), walk.replies()), (vec![], vec![]));
    assert_eq!((walk.budget("drops"), walk.budget("clients 0")), (Some(0), Some(0)));
    assert_eq!((walk.budget("clients 1"), walk.budget("time")), (None, None));
}

#[test]
fn actions_keep_the_order_of_the_core_and_are_named_by_number_process_and_bytes() {
    let mut walk = counters(1);
    let names = ["ACTION 0 7 x:", "ACTION 0 8 x:ab00", "ACTION 1 7 x:", "ACTION 1 8 x:ab01"];
    assert_eq!(walk.names(), names);
    assert_eq!(walk.cores.kinds(), [Kind::Action]);
    walk.go(&["ACTION 0 8 x:ab00"]);
    assert_eq!(walk.names(), names[2..]);
    let action = walk.actions()[1];
    let told = walk.cores.tell(&walk.world, &action).unwrap();
    assert_eq!((told.node, told.payload), (Some(0), Some(vec![0xab, 1])));
    assert_eq!(told.words, "takes action 1 of process 8");
    let event = walk.cores.direct_action(&walk.world, &action).unwrap().expect("an event");
    assert_eq!((event.kind, event.id, event.peer, event.len), (8, 1, 8, 2));
}

#[test]
fn witnesses_are_generated_each_and_initial_worlds_too() {
    // Two grids of 4 x 4; 2 witnesses for each of the 2 x 2 x 12 steps; 3 initial worlds.
    let found = search(&counters(3).cores, &[]);
    assert_eq!(found.verdict, Verdict::Pass);
    let counts = (found.distinct, found.generated, found.depth);
    assert_eq!(counts, (Some(32), Some(3 + 96), Some(7)));
    assert_eq!(found.receipts.count(Kind::Action), 96);
    let cores = counters(3).cores;
    assert_eq!(initial(&cores, &mut cores.worker(0).unwrap()).unwrap().len(), 3);
}

#[test]
fn what_a_core_leaves_behind_in_a_listing_reaches_neither_a_step_nor_the_next_listing() {
    let cores = Cores::new(load("leavings", &[]), Env::default()).unwrap();
    let found = search(&cores, &[]);
    assert_eq!(found.verdict, Verdict::Pass);
    assert_eq!((found.distinct, found.generated, found.depth), (Some(3), Some(4), Some(3)));
    let mut walk = Walk::new(load("leavings", &[]), Env::default());
    walk.go(&["ACTION 1 1 x:"]);
    assert_eq!(walk.names(), ["ACTION 0 0 x:"; 2]);
    walk.go(&["ACTION 0 0 x:"]);
    assert_eq!(walk.state(0), [2, 0]);
}

#[test]
fn an_action_is_one_event_of_fairness_wherever_it_is_listed() {
    let mut walk = counters(1);
    let last = walk.actions()[2];
    let number = walk.cores.fairness(&walk.world, &last);
    walk.go(&["ACTION 0 7 x:"]);
    let first = walk.actions()[0];
    assert_ne!(first, last);
    assert_eq!(walk.cores.fairness(&walk.world, &first), number);
    // It is the number and the process, whatever bytes go with them.
    let other = walk.actions()[1];
    assert_ne!(walk.cores.fairness(&walk.world, &other), number);
}

#[test]
fn steps_of_any_world_in_any_order_are_those_of_that_world() {
    // What was listed for one world must not be used for another.
    let cores = counters(3).cores;
    let mut worker = cores.worker(0).unwrap();
    let worlds = [[0u8, 0, 0, 0, 0], [3, 0, 0, 0, 0], [0, 3, 0, 0, 0], [1, 2, 0, 0, 1]];
    let mut next = Vec::new();
    for (one, two) in worlds.iter().flat_map(|one| worlds.iter().map(move |two| (one, two))) {
        let mut actions = Vec::new();
        cores.enabled(&mut worker, one, &mut actions).unwrap();
        let first = Action { kind: Kind::Action, subject: 0, argument: 0 };
        let nowhere = crate::walk::NOWHERE;
        let choice = &mut crate::walk::NoChoice;
        cores.apply(&mut worker, nowhere, two, &first, choice, &mut next).unwrap();
        let mut expected = *two;
        expected[usize::from(two[0] == 3)] += 1;
        assert_eq!(next, expected, "listed {one:?}, stepped {two:?}");
    }
}

#[test]
fn the_world_of_all_zeros_is_listed_like_any_other() {
    let cores = counters(1).cores;
    let mut worker = cores.worker(0).unwrap();
    let action = Action { kind: Kind::Action, subject: 0, argument: 3 };
    let mut next = Vec::new();
    let nowhere = crate::walk::NOWHERE;
    let choice = &mut crate::walk::NoChoice;
    cores.apply(&mut worker, nowhere, &[0; 5], &action, choice, &mut next).unwrap();
    assert_eq!(next, [0, 1, 0, 0, 0]);
    let beyond = Action { argument: 4, ..action };
    let refused = cores.apply(&mut worker, nowhere, &[0; 5], &beyond, choice, &mut next);
    assert!(matches!(refused, Err(Stop::Error(Error::Internal(_)))), "{refused:?}");
}

/// Lists as many actions as its settings say; asks for a timer in step or init when told to.
struct Loud;

impl Script for Loud {
    const STATE: usize = 2;
    const DIRECT: bool = true;

    fn init(node: &CmcNode, _: u32, _: &mut [u8], out: &mut CmcOut) {
        (0..node.settings[3]).for_each(|_| arm(out, 0));
    }

    fn step(node: &CmcNode, state: &mut [u8], _: &CmcEvent, out: &mut CmcOut) {
        state[0] = 1;
        (0..node.settings[2]).for_each(|_| arm(out, 0));
    }

    fn actions(node: &CmcNode, state: &[u8]) -> Vec<CmcEvent> {
        let count = usize::from(u16::from_le_bytes([node.settings[0], node.settings[1]]));
        if state[0] == 1 {
            return Vec::new();
        }
        let len = node.settings[4];
        vec![CmcEvent { len, ..action(0, 0, &[]) }; count]
    }
}

fn loud(settings: &[u8]) -> (Verdict, Option<String>, Option<u64>) {
    let env = Env { settings: settings.to_vec(), ..Env::default() };
    let found = search(&Cores::new(core::<Loud>(), env).unwrap(), &[]);
    (found.verdict, found.property, found.trace_len)
}

#[test]
fn more_actions_than_the_cap_are_cap_actions() {
    let [most, more] = [2048u16, 2049].map(u16::to_le_bytes);
    assert_eq!(loud(&most), (Verdict::Pass, None, None));
    assert_eq!(loud(&more), (Verdict::Violated, Some("cap:actions".into()), Some(1)));
}

#[test]
fn any_effect_is_the_violation_effect() {
    for asked in [1, 17] {
        let expected = (Verdict::Violated, Some("effect".into()), Some(2));
        assert_eq!(loud(&[1, 0, asked]), expected);
        let expected = (Verdict::Violated, Some("effect".into()), Some(1));
        assert_eq!(loud(&[1, 0, 0, asked]), expected);
    }
}

#[test]
fn an_action_of_more_bytes_than_fit_is_cap_bytes() {
    assert_eq!(loud(&[1, 0, 0, 0, 32]), (Verdict::Pass, None, None));
    let expected = (Verdict::Violated, Some("cap:bytes".into()), Some(1));
    assert_eq!(loud(&[1, 0, 0, 0, 33]), expected);
}

#[test]
fn there_is_one_node_and_it_runs() {
    let walk = counters(1);
    assert_eq!(walk.cores.nodes(), 1);
    assert!(walk.cores.content(&walk.world, 1).is_err());
}
