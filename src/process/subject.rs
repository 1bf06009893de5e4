//! What is known of a program of kind `memory` beyond one process of it: what it holds at its boot, its
//! code, and what its author left out of its state.

use std::cell::RefCell;
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::arena::Heap;
use super::binaries::Binaries;
use super::canonical::boot::Boot;
use super::canonical::{self, Form, Input, RootClass, Scratch, Value};
use super::debug::{DebugInfo, Place};
use super::ignore::{Ignore, LeftOut, Waiting};
use super::liveness::Stack;
use super::naming::Namer;
use super::normal;
use super::phases::{Phase, Phases};
use super::registers::Registers;
use super::snapshot::Snapshot;
use super::stdio::Streams;
use crate::error::Error;

/// A program of kind `memory`.
#[derive(Debug)]
pub struct Subject {
    boot: Boot,
    /// The streams of its libc, and where that is loaded.
    streams: Option<(Streams, u64)>,
    binaries: Arc<Binaries>,
    ignore: Ignore,
    /// Names what is to be told of it.
    namer: OnceLock<Mutex<Namer>>,
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

impl Read {
    /// The node as it waits.
    fn waiting(&self) -> Waiting<'_> {
        let Read { snapshot, registers, stack, .. } = self;
        Waiting { snapshot, registers, stack }
    }
}

thread_local! {
    static SCRATCH: RefCell<(Heap, Heap, Scratch)> = RefCell::default();
}

impl Subject {
    /// The program at `path`, which has this debug information, as it is at its hello: `boot`. `places`
    /// are left out of its states; an error says which cannot be.
    pub fn new(
        path: &Path,
        debug: &DebugInfo,
        boot: &Snapshot,
        places: &[Place],
    ) -> Result<Self, String> {
        let mut modules = boot.layout.modules.iter();
        let libc = modules.find(|module| {
            let name = module.path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| name.starts_with("libc.so"))
        });
        let streams = libc.and_then(|libc| {
            let bytes = fs::read(&libc.path).ok()?;
            Some((Streams::of(&bytes)?, libc.range.start))
        });
        let binaries = Arc::new(Binaries::new(&boot.layout, path, debug));
        let ignore = Ignore::new(places, &binaries)?;
        Ok(Subject { boot: Boot::new(boot), streams, binaries, ignore, namer: OnceLock::new() })
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
        let mut dead = Vec::new();
        self.binaries.each_frame(stack, |frame, variables| {
            let at = |offset| frame.cfa.wrapping_add_signed(offset);
            let bytes = variables.dead.iter().map(|dead| &dead.bytes);
            dead.extend(bytes.map(|bytes| at(bytes.start)..at(bytes.end)));
        });
        dead
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
            heap.read_anew(read.snapshot.arena())?;
            let left = self.left_out(read, heap);
            let input = self.input(read, heap, &left, dropped);
            let form = phases.time(Phase::Form, || canonical::form(&input, scratch));
            let Some(twin) = twin else {
                return Ok(Compared { digest: form.digest, hidden: None });
            };
            other.read_anew(twin.snapshot.arena())?;
            let left = self.left_out(twin, other);
            let twin = self.input(twin, other, &left, dropped);
            let second = phases.time(Phase::Form, || canonical::form(&twin, scratch));
            let hidden = (!same(&form, &second)).then(|| {
                let namer = self.namer.get_or_init(|| Mutex::new(Namer::new(&self.binaries)));
                let mut namer = namer.lock().unwrap_or_else(PoisonError::into_inner);
                hidden(&input, &twin, read.waiting(), &mut namer)
            });
            Ok(Compared { digest: form.digest, hidden })
        })
    }

    /// The files that the program runs from.
    pub fn binaries(&self) -> &Arc<Binaries> {
        &self.binaries
    }

    /// Which word of `read` holds an address that cannot be followed, as `twin` shows it.
    pub fn hidden_in(
        &self,
        read: &Read,
        twin: Option<&Read>,
        namer: &mut Namer,
    ) -> Result<Option<String>, Error> {
        let Some(twin) = twin else { return Ok(None) };
        self.with_input(read, |input, _, waiting| {
            self.with_input(twin, |twin, _, _| {
                let (form, second) = (
                    canonical::form(input, &mut Scratch::default()),
                    canonical::form(twin, &mut Scratch::default()),
                );
                (!same(&form, &second)).then(|| hidden(input, twin, waiting, namer))
            })
        })?
    }

    /// Call `each` with what the form of `read` is made from, with every page.
    pub fn with_input<T>(
        &self,
        read: &Read,
        each: impl FnOnce(&Input<'_, Heap>, &Heap, Waiting<'_>) -> T,
    ) -> Result<T, Error> {
        let heap = Heap::read(read.snapshot.arena()).map_err(Error::Internal)?;
        let left = self.left_out(read, &heap);
        let boot = Boot::default();
        let input = Input { boot: &boot, ..self.input(read, &heap, &left, &[]) };
        Ok(each(&input, &heap, read.waiting()))
    }

    fn left_out<'a>(&'a self, read: &'a Read, heap: &'a Heap) -> LeftOut<'a, Heap> {
        self.ignore.left_out(read.waiting(), heap, &self.binaries)
    }

    fn input<'a>(
        &'a self,
        read: &'a Read,
        heap: &'a Heap,
        left: &'a LeftOut<'a, Heap>,
        dropped: &'a [RootClass],
    ) -> Input<'a, Heap> {
        Input {
            registers: &read.registers,
            held: &read.held,
            ignored: &left.memory,
            ignored_registers: &left.registers,
            paths: left.paths(),
            dropped,
            ..Input::new(&read.snapshot, &self.boot, heap)
        }
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

/// The name of the first word in which the forms of a node and its twin differ.
fn hidden(
    input: &Input<'_, Heap>,
    twin: &Input<'_, Heap>,
    node: Waiting<'_>,
    namer: &mut Namer,
) -> String {
    let Some(difference) = canonical::first_difference(input, twin) else {
        return "a word that points between heap objects".into();
    };
    let seen = canonical::describe(input, &mut |_, _| {});
    let byte = match (difference.first, difference.second) {
        (Some(Value::Bits(one, _)), Some(Value::Bits(other, _))) => {
            (one ^ other).trailing_zeros() / u8::BITS
        }
        _ => 0,
    };
    let name = namer.scene(node, input.heap, seen).name(&difference.place, byte.into()).0;
    namer.names.get(name).to_owned()
}
