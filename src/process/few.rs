//! A short list of plain values. As long as it is short it stands where it is kept, so that a copy of
//! it is made without a look at its length.

use std::ops::{Deref, DerefMut};

/// A list of values, the first `N` of which need no memory of their own.
#[derive(Clone, Debug)]
pub struct Few<T, const N: usize> {
    length: usize,
    /// All of them, as long as they fit.
    near: [T; N],
    /// All of them, if they do not.
    far: Vec<T>,
}

impl<T: Copy + Default, const N: usize> Few<T, N> {
    /// Put `value` in front of the one at `place`, or behind all.
    pub fn insert(&mut self, place: usize, value: T) {
        if self.length < N {
            self.near.copy_within(place..self.length, place + 1);
            self.near[place] = value;
        } else {
            if self.length == N {
                self.far.clear();
                self.far.extend_from_slice(&self.near);
            }
            self.far.insert(place, value);
        }
        self.length += 1;
    }

    /// Put `value` behind all.
    #[inline]
    pub fn push(&mut self, value: T) {
        match self.near.get_mut(self.length) {
            Some(place) => {
                *place = value;
                self.length += 1;
            }
            None => self.insert(self.length, value),
        }
    }

    /// Take out the value at `place`.
    pub fn remove(&mut self, place: usize) -> T {
        let value = self[place];
        if self.length > N {
            self.far.remove(place);
            if self.far.len() == N {
                self.near.copy_from_slice(&self.far);
            }
        } else {
            self.near.copy_within(place + 1..self.length, place);
        }
        self.length -= 1;
        value
    }

    /// Take out all.
    pub fn clear(&mut self) {
        self.length = 0;
    }

    /// Become a copy of `other`, in the memory that is there.
    #[inline]
    pub fn copy_from(&mut self, other: &Self) {
        self.length = other.length;
        self.near = other.near;
        if other.length > N {
            self.far.clone_from(&other.far);
        }
    }
}

impl<T: Copy + Default, const N: usize> Default for Few<T, N> {
    fn default() -> Self {
        Few { length: 0, near: [T::default(); N], far: Vec::new() }
    }
}

impl<T, const N: usize> Deref for Few<T, N> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        self.near.get(..self.length).unwrap_or(&self.far)
    }
}

impl<T, const N: usize> DerefMut for Few<T, N> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        self.near.get_mut(..self.length).unwrap_or(&mut self.far)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_list_that_a_vector_is_however_long() {
        let (mut few, mut all) = (Few::<u32, 3>::default(), Vec::new());
        let mut copy = Few::default();
        let mut draw = 1u64;
        for value in 0..10_000 {
            draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let place = (draw >> 33) as usize % (all.len() + 1);
            match draw >> 60 {
                0 => {
                    few.clear();
                    all.clear();
                }
                1..=5 if place < all.len() => assert_eq!(few.remove(place), all.remove(place)),
                6..=8 => {
                    few.push(value);
                    all.push(value);
                }
                _ => {
                    few.insert(place, value);
                    all.insert(place, value);
                }
            }
            assert_eq!(few[..], all[..]);
            copy.copy_from(&few);
            assert_eq!(copy[..], all[..]);
            if let Some(last) = few.last_mut() {
                *last += 1;
                *all.last_mut().expect("it is as long") += 1;
            }
            assert_eq!(few[..], all[..]);
        }
    }
}
