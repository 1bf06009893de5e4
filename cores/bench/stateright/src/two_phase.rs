//! TwoPhase in the encoding of `../two_phase/two_phase.h`, in one word: Stateright hashes states
//! through `Hash`, and a word is what that is fastest with.

use stateright::{Model, Property};

use crate::members::members;

/// So many resource managers, 8 at most.
pub struct TwoPhase {
    pub rms: u32,
}

/// From bit 0 the sets committed, aborted, sent and heard, 8 bits each, and then the state of the
/// transaction manager.
pub type State = u64;

const ABORTED: u32 = 8;
const SENT: u32 = 16;
const HEARD: u32 = 24;
const TM: u32 = 32;

const TM_INIT: u64 = 0;
const TM_COMMITTED: u64 = 1;
const TM_ABORTED: u64 = 2;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    TmCommit,
    TmAbort,
    TmHear(u8),
    RmPrepare(u8),
    RmChooseAbort(u8),
    RmCommit(u8),
    RmAbort(u8),
}

fn set(state: State, shift: u32) -> u64 {
    state >> shift & 0xff
}

fn tm(state: State) -> u64 {
    state >> TM
}

impl Model for TwoPhase {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![0]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        let state = *state;
        let all = (1 << self.rms) - 1;
        let working = all & !(set(state, 0) | set(state, ABORTED) | set(state, SENT));
        actions.extend(members(working).map(Action::RmPrepare));
        actions.extend(members(working).map(Action::RmChooseAbort));
        match tm(state) {
            TM_INIT => {
                if set(state, HEARD) == all {
                    actions.push(Action::TmCommit);
                }
                actions.push(Action::TmAbort);
                actions.extend(members(set(state, SENT)).map(Action::TmHear));
            }
            TM_COMMITTED => actions.extend(members(all).map(Action::RmCommit)),
            _ => actions.extend(members(all).map(Action::RmAbort)),
        }
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        let state = *state;
        Some(match action {
            Action::TmCommit => state | TM_COMMITTED << TM,
            Action::TmAbort => state | TM_ABORTED << TM,
            Action::TmHear(rm) => state | 1 << (HEARD + u32::from(rm)),
            Action::RmPrepare(rm) => state | 1 << (SENT + u32::from(rm)),
            Action::RmCommit(rm) => (state | 1 << rm) & !(1 << (ABORTED + u32::from(rm))),
            Action::RmChooseAbort(rm) | Action::RmAbort(rm) => {
                (state | 1 << (ABORTED + u32::from(rm))) & !(1 << rm)
            }
        })
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("TCConsistent", |_, &state| {
            set(state, 0) == 0 || set(state, ABORTED) == 0
        })]
    }
}
