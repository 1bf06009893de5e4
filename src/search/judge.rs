//! Evaluates the properties: invariants and `sometimes` on each new world, step properties on each
//! transition, all in the order in which they were given. The first trouble is the one reported.
//!
//! A world outside the state constraints is held to the invariants every time it is generated, and
//! to nothing else: it is not stored, so it reaches no `sometimes`.

use crate::error::Error;
use crate::property::{DEADLOCK, Property, Rule};
use crate::system::Stop;
use crate::world::View;

/// What is wrong at a transition.
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

/// What the judge says of a world that is stored.
#[derive(Debug, Default)]
pub(super) struct Judged {
    /// The pending `sometimes` that it reaches.
    pub(super) reached: Vec<usize>,
    /// The first thing that is wrong with it.
    pub(super) trouble: Option<Trouble>,
}

/// The properties, and which `sometimes` among them are still to be reached.
#[derive(Clone)]
pub(super) struct Judge<'a> {
    properties: &'a [Property],
    /// Whether a broken rule ends nothing.
    keep_going: bool,
    pending: Vec<usize>,
    has_steps: bool,
    has_constraints: bool,
}

impl<'a> Judge<'a> {
    /// For a search that does or does not go on behind a broken rule.
    pub(super) fn new(properties: &'a [Property], keep_going: bool) -> Self {
        let sometimes = |&at: &usize| matches!(properties[at].rule, Rule::Sometimes(_));
        let has = |is: fn(&Rule) -> bool| properties.iter().any(|property| is(&property.rule));
        Judge {
            properties,
            keep_going,
            pending: (0..properties.len()).filter(sometimes).collect(),
            has_steps: has(|rule| matches!(rule, Rule::Step(_))),
            has_constraints: has(|rule| matches!(rule, Rule::Constraint(_))),
        }
    }

    /// Whether there are step properties.
    pub(super) fn has_steps(&self) -> bool {
        self.has_steps
    }

    /// Whether there are state constraints.
    pub(super) fn has_constraints(&self) -> bool {
        self.has_constraints
    }

    /// Whether a world is inside all state constraints.
    pub(super) fn admits(&self, view: View<'_>) -> Result<bool, Trouble> {
        if !self.has_constraints {
            return Ok(true);
        }
        for property in self.properties {
            if let Rule::Constraint(holds) = &property.rule
                && !evaluated(property, holds(&view))?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the search ends at this.
    pub(super) fn ends(&self, trouble: &Trouble) -> bool {
        !self.keep_going || matches!(trouble, Trouble::Failed { .. })
    }

    /// Judge a world inside the constraints, as far as the first trouble that ends the search. Nearly
    /// always there is nothing to say; that is one word, which costs nothing to hand on.
    #[inline(always)]
    pub(super) fn world(&self, view: View<'_>) -> Option<Box<Judged>> {
        for (at, property) in self.properties.iter().enumerate() {
            let is_worth_saying = match &property.rule {
                Rule::Invariant(holds) => !holds(&view).unwrap_or_else(nothing_of),
                Rule::Faultless(fault) => !matches!(fault(&view), Ok(None)),
                Rule::Sometimes(_) => self.pending.contains(&at),
                Rule::Step(_)
                | Rule::Eventually { .. }
                | Rule::Constraint(_)
                | Rule::Terminal(_) => false,
            };
            if is_worth_saying {
                return self.from(at, view);
            }
        }
        None
    }

    /// The same, by the properties from `first` on: there is nothing to say by those before.
    #[cold]
    fn from(&self, first: usize, view: View<'_>) -> Option<Box<Judged>> {
        let mut said = None::<Box<Judged>>;
        for (at, property) in self.properties.iter().enumerate().skip(first) {
            let trouble = match &property.rule {
                Rule::Invariant(_) | Rule::Faultless(_)
                    if said.as_ref().is_none_or(|it| it.trouble.is_none()) =>
                {
                    invariant(property, view).err()
                }
                Rule::Sometimes(holds) if self.pending.contains(&at) => {
                    match evaluated(property, holds(&view)) {
                        Ok(false) => None,
                        Ok(true) => {
                            said.get_or_insert_default().reached.push(at);
                            None
                        }
                        Err(trouble) => Some(trouble),
                    }
                }
                Rule::Invariant(_)
                | Rule::Faultless(_)
                | Rule::Sometimes(_)
                | Rule::Step(_)
                | Rule::Eventually { .. }
                | Rule::Constraint(_)
                | Rule::Terminal(_) => None,
            };
            if let Some(trouble) = trouble {
                let ends = self.ends(&trouble);
                said.get_or_insert_default().trouble = Some(trouble);
                if ends {
                    break;
                }
            }
        }
        said
    }

    /// Judge a world outside the constraints.
    pub(super) fn outsider(&self, view: View<'_>) -> Result<(), Trouble> {
        self.properties.iter().try_for_each(|property| invariant(property, view))
    }

    /// Judge the next world of a path: which `sometimes` it reaches, or `None` outside the constraints.
    pub(super) fn visit(&self, view: View<'_>) -> Result<Option<Vec<usize>>, Trouble> {
        if !self.admits(view)? {
            return self.outsider(view).map(|()| None);
        }
        let Judged { reached, trouble } = *self.world(view).unwrap_or_default();
        trouble.map_or(Ok(Some(reached)), Err)
    }

    /// Judge a world in which nothing is possible: a deadlock, unless a terminal predicate holds.
    pub(super) fn end(&self, view: View<'_>) -> Result<(), Trouble> {
        for property in self.properties {
            if let Rule::Terminal(holds) = &property.rule
                && evaluated(property, holds(&view))?
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
                && !evaluated(property, holds(&before, &after))?
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

/// An error means that a world is looked at once more, and it comes again then.
#[cold]
fn nothing_of(_: Error) -> bool {
    false
}

/// Judge a world by `property`, if it is about every world.
fn invariant(property: &Property, view: View<'_>) -> Result<(), Trouble> {
    let why = match &property.rule {
        Rule::Invariant(holds) => match evaluated(property, holds(&view))? {
            true => None,
            false => Some("it is false in the last state".into()),
        },
        Rule::Faultless(fault) => evaluated(property, fault(&view))?,
        _ => None,
    };
    why.map_or(Ok(()), |why| Err(broken(property, &why)))
}

fn evaluated<T>(property: &Property, answer: Result<T, Error>) -> Result<T, Trouble> {
    answer.map_err(|error| Trouble::Failed { property: Some(property.name.clone()), error })
}

fn broken(property: &Property, why: &str) -> Trouble {
    Trouble::Broken { property: property.name.clone(), why: why.into() }
}
