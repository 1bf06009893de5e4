//! A set of small numbers: timers, waiters, nodes. One number stands for it, so equal sets are equal.

/// A set of numbers below 16.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Set(pub u16);

impl Set {
    /// No number.
    pub const EMPTY: Set = Set(0);

    /// Whether `number` is in it.
    pub fn contains(self, number: u8) -> bool {
        self.0 >> number & 1 == 1
    }

    /// Put `number` in; one that is in stays.
    pub fn insert(&mut self, number: u8) {
        self.0 |= 1 << number;
    }

    /// Take `number` out. `None` if it was not in.
    pub fn remove(&mut self, number: u8) -> Option<()> {
        let there = number < 16 && self.contains(number);
        self.0 &= !u16::from(there).checked_shl(number.into()).unwrap_or(0);
        there.then_some(())
    }

    /// Its numbers, ascending.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let first = rest.trailing_zeros();
            rest &= rest.wrapping_sub(1);
            (first < u16::BITS).then_some(first as u8)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_in_and_out_and_come_in_order() {
        let mut set = Set::EMPTY;
        [15, 0, 7, 0].into_iter().for_each(|number| set.insert(number));
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 7, 15]);
        assert!(set.contains(7) && !set.contains(8));
        assert_eq!([set.remove(7), set.remove(7), set.remove(200)], [Some(()), None, None]);
        assert_eq!(set, Set(1 << 15 | 1));
    }
}
