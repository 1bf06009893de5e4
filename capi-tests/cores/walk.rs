//! Walks through the worlds of a core by the names of actions.

use std::sync::atomic::AtomicBool;

use cmc::action::{Action, ChoiceKind, Label};
use cmc::cores::{Core, Cores, Env};
use cmc::property::Property;
use cmc::search::{Found, Search};
use cmc::system::{Breach, Choice, Path, Position, Stop, System};
use cmc::world::Reader;

use crate::puppet::Puppet;
use crate::scripted;

/// Cores ask for no choice.
pub struct NoChoice;

impl Choice for NoChoice {
    fn choose(&mut self, _: ChoiceKind, _: usize) -> usize {
        panic!("a core asks for no choice")
    }
}

/// Nobody asks where a world of a core came from.
pub struct NoPath;

impl Path for NoPath {
    fn labels(&self, _: u64, _: &mut Vec<Label>) -> u64 {
        panic!("a core needs no history")
    }
}

pub const NOWHERE: Position<'static> = Position { index: 0, path: &NoPath };

/// A walk.
pub struct Walk {
    pub cores: Cores,
    worker: cmc::cores::Worker,
    pub world: Vec<u8>,
}

impl Walk {
    /// From the first initial world.
    pub fn new(core: Core, env: Env) -> Self {
        let cores = Cores::new(core, env).expect("an environment without fault");
        let mut worker = cores.worker(0).expect("a worker");
        let world = initial(&cores, &mut worker).expect("initial worlds").remove(0);
        Walk { cores, worker, world }
    }

    /// A walk of puppets.
    pub fn puppets(env: Env) -> Self {
        Walk::new(scripted::core::<Puppet>(), env)
    }

    pub fn actions(&mut self) -> Vec<Action> {
        let mut actions = Vec::new();
        self.cores.enabled(&mut self.worker, &self.world, &mut actions).expect("actions");
        actions
    }

    /// The names of what is possible, in order.
    pub fn names(&mut self) -> Vec<String> {
        let actions = self.actions();
        actions.iter().map(|action| self.cores.name(&self.world, action)).collect()
    }

    fn action(&mut self, name: &str) -> Action {
        let actions = self.actions();
        let found = actions.iter().find(|action| self.cores.name(&self.world, action) == name);
        *found.unwrap_or_else(|| panic!("no {name} among {:?}", self.names()))
    }

    pub fn take(&mut self, action: &Action) -> Result<(), Stop> {
        let mut next = vec![0xee; 3];
        let Walk { cores, worker, world } = self;
        cores.apply(worker, NOWHERE, world, action, &mut NoChoice, &mut next)?;
        self.world = next;
        Ok(())
    }

    /// Take actions, one after the other.
    pub fn go(&mut self, names: &[&str]) -> &mut Self {
        for name in names {
            let action = self.action(name);
            self.take(&action).unwrap_or_else(|stop| panic!("{name}: {stop:?}"));
        }
        self
    }

    /// Take an action that breaks a rule.
    pub fn breaks(&mut self, name: &str) -> Breach {
        let action = self.action(name);
        match self.take(&action) {
            Err(Stop::Violated(breach)) => breach,
            other => panic!("{name} breaks nothing: {other:?}"),
        }
    }

    pub fn state(&self, node: usize) -> &[u8] {
        self.cores.content(&self.world, node).unwrap().unwrap()
    }

    /// What is in flight: receiver, sender, first byte.
    pub fn messages(&self) -> Vec<(usize, usize, u8)> {
        let mut messages = Vec::new();
        let reader = &self.cores;
        let outcome = reader.messages(&self.world, &mut |message| {
            assert_eq!(message.client, None);
            messages.push((message.to, message.from.expect("a node sent it"), message.bytes[0]));
            true
        });
        outcome.expect("messages");
        messages
    }

    /// The reply log: node, first byte.
    pub fn replies(&self) -> Vec<(usize, u8)> {
        let mut replies = Vec::new();
        let outcome = self.cores.replies(&self.world, &mut |reply| {
            assert_eq!(reply.client, None);
            replies.push((reply.node.expect("a node gave it"), reply.bytes[0]));
            true
        });
        outcome.expect("replies");
        replies
    }

    pub fn budget(&self, name: &str) -> Option<u64> {
        self.cores.budget(&self.world, name).expect("a budget")
    }
}

/// The initial worlds of a system.
pub fn initial<S: System>(system: &S, worker: &mut S::Worker) -> Result<Vec<Vec<u8>>, Stop> {
    let mut worlds = Vec::new();
    system.initial(worker, &mut |world| worlds.push(world.to_vec()))?;
    Ok(worlds)
}

static GO_ON: AtomicBool = AtomicBool::new(false);

/// Search breadth first, by one worker.
pub fn search<S: System>(system: &S, properties: &[Property]) -> Found {
    Search::new(&GO_ON).run(system, properties, &mut (), &mut |_| ())
}

/// Search with other settings than the usual ones.
pub fn search_as<S: System>(
    system: &S,
    properties: &[Property],
    set: impl FnOnce(&mut Search),
) -> Found {
    let mut search = Search::new(&GO_ON);
    set(&mut search);
    search.run(system, properties, &mut (), &mut |_| ())
}
