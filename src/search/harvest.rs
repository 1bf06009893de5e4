//! What a worker brings from a window, beside the worlds that may be new.

use super::judge::Trouble;
use super::ledger::Ledger;
use super::report::{Place, Reports};
use crate::action::Label;

/// What went wrong on a transition, or when a world's actions were listed (no label): they could not
/// be, or there are none.
pub(super) struct Event {
    pub(super) place: Place,
    pub(super) label: Option<Label>,
    pub(super) trouble: Trouble,
}

/// What one worker brought.
#[derive(Default)]
pub(super) struct Harvest {
    pub(super) ledger: Ledger,
    /// The smallest event that is not a new world's trouble.
    pub(super) event: Option<Event>,
    /// What was broken and ended nothing, but for new worlds' troubles.
    pub(super) reports: Reports,
    pub(super) expanded: u64,
    pub(super) interrupted: bool,
}

impl Harvest {
    /// Keep `event` if it is the smallest so far.
    pub(super) fn note(&mut self, event: Event) {
        if self.event.as_ref().is_none_or(|known| event.place < known.place) {
            self.event = Some(event);
        }
    }
}
