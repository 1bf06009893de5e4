//! The examples and targets without the checker, on real sockets: what they answer and report, so
//! that a difference under the checker is the checker's. Ports are fixed, so the tests take turns.

#[path = "native/server.rs"]
mod server;

#[path = "native/examples.rs"]
mod examples;
#[path = "native/targets.rs"]
mod targets;
