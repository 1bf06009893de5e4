//! The 128-bit fingerprint of a world, a function of its canonical bytes alone. Two different worlds
//! share one with a probability that [`collision_estimate`] bounds and every complete search prints.
//!
//! The fingerprint of at most [`WHOLE`] bytes is their XXH3-128. More bytes are cut into blocks of
//! [`BLOCK`], the last of which may be shorter. Each block is hashed with a seed that belongs to its
//! number, and the fingerprint is the sum of these hashes modulo 2^128, mixed with the length. A step
//! changes a small part of a large world, so a successor costs the hashes of the blocks in which it
//! differs from its parent ([`Kin`]). To read all bytes of a state for each step is what M. Musuvathi
//! and D. Engler did away with in CMC by the same means (NSDI 2004, incremental state processing).
//! Whoever made the successor says where it may differ, and only there its bytes are compared with the
//! parent's. That this is true is checked: by [`Kin::fingerprint`] for some of them.
//!
//! Why sums are as good: let hashes under different seeds, or of different blocks, be independent and
//! uniform, as is presumed of XXH3 without blocks too. Of two different worlds one has a block that the
//! other has not at that place. Its hash is a term of one sum and of nothing else, so the difference of
//! the two sums is uniform, whatever the other terms are, and the sums are equal (or apart by what the
//! lengths make of them) with probability 2^-128. The mixing behind that is a bijection. So the bound
//! for a pair, and with it the birthday bound for all pairs, is that of one hash of all bytes. This is
//! the construction of M. Bellare and D. Micciancio, "A new paradigm for collision-free hashing:
//! incrementality at reduced cost" (EUROCRYPT 1997), AdHash, whose numbered blocks are our seeds.
//! Their sums are longer because somebody looks for collisions there; worlds are not chosen against
//! the hash, and then XXH3 would not do for short ones either. The mixing keeps linear relations among
//! the worlds around independent steps out of the table.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use xxhash_rust::xxh3::{xxh3_128, xxh3_128_with_seed};

use crate::error::Error;
use crate::world::Touched;

/// So many bytes are hashed as a whole.
const WHOLE: usize = 256;
/// The bytes of a block: XXH3 takes so many in few multiplications, with any seed.
const BLOCK: usize = 128;
/// The golden ratio in 128 bits; odd, so that multiplying by it loses nothing.
const GOLDEN: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;
/// Of so many fingerprints that were made from the hashes of a parent one is made from all bytes too.
const AUDITED: u64 = 1 << 10;

/// The fingerprint of canonical bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(pub u128);

impl Fingerprint {
    /// The XXH3-128 of however many bytes: what files are known by, and what `xxh128sum` says of them.
    #[inline]
    pub fn whole(bytes: &[u8]) -> Self {
        Fingerprint(xxh3_128(bytes))
    }

    /// Whether the fingerprint of a world with so many bytes is [`Fingerprint::whole`].
    #[inline]
    pub fn is_whole(len: usize) -> bool {
        len <= WHOLE
    }

    /// Fingerprint the bytes of a world.
    #[inline]
    pub fn of(bytes: &[u8]) -> Self {
        if bytes.len() <= WHOLE {
            return Fingerprint::whole(bytes);
        }
        let blocks = (0..).zip(bytes.chunks(BLOCK));
        mixed(blocks.fold(0, |sum, (number, block)| sum.wrapping_add(hash(number, block))), bytes)
    }
}

/// The hash of the block `number`.
#[inline]
fn hash(number: u64, block: &[u8]) -> u128 {
    xxh3_128_with_seed(block, (number + 1).wrapping_mul((GOLDEN >> 64) as u64))
}

/// Whether two blocks are equal. Of whole ones all bytes are compared, wherever they differ: the
/// compiler makes few comparisons of 16 bytes of that, and no call.
#[inline]
fn same(one: &[u8], other: &[u8]) -> bool {
    match (<&[u8; BLOCK]>::try_from(one), <&[u8; BLOCK]>::try_from(other)) {
        (Ok(one), Ok(other)) => {
            one.iter().zip(other).fold(0, |odd, (one, other)| odd | (one ^ other)) == 0
        }
        _ => one == other,
    }
}

/// The fingerprint of `bytes`, whose blocks have hashes with this sum.
#[inline]
fn mixed(sum: u128, bytes: &[u8]) -> Fingerprint {
    let sum = sum.wrapping_add((bytes.len() as u128).wrapping_mul(GOLDEN));
    let product = (sum ^ sum >> 64).wrapping_mul(GOLDEN);
    Fingerprint(product ^ product >> 64)
}

/// A world, kept with the hashes of its blocks, for the fingerprints of worlds that are much like it.
#[derive(Default)]
pub struct Kin {
    /// Empty for one that is hashed as a whole.
    world: Vec<u8>,
    hashes: Vec<u128>,
    sum: u128,
    /// How many fingerprints were made from these hashes and those of worlds before.
    made: u64,
}

impl Kin {
    /// From now on worlds are like `world`.
    #[inline]
    pub fn stand(&mut self, world: &[u8]) {
        if world.len() > WHOLE || !self.world.is_empty() {
            self.keep(world);
        }
    }

    /// What [`Fingerprint::of`] says of `next`, which differs from the world only where `touched` says.
    /// An error if it turns out to say something else, which is looked at where debug assertions are
    /// on, and elsewhere of each 1024th world and of one fingerprint in 1024.
    #[inline]
    pub fn fingerprint(&mut self, next: &[u8], touched: Touched) -> Result<Fingerprint, Error> {
        match next.len() <= WHOLE {
            true => Ok(Fingerprint::whole(next)),
            false => self.large(next, touched),
        }
    }

    fn keep(&mut self, world: &[u8]) {
        self.world.clear();
        self.hashes.clear();
        if world.len() > WHOLE {
            self.world.extend_from_slice(world);
            let blocks = (0..).zip(world.chunks(BLOCK));
            self.hashes.extend(blocks.map(|(number, block)| hash(number, block)));
        }
        self.sum = self.hashes.iter().fold(0, |sum, hash| sum.wrapping_add(*hash));
    }

    fn large(&mut self, next: &[u8], touched: Touched) -> Result<Fingerprint, Error> {
        if self.world.is_empty() {
            return Ok(Fingerprint::of(next));
        }
        let behind = touched.behind / BLOCK;
        let before = touched.start / BLOCK..touched.end.div_ceil(BLOCK).min(behind);
        let blocks = next.len().max(self.world.len()).div_ceil(BLOCK);
        let sum = before.chain(behind..blocks).fold(self.sum, |sum, number| {
            let old = self.hashes.get(number).map(|hash| (*hash, block(&self.world, number)));
            let new = (number * BLOCK < next.len()).then(|| block(next, number));
            match (old, new) {
                (Some((_, old)), Some(new)) if same(old, new) => sum,
                (old, new) => sum
                    .wrapping_sub(old.map_or(0, |(hash, _)| hash))
                    .wrapping_add(new.map_or(0, |new| hash(number as u64, new))),
            }
        });
        let fingerprint = mixed(sum, next);
        self.made = self.made.wrapping_add(1);
        let drawn = [self.made, fingerprint.0 as u64].iter().any(|it| it.is_multiple_of(AUDITED));
        if (drawn || cfg!(debug_assertions)) && fingerprint != Fingerprint::of(next) {
            return Err(Error::Internal(
                "the fingerprint of a world, made from that of its parent, is not that of its bytes"
                    .into(),
            ));
        }
        Ok(fingerprint)
    }
}

/// The block `number` of `bytes`, which have it.
#[inline]
fn block(bytes: &[u8], number: usize) -> &[u8] {
    let rest = &bytes[number * BLOCK..];
    &rest[..rest.len().min(BLOCK)]
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

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Numbers that look drawn.
    fn drawn(seed: u64) -> impl FnMut(usize) -> usize {
        let mut state = seed;
        move |below| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (state >> 33) as usize % below
        }
    }

    fn world(len: usize) -> Vec<u8> {
        (0..len).map(|at| (at * 7 % 251) as u8).collect()
    }

    /// Where two worlds differ: in the first bytes that do, and behind the first of them that do not.
    fn touched(parent: &[u8], next: &[u8]) -> Touched {
        let most = parent.len().max(next.len());
        let first = |from: usize, differs: bool| {
            let is = |at: &usize| (parent.get(*at) != next.get(*at)) == differs;
            (from..most).find(is).unwrap_or(most)
        };
        let start = first(0, true);
        let end = first(start, false);
        Touched { start, end, behind: first(end, true) }
    }

    #[test]
    fn short_worlds_are_hashed_as_a_whole_and_long_ones_in_blocks() {
        for len in [0, 1, 16, 240, WHOLE] {
            assert_eq!(Fingerprint::of(&world(len)), Fingerprint::whole(&world(len)), "{len}");
        }
        for len in [WHOLE + 1, 1000] {
            assert_ne!(Fingerprint::of(&world(len)), Fingerprint::whole(&world(len)), "{len}");
        }
    }

    #[test]
    fn what_a_parent_knows_changes_no_fingerprint() {
        let mut draw = drawn(1);
        let mut kin = Kin::default();
        for _ in 0..2000 {
            let parent = world(draw(900));
            kin.stand(&parent);
            for _ in 0..5 {
                let mut next = parent.clone();
                match draw(4) {
                    0 => next.truncate(draw(next.len() + 1)),
                    1 => next.extend(world(draw(400))),
                    2 => next = world(draw(900)),
                    _ => (),
                }
                for _ in 0..draw(4) {
                    if !next.is_empty() {
                        let at = draw(next.len());
                        next[at] ^= 1 << draw(8);
                    }
                }
                let fingerprint = Ok(Fingerprint::of(&next));
                assert_eq!(kin.fingerprint(&next, Touched::ALL), fingerprint);
                assert_eq!(kin.fingerprint(&next, touched(&parent, &next)), fingerprint);
            }
        }
    }

    #[test]
    fn every_byte_its_place_and_the_length_count() {
        let plain = world(5 * BLOCK);
        let mut seen = HashSet::from([Fingerprint::of(&plain)]);
        for at in 0..plain.len() {
            let mut other = plain.clone();
            other[at] ^= 1;
            assert!(seen.insert(Fingerprint::of(&other)), "byte {at}");
        }
        for blocks in 0..4 {
            let mut other = plain.clone();
            other[blocks * BLOCK..][..2 * BLOCK].rotate_left(BLOCK);
            assert!(seen.insert(Fingerprint::of(&other)), "blocks {blocks}");
        }
        for len in WHOLE + 1..2000 {
            assert!(seen.insert(Fingerprint::of(&vec![0; len])), "length {len}");
        }
    }

    /// Two hundred thousand worlds that differ in small numbers at few places, as worlds do: some two
    /// of them share 48 bits by chance with a probability below 1 in 10000.
    #[test]
    fn worlds_that_differ_little_share_neither_half_of_a_fingerprint() {
        let (mut low, mut high) = (HashSet::new(), HashSet::new());
        let mut bytes = vec![0; 6 * BLOCK];
        for number in 0..200_000usize {
            let digits = [number % 10, number / 10 % 10, number / 100 % 10, number / 1000];
            for (digit, at) in digits.iter().zip([3, BLOCK + 3, 2 * BLOCK + 3, 5 * BLOCK + 3]) {
                bytes[at] = *digit as u8;
            }
            let Fingerprint(value) = Fingerprint::of(&bytes);
            assert!(low.insert(value << 80), "{number}");
            assert!(high.insert(value >> 80), "{number}");
        }
    }

    /// How many of 20000 worlds, each of which differs from its parent in block 2, are found out.
    fn found_out(spoil: impl Fn(&mut Kin), touched: Touched) -> usize {
        let parent = world(1000);
        let mut kin = Kin::default();
        kin.stand(&parent);
        spoil(&mut kin);
        let next = |number: u32| {
            let mut next = parent.clone();
            next[2 * BLOCK..][..4].copy_from_slice(&number.to_le_bytes());
            next
        };
        (0..20_000).filter(|&number| kin.fingerprint(&next(number), touched).is_err()).count()
    }

    #[test]
    fn an_increment_that_is_wrong_and_a_place_that_is_wrong_are_found_out() {
        let enough = if cfg!(debug_assertions) { 20_000 } else { 20_000 / AUDITED as usize };
        let place = Touched { start: 2 * BLOCK, end: 2 * BLOCK + 4, behind: 1000 };
        assert_eq!(found_out(|_| (), place), 0);
        assert!(found_out(|kin| kin.hashes[2] ^= 1, place) + 10 >= enough);
        assert!(found_out(|kin| kin.sum ^= 1, place) + 10 >= enough);
        let elsewhere = Touched { start: 3 * BLOCK, end: 3 * BLOCK + 4, behind: 1000 };
        assert!(found_out(|_| (), elsewhere) + 10 >= enough);
    }
}
