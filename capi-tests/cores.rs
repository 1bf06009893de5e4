//! What the front end of cores does, a rule a test: where actions come from, what faults do, what is
//! durable, where limits are, and that a world is canonical.

#[path = "cores/actions.rs"]
mod actions;
#[path = "cores/agreement.rs"]
mod agreement;
#[path = "cores/beside.rs"]
mod beside;
#[path = "cores/canonical.rs"]
mod canonical;
#[path = "cores/compiled.rs"]
mod compiled;
#[path = "cores/det.rs"]
mod det;
#[path = "cores/direct.rs"]
mod direct;
#[path = "cores/durability.rs"]
mod durability;
#[path = "cores/limits.rs"]
mod limits;
#[path = "cores/network.rs"]
mod network;
#[path = "cores/oracle.rs"]
mod oracle;
#[path = "cores/puppet.rs"]
mod puppet;
#[path = "cores/random.rs"]
mod random;
#[path = "cores/reading.rs"]
mod reading;
#[path = "cores/scripted.rs"]
mod scripted;
#[path = "cores/successors.rs"]
mod successors;
#[path = "cores/table.rs"]
mod table;
#[path = "cores/walk.rs"]
mod walk;
