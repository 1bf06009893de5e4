//! Whether a round is worth waking the others for. To wake a thread, and to wait for it, takes longer
//! than many a round does; so one that is likely to be short is done by the calling thread. Of a longer
//! one it is not always known beforehand either: where much of the work is to read what the calling thread
//! wrote, many are slower than one. So both are tried, and then what was faster is done, with the other
//! tried again from time to time. That changes nothing but time.

use std::time::{Duration, Instant};

use super::crew::{Crew, Job};

/// Work that is worth it.
const WORTH: Duration = Duration::from_micros(100);
/// Rounds from one trial to the next, at first and at most.
const FIRST: u32 = 8;
const RAREST: u32 = 1 << 10;

/// Whether work is worth it, as far as can be told from how much it was before.
pub(super) struct Worth {
    always: bool,
    /// Seconds of work a task; not known before the first.
    task: Option<f64>,
}

/// Calls workers to rounds, as many as are worth it.
pub(super) struct Muster {
    worth: Worth,
    /// When it began, of how many tasks it was, and who did it.
    under_way: Option<(Instant, usize, Who)>,
    habit: Habit,
}

/// Who does a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    One,
    All,
}

/// What was found out about who is faster.
struct Habit {
    better: Who,
    /// Seconds a task it takes, lately, with what the calling thread does behind a round.
    rate: Option<f64>,
    /// Rounds since the other was tried, and after how many it is tried again.
    since: u32,
    interval: u32,
}

impl Worth {
    /// All is, if `always`.
    pub(super) fn new(always: bool) -> Self {
        Worth { always, task: None }
    }

    /// Whether so many tasks are.
    pub(super) fn holds(&self, tasks: usize) -> bool {
        self.always || self.task.is_none_or(|task| task * tasks as f64 >= WORTH.as_secs_f64())
    }

    /// So many tasks were so much work. What comes next may be more; so one that was little counts by half.
    pub(super) fn note(&mut self, tasks: usize, work: Duration) {
        if tasks > 0 {
            let task = work.as_secs_f64() / tasks as f64;
            self.task = Some(self.task.map_or(task, |before| task.max(before / 2.0)));
        }
    }
}

impl Muster {
    /// All of them to every round, if `always`.
    pub(super) fn new(always: bool) -> Self {
        Muster { worth: Worth::new(always), under_way: None, habit: Habit::new() }
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
        if let Some((began, tasks, who)) = self.under_way.take() {
            self.habit.note(who, (start - began).as_secs_f64() / tasks as f64);
        }
        let long = self.worth.holds(tasks);
        let who = match self.worth.always {
            true => Who::All,
            false if long => self.habit.next(),
            false => Who::One,
        };
        let called = if who == Who::All { tasks.min(crew.len()) } else { 1 };
        crew.round(called, job, tick);
        self.worth.note(tasks, start.elapsed() * called as u32);
        self.under_way = (long && tasks > 0).then_some((start, tasks, who));
    }
}

impl Habit {
    fn new() -> Self {
        Habit { better: Who::All, rate: None, since: 0, interval: FIRST }
    }

    /// Who does the next round.
    fn next(&mut self) -> Who {
        let other = match self.better {
            Who::One => Who::All,
            Who::All => Who::One,
        };
        self.since += 1;
        match self.since >= self.interval {
            true => other,
            false => self.better,
        }
    }

    /// A round took so many seconds a task.
    fn note(&mut self, who: Who, seconds: f64) {
        if who == self.better {
            self.rate = Some(self.rate.map_or(seconds, |rate| rate + (seconds - rate) / 4.0));
            return;
        }
        self.since = 0;
        if self.rate.is_some_and(|rate| seconds < rate) {
            (self.better, self.rate, self.interval) = (who, Some(seconds), FIRST);
        } else {
            self.interval = (self.interval * 2).min(RAREST);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of so many rounds all do, where one and all take so many seconds a task.
    fn done_by_all(habit: &mut Habit, rounds: u32, one: f64, all: f64) -> usize {
        let by_all = (0..rounds).filter(|_| {
            let who = habit.next();
            habit.note(who, if who == Who::All { all } else { one });
            who == Who::All
        });
        by_all.count()
    }

    #[test]
    fn what_is_not_known_and_what_is_as_long_as_before_is_worth_it() {
        let mut worth = Worth::new(false);
        assert!(worth.holds(1));
        worth.note(10, WORTH);
        assert!(worth.holds(10) && !worth.holds(9));
        worth.note(0, WORTH);
        worth.note(1000, WORTH);
        assert!(worth.holds(20) && !worth.holds(19));
        worth.note(1, WORTH);
        assert!(worth.holds(1) && Worth::new(true).holds(0));
    }

    #[test]
    fn who_is_faster_does_nearly_all_rounds_also_when_that_changes() {
        let mut habit = Habit::new();
        assert!(done_by_all(&mut habit, 1000, 2.0, 1.1) > 990);
        assert!(done_by_all(&mut habit, 4000, 2.0, 2.5) < 1100);
        assert!(done_by_all(&mut habit, 4000, 2.0, 2.5) < 20);
        assert!(done_by_all(&mut habit, 4000, 2.0, 1.1) > 2900);
    }
}
