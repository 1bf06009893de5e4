//! Checks one model breadth first on one thread and prints its counts:
//! `stateright-bench two_phase RMS | paxos_ballots BALLOTS VALUES | peterson N`.
//! Exits with 0 if the search is complete and the invariant holds.

#![deny(unsafe_code)]

mod members;
mod paxos_ballots;
mod peterson;
mod two_phase;

use std::fmt::Debug;
use std::hash::Hash;
use std::process::ExitCode;

use mimalloc::MiMalloc;
use stateright::{Checker, Model};

/// Stateright allocates for every state that it generates, and is a third faster with this.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn check<M>(model: M) -> ExitCode
where
    M: Model + Send + Sync + 'static,
    M::State: Clone + Debug + Hash + PartialEq + Send + Sync + 'static,
    M::Action: Clone + Debug + PartialEq + Send + Sync + 'static,
{
    let checker = model.checker().threads(1).spawn_bfs().join();
    let complete = checker.is_done();
    let violated = !checker.discoveries().is_empty();
    println!("distinct={}", checker.unique_state_count());
    println!("generated={}", checker.state_count());
    println!("depth={}", checker.max_depth());
    println!("complete={complete} violated={violated}");
    if complete && !violated { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let number = |word: &str| word.parse::<u32>().unwrap_or(0);
    match words[..] {
        ["two_phase", rms] if (1..=8).contains(&number(rms)) => {
            check(two_phase::TwoPhase { rms: number(rms) })
        }
        ["paxos_ballots", ballots, "2"] if (1..=7).contains(&number(ballots)) => {
            check(paxos_ballots::PaxosBallots { ballots: number(ballots) })
        }
        ["peterson", n] if (2..=6).contains(&number(n)) => {
            check(peterson::Peterson { n: number(n) })
        }
        _ => {
            eprintln!(
                "usage: stateright-bench two_phase RMS | paxos_ballots BALLOTS 2 | peterson N"
            );
            ExitCode::from(2)
        }
    }
}
