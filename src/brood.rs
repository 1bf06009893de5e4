//! What the steps out of worlds lead to, until somebody has looked at it. The worlds are in one piece of
//! memory, which is used again and again: each is made where it stays, so that it is copied only if it
//! turns out to be new.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use crate::action::Action;
use crate::short;
use crate::system::Stop;
use crate::world::Touched;

/// Worlds start at multiples of this: properties may read them as a core's state.
pub const ALIGNMENT: usize = 16;

/// More bytes than this do not stay in the cache beside what else a search needs.
const MANY: usize = 1 << 16;

/// Worlds of one length, at equal distances.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// The action that leads to the first. The others have its kind and subject, and the arguments
    /// behind its.
    pub action: Action,
    /// How many there are; none where the action leads to no world.
    pub count: u32,
    /// Where the first starts.
    pub start: usize,
    /// Bytes from one to the next.
    pub stride: usize,
    /// Bytes of each.
    pub len: usize,
    /// Where they may differ from the world that the steps start from.
    pub touched: Touched,
}

impl Run {
    /// The action that leads to the `nth` of them.
    #[inline]
    pub fn action(&self, nth: u32) -> Action {
        self.action.nth(nth)
    }
}

/// Successors, in order.
#[derive(Debug, Default)]
pub struct Brood {
    memory: Vec<u8>,
    /// Where worlds begin in it: at a multiple of their alignment.
    first: usize,
    /// Bytes of them from there on.
    end: usize,
    runs: Vec<Run>,
    /// Why runs without worlds have none, in their order.
    stops: VecDeque<Stop>,
}

impl Brood {
    /// Append a world that an action leads to, which may differ from the one before only where it is
    /// `touched`.
    #[inline]
    pub fn push(&mut self, action: Action, touched: Touched, world: &[u8]) {
        let (start, len) = (self.keep(world), world.len());
        self.runs.push(Run { action, count: 1, start, stride: len, len, touched });
    }

    /// Bytes of memory that it takes.
    pub fn memory(&self) -> usize {
        self.memory.capacity() + self.runs.capacity() * size_of::<Run>()
    }

    /// An action leads to no world.
    pub fn stop(&mut self, action: Action, stop: Stop) {
        let (count, touched) = (0, Touched::ALL);
        self.runs.push(Run { action, count, start: 0, stride: 0, len: 0, touched });
        self.stops.push_back(stop);
    }

    /// Keep a world, of which nobody needs to be told; answers where it starts.
    #[inline]
    pub fn keep(&mut self, world: &[u8]) -> usize {
        let start = self.end;
        short::copy(world, self.room(world.len()));
        self.end = start + world.len().next_multiple_of(ALIGNMENT);
        start
    }

    /// Memory behind what is kept, where worlds can be made before they are [`Brood::append`]ed. What is
    /// there, nobody knows.
    #[inline]
    pub fn room(&mut self, len: usize) -> &mut [u8] {
        let start = self.first + self.end;
        if self.memory.len().saturating_sub(start) < len {
            self.grow(len);
        }
        let start = self.first + self.end;
        &mut self.memory[start..][..len]
    }

    /// Append worlds that were made in the [`Brood::room`] for `len` bytes; the run starts there at 0.
    #[inline]
    pub fn append(&mut self, run: Run, len: usize) {
        self.runs.push(Run { start: self.end + run.start, ..run });
        self.end += len.next_multiple_of(ALIGNMENT);
    }

    /// Whether there are enough of them to be looked at before more follow.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.end > MANY
    }

    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.end == 0 && self.runs.is_empty()
    }

    /// The bytes that worlds are in.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.memory[self.first..]
    }

    /// Call `each` with the runs that nobody was told of, each with the bytes that it is in or with why
    /// there is no world, until it breaks. The worlds stay where they are.
    #[inline]
    pub fn tell(
        &mut self,
        mut each: impl FnMut(&Run, Result<&[u8], Stop>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Brood { memory, first, runs, stops, .. } = self;
        let bytes = &memory[*first..];
        let ended = runs.iter().try_for_each(|run| match run.count {
            0 => stops.pop_front().map_or(ControlFlow::Continue(()), |stop| each(run, Err(stop))),
            _ => each(run, Ok(bytes)),
        });
        self.tell_nobody();
        ended
    }

    /// Nobody is told of what nobody was told of so far.
    #[inline]
    pub fn tell_nobody(&mut self) {
        self.runs.clear();
        if !self.stops.is_empty() {
            self.stops.clear();
        }
    }

    /// Forget all.
    #[inline]
    pub fn clear(&mut self) {
        self.tell_nobody();
        self.end = 0;
    }

    /// Call `each` with what nobody was told of, one by one, until it breaks; then forget all.
    pub fn each(
        &mut self,
        mut each: impl FnMut(Action, Touched, Result<&[u8], Stop>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let ended = self.tell(|run, told| match told {
            Err(stop) => each(run.action, run.touched, Err(stop)),
            Ok(bytes) => (0..run.count).try_for_each(|nth| {
                let world = &bytes[run.start + nth as usize * run.stride..][..run.len];
                each(run.action(nth), run.touched, Ok(world))
            }),
        });
        self.clear();
        ended
    }

    /// Make room for `len` bytes more.
    #[cold]
    fn grow(&mut self, len: usize) {
        let size = (self.end + len).next_power_of_two().max(1 << 12);
        let mut memory = vec![0; size + ALIGNMENT];
        let first = memory.as_ptr().align_offset(ALIGNMENT);
        memory[first..first + self.end].copy_from_slice(&self.memory[self.first..][..self.end]);
        (self.memory, self.first) = (memory, first);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Kind;
    use crate::error::Error;

    fn action(argument: u32) -> Action {
        Action { kind: Kind::Fire, subject: 2, argument }
    }

    #[test]
    fn what_was_born_is_told_in_order_and_each_world_stands_aligned() {
        let mut brood = Brood::default();
        for round in 1..4 {
            let mut expected = Vec::new();
            for number in 0..200u32 {
                match number % 3 {
                    0 => {
                        let world = vec![number as u8; number as usize * round * 8];
                        brood.push(action(number), Touched::ALL, &world);
                        expected.push((action(number), Some(world)));
                    }
                    1 => {
                        brood.stop(action(number), Error::Interrupted.into());
                        expected.push((action(number), None));
                    }
                    _ => {
                        let room = brood.room(3 * 32);
                        (0..3).for_each(|at| room[at * 32..][..5].fill(at as u8));
                        let run = Run {
                            action: action(number),
                            count: 3,
                            start: 0,
                            stride: 32,
                            len: 5,
                            touched: Touched::ALL,
                        };
                        brood.append(run, 3 * 32);
                        expected.extend(
                            (0..3).map(|at| (action(number + at), Some(vec![at as u8; 5]))),
                        );
                    }
                }
            }
            assert!(round == 1 || brood.is_full());
            let mut told = Vec::new();
            let ended = brood.each(|action, _, world| {
                if let Ok(world) = world {
                    assert!(world.as_ptr().addr().is_multiple_of(ALIGNMENT));
                }
                told.push((action, world.ok().map(<[u8]>::to_vec)));
                ControlFlow::Continue(())
            });
            assert!(ended.is_continue() && brood.is_empty() && told == expected);
        }
    }

    #[test]
    fn behind_a_break_nothing_is_told_and_nothing_stays() {
        let mut brood = Brood::default();
        (0..5).for_each(|at| brood.push(action(at), Touched::ALL, &[at as u8]));
        let mut told = 0;
        let ended = brood.each(|_, _, _| {
            told += 1;
            if told < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        assert!(ended.is_break() && told == 3 && brood.is_empty());
    }
}
