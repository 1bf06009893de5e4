//! The labels that were taken, each once: few in number, so that a world needs to remember only which.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use crate::action::{Action, Kind, Label};

/// Distinct labels, by number. Which number a label has depends on who met it first; so numbers never
/// leave the log that they are in.
#[derive(Default)]
pub(super) struct Labels {
    known: RwLock<Known>,
}

#[derive(Default)]
struct Known {
    list: Vec<Label>,
    numbers: HashMap<Label, u32>,
}

impl Labels {
    /// The label with this number.
    pub(super) fn get(&self, number: u32) -> Label {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.list[number as usize].clone()
    }

    /// The number of `label`.
    pub(super) fn number(&self, label: &Label) -> u32 {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(&number) = known.numbers.get(label) {
            return number;
        }
        drop(known);
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let Known { list, numbers } = &mut *known;
        *numbers.entry(label.clone()).or_insert_with(|| {
            list.push(label.clone());
            u32::try_from(list.len() - 1).expect("memory holds fewer than 2^32 labels")
        })
    }
}

/// Numbers that a worker remembers, of labels without choices.
pub(super) struct Remembered(Vec<Option<(Action, u32)>>);

/// How many; a power of 2.
const SIZE: usize = 1 << 8;

impl Default for Remembered {
    fn default() -> Self {
        Remembered(vec![None; SIZE])
    }
}

impl Remembered {
    /// The number of `label` among `labels`, which are always the same ones.
    #[inline]
    pub(super) fn number(&mut self, label: &Label, labels: &Labels) -> u32 {
        if !label.choices.is_empty() {
            return labels.number(label);
        }
        let place = &mut self.0[place(label.action)];
        match *place {
            Some((action, number)) if action == label.action => number,
            _ => {
                let number = labels.number(label);
                *place = Some((label.action, number));
                number
            }
        }
    }
}

#[inline]
fn place(action: Action) -> usize {
    let kinds = const { Kind::ALL.len() as u32 };
    let mixed = action.argument.wrapping_mul(kinds) ^ action.kind as u32;
    (mixed.wrapping_mul(8) ^ u32::from(action.subject)) as usize & (SIZE - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_has_one_number_however_often_and_by_whom_it_is_met() {
        let labels = Labels::default();
        let label = |argument, choices: &[u16]| Label {
            action: Action { kind: Kind::Deliver, subject: 1, argument },
            choices: choices.into(),
        };
        let all: Vec<_> = (0..2000).map(|at| label(at / 2, &[7][..at as usize % 2])).collect();
        let meet = || {
            let mut remembered = Remembered::default();
            let numbers = all.iter().chain(&all).map(|one| remembered.number(one, &labels));
            numbers.collect::<Vec<_>>()
        };
        let (one, two) = std::thread::scope(|scope| {
            let other = scope.spawn(meet);
            (meet(), other.join().unwrap())
        });
        assert_eq!(one, two);
        assert_eq!(labels.known.read().unwrap().list.len(), all.len());
        assert!(one.iter().zip(all.iter().chain(&all)).all(|(&at, one)| labels.get(at) == *one));
    }
}
