//! The 128-bit fingerprint of a world: XXH3-128 of its canonical bytes. Two different worlds share
//! one with a probability that [`collision_estimate`] bounds and every complete search prints.

use xxhash_rust::xxh3::xxh3_128;

/// The fingerprint of canonical bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(pub u128);

impl Fingerprint {
    /// Fingerprint `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Fingerprint(xxh3_128(bytes))
    }
}

/// The probability that some two of `distinct` worlds share a fingerprint: TLC's optimistic
/// estimate `distinct * (generated - distinct) / 2^bits` with 128 bits, or the birthday bound
/// `distinct^2 / 2^129` where that is larger.
pub fn collision_estimate(distinct: u64, generated: u64) -> f64 {
    let (distinct, generated) = (distinct as f64, generated as f64);
    let tlc = distinct * (generated - distinct).max(0.0) / 128f64.exp2();
    let birthday = distinct * distinct / 129f64.exp2();
    tlc.max(birthday)
}
