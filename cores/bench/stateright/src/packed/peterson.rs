//! Peterson's lock in the encoding of `../peterson/peterson.h`, in one word.

use stateright::{Model, Property};

/// So many processes, 6 at most.
pub struct Peterson {
    pub n: u32,
}

/// A byte for each process, its level and what it does; and from [`LAST`] three bits for each level
/// from 1, who came last to it.
pub type State = u64;

const LAST: u32 = 48;

const IDLE: u64 = 0;
const WAIT: u64 = 1;
const Q2: u64 = 2;
const CRITICAL: u64 = 3;
const Q3: u64 = 4;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    Try(u8),
    Climb(u8),
    Enter(u8),
    ComeLast(u8),
    Look(u8),
    Pass(u8),
    Leave(u8),
}

fn doing(state: State, i: u32) -> u64 {
    state >> (8 * i) & 15
}

fn level(state: State, i: u32) -> u64 {
    state >> (8 * i + 4) & 15
}

fn place_of_last(level: u64) -> u32 {
    LAST + 3 * (level as u32 - 1)
}

fn last(state: State, level: u64) -> u64 {
    state >> place_of_last(level) & 7
}

fn go(state: State, i: u32, level: u64, doing: u64) -> State {
    state & !(0xff << (8 * i)) | (level << 4 | doing) << (8 * i)
}

impl Peterson {
    fn push_q3(&self, state: State, i: u32, actions: &mut Vec<Action>) {
        let k = (doing(state, i) - Q3) as u32;
        let mine = level(state, i);
        if k < self.n && (k == i || level(state, k) < mine) {
            actions.push(Action::Look(i as u8));
        }
        if k == self.n || last(state, mine) != u64::from(i) {
            actions.push(Action::Pass(i as u8));
        }
    }
}

impl Model for Peterson {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![0]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        let state = *state;
        for i in 0..self.n {
            let who = i as u8;
            match doing(state, i) {
                IDLE => actions.push(Action::Try(who)),
                WAIT if level(state, i) < u64::from(self.n) - 1 => actions.push(Action::Climb(who)),
                WAIT => actions.push(Action::Enter(who)),
                Q2 => actions.push(Action::ComeLast(who)),
                CRITICAL => actions.push(Action::Leave(who)),
                _ => self.push_q3(state, i, actions),
            }
        }
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        let state = *state;
        Some(match action {
            Action::Try(i) => go(state, i.into(), 0, WAIT),
            Action::Climb(i) => go(state, i.into(), level(state, i.into()) + 1, Q2),
            Action::Enter(i) => go(state, i.into(), level(state, i.into()), CRITICAL),
            Action::ComeLast(i) => {
                let mine = level(state, i.into());
                let place = place_of_last(mine);
                go(state & !(7 << place) | u64::from(i) << place, i.into(), mine, Q3)
            }
            Action::Look(i) => state + (1 << (8 * u32::from(i))),
            Action::Pass(i) => go(state, i.into(), level(state, i.into()), WAIT),
            Action::Leave(i) => go(state, i.into(), 0, IDLE),
        })
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("mutual exclusion", |model, &state| {
            (0..model.n).filter(|&i| doing(state, i) == CRITICAL).count() <= 1
        })]
    }
}
