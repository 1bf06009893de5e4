//! The initial worlds, counted and judged in the order in which the system produces them. One outside
//! the constraints is counted and judged every time, and not stored. Behind a violation the rest is
//! still produced, and neither stored nor judged, as TLC does.

use super::found::{Found, TOLD, Violation};
use super::judge::{Judge, Judged, Trouble};
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
    /// There was no memory for one.
    pub(super) out_of_memory: bool,
    /// What is wrong with one and ends the search, and its ordinal.
    pub(super) trouble: Option<(u64, Trouble)>,
    /// What is broken and does not end it; the first of them.
    pub(super) violations: Vec<Violation>,
    /// How many of them there are.
    pub(super) violation_count: u64,
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
            if initial.full || initial.out_of_memory || initial.trouble.is_some() {
                return;
            }
            initial.generated += 1;
            let fingerprint = Fingerprint::of(world);
            if seen.contains(fingerprint) {
                return;
            }
            let view = system.view(world);
            let (inside, judged) = match judge.admits(view) {
                Ok(true) => (true, *judge.world(view).unwrap_or_default()),
                Ok(false) => {
                    let trouble = judge.outsider(view).err();
                    (false, Judged { trouble, ..Judged::default() })
                }
                Err(trouble) => (false, Judged { trouble: Some(trouble), ..Judged::default() }),
            };
            match judged.trouble {
                Some(trouble) if judge.ends(&trouble) => {
                    initial.trouble = Some((ordinal, trouble));
                    return;
                }
                _ if inside && links.len() == most => {
                    initial.full = true;
                    return;
                }
                Some(trouble) => initial.note(ordinal, trouble),
                None => (),
            }
            if inside {
                if seen.insert(fingerprint).is_err() {
                    initial.out_of_memory = true;
                    return;
                }
                judge.reach(&judged.reached);
                links.push_initial(ordinal);
                initial.worlds.push(world);
            }
        });
        if let (Err(stop), None) = (outcome, &initial.trouble) {
            initial.trouble = Some((produced, stop.into()));
        }
        initial
    }

    fn note(&mut self, ordinal: u64, trouble: Trouble) {
        self.violation_count += 1;
        if self.violations.len() < TOLD {
            let found = Found::troubled_initially(ordinal, trouble);
            self.violations.extend(found.violations);
        }
    }

    /// What a search that has no world to start from answers.
    pub(super) fn missing(&self) -> Option<Found> {
        if let Some((ordinal, trouble)) = &self.trouble {
            return Some(Found::troubled_initially(*ordinal, trouble.clone()));
        }
        let fault = match (self.generated, self.worlds.len()) {
            (0, _) => "the system has no initial world, so there is nothing to check",
            (_, 0) if self.violation_count > 0 => {
                return Some(Found::violated(self.violations.clone(), self.violation_count));
            }
            (_, 0) => "no initial world is inside the constraints, so there is nothing to check",
            _ => return None,
        };
        Some(Found::failed(Error::Model(fault.into())))
    }
}
