//! A transition system that is a table: a world is one byte, a step a tree of choices.

use std::collections::BTreeMap;
use std::sync::Mutex;

use cmc::action::{Action, ChoiceKind, Kind, Label};
use cmc::error::Error;
use cmc::property::{Kinds, Property, Rule};
use cmc::system::{Breach, Choice, Position, Stop, System, Told};
use cmc::world::View;

use super::Blind;

/// What a step does, after the choices it asks for.
#[derive(Clone, Debug)]
pub enum Then {
    Go(u8),
    Ask(ChoiceKind, Vec<Then>),
    Break(&'static str),
    Fail,
}

/// Where a world stood when it was expanded: its bytes and the way to it.
pub type Place = (u8, u64, Vec<Label>);

#[derive(Default)]
pub struct Graph {
    pub initial: Vec<u8>,
    pub arcs: BTreeMap<u8, Vec<(Action, Then)>>,
    /// Worlds whose actions cannot be listed.
    pub opaque: Vec<u8>,
    /// The fairness number of the actions with an argument, where they share one.
    pub fairness: BTreeMap<u32, u64>,
    /// Worlds that end by a bound of the model.
    pub bounded: Vec<u8>,
    /// The places that `apply` was told, by index.
    pub places: Mutex<BTreeMap<u64, Place>>,
}

pub fn act(kind: Kind, argument: u32) -> Action {
    Action { kind, subject: 0, argument }
}

pub fn fault() -> Error {
    Error::Node { node: 0, text: "an unmodelled call".into() }
}

impl Graph {
    /// `initial`, and plain arcs `from -> to`, whose argument is `to`.
    pub fn plain(initial: &[u8], arcs: &[(u8, u8)]) -> Self {
        let mut graph = Graph { initial: initial.to_vec(), ..Graph::default() };
        for &(from, to) in arcs {
            graph.arc(from, Kind::Action, u32::from(to), Then::Go(to));
        }
        graph
    }

    pub fn arc(&mut self, from: u8, kind: Kind, argument: u32, then: Then) {
        let arcs = self.arcs.entry(from).or_default();
        arcs.push((act(kind, argument), then));
    }
}

impl System for Graph {
    type Worker = ();

    fn worker(&self, _: usize) -> Result<(), Stop> {
        Ok(())
    }

    fn initial(&self, _: &mut (), each: &mut dyn FnMut(&[u8])) -> Result<(), Stop> {
        self.initial.iter().for_each(|&world| each(&[world]));
        Ok(())
    }

    fn enabled(&self, _: &mut (), world: &[u8], out: &mut Vec<Action>) -> Result<(), Stop> {
        if self.opaque.contains(&world[0]) {
            return Err(fault().into());
        }
        let arcs = self.arcs.get(&world[0]).into_iter().flatten();
        out.extend(arcs.map(|(action, _)| *action));
        Ok(())
    }

    fn apply(
        &self,
        _: &mut (),
        at: Position<'_>,
        world: &[u8],
        action: &Action,
        choose: &mut dyn Choice,
        next: &mut Vec<u8>,
    ) -> Result<(), Stop> {
        let mut labels = Vec::new();
        let initial = at.path.labels(at.index, &mut labels);
        let place = (world[0], initial, labels);
        self.places.lock().unwrap().insert(at.index, place);
        let arcs = &self.arcs[&world[0]];
        let mut then = &arcs.iter().find(|(known, _)| known == action).unwrap().1;
        loop {
            match then {
                Then::Ask(kind, ways) => then = &ways[choose.choose(*kind, ways.len())],
                Then::Go(to) => {
                    next.clear();
                    next.push(*to);
                    return Ok(());
                }
                Then::Break(property) => {
                    return Err(Stop::Violated(Breach {
                        property: (*property).into(),
                        why: "as planted".into(),
                    }));
                }
                Then::Fail => return Err(fault().into()),
            }
        }
    }

    fn view<'a>(&'a self, world: &'a [u8]) -> View<'a> {
        View { world, reader: &Blind }
    }

    fn kinds(&self) -> &'static [Kind] {
        &Kind::ALL
    }

    fn name(&self, _: &[u8], action: &Action) -> String {
        format!("{} {}", action.kind, action.argument)
    }

    fn fairness(&self, _: &[u8], action: &Action) -> u64 {
        let own = (action.kind as u64) << 40 | u64::from(action.argument);
        self.fairness.get(&action.argument).copied().unwrap_or(own)
    }

    fn bound(&self, world: &[u8]) -> Option<&'static str> {
        self.bounded.contains(&world[0]).then_some("the plan")
    }

    fn tell(&self, _: &[u8], _: &Action) -> Result<Told, Error> {
        Ok(Told::default())
    }
}

/// What must come true, on the byte that is a world, in runs that are fair to `fair`.
pub fn eventually(
    name: &str,
    fair: &[Kind],
    holds: impl Fn(u8) -> bool + Send + Sync + 'static,
) -> Property {
    let holds = Box::new(move |view: &View<'_>| Ok(holds(view.world[0])));
    rule(name, Rule::Eventually { holds, fair: Kinds::of(fair) })
}

/// An invariant on the byte that is a world.
pub fn invariant(name: &str, holds: impl Fn(u8) -> bool + Send + Sync + 'static) -> Property {
    rule(name, Rule::Invariant(Box::new(move |view: &View| Ok(holds(view.world[0])))))
}

/// A `sometimes` on the byte that is a world.
pub fn sometimes(name: &str, holds: impl Fn(u8) -> bool + Send + Sync + 'static) -> Property {
    rule(name, Rule::Sometimes(Box::new(move |view: &View| Ok(holds(view.world[0])))))
}

/// A state constraint on the byte that is a world.
pub fn constraint(name: &str, holds: impl Fn(u8) -> bool + Send + Sync + 'static) -> Property {
    rule(name, Rule::Constraint(Box::new(move |view: &View| Ok(holds(view.world[0])))))
}

/// A terminal predicate on the byte that is a world.
pub fn terminal(name: &str, holds: impl Fn(u8) -> bool + Send + Sync + 'static) -> Property {
    rule(name, Rule::Terminal(Box::new(move |view: &View| Ok(holds(view.world[0])))))
}

/// A step property on the bytes that are two worlds.
pub fn step(name: &str, holds: impl Fn(u8, u8) -> bool + Send + Sync + 'static) -> Property {
    let holds = move |old: &View, new: &View| Ok(holds(old.world[0], new.world[0]));
    rule(name, Rule::Step(Box::new(holds)))
}

/// An invariant that cannot be evaluated in some worlds.
pub fn readable(name: &str, holds: impl Fn(u8) -> bool + Send + Sync + 'static) -> Property {
    let owned = name.to_owned();
    let judge = move |view: &View| {
        if holds(view.world[0]) {
            return Ok(true);
        }
        Err(Error::Property {
            name: owned.clone(),
            text: "a field of a node that is not running".into(),
        })
    };
    rule(name, Rule::Invariant(Box::new(judge)))
}

fn rule(name: &str, rule: Rule) -> Property {
    Property { name: name.into(), rule }
}
