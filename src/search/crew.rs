#![allow(unsafe_code)] // What is lent for a round is handed to threads that live longer.
//! The workers of a search: a thread each for the whole search, worker 0 being the calling thread.
//! A system may bind what a worker holds to the thread that uses it (a process dies with the thread
//! that started it), so a worker is made, works and is dropped on one thread.
//!
//! Every worker has a seat. During a round a thread holds its own seat locked and nobody else asks
//! for it; between rounds all threads but the calling one are parked at the gate and every worker
//! sits, so that the calling thread can gather all of them for [`crate::system::System::barrier`]
//! and put them back. Only the calling thread opens the gate, and it goes on when everybody it
//! called is back. Leaving in any way, by a panic too, reports back, so that nobody waits for ever.
//!
//! What a round does is lent: a closure that borrows what it needs of the calling thread. That is sound
//! because [`Crew::round`] ends, in whatever way, only when all whom it called have reported back, and
//! whoever reports back has let go of the closure.

use std::any::Any;
use std::iter::from_fn;
use std::mem::transmute;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, scope};

use super::gate::Gate;
use super::share::Shares;
use crate::error::Error;
use crate::system::Stop;

/// What a worker does in a round: its number, the worker, and what to call now and then.
pub(super) type Job<'a, W> = dyn Fn(usize, &mut W, &mut dyn FnMut()) + Sync + 'a;

/// The workers, and the gate where they wait.
pub(super) struct Crew<W> {
    seats: Vec<Seat<W>>,
    /// Why workers could not be made, by number.
    refused: Mutex<Vec<(usize, Stop)>>,
    gate: Gate<Lent<W>>,
}

/// A worker's place, on cache lines of its own: it writes to itself all the time.
#[repr(align(128))]
struct Seat<W>(Mutex<Option<W>>);

/// A job that the calling thread lends for a round.
struct Lent<W>(*const Job<'static, W>);

impl<W> Clone for Lent<W> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<W> Copy for Lent<W> {}

// SAFETY: a job may be called on any thread (`Sync`), and this is no more than the way to it.
unsafe impl<W> Send for Lent<W> {}

impl<W: Send> Crew<W> {
    /// Make `count` workers, each on its thread, and let `lead` call them to rounds.
    pub(super) fn run<T>(
        count: usize,
        make: &(dyn Fn(usize) -> Result<W, Stop> + Sync),
        lead: impl FnOnce(&Self) -> T,
    ) -> Result<T, Stop> {
        let crew = Crew {
            seats: (0..count).map(|_| Seat(Mutex::new(None))).collect(),
            refused: Mutex::default(),
            gate: Gate::new(count - 1),
        };
        scope(|scope| {
            let mut threads = Vec::with_capacity(count - 1);
            let ended = {
                let _closing = Closing(&crew.gate);
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
                    crew.gate.await_all(&mut || ());
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

    /// Let the first `called` workers do `job`; `tick` is called on this thread now and then.
    pub(super) fn round(&self, called: usize, job: &Job<'_, W>, tick: &mut dyn FnMut()) {
        let helpers = called.clamp(1, self.len()) - 1;
        if helpers == 0 {
            return self.work(0, job, tick);
        }
        // SAFETY: only the lifetime changes, and `Round` keeps this call from ending, and so what
        // `job` borrows from going, before all who were given it have let go of it.
        let lent = Lent(unsafe { transmute::<*const Job<'_, W>, *const Job<'static, W>>(job) });
        let round = Round(&self.gate);
        self.gate.open(helpers, lent);
        self.work(0, job, tick);
        self.gate.await_all(tick);
        drop(round);
    }

    /// Let the first `called` workers do `job` for each number below `count`. Who does it for one is
    /// likely to do it the next time too, and so to have what it is about in its cache.
    pub(super) fn each(&self, called: usize, count: usize, job: &(dyn Fn(usize) + Sync)) {
        let called = called.clamp(1, self.len());
        let shares = Shares::new(count, called);
        let all = |number: usize, _: &mut W, _: &mut dyn FnMut()| {
            from_fn(|| shares.claim(number)).for_each(job);
        };
        self.round(called, &all, &mut || ());
    }

    /// Call `each` with worker 0, between rounds.
    pub(super) fn first<T>(&self, each: impl FnOnce(&mut W) -> T) -> T {
        each(held(&self.seats[0].0).as_mut().expect("worker 0 is on this thread, and sits"))
    }

    /// Call `each` with all workers, between rounds.
    pub(super) fn gather<T>(&self, each: impl FnOnce(&mut [W]) -> T) -> Result<T, Error> {
        let taken = self.seats.iter().map(|seat| held(&seat.0).take());
        let workers: Option<Vec<W>> = taken.collect();
        let mut workers =
            workers.ok_or_else(|| Error::Internal("a worker's thread has ended".into()))?;
        let answer = each(&mut workers);
        for (seat, worker) in self.seats.iter().zip(workers) {
            *held(&seat.0) = Some(worker);
        }
        Ok(answer)
    }

    /// The life of a thread.
    fn serve(&self, number: usize, make: &(dyn Fn(usize) -> Result<W, Stop> + Sync)) {
        {
            let _back = Back(&self.gate);
            self.seat(number, make);
        }
        let mut known = 0;
        while let Some(Lent(job)) = self.gate.wait(number, &mut known) {
            let _back = Back(&self.gate);
            // SAFETY: the round in which it was lent does not end before this thread is back.
            let job = unsafe { &*job };
            self.work(number, job, &mut || ());
        }
        // It ends where it lived, outside the lock.
        let worker = held(&self.seats[number].0).take();
        drop(worker);
    }

    fn seat(&self, number: usize, make: &(dyn Fn(usize) -> Result<W, Stop> + Sync)) {
        match guarded(|| make(number)).unwrap_or_else(|panic| Err(panic.into())) {
            Ok(worker) => *held(&self.seats[number].0) = Some(worker),
            Err(stop) => held(&self.refused).push((number, stop)),
        }
    }

    fn work(&self, number: usize, job: &Job<'_, W>, tick: &mut dyn FnMut()) {
        if let Some(worker) = held(&self.seats[number].0).as_mut() {
            job(number, worker, tick);
        }
    }
}

/// A round under way: it ends when all who were called are back.
struct Round<'a, J: Copy>(&'a Gate<J>);

impl<J: Copy> Drop for Round<'_, J> {
    fn drop(&mut self) {
        self.0.await_all(&mut || ());
    }
}

/// Sends everybody home.
struct Closing<'a, J: Copy>(&'a Gate<J>);

impl<J: Copy> Drop for Closing<'_, J> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Reports back.
struct Back<'a, J: Copy>(&'a Gate<J>);

impl<J: Copy> Drop for Back<'_, J> {
    fn drop(&mut self) {
        self.0.back();
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
