//! Whole replay, the algorithm of the manual and the oracle of everything faster: to reach a world,
//! start every node and repeat the actions that led there. A worker keeps its last run, so that
//! walking forward costs one step each. A crash between two effects kills the real process there.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use super::Processes;
use super::act::{self, Run};
use super::effects;
use super::enabled::enabled;
use super::environment::{After, Environment};
use super::network::SideId;
use super::node::Node;
use super::step::{Cause, Event, Rest};
use super::zygotes::Zygotes;
use crate::action::{Action, ChoiceKind, Kind, Label};
use crate::error::Error;
use crate::system::{Choice, Position, Stop, System, Told};
use crate::world::View;

/// A model whose worlds are reached by whole replay.
#[derive(Debug)]
pub struct WholeReplay {
    processes: Arc<Processes>,
    start: Start,
    /// By the ordinal of an initial world, in which way the boot of each node ended.
    initial: Mutex<Vec<Vec<usize>>>,
}

/// How nodes are started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// By `execve`, as the manual does it: nothing is shared by two runs.
    Execve,
    /// By forking a zygote: faster.
    Zygote,
}

/// One run of all nodes, and how it came about.
#[derive(Debug)]
struct Live {
    initial: u64,
    path: Vec<Label>,
    environment: Environment,
    nodes: Vec<Option<Node>>,
    world: Vec<u8>,
}

/// What one worker keeps.
#[derive(Debug, Default)]
pub struct Worker {
    zygotes: Zygotes,
    live: Option<Live>,
    last: Happenings,
}

/// What happened in the last step that ran.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Happenings {
    /// What nodes did, in order.
    pub done: Vec<(usize, Event)>,
    /// What a node would have done if it had not crashed.
    pub lost: Vec<(usize, Event)>,
}

/// A step to be run: which node, why, and what it accepts.
struct Planned {
    node: usize,
    cause: Cause,
    accepting: Option<SideId>,
}

impl Worker {
    /// What happened in the last step that ran.
    pub fn last(&self) -> &Happenings {
        &self.last
    }
}

impl WholeReplay {
    /// Check `processes` by whole replay.
    pub fn new(processes: Arc<Processes>, start: Start) -> Self {
        WholeReplay { processes, start, initial: Mutex::default() }
    }

    /// The programs and the model.
    pub fn processes(&self) -> &Arc<Processes> {
        &self.processes
    }

    /// Boot every node; `ways` says in which way each boot ends, and hears how many there are.
    fn boot_all(
        &self,
        worker: &mut Worker,
        initial: u64,
        ways: &mut [(usize, usize)],
    ) -> Result<Live, Stop> {
        let config = &self.processes.config;
        let mut live = Live {
            initial,
            path: Vec::new(),
            environment: Environment::new(config),
            nodes: (0..config.nodes.len()).map(|_| None).collect(),
            world: Vec::new(),
        };
        worker.last = Happenings::default();
        for (node, (way, count)) in ways.iter_mut().enumerate() {
            let Run::Step { node, why, accepting } = act::boot(&mut live.environment, node) else {
                return Err(Error::Internal("a boot runs its node".into()).into());
            };
            let cause = live.environment.trigger(node, why).cause();
            let step = Planned { node, cause, accepting };
            match *way {
                0 => {
                    let (events, rest) = self.run(worker, &mut live, &step, None)?;
                    *count = effects::ways(config, &live.environment, effects::count(&events));
                    self.settle(worker, &mut live, &step, &events, &rest)?;
                }
                way => self.cut(worker, &mut live, &step, way)?,
            }
        }
        self.write_world(&mut live);
        Ok(live)
    }

    /// Run a step, whole or up to `cut` effects.
    fn run(
        &self,
        worker: &mut Worker,
        live: &mut Live,
        step: &Planned,
        cut: Option<usize>,
    ) -> Result<(Vec<Event>, Rest), Stop> {
        let answers = live.environment.nodes[step.node].answers();
        if matches!(step.cause, Cause::Boot(_)) {
            let (processes, zygotes) = (&self.processes, &mut worker.zygotes);
            let mut node = match self.start {
                Start::Execve => processes.start_with_twin(step.node, answers)?,
                Start::Zygote => zygotes.start(processes, step.node, answers)?,
            };
            if processes.has_normal_form(step.node) {
                node.plain = Some(Box::new(match self.start {
                    Start::Execve => processes.start(step.node, answers, false)?,
                    Start::Zygote => zygotes.start_one(processes, step.node, answers)?,
                }));
            }
            live.nodes[step.node] = Some(node);
        }
        let node = live.nodes[step.node].as_mut();
        let node = node.ok_or_else(|| Error::Internal("a node that does not run ran".into()))?;
        self.processes.ledger.steps.fetch_add(1, Ordering::Relaxed);
        node.run(&step.cause, answers, cut)
    }

    /// Take over what a whole step did.
    fn settle(
        &self,
        worker: &mut Worker,
        live: &mut Live,
        step: &Planned,
        events: &[Event],
        rest: &Rest,
    ) -> Result<(), Stop> {
        let after = match rest {
            Rest::Waiting(wait, call) => {
                let node = live.nodes[step.node].as_mut().expect("a node that waits has a process");
                let state = self.processes.take_state(node, *wait, call, false)?.state;
                // Another thread may be the next to run it.
                node.wake()?;
                After::Rests(state)
            }
            Rest::Exited | Rest::Cut => {
                live.nodes[step.node] = None;
                After::Exited
            }
        };
        self.absorb(worker, live, step, events, after)
    }

    /// Run a step up to its `way`-th effect, and kill the process there.
    fn cut(
        &self,
        worker: &mut Worker,
        live: &mut Live,
        step: &Planned,
        way: usize,
    ) -> Result<(), Stop> {
        let (events, rest) = self.run(worker, live, step, Some(way))?;
        live.nodes[step.node] = None;
        if rest != Rest::Cut || effects::count(&events) != way {
            return Err(Error::Divergence(format!(
                "node {} was to crash after effect {way} of a step, and had only {}",
                step.node,
                effects::count(&events)
            ))
            .into());
        }
        live.environment.budgets.crashes -= 1;
        self.absorb(worker, live, step, &events, After::Crashed)
    }

    fn absorb(
        &self,
        worker: &mut Worker,
        live: &mut Live,
        step: &Planned,
        events: &[Event],
        after: After,
    ) -> Result<(), Stop> {
        worker.last.done.extend(events.iter().map(|event| (step.node, event.clone())));
        let config = &self.processes.config;
        if live.environment.absorb(config, step.node, step.accepting, events, after)? {
            self.processes.ledger.lost_writes.store(true, Ordering::Relaxed);
        }
        live.environment.compact();
        Ok(())
    }

    /// Move `live` on by an action that runs no node, or find out which step it asks for.
    fn begin(&self, live: &mut Live, action: &Action) -> Result<Option<Planned>, Stop> {
        match act::act(&self.processes.config, &mut live.environment, action)? {
            Run::Nothing => Ok(None),
            Run::Kill { node } => {
                live.nodes[node] = None;
                Ok(None)
            }
            Run::Step { node, why, accepting } => {
                let cause = live.environment.trigger(node, why).cause();
                Ok(Some(Planned { node, cause, accepting }))
            }
        }
    }

    /// Move `live` on by `label`, without its world bytes.
    fn repeat(&self, worker: &mut Worker, live: &mut Live, label: &Label) -> Result<(), Stop> {
        worker.last = Happenings::default();
        let Some(step) = self.begin(live, &label.action)? else { return Ok(()) };
        match label.choices.first() {
            None | Some(0) => {
                let (events, rest) = self.run(worker, live, &step, None)?;
                self.settle(worker, live, &step, &events, &rest)
            }
            Some(&way) => self.cut(worker, live, &step, way.into()),
        }
    }

    fn write_world(&self, live: &mut Live) {
        live.environment.encode(&mut live.world);
    }

    /// A run that stands at `world`: the worker's own if it is there or on the way, else a new one.
    fn reach(&self, worker: &mut Worker, at: Position<'_>, world: &[u8]) -> Result<Live, Stop> {
        let mut path = Vec::new();
        let initial = at.path.labels(at.index, &mut path);
        let on_the_way = |live: &Live| live.initial == initial && path.starts_with(&live.path);
        let mut live = match worker.live.take().filter(on_the_way) {
            Some(live) => live,
            None => {
                let known = self.initial.lock().unwrap_or_else(PoisonError::into_inner);
                let ways = known.get(initial as usize).cloned();
                drop(known);
                let ways =
                    ways.ok_or_else(|| Error::Internal("an initial world nobody made".into()))?;
                let mut ways: Vec<_> = ways.into_iter().map(|way| (way, 1)).collect();
                self.boot_all(worker, initial, &mut ways)
                    .map_err(|stop| diverged(0, &path, stop))?
            }
        };
        for step in live.path.len()..path.len() {
            self.repeat(worker, &mut live, &path[step])
                .map_err(|stop| diverged(step + 1, &path, stop))?;
            live.path.push(path[step].clone());
        }
        self.write_world(&mut live);
        if live.world != world {
            return Err(Error::Divergence(format!(
                "the same {} actions led to another world than before: {}; something that the \
                 program reads differs from run to run (see CAVEATS in cmc(7))",
                path.len(),
                self.processes.difference(world, &live.world)
            ))
            .into());
        }
        Ok(live)
    }
}

/// A history that was possible before, and is not now.
fn diverged(step: usize, path: &[Label], stop: Stop) -> Stop {
    let why = match stop {
        Stop::Error(error @ (Error::Interrupted | Error::Host(_))) => return Stop::Error(error),
        Stop::Error(error) => error.to_string(),
        Stop::Violated(breach) => format!("{}: {}", breach.property, breach.why),
    };
    Error::Divergence(format!(
        "repeating {} actions that were possible before, step {step} ended differently: {why}",
        path.len()
    ))
    .into()
}

impl System for WholeReplay {
    type Worker = Worker;

    fn worker(&self, _id: usize) -> Result<Worker, Stop> {
        Ok(Worker::default())
    }

    fn initial(&self, worker: &mut Worker, each: &mut dyn FnMut(&[u8])) -> Result<(), Stop> {
        let mut ways = vec![(0, 1); self.processes.config.nodes.len()];
        let mut known = Vec::new();
        loop {
            // One run at a time: the one before ends here.
            worker.live = None;
            let live = self.boot_all(worker, known.len() as u64, &mut ways);
            known.push(ways.iter().map(|&(way, _)| way).collect());
            *self.initial.lock().unwrap_or_else(PoisonError::into_inner) = known.clone();
            let live = live?;
            each(&live.world);
            worker.live = Some(live);
            // The next combination; the last node's ways come fastest.
            let Some(node) = ways.iter().rposition(|&(way, count)| way + 1 < count) else {
                return Ok(());
            };
            ways[node].0 += 1;
            ways[node + 1..].fill((0, 1));
        }
    }

    fn enabled(&self, _: &mut Worker, world: &[u8], out: &mut Vec<Action>) -> Result<(), Stop> {
        let environment = self.processes.reader.environment(world)?;
        enabled(&self.processes.config, &environment, out);
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
        let mut live = self.reach(worker, at, world)?;
        worker.last = Happenings::default();
        let mut label = Label::plain(*action);
        if let Some(step) = self.begin(&mut live, action)? {
            let (events, rest) = self.run(worker, &mut live, &step, None)?;
            let effects = effects::count(&events);
            let ways = effects::ways(&self.processes.config, &live.environment, effects);
            let way = if ways > 1 { choose.choose(ChoiceKind::Crash, ways) } else { 0 };
            if way == 0 {
                self.settle(worker, &mut live, &step, &events, &rest)?;
            } else {
                drop(live);
                live = self.reach(worker, at, world)?;
                label.choices = Box::new([way as u16]);
                self.repeat(worker, &mut live, &label)?;
                let (_, lost) = effects::split(&events, way);
                worker.last.lost = lost.iter().map(|event| (step.node, event.clone())).collect();
            }
        }
        live.path.push(label);
        self.write_world(&mut live);
        next.clone_from(&live.world);
        worker.live = Some(live);
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
}

impl Drop for Live {
    fn drop(&mut self) {
        // Kill all before waiting for any: a node's death takes the kernel a while.
        for node in self.nodes.iter().flatten() {
            node.kill();
        }
    }
}
