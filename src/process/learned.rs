//! Learned steps: expanding a world is a look-up in the step table, and a process runs only when a
//! step was never seen. The counts, verdicts and traces are those of [`super::whole_replay`].

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Processes;
use super::act::{self, Run};
use super::audit::{Auditor, Policy};
use super::effects;
use super::enabled::enabled;
use super::encode;
use super::environment::{After, Environment};
use super::history::{History, Zygotes};
use super::network::SideId;
use super::origin::{Candidate, Origin, Origins, Rank};
use super::step::Cause;
use super::table::{self, Done, Ending, Leaf, Step, Table};
use super::why::Multiplied;
use crate::action::{Action, ChoiceKind, Kind};
use crate::error::Error;
use crate::system::{Choice, Position, Stop, System, Told};
use crate::world::View;

/// A model whose steps are learned.
#[derive(Debug)]
pub struct Learned {
    processes: Arc<Processes>,
    table: Table,
    origins: Origins,
    auditor: Auditor,
    hits: AtomicU64,
    misses: AtomicU64,
}

/// What the step table did, for the receipts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Steps that a process ran, each once.
    pub run: u64,
    /// Steps that were looked up.
    pub hits: u64,
    /// Executions of learned steps that agreed.
    pub audited: u64,
    /// Executions of learned steps that did something else.
    pub disagreed: u64,
    /// Local states with more than one memory.
    pub audited_states: u64,
    /// Local states with one memory, so that there was nothing to compare.
    pub unaudited_states: u64,
    /// Memories that were not kept, because their states have enough.
    pub excess: u64,
    /// Executions of learned steps without a normal form, which agreed.
    pub plain: u64,
    /// Local states of kind `memory` that have their raw form.
    pub raw_fallbacks: u64,
    /// Whether every memory was kept and every learned step was executed from each.
    pub full: bool,
}

/// What one worker keeps.
#[derive(Debug, Default)]
pub struct Worker {
    zygotes: Zygotes,
    /// The environment of the world that was read last, and that world.
    read: Option<(Vec<u8>, Environment)>,
}

impl Learned {
    /// Check `processes` by learned steps, audited by `policy`.
    pub fn new(processes: Arc<Processes>, policy: Policy) -> Self {
        let auditor = Auditor::new(policy);
        Learned {
            processes,
            table: Table::default(),
            origins: auditor.origins(),
            auditor,
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
        }
    }

    /// The programs and the model.
    pub fn processes(&self) -> &Arc<Processes> {
        &self.processes
    }

    /// What the step table did so far.
    pub fn counts(&self) -> Counts {
        let (audited_states, unaudited_states) = self.origins.counts();
        Counts {
            run: self.misses.load(Ordering::Relaxed),
            hits: self.hits.load(Ordering::Relaxed),
            audited: self.auditor.audited(),
            disagreed: self.auditor.disagreed(),
            audited_states,
            unaudited_states,
            excess: self.origins.excess(),
            plain: self.auditor.plain(),
            raw_fallbacks: self.processes.reader.states.raw(),
            full: self.auditor.is_full(),
        }
    }

    /// What multiplies the local states of each node, of which `states` says those that were found, by
    /// digest.
    pub fn why_so_many(&self, states: &[Vec<u128>]) -> Result<Vec<Multiplied>, Stop> {
        self.processes.why_so_many(&self.origins, states)
    }

    /// The environment of `world`, which is often that of the call before.
    fn read<'w>(&self, worker: &'w mut Worker, world: &[u8]) -> Result<&'w Environment, Error> {
        if worker.read.as_ref().is_none_or(|(known, _)| known != world) {
            let environment = self.processes.reader.environment(world)?;
            worker.read = Some((world.to_vec(), environment));
        }
        let (_, environment) = worker.read.as_ref().expect("it was read above");
        Ok(environment)
    }

    /// What `step` does: looked up, or learned by running a process.
    fn step(&self, worker: &mut Worker, rank: Rank, step: Step) -> Result<&Leaf, Stop> {
        let states = &self.processes.reader.states;
        let before = step.before.map(|before| states.digest(before));
        let key = table::key(step.node, before, &step.cause);
        let leaf = match self.table.find(key, step.answers) {
            Some(leaf) => self.hit(rank, leaf),
            None => {
                let _claim = self.table.claim(key);
                match self.table.find(key, step.answers) {
                    Some(leaf) => self.hit(rank, leaf),
                    None => self.learn(worker, rank, key, step)?,
                }
            }
        };
        // Who learns a step may be drawn like who finds it: which of them does is a matter of timing.
        if let Some(lot) = self.auditor.draws(leaf, rank) {
            let zygotes = &mut worker.zygotes;
            self.auditor.sample(&self.processes, zygotes, &self.origins, leaf, lot)?;
        }
        Ok(leaf)
    }

    fn hit<'t>(&self, rank: Rank, leaf: &'t Leaf) -> &'t Leaf {
        self.hits.fetch_add(1, Ordering::Relaxed);
        let waiting = leaf.waiting.load(Ordering::Relaxed);
        if waiting > 0 {
            self.origins.seen_again(waiting as usize - 1, rank);
        }
        leaf
    }

    fn learn(&self, worker: &mut Worker, rank: Rank, key: u128, step: Step) -> Result<&Leaf, Stop> {
        let Step { node, before, ref cause, answers } = step;
        let history = match before {
            None => None,
            Some(before) => {
                let first = self.origins.first(node, before);
                Some(first.ok_or_else(|| Error::Internal("a local state without origin".into()))?)
            }
        };
        let from = before.zip(history.as_deref());
        let backend = self.processes.restores.backend;
        let zygotes = &mut worker.zygotes;
        let executed = zygotes.execute(&self.processes, backend, from, node, cause, answers)?;
        self.misses.fetch_add(1, Ordering::Relaxed);
        let waiting = match (&executed.done.ending, executed.memory) {
            (Ending::Rests(state), Some(memory)) => {
                let history = History::new(history, cause.clone(), answers);
                self.processes.restores.keep(&history, executed.saved);
                let origin = Origin { history: Arc::new(history), memory };
                Some(self.origins.offer(Candidate { node, state: state.id, rank, origin }))
            }
            _ => None,
        };
        self.table.learn(key, step, executed.done, waiting).ok_or_else(|| {
            Stop::from(Error::Divergence(format!(
                "node {node}: one local state, one step, and it asks for other things although it \
                 was told the same: the identity of that state is incomplete; let the state include \
                 more, or use state = \"raw\""
            )))
        })
    }

    /// Take over the way `way` of what a step did.
    fn absorb(
        &self,
        environment: &mut Environment,
        node: usize,
        accepting: Option<SideId>,
        done: &Done,
        way: usize,
    ) -> Result<(), Stop> {
        let (events, after) = match (&done.ending, way) {
            (Ending::Broke(breach), _) => return Err(Stop::Violated(breach.clone())),
            (Ending::Rests(state), 0) => (&done.events[..], After::Rests(*state)),
            (Ending::Exited, 0) => (&done.events[..], After::Exited),
            (_, way) => {
                environment.budgets.crashes -= 1;
                (effects::split(&done.events, way).0, After::Crashed)
            }
        };
        if environment.absorb(&self.processes.config, node, accepting, events, after)? {
            self.processes.ledger.lost_writes.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Boot the nodes from `node` on in every way there is, and call `each` with the worlds.
    fn boot_from(
        &self,
        worker: &mut Worker,
        node: usize,
        environment: &Environment,
        made: &mut u32,
        each: &mut dyn FnMut(&[u8]),
    ) -> Result<(), Stop> {
        if node == self.processes.config.nodes.len() {
            let mut world = Vec::new();
            environment.encode(&self.processes.reader.states, &mut world);
            each(&world);
            return Ok(());
        }
        let mut booted = environment.clone();
        let Run::Step { cause, .. } = act::boot(&mut booted, node) else {
            return Err(Error::Internal("a boot runs its node".into()).into());
        };
        let answers = booted.nodes[node].answers();
        *made += 1;
        let leaf =
            self.step(worker, (0, None, *made), Step { node, before: None, cause, answers })?;
        let done = &leaf.done;
        for way in 0..effects::ways(&self.processes.config, &booted, &done.events) {
            let mut next = booted.clone();
            self.absorb(&mut next, node, None, done, way)?;
            self.boot_from(worker, node + 1, &next, made, each)?;
        }
        Ok(())
    }

    /// Make a learned step say that it did nothing: a lie for tests, which the audit must find.
    #[doc(hidden)]
    pub fn flip_for_tests(&self) -> bool {
        let wrote = |(_, leaf): &(usize, &Leaf)| leaf.effects > 0 && leaf.before.is_some();
        let Some((place, leaf)) = self.table.leaves().find(wrote) else { return false };
        let done = Done { events: Vec::new(), ..leaf.done.clone() };
        self.table.replace_for_tests(place, done);
        true
    }

    /// Mix up the origins of local states: a lie for tests, which the audit must find.
    #[doc(hidden)]
    pub fn swap_for_tests(&self) -> usize {
        self.origins.swap_for_tests()
    }
}

impl System for Learned {
    type Worker = Worker;

    fn worker(&self, _id: usize) -> Result<Worker, Stop> {
        Ok(Worker { zygotes: Zygotes::new(self.processes.inline), read: None })
    }

    fn initial(&self, worker: &mut Worker, each: &mut dyn FnMut(&[u8])) -> Result<(), Stop> {
        let environment = Environment::new(&self.processes.config);
        self.boot_from(worker, 0, &environment, &mut 0, each)
    }

    fn enabled(
        &self,
        worker: &mut Worker,
        world: &[u8],
        out: &mut Vec<Action>,
    ) -> Result<(), Stop> {
        let environment = self.read(worker, world)?;
        enabled(&self.processes.config, environment, out);
        Ok(())
    }

    fn apply(
        &self,
        worker: &mut Worker,
        at: Position<'_>,
        world: &[u8],
        action: &Action,
        choose: &mut dyn Choice,
        next: &mut Vec<u8>,
    ) -> Result<(), Stop> {
        let config = &self.processes.config;
        let mut environment = self.read(worker, world)?.clone();
        if let Run::Step { node, cause, accepting } = act::act(config, &mut environment, action)? {
            let side = &environment.nodes[node];
            let before = match cause {
                Cause::Boot(_) => None,
                Cause::Input(_) => side.state.map(|state| state.id),
            };
            let step = Step { node, before, cause, answers: side.answers() };
            let leaf = self.step(worker, (at.index, Some(*action), 0), step)?;
            let done = &leaf.done;
            let ways = match done.ending {
                Ending::Broke(_) => 1,
                _ => effects::ways(config, &environment, &done.events),
            };
            let way = if ways > 1 { choose.choose(ChoiceKind::Crash, ways) } else { 0 };
            self.absorb(&mut environment, node, accepting, done, way)?;
        }
        environment.encode(&self.processes.reader.states, next);
        if let Some(sizes) = &self.processes.restores.sizes {
            sizes.note_network(encode::rest(config, world)?, encode::rest(config, next)?);
        }
        Ok(())
    }

    fn view<'a>(&'a self, world: &'a [u8]) -> View<'a> {
        self.processes.view(world)
    }

    fn kinds(&self) -> &'static [Kind] {
        &super::enabled::KINDS
    }

    fn name(&self, _: &[u8], action: &Action) -> String {
        self.processes.name(action)
    }

    fn bound(&self, world: &[u8]) -> Option<&'static str> {
        self.processes.bound(world)
    }

    fn tell(&self, world: &[u8], action: &Action) -> Result<Told, Error> {
        self.processes.tell(world, action)
    }

    fn barrier(&self, workers: &mut [Worker]) -> Result<(), Stop> {
        for (_, leaf) in self.table.leaves() {
            leaf.waiting.store(0, Ordering::Relaxed);
        }
        let mut zygotes: Vec<_> = workers.iter_mut().map(|worker| &mut worker.zygotes).collect();
        self.auditor.barrier(&self.processes, &mut zygotes, &self.table, &self.origins)
    }
}
