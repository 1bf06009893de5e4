//! The one source of randomness: SplitMix64 (Steele, Lea, Flood, *Fast splittable pseudorandom
//! number generators*, OOPSLA 2014). Everything drawn is a function of the seed, on every machine.

/// A seeded generator.
pub(super) struct Random {
    state: u64,
}

/// The odd number closest to 2^64 divided by the golden ratio.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Random {
    /// Stream number `stream` of `seed`. The start is mixed, because streams that start a multiple
    /// of [`GOLDEN`] apart would be the same one shifted.
    pub(super) fn new(seed: u64, stream: u64) -> Self {
        Random { state: mix(mix(seed.wrapping_add(GOLDEN)).wrapping_add(stream)) }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GOLDEN);
        mix(self.state)
    }

    /// A number in `0..count`; uniform up to a bias of `count / 2^64`.
    pub(super) fn below(&mut self, count: usize) -> usize {
        ((u128::from(self.next()) * count as u128) >> 64) as usize
    }

    /// Put `items` into a random order.
    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_gives_the_published_numbers() {
        let mut random = Random { state: 1_234_567 };
        let published =
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!(published.map(|_| random.next()), published);
    }

    #[test]
    fn a_shuffle_is_a_permutation_that_the_seed_fixes() {
        let run = |seed| {
            let mut items: Vec<_> = (0..100).collect();
            Random::new(seed, 0).shuffle(&mut items);
            items
        };
        let mut sorted = run(1);
        assert_eq!(sorted, run(1));
        assert_ne!(sorted, run(2));
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..100));
    }
}
