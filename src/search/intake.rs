//! Where a worker puts the new worlds of a level while it is expanded. Each keeps the smallest key
//! that reached it with the label taken there, and is judged once: it is the same world on every way.
//!
//! A worker that is alone and goes through a level in order meets every world by its smallest key
//! first, so it puts it into the set of stored worlds at once ([`Alone`]). What it stores behind the
//! event at which a search ends is never read again. Several workers, or one in another order, share
//! their new worlds ([`super::fresh`]).

use super::crew::guarded;
use super::judge::{Judge, Judged};
use super::key::Key;
use super::rows::Rows;
use super::seen::{Place, Seen};
use super::tally::Tally;
use crate::action::Label;
use crate::fingerprint::Fingerprint;
use crate::system::System;
use crate::world::View;

/// A transition to a world.
pub(super) struct Arrival<'a> {
    pub(super) fingerprint: Fingerprint,
    pub(super) key: Key,
    pub(super) label: Label,
    pub(super) world: &'a [u8],
}

/// Where a worker puts new worlds.
pub(super) trait Intake {
    /// Get ready to look for `fingerprint`.
    fn ahead(&self, fingerprint: Fingerprint);

    /// `None` if the world is known to be stored, else where it is missing: the next call must be to
    /// [`Intake::take`] with it, or to this.
    fn missing(&self, fingerprint: Fingerprint) -> Option<Place>;

    /// Take in a world that is missing from `place`. Now or later it is judged and counted, if it is
    /// new.
    fn take<S: System>(
        &mut self,
        place: Place,
        arrival: Arrival<'_>,
        system: &S,
        judge: &Judge<'_>,
        tally: &mut Tally<'_>,
    );

    /// Judge and count what waits for it.
    fn finish<S: System>(&mut self, system: &S, judge: &Judge<'_>, tally: &mut Tally<'_>);
}

/// The only worker, in order.
pub(super) struct Alone<'a> {
    pub(super) seen: &'a mut Seen,
    pub(super) rows: &'a mut Rows,
}

impl Intake for Alone<'_> {
    #[inline]
    fn ahead(&self, fingerprint: Fingerprint) {
        self.seen.prefetch(fingerprint);
    }

    #[inline]
    fn missing(&self, fingerprint: Fingerprint) -> Option<Place> {
        self.seen.missing(fingerprint)
    }

    fn take<S: System>(
        &mut self,
        place: Place,
        arrival: Arrival<'_>,
        system: &S,
        judge: &Judge<'_>,
        tally: &mut Tally<'_>,
    ) {
        let Arrival { fingerprint, key, label, world } = arrival;
        self.seen.fill(place, fingerprint);
        let at = self.rows.push(key, label, world);
        let said = judged(judge, system.view(world));
        match said.is_some_and(|said| self.rows.judge(at, said, judge)) {
            true => tally.limit(key),
            false => tally.count(key),
        }
    }

    fn finish<S: System>(&mut self, _: &S, _: &Judge<'_>, _: &mut Tally<'_>) {}
}

/// What the judge says. A panic in a property is the world's trouble: it happens on every way to it.
pub(super) fn judged(judge: &Judge<'_>, view: View<'_>) -> Option<Box<Judged>> {
    guarded(|| judge.world(view)).unwrap_or_else(|panic| {
        let trouble = Some(panic.into());
        Some(Box::new(Judged { trouble, ..Judged::default() }))
    })
}
