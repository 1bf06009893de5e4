//! Learned steps: expanding a world is a look-up in the step table, and a process runs only when a
//! step was never seen. The counts, verdicts and traces are those of [`super::whole_replay`].

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::Processes;
use super::act::{self, Run};
use super::audit::{Auditor, Policy};
pub use super::counts::Counts;
use super::counts::Hits;
use super::effects;
use super::enabled::enabled;
use super::encode;
use super::environment::{After, Environment, Why};
use super::history::History;
use super::network::SideId;
use super::origin::{Candidate, Origin, Origins, Rank};
use super::recall::Recall;
use super::table::{self, Done, Ending, Leaf, Step, Table};
use super::why::Multiplied;
use super::zygotes::{Way, Zygotes};
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
    /// Of each worker there was.
    hits: Mutex<Vec<Arc<Hits>>>,
    misses: AtomicU64,
}

/// What one worker keeps.
#[derive(Debug)]
pub struct Worker {
    steps: Steps,
    /// The world that was read last, and its environment.
    world: Vec<u8>,
    environment: Environment,
    /// Where successors are made.
    next: Environment,
}

/// What a worker takes steps with.
#[derive(Debug)]
struct Steps {
    zygotes: Zygotes,
    recall: Recall,
    hits: Arc<Hits>,
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
            hits: Mutex::default(),
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
        let hits = self.hits.lock().unwrap_or_else(PoisonError::into_inner);
        Counts {
            run: self.misses.load(Ordering::Relaxed),
            hits: hits.iter().map(|hits| hits.get()).sum(),
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

    /// Have the environment of `world` in the worker, which often has it already.
    fn read(&self, worker: &mut Worker, world: &[u8]) -> Result<(), Error> {
        if worker.world != world {
            // If it cannot be read, the worker has no world.
            worker.world.clear();
            let (config, states) = (&self.processes.config, &self.processes.reader.states);
            worker.environment.decode(config, states, world)?;
            if self.auditor.is_full() {
                encode::check_states(states, world, &worker.environment)?;
            }
            worker.world.extend_from_slice(world);
        }
        Ok(())
    }

    /// What `step` does: looked up, or learned by running a process.
    fn step(&self, steps: &mut Steps, rank: Rank, step: Step<'_>) -> Result<&Leaf, Stop> {
        let leaf = match steps.recall.find(&self.table, &step) {
            Some(leaf) => {
                if self.auditor.is_full() {
                    self.check_recalled(leaf, &step)?;
                }
                self.hit(steps, rank, leaf)
            }
            None => self.look_up(steps, rank, step)?,
        };
        // Who learns a step may be drawn like who finds it: which of them does is a matter of timing.
        if let Some(lot) = self.auditor.draws(leaf, rank) {
            let zygotes = &mut steps.zygotes;
            self.auditor.sample(&self.processes, zygotes, &self.origins, leaf, lot)?;
        }
        Ok(leaf)
    }

    /// The same for a step that the worker does not remember.
    fn look_up(&self, steps: &mut Steps, rank: Rank, step: Step<'_>) -> Result<&Leaf, Stop> {
        let key = self.key(&step);
        let mut found = self.table.find(key, step.answers);
        if found.is_none() {
            let _claim = self.table.claim(key);
            found = self.table.find(key, step.answers);
            if found.is_none() {
                return self.learn(&mut steps.zygotes, rank, key, step);
            }
        }
        let (place, leaf) = found.expect("it was looked for above");
        steps.recall.note(&step, place);
        Ok(self.hit(steps, rank, leaf))
    }

    fn key(&self, step: &Step<'_>) -> u128 {
        let before = step.before.map(|before| self.processes.reader.states.digest(before));
        table::key(step.node, before, step.trigger)
    }

    /// An error unless the table, too, has `leaf` for `step`.
    fn check_recalled(&self, leaf: &Leaf, step: &Step<'_>) -> Result<(), Error> {
        match self.table.find(self.key(step), step.answers) {
            Some((_, known)) if std::ptr::eq(known, leaf) => Ok(()),
            _ => Err(Error::Internal("a worker remembers a step that is not in the table".into())),
        }
    }

    fn hit<'t>(&self, steps: &Steps, rank: Rank, leaf: &'t Leaf) -> &'t Leaf {
        steps.hits.count();
        let waiting = leaf.waiting.load(Ordering::Relaxed);
        // Behind a world at which it turned up it does not turn up for the first time.
        if waiting > 0 && rank.0 <= leaf.first.load(Ordering::Relaxed) {
            leaf.first.fetch_min(rank.0, Ordering::Relaxed);
            self.origins.seen_again(waiting as usize - 1, rank);
        }
        leaf
    }

    fn learn(
        &self,
        zygotes: &mut Zygotes,
        rank: Rank,
        key: u128,
        step: Step<'_>,
    ) -> Result<&Leaf, Stop> {
        let Step { node, before, trigger, answers } = step;
        let cause = trigger.cause();
        let history = match before {
            None => None,
            Some(before) => {
                let first = self.origins.first(node, before);
                Some(first.ok_or_else(|| Error::Internal("a local state without origin".into()))?)
            }
        };
        let from = before.zip(history.as_deref());
        let executed = zygotes.execute(&self.processes, Way::Usual, from, node, &cause, answers)?;
        self.misses.fetch_add(1, Ordering::Relaxed);
        let waiting = match (&executed.done.ending, executed.memory) {
            (Ending::Rests(state), Some(memory)) => {
                let history = History::new(history, cause, answers).seen(&executed);
                self.processes.restores.keep(&history, executed.saved);
                let origin = Origin { history: Arc::new(history), memory };
                let candidate = Candidate { node, state: state.id, rank, origin };
                Some((self.origins.offer(candidate), rank.0))
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
            // To write it again and again would take it from the other workers.
            let lost = &self.processes.ledger.lost_writes;
            if !lost.load(Ordering::Relaxed) {
                lost.store(true, Ordering::Relaxed);
            }
        }
        Ok(())
    }

    /// Boot the nodes from `node` on in every way there is, and call `each` with the worlds.
    fn boot_from(
        &self,
        steps: &mut Steps,
        node: usize,
        environment: &Environment,
        made: &mut u32,
        each: &mut dyn FnMut(&[u8]),
    ) -> Result<(), Stop> {
        if node == self.processes.config.nodes.len() {
            let mut world = Vec::new();
            environment.encode(&mut world);
            each(&world);
            return Ok(());
        }
        let mut booted = environment.clone();
        let Run::Step { why, .. } = act::boot(&mut booted, node) else {
            return Err(Error::Internal("a boot runs its node".into()).into());
        };
        *made += 1;
        let leaf = self.step(steps, (0, None, *made), asked(&booted, node, why))?;
        let done = &leaf.done;
        for way in 0..effects::ways(&self.processes.config, &booted, leaf.effects) {
            let mut next = booted.clone();
            self.absorb(&mut next, node, None, done, way)?;
            self.boot_from(steps, node + 1, &next, made, each)?;
        }
        Ok(())
    }

    /// Make a learned step say that it did nothing: a lie for tests, which the audit must find.
    #[doc(hidden)]
    pub fn flip_for_tests(&self) -> bool {
        let wrote = |(_, leaf): &(usize, &Leaf)| leaf.effects > 0 && leaf.before.is_some();
        let Some((place, leaf)) = self.table.leaves(0).find(wrote) else { return false };
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

/// The step that `node` takes in `environment`.
fn asked(environment: &Environment, node: usize, why: Why) -> Step<'_> {
    let side = &environment.nodes[node];
    let before = match why {
        Why::Boot => None,
        _ => side.state.map(|state| state.id),
    };
    Step { node, before, trigger: environment.trigger(node, why), answers: side.answers() }
}

impl System for Learned {
    type Worker = Worker;

    fn worker(&self, _id: usize) -> Result<Worker, Stop> {
        let hits = Arc::<Hits>::default();
        self.hits.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&hits));
        let (zygotes, recall) = (Zygotes::new(self.processes.inline), Recall::default());
        Ok(Worker {
            steps: Steps { zygotes, recall, hits },
            world: Vec::new(),
            environment: Environment::default(),
            next: Environment::default(),
        })
    }

    fn initial(&self, worker: &mut Worker, each: &mut dyn FnMut(&[u8])) -> Result<(), Stop> {
        let environment = Environment::new(&self.processes.config);
        self.boot_from(&mut worker.steps, 0, &environment, &mut 0, each)
    }

    fn enabled(
        &self,
        worker: &mut Worker,
        world: &[u8],
        out: &mut Vec<Action>,
    ) -> Result<(), Stop> {
        self.read(worker, world)?;
        enabled(&self.processes.config, &worker.environment, out);
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
        let (config, states) = (&self.processes.config, &self.processes.reader.states);
        self.read(worker, world)?;
        let Worker { steps, environment, next: after, .. } = worker;
        after.copy_from(environment);
        if let Run::Step { node, why, accepting } = act::act(config, after, action)? {
            let step = asked(after, node, why);
            let leaf = self.step(steps, (at.index, Some(*action), 0), step)?;
            let done = &leaf.done;
            let ways = match done.ending {
                Ending::Broke(_) => 1,
                _ => effects::ways(config, after, leaf.effects),
            };
            let way = if ways > 1 { choose.choose(ChoiceKind::Crash, ways) } else { 0 };
            self.absorb(after, node, accepting, done, way)?;
        }
        after.encode(next);
        if self.auditor.is_full() {
            encode::check(config, states, next)?;
        }
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

    fn in_step(&self) -> bool {
        true
    }

    fn barrier(&self, workers: &mut [Worker]) -> Result<(), Stop> {
        self.table.none_waits();
        let waits = |(_, leaf): (usize, &Leaf)| leaf.waiting.load(Ordering::Relaxed) > 0;
        if self.auditor.is_full() && self.table.leaves(0).any(waits) {
            return Err(Error::Internal("a step waits behind its barrier".into()).into());
        }
        let mut zygotes: Vec<_> =
            workers.iter_mut().map(|worker| &mut worker.steps.zygotes).collect();
        self.auditor.barrier(&self.processes, &mut zygotes, &self.table, &self.origins)
    }
}
