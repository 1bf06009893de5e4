//! The models in one word each, sets as bits: the fastest that we could write for Stateright.

mod members;
pub mod paxos_ballots;
pub mod peterson;
pub mod two_phase;
