//! The history back end: runs one step of one node from one of its local states, by starting the
//! node and repeating what it was given before. Nodes are started by forking a zygote, which is
//! parked before the program's own code; a program that asks for an answer before that starts by
//! `execve` every time.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::history::History;
use super::host::Pool;
use super::node::Node;
use super::phases::Phase;
use super::rest::Taken;
use super::restore::Backend;
use super::saved::Saved;
use super::state::StateId;
use super::step::{Answers, Cause, Event, Rest};
use super::table::{Done, Ending};
use super::{Processes, hex};
use crate::error::Error;
use crate::system::Stop;

/// How a step is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// As the check does it.
    Usual,
    /// From its history.
    History,
    /// From its history, each step of which is compared with what was seen of it.
    Compared,
}

/// What a step run by a process did, and the memory it ended in.
#[derive(Debug)]
pub struct Executed {
    /// What it did.
    pub done: Done,
    /// The digest of its whole memory; `None` if it no longer runs.
    pub memory: Option<u128>,
    /// The memory itself, if it was saved.
    pub saved: Option<Arc<Saved>>,
    /// Whether the process was put into a memory.
    pub restored: bool,
}

/// One worker's processes, by node.
#[derive(Debug, Default)]
pub struct Zygotes {
    parked: Vec<Option<Parked>>,
    pub(super) pools: Vec<Pool>,
    /// Whether nodes answer calls inside of their processes.
    inside: bool,
    /// Whether they ask in the step that is run all the same.
    asking: bool,
}

/// How a node of some number is started.
#[derive(Debug)]
pub(super) enum Parked {
    /// By forking this one.
    Zygote(Box<Node>),
    /// By `execve` each time: it asks for an answer before its hello, which is then that of one boot.
    Asks,
}

impl Zygotes {
    /// No process yet; `inside` says whether nodes answer calls inside of theirs.
    pub fn new(inside: bool) -> Self {
        Zygotes { inside, ..Zygotes::default() }
    }

    /// Find out how node `number` is started; its zygote lives as long as the calling thread.
    pub fn prepare(&mut self, processes: &Processes, number: usize) -> Result<(), Stop> {
        self.parked(processes, number).map(|_| ())
    }

    pub(super) fn parked(
        &mut self,
        processes: &Processes,
        number: usize,
    ) -> Result<&mut Parked, Stop> {
        if self.parked.len() <= number {
            self.parked.resize_with(number + 1, || None);
        }
        let parked = &mut self.parked[number];
        if parked.is_none() {
            let node = processes.start(number, Answers::default(), true)?;
            *parked = Some(match node.asked.is_empty() {
                true => Parked::Zygote(Box::new(node)),
                false => Parked::Asks,
            });
        }
        parked.as_mut().ok_or_else(|| Error::Internal("a zygote was not prepared".into()).into())
    }

    /// A node at its hello, which is told `answers` if it asks on the way there; with a twin, if
    /// nodes of this number have one.
    pub fn start(
        &mut self,
        processes: &Processes,
        number: usize,
        answers: Answers,
    ) -> Result<Node, Stop> {
        let node = self.start_one(processes, number, answers)?;
        processes.with_twin(node, || self.start_one(processes, number, answers))
    }

    pub(super) fn start_one(
        &mut self,
        processes: &Processes,
        number: usize,
        answers: Answers,
    ) -> Result<Node, Stop> {
        let inside = self.inside;
        match self.parked(processes, number)? {
            Parked::Zygote(zygote) => {
                processes.ledger.processes.fetch_add(1, Ordering::Relaxed);
                let mut node = zygote.fork()?;
                node.known = Some(processes.start_pages(number)?);
                node.answer_inside(inside);
                Ok(node)
            }
            Parked::Asks => {
                let mut node = processes.start(number, answers, true)?;
                node.answer_inside(inside);
                Ok(node)
            }
        }
    }

    /// Whether nodes answer calls inside of their processes.
    pub(super) fn inside(&self) -> bool {
        self.inside
    }

    /// Do `what`, in which the step that is run asks for everything, as it does in the reference; the
    /// steps that lead there do not.
    pub fn asking<T>(&mut self, what: impl FnOnce(&mut Self) -> T) -> T {
        self.asking = true;
        let done = what(self);
        self.asking = false;
        done
    }

    /// Run `node` by the step that is asked for.
    pub(super) fn run_last(
        &self,
        node: &mut Node,
        cause: &Cause,
        answers: Answers,
    ) -> Result<(Vec<Event>, Rest), Stop> {
        node.answer_inside(self.inside && !self.asking);
        node.run(cause, answers, None)
    }

    /// A node that stands where `history` leads, and how it came to rest there; the steps are
    /// `compared` with what was seen of them, but for the memory that the last one ends in.
    pub fn reach(
        &mut self,
        processes: &Processes,
        number: usize,
        history: &History,
        compared: bool,
    ) -> Result<(Node, Rest), Stop> {
        let steps = history.steps();
        let node = self.start(processes, number, steps[0].answers)?;
        walk(processes, node, &steps, compared)
    }

    /// Run the step that `cause` and `answers` make of node `number`, `from` a local state to which a
    /// history leads, or from the start.
    pub fn execute(
        &mut self,
        processes: &Processes,
        way: Way,
        from: Option<(StateId, &History)>,
        number: usize,
        cause: &Cause,
        answers: Answers,
    ) -> Result<Executed, Stop> {
        let start = Instant::now();
        let executed = self.step(processes, way, from, number, cause, answers);
        let spent = start.elapsed().as_micros() as u64;
        processes.ledger.micros.fetch_add(spent, Ordering::Relaxed);
        if executed.as_ref().is_ok_and(|executed| executed.restored) {
            processes.restores.micros.fetch_add(spent, Ordering::Relaxed);
        }
        executed
    }

    /// A node in the local state `before`, to which `history` has led; by restoring if its memories are
    /// saved, as [`Zygotes::restore`] says; else by history, `compared` with what was seen of it.
    pub(super) fn lead(
        &mut self,
        processes: &Processes,
        saves: bool,
        compared: bool,
        number: usize,
        (before, history): (StateId, &History),
    ) -> Result<(Node, Option<Arc<Saved>>, bool), Stop> {
        if saves {
            return self.restore(processes, number, history, before);
        }
        let reached = self.reach(processes, number, history, compared)?;
        let (node, taken) = check(processes, history, before, reached, compared)?;
        if compared {
            let memory = taken.whole.map(|whole| whole.digest);
            processes.restores.compare_memory(number, history, memory)?;
        }
        Ok((node, None, false))
    }

    fn step(
        &mut self,
        processes: &Processes,
        way: Way,
        from: Option<(StateId, &History)>,
        number: usize,
        cause: &Cause,
        answers: Answers,
    ) -> Result<Executed, Stop> {
        let backend = match way {
            Way::Usual => processes.restores.backend,
            Way::History | Way::Compared => Backend::History,
        };
        let saves = self.saves(processes, backend, number)?;
        let phases = &processes.ledger.phases;
        let (mut node, near, restored) = phases.time(Phase::Reach, || match from {
            Some(from) => self.lead(processes, saves, way == Way::Compared, number, from),
            None => Ok((self.start(processes, number, answers)?, None, false)),
        })?;
        node.hides = from.is_some_and(|(before, _)| processes.reader.states.get(before).raw);
        let ran = phases.time(Phase::Run, || self.run_last(&mut node, cause, answers));
        let asked = node.asked.iter().map(|&query| (query, answers.to(query))).collect();
        let (events, rest) = match ran {
            Ok(ran) => ran,
            Err(Stop::Violated(breach)) => {
                let done = Done { asked, events: Vec::new(), ending: Ending::Broke(breach) };
                return Ok(Executed { done, memory: None, saved: None, restored });
            }
            Err(stop) => return Err(stop),
        };
        let Rest::Waiting(wait, call) = rest else {
            let done = Done { asked, events, ending: Ending::Exited };
            return Ok(Executed { done, memory: None, saved: None, restored });
        };
        let taken = processes.take_state(&mut node, wait, &call, true)?;
        let ending = Ending::Rests(taken.state);
        let memory = taken.whole.as_ref().map(|whole| whole.digest);
        let saved = match saves {
            true => {
                phases.time(Phase::Save, || self.save(processes, node, &taken, near.as_deref()))?
            }
            false => None,
        };
        Ok(Executed { done: Done { asked, events, ending }, memory, saved, restored })
    }
}

/// Run `steps` on `node`, which stands where they start, `compared` as [`Zygotes::reach`] says.
pub(super) fn walk(
    processes: &Processes,
    mut node: Node,
    steps: &[&History],
    compared: bool,
) -> Result<(Node, Rest), Stop> {
    let mut rest = Rest::Exited;
    for (place, step) in steps.iter().enumerate() {
        if place > 0 {
            let memory = processes.settle(&mut node, compared)?;
            if compared {
                processes.restores.compare_memory(node.number(), steps[place - 1], memory)?;
            }
        }
        let ran = node.run(&step.cause, step.answers, None);
        let events;
        (events, rest) = ran.map_err(|stop| match stop {
            Stop::Violated(breach) => Stop::from(Error::Divergence(format!(
                "node {} was led to a local state as before and broke a rule on the way: {}",
                node.number(),
                breach.why
            ))),
            stop => stop,
        })?;
        if compared {
            processes.restores.compare_events(node.number(), step, &events)?;
        }
    }
    Ok((node, rest))
}

/// What `history` has led to, `reached`, in the local state `before`, to which it has led once: that
/// it leads there again is checked, or the program is no function of what it is told. Its whole memory
/// is taken if `whole` says so.
pub(super) fn check(
    processes: &Processes,
    history: &History,
    before: StateId,
    (mut node, rest): (Node, Rest),
    whole: bool,
) -> Result<(Node, Taken), Stop> {
    let number = node.number();
    node.hides = processes.reader.states.get(before).raw;
    let taken = match rest {
        Rest::Waiting(wait, call) => Some(processes.take_state(&mut node, wait, &call, whole)?),
        Rest::Exited | Rest::Cut => None,
    };
    let found = taken.as_ref().map(|taken| taken.state.id);
    if let (true, Some(taken)) = (found == Some(before), taken) {
        return Ok((node, taken));
    }
    let content = |id| match id {
        Some(id) => hex(&processes.reader.states.get(id).content),
        None => "it has exited".into(),
    };
    Err(Error::Divergence(format!(
        "node {number} ({}): the same history of {} steps led to another local state than before \
         (content {} instead of {}); something that the program reads differs from run to run (see \
         CAVEATS in cmc(7))",
        processes.config.nodes[number].program,
        history.steps().len(),
        content(found),
        content(Some(before))
    ))
    .into())
}
