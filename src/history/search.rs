//! Looks for an order of the operations that explains them: the search of Wing and Gong (*Testing
//! and verifying concurrent objects*, 1993), which remembers what it has refuted as Lowe does
//! (*Testing for linearizability*, 2017): the set of operations that stand so far and the state they
//! lead to say all about what can follow. Linearizability is local (Herlihy and Wing), so that each
//! key is explained by itself; sequential consistency is not.
//!
//! An operation that by its answer changes nothing comes next as soon as it may and the state fits:
//! whatever explains the rest still does with that one moved to the front.

use std::collections::HashSet;

use super::object::{Effect, apply};
use super::order::Order;
use super::state::{Places, State};
use super::{Consistency, History, Key, Operation};

/// How many configurations are remembered at most.
pub const CONFIGURATIONS: usize = 1 << 18;

/// A history has more configurations than are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

/// Whether `operations`, in order of their calls, some of them perhaps of a changed answer, have an
/// explanation as a part of `history`.
pub(super) fn explained(
    history: &History,
    operations: &[Operation],
    consistency: Consistency,
) -> Result<bool, TooLarge> {
    let keys = history.keys.len();
    if consistency == Consistency::Sequential || keys <= 1 {
        return Search::new(history, operations, keys, consistency).run();
    }
    let mut part = Vec::new();
    for key in 0..keys {
        part.clear();
        let its = operations.iter().filter(|operation| operation.key.0 as usize == key);
        part.extend(its.map(|operation| Operation { key: Key(0), ..*operation }));
        if !Search::new(history, &part, 1, consistency).run()? {
            return Ok(false);
        }
    }
    Ok(true)
}

struct Search<'a> {
    operations: &'a [Operation],
    order: Order,
    start: Configuration,
    refuted: HashSet<Configuration>,
}

/// The operations that stand so far, and the state that they lead to.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Configuration {
    done: Places,
    state: State,
}

impl<'a> Search<'a> {
    fn new(
        history: &History,
        operations: &'a [Operation],
        keys: usize,
        consistency: Consistency,
    ) -> Self {
        Search {
            operations,
            order: Order::new(operations, consistency),
            start: Configuration {
                done: Places::none(operations.len()),
                state: State::initial(history.object, history.initial, keys),
            },
            refuted: HashSet::new(),
        }
    }

    fn run(&mut self) -> Result<bool, TooLarge> {
        let mut first = self.start.clone();
        self.settle(&mut first);
        // Each with the place from which its successors are still to be tried.
        let mut path = vec![(first, 0)];
        while let Some((now, next)) = path.last_mut() {
            if *next == 0 && self.complete(now) {
                return Ok(true);
            }
            let successor = (*next..self.operations.len())
                .find_map(|place| Some((place, self.successor(now, place)?)));
            match successor {
                Some((place, successor)) => {
                    *next = place + 1;
                    if !self.refuted.contains(&successor) {
                        path.push((successor, 0));
                    }
                }
                None => {
                    if let Some((refuted, _)) = path.pop() {
                        self.refuted.insert(refuted);
                    }
                    if self.refuted.len() > CONFIGURATIONS {
                        return Err(TooLarge);
                    }
                }
            }
        }
        Ok(false)
    }

    /// Whether every operation that has ended stands.
    fn complete(&self, now: &Configuration) -> bool {
        let mut all = self.operations.iter().enumerate();
        all.all(|(place, operation)| operation.ended().is_none() || now.done.contains(place))
    }

    /// What the operation at `place` does if it comes next.
    fn apply(&self, now: &Configuration, place: usize, state: &mut State) -> Effect {
        if now.done.contains(place) || !self.order.admits(place, &now.done) {
            return Effect::Impossible;
        }
        let Operation { key, call, .. } = self.operations[place];
        apply(state, key, call, self.operations[place].ended().map(|(_, answer)| answer))
    }

    /// The configuration behind `now` if the operation at `place` comes next and does something; one
    /// that only looks stands already, or need not stand.
    fn successor(&self, now: &Configuration, place: usize) -> Option<Configuration> {
        let mut state = now.state.clone();
        if self.apply(now, place, &mut state) != Effect::Acted {
            return None;
        }
        let mut successor = Configuration { done: now.done.clone(), state };
        successor.done.insert(place);
        self.settle(&mut successor);
        Some(successor)
    }

    /// Let every operation stand that ended, may come next and only looked.
    fn settle(&self, now: &mut Configuration) {
        let mut settled = false;
        while !settled {
            settled = true;
            for place in 0..self.operations.len() {
                if self.operations[place].ended().is_none() {
                    continue;
                }
                let mut state = now.state.clone();
                if self.apply(now, place, &mut state) == Effect::Looked {
                    now.done.insert(place);
                    settled = false;
                }
            }
        }
    }
}
