//! Depth first to a bound on the states of a path, by one worker. A world is judged and stored when
//! it is first generated, and remembered with the smallest depth at which it was reached so far.
//!
//! Why nothing within the bound is missed: a world that is reached at a smaller depth than before is
//! put on the stack again, and expanded at that depth even if it was expanded, or cut, deeper. By
//! induction over the length of a shortest way, every world that can be reached within the bound is
//! in the end remembered with that length, and was expanded at it unless that is the bound: when
//! its predecessor on a shortest way was expanded, it was put on the stack at this depth or had been
//! there already, and it leaves the stack unexpanded only if it was reached nearer still. So what is
//! stored, and what is left open at the bound, is what a breadth-first search to this depth stores
//! and leaves open. A world's transitions are judged at its first expansion: they are the same ones
//! at every other.

use std::collections::hash_map::Entry;
use std::ops::ControlFlow;

use super::Observer;
use super::Search;
use super::expand::{Expander, Transition};
use super::found::{End, TOLD, Violation};
use super::judge::{Judge, Trouble};
use super::level::Worlds;
use super::receipts::Receipts;
use super::sample::Sample;
use crate::action::Label;
use crate::fingerprint::{Fingerprint, FingerprintMap};
use crate::system::{Position, Stop, System};
use crate::trace::Trace;

/// What is remembered of a world.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    /// The smallest depth at which it was reached.
    depth: u64,
    stage: Stage,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Stored, and not expanded.
    Waiting,
    /// Not expanded because of the bound, and something is possible in it.
    Open,
    Expanded,
}

/// What is remembered of all worlds stored.
pub(super) type Known = FingerprintMap<Mark>;

/// A world on the stack; its bytes lie beside.
struct Pending {
    fingerprint: Fingerprint,
    depth: u64,
    from: From,
}

/// How it was reached.
enum From {
    Initial(u64),
    Step(Label),
}

/// What is counted.
#[derive(Default)]
pub(super) struct Counts {
    pub(super) generated: u64,
    pub(super) receipts: Receipts,
    pub(super) violations: Vec<Violation>,
    pub(super) violation_count: u64,
}

/// A search to one bound.
pub(super) struct Depth<'a, 'j> {
    search: &'a Search<'a>,
    judge: &'a mut Judge<'j>,
    counts: &'a mut Counts,
    observer: &'a mut dyn Observer,
    sample: &'a mut Sample,
    /// What an earlier round to a smaller bound stored; the observer knows it.
    earlier: &'a Known,
    bound: u64,
    pub(super) known: Known,
    /// How many worlds are [`Stage::Open`], and how many [`Stage::Expanded`].
    open: u64,
    expanded: u64,
    /// The longest path to a stored world, in states.
    pub(super) longest: u64,
    pending: Vec<Pending>,
    worlds: Worlds,
    // The successors of the world that is expanded, in order.
    children: Vec<Pending>,
    siblings: Worlds,
}

impl<'a, 'j> Depth<'a, 'j> {
    pub(super) fn new(
        search: &'a Search<'a>,
        judge: &'a mut Judge<'j>,
        counts: &'a mut Counts,
        observer: &'a mut dyn Observer,
        sample: &'a mut Sample,
        earlier: &'a Known,
        bound: u64,
    ) -> Self {
        Depth {
            search,
            judge,
            counts,
            observer,
            sample,
            earlier,
            bound,
            known: Known::default(),
            open: 0,
            expanded: 0,
            longest: 0,
            pending: Vec::new(),
            worlds: Worlds::default(),
            children: Vec::new(),
            siblings: Worlds::default(),
        }
    }

    /// Store an initial world, the `ordinal`-th; it was judged already.
    pub(super) fn start(&mut self, ordinal: u64, world: &[u8]) {
        let fingerprint = Fingerprint::of(world);
        self.store(fingerprint, 1, world, || Trace { initial: ordinal, labels: Vec::new() });
        self.child(Pending { fingerprint, depth: 1, from: From::Initial(ordinal) }, world);
    }

    /// Expand what is reached from the initial worlds, until that ends; `each` is called for each
    /// world that was expanded.
    pub(super) fn run<S: System>(
        &mut self,
        system: &S,
        worker: &mut S::Worker,
        mut each: impl FnMut(&Self, &mut S::Worker) -> Result<(), Stop>,
    ) -> End {
        let mut expander = Expander::new(system, worker);
        let mut path = Trace { initial: 0, labels: Vec::new() };
        let mut world = Vec::new();
        self.push_children();
        while let Some(Pending { fingerprint, depth, from }) = self.pending.pop() {
            self.worlds.pop(&mut world);
            if self.search.interrupted() {
                return End::Bound("interrupt");
            }
            // What is above its parent on the stack is behind it.
            match from {
                From::Initial(initial) => path = Trace { initial, labels: Vec::new() },
                From::Step(label) => {
                    path.labels.truncate(depth as usize - 2);
                    path.labels.push(label);
                }
            }
            let mark = self.known.get_mut(&fingerprint).expect("what is pending is stored");
            if mark.depth < depth {
                continue;
            }
            if depth == self.bound {
                match expander.can_act(&world) {
                    Ok(true) => {
                        mark.stage = Stage::Open;
                        self.open += 1;
                        continue;
                    }
                    Ok(false) => (), // Then it is expanded in no time.
                    Err(stop) => return End::Trouble(stop.into(), Some(path)),
                }
            }
            let before = std::mem::replace(&mut mark.stage, Stage::Expanded);
            self.open -= u64::from(before == Stage::Open);
            self.expanded += u64::from(before != Stage::Expanded);
            let again = before == Stage::Expanded;
            if let Some(end) = self.expand(system, &mut expander, &path, &world, again) {
                return end;
            }
            self.push_children();
            if let Err(stop) = each(self, expander.worker()) {
                return End::Trouble(stop.into(), None);
            }
        }
        if self.open > 0 { End::Bound("depth") } else { End::Complete }
    }

    fn expand<S: System>(
        &mut self,
        system: &S,
        expander: &mut Expander<'_, S>,
        path: &Trace,
        world: &[u8],
        again: bool,
    ) -> Option<End> {
        let position = Position { index: path.labels.len() as u64, path };
        let mut end = None;
        let acted = expander.expand(position, world, |transition, result| {
            match self.take(system, path, world, again, &transition, result) {
                Ok(()) => ControlFlow::Continue(()),
                Err(ended) => {
                    end = Some(ended);
                    ControlFlow::Break(())
                }
            }
        });
        let ended = match acted {
            Ok(false) if self.search.deadlock => self.judge.end(system.view(world)).err(),
            Ok(_) => None,
            Err(stop) => Some(stop.into()),
        };
        end.or_else(|| ended.map(|trouble| End::Trouble(trouble, Some(path.clone()))))
    }

    /// Take in one transition; `again` when it was judged before.
    fn take<S: System>(
        &mut self,
        system: &S,
        path: &Trace,
        world: &[u8],
        again: bool,
        transition: &Transition<'_>,
        result: Result<&[u8], Stop>,
    ) -> Result<(), End> {
        if !matches!(result, Err(Stop::Error(_))) {
            self.counts.generated += 1;
            self.counts.receipts.add(transition.action.kind, transition.crashed(), 1);
        }
        let next = match result {
            Ok(next) => next,
            Err(Stop::Violated(_)) if again => return Ok(()),
            Err(stop) => return self.judged(Err(stop.into()), path, transition),
        };
        let (fingerprint, view) = (Fingerprint::of(next), system.view(next));
        let depth = path.states() + 1;
        let mut full = false;
        let reached = match self.known.entry(fingerprint) {
            Entry::Occupied(mut known) if known.get().depth > depth => {
                known.get_mut().depth = depth;
                self.longest = self.longest.max(depth);
                true
            }
            Entry::Occupied(_) => false,
            Entry::Vacant(_) => match self.judge.admits(view) {
                Err(trouble) => return self.judged(Err(trouble), path, transition),
                Ok(false) if again => false,
                Ok(false) => {
                    self.judged(self.judge.outsider(view), path, transition)?;
                    false
                }
                Ok(true) => {
                    let judged = *self.judge.world(view).unwrap_or_default();
                    let most = self.search.max_states.unwrap_or(u64::MAX);
                    full = self.known.len() as u64 >= most;
                    let ends = judged.trouble.as_ref().is_some_and(|it| self.judge.ends(it));
                    if !full || ends {
                        self.judge.reach(&judged.reached);
                        self.store(fingerprint, depth, next, || extended(path, transition));
                    }
                    self.judged(judged.trouble.map_or(Ok(()), Err), path, transition)?;
                    !full
                }
            },
        };
        if !again {
            self.judged(self.judge.step(system.view(world), view), path, transition)?;
        }
        if full {
            return Err(End::Bound("states"));
        }
        if reached {
            let from = From::Step(transition.label());
            self.child(Pending { fingerprint, depth, from }, next);
        }
        Ok(())
    }

    /// What is wrong at a transition, if anything is, ends the search or is told.
    fn judged(
        &mut self,
        judged: Result<(), Trouble>,
        path: &Trace,
        transition: &Transition<'_>,
    ) -> Result<(), End> {
        let Err(trouble) = judged else { return Ok(()) };
        let trace = || Some(extended(path, transition));
        match trouble {
            Trouble::Broken { property, why } if self.search.keep_going => {
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

    fn store(
        &mut self,
        fingerprint: Fingerprint,
        depth: u64,
        world: &[u8],
        trace: impl FnOnce() -> Trace,
    ) {
        self.known.insert(fingerprint, Mark { depth, stage: Stage::Waiting });
        self.longest = self.longest.max(depth);
        if !self.earlier.contains_key(&fingerprint) {
            self.observer.stored(world);
            self.sample.offer(trace);
        }
    }

    fn child(&mut self, pending: Pending, world: &[u8]) {
        self.children.push(pending);
        self.siblings.push(world);
    }

    /// Put the children on the stack, the first on top.
    fn push_children(&mut self) {
        for (at, child) in self.children.drain(..).enumerate().rev() {
            self.pending.push(child);
            self.worlds.push(self.siblings.get(at));
        }
        self.siblings.clear();
    }

    /// Worlds generated so far, in this round and before.
    pub(super) fn generated(&self) -> u64 {
        self.counts.generated
    }

    /// Worlds stored and not expanded.
    pub(super) fn left(&self) -> u64 {
        self.known.len() as u64 - self.expanded
    }
}

/// `path`, and on by `transition`.
fn extended(path: &Trace, transition: &Transition<'_>) -> Trace {
    let mut trace = path.clone();
    trace.labels.push(transition.label());
    trace
}
