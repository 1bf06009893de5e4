//! The audit of the step table: what was learned from one memory of a local state is executed from
//! its other memories too, and must be the same. A difference means that the identity leaves out
//! something that matters; it stops the check and is explained by the bytes that differ.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::Processes;
use super::disagreement::explain;
use super::history::History;
use super::origin::{Candidate, Kept, Origin, Origins, Rank};
use super::state::StateId;
use super::step::Event;
use super::table::{Done, Ending, Leaf, Table};
use super::zygotes::{Executed, Way, Zygotes};
use crate::action::Action;
use crate::error::Error;
use crate::system::Stop;

/// Origins kept of each local state where the audit is not full.
pub const KEPT: usize = 4;
/// Executions after which a full audit is given up.
const MOST: u64 = 1_000_000;

/// How much is audited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Up to [`KEPT`] memories of each state, and this share of the hits, in parts of a thousand.
    Sampled(u32),
    /// Every memory of every state that the steps of this search lead to.
    Full,
}

/// The auditor of one check.
#[derive(Debug)]
pub struct Auditor {
    policy: Policy,
    /// How many leaves of the table were taken over.
    seen: Mutex<usize>,
    /// Places of leaves by the state that they start in.
    leaves: Mutex<HashMap<(usize, StateId), Vec<usize>>>,
    /// Which leaf was executed from which origin.
    executed: Mutex<HashSet<(usize, usize)>>,
    /// Barriers so far.
    barriers: AtomicU64,
    /// Executions that agreed.
    audited: AtomicU64,
    /// Executions that did not.
    pub(super) disagreed: AtomicU64,
    /// Places of leaves by the state that they end in.
    pub(super) ways: Mutex<HashMap<(usize, StateId), Vec<usize>>>,
    /// The chains of callers from which a step was executed by the long way.
    pub(super) chains: Mutex<HashSet<(usize, Option<Vec<u64>>)>>,
    /// Executions without the normal form, which agreed.
    pub(super) plain: AtomicU64,
}

impl Auditor {
    /// Nothing audited yet.
    pub fn new(policy: Policy) -> Self {
        Auditor {
            policy,
            seen: Mutex::default(),
            leaves: Mutex::default(),
            executed: Mutex::default(),
            barriers: AtomicU64::new(0),
            audited: AtomicU64::new(0),
            disagreed: AtomicU64::new(0),
            ways: Mutex::default(),
            chains: Mutex::default(),
            plain: AtomicU64::new(0),
        }
    }

    /// The origins that this audit needs.
    pub fn origins(&self) -> Origins {
        Origins::new(match self.policy {
            Policy::Sampled(_) => KEPT,
            Policy::Full => usize::MAX,
        })
    }

    /// Whether every memory of every state is executed.
    pub fn is_full(&self) -> bool {
        self.policy == Policy::Full
    }

    /// Executions that did something else than was learned; the first one ends the check.
    pub fn disagreed(&self) -> u64 {
        self.disagreed.load(Ordering::Relaxed)
    }

    /// Executions without the normal form, which did the same.
    pub fn plain(&self) -> u64 {
        self.plain.load(Ordering::Relaxed)
    }

    /// Executions that agreed.
    pub fn audited(&self) -> u64 {
        self.audited.load(Ordering::Relaxed)
    }

    /// Take over the leaves learned since the last barrier; where they start, whatever the timing.
    fn take_leaves(&self, table: &Table) -> Vec<(usize, StateId)> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let mut by_state = self.leaves.lock().unwrap_or_else(PoisonError::into_inner);
        let mut fresh = Vec::new();
        for (place, leaf) in table.leaves(*seen) {
            *seen = place + 1;
            if let Some(before) = leaf.before {
                by_state.entry((leaf.node, before)).or_default().push(place);
                fresh.push((leaf.key, leaf.node, before));
            }
        }
        fresh.sort_unstable();
        fresh.into_iter().map(|(_, node, state)| (node, state)).collect()
    }

    /// Whether the look-up of `leaf` at `rank` is to be executed. Of the look-ups that are drawn the
    /// first, second, fourth, eighth … of each leaf are. Drawn is by what does not depend on timing:
    /// the step, where it was taken, and how many barriers there were, so that walks differ.
    pub fn draws(&self, leaf: &Leaf, (index, action, place): Rank) -> Option<u32> {
        let per_mille = match self.policy {
            Policy::Sampled(per_mille) => per_mille,
            Policy::Full => 10,
        };
        let mut bytes = [0; 42];
        bytes[..16].copy_from_slice(&leaf.key.to_le_bytes());
        bytes[16..24].copy_from_slice(&index.to_le_bytes());
        bytes[24..28].copy_from_slice(&place.to_le_bytes());
        bytes[28..36].copy_from_slice(&self.barriers.load(Ordering::Relaxed).to_le_bytes());
        let mut length = 36;
        if let Some(Action { kind, subject, argument }) = action {
            bytes[36..38].copy_from_slice(&[kind as u8, subject]);
            bytes[38..].copy_from_slice(&argument.to_le_bytes());
            length = bytes.len();
        }
        let lot = xxhash_rust::xxh3::xxh3_64(&bytes[..length]) % 1000;
        if lot >= per_mille.into() {
            return None;
        }
        let drawn = leaf.drawn.fetch_add(1, Ordering::Relaxed) + 1;
        drawn.is_power_of_two().then(|| drawn.trailing_zeros())
    }

    /// Execute `leaf` from one of the origins of its state, by `lot`.
    pub fn sample(
        &self,
        processes: &Processes,
        zygotes: &mut Zygotes,
        origins: &Origins,
        leaf: &Leaf,
        lot: u32,
    ) -> Result<(), Stop> {
        let of_state = leaf.before.map(|before| origins.of(leaf.node, before)).unwrap_or_default();
        let origin = match of_state.len() {
            0 => None,
            count => Some(&of_state[lot as usize % count]),
        };
        if leaf.before.is_some() && origin.is_none() {
            // Before the first barrier of a walk there is no origin but the one it was learned from.
            return Ok(());
        }
        let history = origin.map(|origin| &*origin.history);
        let other = history.and_then(|history| self.by_both(leaf.key >> (64 + lot), history));
        let executed = run(processes, zygotes, leaf, history, other)?;
        self.judge(processes, zygotes, origins, leaf, history, &executed).map(|_| ())
    }

    /// At a barrier: take the origins that wait, and execute every leaf from every origin, on as many
    /// threads as there are `zygotes`.
    pub fn barrier(
        &self,
        processes: &Processes,
        zygotes: &mut [&mut Zygotes],
        table: &Table,
        origins: &Origins,
    ) -> Result<(), Stop> {
        self.barriers.fetch_add(1, Ordering::Relaxed);
        let mut dirty = Vec::new();
        for Candidate { node, state, origin, .. } in origins.take_waiting() {
            if let Kept::New(place) = origins.keep(node, state, origin)
                && place > 0
            {
                dirty.push((node, state));
            }
        }
        let known = *self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        dirty.extend(self.take_leaves(table));
        if let Some(zygotes) = zygotes.first_mut() {
            let leaves = known..*self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            self.by_the_long_way(processes, zygotes, table, origins, leaves)?;
        }
        while !dirty.is_empty() && !zygotes.is_empty() {
            let tasks = self.tasks(table, origins, &std::mem::take(&mut dirty));
            // What was executed is looked at in the order of the tasks, whoever was faster.
            let executed = execute(processes, zygotes, &tasks);
            for (task, executed) in tasks.iter().zip(executed) {
                let history = Some(&*task.origin.history);
                self.judge(processes, zygotes[0], origins, task.leaf, history, &executed?)
                    .map(|executed| self.follow(processes, origins, task, executed))?
                    .into_iter()
                    .for_each(|next| dirty.push((task.leaf.node, next)));
            }
        }
        Ok(())
    }

    /// What is to be executed because of new leaves or origins of `states`.
    fn tasks<'t>(
        &self,
        table: &'t Table,
        origins: &Origins,
        states: &[(usize, StateId)],
    ) -> Vec<Task<'t>> {
        let mut tasks = Vec::new();
        for &(node, state) in states {
            let of_state = origins.of(node, state);
            for (place, leaf) in self.of_state(table, node, state) {
                for (number, origin) in of_state.iter().enumerate().skip(1) {
                    if self.is_new(place, number) {
                        let by_both = self.is_drawn(leaf, origin.memory);
                        tasks.push(Task { leaf, origin: origin.clone(), by_both });
                    }
                }
            }
        }
        tasks
    }

    /// The leaves that start in `state`, in an order that does not depend on timing.
    pub(super) fn of_state<'t>(
        &self,
        table: &'t Table,
        node: usize,
        state: StateId,
    ) -> Vec<(usize, &'t Leaf)> {
        let by_state = self.leaves.lock().unwrap_or_else(PoisonError::into_inner);
        let places = by_state.get(&(node, state)).cloned().unwrap_or_default();
        let mut leaves: Vec<_> = places.iter().map(|&place| (place, table.leaf(place))).collect();
        leaves.sort_by_key(|(_, leaf)| (leaf.key, leaf.answers.clock, leaf.answers.boots));
        leaves
    }

    /// In which way a step from where `history` leads is run beside the usual one, by the number `lot`. A
    /// history of some steps that is compared step by step is as many comparisons, so that of long ones
    /// fewer are drawn: on average each draw is one comparison, however long histories are.
    pub(super) fn by_both(&self, lot: u128, history: &History) -> Option<Way> {
        if self.is_full() {
            return Some(Way::History);
        }
        let steps = history.steps().len() as u128 + 1;
        lot.is_multiple_of(steps).then_some(Way::Compared)
    }

    /// Whether the execution of `leaf` from the origin `memory` is run by both back ends.
    fn is_drawn(&self, leaf: &Leaf, memory: u128) -> bool {
        let Policy::Sampled(per_mille) = self.policy else { return true };
        (leaf.key ^ memory.rotate_left(64)) % 1000 < per_mille.into()
    }

    fn is_new(&self, leaf: usize, origin: usize) -> bool {
        let mut executed = self.executed.lock().unwrap_or_else(PoisonError::into_inner);
        executed.insert((leaf, origin))
    }

    /// The memory that an audit ended in is an origin too; the state whose origins it joined.
    fn follow(
        &self,
        processes: &Processes,
        origins: &Origins,
        task: &Task<'_>,
        executed: &Executed,
    ) -> Option<StateId> {
        let Task { leaf, origin, .. } = task;
        let (Ending::Rests(state), Some(memory)) = (&executed.done.ending, executed.memory) else {
            return None;
        };
        let before = Some(Arc::clone(&origin.history));
        let history = History::new(before, leaf.cause.clone(), leaf.answers).seen(executed);
        let history = Arc::new(history);
        processes.restores.keep(&history, executed.saved.clone());
        let kept = origins.keep(leaf.node, state.id, Origin { history, memory });
        matches!(kept, Kept::New(place) if place > 0).then_some(state.id)
    }

    /// An error unless `executed`, which is `leaf` from where `history` leads, is what was learned.
    pub(super) fn judge<'e>(
        &self,
        processes: &Processes,
        zygotes: &mut Zygotes,
        origins: &Origins,
        leaf: &Leaf,
        history: Option<&History>,
        executed: &'e Executed,
    ) -> Result<&'e Executed, Stop> {
        let learned = &leaf.done;
        if same(learned, &executed.done) {
            let audited = self.audited.fetch_add(1, Ordering::Relaxed) + 1;
            if self.policy == Policy::Full && audited > MOST {
                return Err(Error::Divergence(format!(
                    "--audit=full has executed {MOST} steps and is not closed: the programs have too \
                     many memories for one local state; use the sampled audit, or a smaller model"
                ))
                .into());
            }
            return Ok(executed);
        }
        self.disagreed.fetch_add(1, Ordering::Relaxed);
        let first = leaf.before.and_then(|before| origins.first(leaf.node, before));
        let text =
            explain(processes, zygotes, leaf, learned, &executed.done, first.as_deref(), history)?;
        Err(Error::Divergence(text).into())
    }
}

/// A leaf to be executed from another origin of its state.
struct Task<'t> {
    leaf: &'t Leaf,
    origin: Origin,
    /// Whether both back ends run it.
    by_both: bool,
}

/// Run `leaf` from where `history` leads, and also in the `other` way where it was restored: both must
/// agree.
pub(super) fn run(
    processes: &Processes,
    zygotes: &mut Zygotes,
    leaf: &Leaf,
    history: Option<&History>,
    other: Option<Way>,
) -> Result<Executed, Stop> {
    let from = leaf.before.zip(history);
    let run = |zygotes: &mut Zygotes, way| {
        zygotes.execute(processes, way, from, leaf.node, &leaf.cause, leaf.answers)
    };
    let executed = run(zygotes, Way::Usual)?;
    if let (Some(other), true) = (other, executed.restored) {
        let again = zygotes.asking(|zygotes| run(zygotes, other))?;
        processes.restores.compare(leaf, &executed, &again)?;
    }
    Ok(executed)
}

/// Execute `tasks`, in any order; what they did, in theirs.
fn execute(
    processes: &Processes,
    zygotes: &mut [&mut Zygotes],
    tasks: &[Task<'_>],
) -> Vec<Result<Executed, Stop>> {
    let run = |zygotes: &mut Zygotes, Task { leaf, origin, by_both }: &Task<'_>| {
        run(processes, zygotes, leaf, Some(&*origin.history), by_both.then_some(Way::History))
    };
    let (first, others) = zygotes.split_first_mut().expect("a barrier has a worker");
    if others.is_empty() || tasks.len() < 2 {
        return tasks.iter().map(|task| run(first, task)).collect();
    }
    // A zygote dies with the thread that started it, so that it is started on this one.
    for zygotes in std::iter::once(&mut **first).chain(others.iter_mut().map(|other| &mut **other))
    {
        for task in tasks {
            if let Err(stop) = zygotes.prepare(processes, task.leaf.node) {
                return vec![Err(stop)];
            }
        }
    }
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(tasks.len()));
    let work = |zygotes: &mut Zygotes| {
        while let Some((place, task)) = {
            let place = next.fetch_add(1, Ordering::Relaxed);
            tasks.get(place).map(|task| (place, task))
        } {
            let executed = run(zygotes, task);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((place, executed));
        }
    };
    std::thread::scope(|scope| {
        for other in others {
            scope.spawn(|| work(other));
        }
        work(first);
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, executed)| executed).collect()
}

/// Whether two runs of a step agree: what was asked, effects, and successor. Output is neither.
pub(super) fn same(learned: &Done, done: &Done) -> bool {
    let matters = |done: &Done| -> Vec<Event> {
        let events = done.events.iter();
        events.filter(|event| !matches!(event, Event::Printed { .. })).cloned().collect()
    };
    learned.asked == done.asked
        && learned.ending == done.ending
        && matters(learned) == matters(done)
}
