//! A system that runs another one and keeps what its nodes do, step by step, for the story of a
//! counterexample.

use std::sync::Mutex;

use crate::action::{Action, Kind};
use crate::error::Error;
use crate::process::whole_replay::{Happenings, WholeReplay, Worker};
use crate::system::{Choice, Position, Stop, System, Told};
use crate::world::View;

/// The system, and what happened: at boot, then in each step.
pub struct Recorder<'a> {
    inner: &'a WholeReplay,
    happened: Mutex<Vec<Happenings>>,
}

impl<'a> Recorder<'a> {
    /// Record what the nodes of `inner` do.
    pub fn new(inner: &'a WholeReplay) -> Self {
        Recorder { inner, happened: Mutex::default() }
    }

    /// What happened: at boot, then in each step.
    pub fn happened(self) -> Vec<Happenings> {
        self.happened.into_inner().unwrap_or_default()
    }

    fn keep(&self, worker: &Worker) {
        if let Ok(mut happened) = self.happened.lock() {
            happened.push(worker.last().clone());
        }
    }
}

impl System for Recorder<'_> {
    type Worker = Worker;

    fn worker(&self, id: usize) -> Result<Worker, Stop> {
        self.inner.worker(id)
    }

    fn initial(&self, worker: &mut Worker, each: &mut dyn FnMut(&[u8])) -> Result<(), Stop> {
        let outcome = self.inner.initial(worker, each);
        self.keep(worker);
        outcome
    }

    fn enabled(
        &self,
        worker: &mut Worker,
        world: &[u8],
        out: &mut Vec<Action>,
    ) -> Result<(), Stop> {
        self.inner.enabled(worker, world, out)
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
        let outcome = self.inner.apply(worker, at, world, action, choose, next);
        self.keep(worker);
        outcome
    }

    fn view<'a>(&'a self, world: &'a [u8]) -> View<'a> {
        self.inner.view(world)
    }

    fn kinds(&self) -> &'static [Kind] {
        self.inner.kinds()
    }

    fn name(&self, world: &[u8], action: &Action) -> String {
        self.inner.name(world, action)
    }

    fn tell(&self, world: &[u8], action: &Action) -> Result<Told, Error> {
        self.inner.tell(world, action)
    }
}
