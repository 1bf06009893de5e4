//! Paxos in the encoding of `../paxos_ballots/paxos_ballots.h`, in one word.

use stateright::{Model, Property};

use crate::members::members;

/// So many ballots, 7 at most; two values.
pub struct PaxosBallots {
    pub ballots: u32,
}

/// Nine sets of ballots, 7 bits each: those for which 1a was sent; 1b by each acceptor; 2b by each
/// acceptor; 2a with each value.
pub type State = u64;

const WIDTH: u32 = 7;
const SENT_1A: u32 = 0;
const SENT_1B: u32 = 1;
const SENT_2B: u32 = 4;
const SENT_2A: u32 = 7;

const ACCEPTORS: u32 = 3;
const VALUES: u32 = 2;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    Phase1a { ballot: u8 },
    Phase1b { acceptor: u8, ballot: u8 },
    Phase2a { ballot: u8, value: u8 },
    Phase2b { acceptor: u8, ballot: u8 },
}

fn set(state: State, which: u32) -> u64 {
    state >> (which * WIDTH) & ((1 << WIDTH) - 1)
}

fn with(state: State, which: u32, ballot: u8) -> State {
    state | 1 << (which * WIDTH + u32::from(ballot))
}

/// The ballots that `acceptor` took part in.
fn took_part(state: State, acceptor: u32) -> u64 {
    set(state, SENT_1B + acceptor) | set(state, SENT_2B + acceptor)
}

/// The values that may be proposed in `ballot`, as bits. The quorum is two acceptors that have
/// promised it. Either none of them had voted, or the last vote binds.
fn allowed(state: State, ballot: u32) -> u64 {
    let mut binding = 0;
    for i in 0..ACCEPTORS {
        let j = (i + 1) % ACCEPTORS;
        if (set(state, SENT_1B + i) & set(state, SENT_1B + j)) >> ballot & 1 == 0 {
            continue;
        }
        let votes = (set(state, SENT_2B + i) | set(state, SENT_2B + j)) & ((1 << ballot) - 1);
        if votes == 0 {
            return (1 << VALUES) - 1;
        }
        binding |= 1 << votes.ilog2();
    }
    (0..VALUES).fold(0, |allowed, value| {
        allowed | u64::from(set(state, SENT_2A + value) & binding != 0) << value
    })
}

impl Model for PaxosBallots {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![0]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        let state = *state;
        let proposed = set(state, SENT_2A) | set(state, SENT_2A + 1);
        actions.extend((0..self.ballots as u8).map(|ballot| Action::Phase1a { ballot }));
        for ballot in members(!proposed & ((1 << self.ballots) - 1)) {
            let values = members(allowed(state, ballot.into()));
            actions.extend(values.map(|value| Action::Phase2a { ballot, value }));
        }
        for acceptor in 0..ACCEPTORS as u8 {
            let before = took_part(state, acceptor.into());
            let above = members(set(state, SENT_1A)).filter(|&ballot| before >> ballot == 0);
            actions.extend(above.map(|ballot| Action::Phase1b { acceptor, ballot }));
            let not_below = members(proposed).filter(|&ballot| before >> ballot <= 1);
            actions.extend(not_below.map(|ballot| Action::Phase2b { acceptor, ballot }));
        }
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        let state = *state;
        Some(match action {
            Action::Phase1a { ballot } => with(state, SENT_1A, ballot),
            Action::Phase1b { acceptor, ballot } => {
                with(state, SENT_1B + u32::from(acceptor), ballot)
            }
            Action::Phase2a { ballot, value } => with(state, SENT_2A + u32::from(value), ballot),
            Action::Phase2b { acceptor, ballot } => {
                with(state, SENT_2B + u32::from(acceptor), ballot)
            }
        })
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("one value is chosen", |_, &state| {
            let [x, y, z] = [0, 1, 2].map(|acceptor| set(state, SENT_2B + acceptor));
            let ballots = x & y | y & z | z & x;
            set(state, SENT_2A) & ballots == 0 || set(state, SENT_2A + 1) & ballots == 0
        })]
    }
}
