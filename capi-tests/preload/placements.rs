//! The two placements of the heap: every address is another, and nothing else is.

use std::path::Path;
use std::process::Command;

use cmc::process::contract;

use crate::{PRELOAD, compile, hexadecimal, meets_expectations_by};

/// The program with the preload, whose hello is answered with `answer`.
pub fn answered(test: &str, program: &Path, answer: u64, argument: &str) -> Command {
    let mut command = Command::new(compile(test, "answered", &[]));
    command.arg(PRELOAD).arg(answer.to_string()).arg(program);
    command.args(Some(argument).filter(|argument| !argument.is_empty()));
    command
}

#[test]
fn the_heap_keeps_its_rules_in_the_permuted_placement() {
    for name in ["stress", "misuse"] {
        let program = compile("permuted", name, &[]);
        meets_expectations_by(name, |argument| {
            answered("permuted", &program, contract::HELLO_PERMUTED, argument)
        });
    }
}

/// A line of `places.c`: what was asked for, where it was given, and which object was there before.
type Place = (u64, u64, i64);

fn places(program: &Path, answer: u64) -> Vec<Place> {
    let printed =
        meets_expectations_by("places", |argument| answered("places", program, answer, argument));
    let lines = printed[0].lines().map(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |word: &str| word.parse::<i64>().expect("a number");
        (number(words[0]) as u64, hexadecimal(words[1]), number(words[2]))
    });
    lines.collect()
}

#[test]
fn the_permuted_placement_changes_every_address_and_nothing_else() {
    let program = compile("places", "places", &[]);
    let first = places(&program, 0);
    let permuted = places(&program, contract::HELLO_PERMUTED);
    assert!(first.len() > 3000, "{}", first.len());
    assert_eq!(places(&program, contract::HELLO_PERMUTED), permuted, "it is repeatable");
    let rest = |places: &[Place]| places.iter().map(|p| (p.0, p.2)).collect::<Vec<_>>();
    assert_eq!(rest(&first), rest(&permuted), "sizes and the order of reuse");
    for (a, b) in first.iter().zip(&permuted) {
        assert_ne!(a.1, b.1, "{a:x?}");
        assert_eq!(b.1 % contract::ALIGN, 0);
    }
}

#[test]
fn no_difference_of_two_addresses_is_the_same_in_both_placements() {
    let program = compile("differences", "places", &[]);
    let first = places(&program, 0);
    let permuted = places(&program, contract::HELLO_PERMUTED);
    let (mut pairs, mut turned, mut by_chance) = (0u32, 0u32, 0u32);
    let (mut neighbours, mut turned_neighbours) = (0u32, 0u32);
    for i in 0..first.len() {
        for j in (i + 1)..first.len() {
            let [a, b, c, d] = [first[i].1, first[j].1, permuted[i].1, permuted[j].1];
            let distance = |a: u64, b: u64| a.wrapping_sub(b) as i64;
            if a == b {
                assert_eq!(c, d, "a place that was used twice");
                continue;
            }
            let same = a ^ b == c ^ d || distance(a, b).abs() == distance(c, d).abs();
            pairs += 1;
            by_chance += u32::from(same);
            let turn = u32::from((a < b) != (c < d));
            turned += turn;
            // Of one slab, or large and in a row.
            if first[i].0 == first[j].0 && a.abs_diff(b) < contract::PAGE || j == i + 1 {
                assert!(!same, "{:x?} {:x?}: {c:x} {d:x}", first[i], first[j]);
                neighbours += 1;
                turned_neighbours += turn;
            }
        }
    }
    let all = format!(
        "{neighbours} neighbours, {turned_neighbours} turned round; {pairs} pairs, \
                       {turned} turned round, {by_chance} look alike"
    );
    assert!(turned_neighbours > neighbours / 3 && turned > pairs / 8, "{all}");
    assert!(by_chance < pairs / 500, "{all}");
    println!("{all}");
}
