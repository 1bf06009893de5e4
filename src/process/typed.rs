//! What is known of heap objects by the pointers that lead to them: C gives objects of the heap no
//! type, but a pointer has one, and says what it points at. From variables of the program on, every
//! pointer that types name is followed, and so is every pointer on the way to a place that is left
//! out. What is known at the end does not depend on the order in which objects lie.
//!
//! Pointers in unions are not followed, since nobody knows which of them is there; nor is `void *`.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};

use smallvec::SmallVec;

use super::arena::Hit;
use super::canonical::objects::Objects;
use super::contract::ARENA_BASE;
use super::debug::{Kind, Part, Root, Target, Type};

/// Bytes of a pointer.
const WORD: u64 = 8;
/// Pointers of one type that are followed.
const MOST: usize = 1 << 12;
/// Structures in structures and arrays in arrays.
const DEEPEST: usize = 64;
/// Things that are known of one object.
const FACTS: usize = 16;

/// The number of a type that some pointer points at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(u32);

/// Types by number, with the pointers that they hold.
#[derive(Debug, Default)]
pub struct Types(RwLock<Vec<(Type, Option<Pointers>)>>);

/// By bytes from the start, where pointers are and what they point at.
pub type Pointers = Arc<[(u64, TypeId)]>;

/// One thing that is known of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fact {
    /// Something of this type starts so many bytes from its start.
    Of(TypeId, u32),
    /// It is what the pointer with the second number leads to, on the way to the target with the first,
    /// so many bytes from its start.
    On(u32, u32, u32),
}

/// A word that leads to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Via {
    /// One outside of the heap.
    Root(u32),
    /// One in this object of the heap, by bytes from its start.
    Heap(u32, u32),
}

/// What is known of the objects of a heap.
#[derive(Debug)]
pub struct Typed<'a, H> {
    heap: &'a H,
    arena: &'a [u8],
    types: &'a Types,
    targets: &'a [Target],
    /// By the heap's number of an object.
    known: Vec<Known>,
    waiting: VecDeque<(u32, Fact)>,
}

/// What is known of an object.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// All of it.
    pub facts: SmallVec<[Fact; 2]>,
    /// The first word that leads there.
    pub via: Option<Via>,
}

impl Types {
    /// The number of `of`.
    pub fn number(&self, of: &Type) -> TypeId {
        let place = |list: &[(Type, _)]| list.iter().position(|(known, _)| known == of);
        let list = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = place(&list) {
            return TypeId(place as u32);
        }
        drop(list);
        let mut list = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let place = place(&list).unwrap_or_else(|| {
            list.push((of.clone(), None));
            list.len() - 1
        });
        TypeId(place as u32)
    }

    /// The type with this number.
    pub fn get(&self, number: TypeId) -> Type {
        self.0.read().unwrap_or_else(PoisonError::into_inner)[number.0 as usize].0.clone()
    }

    /// The pointers in it.
    pub fn pointers(&self, number: TypeId) -> Pointers {
        let list = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let (of, known) = &list[number.0 as usize];
        if let Some(pointers) = known {
            return Arc::clone(pointers);
        }
        let of = of.clone();
        drop(list);
        let pointers = self.pointers_in(&of);
        let mut list = self.0.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(list[number.0 as usize].1.get_or_insert(pointers))
    }

    /// The pointers in something of this type.
    pub fn pointers_in(&self, of: &Type) -> Pointers {
        let mut pointers = Vec::new();
        self.add(of, 0, DEEPEST, &mut pointers);
        pointers.into()
    }

    fn add(&self, of: &Type, start: u64, depth: usize, pointers: &mut Vec<(u64, TypeId)>) {
        let Some(depth) = depth.checked_sub(1) else { return };
        match of.kind() {
            Kind::Pointer => {
                if let Some(pointee) = of.pointee().filter(|of| of.kind() != Kind::Function) {
                    pointers.push((start, self.number(&pointee)));
                }
            }
            Kind::Struct => {
                for field in of.fields().iter().filter(|field| field.bits.is_none()) {
                    if let Some(inner) = of.of_field(field) {
                        self.add(&inner, start.wrapping_add(field.offset), depth, pointers);
                    }
                }
            }
            Kind::Array => {
                let element = of.element().zip(of.count());
                let Some((element, count)) = element else { return };
                let Some(size) = element.size().filter(|size| *size > 0) else { return };
                let before = pointers.len();
                for number in 0..count {
                    self.add(&element, start.wrapping_add(number * size), depth, pointers);
                    if pointers.len() == before || pointers.len() > MOST {
                        return;
                    }
                }
            }
            _ => {}
        }
    }
}

impl<'a, H: Objects> Typed<'a, H> {
    /// Nothing is known yet of the objects of `heap`, which lie in `arena`.
    pub fn new(heap: &'a H, arena: &'a [u8], types: &'a Types, targets: &'a [Target]) -> Self {
        let known = vec![Known::default(); heap.live().len()];
        Typed { heap, arena, types, targets, known, waiting: VecDeque::new() }
    }

    /// What is known of all objects, by their numbers.
    pub fn into_known(self) -> Vec<Known> {
        self.known
    }

    /// `word`, found at `via`, is a pointer to something of this type.
    pub fn pointer(&mut self, word: u64, of: TypeId, via: Via) {
        self.meet(word, via, |offset| Fact::Of(of, offset));
    }

    /// `word`, found at `via`, is the pointer with this number on the way to `target`.
    pub fn step(&mut self, word: u64, target: u32, pointer: u32, via: Via) {
        self.meet(word, via, |offset| Fact::On(target, pointer, offset));
    }

    fn meet(&mut self, word: u64, via: Via, fact: impl FnOnce(u32) -> Fact) {
        let Hit::Live { start, size, index } = self.heap.find(word) else { return };
        let offset = (word - start) as u32;
        // What is behind the end is often a part of the array that comes before.
        if offset >= size {
            return;
        }
        let known = &mut self.known[index as usize];
        known.via.get_or_insert(via);
        let fact = fact(offset);
        if known.facts.len() < FACTS && !known.facts.contains(&fact) {
            known.facts.push(fact);
            self.waiting.push_back((index, fact));
        }
    }

    /// Follow pointers until nothing more comes to be known.
    pub fn follow(&mut self) {
        while let Some((index, fact)) = self.waiting.pop_front() {
            match fact {
                Fact::Of(of, offset) => {
                    self.follow_type(index, of, offset);
                    for number in 0..self.targets.len() {
                        let root = &self.targets[number].root;
                        if matches!(root, Root::Objects(wanted) if *wanted == self.types.get(of)) {
                            self.follow_target(index, number as u32, 0, of, offset);
                        }
                    }
                }
                Fact::On(target, pointer, offset) => {
                    let next = pointer as usize + 1;
                    if let Some(part) = self.targets[target as usize].pointers.get(next) {
                        let size = self.size(index);
                        let words = bytes_of(part, u64::from(offset), size);
                        self.follow_words(index, target, next as u32, words);
                    }
                }
            }
        }
    }

    fn follow_type(&mut self, index: u32, of: TypeId, offset: u32) {
        let pointers = self.types.pointers(of);
        if pointers.is_empty() {
            return;
        }
        for start in starts(&self.types.get(of), offset.into(), self.size(index)) {
            for &(at, to) in &*pointers {
                let at = start + at;
                if let Some(word) = self.word(index, at) {
                    self.pointer(word, to, Via::Heap(index, at as u32));
                }
            }
        }
    }

    fn follow_target(&mut self, index: u32, target: u32, pointer: u32, of: TypeId, offset: u32) {
        let Some(part) = self.targets[target as usize].pointers.get(pointer as usize) else {
            return;
        };
        let size = self.size(index);
        let starts = starts(&self.types.get(of), offset.into(), size);
        let words = starts.flat_map(|start| bytes_of(part, start, size)).collect();
        self.follow_words(index, target, pointer, words);
    }

    fn follow_words(&mut self, index: u32, target: u32, pointer: u32, words: Vec<Range<u64>>) {
        for range in words {
            if let Some(word) =
                self.word(index, range.start).filter(|_| range.end - range.start == WORD)
            {
                self.step(word, target, pointer, Via::Heap(index, range.start as u32));
            }
        }
    }

    /// Add what the targets leave out of an object: ascending ranges that do not overlap.
    pub fn left_out(&self, index: u32, ranges: &mut Vec<Range<usize>>) {
        let size = self.size(index);
        let facts = &self.known[index as usize].facts;
        for fact in facts {
            match *fact {
                Fact::On(target, pointer, offset) => {
                    let target = &self.targets[target as usize];
                    if target.pointers.len() == pointer as usize + 1 {
                        add(ranges, bytes_of(&target.bytes, offset.into(), size));
                    }
                }
                Fact::Of(of, offset) => {
                    let of = self.types.get(of);
                    for target in self.targets.iter().filter(|target| target.pointers.is_empty()) {
                        if matches!(&target.root, Root::Objects(wanted) if *wanted == of) {
                            let all = starts(&of, offset.into(), size);
                            // With something else in it, it is no array.
                            let most = if self.is_one(facts, &of) { usize::MAX } else { 1 };
                            let bytes = |start| bytes_of(&target.bytes, start, size);
                            add(ranges, all.take(most).flat_map(bytes).collect());
                        }
                    }
                }
            }
        }
        join(ranges);
    }

    /// Whether no structure but `of` is known in an object.
    fn is_one(&self, facts: &[Fact], of: &Type) -> bool {
        facts.iter().all(|fact| match fact {
            Fact::Of(other, _) => {
                let other = self.types.get(*other);
                other == *of || !other.is_aggregate()
            }
            Fact::On(..) => true,
        })
    }

    fn size(&self, index: u32) -> u64 {
        self.heap.live()[index as usize].size.into()
    }

    fn word(&self, index: u32, at: u64) -> Option<u64> {
        if at.checked_add(WORD)? > self.size(index) {
            return None;
        }
        let start = self.heap.live()[index as usize].start.checked_sub(ARENA_BASE)?;
        let at = usize::try_from(start.checked_add(at)?).ok()?;
        Some(u64::from_le_bytes(self.arena.get(at..at + WORD as usize)?.try_into().ok()?))
    }
}

/// Where something of type `of` starts in an object of `size` bytes in which one is at `offset`: an
/// object that such things fill is an array of them.
pub fn starts(of: &Type, offset: u64, size: u64) -> impl Iterator<Item = u64> + use<> {
    let stride = of.size().filter(|stride| *stride > 0);
    let fills =
        stride.filter(|stride| offset.is_multiple_of(*stride) && size.is_multiple_of(*stride));
    let first = if fills.is_some() { 0 } else { offset };
    let end = if fills.is_some() { size } else { first + 1 };
    (first..end).step_by(fills.unwrap_or(1) as usize)
}

/// The bytes of `part` in an object of `size` bytes, counted from `start`.
pub fn bytes_of(part: &Part, start: u64, size: u64) -> Vec<Range<u64>> {
    let shifted = |bytes: &[Range<u64>], by: u64| -> Vec<Range<u64>> {
        let shift = |range: &Range<u64>| {
            let place = |at: u64| at.saturating_add(by).min(size);
            place(range.start)..place(range.end)
        };
        bytes.iter().map(shift).filter(|range| !range.is_empty()).collect()
    };
    match part {
        Part::Whole => std::iter::once(0..size).collect(),
        Part::Bytes(bytes) => shifted(bytes, start),
        Part::Repeated { stride, bytes } => {
            let starts = (start..size).step_by((*stride).max(1) as usize);
            starts.flat_map(|start| shifted(bytes, start)).collect()
        }
    }
}

fn add(ranges: &mut Vec<Range<usize>>, bytes: Vec<Range<u64>>) {
    ranges.extend(bytes.into_iter().map(|range| range.start as usize..range.end as usize));
}

/// Bring `ranges` into order, and make one of those that touch.
pub fn join<T: Ord + Copy>(ranges: &mut Vec<Range<T>>) {
    ranges.retain(|range| range.start < range.end);
    ranges.sort_by_key(|range| (range.start, range.end));
    ranges.dedup_by(|next, last| {
        let touches = next.start <= last.end;
        if touches {
            last.end = last.end.max(next.end);
        }
        touches
    });
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, clippy::reversed_empty_ranges)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_counted_from_where_a_pointer_points_and_end_with_the_object() {
        let bytes = |part: &Part, start, size| bytes_of(part, start, size);
        let two = [4..8, 12..16];
        assert_eq!(bytes(&Part::Whole, 8, 20), std::slice::from_ref(&(0..20)));
        assert_eq!(bytes(&Part::Bytes(two.to_vec()), 2, 16), [6..10, 14..16]);
        assert_eq!(bytes(&Part::Bytes(two.to_vec()), 20, 16), []);
        let repeated = Part::Repeated { stride: 8, bytes: std::iter::once(4..6).collect() };
        assert_eq!(bytes(&repeated, 0, 20), [4..6, 12..14]);
        assert_eq!(bytes(&repeated, 8, 21), [12..14, 20..21]);
    }

    #[test]
    fn ranges_that_touch_become_one() {
        let mut ranges = vec![8..9, 0..4, 4..4, 2..6, 6..7];
        join(&mut ranges);
        assert_eq!(ranges, [0..7, 8..9]);
    }
}
