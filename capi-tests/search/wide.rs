//! Graphs of many thousands of worlds with levels of any width, many ways to every world, and all that
//! can go wrong, searched by many workers in batches of every size.

use std::collections::HashSet;

use cmc::action::{Action, ChoiceKind, Kind};
use cmc::error::Error;
use cmc::property::{Property, Rule};
use cmc::search::{Found, Search, Verdict};
use cmc::system::{Breach, Choice, Position, Stop, System, Told};
use cmc::world::View;

use super::systems::Blind;
use super::systems::oracle::Dice;
use super::{Stored, breadth};

/// Worlds are the numbers below `size`, as 4 bytes and some zeros; the seed says what leads where.
struct Wide {
    seed: u64,
    size: u64,
    /// How far a step leads at most: it makes levels wide or narrow.
    reach: u64,
    /// A step from this world breaks a rule.
    breaks: Option<u64>,
}

fn number(world: &[u8]) -> u64 {
    u64::from(u32::from_le_bytes(world[..4].try_into().unwrap()))
}

fn write(number: u64, out: &mut Vec<u8>) {
    out.clear();
    out.extend((number as u32).to_le_bytes());
    out.resize(4 + (number % 37) as usize, 0);
}

impl Wide {
    fn dice(&self, from: u64, salt: u64) -> Dice {
        let mut dice = Dice(self.seed ^ from.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ salt << 40);
        dice.roll(2);
        dice
    }
}

impl System for Wide {
    type Worker = ();

    fn worker(&self, _: usize) -> Result<(), Stop> {
        Ok(())
    }

    fn initial(&self, (): &mut (), each: &mut dyn FnMut(&[u8])) -> Result<(), Stop> {
        let mut world = Vec::new();
        for first in 0..1 + self.seed % 3 {
            write(first, &mut world);
            each(&world);
        }
        Ok(())
    }

    fn enabled(&self, (): &mut (), world: &[u8], out: &mut Vec<Action>) -> Result<(), Stop> {
        let from = number(world);
        let count = 1 + self.dice(from, 0).roll(5) as u32;
        out.extend((0..count).map(|argument| Action { kind: Kind::Client, subject: 0, argument }));
        Ok(())
    }

    fn apply(
        &self,
        (): &mut (),
        _: Position<'_>,
        world: &[u8],
        action: &Action,
        choose: &mut dyn Choice,
        next: &mut Vec<u8>,
    ) -> Result<(), Stop> {
        let from = number(world);
        let mut dice = self.dice(from, 1 + u64::from(action.argument));
        let chosen = match dice.roll(8) {
            0 => choose.choose(ChoiceKind::Other, 3) as u64,
            _ => 0,
        };
        if self.breaks == Some(from) {
            let (property, why) = ("signal".into(), "as planted".into());
            return Err(Stop::Violated(Breach { property, why }));
        }
        write((from + chosen + dice.roll(self.reach)) % self.size, next);
        Ok(())
    }

    fn view<'a>(&'a self, world: &'a [u8]) -> View<'a> {
        View { world, reader: &Blind }
    }

    fn kinds(&self) -> &'static [Kind] {
        &[Kind::Client]
    }

    fn name(&self, _: &[u8], action: &Action) -> String {
        format!("CLIENT {}", action.argument)
    }

    fn tell(&self, _: &[u8], _: &Action) -> Result<Told, Error> {
        Ok(Told::default())
    }
}

/// Everything, found with a plain queue: the worlds in order, and how many were generated.
fn queue(system: &Wide) -> (Vec<Vec<u8>>, u64) {
    struct Always(usize);
    impl Choice for Always {
        fn choose(&mut self, _: ChoiceKind, _: usize) -> usize {
            self.0
        }
    }
    let (mut known, mut worlds, mut generated) = (HashSet::new(), Vec::<Vec<u8>>::new(), 0);
    let mut meet = |world: &[u8], worlds: &mut Vec<Vec<u8>>| {
        generated += 1;
        if known.insert(world.to_vec()) {
            worlds.push(world.to_vec());
        }
    };
    system.initial(&mut (), &mut |world| meet(world, &mut worlds)).unwrap();
    let (mut next, mut at) = (Vec::new(), 0);
    while at < worlds.len() {
        let (world, mut actions) = (worlds[at].clone(), Vec::new());
        system.enabled(&mut (), &world, &mut actions).unwrap();
        let from = number(&world);
        for action in &actions {
            let asks = system.dice(from, 1 + u64::from(action.argument)).roll(8) == 0;
            for chosen in 0..if asks { 3 } else { 1 } {
                let path = cmc::trace::Trace { initial: 0, labels: Vec::new() };
                let position = Position { index: 0, path: &path };
                let choose = &mut Always(chosen);
                system.apply(&mut (), position, &world, action, choose, &mut next).unwrap();
                meet(&next, &mut worlds);
            }
        }
        at += 1;
    }
    (worlds, generated)
}

fn rule(name: &str, rule: Rule) -> Property {
    Property { name: name.into(), rule }
}

/// What every number of workers finds, in every order and with every size of batches.
fn found_by_all(what: &str, search: &Search, system: &Wide, rules: &[Property]) -> (Found, Stored) {
    let mut first = None;
    let ways = [
        (1, None, None),
        (1, Some(3), None),
        (2, None, None),
        (2, Some(1), Some(1)),
        (3, None, Some(7)),
        (8, None, None),
        (8, Some(2), Some(200)),
        (8, None, Some(1)),
    ];
    for (workers, shuffle, batch) in ways {
        let mut stored = Stored::default();
        let search = Search { workers, shuffle, batch, ..*search };
        let mut found = search.run(system, rules, &mut stored, &mut |_| ());
        if found.verdict != Verdict::Pass {
            found.slots = None; // What lies behind the end may be in the set.
        }
        let first = first.get_or_insert_with(|| (found.clone(), Stored(stored.0.clone())));
        let same = first.0 == found && first.1.0 == stored.0;
        assert!(same, "{what}, {workers} workers, {shuffle:?}, {batch:?}: {found:?}");
    }
    first.unwrap()
}

#[test]
fn wide_and_narrow_levels_are_searched_alike_by_many_workers() {
    for (seed, size, reach) in [(1, 60_000, 50_000), (2, 60_000, 300), (3, 1_500, 3), (5, 400, 90)]
    {
        let system = Wide { seed, size, reach, breaks: None };
        let (worlds, generated) = queue(&system);
        let what = format!("graph {seed}");
        let (found, stored) = found_by_all(&what, &breadth(), &system, &[]);
        assert_eq!((found.verdict, found.generated), (Verdict::Pass, Some(generated)), "{what}");
        assert!(worlds == stored.0, "{what}");

        // The same, up to the first of many events.
        let middle = number(&worlds[worlds.len() / 2]);
        let signal = Wide { breaks: Some(middle), ..system };
        let (found, _) = found_by_all(&what, &breadth(), &signal, &[]);
        let label = found.trace.unwrap();
        assert_eq!((found.verdict, label.labels.is_empty()), (Verdict::Violated, false), "{what}");

        let bad = move |world: u64| Dice(seed ^ world << 20).roll(2_000) == 7;
        let world = Rule::Invariant(Box::new(move |view: &View| Ok(!bad(number(view.world)))));
        let step = Rule::Step(Box::new(move |old: &View, new: &View| {
            Ok(!bad(number(old.world) << 32 ^ number(new.world)))
        }));
        let rules = [rule("world", world), rule("step", step)];
        let most = Some(1 + worlds.len() as u64 / 3);
        for keep_going in [false, true] {
            for max_states in [None, most] {
                let search = Search { keep_going, max_states, ..breadth() };
                let (found, stored) = found_by_all(&what, &search, &signal, &rules);
                assert_ne!(found.verdict, Verdict::Pass, "{what}");
                assert_eq!(stored.0, worlds[..stored.0.len()], "{what}");
            }
        }
        let (found, stored) =
            found_by_all(&what, &Search { max_states: most, ..breadth() }, &system, &[]);
        assert_eq!((found.verdict, found.distinct), (Verdict::Incomplete, most), "{what}");
        assert_eq!(stored.0, worlds[..stored.0.len()], "{what}");
    }
}

#[test]
fn a_bound_on_memory_is_incomplete_and_what_was_counted_is_exact() {
    let system = Wide { seed: 1, size: 60_000, reach: 50_000, breaks: None };
    let (worlds, generated) = queue(&system);
    let mut cut = 0;
    for workers in [1, 2, 8] {
        for beside in [16, 256, 1_500, 3_000, 6_000, 100_000] {
            // What a worker remembers takes 1 MiB.
            let kilobytes = beside + ((workers as u64) << 10);
            let mut stored = Stored::default();
            let search = Search { workers, max_memory: Some(kilobytes << 10), ..breadth() };
            let found = search.run(&system, &[], &mut stored, &mut |_| ());
            let what = format!("{kilobytes} KiB, {workers} workers: {found:?}");
            assert!(stored.0 == worlds[..stored.0.len()], "{what}");
            if found.verdict == Verdict::Pass {
                assert!(beside > 1_500, "{what}");
                assert_eq!(found.generated, Some(generated), "{what}");
                continue;
            }
            assert_eq!((found.verdict, found.bounds), (Verdict::Incomplete, vec!["memory".into()]));
            assert!(beside < 100_000, "{what}");
            let Some(distinct) = found.distinct else { continue };
            assert_eq!(distinct, stored.0.len() as u64, "{what}");
            // As many as a search finds that expands the same worlds.
            let expanded = distinct - found.queue_left.unwrap();
            let initial = 1 + system.seed % 3;
            let successors = |world: &Vec<u8>| {
                let (mut actions, from) = (Vec::new(), number(world));
                system.enabled(&mut (), world, &mut actions).unwrap();
                let ways = |action: &Action| match system
                    .dice(from, 1 + u64::from(action.argument))
                    .roll(8)
                {
                    0 => 3,
                    _ => 1,
                };
                actions.iter().map(ways).sum::<u64>()
            };
            let all = worlds[..expanded as usize].iter().map(successors).sum::<u64>();
            assert_eq!(found.generated, Some(initial + all), "{what}");
            cut += usize::from(expanded > 100);
        }
    }
    assert!(cut >= 3, "some were cut in the middle");
}
