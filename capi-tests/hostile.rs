//! Bad input: programs, preloads, hosts, traces and command lines that the command has to refuse, and
//! the moments at which it is stopped. It answers each with the right status and a message that helps,
//! in time, and leaves no process and no file behind.

#[path = "hostile/checker.rs"]
mod checker;
#[path = "hostile/folder.rs"]
mod folder;

#[path = "hostile/host.rs"]
mod host;
#[path = "hostile/interrupts.rs"]
mod interrupts;
#[path = "hostile/leaks.rs"]
mod leaks;
#[path = "hostile/options.rs"]
mod options;
#[path = "hostile/outputs.rs"]
mod outputs;
#[path = "hostile/preloads.rs"]
mod preloads;
#[path = "hostile/programs.rs"]
mod programs;
#[path = "hostile/repeats.rs"]
mod repeats;
#[path = "hostile/targets.rs"]
mod targets;
#[path = "hostile/traces.rs"]
mod traces;
