//! What one worker remembers of the step table: where the leaf of a step stands that it took lately.
//! A step that is remembered is found without a lock and without a digest. A memory is only a guess,
//! and is compared with the step in full.

use super::step::Trigger;
use super::table::{Leaf, Step, Table};

/// How many steps are remembered, as a power of two.
const BITS: u32 = 13;
/// 2^64 by the golden ratio: what is multiplied by it is spread over the upper bits.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// The steps that one worker took lately.
#[derive(Debug)]
pub struct Recall {
    /// By a hash of the step, one more than the place of its leaf.
    places: Box<[u32]>,
}

impl Default for Recall {
    fn default() -> Self {
        Recall { places: vec![0; 1 << BITS].into() }
    }
}

impl Recall {
    /// The leaf of `step` in `table`, if it is remembered.
    #[inline]
    pub fn find<'t>(&self, table: &'t Table, step: &Step<'_>) -> Option<&'t Leaf> {
        let place = self.places[slot(step)].checked_sub(1)?;
        Some(table.leaf(place as usize)).filter(|leaf| leaf.is(step))
    }

    /// Remember that the leaf of `step` is at `place`.
    pub fn note(&mut self, step: &Step<'_>, place: usize) {
        // Leaves behind the four-thousand-millionth are found in the table.
        self.places[slot(step)] = u32::try_from(place + 1).unwrap_or(0);
    }
}

/// Which memory `step` has, by all but what it is told: most steps do not ask.
#[inline]
fn slot(step: &Step<'_>) -> usize {
    let (tag, text) = match step.trigger {
        Trigger::Boot(None) => (0, None),
        Trigger::Boot(Some(record)) => (1, Some(record)),
        Trigger::Accepted { synthetic } => (2 + u64::from(synthetic), None),
        Trigger::Expired => (4, None),
        Trigger::Bytes(bytes) => (5, Some(bytes)),
        Trigger::Tick => (6, None),
    };
    let before = step.before.map_or(u64::from(u32::MAX), |state| state.number().into());
    let mut hash = (before << 16 | tag << 8 | step.node as u64).wrapping_mul(SPREAD);
    for chunk in text.unwrap_or_default().chunks(8) {
        let word = chunk.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        hash = (hash.rotate_left(29) ^ word).wrapping_mul(SPREAD);
    }
    (hash >> (64 - BITS)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::step::{Answers, Query};
    use crate::process::table::{Done, Ending};

    fn step(bytes: &[u8], clock: i64) -> Step<'_> {
        let answers = Answers { clock, boots: 1 };
        Step { node: 0, before: None, trigger: Trigger::Bytes(bytes), answers }
    }

    #[test]
    fn a_memory_of_another_step_or_other_answers_is_no_answer() {
        let table = Table::default();
        let asked = vec![(Query::Clock, 5)];
        let done = Done { asked, events: Vec::new(), ending: Ending::Exited };
        table.learn(1, step(b"a", 5), done, None).expect("nothing is known yet");
        let mut recall = Recall::default();
        assert!(recall.find(&table, &step(b"a", 5)).is_none());
        recall.note(&step(b"a", 5), 0);
        assert!(recall.find(&table, &step(b"a", 5)).is_some());
        assert!(recall.find(&table, &step(b"a", 6)).is_none());
        // What is remembered in the place of another step is not that step.
        recall.note(&step(b"b", 5), 0);
        assert!(recall.find(&table, &step(b"b", 5)).is_none());
        let other = Step { node: 1, ..step(b"a", 5) };
        recall.note(&other, 0);
        assert!(recall.find(&table, &other).is_none());
    }
}
