//! Whole replay, the algorithm of the manual and the oracle of everything faster: to reach a world,
//! start every node and repeat the actions that led there. A worker keeps its last run, so that
//! walking forward costs one step each.

use std::sync::atomic::Ordering;

use super::act::{self, Run};
use super::content;
use super::enabled::enabled;
use super::environment::Environment;
use super::node::Node;
use super::step::{Event, Rest};
use super::{Processes, tell, view};
use crate::action::{Action, Label};
use crate::error::Error;
use crate::system::{Choice, Position, Stop, System, Told};
use crate::world::View;

/// A model whose worlds are reached by whole replay.
#[derive(Debug)]
pub struct WholeReplay {
    processes: Processes,
}

/// One run of all nodes, and how it came about.
#[derive(Debug)]
struct Live {
    path: Vec<Label>,
    environment: Environment,
    nodes: Vec<Option<Node>>,
    contents: Vec<Vec<u8>>,
    world: Vec<u8>,
}

/// What one worker keeps.
#[derive(Debug, Default)]
pub struct Worker {
    live: Option<Live>,
    printed: Vec<Printed>,
}

/// What a node printed in the last step that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// Which node.
    pub node: usize,
    /// 1 or 2.
    pub fd: i32,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl Worker {
    /// What nodes printed in the last step that ran, in order.
    pub fn printed(&self) -> &[Printed] {
        &self.printed
    }
}

impl WholeReplay {
    /// Check `processes` by whole replay.
    pub fn new(processes: Processes) -> Self {
        WholeReplay { processes }
    }

    /// The programs and the model.
    pub fn processes(&self) -> &Processes {
        &self.processes
    }

    fn boot_all(&self, worker: &mut Worker) -> Result<Live, Stop> {
        let config = &self.processes.config;
        let count = config.nodes.len();
        let mut live = Live {
            path: Vec::new(),
            environment: Environment::new(config),
            nodes: (0..count).map(|_| None).collect(),
            contents: vec![Vec::new(); count],
            world: Vec::new(),
        };
        worker.printed.clear();
        for node in 0..count {
            self.boot(worker, &mut live, node)?;
        }
        self.write_world(&mut live);
        Ok(live)
    }

    fn boot(&self, worker: &mut Worker, live: &mut Live, node: usize) -> Result<(), Stop> {
        let boot = act::boot(&mut live.environment, node);
        let mut started = self.processes.start(node, &boot)?;
        let (events, rest) = started.run_boot()?;
        live.nodes[node] = Some(started);
        self.settle(worker, live, node, None, &events, &rest)
    }

    /// Take over what a step of `node` did.
    fn settle(
        &self,
        worker: &mut Worker,
        live: &mut Live,
        node: usize,
        accepting: Option<super::network::SideId>,
        events: &[Event],
        rest: &Rest,
    ) -> Result<(), Stop> {
        let config = &self.processes.config;
        let ledger = &self.processes.ledger;
        ledger.steps.fetch_add(1, Ordering::Relaxed);
        for event in events {
            if let Event::Printed { fd, bytes } = event {
                worker.printed.push(Printed { node, fd: *fd, bytes: bytes.clone() });
            }
        }
        if live.environment.absorb(config, node, accepting, events, rest)? {
            ledger.lost_writes.store(true, Ordering::Relaxed);
        }
        if live.nodes[node].as_ref().is_some_and(|process| process.clock_read) {
            ledger.clock_read.store(true, Ordering::Relaxed);
        }
        if *rest == Rest::Exited {
            live.nodes[node] = None;
        }
        live.contents[node].clear();
        if let Some(process) = &mut live.nodes[node] {
            live.environment.nodes[node].local.clear();
            process.local.encode(&mut live.environment.nodes[node].local);
            let program = &self.processes.programs[node];
            live.contents[node] = content::read(process, &config.nodes[node], program)?;
        }
        Ok(())
    }

    /// Move `live` on by one action, without its world bytes.
    fn advance(&self, worker: &mut Worker, live: &mut Live, action: &Action) -> Result<(), Stop> {
        worker.printed.clear();
        match act::act(&self.processes.config, &mut live.environment, action)? {
            Run::Nothing => Ok(()),
            Run::Kill { node } => {
                live.nodes[node] = None;
                live.contents[node].clear();
                Ok(())
            }
            Run::Boot { node } => self.boot(worker, live, node),
            Run::Step { node, input, accepting } => {
                let clock = live.environment.nodes[node].clock;
                let process = live.nodes[node].as_mut();
                let process = process
                    .ok_or_else(|| Error::Internal("a node that does not run ran".into()))?;
                process.clock = clock;
                let (events, rest) = process.run_step(&input)?;
                self.settle(worker, live, node, accepting, &events, &rest)
            }
        }
    }

    fn write_world(&self, live: &mut Live) {
        view::encode(&live.environment, &live.contents, &mut live.world);
    }

    /// A run that stands at `world`: the worker's own if it is there or on the way, else a new one.
    fn reach(&self, worker: &mut Worker, at: Position<'_>, world: &[u8]) -> Result<Live, Stop> {
        let mut path = Vec::new();
        at.path.labels(at.index, &mut path);
        let on_the_way = |live: &Live| path.starts_with(&live.path);
        let mut live = match worker.live.take().filter(on_the_way) {
            Some(live) => live,
            None => self.boot_all(worker).map_err(|stop| diverged(0, &path, &stop))?,
        };
        for step in live.path.len()..path.len() {
            self.advance(worker, &mut live, &path[step].action)
                .map_err(|stop| diverged(step + 1, &path, &stop))?;
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
fn diverged(step: usize, path: &[Label], stop: &Stop) -> Stop {
    let why = match stop {
        Stop::Error(error @ (Error::Interrupted | Error::Host(_))) => {
            return Stop::Error(error.clone());
        }
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
        let live = self.boot_all(worker)?;
        each(&live.world);
        worker.live = Some(live);
        Ok(())
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
        _choose: &mut dyn Choice,
        next: &mut Vec<u8>,
    ) -> Result<(), Stop> {
        let mut live = self.reach(worker, at, world)?;
        self.advance(worker, &mut live, action)?;
        live.path.push(Label::plain(*action));
        self.write_world(&mut live);
        next.clone_from(&live.world);
        worker.live = Some(live);
        Ok(())
    }

    fn view<'a>(&'a self, world: &'a [u8]) -> View<'a> {
        View { world, reader: &self.processes.reader }
    }

    fn name(&self, action: &Action) -> String {
        tell::name(&self.processes.config, action)
    }

    fn tell(&self, world: &[u8], action: &Action) -> Result<Told, Error> {
        let environment = self.processes.reader.environment(world)?;
        Ok(tell::tell(&self.processes.config, &environment, action))
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        // Kill all before waiting for any: a node's death takes the kernel a while.
        for node in self.nodes.iter().flatten() {
            node.process().kill();
        }
    }
}
