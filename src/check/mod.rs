//! What to check, how, and what was found.

pub mod core_file;
pub mod core_model;
pub mod expect;
pub mod expression;
pub mod field;
pub mod file;
pub mod history;
pub mod json;
pub mod key;
pub mod latch;
mod memory;
pub mod model;
mod multiplied;
pub mod outcome;
pub mod read;
pub mod report;
pub mod run;
pub mod save;
pub mod setup;
mod sizes;
pub mod snapshot;
pub mod source;

mod budget;
mod client;
mod core_story;
mod node;
mod port;
mod programs;
mod record;
mod story;
mod table;
mod tally;
