//! Worlds are written and read back over random histories.

use std::path::PathBuf;

use super::*;
use crate::action::{Action, Kind};
use crate::process::act::{self, Run, act};
use crate::process::config::{
    ClientConfig, Close, Crash, NodeConfig, Patience, Requests, StateKind, Timeout,
};
use crate::process::enabled::enabled;
use crate::process::environment::After;
use crate::process::state::LocalState;
use crate::process::step::{Cause, Event, Input, Wait, WaitKind};

/// Numbers that look drawn, the same in every run.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % bound
    }

    fn of<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        (!all.is_empty()).then(|| &all[self.below(all.len())])
    }
}

fn config(close: Close, timeout: Timeout, requests: Requests) -> Config {
    let node = |port| NodeConfig {
        program: "none".into(),
        args: Vec::new(),
        state: StateKind::Report,
        ignore: Vec::new(),
        port,
        may_exit: vec![0],
        reads: Vec::new(),
    };
    let client = |node, any_order| ClientConfig {
        node,
        send: vec![b"a".to_vec(), b"bcd".to_vec(), b"a".to_vec()],
        any_order,
        wait: false,
        close: true,
    };
    Config {
        directory: PathBuf::new(),
        nodes: vec![node(20_000), node(20_001)],
        clients: vec![client(0, true), client(0, false), client(1, true)],
        close,
        timeout,
        crash: Crash::Quiescent,
        budgets: Budgets { timeouts: 9, crashes: 5, restarts: 5, drops: 9 },
        patience: Patience::default(),
        requests,
    }
}

/// What a program might do in one step, as its first event or later, and where it comes to rest.
fn behave(
    draw: &mut Draw,
    environment: &Environment,
    states: &States,
    node: usize,
    cause: &Cause,
) -> (Vec<Event>, After) {
    let side = &environment.nodes[node];
    let mut ends: Vec<i32> = side.ends.iter().map(|&(fd, _)| fd).collect();
    let mut listens = side.listens;
    let mut events = Vec::new();
    let mut next = 5;
    let mut fresh = |ends: &mut Vec<i32>| {
        while ends.contains(&next) {
            next += 1;
        }
        ends.push(next);
        next
    };
    if let Cause::Input(Input::Accepted { .. }) = cause {
        events.push(Event::Accepted { fd: fresh(&mut ends) });
    }
    if let Cause::Input(Input::Bytes(bytes)) = cause
        && !bytes.is_empty()
        && draw.below(9) > 0
    {
        events.push(Event::Took);
    }
    for _ in 0..draw.below(4) {
        let held = draw.of(&ends).copied();
        match (draw.below(7), held) {
            (0, _) if !listens => {
                listens = true;
                events.push(Event::Listening);
            }
            (1, _) if listens && draw.below(3) == 0 => {
                listens = false;
                events.push(Event::Closed { fd: 4, listener: true });
            }
            (2, _) if ends.len() < 6 => {
                events.push(Event::Dialled { fd: fresh(&mut ends), owner: draw.below(2) });
            }
            (3, Some(fd)) => events.push(Event::Wrote { fd, bytes: vec![7; 1 + draw.below(3)] }),
            (4, Some(fd)) => events.push(Event::Shut { fd }),
            (5, Some(fd)) => {
                ends.retain(|&other| other != fd);
                events.push(Event::Closed { fd, listener: false });
            }
            (6, _) => events.push(Event::Persisted { record: vec![1; draw.below(3)] }),
            _ => {}
        }
    }
    let rests = |kind, fd| {
        let wait = Wait { kind, fd, capacity: 2, timeout: Some(5) };
        rest_in(states, wait)
    };
    let after = match draw.of(&ends) {
        _ if draw.below(12) == 0 => After::Exited,
        _ if draw.below(12) == 0 => After::Crashed,
        Some(&fd) if !listens || draw.below(2) == 0 => rests(WaitKind::Read, fd),
        _ if listens => rests(WaitKind::Accept, 4),
        _ => After::Exited,
    };
    (events, after)
}

fn rest_in(states: &States, wait: Wait) -> After {
    let state =
        LocalState { content: vec![7], wait, call: vec![1, 300], kept: Vec::new(), raw: false };
    After::Rests(states.intern(state).expect("no two states have one digest"))
}

fn bytes(environment: &Environment) -> Vec<u8> {
    let mut out = Vec::new();
    environment.encode(&mut out);
    out
}

fn possible(config: &Config, environment: &Environment) -> Vec<Action> {
    let mut actions = Vec::new();
    enabled(config, environment, &mut actions);
    actions
}

/// One step, in the environment that has lived all along and in the one that was read back.
fn step(
    config: &Config,
    states: &States,
    draw: &mut Draw,
    both: &mut [Environment; 2],
    run: impl Fn(&mut Environment) -> Run,
) {
    let runs = [run(&mut both[0]), run(&mut both[1])];
    let Run::Step { node, why, .. } = runs[0] else { return };
    let cause = both[0].trigger(node, why).cause();
    let (events, after) = behave(draw, &both[0], states, node, &cause);
    for (environment, run) in both.iter_mut().zip(runs) {
        let accepting = match run {
            Run::Step { accepting, .. } => accepting,
            _ => None,
        };
        environment.absorb(config, node, accepting, &events, after).expect("below every cap");
    }
    if draw.below(3) == 0 {
        both[0].compact();
    }
}

fn decoded(config: &Config, states: &States, world: &[u8]) -> Result<Environment, Error> {
    let mut environment = Environment::default();
    environment.decode(config, states, world).map(|()| environment)
}

#[test]
fn an_environment_read_back_has_the_same_bytes_and_the_same_future() {
    let mut copy = Environment::default();
    for seed in 0..2000 {
        let close = [Close::Shown, Close::Silent][seed % 2];
        let timeout = [Timeout::Native, Timeout::Byte][seed / 2 % 2];
        let requests =
            [Requests::Forgotten, Requests::InClientOrder, Requests::InRealTime][seed / 4 % 3];
        let config = config(close, timeout, requests);
        let states = States::default();
        let mut draw = Draw(seed as u64);
        let mut both = [Environment::new(&config), Environment::new(&config)];
        for node in 0..2 {
            step(&config, &states, &mut draw, &mut both, |environment| {
                act::boot(environment, node)
            });
        }
        for _ in 0..40 {
            let world = bytes(&both[0]);
            assert_eq!(world, bytes(&both[1]), "seed {seed}");
            // In memory that held another environment.
            both[1].decode(&config, &states, &world).expect("what was written");
            assert_eq!(world, bytes(&both[1]), "seed {seed}");
            copy.copy_from(&both[seed % 2]);
            assert_eq!(world, bytes(&copy), "seed {seed}");
            let told = |environment: &Environment| [0, 1].map(|node| environment.told(node));
            assert_eq!(told(&both[0]), told(&copy), "seed {seed}");
            check(&config, &states, &world).expect("it is canonical");
            let actions = possible(&config, &both[0]);
            assert_eq!(actions, possible(&config, &both[1]), "seed {seed}");
            let Some(&action) = draw.of(&actions) else { break };
            step(&config, &states, &mut draw, &mut both, |environment| {
                act(&config, environment, &action).expect("it is possible")
            });
        }
    }
}

#[test]
fn cut_or_changed_bytes_are_an_error_and_no_panic() {
    let config = config(Close::Shown, Timeout::Native, Requests::InRealTime);
    let states = States::default();
    let mut draw = Draw(1);
    let mut both = [Environment::new(&config), Environment::new(&config)];
    for node in 0..2 {
        step(&config, &states, &mut draw, &mut both, |environment| act::boot(environment, node));
    }
    let world = bytes(&both[0]);
    for end in 0..world.len() {
        assert!(decoded(&config, &states, &world[..end]).is_err());
        for value in 0..=255 {
            let mut changed = world.clone();
            changed[end] = value;
            let _ = decoded(&config, &states, &changed);
        }
    }
}

#[test]
fn who_let_go_first_is_forgotten() {
    let config = config(Close::Shown, Timeout::Native, Requests::InRealTime);
    let states = States::default();
    let wait = Wait { kind: WaitKind::Accept, fd: 4, capacity: 0, timeout: None };
    let after = rest_in(&states, wait);
    let client = |argument| Action { kind: Kind::Client, subject: 0, argument };
    let ends = [true, false].map(|first| {
        let mut environment = Environment::new(&config);
        let node = |environment: &mut Environment, accepting, event| {
            environment.absorb(&config, 0, accepting, &[event], after).expect("no cap");
        };
        let run = |environment: &mut Environment, action: Action| {
            act(&config, environment, &action).expect("it is possible")
        };
        node(&mut environment, None, Event::Listening);
        run(&mut environment, client(0));
        let accept = Action { kind: Kind::Accept, subject: 0, argument: 4 };
        let Run::Step { accepting, .. } = run(&mut environment, accept) else { unreachable!() };
        node(&mut environment, accepting, Event::Accepted { fd: 5 });
        if first {
            run(&mut environment, client(u32::MAX));
        }
        node(&mut environment, None, Event::Shut { fd: 5 });
        if !first {
            run(&mut environment, client(u32::MAX));
        }
        bytes(&environment)
    });
    assert_eq!(ends[0], ends[1]);
}

#[test]
fn bytes_that_are_not_in_canonical_form_are_found() {
    let config = config(Close::Shown, Timeout::Native, Requests::InRealTime);
    let states = States::default();
    let mut environment = Environment::new(&config);
    let id = environment.network.connect([End::Node(0, 5), End::Node(1, 6)]);
    environment.nodes[0].ends.push((5, id));
    environment.nodes[1].ends.push((6, id.other()));
    let good = bytes(&environment);
    check(&config, &states, &good).expect("it is canonical");
    // The flag behind the number of the other end says whether this one is finished: 0 or 1.
    let end = good.len();
    let connection = good[..end - 1].iter().rposition(|&byte| byte == 1).expect("its other end");
    let mut bad = good.clone();
    bad[connection + 1] = 2;
    assert!(decoded(&config, &states, &bad).is_ok());
    assert!(check(&config, &states, &bad).is_err());
    // An end that is held twice.
    environment.nodes[0].ends.clear();
    environment.nodes[0].ends.push((7, id));
    environment.nodes[0].ends.push((5, id));
    assert!(check(&config, &states, &bytes(&environment)).is_err());
}

#[test]
fn a_node_in_another_local_state_is_found() {
    let config = config(Close::Shown, Timeout::Native, Requests::Forgotten);
    let states = States::default();
    let rests = |fd| {
        let wait = Wait { kind: WaitKind::Accept, fd, capacity: 0, timeout: None };
        match rest_in(&states, wait) {
            After::Rests(state) => state,
            other => unreachable!("{other:?}"),
        }
    };
    let mut environment = Environment::new(&config);
    environment.nodes[0].state = Some(rests(4));
    let world = bytes(&environment);
    check_states(&states, &world, &environment).expect("it is the one in the world");
    environment.nodes[0].state = Some(rests(5));
    assert!(check_states(&states, &world, &environment).is_err());
}
