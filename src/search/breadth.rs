//! Breadth first, level by level. The worlds of a level may be expanded in any order
//! ([`super::key`] says why); its new worlds are numbered when it ends. A level that ends in an
//! event is cut at that event, and the system's barrier is not called for it.

use std::ops::ControlFlow;

use super::expand::Expander;
use super::found::{Found, Verdict};
use super::fresh::Fresh;
use super::initial::Initial;
use super::judge::{Judge, Trouble};
use super::key::Key;
use super::ledger::Ledger;
use super::level::Level;
use super::links::Links;
use super::progress::{Pace, Progress};
use super::random::Random;
use super::receipts::Receipts;
use super::seen::Seen;
use super::{Observer, Search, no_initial_world};
use crate::action::Label;
use crate::fingerprint::{Fingerprint, collision_estimate};
use crate::property::Property;
use crate::system::{Position, Stop, System};

struct Breadth<'a, S: System> {
    search: &'a Search<'a>,
    system: &'a S,
    judge: Judge<'a>,
    expander: Expander<'a, S>,
    seen: Seen,
    links: Links,
    /// The level whose worlds are expanded next.
    level: Level,
    /// Its number; also the largest level of a stored world.
    depth: u64,
    generated: u64,
    receipts: Receipts,
}

/// What went wrong on a transition, or when a world's actions were listed (no label).
struct Event {
    key: Key,
    label: Option<Label>,
    trouble: Trouble,
}

/// What the expansion of a level brought.
struct Harvest {
    fresh: Fresh,
    ledger: Ledger,
    /// The smallest event that is not a new world's trouble.
    event: Option<Event>,
    expanded: u64,
    interrupted: bool,
}

/// Why a search ends.
enum End {
    Complete,
    Trouble(Trouble, Option<(u64, Option<Label>)>),
    Bound(&'static str),
}

pub(super) fn run<S: System>(
    search: &Search<'_>,
    system: &S,
    properties: &[Property],
    observer: &mut dyn Observer,
    pace: &mut Pace<'_>,
) -> Found {
    let worker = match system.worker(0) {
        Ok(worker) => worker,
        Err(stop) => return Found::troubled(stop.into(), None),
    };
    let mut breadth = Breadth {
        search,
        system,
        judge: Judge::new(properties),
        expander: Expander::new(system, worker),
        seen: Seen::new(),
        links: Links::default(),
        level: Level::default(),
        depth: 1,
        generated: 0,
        receipts: Receipts::default(),
    };
    breadth.run(observer, pace)
}

impl<S: System> Breadth<'_, S> {
    fn run(&mut self, observer: &mut dyn Observer, pace: &mut Pace<'_>) -> Found {
        let most = self.search.max_states.unwrap_or(u64::MAX);
        let initial = Initial::of(
            self.system,
            self.expander.worker(),
            &mut self.judge,
            most,
            &mut self.seen,
            &mut self.links,
        );
        if let Some((ordinal, trouble)) = initial.trouble {
            return Found::troubled_initially(ordinal, trouble);
        }
        if initial.generated == 0 {
            return Found::troubled(no_initial_world().into(), None);
        }
        self.generated = initial.generated;
        let order = (0..initial.worlds.len()).collect();
        self.level = Level::new(0, initial.worlds, order);
        self.observe(observer);
        if initial.full {
            return self.finish(End::Bound("states"), self.level.len() as u64);
        }
        loop {
            let workers = std::slice::from_mut(self.expander.worker());
            if let Err(stop) = self.system.barrier(workers) {
                let left = self.level.len() as u64;
                return self.finish(End::Trouble(stop.into(), None), left);
            }
            if self.level.len() == 0 {
                return self.finish(End::Complete, 0);
            }
            if self.search.depth == Some(self.depth) {
                return self.look_at_the_last_level();
            }
            let harvest = self.expand(pace);
            if let Some(found) = self.settle(harvest, observer) {
                return found;
            }
        }
    }

    /// Expand the worlds of the level, all but those behind an event.
    fn expand(&mut self, pace: &mut Pace<'_>) -> Harvest {
        let first = self.level.first();
        let mut harvest = Harvest {
            fresh: Fresh::new(),
            ledger: Ledger::new(first, self.level.len()),
            event: None,
            expanded: 0,
            interrupted: false,
        };
        let mut parents: Vec<u64> = self.level.indices().collect();
        if let Some(seed) = self.search.shuffle {
            Random::new(seed, self.depth).shuffle(&mut parents);
        }
        let stored = self.links.len();
        let mut limit = Key::END;
        for parent in parents {
            if self.search.interrupted() {
                harvest.interrupted = true;
                break;
            }
            if parent > limit.parent {
                continue;
            }
            self.expand_one(parent, &mut limit, &mut harvest);
            harvest.expanded += 1;
            pace.tick(|| {
                let distinct = stored + harvest.fresh.len() as u64;
                Progress {
                    distinct: Some(distinct),
                    generated: self.generated + harvest.ledger.len(),
                    depth: self.depth,
                    queue: Some(distinct - first - harvest.expanded),
                    walks: None,
                }
            });
        }
        harvest
    }

    /// Expand one world; `limit` is the smallest key of an event so far.
    fn expand_one(&mut self, parent: u64, limit: &mut Key, harvest: &mut Harvest) {
        let Breadth { system, judge, expander, seen, links, level, .. } = self;
        let Harvest { fresh, ledger, event, .. } = harvest;
        let world = level.get(parent);
        let position = Position { index: parent, path: links };
        let room = self.search.max_states.map(|most| most - links.len());
        let mut note = |limit: &mut Key, new: Event| {
            if event.as_ref().is_none_or(|known| new.key < known.key) {
                *limit = new.key.min(*limit);
                *event = Some(new);
            }
        };
        ledger.open(parent);
        let listed = expander.expand(position, world, |transition, result| {
            let ordinal = transition.ordinal;
            let key = Key { parent, ordinal };
            if matches!(result, Err(Stop::Error(_))) {
                ledger.failed(parent);
            } else {
                ledger.generated(parent, transition.action.kind, transition.crashed());
            }
            let judged = result.map_err(Trouble::from).and_then(|next| {
                let (fingerprint, view) = (Fingerprint::of(next), system.view(next));
                if !seen.contains(fingerprint) {
                    let (label, judge) = (|| transition.label(), || judge.world(view));
                    if fresh.meet(fingerprint, key, label, next, judge) {
                        *limit = key.min(*limit);
                    } else if room.is_some_and(|room| fresh.len() as u64 > room) {
                        // So many worlds up to this key, that one more than fits is among them.
                        *limit = fresh.bound().min(*limit);
                    }
                }
                judge.step(system.view(world), view)
            });
            if let Err(trouble) = judged {
                let label = Some(transition.label());
                note(limit, Event { key, label, trouble });
            }
            if *limit <= key { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if let Err(stop) = listed {
            let (key, trouble) = (Key { parent, ordinal: 0 }, stop.into());
            let label = None;
            note(limit, Event { key, label, trouble });
        }
    }

    /// End the level: number its new worlds up to the event that cuts it, if there is one, and
    /// count what was generated up to there.
    fn settle(&mut self, harvest: Harvest, observer: &mut dyn Observer) -> Option<Found> {
        let (mut newcomers, worlds) = harvest.fresh.by_key();
        let bad = newcomers
            .iter()
            .find(|(_, newcomer)| newcomer.judged.is_err())
            .map(|(_, newcomer)| newcomer.key);
        let room = self.search.max_states.map(|most| most - self.links.len());
        let full = room
            .and_then(|room| newcomers.get(usize::try_from(room).ok()?))
            .map(|(_, newcomer)| newcomer.key);

        // At the same key a new world's own trouble comes before that of the step to it, as its
        // invariants are evaluated first, and both come before the bound on states.
        let event = harvest.event.filter(|event| bad.is_none_or(|bad| event.key < bad));
        let trouble = event.as_ref().map(|event| event.key).or(bad);
        let bounded = full.is_some_and(|full| trouble.is_none_or(|trouble| full < trouble));
        let cut = if bounded { full } else { trouble };
        let kept = newcomers.partition_point(|(_, newcomer)| match cut {
            Some(cut) if bounded => newcomer.key < cut,
            Some(cut) => newcomer.key <= cut,
            None => true,
        });
        newcomers.truncate(kept);

        let (first, parents) = (self.links.len(), self.level.first());
        // TLC puts a world into the queue only when nothing is wrong with it and the step to it.
        let unqueued = newcomers.last().is_some_and(|(_, last)| trouble == Some(last.key));
        let mut end = event
            .filter(|_| !bounded)
            .map(|event| End::Trouble(event.trouble, Some((event.key.parent, event.label))));
        let mut order = Vec::with_capacity(kept);
        for (at, newcomer) in newcomers {
            let parent = newcomer.key.parent;
            match newcomer.judged {
                Ok(reached) => self.judge.reach(&reached),
                Err(trouble) => {
                    let label = Some(newcomer.label.clone());
                    end = Some(End::Trouble(trouble, Some((parent, label))));
                }
            }
            self.seen.insert(newcomer.fingerprint);
            self.links.push(parent, newcomer.label);
            order.push(at);
        }
        self.generated += harvest.ledger.count(cut.unwrap_or(Key::END), &mut self.receipts);
        self.depth += u64::from(!order.is_empty());
        self.level = Level::new(first, worlds, order);
        self.observe(observer);

        if bounded {
            end = Some(End::Bound("states"));
        } else if harvest.interrupted {
            end = end.or(Some(End::Bound("interrupt")));
        }
        let expanded = cut.map_or(harvest.expanded, |cut| cut.parent - parents + 1);
        let left = self.links.len() - parents - expanded - u64::from(unqueued);
        let mut found = self.finish(end?, left);
        // Then the level was not expanded up to the event, and the counts are not exact.
        if harvest.interrupted && !found.bounds.iter().any(|bound| bound == "interrupt") {
            found.bounds.push("interrupt".into());
        }
        Some(found)
    }

    /// The worlds at the bound on depth are not expanded; the search is complete if none of them
    /// could have been.
    fn look_at_the_last_level(&mut self) -> Found {
        let mut open = 0;
        for index in self.level.indices() {
            let unseen = self.level.indices().end - index;
            if self.search.interrupted() {
                return self.finish(End::Bound("interrupt"), open + unseen);
            }
            match self.expander.can_act(self.level.get(index)) {
                Ok(acts) => open += u64::from(acts),
                Err(stop) => {
                    let end = End::Trouble(stop.into(), Some((index, None)));
                    return self.finish(end, open + unseen - 1);
                }
            }
        }
        match open {
            0 => self.finish(End::Complete, 0),
            _ => self.finish(End::Bound("depth"), open),
        }
    }

    fn observe(&self, observer: &mut dyn Observer) {
        for index in self.level.indices() {
            observer.stored(self.level.get(index));
        }
    }

    /// The answer, with `left` worlds stored and not expanded.
    fn finish(&self, end: End, left: u64) -> Found {
        let unreached = self.judge.unreached();
        let found = match (end, unreached.first()) {
            (End::Complete, None) => Found::new(Verdict::Pass),
            (End::Complete, Some(name)) => Found::unreached(name.clone()),
            (End::Bound(bound), _) => Found::bounded(bound),
            (End::Trouble(trouble, place), _) => {
                let trace = place.map(|(parent, label)| self.links.trace(parent, label));
                Found::troubled(trouble, trace)
            }
        };
        let distinct = self.links.len();
        Found {
            distinct: Some(distinct),
            generated: Some(self.generated),
            depth: Some(self.depth),
            queue_left: Some(left),
            receipts: self.receipts.clone(),
            unreached,
            collision: Some(collision_estimate(distinct, self.generated)),
            ..found
        }
    }
}
