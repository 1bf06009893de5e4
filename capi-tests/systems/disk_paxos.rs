//! Disk Paxos over single-writer registers, as section 1 of `calibration/README.md` describes it.
//! Processes are 0..N here; a ballot is kept plus one, so that 0 is "no ballot" and compares below.

use cmc::action::{Action, Kind};
use cmc::error::Error;
use cmc::property::{Property, Rule};
use cmc::system::{Choice, Position, Stop, System, Told};
use cmc::world::View;

use super::Blind;

/// Which ballots a process owns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bals {
    Mod,
    All,
    Parity,
}

/// The constants.
#[derive(Clone, Copy, Debug)]
pub struct DiskPaxos {
    pub processes: usize,
    pub ballots: u8,
    pub values: u8,
    pub bals: Bals,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Block {
    mbal: u8,
    bal: u8,
    inp: u8,
}

/// Ballots up to 6 and values up to 3 make a block one byte.
impl Block {
    fn code(self) -> u8 {
        (self.mbal * 7 + self.bal) * 4 + self.inp
    }

    fn of(code: u8) -> Self {
        Block { mbal: code / 28, bal: code / 4 % 7, inp: code % 4 }
    }
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Pc {
    #[default]
    Write,
    Read,
    Decide,
    Done,
}

#[derive(Clone, Copy, Default)]
struct Process {
    register: Block,
    block: Block,
    pc: Pc,
    second: bool,
    /// A set of processes; `None` is "undefined".
    to_read: Option<u8>,
    /// A set of block codes.
    blocks_read: [u64; 4],
}

impl Process {
    fn blocks(&self) -> impl Iterator<Item = Block> + '_ {
        let codes = self.blocks_read.iter().zip((0u8..).step_by(64));
        codes.flat_map(|(&word, base)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros() as u8;
                rest &= rest.wrapping_sub(1);
                (bit < 64).then(|| Block::of(base + bit))
            })
        })
    }

    fn is_reading(&self, other: usize) -> bool {
        self.to_read.is_some_and(|set| set >> other & 1 == 1)
    }
}

#[derive(Clone, Copy, Default)]
struct State {
    processes: [Process; 3],
}

impl State {
    fn write(&self, count: usize, out: &mut Vec<u8>) {
        out.clear();
        for process in &self.processes[..count] {
            let reads = process.to_read.map_or(0, |set| set << 4 | 8);
            let flags = process.pc as u8 | u8::from(process.second) << 2 | reads;
            let blocks = process.blocks().map(Block::code);
            out.extend([process.register.code(), process.block.code(), flags]);
            out.push(process.blocks_read.iter().map(|word| word.count_ones() as u8).sum());
            out.extend(blocks);
        }
    }

    fn read(mut world: &[u8]) -> Self {
        let mut state = State::default();
        for process in &mut state.processes {
            let [register, block, flags, count, rest @ ..] = world else {
                break;
            };
            let (codes, rest) = rest.split_at(usize::from(*count));
            *process = Process {
                register: Block::of(*register),
                block: Block::of(*block),
                pc: [Pc::Write, Pc::Read, Pc::Decide, Pc::Done][usize::from(flags & 3)],
                second: flags & 4 != 0,
                to_read: (flags & 8 != 0).then_some(flags >> 4),
                blocks_read: [0; 4],
            };
            for code in codes {
                process.blocks_read[usize::from(code / 64)] |= 1 << (code % 64);
            }
            world = rest;
        }
        state
    }
}

impl DiskPaxos {
    fn owns(&self, process: usize, ballot: u8) -> bool {
        let ballot = usize::from(ballot) - 1;
        match self.bals {
            Bals::Mod => ballot % self.processes == process,
            Bals::All => true,
            Bals::Parity => ballot % 2 == (process + 1) % 2,
        }
    }

    fn next_ballot(&self, process: usize, above: u8) -> Option<u8> {
        (above + 1..=self.ballots).find(|&ballot| self.owns(process, ballot))
    }

    fn everyone(&self) -> std::ops::Range<usize> {
        0..self.processes
    }

    /// Whether reading the register of `other` makes `process` give its ballot up.
    fn preempts(state: &State, process: usize, other: usize) -> bool {
        state.processes[other].register.mbal > state.processes[process].block.mbal
    }

    fn choosable(&self, state: &State, value: u8, ballot: u8) -> bool {
        let owner = self.everyone().find(|&process| self.owns(process, ballot));
        let owner = &state.processes[owner.expect("every ballot has an owner")];
        let register = owner.register;
        if register.mbal < ballot || register.mbal == ballot && !owner.second {
            let behind = |p: &Process| p.register.mbal == 0 || p.register.mbal < p.block.mbal;
            return state.processes[..self.processes].iter().all(behind);
        }
        register.mbal == ballot
            && register.bal == ballot
            && register.inp == value
            && !self
                .everyone()
                .any(|other| owner.is_reading(other) && state.processes[other].block.mbal > ballot)
    }

    /// The invariant of this name.
    pub fn invariant(self, name: &'static str) -> Property {
        let holds: fn(&DiskPaxos, &State, &[Process]) -> bool = match name {
            "Agreement" => |_, _, all| equal(done(all).map(|p| p.block.inp)),
            "Inv1" => |_, _, all| all.iter().all(|p| p.block.bal <= p.block.mbal),
            "Inv2" => |_, _, all| {
                let written =
                    |p: &Process| p.register.mbal != 0 && p.register.mbal == p.register.bal;
                all.iter().all(|p| !written(p) || p.second)
            },
            "Inv3" => |paxos, state, all| {
                all.iter().filter(|p| p.second).all(|p| {
                    (1..p.block.bal).all(|ballot| {
                        (1..=paxos.values).all(|value| {
                            value == p.block.inp || !paxos.choosable(state, value, ballot)
                        })
                    })
                })
            },
            "Inv4" => |paxos, state, all| {
                done(all).all(|p| paxos.choosable(state, p.register.inp, p.register.bal))
            },
            "NobodyDecides" => |_, _, all| done(all).next().is_none(),
            "NotAllDecide" => |_, _, all| all.iter().any(|p| p.pc != Pc::Done),
            "MinBallotDecides" => |paxos, _, all| {
                let least = |process| paxos.next_ballot(process, 0);
                let decided = all.iter().enumerate().filter(|(_, p)| p.pc == Pc::Done);
                decided.into_iter().all(|(at, p)| Some(p.block.bal) == least(at))
            },
            "RegAgreement" => |_, _, all| {
                let written = all.iter().filter(|p| p.register.bal != 0);
                equal(written.map(|p| p.register.inp))
            },
            "HigherDecides" => |_, _, all| {
                let several = done(all).count() > 1;
                !several || done(all).all(|p| usize::from(p.block.bal) <= all.len())
            },
            "LowBal" => |_, _, all| all.iter().all(|p| p.block.mbal <= 3),
            "InputsEqual" => |_, _, all| equal(all.iter().map(|p| p.block.inp)),
            _ => panic!("no invariant is called {name}"),
        };
        let judge = move |view: &View<'_>| {
            let state = State::read(view.world);
            Ok(holds(&self, &state, &state.processes[..self.processes]))
        };
        Property { name: name.into(), rule: Rule::Invariant(Box::new(judge)) }
    }

    /// The invariant of this name as a state constraint.
    pub fn constraint(self, name: &'static str) -> Property {
        let Property { name, rule: Rule::Invariant(holds) } = self.invariant(name) else {
            unreachable!("it is one");
        };
        Property { name: format!("constraint {name}"), rule: Rule::Constraint(holds) }
    }
}

fn done(all: &[Process]) -> impl Iterator<Item = &Process> {
    all.iter().filter(|process| process.pc == Pc::Done)
}

fn equal(mut values: impl Iterator<Item = u8>) -> bool {
    let first = values.next();
    values.all(|value| Some(value) == first)
}

impl System for DiskPaxos {
    type Worker = ();

    fn worker(&self, _: usize) -> Result<(), Stop> {
        Ok(())
    }

    fn initial(&self, _: &mut (), each: &mut dyn FnMut(&[u8])) -> Result<(), Stop> {
        let mut world = Vec::new();
        let values = u32::from(self.values);
        for assignment in 0..values.pow(self.processes as u32) {
            let mut state = State::default();
            let mut rest = assignment;
            for process in self.everyone().rev() {
                state.processes[process].block = Block {
                    mbal: self.next_ballot(process, 0).expect("each owns a ballot"),
                    bal: 0,
                    inp: (rest % values) as u8 + 1,
                };
                rest /= values;
            }
            state.write(self.processes, &mut world);
            each(&world);
        }
        Ok(())
    }

    fn enabled(&self, _: &mut (), world: &[u8], out: &mut Vec<Action>) -> Result<(), Stop> {
        let state = State::read(world);
        let act = |subject: usize, argument: usize| Action {
            kind: Kind::Action,
            subject: subject as u8,
            argument: argument as u32,
        };
        for (at, process) in state.processes[..self.processes].iter().enumerate() {
            match (process.pc, process.to_read) {
                (Pc::Done, _) => (),
                (Pc::Read, Some(set)) if set != 0 => {
                    let goes = |&other: &usize| {
                        process.is_reading(other)
                            && (!Self::preempts(&state, at, other)
                                || self.next_ballot(at, process.block.mbal).is_some())
                    };
                    out.extend(self.everyone().filter(goes).map(|other| act(at, other)));
                }
                _ => out.push(act(at, 0)),
            }
        }
        if done(&state.processes[..self.processes]).count() == self.processes {
            out.push(act(self.processes, 0));
        }
        Ok(())
    }

    fn apply(
        &self,
        _: &mut (),
        _: Position<'_>,
        world: &[u8],
        action: &Action,
        _: &mut dyn Choice,
        next: &mut Vec<u8>,
    ) -> Result<(), Stop> {
        let mut state = State::read(world);
        let (at, other) = (usize::from(action.subject), action.argument as usize);
        if at < self.processes {
            let preempted = Self::preempts(&state, at, other);
            let register = state.processes[other].register;
            let process = &mut state.processes[at];
            match (process.pc, process.to_read) {
                (Pc::Write, _) => {
                    process.register = process.block;
                    process.to_read = Some((1 << self.processes) - 1);
                    process.pc = Pc::Read;
                }
                (Pc::Read, Some(set)) if set != 0 => {
                    if preempted {
                        let ballot = self.next_ballot(at, process.block.mbal);
                        process.block.mbal = ballot.expect("the action was enabled");
                        process.second = false;
                        process.pc = Pc::Write;
                    } else {
                        let code = register.code();
                        process.blocks_read[usize::from(code / 64)] |= 1 << (code % 64);
                        process.to_read = Some(set & !(1 << other));
                    }
                }
                (Pc::Read, _) => process.pc = Pc::Decide,
                (Pc::Decide, _) if !process.second => {
                    let read = || process.blocks().filter(|block| block.mbal != 0);
                    let most = read().map(|block| block.bal).max();
                    let highest = read().filter(|block| Some(block.bal) == most);
                    let value = highest.map(|block| block.inp).min();
                    process.block.inp = value.unwrap_or(process.block.inp);
                    process.block.bal = process.block.mbal;
                    process.second = true;
                    process.pc = Pc::Write;
                }
                _ => process.pc = Pc::Done,
            }
        }
        state.write(self.processes, next);
        Ok(())
    }

    fn view<'a>(&'a self, world: &'a [u8]) -> View<'a> {
        View { world, reader: &Blind }
    }

    fn kinds(&self) -> &'static [Kind] {
        &[Kind::Action]
    }

    fn name(&self, _: &[u8], action: &Action) -> String {
        format!("ACTION {} {}", action.subject, action.argument)
    }

    fn tell(&self, _: &[u8], _: &Action) -> Result<Told, Error> {
        Ok(Told::default())
    }
}
