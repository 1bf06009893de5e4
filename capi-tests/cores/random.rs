//! Random cores in random environments: what the front end and the search find is what the plain
//! second reading of the rules finds, to the last count.

use std::collections::BTreeMap;

use cmc::action::Kind;
use cmc::cores::{Cores, Discipline, Env};
use cmc::search::Verdict;
use cmc::system::System;
use cmc::system::det::Det;
use cmc::world::Reader;
use proptest::prelude::*;

use crate::oracle::{Expected, Rules, World};
use crate::scripted::core;
use crate::table::{Dice, Table, hash};
use crate::walk::{Walk, search, search_as};

/// The environment of a seed.
fn environment(seed: u64) -> Env {
    let dice = &mut Dice(hash(&[b"environment", &seed.to_le_bytes()]));
    let nodes = 1 + dice.roll(3) as usize;
    let network = [Discipline::Fifo, Discipline::Bag][dice.roll(2) as usize];
    let mut clients = [0; 8];
    clients[dice.roll(nodes as u64) as usize] = dice.roll(3) as u8;
    // Small caps make violations, larger ones let a search come to its end.
    let roomy = dice.roll(3) > 0;
    let mut cap = |small| if roomy { 0xff } else { small + dice.roll(3) as u8 };
    let (max_messages, max_replies, max_persists) = (cap(2), cap(1), cap(1));
    let dups = if network == Discipline::Bag { dice.roll(2) as u8 } else { 0 };
    let energy = 1 + dice.roll(3) as u8;
    let mischief = u8::from(dice.roll(3) == 0);
    let mut settings = seed.to_le_bytes().to_vec();
    settings.extend([energy, mischief]);
    Env {
        nodes,
        network,
        drops: dice.roll(2) as u8,
        dups,
        crashes: dice.roll(2) as u8,
        clients,
        max_messages,
        max_replies,
        max_persists,
        settings,
    }
}

fn found<S: System>(system: &S) -> Expected {
    let found = search(system, &[]);
    assert!(matches!(found.verdict, Verdict::Pass | Verdict::Violated), "{found:?}");
    Expected {
        property: found.property,
        distinct: found.distinct,
        generated: found.generated,
        depth: found.depth,
        trace_len: found.trace_len,
        receipts: (1..=14).map(|n| found.receipts.count(Kind::of(n).unwrap())).collect(),
    }
}

#[test]
fn searches_find_what_the_second_reading_finds() {
    let (mut ends, mut kinds, mut worlds) = (BTreeMap::new(), vec![0; 14], 0);
    for seed in 0..400u64 {
        let env = environment(seed);
        let Some(mut expected) = Rules::new(&env).explore::<Table>(4000) else {
            *ends.entry("too large".to_owned()).or_insert(0) += 1;
            continue;
        };
        let cores = Cores::new(core::<Table>(), env).unwrap();
        let actual = found(&cores);
        if expected.distinct.is_none() {
            // Nothing is counted where a rule breaks at the start.
            expected.receipts = actual.receipts.clone();
        }
        assert_eq!(actual, expected, "seed {seed}, {:?}", cores.env());
        if seed % 8 == 0 {
            assert_eq!(found(&Det(&cores)), expected, "twice, seed {seed}");
            let several = search_as(&cores, &[], |search| search.workers = 3);
            assert_eq!(
                (several.distinct, several.generated),
                (expected.distinct, expected.generated)
            );
        }
        worlds += expected.distinct.unwrap_or_default();
        kinds.iter_mut().zip(&expected.receipts).for_each(|(sum, count)| *sum += count);
        *ends.entry(expected.property.unwrap_or("pass".into())).or_insert(0) += 1;
    }
    // The cores are such that all of it happens: else nothing was compared.
    for end in [
        "pass",
        "durable",
        "effect",
        "cap:effects",
        "cap:bytes",
        "cap:messages",
        "cap:persists",
        "cap:replies",
        "cap:timers",
        "cap:waiters",
    ] {
        assert!(ends.get(end).is_some_and(|count| *count > 0), "{end}: {ends:?}");
    }
    for kind in cmc::action::Kind::ALL.iter().filter(|kind| (**kind as u8) < 10) {
        assert!(kinds[*kind as usize - 1] > 1000, "{kind}: {kinds:?}");
    }
    assert!(ends["pass"] > 200 && worlds > 80_000, "{worlds} worlds, {ends:?}");
}

/// Both readings show the same world.
fn same(walk: &mut Walk, world: &World) {
    for (node, state) in world.states.iter().enumerate() {
        assert_eq!(walk.state(node), state);
        let left = walk.cores.env().clients[node] - world.asked[node];
        assert_eq!(walk.budget(&format!("clients {node}")), Some(left.into()));
    }
    let budgets = ["drops", "dups", "crashes"].map(|name| walk.budget(name));
    assert_eq!(budgets, [world.drops, world.dups, world.crashes].map(|left| Some(left.into())));
    let mut messages = Vec::new();
    let keep = &mut |message: cmc::world::Message<'_>| {
        messages.push((message.to as u8, message.from.unwrap() as u8, message.bytes.to_vec()));
        true
    };
    walk.cores.messages(&walk.world, keep).unwrap();
    let expected = world.flying.iter().flat_map(|(&(to, from), messages)| {
        messages.iter().map(move |bytes| (to, from, bytes.clone()))
    });
    assert_eq!(messages, expected.collect::<Vec<_>>());
    let mut replies = Vec::new();
    let keep = &mut |reply: cmc::world::Reply<'_>| {
        replies.push((reply.node.unwrap() as u8, reply.bytes.to_vec()));
        true
    };
    walk.cores.replies(&walk.world, keep).unwrap();
    assert_eq!(replies, world.log);
}

/// The initial worlds, if no rule breaks there.
fn starts(rules: &Rules) -> Result<[World; 2], &'static str> {
    Ok([rules.start::<Table>(0)?, rules.start::<Table>(1)?])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Every action listed can be taken, is the one that the second reading lists there by that name,
    /// and leads to the same world or breaks the same rule.
    #[test]
    fn walks_are_those_of_the_second_reading(seed in 0u64..1 << 40, mut turns in any::<u64>()) {
        let env = environment(seed);
        let rules = Rules::new(&env);
        let Ok([mut world, _]) = starts(&rules) else { return Ok(()) };
        let mut walk = Walk::new(core::<Table>(), env);
        for _ in 0..40 {
            same(&mut walk, &world);
            let (mut ways, actions) = (rules.ways::<Table>(&world), walk.actions());
            let names: Vec<_> = ways.iter().map(|way| way.name.as_str()).collect();
            prop_assert_eq!(walk.names(), names);
            let before = walk.world.clone();
            let mut next = None;
            if ways.is_empty() {
                break;
            }
            turns = hash(&[&turns.to_le_bytes()]);
            let chosen = (turns % ways.len() as u64) as usize;
            for (at, (way, action)) in ways.drain(..).zip(&actions).enumerate() {
                walk.world.clone_from(&before);
                match (walk.take(action), way.end) {
                    (Ok(()), Ok(end)) if at == chosen => next = Some((walk.world.clone(), end)),
                    (Ok(()), Ok(_)) => (),
                    (Err(cmc::system::Stop::Violated(breach)), Err(rule)) => {
                        prop_assert_eq!(breach.property, rule);
                    }
                    (one, two) => prop_assert!(false, "{:?} and {:?}", one, two),
                }
            }
            let Some((bytes, end)) = next else { break };
            (walk.world, world) = (bytes, end);
        }
    }

    /// Two actions that concern different nodes and send to no common channel lead to one world in
    /// both orders: what happens at one node says nothing about the other.
    #[test]
    fn independent_actions_end_in_the_same_world_in_both_orders(seed in 0u64..1 << 40, mut turns in any::<u64>()) {
        let env = Env { max_messages: 255, max_persists: 255, ..environment(seed) };
        let Ok(_) = starts(&Rules::new(&env)) else { return Ok(()) };
        let mut walk = Walk::new(core::<Table>(), env);
        for _ in 0..20 {
            let start = walk.world.clone();
            let names = walk.names();
            let own = |name: &&String| ["DELIVER", "FIRE", "FLUSH", "WAKE", "CLIENT"]
                .iter().any(|kind| name.starts_with(kind));
            let own: Vec<_> = names.iter().filter(own).cloned().collect();
            for (one, two) in own.iter().flat_map(|one| own.iter().map(move |two| (one, two))) {
                if one.split(' ').nth(1) == two.split(' ').nth(1) {
                    continue;
                }
                let mut end = |order: [&String; 2]| {
                    walk.world.clone_from(&start);
                    for name in order {
                        let names = walk.names();
                        let at = names.iter().position(|known| known == name)?;
                        let action = walk.actions()[at];
                        walk.take(&action).ok()?;
                    }
                    Some((walk.world.clone(), walk.replies()))
                };
                let (Some(first), Some(second)) = (end([one, two]), end([two, one])) else {
                    continue;
                };
                // The log keeps who answered first.
                if first.1 == second.1 {
                    prop_assert_eq!(first.0, second.0, "{} and {}", one, two);
                }
            }
            walk.world.clone_from(&start);
            if names.is_empty() {
                break;
            }
            turns = hash(&[&turns.to_le_bytes()]);
            let action = walk.actions()[(turns % names.len() as u64) as usize];
            if walk.take(&action).is_err() {
                break;
            }
        }
    }
}
