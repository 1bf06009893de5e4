//! Which registers and which bytes of the stack of a program that waits no continuation can read
//! before it writes them, by the machine code of every function that is under way.
//!
//! A [`Code`] analyses the functions of one file. For a place behind a call it says of each register
//! and of each slot of the frame whether it is read on some path, or only if the caller reads some
//! register behind the return. A [`Walker`] finds the frames and puts that together along the chain of
//! calls, from the start of the program inward. What it takes as given is the calling convention of
//! the System V ABI for x86-64 wherever a compiler could not see the callee, the frame table
//! `.eh_frame`, and that a C object is accessed through addresses of its own only.

mod boundary;
mod callers;
mod code;
mod effect;
mod file;
mod flow;
mod graph;
mod landing;
mod places;
mod point;
mod reads;
mod rows;
mod seen;
mod slots;
mod walk;

pub use callers::{Callers, modules};
pub use code::{Code, FindObjects};
pub use point::{Point, Run};
pub use reads::{REGISTERS, Reads, Register, RegisterSet};
pub use rows::Cfa;
pub use slots::Object;
pub use walk::{CUT, DEEPEST, Frame, Module, Stack, Start, Walker};
