//! Histories of clients: the checker against trying every order, the words for what is wrong, and how
//! `[history]` of a model file reads the log of a world.

#[path = "history/log.rs"]
mod log;
#[path = "history/orders.rs"]
mod orders;
#[path = "history/words.rs"]
mod words;
