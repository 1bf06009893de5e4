//! The initial worlds, counted and judged in the order in which the system produces them. One outside
//! the constraints is counted and judged every time, and not stored. Behind a violation the rest is
//! still produced, and neither stored nor judged, as TLC does.

use super::found::Found;
use super::judge::{Judge, Trouble};
use super::level::Worlds;
use super::links::Links;
use super::seen::Seen;
use crate::error::Error;
use crate::fingerprint::Fingerprint;
use crate::system::System;

/// The initial worlds of a system.
#[derive(Default)]
pub(super) struct Initial {
    /// Worlds produced up to the one that ended the count, duplicates included.
    pub(super) generated: u64,
    /// The distinct ones, in order.
    pub(super) worlds: Worlds,
    /// A world did not fit into the bound.
    pub(super) full: bool,
    /// What is wrong with one, and its ordinal.
    pub(super) trouble: Option<(u64, Trouble)>,
}

impl Initial {
    /// Produce and judge them; at most `most` are stored, in `seen` and `links`.
    pub(super) fn of<S: System>(
        system: &S,
        worker: &mut S::Worker,
        judge: &mut Judge<'_>,
        most: u64,
        seen: &mut Seen,
        links: &mut Links,
    ) -> Self {
        let mut initial = Initial::default();
        let mut produced = 0;
        let outcome = system.initial(worker, &mut |world| {
            let ordinal = produced;
            produced += 1;
            if initial.full || initial.trouble.is_some() {
                return;
            }
            initial.generated += 1;
            let fingerprint = Fingerprint::of(world);
            if seen.contains(fingerprint) {
                return;
            }
            let view = system.view(world);
            let judged = judge.admits(view).and_then(|inside| match inside {
                true => judge.world(view).map(Some),
                false => judge.outsider(view).map(|()| None),
            });
            match judged {
                Err(trouble) => initial.trouble = Some((ordinal, trouble)),
                Ok(None) => (),
                Ok(Some(_)) if links.len() == most => initial.full = true,
                Ok(Some(reached)) => {
                    judge.reach(&reached);
                    seen.insert(fingerprint);
                    links.push_initial(ordinal);
                    initial.worlds.push(world);
                }
            }
        });
        if let (Err(stop), None) = (outcome, &initial.trouble) {
            initial.trouble = Some((produced, stop.into()));
        }
        initial
    }

    /// What a search that has no world to start from answers.
    pub(super) fn missing(&self) -> Option<Found> {
        if let Some((ordinal, trouble)) = &self.trouble {
            return Some(Found::troubled_initially(*ordinal, trouble.clone()));
        }
        let fault = match (self.generated, self.worlds.len()) {
            (0, _) => "the system has no initial world, so there is nothing to check",
            (_, 0) => "no initial world is inside the constraints, so there is nothing to check",
            _ => return None,
        };
        Some(Found::failed(Error::Model(fault.into())))
    }
}
