//! Environments go to bytes and come back, and bytes that no environment has are refused.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::cores::env::{Discipline, Env};
use crate::cores::environment::Side;

fn payload() -> impl Strategy<Value = Payload> {
    vec(any::<u8>(), 0..=32).prop_map(|bytes| Payload::new(&bytes).expect("at most 32"))
}

prop_compose! {
    fn side()(clients: u8, timers: u16, wakes: u8, resets: u8) -> Side {
        let (wakes, resets) = (Set(wakes.into()), Set(resets.into()));
        Side { clients, timers: Set(timers), wakes, resets }
    }
}

/// An environment of so many nodes, made by sending, persisting and replying.
fn environment() -> impl Strategy<Value = (usize, Environment)> {
    (1usize..=8).prop_flat_map(|nodes| {
        let node = 0..nodes as u8;
        let entries = || vec((node.clone(), payload()), 0..12);
        let messages = vec((node.clone(), node.clone(), payload()), 0..12);
        let parts = (any::<[u8; 3]>(), any::<bool>(), vec(side(), nodes), messages);
        // There may be more records than a byte can count.
        let records = vec((node.clone(), payload()), 0..400);
        (parts, records, entries()).prop_map(move |(parts, persists, replies)| {
            let (budgets, bag, sides, messages) = parts;
            let network = if bag { Discipline::Bag } else { Discipline::Fifo };
            let mut environment = Environment::new(&Env { nodes, network, ..Env::default() });
            [environment.drops, environment.dups, environment.crashes] = budgets;
            environment.sides[..nodes].copy_from_slice(&sides);
            for (to, from, payload) in messages {
                environment.network.send(Message { to, from, payload });
            }
            for (node, payload) in persists {
                environment.persist(Entry { node, payload });
            }
            let entry = |(node, payload)| Entry { node, payload };
            environment.replies = replies.into_iter().map(entry).collect();
            (nodes, environment)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_environment_comes_back_from_its_bytes((nodes, environment) in environment()) {
        let layout = Layout::new(nodes, 3);
        let mut world = vec![7; 16 * nodes];
        encode(&environment, nodes, &mut world);
        let encoded = layout.environment(&world).unwrap();
        // What was in the memory before must not shine through.
        let network = environment.network.discipline();
        let mut back = Environment::new(&Env { nodes, network, clients: [9; 8], ..Env::default() });
        back.sides[nodes..].fill(Side::default());
        let seven = Payload::new(&[7; 7]).unwrap();
        back.network.push(Message { to: 0, from: 0, payload: seven });
        back.persists.push(Entry { node: 0, payload: seven });
        back.replies.push(Entry { node: 0, payload: seven });
        encoded.decode(&mut back).unwrap();
        prop_assert_eq!(&back, &environment);
        let messages: Vec<_> = encoded.messages().map(Result::unwrap).collect();
        let expected = environment.network.messages().iter();
        let expected: Vec<_> = expected.map(|m| (m.to, m.from, m.payload.bytes())).collect();
        prop_assert_eq!(messages, expected);
        let replies: Vec<_> = encoded.replies().map(Result::unwrap).collect();
        let expected = environment.replies.iter().map(|e| (e.node, e.payload.bytes()));
        prop_assert_eq!(replies, expected.collect::<Vec<_>>());
    }

    #[test]
    fn cut_or_longer_bytes_are_refused((nodes, environment) in environment(), cut in 1usize..400) {
        let layout = Layout::new(nodes, 16);
        let mut world = vec![0; 16 * nodes];
        encode(&environment, nodes, &mut world);
        let mut back = environment.clone();
        let short = &world[..world.len() - cut.min(world.len())];
        let refused = layout.environment(short).and_then(|encoded| encoded.decode(&mut back));
        prop_assert!(matches!(refused, Err(Error::Internal(_))));
        world.extend([0, 0]);
        let refused = layout.environment(&world).unwrap().decode(&mut back);
        prop_assert!(matches!(refused, Err(Error::Internal(_))));
    }

    #[test]
    fn sends_that_commute_end_in_the_same_network(
        bag: bool,
        messages in vec((0u8..3, 0u8..3, payload()), 0..8),
        swaps in vec((0usize..8, 0usize..8), 0..12),
    ) {
        let discipline = if bag { Discipline::Bag } else { Discipline::Fifo };
        let mut others = messages.clone();
        for (one, two) in swaps {
            if let Ok([one, two]) = others.get_disjoint_mut([one, two]) {
                std::mem::swap(one, two);
            }
        }
        if !bag {
            // The order within a channel is part of the state.
            others = messages.iter().filter(|m| m.0 == 1).cloned()
                .chain(messages.iter().filter(|m| m.0 != 1).cloned()).collect();
        }
        let sent = |messages: Vec<_>| {
            let mut network = crate::cores::network::Network::new(discipline);
            for (to, from, payload) in messages {
                network.send(Message { to, from, payload });
            }
            network
        };
        prop_assert_eq!(sent(messages), sent(others));
    }
}
