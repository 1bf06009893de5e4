//! The front end of cores: pure C step functions, called in this process. A node is a state of fixed
//! size; everything around it (network, timers, disk, clients, crashes) is the engine's, and stands in
//! the world beside the states. What is possible follows from that environment alone; where a core
//! lists its actions itself (calibration mode), its one state is the world.

pub mod abi;
mod apply;
mod call;
mod core;
mod direct;
mod effects;
mod enabled;
mod encode;
mod env;
mod environment;
pub mod format;
pub mod limits;
mod network;
pub mod outstanding;
mod payload;
mod room;
mod set;
pub mod sized;
mod tell;
mod view;

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use abi::{CMC_MAX_SETTINGS, CmcEvent, CmcNode};
use apply::Scene;
use call::Caller;
use direct::Listing;
use encode::Layout;
use environment::Environment;
use outstanding::Outstanding;

use crate::action::{Action, Kind};
use crate::brood::Brood;
use crate::error::Error;
use crate::fingerprint::Fingerprint;
use crate::system::{Choice, Position, Stop, System, Told};
use crate::world::View;

pub use self::core::Core;
pub use env::{Discipline, Env};

/// The most initial worlds: nobody waits for more, and nobody could stop them.
const MOST_INITIAL: u32 = 1 << 24;

/// A core in its environment.
pub struct Cores {
    core: Core,
    env: Env,
    /// What the functions of the core are told of the node that they are called for, by node.
    nodes: Vec<CmcNode>,
    layout: Layout,
    /// For questions about actions that come from outside a search. `None` without direct actions.
    listing: Option<Mutex<Listing>>,
}

/// What one worker needs to take steps.
pub struct Worker {
    caller: Caller,
    mode: Mode,
}

/// Where actions come from.
enum Mode {
    Messages(Box<Scene>),
    Direct(Listing),
}

impl Cores {
    /// Put `core` into `env`.
    pub fn new(core: Core, env: Env) -> Result<Self, Error> {
        env.check(&core)?;
        let mut settings = [0; CMC_MAX_SETTINGS];
        settings[..env.settings.len()].copy_from_slice(&env.settings);
        let node = |id: usize| CmcNode {
            id: id as u8,
            nodes: env.nodes as u8,
            len: env.settings.len() as u16,
            settings,
        };
        let nodes = (0..env.nodes).map(node).collect();
        let layout = Layout::new(env.nodes, core.state_size());
        let listing = core.is_direct().then(|| Mutex::new(Listing::new(&core)));
        Ok(Cores { core, env, nodes, layout, listing })
    }

    /// The core.
    pub fn core(&self) -> &Core {
        &self.core
    }

    /// Its environment.
    pub fn env(&self) -> &Env {
        &self.env
    }

    /// What the functions of the core are told of `node`, which exists.
    pub fn node(&self, node: usize) -> &CmcNode {
        &self.nodes[node]
    }

    /// The event of `action`, which the core listed for `world`; `None` for a core that lists none.
    pub fn direct_action(&self, world: &[u8], action: &Action) -> Result<Option<CmcEvent>, Stop> {
        let Some(listing) = &self.listing else { return Ok(None) };
        let mut listing = listing.lock().unwrap_or_else(PoisonError::into_inner);
        listing.event(&self.core, &self.nodes[0], world, action).map(Some)
    }

    /// What nodes have asked for in `world`, or are to be told, and what has not come yet.
    pub fn outstanding(&self, world: &[u8]) -> Result<Vec<(usize, Outstanding)>, Error> {
        if self.core.is_direct() {
            return Ok(Vec::new());
        }
        let mut environment = Environment::new(&self.env);
        self.layout.environment(world)?.decode(&mut environment)?;
        Ok(outstanding::outstanding(&environment))
    }

    /// What is outstanding in `world` and still is when network, clock, clients and disk have done
    /// their part of `action`, before a node asks for anything.
    pub fn untouched(
        &self,
        world: &[u8],
        action: &Action,
    ) -> Result<Vec<(usize, Outstanding)>, Error> {
        let mut before = self.outstanding(world)?;
        if !self.core.is_direct() {
            let mut environment = Environment::new(&self.env);
            self.layout.environment(world)?.decode(&mut environment)?;
            apply::happens(&self.env, &mut environment, action, |_| Ok(()))
                .map_err(|stop| unexpected(stop, action))?;
            let mut left = outstanding::outstanding(&environment);
            before.retain(|one| {
                let place = left.iter().position(|other| other == one);
                place.map(|place| left.remove(place)).is_some()
            });
        }
        Ok(before)
    }

    fn first_world(&self, caller: &mut Caller, index: u32, out: &mut Vec<u8>) -> Result<(), Stop> {
        out.clear();
        let mut environment = Environment::new(&self.env);
        for node in &self.nodes {
            caller.init(&self.core, node, index)?;
            if self.core.is_direct() {
                direct::nothing_asked(caller)?;
                out.extend_from_slice(caller.state());
                return Ok(());
            }
            effects::take(&self.env, &mut environment, node.id, caller.effects(node.id)?)?;
            self.layout.push_state(caller.state(), out);
        }
        encode::encode(&environment, self.env.nodes, out);
        Ok(())
    }
}

impl System for Cores {
    type Worker = Worker;

    fn worker(&self, _: usize) -> Result<Worker, Stop> {
        let mode = match self.core.is_direct() {
            true => Mode::Direct(Listing::new(&self.core)),
            false => Mode::Messages(Box::new(Scene::new(self))),
        };
        Ok(Worker { caller: Caller::new(&self.core), mode })
    }

    fn initial(&self, worker: &mut Worker, each: &mut dyn FnMut(&[u8])) -> Result<(), Stop> {
        let mut world = Vec::new();
        let count = worker.caller.initial_count(&self.core, &self.nodes[0]);
        if count > MOST_INITIAL {
            return Err(Error::Model(format!(
                "core {}: initial_count() is {count}, and a core has at most {MOST_INITIAL} initial \
                 worlds; let it choose the others by actions",
                self.core.name()
            ))
            .into());
        }
        for index in 0..count {
            self.first_world(&mut worker.caller, index, &mut world)?;
            each(&world);
        }
        Ok(())
    }

    fn enabled(
        &self,
        worker: &mut Worker,
        world: &[u8],
        out: &mut Vec<Action>,
    ) -> Result<(), Stop> {
        match &mut worker.mode {
            Mode::Messages(scene) => {
                enabled::enabled(scene.environment(self, world)?, self.env.nodes, out)
            }
            Mode::Direct(listing) => {
                let count = listing.count(&self.core, &self.nodes[0], world)? as u32;
                let action = |argument| Action { kind: Kind::Action, subject: 0, argument };
                out.extend((0..count).map(action));
                Ok(())
            }
        }
    }

    fn apply(
        &self,
        worker: &mut Worker,
        _: Position<'_>,
        world: &[u8],
        action: &Action,
        _: &mut dyn Choice,
        next: &mut Vec<u8>,
    ) -> Result<(), Stop> {
        let Worker { caller, mode } = worker;
        match mode {
            Mode::Messages(scene) => scene.apply(self, caller, world, action, next),
            Mode::Direct(listing) => {
                let event = listing.event(&self.core, &self.nodes[0], world, action)?;
                caller.load(world);
                caller.step(&self.core, &self.nodes[0], &event)?;
                direct::nothing_asked(caller)?;
                next.clear();
                next.extend_from_slice(caller.state());
                Ok(())
            }
        }
    }

    #[inline]
    fn successors(
        &self,
        worker: &mut Worker,
        world: &[u8],
        brood: &mut Brood,
        look: &mut impl FnMut(&mut Brood) -> ControlFlow<()>,
    ) -> Option<Result<bool, Stop>> {
        let Worker { caller, mode } = worker;
        Some(match mode {
            Mode::Messages(scene) => scene.successors(self, caller, world, brood, look),
            Mode::Direct(listing) => {
                listing.successors(&self.core, &self.nodes[0], caller, world, brood, look)
            }
        })
    }

    #[inline]
    fn view<'a>(&'a self, world: &'a [u8]) -> View<'a> {
        View { world, reader: self }
    }

    fn kinds(&self) -> &'static [Kind] {
        if self.core.is_direct() { &direct::KINDS } else { &enabled::KINDS }
    }

    fn name(&self, world: &[u8], action: &Action) -> String {
        let unknown = || format!("{} {} {}", action.kind, action.subject, action.argument);
        match self.direct_action(world, action) {
            Ok(Some(event)) => tell::direct_name(&event),
            Ok(None) => self
                .layout
                .environment(world)
                .map_or_else(|_| unknown(), |world| tell::name(&self.env, &world, action)),
            Err(_) => unknown(),
        }
    }

    /// A message of a bag is the same event wherever it stands in the bag, and an action that a core
    /// lists wherever it stands in the list: that of the same number by the same process.
    fn fairness(&self, world: &[u8], action: &Action) -> u64 {
        let kind = (action.kind as u64) << 56;
        let plain = u64::from(action.subject) << 32 | u64::from(action.argument);
        if let Ok(Some(event)) = self.direct_action(world, action) {
            return kind | u64::from(event.id) << 8 | u64::from(event.peer);
        }
        let of_message = matches!(action.kind, Kind::Deliver | Kind::Dup | Kind::Drop);
        if !of_message || self.env.network == Discipline::Fifo {
            return kind | plain;
        }
        let place = action.argument as usize;
        let message = self.layout.environment(world).ok().and_then(|e| e.messages().nth(place));
        let Some(Ok((to, from, bytes))) = message else { return kind | plain };
        kind | Fingerprint::of(&[&[to, from], bytes].concat()).0 as u64 >> 8
    }

    fn tell(&self, world: &[u8], action: &Action) -> Result<Told, Error> {
        let listed = self.direct_action(world, action);
        if let Some(event) = listed.map_err(|stop| unexpected(stop, action))? {
            return Ok(tell::direct(&event));
        }
        let mut environment = Environment::new(&self.env);
        self.layout.environment(world)?.decode(&mut environment)?;
        tell::tell(&self.env, &environment, action)
    }
}

/// Why what a search has been through does not go again.
fn unexpected(stop: Stop, action: &Action) -> Error {
    match stop {
        Stop::Error(error) => error,
        Stop::Violated(breach) => Error::Internal(format!("{action:?}: {}", breach.why)),
    }
}
