//! The gate where helpers wait for a round, and the calling thread for helpers. It is all that threads
//! of a search wait at, and knows nothing of what they do; so `capi-tests/gate.rs` builds it with the
//! locks of a checker of interleavings and runs it in all of them.

use std::hint::spin_loop;
use std::time::Duration;

use super::sync::{AtomicUsize, Condvar, LINGER, Mutex, MutexGuard, Ordering, PoisonError};

/// How often the calling thread looks up while it waits for the others.
const LOOK_UP: Duration = Duration::from_millis(20);

/// The gate; a round has a job for those who are called.
pub(super) struct Gate<J> {
    state: Mutex<State<J>>,
    opened: Condvar,
    finished: Condvar,
    /// How often helpers were called, and how many of them are not back: for who lingers before he sleeps,
    /// as to be woken takes longer than most rounds are apart. Nothing else is decided by it.
    calls: AtomicUsize,
    away: AtomicUsize,
}

struct State<J> {
    /// Rounds so far.
    round: u64,
    /// The largest number that is called in this round; the calling thread is number 0.
    called: usize,
    /// How many of them are not back yet.
    busy: usize,
    job: Option<J>,
    closed: bool,
}

impl<J: Copy> Gate<J> {
    /// A gate to which `coming` helpers are on their way; each reports back when it is there.
    pub(super) fn new(coming: usize) -> Self {
        let state = State { round: 0, called: 0, busy: coming, job: None, closed: false };
        Gate {
            state: Mutex::new(state),
            opened: Condvar::new(),
            finished: Condvar::new(),
            calls: AtomicUsize::new(0),
            away: AtomicUsize::new(coming),
        }
    }

    /// Call the helpers up to number `called` to a round. All who were called before are back.
    pub(super) fn open(&self, called: usize, job: J) {
        let mut state = self.held();
        state.round += 1;
        (state.called, state.busy, state.job) = (called, called, Some(job));
        self.away.store(called, Ordering::Relaxed);
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.opened.notify_all();
    }

    /// Wait for a round behind the `known` ones to which `number` is called; `None` at the end.
    pub(super) fn wait(&self, number: usize, known: &mut u64) -> Option<J> {
        linger(|| self.calls.load(Ordering::Relaxed) as u64 != *known);
        let mut state = self.held();
        loop {
            if state.closed {
                return None;
            }
            if state.round > std::mem::replace(known, state.round) && number <= state.called {
                return state.job;
            }
            state = self.opened.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Whoever was called has done the job.
    pub(super) fn back(&self) {
        let mut state = self.held();
        state.busy -= 1;
        self.away.store(state.busy, Ordering::Relaxed);
        if state.busy == 0 {
            state.job = None;
            self.finished.notify_one();
        }
    }

    /// Wait until all who were called are back; call `tick` now and then.
    pub(super) fn await_all(&self, tick: &mut dyn FnMut()) {
        linger(|| self.away.load(Ordering::Relaxed) == 0);
        let mut state = self.held();
        while state.busy > 0 {
            let waited = self.finished.wait_timeout(state, LOOK_UP);
            drop(waited.unwrap_or_else(PoisonError::into_inner).0);
            tick();
            state = self.held();
        }
    }

    /// There are no more rounds.
    pub(super) fn close(&self) {
        self.held().closed = true;
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.opened.notify_all();
    }

    fn held(&self) -> MutexGuard<'_, State<J>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Wait for something that is likely to happen soon, but not for long.
fn linger(mut happened: impl FnMut() -> bool) {
    for _ in 0..LINGER {
        if happened() {
            return;
        }
        spin_loop();
    }
}
