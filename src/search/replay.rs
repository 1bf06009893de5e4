//! Runs a known path again: to show its worlds, to confirm a counterexample, to replay a trace from
//! a file. A run that departs from its path is [`Error::Divergence`], which names the step, what
//! was wanted and what there was instead.

use super::choices::Script;
use super::found::{Found, Verdict, Violation};
use super::judge::{Judge, Trouble};
use super::liveness::{Awaited, prove};
use super::receipts::Receipts;
use crate::action::{Action, Label};
use crate::error::Error;
use crate::property::{DEADLOCK, Property};
use crate::system::{Breach, Position, Stop, System};
use crate::trace::{Step, Trace, TraceFile};

/// A path that was run again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The worlds: the initial one, and one for each step that has a successor.
    pub worlds: Vec<Vec<u8>>,
    /// What the last step broke. A step that stopped has no world.
    pub breach: Option<Breach>,
    /// Whether something broke before or beside it, and was passed over.
    pub among: bool,
}

/// Run `trace` again for its worlds. Built-in rules may break at its last step only.
pub fn follow<S: System>(system: &S, trace: &Trace) -> Result<Run, Error> {
    let retraced = Retraced::of(system, &[], None, trace.initial, labels(trace));
    let breach = match retraced.trouble {
        None => None,
        Some(Trouble::Failed { error, .. }) => return Err(error),
        Some(Trouble::Broken { property, why }) => {
            let (at, last) = (retraced.trace.labels.len(), trace.labels.len());
            if at != last {
                return Err(Error::Divergence(format!(
                    "step {at} of {last} broke \"{property}\" ({why}), where the trace goes on"
                )));
            }
            Some(Breach { property, why })
        }
    };
    let Retraced { worlds, among, .. } = retraced;
    Ok(Run { worlds, breach, among })
}

/// Run a counterexample again: `property` must break at the last step of `trace`, and nothing
/// before or instead.
pub fn confirm<S: System>(
    system: &S,
    properties: &[Property],
    trace: &Trace,
    property: &str,
) -> Result<Run, Error> {
    rerun(system, properties, trace, Goal { property, last: trace.labels.len(), alone: true })
}

/// The same for a counterexample that a search found when it kept going: other rules, and the same
/// one, may break on the way.
pub fn confirm_among<S: System>(
    system: &S,
    properties: &[Property],
    trace: &Trace,
    property: &str,
) -> Result<Run, Error> {
    rerun(system, properties, trace, Goal { property, last: trace.labels.len(), alone: false })
}

fn rerun<S: System>(
    system: &S,
    properties: &[Property],
    trace: &Trace,
    goal: Goal<'_>,
) -> Result<Run, Error> {
    let retraced = Retraced::of(system, properties, Some(goal), trace.initial, labels(trace));
    let breach = retraced.breaks(goal.property, goal.last)?;
    let Retraced { worlds, among, .. } = retraced;
    Ok(Run { worlds, breach: Some(breach), among })
}

/// Run the steps of a trace file again. `Violated` when the property that the file names breaks at
/// the last step, and before that only where the file says so; a file that names none is `Violated` by whatever breaks, else `Incomplete`.
pub fn replay<S: System>(system: &S, properties: &[Property], file: &TraceFile) -> Found {
    let steps = file.steps.iter().map(Wanted::Step);
    let goal = file.property.as_deref();
    let (last, alone) = (file.steps.len(), !file.among);
    let goal = goal.map(|property| Goal { property, last, alone });
    let retraced = Retraced::of(system, properties, goal, file.initial, steps);
    let trace = Some(retraced.trace.clone());
    let found = match &file.property {
        Some(property) => match retraced.breaks(property, file.steps.len()) {
            Ok(breach) => Found::troubled(Stop::Violated(breach).into(), trace),
            Err(error) => Found::troubled(error.into(), trace),
        },
        None => match retraced.trouble.clone() {
            Some(trouble) => Found::troubled(trouble, trace),
            None => Found {
                why: Some("the trace ran to its end and broke no property".into()),
                ..Found::new(Verdict::Incomplete)
            },
        },
    };
    Found {
        trace_len: Some(retraced.trace.states()),
        trace: Some(retraced.trace),
        receipts: retraced.receipts,
        ..found
    }
}

/// What a step of the path asks for.
#[derive(Clone, Copy)]
enum Wanted<'a> {
    Label(&'a Label),
    Step(&'a Step),
}

fn labels(trace: &Trace) -> impl Iterator<Item = Wanted<'_>> {
    trace.labels.iter().map(Wanted::Label)
}

impl<'a> Wanted<'a> {
    fn name<S: System>(self, system: &S, world: &[u8]) -> String {
        match self {
            Wanted::Label(label) => system.name(world, &label.action),
            Wanted::Step(step) => step.name.clone(),
        }
    }

    fn choices(self) -> &'a [u16] {
        match self {
            Wanted::Label(label) => &label.choices,
            Wanted::Step(step) => &step.choices,
        }
    }

    fn is<S: System>(self, system: &S, world: &[u8], action: &Action) -> bool {
        match self {
            Wanted::Label(label) => label.action == *action,
            Wanted::Step(step) => step.name == system.name(world, action),
        }
    }
}

/// What the end of a path shall break.
#[derive(Clone, Copy)]
struct Goal<'a> {
    property: &'a str,
    /// The number of the last step.
    last: usize,
    /// Whether nothing else may break, and nothing before.
    alone: bool,
}

impl Goal<'_> {
    /// Whether `trouble` at step `number` may be passed over.
    fn passes(self, trouble: &Trouble, number: usize) -> bool {
        match trouble {
            Trouble::Failed { .. } => false,
            Trouble::Broken { property, .. } => {
                !self.alone && (number < self.last || property != self.property)
            }
        }
    }
}

/// How far a path could be run again.
struct Retraced {
    worlds: Vec<Vec<u8>>,
    /// The labels taken; the last is the one in trouble, if there is trouble.
    trace: Trace,
    receipts: Receipts,
    trouble: Option<Trouble>,
    /// Whether trouble was passed over.
    among: bool,
}

impl Retraced {
    fn of<'a, S: System>(
        system: &S,
        properties: &[Property],
        goal: Option<Goal<'_>>,
        initial: u64,
        steps: impl Iterator<Item = Wanted<'a>>,
    ) -> Self {
        let mut retraced = Retraced {
            worlds: Vec::new(),
            trace: Trace { initial, labels: Vec::new() },
            receipts: Receipts::default(),
            trouble: None,
            among: false,
        };
        retraced.trouble = retraced.run(system, properties, goal, steps).err();
        retraced
    }

    /// Run, and look behind the last step for what the rule of `goal` says of the end of a path.
    fn run<'a, S: System>(
        &mut self,
        system: &S,
        properties: &[Property],
        goal: Option<Goal<'_>>,
        steps: impl Iterator<Item = Wanted<'a>>,
    ) -> Result<(), Trouble> {
        let mut worker = system.worker(0)?;
        let judge = Judge::new(properties, false);
        let mut world = initial(system, &mut worker, self.trace.initial)?;
        self.worlds.push(world.clone());
        self.pass(goal, judge.visit(system.view(&world)).map(|_| ()), 0)?;
        let (mut actions, mut next) = (Vec::new(), Vec::new());
        for (wanted, number) in steps.zip(1..) {
            actions.clear();
            system.enabled(&mut worker, &world, &mut actions)?;
            let Some(action) = actions.iter().find(|action| wanted.is(system, &world, action))
            else {
                return Err(impossible(system, &world, number, wanted, &actions).into());
            };
            let mut script = Script::new(wanted.choices());
            let position = Position { index: number - 1, path: &self.trace };
            let applied =
                system.apply(&mut worker, position, &world, action, &mut script, &mut next);
            let (label, crashed, fault) = script.finish(*action);
            self.trace.labels.push(label);
            if let Some(fault) = fault {
                let name = wanted.name(system, &world);
                return Err(match fault {
                    Error::Divergence(text) => {
                        Error::Divergence(format!("step {number}, {name}: {text}"))
                    }
                    other => other,
                }
                .into());
            }
            if !matches!(applied, Err(Stop::Error(_))) {
                self.receipts.add(action.kind, crashed, 1);
            }
            applied?;
            self.worlds.push(next.clone());
            let (before, after) = (system.view(&world), system.view(&next));
            let number = self.trace.labels.len();
            self.pass(goal, judge.visit(after).map(|_| ()), number)?;
            self.pass(goal, judge.step(before, after), number)?;
            std::mem::swap(&mut world, &mut next);
        }
        if goal.is_some_and(|goal| goal.property == DEADLOCK) {
            actions.clear();
            system.enabled(&mut worker, &world, &mut actions)?;
            if actions.is_empty() {
                judge.end(system.view(&world))?;
            }
        }
        let awaited =
            |awaited: &Awaited<'_>| goal.is_some_and(|goal| goal.property == awaited.property.name);
        if let Some(awaited) = Awaited::among(properties).find(awaited) {
            let lasso = prove(system, &mut worker, awaited, &self.worlds, &self.trace)?;
            let Violation { property, why, .. } =
                Violation::never(awaited, self.trace.clone(), lasso);
            return Err(Trouble::Broken { property, why });
        }
        Ok(())
    }

    /// Go on behind what was judged of step `number`, if `goal` lets it pass.
    fn pass(
        &mut self,
        goal: Option<Goal<'_>>,
        judged: Result<(), Trouble>,
        number: usize,
    ) -> Result<(), Trouble> {
        let Err(trouble) = judged else { return Ok(()) };
        if !goal.is_some_and(|goal| goal.passes(&trouble, number)) {
            return Err(trouble);
        }
        self.among = true;
        Ok(())
    }

    /// The breach, if the path broke `property` at its last step, number `last`.
    fn breaks(&self, property: &str, last: usize) -> Result<Breach, Error> {
        let at = self.trace.labels.len();
        match &self.trouble {
            Some(Trouble::Failed { error, .. }) => Err(error.clone()),
            Some(Trouble::Broken { property: broken, why }) if broken == property && at == last => {
                Ok(Breach { property: broken.clone(), why: why.clone() })
            }
            Some(Trouble::Broken { property: broken, why }) => Err(Error::Divergence(format!(
                "step {at} broke \"{broken}\" ({why}), \
                 where the trace breaks \"{property}\" at step {last}"
            ))),
            None => Err(Error::Divergence(format!(
                "the run went through all {last} steps, \
                 and \"{property}\" is not broken at the last"
            ))),
        }
    }
}

/// The initial world that is the `wanted`-th one produced.
fn initial<S: System>(system: &S, worker: &mut S::Worker, wanted: u64) -> Result<Vec<u8>, Trouble> {
    let (mut produced, mut found) = (0, None);
    let outcome = system.initial(worker, &mut |world| {
        if produced == wanted {
            found = Some(world.to_vec());
        }
        produced += 1;
    });
    match (found, outcome) {
        (Some(world), _) => Ok(world),
        (None, Err(stop @ Stop::Error(_))) => Err(stop.into()),
        (None, Err(stop)) if produced == wanted => Err(stop.into()),
        (None, _) => Err(Error::Divergence(format!(
            "the trace starts at initial world {wanted} (counted from 0), and there are {produced}"
        ))
        .into()),
    }
}

/// How many actions a message lists.
const LISTED: usize = 12;

fn impossible<S: System>(
    system: &S,
    world: &[u8],
    number: u64,
    wanted: Wanted<'_>,
    actions: &[Action],
) -> Error {
    let listed = actions.iter().take(LISTED);
    let mut names: Vec<_> = listed.map(|action| system.name(world, action)).collect();
    if actions.len() > LISTED {
        names.push(format!("{} more", actions.len() - LISTED));
    }
    let there = match names.as_slice() {
        [] => "nothing is possible there".to_owned(),
        names => format!("possible there: {}", names.join(", ")),
    };
    let name = wanted.name(system, world);
    Error::Divergence(format!(
        "step {number}, {name}, is not possible in the world before it; {there}"
    ))
}
