//! The roots, in their order: what is mapped; data of the program and the libraries, then other
//! mappings, then the break, each by ascending address; the words that the checker holds; the live
//! stack upward; the registers. The registers are last, because what is found first gets the first
//! number, and a word of no meaning in a register would give all others other numbers.

use std::ops::Range;

use smallvec::SmallVec;

use super::objects::Objects;
use super::place::Piece;
use super::walk::{Sink, Walk};
use super::{Input, RootClass, words};
use crate::process::contract::ARENA_BASE;
use crate::process::layout::{Layout, Role};
use crate::process::memory::PAGE;
use crate::process::registers::IDENTITY;
use crate::process::snapshot::Region;

impl<'a, H: Objects, S: Sink> Walk<'a, '_, H, S> {
    /// All roots.
    pub fn roots(&mut self) {
        let input = self.input;
        self.sink.layout(&input.snapshot.layout);
        for role in [Role::File, Role::Anonymous, Role::Break] {
            for (region, bytes) in input.snapshot.regions().filter(|(r, _)| r.role == role) {
                if !input.drops(class_of(&input.snapshot.layout, &region)) {
                    self.data(&region, bytes);
                }
            }
        }
        if !input.drops(RootClass::Held) {
            self.held();
        }
        if !input.drops(RootClass::Stack) {
            self.stack();
        }
        if !input.drops(RootClass::Registers) {
            self.registers();
        }
    }

    /// Runs of pages that are as at the boot, and runs of others.
    fn data(&mut self, region: &Region, bytes: &[u8]) {
        let input = self.input;
        let mut boot = input.boot.pages_from(region.start);
        let (mut first, mut run_is_plain) = (region.start, None);
        for (number, page) in bytes.chunks(PAGE as usize).enumerate() {
            let at = region.start + number as u64 * PAGE;
            let plain = input.ignored_in(at..at + PAGE).is_empty() && boot.is_plain(at, page);
            if let Some(was) = run_is_plain.filter(|was| *was != plain) {
                self.pages(region, bytes, first..at, was);
                first = at;
            }
            run_is_plain = Some(plain);
        }
        if let Some(plain) = run_is_plain {
            self.pages(region, bytes, first..region.end, plain);
        }
    }

    fn pages(&mut self, region: &Region, bytes: &[u8], run: Range<u64>, plain: bool) {
        match plain {
            true => self.sink.unchanged(run.start, (run.end - run.start) / PAGE),
            false => {
                let place = |address: u64| (address - region.start) as usize;
                let bytes = &bytes[place(run.start)..place(run.end)];
                self.memory(&Piece::Data(run.start), run.start, bytes);
            }
        }
    }

    /// A stretch of memory outside the arena.
    fn memory(&mut self, piece: &Piece, start: u64, bytes: &[u8]) {
        let first = (start.wrapping_neg() % words::WORD as u64) as usize;
        let ignored = self.input.ignored_in(start..start + bytes.len() as u64);
        if ignored.is_empty() {
            return self.words(piece, bytes, &[], first);
        }
        let place = |address: u64| address.saturating_sub(start) as usize;
        let ignored: Vec<Range<usize>> =
            ignored.iter().map(|range| place(range.start)..place(range.end)).collect();
        self.words(piece, bytes, &ignored, first);
    }

    fn held(&mut self) {
        let words = self.input.held.iter();
        let bytes: SmallVec<[u8; 512]> = words.flat_map(|word| word.to_le_bytes()).collect();
        self.words(&Piece::Held, &bytes, &[], 0);
    }

    fn stack(&mut self) {
        let snapshot = self.input.snapshot;
        for (region, bytes) in snapshot.regions().filter(|(r, _)| r.role == Role::Stack) {
            let below = snapshot.below(&region);
            let start = region.start + below;
            self.memory(&Piece::Stack(start), start, &bytes[below as usize..]);
        }
    }

    fn registers(&mut self) {
        let registers = self.input.registers;
        let mut general = [[0; words::WORD]; IDENTITY.len()];
        for (bytes, register) in general.iter_mut().zip(IDENTITY) {
            *bytes = registers.get(register).to_le_bytes();
        }
        let ignored = self.input.ignored_registers;
        self.words(&Piece::General, general.as_flattened(), ignored, 0);
        self.words(&Piece::Vector, &registers.vector, &[], 0);
    }

    /// The arena as it lies there, where that matters. What lies behind the mark was written by
    /// nobody who was given it.
    pub fn arena(&mut self) {
        let regions = || self.input.snapshot.regions().filter(|(r, _)| r.role == Role::Arena);
        let end = ARENA_BASE + self.input.snapshot.used;
        self.raw |= regions().any(|(region, bytes)| {
            let given = end.clamp(region.start, region.end) - region.start;
            bytes[given as usize..].iter().any(|&byte| byte != 0)
        });
        if !self.raw {
            return;
        }
        for (region, bytes) in regions() {
            let piece = Piece::Arena(region.start);
            self.sink.begin(&piece, bytes);
            self.sink.end();
        }
    }
}

impl<H> Input<'_, H> {
    /// The ranges of [`Input::ignored`] that reach into `range`.
    fn ignored_in(&self, range: Range<u64>) -> &[Range<u64>] {
        let first = self.ignored.partition_point(|ignored| ignored.end <= range.start);
        let behind = self.ignored[first..].partition_point(|ignored| ignored.start < range.end);
        &self.ignored[first..first + behind]
    }

    fn drops(&self, class: RootClass) -> bool {
        self.dropped.contains(&class)
    }
}

/// Which class of roots a region outside the arena and the stack is in.
fn class_of(layout: &Layout, region: &Region) -> RootClass {
    let at = match region.role {
        // Data without initial values lies right behind the file.
        Role::Anonymous => region.start - 1,
        Role::Break => return RootClass::Mapped,
        _ => region.start,
    };
    match layout.module_at(at) {
        None => RootClass::Mapped,
        Some((0, _)) => RootClass::ProgramData,
        Some(_) => RootClass::LibraryData,
    }
}
