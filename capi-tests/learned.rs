//! Learned steps against whole replay, which is their oracle, and their audit against programs that
//! hide something: what is learned from one memory must be true of all of them.

#[path = "learned/command.rs"]
mod command;

#[path = "learned/agreement.rs"]
mod agreement;
#[path = "learned/audit.rs"]
mod audit;
#[path = "learned/descendants.rs"]
mod descendants;
#[path = "learned/lies.rs"]
mod lies;
#[path = "learned/order.rs"]
mod order;
#[path = "learned/variant.rs"]
mod variant;
