//! The packed models, with an allocator that suits Stateright.

#![deny(unsafe_code)]

use std::process::ExitCode;

use mimalloc::MiMalloc;
use stateright_bench::packed::{paxos_ballots, peterson, two_phase};
use stateright_bench::{Subject, check, subject, usage};

/// Stateright allocates for every state that it generates, and is a third faster with this.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    match subject() {
        Some(Subject::TwoPhase { rms }) => check(two_phase::TwoPhase { rms: rms.into() }),
        Some(Subject::PaxosBallots { ballots }) => {
            check(paxos_ballots::PaxosBallots { ballots: ballots.into() })
        }
        Some(Subject::Peterson { n }) => check(peterson::Peterson { n: n.into() }),
        None => usage(),
    }
}
