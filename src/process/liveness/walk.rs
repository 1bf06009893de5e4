//! From the innermost frame of a stopped program outward: which calls are under way; and inward
//! again: what of their frames and of the registers nobody will read before it is written.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};

use super::code::Code;
use super::flow::RED_ZONE;
use super::point::Point;
use super::reads::{Register, RegisterSet};

/// Frames that are looked at; what lies above is unknown.
pub const DEEPEST: usize = 512;
/// Stands at the end of a chain that could not be followed to its start.
pub const CUT: u64 = u64::MAX;

/// What the walk starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// The instruction pointer: where the program goes on behind its system call.
    pub ip: u64,
    /// The stack pointer.
    pub sp: u64,
    /// The frame pointer.
    pub bp: u64,
}

/// A file as it is mapped.
#[derive(Clone, Debug)]
pub struct Module {
    /// The addresses that it is mapped at.
    pub range: Range<u64>,
    /// The address of something minus its linked address.
    pub bias: u64,
    /// Its code, if it could be read.
    pub code: Option<Arc<Code>>,
}

/// A function that has called another, or the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Where it goes on: the return address of what it called; for the first frame, the instruction
    /// pointer.
    pub return_address: u64,
    /// Its canonical frame address: the stack pointer of its caller behind the call.
    pub cfa: u64,
    /// The number of its module.
    pub module: usize,
    /// Its stack pointer while it waits.
    pub sp: u64,
    /// Where what it keeps in each register of [`Register::PRESERVED`] is meanwhile: the address at
    /// which an inner frame has saved it, or `None` for the register itself.
    pub saved: [Option<u64>; 6],
}

/// The stack of a stopped program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stack {
    /// The frames, innermost first.
    pub frames: Vec<Frame>,
    /// Bytes of the stack that are written before they are read, ascending and apart. Of what lies
    /// below the stack pointer only the red zone is considered.
    pub dead: Vec<Range<u64>>,
    /// Registers that are written before they are read, in the state behind the system call. A call
    /// that is entered anew still needs those of [`RegisterSet::CALL`].
    pub dead_registers: RegisterSet,
    /// The return address that no frame was found for.
    pub lost: Option<u64>,
    /// Whether the frames are followed to the start of the program.
    pub complete: bool,
}

impl Stack {
    /// As [`Walker::callers`] has them.
    pub fn callers(&self) -> Vec<u64> {
        chain(self.frames.iter(), self.lost, self.complete)
    }
}

/// Walks the stacks of programs that are mapped alike.
#[derive(Debug)]
pub struct Walker {
    modules: Vec<Module>,
    points: RwLock<HashMap<u64, Option<Place>>>,
}

#[derive(Clone, Debug)]
struct Place {
    module: usize,
    point: Arc<Point>,
}

struct Walk {
    frames: Vec<(Frame, Arc<Point>)>,
    /// The return address that no frame was found for.
    lost: Option<u64>,
    complete: bool,
}

impl Walker {
    /// For programs in which these files are mapped.
    pub fn new(modules: Vec<Module>) -> Self {
        Walker { modules, points: RwLock::default() }
    }

    /// The return addresses of the calls under way, innermost first; at the end [`CUT`] where they
    /// could not be followed to the start of the program.
    pub fn callers(&self, start: Start, read: impl FnMut(u64, &mut [u8]) -> bool) -> Vec<u64> {
        let walk = self.walk(start, read);
        chain(walk.frames.iter().map(|(frame, _)| frame), walk.lost, walk.complete)
    }

    /// The stack, and what of it is dead. `read` fills a buffer from an address, or says that it
    /// cannot.
    pub fn stack(&self, start: Start, read: impl FnMut(u64, &mut [u8]) -> bool) -> Stack {
        let walk = self.walk(start, read);
        let lives = lives(&walk.frames);
        let Walk { lost, complete, .. } = walk;
        let mut stack = Stack { lost, complete, ..Stack::default() };
        let innermost = lives.first().copied().unwrap_or(RegisterSet::ALL);
        stack.dead_registers =
            RegisterSet::ALL.without(innermost).without(RegisterSet::of(&[Register::RSP]));
        // Up to where arguments of the callee reach; at first, the end of the red zone.
        let mut arguments = start.sp.saturating_sub(RED_ZONE);
        for (number, (frame, point)) in walk.frames.iter().enumerate() {
            let live = lives.get(number + 1).copied().unwrap_or(RegisterSet::ALL);
            for run in point.slots.iter().filter(|run| !run.reads.under(live)) {
                let start = frame.cfa.wrapping_add_signed(run.start.into()).max(arguments);
                let end = frame.cfa.wrapping_add_signed(run.end.into());
                match stack.dead.last_mut() {
                    _ if start >= end => {}
                    Some(last) if last.end == start => last.end = end,
                    _ => stack.dead.push(start..end),
                }
            }
            arguments = frame.cfa.saturating_add_signed(point.incoming.into());
            stack.frames.push(*frame);
        }
        stack
    }

    fn walk(&self, start: Start, read: impl FnMut(u64, &mut [u8]) -> bool) -> Walk {
        let mut window = Window { read, start: 0, bytes: Vec::new() };
        let mut walk = Walk { frames: Vec::new(), lost: None, complete: false };
        let Start { mut ip, mut sp, mut bp } = start;
        let mut saved = [None; 6];
        loop {
            let Some(place) = self.place(ip) else {
                walk.lost = (!walk.frames.is_empty()).then_some(ip);
                return walk;
            };
            let point = &place.point;
            // A cut chain ends behind as many return addresses as a whole one may have.
            if walk.frames.len() > DEEPEST {
                return walk;
            }
            if !point.returns {
                let (return_address, module) = (ip, place.module);
                let frame = Frame { return_address, cfa: sp, module, sp, saved };
                walk.frames.push((frame, place.point));
                walk.complete = true;
                return walk;
            }
            let cfa = point.cfa.and_then(|cfa| {
                let base = if cfa.register == Register::RBP { bp } else { sp };
                base.checked_add_signed(cfa.offset.into()).filter(|&cfa| cfa > sp && cfa % 8 == 0)
            });
            let next = cfa.and_then(|cfa| {
                let saved = point.saved[1];
                let bp = match saved {
                    Some(offset) => window.word(cfa.checked_add_signed(offset.into())?)?,
                    None => bp,
                };
                Some((cfa, window.word(cfa - 8)?, bp))
            });
            let Some((cfa, return_address, outer)) = next else {
                walk.lost = (!walk.frames.is_empty()).then_some(ip);
                return walk;
            };
            let frame = Frame { return_address: ip, cfa, module: place.module, sp, saved };
            for (slot, offset) in saved.iter_mut().zip(point.saved) {
                *slot = offset.map(|offset| cfa.wrapping_add_signed(offset.into())).or(*slot);
            }
            walk.frames.push((frame, place.point));
            if return_address == 0 {
                walk.complete = true;
                return walk;
            }
            (ip, sp, bp) = (return_address, cfa, outer);
        }
    }

    fn place(&self, ip: u64) -> Option<Place> {
        let known = self.points.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = known.get(&ip) {
            return place.clone();
        }
        drop(known);
        // The call may be the last instruction of its module.
        let call = ip.wrapping_sub(1);
        let of = |(number, module): (usize, &Module)| {
            let point = module.code.as_ref()?.at(ip.wrapping_sub(module.bias))?;
            Some(Place { module: number, point })
        };
        let mut modules = self.modules.iter().enumerate();
        let place = modules.find(|(_, module)| module.range.contains(&call)).and_then(of);
        let mut known = self.points.write().unwrap_or_else(PoisonError::into_inner);
        known.entry(ip).or_insert(place).clone()
    }
}

fn chain<'f>(
    frames: impl Iterator<Item = &'f Frame>,
    lost: Option<u64>,
    complete: bool,
) -> Vec<u64> {
    let frames = frames.skip(1).map(|frame| frame.return_address);
    frames.chain(lost).chain((!complete).then_some(CUT)).collect()
}

/// By frame, the registers that are read behind its return address.
fn lives(frames: &[(Frame, Arc<Point>)]) -> Vec<RegisterSet> {
    let mut lives = vec![RegisterSet::ALL; frames.len()];
    let mut live = RegisterSet::ALL;
    let results = results(frames);
    for (number, (_, point)) in frames.iter().enumerate().rev() {
        live = point.live(live);
        if let Some((_, possible)) = results.filter(|(frame, _)| *frame == number) {
            live = live.without(RegisterSet::RESULTS.without(possible));
        }
        lives[number] = live;
    }
    lives
}

/// The innermost frame that takes a result from the one that it called by convention, and the
/// registers that this may have left it in. A register that nothing has filled holds no result.
fn results(frames: &[(Frame, Arc<Point>)]) -> Option<(usize, RegisterSet)> {
    let (_, innermost) = frames.first()?;
    let mut possible = innermost.results;
    for (number, (_, point)) in frames.iter().enumerate().skip(1) {
        if point.convention {
            return Some((number, possible));
        }
        possible = possible.union(point.results);
    }
    None
}

/// A piece of the stack, since reading it in one piece is cheaper than by words.
struct Window<R> {
    read: R,
    start: u64,
    bytes: Vec<u8>,
}

impl<R: FnMut(u64, &mut [u8]) -> bool> Window<R> {
    /// Bytes that are read ahead.
    const AHEAD: usize = 2048;

    fn word(&mut self, address: u64) -> Option<u64> {
        if self.held(address).is_none() {
            self.bytes.resize(Self::AHEAD, 0);
            self.start = address;
            if !(self.read)(address, &mut self.bytes) {
                // The end of the stack is near.
                self.bytes.truncate(8);
                if !(self.read)(address, &mut self.bytes) {
                    self.bytes.clear();
                }
            }
        }
        self.held(address)
    }

    fn held(&self, address: u64) -> Option<u64> {
        let skipped = usize::try_from(address.checked_sub(self.start)?).ok()?;
        let word = self.bytes.get(skipped..)?.first_chunk()?;
        Some(u64::from_le_bytes(*word))
    }
}
