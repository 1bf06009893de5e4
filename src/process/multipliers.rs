//! Which words multiply the states of a program: how many there would be without each of them.
//!
//! A state is a sum over its words of a hash of place and value, and each name has a part in it: the
//! sum over the words that it stands for. Without a name a state is its sum minus that part. So what
//! would be saved by leaving a name out is counted without making any form anew. It is exact where a
//! name stands for words that are no addresses. Behind an address that is left out objects may come in
//! another order, or be found no more, which is not followed here.

use std::collections::{HashMap, HashSet};

use super::naming::names::NameId;

/// Parts that are kept; each takes some 16 bytes.
const MOST: usize = 8 << 20;

/// The states, by what names have part in them.
#[derive(Debug, Default)]
pub struct Multipliers {
    /// By name.
    columns: Vec<Column>,
    /// By state, the sum of all parts.
    sums: Vec<u64>,
    /// Parts that are kept.
    kept: usize,
}

/// The part of a name in all states.
#[derive(Debug, Default)]
struct Column {
    /// What it is in most of them,
    usual: u64,
    /// and in the others.
    others: HashMap<u32, u64>,
}

/// What one state is made of.
#[derive(Debug, Default)]
pub struct Parts(HashMap<NameId, u64>);

/// What is said of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Multiplier {
    /// The name.
    pub name: NameId,
    /// How many values its words have, all taken together.
    pub values: u64,
    /// How many states fewer there would be without it.
    pub saved: u64,
}

impl Parts {
    /// A word with this name, of which `hash` tells place and value.
    pub fn add(&mut self, name: NameId, hash: u64) {
        let part = self.0.entry(name).or_default();
        *part = part.wrapping_add(hash);
    }
}

impl Multipliers {
    /// Add a state; false, and it is left out, if there is no more room.
    pub fn add(&mut self, parts: &Parts) -> bool {
        if self.kept > MOST {
            return false;
        }
        let state = self.sums.len() as u32;
        let names = parts.0.keys().map(|name| name.0 as usize + 1).max().unwrap_or(0);
        if self.columns.len() < names {
            self.columns.resize_with(names, Column::default);
        }
        for (number, column) in self.columns.iter_mut().enumerate() {
            let part = parts.0.get(&NameId(number as u32)).copied().unwrap_or(0);
            if state == 0 {
                column.usual = part;
            } else if part != column.usual {
                column.others.insert(state, part);
                self.kept += 1;
            }
        }
        self.sums.push(parts.0.values().fold(0, |sum, part| sum.wrapping_add(*part)));
        true
    }

    /// How many different states there are.
    pub fn states(&self) -> u64 {
        distinct(self.sums.iter().copied())
    }

    /// The names of words that are not the same in all states: those whose absence saves most come
    /// first, then those with most values. `name` says what a name is, which decides between equals.
    pub fn list<'n>(&self, name: impl Fn(NameId) -> &'n str) -> Vec<Multiplier> {
        let states = self.states();
        let varying =
            self.columns.iter().enumerate().filter(|(_, column)| !column.others.is_empty());
        let mut list: Vec<Multiplier> = varying
            .map(|(number, column)| Multiplier {
                name: NameId(number as u32),
                values: self.values(column),
                saved: states - distinct(column.taken_from(&self.sums)),
            })
            .collect();
        let key = |one: &Multiplier| (std::cmp::Reverse((one.saved, one.values)), name(one.name));
        list.sort_by(|a, b| key(a).cmp(&key(b)));
        list
    }

    /// How many states fewer there would be without `names`, after each of them.
    pub fn together(&self, names: &[NameId]) -> Vec<u64> {
        let (states, mut sums) = (self.states(), self.sums.clone());
        let without = |name: &NameId| {
            sums = self.columns[name.0 as usize].taken_from(&sums).collect();
            states - distinct(sums.iter().copied())
        };
        names.iter().map(without).collect()
    }

    fn values(&self, column: &Column) -> u64 {
        let usual = (column.others.len() < self.sums.len()).then_some(column.usual);
        distinct(column.others.values().copied().chain(usual))
    }
}

impl Column {
    /// The sums without this part.
    fn taken_from(&self, sums: &[u64]) -> impl Iterator<Item = u64> {
        let part = |state: usize| self.others.get(&(state as u32)).unwrap_or(&self.usual);
        sums.iter().enumerate().map(move |(state, sum)| sum.wrapping_sub(*part(state)))
    }
}

fn distinct(values: impl Iterator<Item = u64>) -> u64 {
    values.collect::<HashSet<u64>>().len() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 4] = ["set", "last", "twin", "same"];

    /// Sets of three keys, the last key, the same once more, and something that never changes.
    fn sets() -> Multipliers {
        let mut all = Multipliers::default();
        for set in 1..8u64 {
            for last in (0..3).filter(|key| set >> key & 1 == 1) {
                let mut parts = Parts::default();
                for (name, value) in [set, last, last, 0].into_iter().enumerate() {
                    let mut hash = xxhash_rust::xxh3::xxh3_64(&[name as u8, value as u8]);
                    // A name may stand for several words, and what is zero may not be told.
                    hash = if value == 0 { 0 } else { hash };
                    parts.add(NameId(name as u32), hash);
                    parts.add(NameId(name as u32), 1);
                }
                assert!(all.add(&parts));
            }
        }
        all
    }

    #[test]
    fn what_is_saved_is_what_is_one_state_without_a_name() {
        let all = sets();
        assert_eq!(all.states(), 12);
        let said = |name: u32, values, saved| Multiplier { name: NameId(name), values, saved };
        let list = all.list(|name| NAMES[name.0 as usize]);
        // The last key is there twice: neither alone saves anything.
        assert_eq!(list, [said(0, 7, 9), said(1, 3, 0), said(2, 3, 0)]);
        assert_eq!(all.together(&[NameId(1), NameId(2), NameId(0)]), [0, 5, 11]);
    }

    #[test]
    fn nothing_multiplies_one_state() {
        let mut one = Multipliers::default();
        let mut parts = Parts::default();
        parts.add(NameId(0), 5);
        assert!(one.add(&parts) && one.add(&parts));
        assert_eq!((one.states(), one.list(|_| "").len()), (1, 0));
    }
}
