//! What the checker has to count in the example models, found without it: the worlds of each model
//! enumerated with the programs' behaviour written by hand. Written from the description of worlds
//! and actions alone; it must not use the library, of which it is the oracle.

mod actions;
mod faults;
mod models;
mod programs;
mod search;
mod world;

pub use models::{MODELS, predict};
