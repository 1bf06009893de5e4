//! Which operations must stand before which, as sets: an operation may come next when all in its
//! first set are there and none of its second.

use super::state::Places;
use super::{Consistency, Operation};

/// The order that operations must keep.
pub(super) struct Order {
    /// By place: those that ended before it, in the sense of the consistency.
    before: Vec<Places>,
    /// By place: those that it cannot come behind.
    behind: Vec<Places>,
}

impl Order {
    pub(super) fn new(operations: &[Operation], consistency: Consistency) -> Self {
        let places = |is: &dyn Fn(&Operation, &Operation) -> bool| {
            let row = |own: &Operation| {
                let mut set = Places::none(operations.len());
                let members = operations.iter().enumerate().filter(|(_, other)| is(other, own));
                members.for_each(|(place, _)| set.insert(place));
                set
            };
            operations.iter().map(row).collect()
        };
        match consistency {
            // What is pending, or has an unknown answer, never ended.
            Consistency::Linearizable => Order {
                before: places(&|other, own| other.ended().is_some_and(|(at, _)| at < own.called)),
                behind: places(&|_, _| false),
            },
            // What is pending stands in its client's order or never took effect. A client that gets
            // an unknown answer goes on as though it were another: the effect may come late.
            Consistency::Sequential => {
                let earlier =
                    |a: &Operation, b: &Operation| a.client == b.client && a.called < b.called;
                Order {
                    before: places(&|other, own| earlier(other, own) && other.ended().is_some()),
                    behind: places(&|other, own| earlier(own, other) && own.answer.is_none()),
                }
            }
        }
    }

    /// Whether the operation at `place`, which is not one of `done`, may come next behind them.
    pub(super) fn admits(&self, place: usize, done: &Places) -> bool {
        self.before[place].within(done) && self.behind[place].apart(done)
    }
}
