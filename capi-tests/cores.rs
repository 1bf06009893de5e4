//! What the front end of cores does, a rule a test: where actions come from, what faults do, what is
//! durable, where limits are, and that a world is canonical.

#[path = "cores/actions.rs"]
mod actions;
#[path = "cores/direct.rs"]
mod direct;
#[path = "cores/durability.rs"]
mod durability;
#[path = "cores/limits.rs"]
mod limits;
#[path = "cores/network.rs"]
mod network;
#[path = "cores/puppet.rs"]
mod puppet;
#[path = "cores/reading.rs"]
mod reading;
#[path = "cores/scripted.rs"]
mod scripted;
#[path = "cores/walk.rs"]
mod walk;
