//! The members of a set that is kept as bits.

/// From the smallest.
pub fn members(mut set: u64) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let first = set.trailing_zeros() as u8;
        (set != 0).then(|| {
            set &= set - 1;
            first
        })
    })
}
