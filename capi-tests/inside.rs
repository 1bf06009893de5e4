//! Calls that nodes answer inside of their processes: what is found is what is found where every call is
//! asked, whatever programs do; and what the preload gets wrong, or a program overwrites, is found.

#[path = "inside/agreement.rs"]
mod agreement;
#[path = "learned/command.rs"]
#[allow(dead_code)]
mod command;
#[path = "inside/lies.rs"]
mod lies;
#[path = "inside/programs.rs"]
mod programs;
