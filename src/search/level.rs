//! The worlds of one level, as bytes in few pieces of memory, read in the order of their indices.

/// Worlds one behind the other, in the order in which they were found.
#[derive(Default)]
pub(super) struct Worlds {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Worlds {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn push(&mut self, world: &[u8]) {
        self.bytes.extend_from_slice(world);
        self.ends.push(self.bytes.len());
    }

    /// Take the last one out and write it to `out`.
    pub(super) fn pop(&mut self, out: &mut Vec<u8>) {
        let end = self.ends.pop().expect("there is one");
        let start = self.ends.last().copied().unwrap_or(0);
        out.clear();
        out.extend_from_slice(&self.bytes[start..end]);
        self.bytes.truncate(start);
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    pub(super) fn get(&self, at: usize) -> &[u8] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.bytes[start..self.ends[at]]
    }
}

/// Where a world stands: in which piece, and there at which place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub(super) shard: u32,
    pub(super) at: u32,
}

/// A level: worlds with consecutive indices.
#[derive(Default)]
pub(super) struct Level {
    first: u64,
    count: usize,
    worlds: Vec<Worlds>,
    /// Where the world of each index stands, if not one behind the other in the first piece; worlds
    /// that no index names were dropped.
    order: Option<Vec<Spot>>,
}

impl Level {
    /// The initial level.
    pub(super) fn initial(worlds: Worlds) -> Self {
        Level { first: 0, count: worlds.len(), worlds: vec![worlds], order: None }
    }

    /// The level of the `count` worlds that `order` picks, with indices from `first`.
    pub(super) fn new(
        first: u64,
        worlds: Vec<Worlds>,
        order: Option<Vec<Spot>>,
        count: usize,
    ) -> Self {
        Level { first, count, worlds, order }
    }

    /// The memory of its pieces.
    pub(super) fn recycle(self) -> Vec<Worlds> {
        self.worlds
    }

    /// The first index.
    pub(super) fn first(&self) -> u64 {
        self.first
    }

    /// How many worlds it has.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// The world with this index.
    pub(super) fn get(&self, index: u64) -> &[u8] {
        let rank = (index - self.first) as usize;
        match &self.order {
            None => self.worlds[0].get(rank),
            Some(order) => {
                let Spot { shard, at } = order[rank];
                self.worlds[shard as usize].get(at as usize)
            }
        }
    }

    /// The indices, in order.
    pub(super) fn indices(&self) -> std::ops::Range<u64> {
        self.first..self.first + self.count as u64
    }
}
