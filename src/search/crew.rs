//! The workers of a search: a thread each for the whole search, worker 0 being the calling thread.
//! A system may bind what a worker holds to the thread that uses it (a process dies with the thread
//! that started it), so a worker is made, works and is dropped on one thread.
//!
//! Every worker has a seat. During a round a thread holds its own seat locked and nobody else asks
//! for it; between rounds all threads but the calling one are parked at the gate and every worker
//! sits, so that the calling thread can gather all of them for [`crate::system::System::barrier`]
//! and put them back. Only the calling thread opens the gate, and it goes on when everybody it
//! called is back. Leaving in any way, by a panic too, reports back, so that nobody waits for ever.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, scope};
use std::time::Duration;

use crate::error::Error;
use crate::system::Stop;

/// How often the calling thread looks up while it waits for the others.
const LOOK_UP: Duration = Duration::from_millis(20);

/// What a worker does in a round: its number, the worker, and what to call now and then.
pub(super) type Job<'a, W> = dyn Fn(usize, &mut W, &mut dyn FnMut()) + Sync + 'a;

/// The workers, and the gate where they wait.
pub(super) struct Crew<'a, W> {
    seats: Vec<Mutex<Option<W>>>,
    job: &'a Job<'a, W>,
    /// Why workers could not be made, by number.
    refused: Mutex<Vec<(usize, Stop)>>,
    gate: Mutex<Gate>,
    opened: Condvar,
    finished: Condvar,
}

struct Gate {
    /// Rounds so far.
    round: u64,
    /// The largest number that is called in this round.
    called: usize,
    /// How many of them are not back yet.
    busy: usize,
    closed: bool,
}

impl<'a, W: Send> Crew<'a, W> {
    /// Make `count` workers, each on its thread, and let `lead` call them to rounds of `job`.
    pub(super) fn run<T>(
        count: usize,
        make: &(dyn Fn(usize) -> Result<W, Stop> + Sync),
        job: &'a Job<'a, W>,
        lead: impl FnOnce(&Self) -> T,
    ) -> Result<T, Stop> {
        let crew = Crew {
            seats: (0..count).map(|_| Mutex::new(None)).collect(),
            job,
            refused: Mutex::default(),
            // Everybody is busy with coming.
            gate: Mutex::new(Gate { round: 0, called: 0, busy: count - 1, closed: false }),
            opened: Condvar::new(),
            finished: Condvar::new(),
        };
        scope(|scope| {
            let mut threads = Vec::with_capacity(count - 1);
            let ended = {
                let _closing = Closing(&crew);
                let mut spawn = |number| {
                    let crew = &crew;
                    let thread = Builder::new().name(format!("worker {number}"));
                    let spawned = thread.spawn_scoped(scope, move || crew.serve(number, make));
                    spawned.map(|thread| threads.push(thread)).map_err(|error| {
                        Error::host("starting a thread", &error, "give fewer workers")
                    })
                };
                let spawned = (1..count).try_for_each(&mut spawn);
                spawned.map_err(Stop::from).and_then(|()| {
                    crew.seat(0, make);
                    crew.await_all(&mut || ());
                    let refused = std::mem::take(&mut *held(&crew.refused));
                    match refused.into_iter().min_by_key(|(number, _)| *number) {
                        Some((_, stop)) => Err(stop),
                        None => Ok(lead(&crew)),
                    }
                })
            };
            // The scope alone would wait for what the threads do, and not until they are gone: whoever
            // unloads this library must not find one in it.
            for thread in threads {
                thread.join().unwrap_or_else(|panic| resume_unwind(panic));
            }
            ended
        })
    }

    /// How many workers there are.
    pub(super) fn len(&self) -> usize {
        self.seats.len()
    }

    /// Let the first `called` workers do the job; `tick` is called on this thread now and then.
    pub(super) fn round(&self, called: usize, tick: &mut dyn FnMut()) {
        let helpers = called.clamp(1, self.len()) - 1;
        if helpers > 0 {
            let mut gate = held(&self.gate);
            *gate = Gate { round: gate.round + 1, called: helpers, busy: helpers, closed: false };
            self.opened.notify_all();
        }
        self.work(0, tick);
        if helpers > 0 {
            self.await_all(tick);
        }
    }

    /// Call `each` with worker 0, between rounds.
    pub(super) fn first<T>(&self, each: impl FnOnce(&mut W) -> T) -> T {
        each(held(&self.seats[0]).as_mut().expect("worker 0 is on this thread, and sits"))
    }

    /// Call `each` with all workers, between rounds.
    pub(super) fn gather<T>(&self, each: impl FnOnce(&mut [W]) -> T) -> Result<T, Error> {
        let taken = self.seats.iter().map(|seat| held(seat).take());
        let workers: Option<Vec<W>> = taken.collect();
        let mut workers =
            workers.ok_or_else(|| Error::Internal("a worker's thread has ended".into()))?;
        let answer = each(&mut workers);
        for (seat, worker) in self.seats.iter().zip(workers) {
            *held(seat) = Some(worker);
        }
        Ok(answer)
    }

    /// The life of a thread.
    fn serve(&self, number: usize, make: &(dyn Fn(usize) -> Result<W, Stop> + Sync)) {
        {
            let _back = Back(self);
            self.seat(number, make);
        }
        let mut known = 0;
        while self.is_called(number, &mut known) {
            let _back = Back(self);
            self.work(number, &mut || ());
        }
        // It ends where it lived, outside the lock.
        let worker = held(&self.seats[number]).take();
        drop(worker);
    }

    fn seat(&self, number: usize, make: &(dyn Fn(usize) -> Result<W, Stop> + Sync)) {
        match guarded(|| make(number)).unwrap_or_else(|panic| Err(panic.into())) {
            Ok(worker) => *held(&self.seats[number]) = Some(worker),
            Err(stop) => held(&self.refused).push((number, stop)),
        }
    }

    fn work(&self, number: usize, tick: &mut dyn FnMut()) {
        if let Some(worker) = held(&self.seats[number]).as_mut() {
            (self.job)(number, worker, tick);
        }
    }

    /// Wait for a round behind the `known` ones to which `number` is called; `false` at the end.
    fn is_called(&self, number: usize, known: &mut u64) -> bool {
        let mut gate = held(&self.gate);
        loop {
            if gate.closed {
                return false;
            }
            if gate.round > std::mem::replace(known, gate.round) && number <= gate.called {
                return true;
            }
            gate = self.opened.wait(gate).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn await_all(&self, tick: &mut dyn FnMut()) {
        let mut gate = held(&self.gate);
        while gate.busy > 0 {
            let waited = self.finished.wait_timeout(gate, LOOK_UP);
            drop(waited.unwrap_or_else(PoisonError::into_inner).0);
            tick();
            gate = held(&self.gate);
        }
    }
}

/// Sends everybody home.
struct Closing<'a, W>(&'a Crew<'a, W>);

impl<W> Drop for Closing<'_, W> {
    fn drop(&mut self) {
        held(&self.0.gate).closed = true;
        self.0.opened.notify_all();
    }
}

/// Reports back.
struct Back<'a, W>(&'a Crew<'a, W>);

impl<W> Drop for Back<'_, W> {
    fn drop(&mut self) {
        let mut gate = held(&self.0.gate);
        gate.busy -= 1;
        if gate.busy == 0 {
            self.0.finished.notify_one();
        }
    }
}

/// What `lock` holds. A panic ends the search with an error, which does not look at what the panic
/// left behind.
pub(super) fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Call `what`; a panic in it is an error.
pub(super) fn guarded<T>(what: impl FnOnce() -> T) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(what)).map_err(|panic: Box<dyn Any + Send>| {
        let said = panic.downcast_ref::<&str>().copied();
        let said = said.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        Error::Internal(format!("a worker panicked: {}", said.unwrap_or("nobody knows why")))
    })
}
