//! Worlds of more bytes than are hashed, copied and compared at once, made by a system that says what a
//! step has touched: found as by one that does not, and an error where it says what is not so.

use std::ops::ControlFlow;

use cmc::action::{Action, Kind};
use cmc::brood::Brood;
use cmc::error::Error;
use cmc::search::{Found, Verdict};
use cmc::system::{Choice, Position, Stop, System, Told};
use cmc::world::{Touched, View};

use super::systems::Blind;
use super::{Stored, breadth};

/// `digits` digits below `base`, a kilobyte or so apart. A step counts one of them up.
struct Digits {
    digits: u32,
    base: u8,
    apart: usize,
    /// Whether all successors of a world are made at once.
    at_once: bool,
    /// So many bytes behind its place a digit is said to be.
    off: usize,
}

impl Digits {
    fn place(&self, digit: u32) -> usize {
        (digit as usize + 1) * self.apart - 1
    }

    fn count(&self, world: &[u8], digit: u32) -> Vec<u8> {
        let mut next = world.to_vec();
        next[self.place(digit)] += 1;
        // Lengths differ too.
        next.push(7);
        next
    }

    fn possible(&self, world: &[u8]) -> impl Iterator<Item = Action> {
        let (last, digits) = (self.base - 1, 0..self.digits);
        let below = digits.filter(|digit| world[self.place(*digit)] < last).collect::<Vec<_>>();
        below.into_iter().map(|argument| Action { kind: Kind::Fire, subject: 0, argument })
    }
}

impl System for Digits {
    type Worker = ();

    fn worker(&self, _: usize) -> Result<(), Stop> {
        Ok(())
    }

    fn initial(&self, (): &mut (), each: &mut dyn FnMut(&[u8])) -> Result<(), Stop> {
        each(&vec![0; self.place(self.digits - 1) + 1]);
        Ok(())
    }

    fn enabled(&self, (): &mut (), world: &[u8], out: &mut Vec<Action>) -> Result<(), Stop> {
        out.extend(self.possible(world));
        Ok(())
    }

    fn apply(
        &self,
        (): &mut (),
        _: Position<'_>,
        world: &[u8],
        action: &Action,
        _: &mut dyn Choice,
        next: &mut Vec<u8>,
    ) -> Result<(), Stop> {
        *next = self.count(world, action.argument);
        Ok(())
    }

    fn successors(
        &self,
        (): &mut (),
        world: &[u8],
        brood: &mut Brood,
        look: &mut impl FnMut(&mut Brood) -> ControlFlow<()>,
    ) -> Option<Result<bool, Stop>> {
        if !self.at_once {
            return None;
        }
        let mut any = false;
        for action in self.possible(world) {
            any = true;
            let start = self.place(action.argument) + self.off;
            let touched = Touched { start, end: start + 1, behind: world.len() };
            brood.push(action, touched, &self.count(world, action.argument));
            if brood.is_full() && look(brood).is_break() {
                break;
            }
        }
        Some(Ok(any))
    }

    fn view<'a>(&'a self, world: &'a [u8]) -> View<'a> {
        View { world, reader: &Blind }
    }

    fn kinds(&self) -> &'static [Kind] {
        &[Kind::Fire]
    }

    fn name(&self, _: &[u8], action: &Action) -> String {
        format!("FIRE {}", action.argument)
    }

    fn tell(&self, _: &[u8], _: &Action) -> Result<Told, Error> {
        Ok(Told::default())
    }
}

fn search(system: &Digits, workers: usize) -> (Found, Vec<Vec<u8>>) {
    let mut stored = Stored::default();
    let mut search = breadth();
    search.workers = workers;
    let found = search.run(system, &[], &mut stored, &mut |_| ());
    (found, stored.0)
}

#[test]
fn what_a_step_has_touched_changes_time_and_nothing_else() {
    for apart in [60, 100, 300, 1500] {
        let digits = |at_once| Digits { digits: 5, base: 4, apart, at_once, off: 0 };
        let (found, worlds) = search(&digits(false), 1);
        let counts = (found.distinct, found.generated, found.depth);
        assert_eq!(found.verdict, Verdict::Pass);
        assert_eq!(counts, (Some(4u64.pow(5)), Some(1 + 5 * 3 * 4u64.pow(4)), Some(16)));
        for workers in [1, 3] {
            assert_eq!(search(&digits(true), workers), (found.clone(), worlds.clone()), "{apart}");
        }
    }
}

#[test]
fn what_a_step_has_touched_in_truth_is_found_out() {
    for apart in [300, 1500] {
        // The first world has enough successors for the check to be sure of one of them.
        let liar = Digits { digits: 1100, base: 2, apart, at_once: true, off: 200 };
        let (found, _) = search(&liar, 1);
        let Verdict::Error(Error::Internal(said)) = &found.verdict else { panic!("{found:?}") };
        assert!(said.contains("is not that of its bytes"), "{said}");
    }
}
