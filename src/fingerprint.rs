//! The 128-bit fingerprint of a world: XXH3-128 of its canonical bytes. Two different worlds share
//! one with a probability that [`collision_estimate`] bounds and every complete search prints.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

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

/// A map from fingerprints.
pub type FingerprintMap<T> = HashMap<Fingerprint, T, BuildHasherDefault<LowBits>>;

/// A fingerprint is a hash already; its lower half is enough for a map.
#[derive(Default)]
pub struct LowBits(u64);

impl Hasher for LowBits {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("a fingerprint hashes as one number of 128 bits");
    }

    fn write_u128(&mut self, value: u128) {
        self.0 = value as u64;
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
