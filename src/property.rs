//! Named properties. The search owns and evaluates them; no front end is ever handed one.

use crate::action::Kind;
use crate::error::Error;
use crate::world::View;

/// A predicate on one world.
pub type StatePredicate = Box<dyn Fn(&View<'_>) -> Result<bool, Error> + Send + Sync>;
/// What is wrong with a world, in a sentence; `None` when nothing is.
pub type StateFault = Box<dyn Fn(&View<'_>) -> Result<Option<String>, Error> + Send + Sync>;
/// A predicate on a world and its successor, in this order.
pub type StepPredicate = Box<dyn Fn(&View<'_>, &View<'_>) -> Result<bool, Error> + Send + Sync>;

/// The reserved name of the rule that a world without actions breaks.
pub const DEADLOCK: &str = "deadlock";

/// When a property must hold.
pub enum Rule {
    /// In every world reached.
    Invariant(StatePredicate),
    /// The same for a predicate that says what is wrong.
    Faultless(StateFault),
    /// On every transition, whether or not it leads to a new world.
    Step(StepPredicate),
    /// In at least one world that a complete search stores: one outside a constraint does not count.
    Sometimes(StatePredicate),
    /// In some world of every run that is fair to the kinds of action of `fair` (weak fairness), and
    /// ends only where nothing but faults is possible that are not of these kinds.
    Eventually {
        /// The predicate.
        holds: StatePredicate,
        /// Which kinds of action are not put off for ever once they stay possible.
        fair: Kinds,
    },
    /// Holds of the worlds that are stored and expanded; others are generated, counted, held to the
    /// invariants and the step properties each time, and dropped (a state constraint, as TLC has it).
    Constraint(StatePredicate),
    /// Holds of the worlds that may end: without actions they are no deadlock.
    Terminal(StatePredicate),
}

/// A set of [`Kind`]s: bit `n` for the kind with number `n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kinds(pub u32);

impl Kinds {
    /// What goes on by itself: everything but clients and faults.
    pub const DEFAULT: Kinds = Kinds::of(&[
        Kind::Accept,
        Kind::Deliver,
        Kind::Eof,
        Kind::Fire,
        Kind::Flush,
        Kind::Wake,
        Kind::Reset,
        Kind::Action,
    ]);

    /// What happens to a system and need not: a run may end where nothing else is possible.
    pub const FAULTS: Kinds = Kinds::of(&[Kind::Dup, Kind::Drop, Kind::Crash]);

    /// The set of `kinds`.
    pub const fn of(kinds: &[Kind]) -> Self {
        let (mut bits, mut at) = (0, 0);
        while at < kinds.len() {
            bits |= 1 << kinds[at] as u32;
            at += 1;
        }
        Kinds(bits)
    }

    /// Whether `kind` is in the set.
    pub const fn contains(self, kind: Kind) -> bool {
        self.0 >> kind as u32 & 1 == 1
    }
}

/// A property and its name.
pub struct Property {
    /// The name, unique among the properties of one check.
    pub name: String,
    /// What must hold, and when.
    pub rule: Rule,
}
