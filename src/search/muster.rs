//! Whether a round is worth waking the others for. To wake a thread, and to wait for it, takes longer
//! than many a round does; so one that is likely to be short is done by the calling thread. That
//! changes nothing but time.

use std::time::{Duration, Instant};

use super::crew::{Crew, Job};

/// Work that is worth it.
const WORTH: Duration = Duration::from_micros(100);

/// Calls workers to rounds, as many as are worth it.
pub(super) struct Muster {
    always: bool,
    /// About how much work the last round was.
    last: Duration,
}

impl Muster {
    /// All of them to every round, if `always`.
    pub(super) fn new(always: bool) -> Self {
        Muster { always, last: Duration::ZERO }
    }

    /// Do a round of `job`, of so many tasks; `tick` is called on this thread now and then.
    pub(super) fn round<W: Send>(
        &mut self,
        crew: &Crew<W>,
        job: &Job<'_, W>,
        tasks: usize,
        tick: &mut dyn FnMut(),
    ) {
        let start = Instant::now();
        let called = if self.always || self.last >= WORTH { tasks.min(crew.len()) } else { 1 };
        crew.round(called, job, tick);
        self.last = start.elapsed() * called as u32;
    }
}
