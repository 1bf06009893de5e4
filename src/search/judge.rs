//! Evaluates the properties: invariants and `sometimes` on each new world, step properties on each
//! transition, all in the order in which they were given. The first trouble is the one reported.
//!
//! A world outside the state constraints is held to the invariants every time it is generated, and
//! to nothing else: it is not stored, so it reaches no `sometimes`.

use crate::error::Error;
use crate::property::{DEADLOCK, Property, Rule, StatePredicate};
use crate::system::Stop;
use crate::world::View;

/// Why a search ends at a transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// A rule is broken.
    Broken {
        /// The property, or the built-in rule.
        property: String,
        /// What happened, in a sentence.
        why: String,
    },
    /// It could not be checked.
    Failed {
        /// The property that could not be evaluated, if it was one.
        property: Option<String>,
        /// Why not.
        error: Error,
    },
}

impl From<Stop> for Trouble {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Violated(breach) => {
                Trouble::Broken { property: breach.property, why: breach.why }
            }
            Stop::Error(error) => Trouble::Failed { property: None, error },
        }
    }
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Stop::Error(error).into()
    }
}

/// The properties, and which `sometimes` among them are still to be reached.
pub(super) struct Judge<'a> {
    properties: &'a [Property],
    pending: Vec<usize>,
    has_steps: bool,
    has_constraints: bool,
}

impl<'a> Judge<'a> {
    pub(super) fn new(properties: &'a [Property]) -> Self {
        let sometimes = |&at: &usize| matches!(properties[at].rule, Rule::Sometimes(_));
        let has = |is: fn(&Rule) -> bool| properties.iter().any(|property| is(&property.rule));
        Judge {
            properties,
            pending: (0..properties.len()).filter(sometimes).collect(),
            has_steps: has(|rule| matches!(rule, Rule::Step(_))),
            has_constraints: has(|rule| matches!(rule, Rule::Constraint(_))),
        }
    }

    /// Whether a world is inside all state constraints.
    pub(super) fn admits(&self, view: View<'_>) -> Result<bool, Trouble> {
        if !self.has_constraints {
            return Ok(true);
        }
        for property in self.properties {
            if let Rule::Constraint(holds) = &property.rule
                && !evaluated(property, holds(view))?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Judge a world inside the constraints: which pending `sometimes` it reaches, or what is wrong
    /// with it.
    pub(super) fn world(&self, view: View<'_>) -> Result<Box<[usize]>, Trouble> {
        let mut reached = Vec::new();
        for (at, property) in self.properties.iter().enumerate() {
            match &property.rule {
                Rule::Invariant(holds) => invariant(property, holds, view)?,
                Rule::Sometimes(holds) => {
                    if self.pending.contains(&at) && evaluated(property, holds(view))? {
                        reached.push(at);
                    }
                }
                Rule::Step(_)
                | Rule::Eventually { .. }
                | Rule::Constraint(_)
                | Rule::Terminal(_) => (),
            }
        }
        Ok(reached.into())
    }

    /// Judge a world outside the constraints.
    pub(super) fn outsider(&self, view: View<'_>) -> Result<(), Trouble> {
        for property in self.properties {
            if let Rule::Invariant(holds) = &property.rule {
                invariant(property, holds, view)?;
            }
        }
        Ok(())
    }

    /// Judge a world in which nothing is possible: a deadlock, unless a terminal predicate holds.
    pub(super) fn end(&self, view: View<'_>) -> Result<(), Trouble> {
        for property in self.properties {
            if let Rule::Terminal(holds) = &property.rule
                && evaluated(property, holds(view))?
            {
                return Ok(());
            }
        }
        let why = "nothing is possible in the last state, and no terminal predicate holds there";
        Err(Trouble::Broken { property: DEADLOCK.into(), why: why.into() })
    }

    /// Judge a transition by the step properties.
    pub(super) fn step(&self, before: View<'_>, after: View<'_>) -> Result<(), Trouble> {
        if !self.has_steps {
            return Ok(());
        }
        for property in self.properties {
            if let Rule::Step(holds) = &property.rule
                && !evaluated(property, holds(before, after))?
            {
                return Err(broken(property, "it is false on the last step"));
            }
        }
        Ok(())
    }

    /// Note that these `sometimes` were reached.
    pub(super) fn reach(&mut self, reached: &[usize]) {
        if !reached.is_empty() {
            self.pending.retain(|at| !reached.contains(at));
        }
    }

    /// The names of the `sometimes` that were not reached.
    pub(super) fn unreached(&self) -> Vec<String> {
        let name = |&at: &usize| self.properties[at].name.clone();
        self.pending.iter().map(name).collect()
    }
}

fn invariant(property: &Property, holds: &StatePredicate, view: View<'_>) -> Result<(), Trouble> {
    match evaluated(property, holds(view))? {
        true => Ok(()),
        false => Err(broken(property, "it is false in the last state")),
    }
}

fn evaluated(property: &Property, answer: Result<bool, Error>) -> Result<bool, Trouble> {
    answer.map_err(|error| Trouble::Failed { property: Some(property.name.clone()), error })
}

fn broken(property: &Property, why: &str) -> Trouble {
    Trouble::Broken { property: property.name.clone(), why: why.into() }
}
