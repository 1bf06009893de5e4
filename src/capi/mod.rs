//! The C library: what programs in C may call, a file for each section of `include/cmc.h`, which is
//! generated from these files. Drivers include that header; so do cores, with which the library
//! shares the types of [`crate::cores::abi`].
//!
//! Conventions, and where they are kept:
//!
//! * every export that can fail runs inside [`guard`]: it answers a status, leaves its sentence with
//!   [`error`], and lets no panic out;
//! * pointers become references, and results go out, by way of [`handle`] only: NULL is an error, and
//!   nothing is written but on success;
//! * a `CmcModel` is a [`crate::check::model::Model`], a `CmcResult` is [`result::CmcResult`], and a
//!   `CmcWorld` stands for a [`lend::World`];
//! * a predicate of a caller becomes a [`crate::property::Rule`] in [`predicate`], and what an
//!   accessor has to say against it ends the check; a reader of replies becomes a history in
//!   [`history`].
#![allow(clippy::missing_safety_doc)] // one contract for all exports: the head of cmc.h

mod copies;
pub mod error;
mod flag;
mod guard;
mod handle;
pub mod history;
mod lend;
pub mod model;
pub mod predicate;
pub mod result;
pub mod search;
pub mod version;
mod violation;
pub mod world;
