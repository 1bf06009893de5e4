//! All successors of a world at once are those of its actions, one by one.

use std::collections::{HashSet, VecDeque};
use std::ops::ControlFlow;

use cmc::action::Action;
use cmc::brood::Brood;
use cmc::cores::{Cores, Discipline, Env, Worker};
use cmc::system::{Stop, System};
use cmc::world::Touched;

use crate::compiled::load;
use crate::walk::{NOWHERE, NoChoice, initial};

type Successors = Vec<(Action, Result<Vec<u8>, Stop>)>;

fn one_by_one(cores: &Cores, worker: &mut Worker, world: &[u8]) -> Result<Successors, Stop> {
    let mut actions = Vec::new();
    cores.enabled(worker, world, &mut actions)?;
    let successor = |action: Action| {
        let mut next = Vec::new();
        let applied = cores.apply(worker, NOWHERE, world, &action, &mut NoChoice, &mut next);
        (action, applied.map(|()| next))
    };
    Ok(actions.into_iter().map(successor).collect())
}

/// The first `most` of them.
fn at_once(
    cores: &Cores,
    worker: &mut Worker,
    world: &[u8],
    most: usize,
) -> Result<Successors, Stop> {
    let mut found = Successors::new();
    let mut look = |brood: &mut Brood| {
        brood.each(|action, touched, next| {
            if let Ok(next) = next {
                assert!(differs_only(world, next, touched), "{action:?}: {touched:?}");
            }
            found.push((action, next.map(<[u8]>::to_vec)));
            match found.len() < most {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        })
    };
    let mut brood = Brood::default();
    let any = cores.successors(worker, world, &mut brood, &mut look).expect("cores have it")?;
    let _ = look(&mut brood);
    assert_eq!(any, !found.is_empty());
    Ok(found)
}

/// Whether two worlds are equal but for where they are `touched`.
fn differs_only(world: &[u8], next: &[u8], touched: Touched) -> bool {
    let Touched { start, end, behind } = touched;
    let same = |at: usize| (start..end).contains(&at) || world.get(at) == next.get(at);
    (0..behind).all(same)
}

/// Compares both in the first worlds of a core.
fn compare(cores: &Cores) {
    let [mut one, mut other] = [0, 1].map(|id| cores.worker(id).expect("a worker"));
    let mut queue = VecDeque::from(initial(cores, &mut one).expect("initial worlds"));
    let mut known = HashSet::new();
    while let Some(world) = queue.pop_front() {
        let wanted = one_by_one(cores, &mut one, &world);
        // One worker does both in turns, as its memory must not matter.
        assert_eq!(at_once(cores, &mut other, &world, usize::MAX), wanted);
        assert_eq!(one_by_one(cores, &mut other, &world), wanted);
        let wanted = wanted.expect("actions");
        if wanted.len() > 2 {
            let first = at_once(cores, &mut other, &world, 2).expect("they were listed before");
            assert_eq!(first, wanted[..2]);
        }
        for next in wanted.into_iter().filter_map(|(_, next)| next.ok()) {
            if known.len() < 3000 && known.insert(next.clone()) {
                queue.push_back(next);
            }
        }
    }
}

#[test]
fn successors_at_once_are_those_of_actions_one_by_one() {
    let clients = Env { nodes: 3, clients: [2, 1, 1, 0, 0, 0, 0, 0], ..Env::default() };
    let faults = Env { drops: 1, crashes: 1, ..clients.clone() };
    let bag = Env { network: Discipline::Bag, dups: 1, ..faults.clone() };
    for env in [clients, faults, bag] {
        compare(&Cores::new(load("token", &["BUG=0"]), env).unwrap());
    }
    let env = Env { settings: vec![3], ..Env::default() };
    compare(&Cores::new(load("lattice", &[]), env).unwrap());
}

const STEP: u8 = 2;
const DIRECT_ACTIONS: u8 = 4;

/// `stray` with these options, and its first world.
fn stray(options: &[&str], settings: [u8; 2]) -> (Cores, Vec<u8>) {
    let env = Env { settings: settings.into(), ..Env::default() };
    let cores = Cores::new(load("stray", options), env).unwrap();
    let mut worker = cores.worker(0).expect("a worker");
    let world = initial(&cores, &mut worker).expect("initial worlds").remove(0);
    (cores, world)
}

#[test]
fn so_are_the_reasons_why_there_is_none() {
    let places = [5, -1i8, 127].map(|offset| (true, STEP, offset as u8));
    let others = [(false, STEP, 5), (true, DIRECT_ACTIONS, 5)];
    for (direct, function, offset) in places.into_iter().chain(others) {
        let options: &[&str] = if direct { &["DIRECT"] } else { &[] };
        let (cores, world) = stray(options, [function, offset]);
        // What was written beside the state of a worker stays, so each asks one of its own.
        let [mut one, mut other] = [0, 1].map(|id| cores.worker(id).expect("a worker"));
        let wanted = one_by_one(&cores, &mut one, &world);
        let stops =
            wanted.as_ref().map_or(1, |all| all.iter().filter(|one| one.1.is_err()).count());
        assert!(stops > 0, "{direct} {function} {offset}: {wanted:?}");
        assert_eq!(at_once(&cores, &mut other, &world, usize::MAX), wanted);
    }
}

#[test]
fn a_step_that_writes_beside_its_state_and_not_again_is_an_error_too() {
    for offset in [5, -1i8, 127] {
        let (cores, world) = stray(&["DIRECT", "ONCE"], [STEP, offset as u8]);
        let mut worker = cores.worker(0).expect("a worker");
        let found = at_once(&cores, &mut worker, &world, usize::MAX).expect("actions");
        let told = found.iter().any(|(_, next)| {
            next.as_ref().is_err_and(|stop| format!("{stop:?}").contains("but not each time"))
        });
        assert!(told, "{offset}: {found:?}");
        // What was found out is over: others are not blamed for it.
        let again = at_once(&cores, &mut worker, &world, usize::MAX).expect("actions");
        assert!(again.len() == 3 && again.iter().all(|(_, next)| next.is_ok()), "{again:?}");
    }
}
