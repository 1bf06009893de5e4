//! What to check, how, and what was found.

pub mod expect;
pub mod expression;
pub mod field;
pub mod file;
pub mod key;
pub mod source;

mod budget;
mod client;
mod node;
mod port;
mod spelling;
mod table;
