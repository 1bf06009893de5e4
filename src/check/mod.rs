//! What to check, how, and what was found.

pub mod expect;
pub mod expression;
pub mod field;
pub mod file;
pub mod json;
pub mod key;
pub mod outcome;
pub mod report;
pub mod run;
pub mod source;

mod budget;
mod client;
mod node;
mod port;
mod record;
mod spelling;
mod story;
mod table;
mod tally;
