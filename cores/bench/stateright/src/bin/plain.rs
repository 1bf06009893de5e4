//! The plain models, with the allocator that a Rust program has.

#![deny(unsafe_code)]

use std::process::ExitCode;

use stateright_bench::plain::{paxos_ballots, peterson, two_phase};
use stateright_bench::{Subject, check, subject, usage};

fn main() -> ExitCode {
    match subject() {
        Some(Subject::TwoPhase { rms }) => check(two_phase::TwoPhase { rms: rms.into() }),
        Some(Subject::PaxosBallots { ballots }) => check(paxos_ballots::PaxosBallots { ballots }),
        Some(Subject::Peterson { n }) => check(peterson::Peterson { n: n.into() }),
        None => usage(),
    }
}
