//! The end of a window: where it is cut, if there is an event in it, and what counts up to there.

use super::chunk::Chunk;
use super::harvest::{Event, Harvest};
use super::judge::{Judge, Trouble};
use super::key::Key;
use super::labels::Labels;
use super::ledger::Ledger;
use super::report::{Part, Place, Report, Reports};
use crate::action::Label;

/// What all workers brought from a window.
#[derive(Default)]
pub(super) struct Yield {
    /// The smallest event that is not a new world's trouble.
    event: Option<Event>,
    /// By worker, as far as workers were called.
    pub(super) ledgers: Vec<Ledger>,
    pub(super) reports: Reports,
    pub(super) expanded: u64,
    pub(super) interrupted: bool,
}

/// What ends a search at a transition.
pub(super) struct Stop {
    pub(super) place: Place,
    pub(super) label: Option<Label>,
    pub(super) trouble: Trouble,
}

impl Yield {
    /// Put together what each brought.
    pub(super) fn new(harvests: impl Iterator<Item = Harvest>) -> Self {
        let mut all = Yield::default();
        for harvest in harvests {
            if let Some(new) = harvest.event
                && all.event.as_ref().is_none_or(|known| new.place < known.place)
            {
                all.event = Some(new);
            }
            all.expanded += harvest.expanded;
            all.interrupted |= harvest.interrupted;
            all.ledgers.push(harvest.ledger);
            all.reports.merge(harvest.reports);
        }
        all
    }

    /// What ends the search first: an event, or the trouble of a world. The world with the smallest key
    /// among those with trouble is the first of its kind, and new. At the same key its trouble comes
    /// before that of the step to it, as its invariants are evaluated first.
    pub(super) fn stop(
        &mut self,
        chunks: &[&Chunk],
        judge: &Judge<'_>,
        labels: &Labels,
    ) -> Option<Stop> {
        let said = chunks.iter().flat_map(|chunk| chunk.said());
        let bad = said.filter_map(|(key, label, said)| {
            let trouble = said.trouble.as_ref().filter(|trouble| judge.ends(trouble))?;
            Some((Place { key, part: Part::World }, label, trouble))
        });
        let bad = bad.min_by_key(|(place, ..)| *place);
        match (self.event.take(), bad) {
            (Some(Event { place, label, trouble }), bad)
                if bad.is_none_or(|(bad, ..)| place < bad) =>
            {
                Some(Stop { place, label, trouble })
            }
            (_, Some((place, label, trouble))) => {
                let (label, trouble) = (Some(labels.get(label)), trouble.clone());
                Some(Stop { place, label, trouble })
            }
            (_, None) => None,
        }
    }
}

/// The first new world that does not fit, where only `room` do.
pub(super) fn first_too_many(chunks: &[&Chunk], room: usize) -> Option<Place> {
    let mut newcomers = chunks.iter().flat_map(|chunk| chunk.newcomers());
    newcomers.nth(room).map(|it| Place { key: it.key, part: Part::Bound })
}

/// Whether a new world is reached by the transition `key`.
pub(super) fn leads_to_a_newcomer(chunks: &[&Chunk], key: Key) -> bool {
    chunks.iter().flat_map(|chunk| chunk.newcomers()).any(|it| it.key == key)
}

/// Take in what the judge said of the new worlds, up to `end`: what they reach, and what is broken
/// behind which the search goes on, also where one runs into the bound on states. Answers how much is
/// broken.
pub(super) fn take_in(
    chunks: &[&Chunk],
    end: Option<Place>,
    judge: &mut Judge<'_>,
    labels: &Labels,
    reports: &mut Reports,
) -> u64 {
    let mut broken = 0;
    for (key, label, said) in chunks.iter().flat_map(|chunk| chunk.said_of_newcomers()) {
        if end.is_some_and(|end| key > end.key) {
            break;
        }
        if let Some(trouble @ Trouble::Broken { property, why }) = &said.trouble
            && !judge.ends(trouble)
        {
            broken += 1;
            let place = Place { key, part: Part::World };
            let (property, why) = (property.clone(), why.clone());
            reports.add(Report { place, label: labels.get(label), property, why });
        }
        if end.is_none_or(|end| key < end.key || end.part != Part::Bound) {
            judge.reach(&said.reached);
        }
    }
    broken
}
