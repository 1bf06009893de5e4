//! What a worker found behind some consecutive parents and could not find in the set of stored worlds:
//! in the order of keys, and by portion of the set.

use super::judge::Judged;
use super::key::Key;
use super::memory::prefetch_to_write;
use super::seen::{PORTIONS, portion_of};
use crate::fingerprint::Fingerprint;
use crate::short;

/// The memory for so many more is on its way.
const AHEAD: usize = 16;

/// Memory for worlds is taken in multiples of this.
const UNIT: usize = 1 << 12;

/// At first there is memory for so many. Pieces as large as that an allocator takes from what the thread
/// has for itself, where it grows without waiting for others; smaller ones it hands from thread to thread.
const FIRST: usize = 1 << 8;

/// How a world was reached, and how long it is.
#[derive(Clone, Copy)]
struct Row {
    /// The parent, from the first of the chunk.
    parent: u32,
    ordinal: u32,
    /// The label's number.
    label: u32,
    length: u32,
}

/// Worlds that may be new. A world may be among them more than once.
#[derive(Default)]
pub(super) struct Chunk {
    first: u64,
    rows: Vec<Row>,
    fingerprints: Vec<Fingerprint>,
    /// One behind the other, in the first `end` bytes.
    worlds: Vec<u8>,
    end: usize,
    /// What the judge said, where there was anything to say, by place.
    judged: Vec<(u32, Box<Judged>)>,
    /// The fingerprints again with their places, portion by portion and in each in order, so that who
    /// looks at one portion reads them in one go; and where those of a portion start.
    sorted: Vec<(Fingerprint, u32)>,
    starts: Vec<u32>,
    /// The length that all worlds have, if they have one.
    pub(super) uniform: Option<usize>,
    /// Whether each is new, and the first of its kind.
    new: Vec<bool>,
}

/// One of the worlds.
pub(super) struct Candidate<'a> {
    pub(super) key: Key,
    /// The label's number.
    pub(super) label: u32,
    pub(super) world: &'a [u8],
}

impl Chunk {
    /// Begin with nothing, for parents from `first` on.
    pub(super) fn open(&mut self, first: u64) {
        if self.rows.capacity() == 0 {
            self.rows.reserve(FIRST);
            self.fingerprints.reserve(FIRST);
            self.sorted.reserve(FIRST);
            self.new.reserve(FIRST * 8);
        }
        self.first = first;
        self.rows.clear();
        self.fingerprints.clear();
        self.end = 0;
        self.judged.clear();
        self.new.clear();
    }

    /// Append a world.
    #[inline]
    pub(super) fn push(&mut self, fingerprint: Fingerprint, key: Key, label: u32, world: &[u8]) {
        // Cut off are only bits that are 0: a chunk has fewer parents, and a world fewer bytes.
        let (parent, length) = ((key.parent - self.first) as u32, world.len() as u32);
        self.rows.push(Row { parent, ordinal: key.ordinal, label, length });
        self.fingerprints.push(fingerprint);
        let start = self.end;
        self.end += world.len();
        if self.worlds.len() < self.end {
            self.grow();
        }
        short::copy(world, &mut self.worlds[start..self.end]);
        // This goes on so slowly that the processor takes it for no sequence, and waits for each new line.
        prefetch_to_write(self.rows.as_ptr().wrapping_add(self.rows.len() + AHEAD));
        prefetch_to_write(self.fingerprints.as_ptr().wrapping_add(self.fingerprints.len() + AHEAD));
        prefetch_to_write(self.worlds.as_ptr().wrapping_add(self.end + AHEAD * world.len()));
    }

    /// Make room for the worlds, and for more.
    #[cold]
    fn grow(&mut self) {
        self.worlds.resize((self.end + self.end / 2).next_multiple_of(UNIT), 0);
    }

    /// The judge said this of the last one.
    pub(super) fn judge(&mut self, said: Box<Judged>) {
        self.judged.push((self.rows.len() as u32 - 1, said));
    }

    /// No more follow: sort them by portion.
    pub(super) fn close(&mut self) {
        let Chunk { rows, fingerprints, sorted, starts, uniform, .. } = self;
        *uniform = rows.first().map(|row| row.length as usize);
        uniform.take_if(|length| rows.iter().any(|row| row.length as usize != *length));
        starts.clear();
        starts.resize(PORTIONS + 1, 0);
        fingerprints.iter().for_each(|&it| starts[portion_of(it) + 1] += 1);
        let mut sum = 0;
        for start in starts.iter_mut() {
            sum += *start;
            *start = sum;
        }
        sorted.resize(fingerprints.len(), (Fingerprint(0), 0));
        // The start of a portion moves to its end, which is where the next one starts.
        for (at, &it) in (0..).zip(&*fingerprints) {
            let start = &mut starts[portion_of(it)];
            sorted[*start as usize] = (it, at);
            *start += 1;
        }
        starts.rotate_right(1);
        starts[0] = 0;
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Bytes of memory that it takes.
    pub(super) fn bytes(&self) -> u64 {
        let rows = self.rows.capacity() * size_of::<Row>();
        let fingerprints = self.fingerprints.capacity() * size_of::<Fingerprint>();
        let sorted = self.sorted.capacity() * size_of::<(Fingerprint, u32)>();
        (rows + fingerprints + self.worlds.len() + sorted + self.new.capacity()) as u64
    }

    /// Those of a portion and their places, in order.
    #[inline]
    pub(super) fn of(&self, portion: usize) -> &[(Fingerprint, u32)] {
        &self.sorted[self.starts[portion] as usize..self.starts[portion + 1] as usize]
    }

    /// How many bytes the world at this place has.
    #[inline]
    pub(super) fn length(&self, at: u32) -> usize {
        self.uniform.unwrap_or_else(|| self.rows[at as usize].length as usize)
    }

    /// How it was reached.
    pub(super) fn key(&self, at: u32) -> Key {
        let Row { parent, ordinal, .. } = self.rows[at as usize];
        Key { parent: self.first + u64::from(parent), ordinal }
    }

    /// Those that are new, in order.
    pub(super) fn newcomers(&self) -> impl Iterator<Item = Candidate<'_>> {
        let mut end = 0;
        self.rows.iter().zip(&self.new).filter_map(move |(row, new)| {
            let start = end;
            end += row.length as usize;
            new.then(|| Candidate {
                key: Key { parent: self.first + u64::from(row.parent), ordinal: row.ordinal },
                label: row.label,
                world: &self.worlds[start..end],
            })
        })
    }

    /// Note which are new: those at these places, and no others.
    pub(super) fn mark<'p>(&mut self, places: impl Iterator<Item = &'p u32>) {
        self.new.clear();
        self.new.resize(self.rows.len(), false);
        places.for_each(|&at| self.new[at as usize] = true);
    }

    /// What the judge said, and the keys and the labels' numbers of the worlds of which he said it.
    pub(super) fn said(&self) -> impl Iterator<Item = (Key, u32, &Judged)> {
        self.judged.iter().map(|(at, said)| (self.key(*at), self.rows[*at as usize].label, &**said))
    }

    /// The same, of those that are new.
    pub(super) fn said_of_newcomers(&self) -> impl Iterator<Item = (Key, u32, &Judged)> {
        let new = self.judged.iter().map(|(at, _)| self.new[*at as usize]);
        self.said().zip(new).filter_map(|(said, new)| new.then_some(said))
    }
}
