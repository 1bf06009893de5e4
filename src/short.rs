//! Copies and comparisons of few bytes. One whose length is not known beforehand is a call into the C
//! library, which takes longer than the work.

use std::mem::MaybeUninit;

/// Copy `from` over `to`, which is as long.
#[inline]
pub fn copy(from: &[u8], to: &mut [u8]) {
    transfer(from, to, |byte| byte);
}

/// The same, where nothing was written yet.
#[inline]
pub fn write(from: &[u8], to: &mut [MaybeUninit<u8>]) {
    transfer(from, to, MaybeUninit::new);
}

#[inline]
fn transfer<T>(from: &[u8], to: &mut [T], byte: impl Fn(u8) -> T) {
    assert_eq!(from.len(), to.len(), "a copy is as long as what is copied");
    match from.len() {
        32..=64 => ends::<T, 32>(from, to, byte),
        16..=31 => ends::<T, 16>(from, to, byte),
        8..=15 => ends::<T, 8>(from, to, byte),
        4..=7 => ends::<T, 4>(from, to, byte),
        _ => to.iter_mut().zip(from).for_each(|(to, from)| *to = byte(*from)),
    }
}

/// Copy the first and the last `N` of at least `N` bytes and at most twice as many: all of them.
#[inline]
fn ends<T, const N: usize>(from: &[u8], to: &mut [T], byte: impl Fn(u8) -> T) {
    if let (Some(from), Some(to)) = (from.first_chunk::<N>(), to.first_chunk_mut()) {
        *to = from.map(&byte);
    }
    if let (Some(from), Some(to)) = (from.last_chunk::<N>(), to.last_chunk_mut()) {
        *to = from.map(byte);
    }
}

/// Whether two byte strings are equal.
#[inline]
pub fn equal(one: &[u8], other: &[u8]) -> bool {
    fn ends<const N: usize>(one: &[u8], other: &[u8]) -> bool {
        one.first_chunk::<N>() == other.first_chunk() && one.last_chunk::<N>() == other.last_chunk()
    }
    if one.len() != other.len() {
        return false;
    }
    match one.len() {
        0 => true,
        16..=32 => ends::<16>(one, other),
        8..=15 => ends::<8>(one, other),
        4..=7 => ends::<4>(one, other),
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_it_is_copied_and_nothing_beside_it() {
        let from: Vec<u8> = (1..=100).collect();
        for len in 0..=100 {
            let mut to = [0; 102];
            copy(&from[..len], &mut to[1..=len]);
            assert_eq!((to[0], &to[1..=len], to[len + 1]), (0, &from[..len], 0));
        }
    }

    #[test]
    fn byte_strings_are_equal_when_all_their_bytes_are() {
        let from: Vec<u8> = (1..=100).collect();
        for len in 0..=100 {
            assert!(equal(&from[..len], &from.clone()[..len]));
            assert!(len == 0 || !equal(&from[..len], &from[..len - 1]));
            for at in 0..len {
                let mut other = from[..len].to_vec();
                other[at] ^= 0x40;
                assert!(!equal(&from[..len], &other), "byte {at} of {len}");
            }
        }
    }
}
