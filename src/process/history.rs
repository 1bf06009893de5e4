//! The history back end: runs one step of one node from one of its local states, by starting the
//! node and repeating what it was given before. Nodes are started by forking a zygote, which is
//! parked before the program's own code; a program that asks for an answer before that starts by
//! `execve` every time.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::Processes;
use super::node::Node;
use super::step::{Answers, Cause, Rest};
use super::table::{Done, Ending};
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
    parked: Vec<Option<Node>>,
}

impl Zygotes {
    /// Have a zygote for node `number`, started on the calling thread.
    pub fn prepare(&mut self, processes: &Processes, number: usize) -> Result<(), Stop> {
        if self.parked.len() <= number {
            self.parked.resize_with(number + 1, || None);
        }
        if self.parked[number].is_none() {
            self.parked[number] = Some(processes.start(number, true)?);
        }
        Ok(())
    }

    /// A node at its hello.
    pub fn start(&mut self, processes: &Processes, number: usize) -> Result<Node, Stop> {
        self.prepare(processes, number)?;
        let parked = self.parked[number].take();
        let zygote =
            parked.ok_or_else(|| Error::Internal("a zygote that was prepared is gone".into()))?;
        if !zygote.asked.is_empty() {
            // What it was told belongs to one boot only.
            return Ok(zygote);
        }
        processes.ledger.processes.fetch_add(1, Ordering::Relaxed);
        self.parked[number].insert(zygote).fork()
    }

    /// A node that stands where `history` leads.
    pub fn reach(
        &mut self,
        processes: &Processes,
        number: usize,
        history: &History,
    ) -> Result<Node, Stop> {
        let mut node = self.start(processes, number)?;
        for step in history.steps() {
            node.run(&step.cause, step.answers, None).map_err(|stop| match stop {
                Stop::Violated(breach) => Stop::from(Error::Divergence(format!(
                    "node {number} was led to a local state as before and broke a rule on the way: \
                     {}",
                    breach.why
                ))),
                stop => stop,
            })?;
        }
        Ok(node)
    }

    /// Run the step that `cause` and `answers` make from where `history` leads.
    pub fn execute(
        &mut self,
        processes: &Processes,
        number: usize,
        history: Option<&History>,
        cause: &Cause,
        answers: Answers,
    ) -> Result<Executed, Stop> {
        let start = Instant::now();
        let executed = self.step(processes, number, history, cause, answers);
        let spent = start.elapsed().as_micros() as u64;
        processes.ledger.micros.fetch_add(spent, Ordering::Relaxed);
        executed
    }

    fn step(
        &mut self,
        processes: &Processes,
        number: usize,
        history: Option<&History>,
        cause: &Cause,
        answers: Answers,
    ) -> Result<Executed, Stop> {
        let mut node = match history {
            Some(history) => self.reach(processes, number, history)?,
            None => self.start(processes, number)?,
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
                let (state, memory) = processes.take_state(&mut node, wait, &call, true)?;
                (Ending::Rests(state), memory)
            }
            Rest::Exited | Rest::Cut => (Ending::Exited, None),
        };
        Ok(Executed { done: Done { asked, events, ending }, memory })
    }
}
