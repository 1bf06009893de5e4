//! The process front end: each node is a real process under user notification.

pub mod config;
pub mod contract;
