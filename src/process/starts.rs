//! Starts nodes: what they are given, how what differs between two starts is found and made constant,
//! and what is learned of a program at its first hello.

use std::collections::HashMap;
use std::ffi::CString;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::arena::Placement;
use super::canonical::RootClass;
use super::config::{Config, StateKind};
use super::launch::{Plan, Process};
use super::node::Node;
use super::registers::Registers;
use super::snapshot::Snapshot;
use super::step::Answers;
use super::subject::Subject;
use super::{Processes, contract, start_words};
use crate::error::Error;
use crate::system::Stop;

/// What the environment of every node holds, on every host.
const ENVIRONMENT: [&str; 6] = [
    "LD_BIND_NOW=1",
    "GLIBC_TUNABLES=glibc.pthread.rseq=0",
    "LANG=C",
    "TZ=UTC0",
    "PATH=/usr/bin:/bin",
    "HOME=/",
];

impl Processes {
    /// Start node `number`: its program is loaded, and of its own code nothing has run but what the
    /// loader runs, which is told `answers` if it asks. `whole` when digests of its whole memory will
    /// be taken whatever its state is.
    pub fn start(&self, number: usize, answers: Answers, whole: bool) -> Result<Node, Stop> {
        self.ledger.processes.fetch_add(1, Ordering::Relaxed);
        let mut node = self.load(number, answers)?;
        for &address in &*self.start_words[number] {
            if !node.memory().write(address, &[0; 8]) {
                return Err(Error::Internal("a word of the loader cannot be written".into()).into());
            }
        }
        if whole || self.config.nodes[number].state.is_whole() {
            let layout = node.layout()?;
            let sealed = layout.mappings.iter().filter(|m| m.written && !m.writable);
            node.sealed = sealed.cloned().collect();
            if self.boots[number].get().is_none() {
                let boot = node.snapshot(Registers::default())?;
                // Every start leads there; whoever was first.
                if self.config.nodes[number].state == StateKind::Memory {
                    let program = &self.programs[number];
                    let ignore = &self.config.nodes[number].ignore;
                    let subject = Subject::new(&program.path, program.debug(), &boot, ignore);
                    let _ = self.subjects[number].set(subject.map_err(Error::Program)?);
                }
                let _ = self.boots[number].set(boot);
            }
        }
        Ok(node)
    }

    /// `node`, with the twin that `start` makes if nodes of its number have one.
    pub(super) fn with_twin(
        &self,
        mut node: Node,
        start: impl FnOnce() -> Result<Node, Stop>,
    ) -> Result<Node, Stop> {
        if self.config.nodes[node.number()].state == StateKind::Memory {
            let mut twin = start()?;
            twin.placement = Placement::Permuted;
            node.twin = Some(Box::new(twin));
        }
        Ok(node)
    }

    /// Start node `number` as [`Processes::start`] does, with a twin if nodes of its number have one.
    pub fn start_with_twin(&self, number: usize, answers: Answers) -> Result<Node, Stop> {
        let node = self.start(number, answers, false)?;
        self.with_twin(node, || self.start(number, answers, false))
    }

    /// The snapshot of node `number` at its hello.
    pub(super) fn boot(&self, number: usize) -> Result<&Snapshot, Error> {
        let boot = self.boots[number].get();
        boot.ok_or_else(|| Error::Internal("a node ran before its start was read".into()))
    }

    /// What is known of the program of node `number`, which is of kind `memory` and was started.
    pub(super) fn subject(&self, number: usize) -> Result<&Subject, Error> {
        let subject = self.subjects[number].get();
        subject.ok_or_else(|| Error::Internal("a node ran before its start was read".into()))
    }

    /// Take a variable of every program for dead: a lie for tests, which the runs without a normal form
    /// must find.
    #[doc(hidden)]
    pub fn bury_for_tests(&mut self, symbol: &str) {
        self.buried = Some(symbol.to_owned());
    }

    /// The bytes that are taken for dead in node `number`, whose load bias is `bias`.
    pub(super) fn buried(&self, number: usize, bias: u64) -> Option<Range<u64>> {
        let object = self.programs[number].object(self.buried.as_deref()?).ok()?;
        let start = bias.wrapping_add(object.address);
        Some(start..start + object.size)
    }

    /// Forget these roots of canonical forms: a lie for tests, which the audit must find.
    #[doc(hidden)]
    pub fn drop_roots_for_tests(&mut self, dropped: &[RootClass]) {
        self.dropped = dropped.to_vec();
    }

    fn load(&self, number: usize, answers: Answers) -> Result<Node, Stop> {
        let process = Process::start(&self.plans[number], &self.filter)?;
        let mut node = Node::new(Arc::clone(&self.settings[number]), process)?;
        node.answers = answers;
        node.run_to_hello()?;
        Ok(node)
    }

    /// Compare some starts of every program.
    pub(super) fn find_start_words(&mut self) -> Result<(), Error> {
        let mut known: HashMap<PathBuf, Arc<[u64]>> = HashMap::new();
        for number in 0..self.programs.len() {
            let path = self.programs[number].path.clone();
            let words = match known.get(&path) {
                Some(words) => Arc::clone(words),
                None => self.compare_starts(number)?.into(),
            };
            known.insert(path, Arc::clone(&words));
            self.start_words.push(words);
        }
        Ok(())
    }

    fn compare_starts(&self, number: usize) -> Result<Vec<u64>, Error> {
        let mut images = Vec::new();
        loop {
            let node = self.load(number, Answers::default()).map_err(|stop| match stop {
                Stop::Error(error) => error,
                Stop::Violated(breach) => Error::Program(breach.why),
            })?;
            let image = start_words::image(node.memory(), None);
            images.push(image.ok_or_else(|| Error::Program("its memory cannot be read".into()))?);
            if images.len() == start_words::STARTS {
                let program = &self.config.nodes[number].program;
                return start_words::differing(program, node.memory(), &images);
            }
        }
    }
}

/// What node `number` is started with.
pub(super) fn plan(config: &Config, number: usize) -> Result<Plan, Error> {
    let node = &config.nodes[number];
    let text = |text: &str| {
        CString::new(text).map_err(|_| {
            Error::Argument(format!("node {number}: a zero byte in its program or arguments"))
        })
    };
    let directory = match config.directory.as_os_str().is_empty() {
        true => ".".into(),
        false => config.directory.to_string_lossy(),
    };
    // A path without a slash would be looked for by nobody: execve takes it from the directory.
    let path = text(&node.program)?;
    let arguments = [node.program.clone(), number.to_string()].into_iter().chain(node.args.clone());
    let preload = format!("LD_PRELOAD={}", contract::PRELOAD_PATH);
    let environment = ENVIRONMENT.iter().copied().chain([preload.as_str()]);
    Ok(Plan {
        path,
        arguments: arguments.map(|argument| text(&argument)).collect::<Result<_, _>>()?,
        environment: environment.map(text).collect::<Result<_, _>>()?,
        directory: text(&directory)?,
    })
}
