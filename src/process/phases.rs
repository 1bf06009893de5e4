//! Where the time of steps goes, for the receipts and for whoever makes them faster.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// What a step that a process runs consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// A process is put into the state that the step starts in, or led there.
    Reach,
    /// The program runs, and its calls are answered; in its twin too.
    Run,
    /// The process is stopped, and its registers are read.
    Stop,
    /// Its memory is read.
    Read,
    /// What is dead is found and made zero, here.
    Normalise,
    /// And there.
    Write,
    /// The canonical form is made.
    Form,
    /// The memory is kept.
    Save,
}

/// Every phase, with what it is called.
pub const PHASES: [(Phase, &str); 8] = [
    (Phase::Reach, "reach the state"),
    (Phase::Run, "run the program"),
    (Phase::Stop, "stop it"),
    (Phase::Read, "read its memory"),
    (Phase::Normalise, "find what is dead"),
    (Phase::Write, "write the normal form"),
    (Phase::Form, "canonical form"),
    (Phase::Save, "save the memory"),
];

/// How often each phase was gone through, and how long that took together; and the calls of the
/// programs.
#[derive(Debug, Default)]
pub struct Phases {
    spent: [(AtomicU64, AtomicU64); PHASES.len()],
    asked: AtomicU64,
    inside: AtomicU64,
}

/// How many calls programs have made in their steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallCounts {
    /// Those that the checker was asked.
    pub asked: u64,
    /// Those that were answered inside of the process.
    pub inside: u64,
}

impl Phases {
    /// Do `what`, which is `phase`.
    pub fn time<T>(&self, phase: Phase, what: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let done = what();
        let (times, nanoseconds) = &self.spent[phase as usize];
        times.fetch_add(1, Ordering::Relaxed);
        nanoseconds.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
        done
    }

    /// A program has asked once, and has answered `inside` calls by itself since it last did.
    pub fn note_call(&self, inside: usize) {
        self.asked.fetch_add(1, Ordering::Relaxed);
        self.inside.fetch_add(inside as u64, Ordering::Relaxed);
    }

    /// The calls of all steps.
    pub fn calls(&self) -> CallCounts {
        let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
        CallCounts { asked: load(&self.asked), inside: load(&self.inside) }
    }

    /// By phase, how often, and microseconds each time.
    pub fn measured(&self) -> Vec<(&'static str, u64, f64)> {
        let of = |&(phase, name): &(Phase, &'static str)| {
            let (times, nanoseconds) = &self.spent[phase as usize];
            let times = times.load(Ordering::Relaxed);
            let each = nanoseconds.load(Ordering::Relaxed) as f64 / times.max(1) as f64;
            (name, times, each / 1000.0)
        };
        PHASES.iter().map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_phase_stands_where_it_is_counted() {
        let phases = Phases::default();
        for (place, (phase, _)) in PHASES.iter().enumerate() {
            assert_eq!(*phase as usize, place);
            assert_eq!(phases.time(*phase, || place), place);
        }
        assert!(phases.measured().iter().all(|&(_, times, each)| times == 1 && each >= 0.0));
    }
}
