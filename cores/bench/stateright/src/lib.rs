//! Checks one model breadth first on one thread and prints its counts. The models are there twice:
//! as a user of Stateright writes them, and packed into one word.

#![deny(unsafe_code)]

pub mod packed;
pub mod plain;

use std::fmt::Debug;
use std::hash::Hash;
use std::process::ExitCode;

use stateright::{Checker, Model};

/// The model and its size, as the command line names them.
pub enum Subject {
    TwoPhase { rms: u8 },
    PaxosBallots { ballots: u8 },
    Peterson { n: u8 },
}

/// The subject of `NAME two_phase RMS | paxos_ballots BALLOTS 2 | peterson N`, if it has a size that
/// both variants can take.
pub fn subject() -> Option<Subject> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let number = |word: &str| word.parse::<u8>().unwrap_or(0);
    match words[..] {
        ["two_phase", rms] if (1..=8).contains(&number(rms)) => {
            Some(Subject::TwoPhase { rms: number(rms) })
        }
        ["paxos_ballots", ballots, "2"] if (1..=7).contains(&number(ballots)) => {
            Some(Subject::PaxosBallots { ballots: number(ballots) })
        }
        ["peterson", n] if (2..=6).contains(&number(n)) => Some(Subject::Peterson { n: number(n) }),
        _ => None,
    }
}

/// What a command says that has no subject.
pub fn usage() -> ExitCode {
    eprintln!("usage: plain | packed, two_phase RMS | paxos_ballots BALLOTS 2 | peterson N");
    ExitCode::from(2)
}

/// Succeeds if the search is complete and the invariant holds.
pub fn check<M>(model: M) -> ExitCode
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
