//! What is known of a program of kind `memory` beyond one process of it: what it holds at its boot, its
//! code, and what its author left out of its state.

use std::cell::RefCell;
use std::fs;
use std::ops::Range;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::Ledger;
use super::arena::Heap;
use super::canonical::boot::Boot;
use super::canonical::{self, Form, Input, RootClass, Scratch};
use super::liveness::Stack;
use super::registers::Registers;
use super::snapshot::Snapshot;
use super::stdio::Streams;

/// A program of kind `memory`.
#[derive(Debug)]
pub struct Subject {
    boot: Boot,
    /// The streams of its libc, and where that is loaded.
    streams: Option<(Streams, u64)>,
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
    /// The program that is `boot` at its hello.
    pub fn new(boot: &Snapshot) -> Self {
        let mut modules = boot.layout.modules.iter();
        let libc = modules.find(|module| {
            let name = module.path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| name.starts_with("libc.so"))
        });
        let streams = libc.and_then(|libc| {
            let bytes = fs::read(&libc.path).ok()?;
            Some((Streams::of(&bytes)?, libc.range.start))
        });
        Subject { boot: Boot::new(boot), streams }
    }

    /// What is dead in the memory of a node outside its stack.
    pub fn owned(&self, snapshot: &Snapshot) -> Vec<Range<u64>> {
        let Some((streams, bias)) = self.streams else { return Vec::new() };
        streams.dead(bias, |address, buffer| {
            let bytes = snapshot.bytes(address, buffer.len());
            bytes.map(|bytes| buffer.copy_from_slice(bytes)).is_some()
        })
    }

    /// The canonical form of `read`, and whether that of its `twin`, whose heap lies otherwise, is the
    /// same. An error says what is wrong with the heap.
    pub fn form(
        &self,
        read: &Read,
        twin: Option<&Read>,
        dropped: &[RootClass],
        ledger: &Ledger,
    ) -> Result<Compared, String> {
        SCRATCH.with_borrow_mut(|(heap, other, scratch)| {
            let input = self.input(read, heap, dropped)?;
            let form = timed(ledger, || canonical::form(&input, scratch));
            let Some(twin) = twin else {
                return Ok(Compared { digest: form.digest, hidden: None });
            };
            let twin = self.input(twin, other, dropped)?;
            let second = timed(ledger, || canonical::form(&twin, scratch));
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

fn timed(ledger: &Ledger, form: impl FnOnce() -> Form) -> Form {
    let start = Instant::now();
    let form = form();
    let (times, nanoseconds) = &ledger.canonical;
    times.fetch_add(1, Ordering::Relaxed);
    nanoseconds.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
    form
}
