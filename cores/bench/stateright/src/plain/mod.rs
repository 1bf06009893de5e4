//! The models as a user of Stateright writes them, in the manner of the examples that come with it:
//! structures of vectors, enumerations and sets.

pub mod paxos_ballots;
pub mod peterson;
pub mod two_phase;
