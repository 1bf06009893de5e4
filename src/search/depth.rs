//! Depth first to a bound on the states of a path, some worlds at once. The worlds on top of the stack
//! are expanded together ([`super::wave`]); then the transitions are gone through in the order of the
//! stack, and what they lead to is put on top of it, the first first. How many worlds are taken at
//! once depends on how many were before, and on nothing else: on one at first, so that the first path
//! is followed to its end, then on one more for every [`SHARE`], up to [`WIDEST`]. So the order in
//! which worlds are met, and everything that depends on it, is the same for any number of workers. It
//! is not the order of a search that takes one at a time: to find that in parallel is not known to be
//! possible (Reif, *Depth-first search is inherently sequential*, 1985).
//!
//! Why nothing within the bound is missed, in this and any other order: a world is judged and stored
//! when it is first generated, and remembered with the smallest depth at which it was reached so far.
//! A world that is reached at a smaller depth than before is put on the stack again, and expanded at
//! that depth even if it was expanded, or cut, deeper. By induction over the length of a shortest way,
//! every world that can be reached within the bound is in the end remembered with that length, and was
//! expanded at it unless that is the bound: when its predecessor on a shortest way was expanded, it was
//! put on the stack at this depth or had been there already, and it leaves the stack unexpanded only if
//! it was reached nearer still. So what is stored, at which depths, and what is left open at the bound,
//! is what a breadth-first search to this depth stores and leaves open. A world's transitions are
//! judged and counted at its first expansion: they are the same ones at every other. So a search that
//! nothing ends counts what a breadth-first search counts.

use std::collections::hash_map::Entry;
use std::mem::{replace, take};
use std::ops::Range;
use std::sync::{Mutex, RwLock};

use super::crew::{Crew, held};
use super::found::{End, TOLD, Violation};
use super::judge::Trouble;
use super::level::Worlds;
use super::muster::Muster;
use super::receipts::Receipts;
use super::sample::Sample;
use super::wave::{
    self, Ended, Haul, Known, Mark, Outcome, Pending, Sea, Stage, Task, read, write,
};
use super::way::Way;
use super::{Observer, Search};
use crate::action::Label;
use crate::fingerprint::Fingerprint;
use crate::system::System;

/// So many worlds are expanded for each one by which a wave becomes wider.
const SHARE: u64 = 64;
/// The worlds of a wave, at most.
const WIDEST: u64 = 512;

/// What is counted, in all rounds of a search.
#[derive(Default)]
pub(super) struct Counts {
    pub(super) generated: u64,
    pub(super) receipts: Receipts,
    pub(super) violations: Vec<Violation>,
    pub(super) violation_count: u64,
    /// Expansions, of worlds that were expanded before too.
    pub(super) expansions: u64,
}

/// What the rounds of a search share.
pub(super) struct Shared<'a, 'p, S: System> {
    pub(super) search: &'a Search<'a>,
    pub(super) system: &'a S,
    pub(super) crew: &'a Crew<S::Worker>,
    pub(super) sea: &'a RwLock<Sea<'p>>,
    /// What each worker found in the last wave.
    pub(super) hauls: &'a [Mutex<Haul>],
}

/// A search to one bound.
pub(super) struct Depth<'a, 'p, S: System> {
    shared: &'a Shared<'a, 'p, S>,
    counts: &'a mut Counts,
    observer: &'a mut dyn Observer,
    sample: &'a mut Sample,
    /// What an earlier round to a smaller bound stored; the observer knows it.
    earlier: &'a Known,
    bound: u64,
    muster: Muster,
    /// How many worlds are [`Stage::Open`], and how many [`Stage::Expanded`].
    open: u64,
    expanded: u64,
    /// How many worlds are stored of each depth, from 1.
    depths: Vec<u64>,
    stack: Vec<Pending>,
    worlds: Worlds,
    /// What is to be put on the stack, in order, and where its worlds are: in whose haul, and where
    /// there.
    children: Vec<(Pending, usize, usize)>,
}

impl<'a, 'p, S: System> Depth<'a, 'p, S> {
    pub(super) fn new(
        shared: &'a Shared<'a, 'p, S>,
        counts: &'a mut Counts,
        observer: &'a mut dyn Observer,
        sample: &'a mut Sample,
        earlier: &'a Known,
        bound: u64,
    ) -> Self {
        Depth {
            shared,
            counts,
            observer,
            sample,
            earlier,
            bound,
            muster: Muster::new(shared.search.shuffle.is_some()),
            open: 0,
            expanded: 0,
            depths: Vec::new(),
            stack: Vec::new(),
            worlds: Worlds::default(),
            children: Vec::new(),
        }
    }

    /// Store the initial worlds, which were judged already, and put them on the stack.
    pub(super) fn start(&mut self, initial: &Worlds, ordinal: impl Fn(usize) -> u64) {
        let known = &mut write(self.shared.sea).known;
        for at in (0..initial.len()).rev() {
            let (world, way) = (initial.get(at), Way::initial(ordinal(at)));
            let fingerprint = Fingerprint::of(world);
            self.stack.push(Pending { fingerprint, way });
            self.worlds.push(world);
        }
        for (pending, at) in self.stack.iter().rev().zip(0..) {
            let Pending { fingerprint, way } = pending;
            known.insert(*fingerprint, Mark { depth: 1, stage: Stage::Waiting });
            if !self.earlier.contains_key(fingerprint) {
                self.observer.stored(initial.get(at));
                self.sample.offer(|| way.trace(None));
            }
        }
        self.depths = vec![known.len() as u64];
    }

    /// Expand what is reached from the initial worlds, until that ends; `tick` is called behind each
    /// wave.
    pub(super) fn run(&mut self, mut tick: impl FnMut(&Self)) -> End {
        loop {
            let Shared { search, system, crew, sea, hauls } = self.shared;
            let rested = crew.gather(|workers| system.barrier(workers));
            if let Err(stop) = rested.unwrap_or_else(|error| Err(error.into())) {
                return End::Trouble(stop.into(), None);
            }
            if search.interrupted() {
                return End::Bound("interrupt");
            }
            let tasks = self.gather();
            if tasks == 0 {
                return if self.open > 0 { End::Bound("depth") } else { End::Complete };
            }
            let job = |number: usize, worker: &mut S::Worker, _: &mut dyn FnMut()| {
                wave::serve(sea, search, *system, worker, &mut held(&hauls[number]));
            };
            self.muster.round(crew, &job, tasks, &mut || ());
            if let Some(end) = self.settle() {
                return end;
            }
            tick(self);
        }
    }

    /// Take the next wave from the stack; how many worlds it has.
    fn gather(&mut self) -> usize {
        let Shared { search, sea, .. } = self.shared;
        let Sea { known, wave, .. } = &mut *write(sea);
        let before = self.counts.expansions;
        let width = search.width.unwrap_or((1 + before / SHARE).min(WIDEST) as usize).max(1);
        wave.reset(before);
        let mut world = Vec::new();
        while wave.tasks.len() < width
            && let Some(pending) = self.stack.pop()
        {
            self.worlds.pop(&mut world);
            let mark = known[&pending.fingerprint];
            let depth = pending.way.states();
            if mark.depth < depth {
                continue;
            }
            let again = mark.stage == Stage::Expanded;
            wave.tasks.push(Task { pending, again, last: depth == self.bound });
            wave.worlds.push(&world);
        }
        self.counts.expansions += wave.tasks.len() as u64;
        if let Some(seed) = search.shuffle {
            wave.shuffle(seed);
        }
        wave.tasks.len()
    }

    /// Go through what the wave brought, in order, up to what ends the search.
    fn settle(&mut self) -> Option<End> {
        let shared = self.shared;
        let mut sea = write(shared.sea);
        let mut hauls: Vec<_> = shared.hauls.iter().map(held).collect();
        let mut outcomes: Vec<_> = sea.wave.tasks.iter().map(|_| None).collect();
        for (number, haul) in hauls.iter_mut().enumerate() {
            for outcome in haul.outcomes.drain(..) {
                let task = outcome.task;
                outcomes[task] = Some((number, outcome));
            }
        }
        for outcome in outcomes {
            let Some((number, outcome)) = outcome else { return Some(End::Bound("interrupt")) };
            if let Err(end) = self.expanded(&mut sea, number, &mut hauls[number], outcome) {
                return Some(end);
            }
        }
        // The first on top.
        for (pending, number, at) in self.children.drain(..).rev() {
            self.stack.push(pending);
            self.worlds.push(hauls[number].worlds.get(at));
        }
        hauls.iter_mut().for_each(|haul| haul.clear());
        None
    }

    /// Take in what the expansion of a world brought.
    fn expanded(
        &mut self,
        sea: &mut Sea<'p>,
        number: usize,
        haul: &mut Haul,
        outcome: Outcome,
    ) -> Result<(), End> {
        let Outcome { task, notes, generated, end } = outcome;
        let Pending { fingerprint, way } = &sea.wave.tasks[task].pending;
        let (fingerprint, way) = (*fingerprint, way.clone());
        let stage = match end {
            Ended::Open => Stage::Open,
            Ended::Unknown(trouble) => return Err(End::Trouble(*trouble, Some(way.trace(None)))),
            Ended::Expanded | Ended::Wrong(_) => Stage::Expanded,
        };
        let mark = sea.known.get_mut(&fingerprint).expect("what is pending is stored");
        let before = replace(&mut mark.stage, stage);
        self.open += u64::from(stage == Stage::Open);
        self.open -= u64::from(before == Stage::Open);
        self.expanded += u64::from(stage == Stage::Expanded && before != Stage::Expanded);
        let mut counted = generated.start;
        for at in notes {
            let upto = haul.notes[at].generated;
            self.count(haul, counted..upto);
            counted = upto;
            self.note(sea, number, haul, at, &way)?;
        }
        self.count(haul, counted..generated.end);
        match end {
            Ended::Wrong(trouble) => Err(End::Trouble(*trouble, Some(way.trace(None)))),
            _ => Ok(()),
        }
    }

    /// Count transitions.
    fn count(&mut self, haul: &Haul, generated: Range<usize>) {
        self.counts.generated += generated.len() as u64;
        for &(kind, crashed) in &haul.generated[generated] {
            self.counts.receipts.add(kind, crashed, 1);
        }
    }

    /// Take in one transition, from the world at the end of `way`.
    fn note(
        &mut self,
        sea: &mut Sea<'p>,
        number: usize,
        haul: &mut Haul,
        at: usize,
        way: &Way,
    ) -> Result<(), End> {
        let note = &mut haul.notes[at];
        let (arrival, wrong) = (note.arrival.take(), take(&mut note.wrong));
        let label = &haul.notes[at].label;
        let (mut full, mut reached) = (false, None);
        if let Some(arrival) = arrival {
            let (fingerprint, depth) = (arrival.fingerprint, way.states() + 1);
            let most = self.shared.search.max_states.unwrap_or(u64::MAX);
            let stored = sea.known.len() as u64;
            match sea.known.entry(fingerprint) {
                Entry::Occupied(mut known) if known.get().depth > depth => {
                    let before = replace(&mut known.get_mut().depth, depth);
                    self.depths[before as usize - 1] -= 1;
                    self.depths[depth as usize - 1] += 1;
                    reached = Some(arrival.at);
                }
                // Another world of the wave led there.
                Entry::Occupied(_) => (),
                Entry::Vacant(place) => {
                    let judged = *arrival.said.unwrap_or_default();
                    full = stored >= most;
                    let ends = judged.trouble.as_ref().is_some_and(|it| sea.judge.ends(it));
                    if !full || ends {
                        sea.judge.reach(&judged.reached);
                        place.insert(Mark { depth, stage: Stage::Waiting });
                        if self.depths.len() < depth as usize {
                            self.depths.push(0);
                        }
                        self.depths[depth as usize - 1] += 1;
                        if !self.earlier.contains_key(&fingerprint) {
                            self.observer.stored(haul.worlds.get(arrival.at));
                            self.sample.offer(|| way.trace(Some(label.clone())));
                        }
                    }
                    if let Some(trouble) = judged.trouble {
                        self.wrong(trouble, way, label)?;
                    }
                    reached = (!full).then_some(arrival.at);
                }
            }
            if let Some(at) = reached {
                let pending = Pending { fingerprint, way: way.then(label.clone()) };
                self.children.push((pending, number, at));
            }
        }
        for trouble in wrong {
            self.wrong(trouble, way, label)?;
        }
        if full { Err(End::Bound("states")) } else { Ok(()) }
    }

    /// What is wrong at a transition ends the search or is told.
    fn wrong(&mut self, trouble: Trouble, way: &Way, label: &Label) -> Result<(), End> {
        let trace = || Some(way.trace(Some(label.clone())));
        match trouble {
            Trouble::Broken { property, why } if self.shared.search.keep_going => {
                self.counts.violation_count += 1;
                if self.counts.violations.len() < TOLD {
                    let violation = Violation { property, why, trace: trace(), lasso: None };
                    self.counts.violations.push(violation);
                }
                Ok(())
            }
            trouble => Err(End::Trouble(trouble, trace())),
        }
    }

    /// Worlds generated so far, in this round and before.
    pub(super) fn generated(&self) -> u64 {
        self.counts.generated
    }

    /// Worlds stored.
    pub(super) fn stored(&self) -> u64 {
        read(self.shared.sea).known.len() as u64
    }

    /// The largest of the smallest depths at which worlds were reached.
    pub(super) fn deepest(&self) -> u64 {
        self.depths.iter().rposition(|&count| count > 0).map_or(0, |at| at as u64 + 1)
    }

    /// Worlds stored and not expanded.
    pub(super) fn left(&self) -> u64 {
        self.stored() - self.expanded
    }
}
