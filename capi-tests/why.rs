//! What multiplies the states of programs whose memory is their state, and what is left out of them.

#[path = "why/model.rs"]
mod model;

#[path = "why/ignored.rs"]
mod ignored;
#[path = "why/named.rs"]
mod named;
