//! An audit that never finds anything proves nothing: a table and origins that lie are found.

use std::sync::atomic::{AtomicU64, Ordering};

use cmc::action::{Action, Kind};
use cmc::error::Error;
use cmc::process::learned::{Learned, Worker};
use cmc::search::Verdict;
use cmc::system::{Choice, Position, Stop, System, Told};
use cmc::world::View;

use crate::order::{Prepared, prepared};

/// Learned steps to which `lie` is told at every barrier from the `from`-th on.
struct Liar<'a> {
    learned: &'a Learned,
    from: u64,
    barriers: AtomicU64,
    lie: fn(&Learned),
}

impl System for Liar<'_> {
    type Worker = Worker;

    fn worker(&self, id: usize) -> Result<Worker, Stop> {
        self.learned.worker(id)
    }

    fn initial(&self, worker: &mut Worker, each: &mut dyn FnMut(&[u8])) -> Result<(), Stop> {
        self.learned.initial(worker, each)
    }

    fn enabled(
        &self,
        worker: &mut Worker,
        world: &[u8],
        out: &mut Vec<Action>,
    ) -> Result<(), Stop> {
        self.learned.enabled(worker, world, out)
    }

    fn apply(
        &self,
        worker: &mut Worker,
        at: Position<'_>,
        world: &[u8],
        action: &Action,
        choose: &mut dyn Choice,
        next: &mut Vec<u8>,
    ) -> Result<(), Stop> {
        self.learned.apply(worker, at, world, action, choose, next)
    }

    fn view<'a>(&'a self, world: &'a [u8]) -> View<'a> {
        self.learned.view(world)
    }

    fn kinds(&self) -> &'static [Kind] {
        self.learned.kinds()
    }

    fn name(&self, world: &[u8], action: &Action) -> String {
        self.learned.name(world, action)
    }

    fn tell(&self, world: &[u8], action: &Action) -> Result<Told, Error> {
        self.learned.tell(world, action)
    }

    fn barrier(&self, workers: &mut [Worker]) -> Result<(), Stop> {
        if self.barriers.fetch_add(1, Ordering::Relaxed) >= self.from {
            (self.lie)(self.learned);
        }
        self.learned.barrier(workers)
    }
}

/// The election must end in an error that says one of `what`.
fn is_found(lie: fn(&Learned), from: u64, what: &[&str]) {
    let Prepared { model, learned, .. } = prepared("election/election.toml");
    let liar = Liar { learned: &learned, from, barriers: AtomicU64::new(0), lie };
    let stop = std::sync::atomic::AtomicBool::new(false);
    let search = cmc::search::Search::new(&stop);
    let found = search.run(&liar, &model.properties, &mut (), &mut |_| ());
    match found.verdict {
        Verdict::Error(error @ Error::Divergence(_)) => {
            let error = error.to_string();
            assert!(what.iter().any(|what| error.contains(what)), "{error}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_step_that_was_learned_wrongly_is_found() {
    is_found(|learned| assert!(learned.flip_for_tests()), 4, &["identity incomplete"]);
}

#[test]
fn origins_that_belong_to_other_states_are_found() {
    is_found(
        |learned| assert!(learned.swap_for_tests() > 0),
        4,
        &[
            "led to another local state",
            // In a memory that was saved there the step itself shows it.
            "identity incomplete",
        ],
    );
}
