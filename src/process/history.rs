//! The history back end: runs one step of one node from one of its local states, by starting the
//! node and repeating what it was given before. Nodes are started by forking a zygote, which is
//! parked before the program's own code; a program that asks for an answer before that starts by
//! `execve` every time.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::node::Node;
use super::state::StateId;
use super::step::{Answers, Cause, Rest};
use super::table::{Done, Ending};
use super::{Processes, hex};
use crate::error::Error;
use crate::system::Stop;

/// How a node came to a local state: what it was given, and told, step by step since it booted.
#[derive(Debug)]
pub struct History {
    /// What came before; `None` for a boot.
    pub before: Option<Arc<History>>,
    /// Why it ran.
    pub cause: Cause,
    /// What it was told.
    pub answers: Answers,
}

impl Drop for History {
    fn drop(&mut self) {
        // A long history must not be dropped by recursion.
        let mut before = self.before.take();
        while let Some(mut history) = before.and_then(Arc::into_inner) {
            before = history.before.take();
        }
    }
}

impl History {
    /// The steps, oldest first.
    pub fn steps(&self) -> Vec<&History> {
        let mut steps = vec![self];
        let mut last = self;
        while let Some(before) = &last.before {
            steps.push(before);
            last = before;
        }
        steps.reverse();
        steps
    }
}

/// What a step run by a process did, and the memory it ended in.
#[derive(Debug)]
pub struct Executed {
    /// What it did.
    pub done: Done,
    /// The digest of its whole memory; `None` if it no longer runs.
    pub memory: Option<u128>,
}

/// One worker's zygotes, by node.
#[derive(Debug, Default)]
pub struct Zygotes {
    parked: Vec<Option<Parked>>,
}

/// How a node of some number is started.
#[derive(Debug)]
enum Parked {
    /// By forking this one.
    Zygote(Box<Node>),
    /// By `execve` each time: it asks for an answer before its hello, which is then that of one boot.
    Asks,
}

impl Zygotes {
    /// Find out how node `number` is started; its zygote lives as long as the calling thread.
    pub fn prepare(&mut self, processes: &Processes, number: usize) -> Result<(), Stop> {
        self.parked(processes, number).map(|_| ())
    }

    fn parked(&mut self, processes: &Processes, number: usize) -> Result<&mut Parked, Stop> {
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

    fn start_one(
        &mut self,
        processes: &Processes,
        number: usize,
        answers: Answers,
    ) -> Result<Node, Stop> {
        match self.parked(processes, number)? {
            Parked::Zygote(zygote) => {
                processes.ledger.processes.fetch_add(1, Ordering::Relaxed);
                zygote.fork()
            }
            Parked::Asks => processes.start(number, answers, true),
        }
    }

    /// A node that stands where `history` leads, and how it came to rest there.
    pub fn reach(
        &mut self,
        processes: &Processes,
        number: usize,
        history: &History,
    ) -> Result<(Node, Rest), Stop> {
        let steps = history.steps();
        let mut node = self.start(processes, number, steps[0].answers)?;
        let mut rest = Rest::Exited;
        for (place, step) in steps.iter().enumerate() {
            if place > 0 {
                processes.settle(&mut node)?;
            }
            let ran = node.run(&step.cause, step.answers, None);
            (_, rest) = ran.map_err(|stop| match stop {
                Stop::Violated(breach) => Stop::from(Error::Divergence(format!(
                    "node {number} was led to a local state as before and broke a rule on the way: \
                     {}",
                    breach.why
                ))),
                stop => stop,
            })?;
        }
        Ok((node, rest))
    }

    /// A node in the local state `before`, to which `history` has led once: that it leads there again
    /// is checked, or the program is no function of what it is told.
    fn reach_state(
        &mut self,
        processes: &Processes,
        number: usize,
        history: &History,
        before: StateId,
    ) -> Result<Node, Stop> {
        let (mut node, rest) = self.reach(processes, number, history)?;
        let found = match rest {
            Rest::Waiting(wait, call) => {
                Some(processes.take_state(&mut node, wait, &call, false)?.state.id)
            }
            Rest::Exited | Rest::Cut => None,
        };
        if found == Some(before) {
            return Ok(node);
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

    /// Run the step that `cause` and `answers` make of node `number`, `from` a local state to which a
    /// history leads, or from the start.
    pub fn execute(
        &mut self,
        processes: &Processes,
        from: Option<(StateId, &History)>,
        number: usize,
        cause: &Cause,
        answers: Answers,
    ) -> Result<Executed, Stop> {
        let start = Instant::now();
        let executed = self.step(processes, from, number, cause, answers);
        let spent = start.elapsed().as_micros() as u64;
        processes.ledger.micros.fetch_add(spent, Ordering::Relaxed);
        executed
    }

    fn step(
        &mut self,
        processes: &Processes,
        from: Option<(StateId, &History)>,
        number: usize,
        cause: &Cause,
        answers: Answers,
    ) -> Result<Executed, Stop> {
        let mut node = match from {
            Some((before, history)) => self.reach_state(processes, number, history, before)?,
            None => self.start(processes, number, answers)?,
        };
        let ran = node.run(cause, answers, None);
        let asked = node.asked.iter().map(|&query| (query, answers.to(query))).collect();
        let (events, rest) = match ran {
            Ok(ran) => ran,
            Err(Stop::Violated(breach)) => {
                let done = Done { asked, events: Vec::new(), ending: Ending::Broke(breach) };
                return Ok(Executed { done, memory: None });
            }
            Err(stop) => return Err(stop),
        };
        let (ending, memory) = match rest {
            Rest::Waiting(wait, call) => {
                let taken = processes.take_state(&mut node, wait, &call, true)?;
                (Ending::Rests(taken.state), taken.whole.map(|whole| whole.digest))
            }
            Rest::Exited | Rest::Cut => (Ending::Exited, None),
        };
        Ok(Executed { done: Done { asked, events, ending }, memory })
    }
}
