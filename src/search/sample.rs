//! A random sample of the worlds that a search stores, as ways to them: where walks that look for
//! what never comes true begin. It is a function of the seed and of what is stored.

use super::random::Random;
use crate::trace::Trace;

/// Drawn from a stream of its own, which no walk draws from.
const STREAM: u64 = u64::MAX;

/// So many ways at most.
const MOST: usize = 256;

/// The sample.
pub(super) struct Sample {
    traces: Vec<Trace>,
    most: usize,
    offered: usize,
    random: Random,
}

impl Sample {
    /// Nothing yet; never anything unless it is `wanted`.
    pub(super) fn new(seed: u64, wanted: bool) -> Self {
        let most = if wanted { MOST } else { 0 };
        Sample { traces: Vec::new(), most, offered: 0, random: Random::new(seed, STREAM) }
    }

    /// Take worlds from among `count`, to each of which `trace` knows the way.
    pub(super) fn draw(&mut self, count: u64, trace: impl Fn(u64) -> Trace) {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        for _ in 0..self.most.min(count) {
            let index = self.random.below(count);
            self.traces.push(trace(index as u64));
        }
    }

    /// Take the next world, to which `trace` knows the way, or do not (Vitter, *Random sampling with a
    /// reservoir*, 1985).
    pub(super) fn offer(&mut self, trace: impl FnOnce() -> Trace) {
        if self.most == 0 {
            return;
        }
        self.offered += 1;
        if self.traces.len() < self.most {
            self.traces.push(trace());
            return;
        }
        let place = self.random.below(self.offered);
        if place < self.most {
            self.traces[place] = trace();
        }
    }

    /// The ways drawn.
    pub(super) fn traces(&self) -> &[Trace] {
        &self.traces
    }
}
