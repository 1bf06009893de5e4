//! What the author of a model leaves out of the states of a program of kind `memory`: counters,
//! statistics, receive buffers. The program keeps what is there. It is left out of the identity alone,
//! so that states come to have several memories, and the audit executes their steps from each.

use std::ops::Range;

use super::binaries::{Binaries, Binary, Variables};
use super::canonical::Paths;
use super::canonical::objects::Objects;
use super::debug::{DebugInfo, Local, Part, Place, Root, Target};
use super::liveness::{Frame, Stack};
use super::registers::{IDENTITY, Registers};
use super::seats::{self, Seat, SeatPlace, Standing};
use super::snapshot::Snapshot;
use super::typed::{TypeId, Typed, Types, Via, bytes_of, join};

/// Bytes of a register.
const WORD: usize = 8;

/// What is left out of the states of a program.
#[derive(Debug, Default)]
pub struct Ignore {
    targets: Vec<Target>,
    /// Data of the program.
    data: Vec<Range<u64>>,
    /// Addresses of pointers in its data, from which a target is reached.
    pointers: Vec<(u64, u32)>,
    /// Addresses of all pointers in its data, and what they point at; only if types of heap objects
    /// matter.
    typed: Vec<(u64, TypeId)>,
    has_types: bool,
    has_locals: bool,
    has_heap: bool,
    types: Types,
}

/// What is left out of one node.
#[derive(Debug)]
pub struct LeftOut<'a, H> {
    /// Of data and stack: ascending ranges that do not overlap.
    pub memory: Vec<Range<u64>>,
    /// Of the general registers, by bytes from the first of the identity, alike.
    pub registers: Vec<Range<usize>>,
    heap: Option<Typed<'a, H>>,
}

/// A node that waits, as far as it matters here.
#[derive(Clone, Copy, Debug)]
pub struct Waiting<'a> {
    /// Its memory.
    pub snapshot: &'a Snapshot,
    /// What it can still read of its registers.
    pub registers: &'a Registers,
    /// Its stack.
    pub stack: &'a Stack,
}

impl<'a> Waiting<'a> {
    /// One of its frames, which is one of the program.
    pub fn standing(self, frame: &'a Frame, binaries: &Binaries) -> Standing<'a> {
        let Waiting { snapshot, registers, stack } = self;
        let innermost = stack.frames.first().is_some_and(|first| std::ptr::eq(first, frame));
        let bias = binaries.program().map_or(0, Binary::bias);
        Standing { frame, innermost, bias, snapshot, registers }
    }
}

/// What `place` is in `program`, and that it can be left out; or why not.
pub fn target(place: &Place, program: &DebugInfo) -> Result<Target, String> {
    let target = place.resolve(program)?;
    match (&target.root, target.pointers.first().unwrap_or(&target.bytes)) {
        (Root::Static(_) | Root::Local { .. }, Part::Repeated { .. }) => {
            Err(format!("\"{place}\": its length is not known in this program"))
        }
        _ => Ok(target),
    }
}

impl Ignore {
    /// What `places` are in the program, whose files are mapped as `binaries` says.
    pub fn new(places: &[Place], binaries: &Binaries) -> Result<Self, String> {
        let mut ignore = Ignore::default();
        let Some(program) = binaries.program().filter(|_| !places.is_empty()) else {
            return Ok(ignore);
        };
        for (number, place) in places.iter().enumerate() {
            let target = target(place, program.debug())?;
            ignore.has_heap |= !target.pointers.is_empty();
            match &target.root {
                Root::Static(address) => {
                    let start = address.wrapping_add(program.bias());
                    match target.pointers.first() {
                        None => ignore.data.extend(bytes_of(&target.bytes, start, u64::MAX)),
                        Some(part) => {
                            let words = bytes_of(part, start, u64::MAX);
                            let pointers = words.iter().map(|word| (word.start, number as u32));
                            ignore.pointers.extend(pointers);
                        }
                    }
                }
                Root::Local { .. } => ignore.has_locals = true,
                Root::Objects(_) => (ignore.has_types, ignore.has_heap) = (true, true),
            }
            ignore.targets.push(target);
        }
        join(&mut ignore.data);
        if ignore.has_types {
            ignore.typed = typed_data(binaries, &ignore.types);
        }
        Ok(ignore)
    }

    /// What is left out of `node`, whose objects are those of `heap`.
    pub fn left_out<'a, H: Objects>(
        &'a self,
        node: Waiting<'a>,
        heap: &'a H,
        binaries: &Binaries,
    ) -> LeftOut<'a, H> {
        let mut left = LeftOut { memory: Vec::new(), registers: Vec::new(), heap: None };
        left.memory.clone_from(&self.data);
        let mut typed = self
            .has_heap
            .then(|| Typed::new(heap, node.snapshot.arena(), &self.types, &self.targets));
        if let Some(typed) = &mut typed {
            // Nobody asks here where a pointer is.
            let via = Via::Root(0);
            for &(address, target) in &self.pointers {
                if let Some(word) = node.snapshot.word(address) {
                    typed.step(word, target, 0, via);
                }
            }
            for &(address, of) in &self.typed {
                if let Some(word) = node.snapshot.word(address) {
                    typed.pointer(word, of, via);
                }
            }
        }
        if self.has_locals || self.has_types {
            binaries.each_frame(node.stack, |frame, variables| {
                self.locals(&node.standing(frame, binaries), variables, &mut left, &mut typed);
            });
        }
        join(&mut left.memory);
        join(&mut left.registers);
        if let Some(typed) = &mut typed {
            typed.follow();
        }
        LeftOut { heap: typed, ..left }
    }

    fn locals<H: Objects>(
        &self,
        standing: &Standing<'_>,
        variables: &Variables,
        left: &mut LeftOut<'_, H>,
        typed: &mut Option<Typed<'_, H>>,
    ) {
        for local in &variables.locals {
            for (number, target) in self.targets.iter().enumerate() {
                let Root::Local { function, name } = &target.root else { continue };
                if (function, name) != (&local.function, &local.name) {
                    continue;
                }
                let (size, seats) = seats_of(standing, local);
                let Some(pointer) = target.pointers.first() else {
                    let bytes = bytes_of(&target.bytes, 0, size);
                    match local.in_scope {
                        true => bytes.iter().for_each(|range| left.add(&seats, range)),
                        false => left.add_out_of_scope(standing, variables, local, &bytes),
                    }
                    continue;
                };
                let typed = typed.as_mut().filter(|_| local.in_scope);
                let Some(typed) = typed else { continue };
                for range in bytes_of(pointer, 0, size) {
                    let word = seats::find(&seats, range.start);
                    let word = word.filter(|(_, room)| *room >= WORD as u64);
                    if let Some(word) = word.and_then(|(place, _)| standing.word(place)) {
                        typed.step(word, number as u32, 0, Via::Root(0));
                    }
                }
            }
            if let (true, true, Some(typed)) = (self.has_types, local.in_scope, &mut *typed) {
                each_pointer(standing, local, &self.types, |_, word, of| {
                    typed.pointer(word, of, Via::Root(0));
                });
            }
        }
    }
}

impl<H> LeftOut<'_, H> {
    /// Leave out these bytes of a variable.
    fn add(&mut self, seats: &[Seat], bytes: &Range<u64>) {
        for seat in seats {
            let start = bytes.start.max(seat.from);
            let end = bytes.end.min(seat.from + seat.size);
            if start >= end {
                continue;
            }
            let (start, end) = (start - seat.from, end - seat.from);
            match seat.place {
                SeatPlace::Memory(address) => {
                    self.memory.push(address.wrapping_add(start)..address.wrapping_add(end));
                }
                SeatPlace::Register(register) => {
                    if let Some(place) = IDENTITY.iter().position(|known| *known == register) {
                        let place = place * WORD;
                        self.registers.push(place + start as usize..place + end as usize);
                    }
                }
            }
        }
    }

    /// The same of a variable that is out of scope, but for what has gone to one in scope.
    fn add_out_of_scope(
        &mut self,
        standing: &Standing<'_>,
        variables: &Variables,
        local: &Local,
        bytes: &[Range<u64>],
    ) {
        // One that is moved about has no place then.
        if !local.fixed {
            return;
        }
        let mut own = LeftOut::<H> { memory: Vec::new(), registers: Vec::new(), heap: None };
        bytes.iter().for_each(|range| own.add(&seats_of(standing, local).1, range));
        join(&mut own.memory);
        let mut taken = Vec::new();
        for other in variables.locals.iter().filter(|other| other.in_scope) {
            for seat in seats_of(standing, other).1 {
                if let SeatPlace::Memory(start) = seat.place {
                    taken.push(start..start.wrapping_add(seat.size));
                }
            }
        }
        join(&mut taken);
        own.memory.iter().for_each(|range| self.memory.extend(without(range, &taken)));
    }
}

impl<H: Objects> LeftOut<'_, H> {
    /// What is left out of heap objects, if anything is.
    pub fn paths(&self) -> Option<&dyn Paths> {
        self.heap.as_ref().map(|heap| -> &dyn Paths { heap })
    }
}

impl<H: Objects> Paths for Typed<'_, H> {
    fn ignored(&self, index: u32, _: u32, ranges: &mut Vec<Range<usize>>) {
        self.left_out(index, ranges);
    }
}

/// What of `range` is in none of `taken`, which are in order and apart.
fn without(range: &Range<u64>, taken: &[Range<u64>]) -> Vec<Range<u64>> {
    let (mut left, mut from) = (Vec::new(), range.start);
    for other in taken.iter().filter(|other| other.start < range.end && range.start < other.end) {
        left.push(from..other.start.max(from));
        from = other.end;
    }
    left.push(from..range.end.max(from));
    left.retain(|range| !range.is_empty());
    left
}

/// The size of a variable, and where it is.
pub fn seats_of(standing: &Standing<'_>, local: &Local) -> (u64, seats::Seats) {
    let size = local.size.unwrap_or(0);
    (size, standing.seats(&local.location, size))
}

/// Call `each` with every pointer that the type of a variable names: by bytes from its start, the word,
/// and what it points at.
pub fn each_pointer(
    standing: &Standing<'_>,
    local: &Local,
    types: &Types,
    mut each: impl FnMut(u64, u64, TypeId),
) {
    let Some(of) = &local.of else { return };
    let (_, seats) = seats_of(standing, local);
    for &(at, to) in &*types.pointers_in(of) {
        let place = seats::find(&seats, at).filter(|(_, room)| *room >= WORD as u64);
        if let Some(word) = place.and_then(|(place, _)| standing.word(place)) {
            each(at, word, to);
        }
    }
}

/// Addresses of all pointers in data of the program, and what they point at.
pub fn typed_data(binaries: &Binaries, types: &Types) -> Vec<(u64, TypeId)> {
    let Some(program) = binaries.program() else { return Vec::new() };
    let mut found = Vec::new();
    for variable in program.debug().statics() {
        let Some(of) = &variable.of else { continue };
        let start = variable.address.wrapping_add(program.bias());
        found.extend(types.pointers_in(of).iter().map(|&(at, to)| (start.wrapping_add(at), to)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_belongs_to_others_stays() {
        let cut = |taken: &[Range<u64>]| without(&(8..24), taken);
        for taken in [&[][..], &[0..8, 24..32]] {
            assert_eq!(cut(taken), std::slice::from_ref(&(8..24)));
        }
        assert_eq!(cut(&[0..10, 12..16, 20..40]), [10..12, 16..20]);
        assert_eq!(cut(&[0..20, 20..40]), []);
    }
}
