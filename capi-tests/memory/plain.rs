//! The normal form changes nothing that can be observed: a process that is brought to it behind every
//! step answers, asks and waits as one that is left alone, and as the rules of the program say.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use cmc::check::file::ModelFile;
use cmc::process::Processes;
use cmc::process::node::Node;
use cmc::process::step::{Answers, Cause, Event, Input, Query, Rest};
use cmc::process::zygotes::Zygotes;

use crate::histories::{Client, clients};
use crate::machine::Machine;
use crate::programs::{built, model_file, models_at_levels, two_at_a_time};
use crate::rules;

/// Steps that are compared at least.
const STEPS: usize = 3_610;

/// The orders in which `messages` are sent: they go round, forwards and backwards.
fn orders(messages: &[String]) -> Vec<Vec<String>> {
    let mut orders = Vec::new();
    let mut order = messages.to_vec();
    for _ in messages {
        orders.push(order.clone());
        orders.push(order.iter().rev().cloned().collect());
        order.rotate_left(1);
    }
    orders
}

/// What a program is given when `clients` come one after the other, and what its rules say to it.
fn causes(clients: &[Client], mut rules: Box<dyn Machine>) -> Vec<(Cause, Option<String>)> {
    let mut causes = vec![(Cause::Boot(None), None)];
    for client in clients {
        causes.push((Cause::Input(Input::Accepted { synthetic: false }), None));
        for message in &client.messages {
            let bytes = message.clone().into_bytes();
            causes.push((Cause::Input(Input::Bytes(bytes)), rules.obey(message)));
        }
        if client.close {
            causes.push((Cause::Input(Input::Bytes(Vec::new())), None));
            rules.hang_up();
        }
    }
    causes
}

/// What is seen of one step.
#[derive(Debug, PartialEq)]
struct Seen {
    events: Vec<Event>,
    rest: Rest,
    asked: Vec<Query>,
}

fn step(node: &mut Node, cause: &Cause) -> Seen {
    let (events, rest) = node.run(cause, Answers::default(), None).expect("it runs");
    Seen { events, rest, asked: node.asked.clone() }
}

/// The answer to a message, if there is one.
fn answer(events: &[Event]) -> Option<String> {
    let mut written = events.iter().filter_map(|event| match event {
        Event::Wrote { bytes, .. } => Some(String::from_utf8_lossy(bytes).into_owned()),
        _ => None,
    });
    written.next()
}

#[test]
fn a_process_in_normal_form_behaves_as_one_that_is_left_alone() {
    let steps = AtomicUsize::new(0);
    two_at_a_time(models_at_levels(), |(model, level)| {
        // Its nodes do two things where heap objects lie elsewhere.
        if model == "address_hash" {
            return;
        }
        let file = ModelFile::load(&built().join(format!("{model}-{level}.toml")));
        let config = file.expect("make has written it").config;
        let never = Arc::new(AtomicBool::new(false));
        let processes = Processes::new(config, Path::new(env!("CMC_PRELOAD_BUILT")), &never);
        let processes = processes.expect("its program starts");
        let mut zygotes = Zygotes::default();
        let clients = clients(&model_file(&model));
        for order in 0..2 * clients[0].messages.len() {
            let mut clients = clients.clone();
            for client in &mut clients {
                client.messages = orders(&client.messages).swap_remove(order);
            }
            let mut start = || zygotes.start(&processes, 0, Answers::default()).expect("it starts");
            let (mut plain, mut normal) = (start(), start());
            for (cause, said) in causes(&clients, rules(&model)) {
                let seen = step(&mut plain, &cause);
                assert_eq!(step(&mut normal, &cause), seen, "{model}-{level}: {cause:?}");
                assert!(said.is_none() || said == answer(&seen.events), "{seen:?}, not {said:?}");
                let Rest::Waiting(wait, call) = &seen.rest else {
                    panic!("{model}-{level}: {cause:?}: it does not wait");
                };
                let state = processes.take_state(&mut normal, *wait, call, true);
                state.expect("it can be brought to its normal form");
                steps.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    let steps = steps.into_inner();
    println!("{steps} steps");
    assert!(steps >= STEPS, "{steps}");
}
