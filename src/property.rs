//! Named properties. The search owns and evaluates them; no front end is ever handed one.

use crate::error::Error;
use crate::world::View;

/// A predicate on one world.
pub type StatePredicate = Box<dyn Fn(View<'_>) -> Result<bool, Error> + Send + Sync>;
/// A predicate on a world and its successor, in this order.
pub type StepPredicate = Box<dyn Fn(View<'_>, View<'_>) -> Result<bool, Error> + Send + Sync>;

/// When a property must hold.
pub enum Rule {
    /// In every world reached.
    Invariant(StatePredicate),
    /// On every transition, whether or not it leads to a new world.
    Step(StepPredicate),
    /// In at least one world of a complete search.
    Sometimes(StatePredicate),
}

/// A property and its name.
pub struct Property {
    /// The name, unique among the properties of one check.
    pub name: String,
    /// What must hold, and when.
    pub rule: Rule,
}
