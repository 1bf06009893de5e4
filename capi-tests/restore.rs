//! The restore back end against histories, which are its oracle: the same counts, verdicts and traces
//! on every model, whatever programs do to themselves; and what is saved wrongly is found.

#[path = "restore/agreement.rs"]
mod agreement;
#[path = "learned/command.rs"]
#[allow(dead_code)]
mod command;
#[path = "restore/hostile.rs"]
mod hostile;
#[path = "restore/losses.rs"]
mod losses;
#[path = "restore/measured.rs"]
mod measured;
#[path = "learned/variant.rs"]
mod variant;
