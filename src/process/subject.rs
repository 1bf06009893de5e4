//! What is known of a program of kind `memory` beyond one process of it: what it holds at its boot, its
//! code, and what its author left out of its state.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::arena::Heap;
use super::canonical::boot::Boot;
use super::canonical::{self, Form, Input, RootClass, Scratch};
use super::debug::DebugInfo;
use super::liveness::Stack;
use super::normal;
use super::phases::{Phase, Phases};
use super::registers::Registers;
use super::snapshot::Snapshot;
use super::stdio::Streams;

/// A program of kind `memory`.
#[derive(Debug)]
pub struct Subject {
    boot: Boot,
    /// The streams of its libc, and where that is loaded.
    streams: Option<(Streams, u64)>,
    /// What its author knows of it.
    debug: DebugInfo,
    /// Where its own code is,
    code: Range<u64>,
    /// minus where it was linked.
    bias: u64,
    /// By return address, what is out of scope there.
    scopes: Mutex<HashMap<u64, Arc<[Range<i64>]>>>,
}

/// A node of kind `memory` that was read and brought to its normal form.
#[derive(Debug)]
pub struct Read {
    /// The node, as it goes on.
    pub snapshot: Snapshot,
    /// What it can still read of its registers.
    pub registers: Registers,
    /// Its stack.
    pub stack: Stack,
    /// The words that the checker holds for it.
    pub held: Vec<u64>,
}

/// The form of a node in two placements.
#[derive(Debug)]
pub struct Compared {
    /// The form of the node itself.
    pub digest: u128,
    /// Which word holds an address that cannot be followed, if one does.
    pub hidden: Option<String>,
}

thread_local! {
    static SCRATCH: RefCell<(Heap, Heap, Scratch)> = RefCell::default();
}

impl Subject {
    /// The program at `path`, which is loaded at `bias`, as it is at its hello: `boot`.
    pub fn new(path: &Path, bias: u64, boot: &Snapshot) -> Self {
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let own = boot.layout.modules.iter().find(|module| module.path == real);
        let code = own.map_or(0..0, |module| module.range.clone());
        let mut modules = boot.layout.modules.iter();
        let libc = modules.find(|module| {
            let name = module.path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| name.starts_with("libc.so"))
        });
        let streams = libc.and_then(|libc| {
            let bytes = fs::read(&libc.path).ok()?;
            Some((Streams::of(&bytes)?, libc.range.start))
        });
        Subject {
            boot: Boot::new(boot),
            streams,
            debug: DebugInfo::open(path),
            code,
            bias,
            scopes: Mutex::default(),
        }
    }

    /// What is dead in the memory of a node beside what machine code shows: in the buffers of its
    /// streams, and of its variables what is out of scope.
    pub fn dead(&self, snapshot: &Snapshot, stack: &Stack, arguments: &[u64]) -> Vec<Range<u64>> {
        let mut dead = self.out_of_scope(stack);
        // C lets no address of such a variable be used. A compiler may use one, or the bytes, for what
        // has no name.
        dead.retain(|range| !points_into(snapshot, stack, arguments, range));
        let Some((streams, bias)) = self.streams else { return dead };
        dead.extend(streams.dead(bias, |address, buffer| {
            let bytes = snapshot.bytes(address, buffer.len());
            bytes.map(|bytes| buffer.copy_from_slice(bytes)).is_some()
        }));
        dead
    }

    fn out_of_scope(&self, stack: &Stack) -> Vec<Range<u64>> {
        let own = stack.frames.iter().filter(|frame| self.code.contains(&frame.return_address));
        let mut dead = Vec::new();
        for frame in own {
            for bytes in &*self.scopes_at(frame.return_address) {
                let at = |offset| frame.cfa.wrapping_add_signed(offset);
                dead.push(at(bytes.start)..at(bytes.end));
            }
        }
        dead
    }

    /// The bytes that are out of scope at a return address, from the canonical frame address.
    fn scopes_at(&self, return_address: u64) -> Arc<[Range<i64>]> {
        let mut known = self.scopes.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.entry(return_address).or_insert_with(|| {
            let dead = self.debug.dead_ranges(return_address.wrapping_sub(self.bias));
            dead.into_iter().map(|dead| dead.bytes).collect()
        });
        Arc::clone(found)
    }

    /// The canonical form of `read`, and whether that of its `twin`, whose heap lies otherwise, is the
    /// same. An error says what is wrong with the heap.
    pub fn form(
        &self,
        read: &Read,
        twin: Option<&Read>,
        dropped: &[RootClass],
        phases: &Phases,
    ) -> Result<Compared, String> {
        SCRATCH.with_borrow_mut(|(heap, other, scratch)| {
            let input = self.input(read, heap, dropped)?;
            let form = phases.time(Phase::Form, || canonical::form(&input, scratch));
            let Some(twin) = twin else {
                return Ok(Compared { digest: form.digest, hidden: None });
            };
            let twin = self.input(twin, other, dropped)?;
            let second = phases.time(Phase::Form, || canonical::form(&twin, scratch));
            let hidden = (!same(&form, &second)).then(|| hidden(&input, &twin));
            Ok(Compared { digest: form.digest, hidden })
        })
    }

    fn input<'a>(
        &'a self,
        read: &'a Read,
        heap: &'a mut Heap,
        dropped: &'a [RootClass],
    ) -> Result<Input<'a, Heap>, String> {
        heap.read_anew(read.snapshot.arena())?;
        let mut input = Input::new(&read.snapshot, &self.boot, &*heap);
        input.registers = &read.registers;
        input.held = &read.held;
        input.dropped = dropped;
        Ok(input)
    }
}

/// Whether something that is not dead holds an address of `range`, or the one behind it.
fn points_into(snapshot: &Snapshot, stack: &Stack, arguments: &[u64], range: &Range<u64>) -> bool {
    let into = |word: u64| range.start <= word && word <= range.end;
    let registers = normal::visible(snapshot, stack);
    if registers.general.iter().chain(arguments).any(|&word| into(word)) {
        return true;
    }
    let Some((region, bytes)) = snapshot.stack() else { return false };
    let live = registers.sp().max(region.start);
    let words = bytes.chunks_exact(8).zip((region.start..).step_by(8));
    let words = words.map(|(word, at)| (at, u64::from_le_bytes(word.try_into().expect("eight"))));
    words.filter(|&(at, word)| at >= live && into(word)).any(|(at, _)| {
        let next = stack.dead.partition_point(|dead| dead.end <= at);
        !stack.dead.get(next).is_some_and(|dead| dead.start <= at && at + 8 <= dead.end)
    })
}

/// Whether two placements of one history have one form. One that holds the arena as it lies there is
/// not comparable.
fn same(form: &Form, second: &Form) -> bool {
    form.placeless == second.placeless && !form.raw && !second.raw
}

fn hidden(input: &Input<'_, Heap>, twin: &Input<'_, Heap>) -> String {
    match canonical::first_difference(input, twin) {
        Some(difference) => format!("{:?}", difference.place),
        None => "a word that points between heap objects".into(),
    }
}
