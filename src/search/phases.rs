//! The three phases of a window ([`super::breadth`]), in each of which all workers take part.

use std::mem::take;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::Search;
use super::admit::{Admitted, Sizes};
use super::chunk::Chunk;
use super::crew::{Crew, held};
use super::gather::{Gather, Memory};
use super::hand::Nest;
use super::judge::Judge;
use super::key::Key;
use super::ledger::Ledger;
use super::level::Piece;
use super::log::Log;
use super::memory::Full;
use super::muster::Worth;
use super::seen::{PORTIONS, Seen};
use super::settle::Yield;
use super::spare::Spare;
use super::store::Winners;
use super::window::{Count, Known, Pulse, Window};
use crate::system::System;

/// Fewer worlds than this are nothing to wake anybody for.
const FEW: usize = 1 << 12;

/// Answers what all workers have expanded, generated and collected so far.
pub(super) type Sums<'a> = dyn Fn() -> [u64; 3] + 'a;

/// What the workers need in a window.
pub(super) struct Phases<'a, S: System> {
    search: &'a Search<'a>,
    system: &'a S,
    crew: &'a Crew<S::Worker>,
    pub(super) seen: Seen,
    counts: Vec<Count>,
    /// By worker: what it remembers, which is nothing before it works, and what it uses again.
    memories: Vec<Mutex<(Option<Memory>, Nest)>>,
    /// Whether it is worth it to expand parents together.
    worth: Worth,
    /// By portion, what is new in the window.
    pub(super) winners: Vec<Winners>,
    /// Memory for the rows of a window.
    pub(super) rows: Vec<u64>,
    pub(super) spare: Spare,
}

impl<'a, S: System> Phases<'a, S> {
    /// For the workers of `crew`; what is stored is in `seen`.
    pub(super) fn new(
        search: &'a Search<'a>,
        system: &'a S,
        crew: &'a Crew<S::Worker>,
        seen: Seen,
    ) -> Self {
        Phases {
            search,
            system,
            crew,
            counts: (0..crew.len()).map(|_| Count::default()).collect(),
            memories: (0..crew.len()).map(|_| Mutex::default()).collect(),
            // A step that no process has run yet takes a thousand times as long as one that is looked up,
            // and how many of these come next is not known from those before.
            worth: Worth::new(search.shuffle.is_some() || system.in_step()),
            winners: (0..PORTIONS).map(|_| Winners::default()).collect(),
            seen,
            rows: Vec::new(),
            spare: Spare::default(),
        }
    }

    /// Bytes of memory for what workers remember, and use in each window; and for rows.
    pub(super) fn kept(&mut self) -> u64 {
        let rows = (self.rows.capacity() * size_of::<u64>()) as u64;
        let each = self.memories.iter_mut();
        each.map(|memory| Memory::BYTES + exclusive(memory).1.bytes()).sum::<u64>() + rows
    }

    /// Expand `parents`, and collect what may be new in `chunks`. `tick` is called now and then.
    pub(super) fn find(
        &mut self,
        (judge, log, level): (&Judge<'_>, &Log, &Piece),
        parents: Range<u64>,
        chunks: &[Mutex<Chunk>],
        tick: &mut dyn FnMut(&Sums<'_>),
    ) -> Yield {
        let Phases { search, system, crew, seen, memories, worth, counts, .. } = self;
        let tasks = (parents.end - parents.start) as usize;
        // One chunk is nothing to wake anybody for.
        let most = if worth.holds(tasks) { crew.len() } else { 1 };
        let called = chunks.len().min(most);
        let known = Known { search, judge, large: seen.is_large(), log, level };
        let window = Window::new(search, parents, chunks, called);
        let work = Mutex::new(Duration::ZERO);
        counts.iter().for_each(|count| count.write(0, 0, 0));
        let job = |number: usize, worker: &mut S::Worker, tick: &mut dyn FnMut()| {
            let (memory, nest) = &mut *held(&memories[number]);
            let gather = Gather::new(seen, &log.labels, memory.get_or_insert_default(), judge);
            let pulse = Pulse { count: &counts[number], tick };
            let start = Instant::now();
            window.work(*system, known, gather, (number, worker), pulse, nest);
            *held(&work) += start.elapsed();
        };
        let sum = || {
            counts.iter().fold([0; 3], |all, one| {
                let one = one.read();
                [all[0] + one[0], all[1] + one[1], all[2] + one[2]]
            })
        };
        crew.round(called, &job, &mut || tick(&sum));
        worth.note(tasks, *held(&work));
        let called = memories.iter().take(called);
        Yield::new(called.map(|memory| take(&mut held(memory).1.harvest)))
    }

    /// The ledgers of a window are counted, and may be used again.
    pub(super) fn give_back(&mut self, ledgers: Vec<Ledger>) {
        for (memory, mut ledger) in self.memories.iter_mut().zip(ledgers) {
            ledger.clear();
            exclusive(memory).1.harvest.ledger = ledger;
        }
    }

    /// Put what is new in `chunks`, up to `end`, into the set of stored worlds. Meanwhile the log writes what
    /// was new in the window before.
    pub(super) fn store(
        &mut self,
        chunks: &[&Chunk],
        end: Option<Key>,
        log: &mut Log,
    ) -> Result<(), Full> {
        let Phases { seen, winners, crew, .. } = self;
        let count: usize = chunks.iter().map(|chunk| chunk.len()).sum();
        let called = count / FEW + 1;
        let many = |number| chunks.iter().map(|chunk| chunk.of(number).len()).sum();
        seen.make_room(many, &|count, job| crew.each(called, count, job))?;
        let lent: Vec<_> = seen.lend().zip(winners).map(Mutex::new).collect();
        let (full, log) = (AtomicBool::new(false), Mutex::new(log));
        crew.each(called, lent.len() + 1, &|number| {
            let Some(number) = number.checked_sub(1) else { return held(&log).write() };
            let (portion, winners) = &mut *held(&lent[number]);
            if winners.find(number, portion, chunks, end) == Err(Full) {
                full.store(true, Ordering::Relaxed);
            }
        });
        if full.into_inner() { Err(Full) } else { Ok(()) }
    }

    /// Make what is new in `chunks` worlds of the next level, and rows for the log. The level of the
    /// parents starts at the index `first`.
    pub(super) fn admit(
        &mut self,
        chunks: &mut [Mutex<Chunk>],
        sizes: Sizes,
        first: u64,
    ) -> Result<(Piece, Vec<u64>), Full> {
        let (count, bytes) = (sizes.count(), self.spare.take(sizes.bytes()));
        let mut admitted = Admitted::new(sizes, bytes, take(&mut self.rows))?;
        let shares = admitted.shares(chunks.iter_mut().map(exclusive));
        let (winners, full) = (&self.winners[..], AtomicBool::new(false));
        self.crew.each(count / FEW + 1, shares.len(), &|number| {
            if held(&shares[number]).fill(winners, first) == Err(Full) {
                full.store(true, Ordering::Relaxed);
            }
        });
        drop(shares);
        if full.into_inner() { Err(Full) } else { Ok(admitted.finish()) }
    }
}

/// What `lock` holds, which nobody else has.
pub(super) fn exclusive<T>(lock: &mut Mutex<T>) -> &mut T {
    lock.get_mut().unwrap_or_else(PoisonError::into_inner)
}
