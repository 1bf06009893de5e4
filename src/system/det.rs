//! Runs everything twice and compares: a [`System`] around a [`System`]. The two runs start from
//! copies of the same bytes, in the memory of two workers, so that what depends on an address, on
//! memory left over or on something kept between two calls has a chance to show. A difference is the
//! violation `det`: what depends on more than a world is no transition system, and no count of it
//! means anything. Where a run could not be checked, that is the answer.

use super::{Breach, Choice, Position, Stop, System, Told};
use crate::action::{Action, ChoiceKind, Kind};
use crate::error::Error;
use crate::world::View;

/// Runs the steps of a system twice.
pub struct Det<'a, S>(pub &'a S);

/// Two workers of the system, and the memory to compare what they do. There is always a `pair`, but
/// for the length of a barrier.
pub struct Twins<W> {
    pair: Option<[W; 2]>,
    second: Vec<u8>,
    actions: Vec<Action>,
    asked: Vec<Asked>,
}

/// A choice as the first run met it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Asked {
    kind: ChoiceKind,
    count: usize,
    answer: usize,
}

/// Passes choices on and writes them down.
struct Recorded<'a> {
    choose: &'a mut dyn Choice,
    asked: &'a mut Vec<Asked>,
}

impl Choice for Recorded<'_> {
    fn choose(&mut self, kind: ChoiceKind, count: usize) -> usize {
        let answer = self.choose.choose(kind, count);
        self.asked.push(Asked { kind, count, answer });
        answer
    }
}

/// Answers as in the first run, and notes where the second asks for something else.
struct Repeated<'a> {
    asked: std::slice::Iter<'a, Asked>,
    differs: bool,
}

impl Choice for Repeated<'_> {
    fn choose(&mut self, kind: ChoiceKind, count: usize) -> usize {
        match self.asked.next() {
            Some(asked) if (asked.kind, asked.count) == (kind, count) => asked.answer,
            _ => {
                self.differs = true;
                0
            }
        }
    }
}

impl<S: System> Det<'_, S> {
    /// The first difference between the worlds of two runs, if there is one.
    fn difference(&self, first: &[u8], second: &[u8]) -> Option<String> {
        if first == second {
            return None;
        }
        let at = |bytes: &[u8], at: usize| match bytes.get(at) {
            Some(byte) => format!("{byte:02x}"),
            None => "nothing".into(),
        };
        let offset = differs_at(first, second);
        let said = format!(
            "two runs from the same bytes differ at byte {offset} of the world: {} and {}",
            at(first, offset),
            at(second, offset)
        );
        let place = self.place(first, second).ok().flatten();
        Some(place.map_or_else(|| said.clone(), |place| format!("{said}; that is {place}")))
    }

    /// The node in whose content two worlds differ, and where in it.
    fn place(&self, first: &[u8], second: &[u8]) -> Result<Option<String>, Error> {
        let [first, second] = [first, second].map(|world| self.0.view(world));
        for node in 0..first.reader.nodes() {
            let one = first.reader.content(first.world, node)?.unwrap_or_default();
            let two = second.reader.content(second.world, node)?.unwrap_or_default();
            if one != two {
                let offset = differs_at(one, two);
                return Ok(Some(format!("byte {offset} of the state of node {node}")));
            }
        }
        Ok(None)
    }

    /// What two runs answer, if they agree. A run that could not be checked says nothing of the other.
    fn agree(
        &self,
        first: Result<(), Stop>,
        second: Result<(), Stop>,
        difference: impl FnOnce() -> Option<String>,
    ) -> Result<(), Stop> {
        let said = |run: &Result<(), Stop>| match run {
            Ok(()) => "went on".into(),
            Err(Stop::Violated(breach)) => format!("broke {} ({})", breach.property, breach.why),
            Err(Stop::Error(error)) => error.to_string(),
        };
        match (&first, &second) {
            (Err(Stop::Error(_)), _) => first,
            (_, Err(Stop::Error(_))) => second,
            (Ok(()), Ok(())) => difference().map_or(Ok(()), |why| Err(det(why))),
            (one, two) if one == two => first,
            (one, two) => Err(det(format!(
                "of two runs from the same bytes, one {} and the other {}",
                said(one),
                said(two)
            ))),
        }
    }
}

impl<S: System> System for Det<'_, S> {
    type Worker = Twins<S::Worker>;

    fn worker(&self, id: usize) -> Result<Self::Worker, Stop> {
        let pair = Some([self.0.worker(id)?, self.0.worker(id)?]);
        Ok(Twins { pair, second: Vec::new(), actions: Vec::new(), asked: Vec::new() })
    }

    fn initial(&self, twins: &mut Self::Worker, each: &mut dyn FnMut(&[u8])) -> Result<(), Stop> {
        let Some([one, two]) = &mut twins.pair else { return Err(in_barrier()) };
        let mut worlds = Vec::new();
        let second = self.0.initial(two, &mut |world| worlds.push(world.to_vec()));
        let (mut count, mut difference) = (0, None);
        let first = self.0.initial(one, &mut |world| {
            if difference.is_none() {
                let other = worlds.get(count).map_or(&[][..], |other| other);
                let differs = self.difference(world, other);
                difference = differs.map(|why| format!("initial world {count}: {why}"));
            }
            count += 1;
            // The world at which the violation is found is not handed on.
            if difference.is_none() {
                each(world);
            }
        });
        if difference.is_none() && count < worlds.len() {
            difference = Some(format!(
                "{count} initial worlds in one run, and {} in the other",
                worlds.len()
            ));
        }
        self.agree(first, second, || difference)
    }

    fn enabled(
        &self,
        twins: &mut Self::Worker,
        world: &[u8],
        out: &mut Vec<Action>,
    ) -> Result<(), Stop> {
        let start = out.len();
        let Twins { pair: Some([one, two]), actions, .. } = twins else { return Err(in_barrier()) };
        actions.clear();
        let first = self.0.enabled(one, world, out);
        let second = self.0.enabled(two, world, actions);
        self.agree(first, second, || {
            (out[start..] != **actions).then(|| {
                format!(
                    "two runs from the same bytes list different actions: {} and {}",
                    out.len() - start,
                    actions.len()
                )
            })
        })
    }

    fn apply(
        &self,
        twins: &mut Self::Worker,
        at: Position<'_>,
        world: &[u8],
        action: &Action,
        choose: &mut dyn Choice,
        next: &mut Vec<u8>,
    ) -> Result<(), Stop> {
        let Twins { pair: Some([one, two]), second: other, asked, .. } = twins else {
            return Err(in_barrier());
        };
        asked.clear();
        let mut recorded = Recorded { choose, asked };
        let first = self.0.apply(one, at, world, action, &mut recorded, next);
        let mut repeated = Repeated { asked: asked.iter(), differs: false };
        let second = self.0.apply(two, at, world, action, &mut repeated, other);
        let asks_alike = !repeated.differs && repeated.asked.next().is_none();
        self.agree(first, second, || {
            let other_choices = "two runs from the same bytes ask for different choices".to_owned();
            if asks_alike { self.difference(next, other) } else { Some(other_choices) }
        })
    }

    fn view<'a>(&'a self, world: &'a [u8]) -> View<'a> {
        self.0.view(world)
    }

    fn kinds(&self) -> &'static [Kind] {
        self.0.kinds()
    }

    fn name(&self, world: &[u8], action: &Action) -> String {
        self.0.name(world, action)
    }

    fn fairness(&self, world: &[u8], action: &Action) -> u64 {
        self.0.fairness(world, action)
    }

    fn bound(&self, world: &[u8]) -> Option<&'static str> {
        self.0.bound(world)
    }

    fn tell(&self, world: &[u8], action: &Action) -> Result<Told, Error> {
        self.0.tell(world, action)
    }

    fn in_step(&self) -> bool {
        self.0.in_step()
    }

    fn barrier(&self, workers: &mut [Self::Worker]) -> Result<(), Stop> {
        // The system wants its workers in one row: the first of each pair, then the second.
        let pairs = workers.iter_mut().filter_map(|twins| twins.pair.take());
        let (mut row, seconds): (Vec<_>, Vec<_>) = pairs.map(|[one, two]| (one, two)).unzip();
        let count = row.len();
        row.extend(seconds);
        let outcome = self.0.barrier(&mut row);
        let seconds = row.split_off(count);
        for (twins, (one, two)) in workers.iter_mut().zip(row.into_iter().zip(seconds)) {
            twins.pair = Some([one, two]);
        }
        outcome
    }
}

/// Where two byte strings that differ do so first.
fn differs_at(first: &[u8], second: &[u8]) -> usize {
    let pairs = first.iter().zip(second);
    pairs.clone().position(|(one, two)| one != two).unwrap_or(pairs.len())
}

fn in_barrier() -> Stop {
    Stop::Error(Error::Internal("a step during a barrier".into()))
}

fn det(why: String) -> Stop {
    Stop::Violated(Breach { property: "det".into(), why })
}
