//! libcmc: an explicit-state model checker for protocol code in C.
//!
//! Layers, top to bottom; imports go down only and the architecture test holds them to it:
//!
//! * the doors: [`cli`] is the command `cmc(1)`, [`capi`] the C library `libcmc(3)`; neither can
//!   name the other;
//! * [`check`] says what to check and what was found: model file, expressions, reports;
//! * [`process`] is the front end that runs real programs, [`cores`] the one that calls step
//!   functions, [`search`] the strategies; none can name another;
//! * [`system`] is the seam between them;
//! * the rest is vocabulary without I/O.
#![deny(unsafe_code)]

pub mod action;
pub mod brood;
pub mod bytes;
pub mod error;
pub mod fingerprint;
pub mod history;
pub mod limits;
pub mod property;
mod short;
mod spelling;
pub mod system;
pub mod trace;
pub mod world;

pub mod cores;
pub mod process;
pub mod search;

pub mod check;

pub mod capi;
pub mod cli;
