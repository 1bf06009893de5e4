//! TwoPhase in the manner of Stateright's own example of it (`examples/2pc.rs`): the variables of the
//! specification, and its messages as a set.

use std::collections::BTreeSet;

use stateright::{Model, Property};

pub struct TwoPhase {
    pub rms: usize,
}

#[derive(Clone, Debug, Hash, PartialEq)]
pub struct State {
    rm: Vec<Rm>,
    tm: Tm,
    tm_prepared: Vec<bool>,
    messages: BTreeSet<Message>,
}

#[derive(Clone, Debug, Hash, PartialEq)]
enum Rm {
    Working,
    Prepared,
    Committed,
    Aborted,
}

#[derive(Clone, Debug, Hash, PartialEq)]
enum Tm {
    Init,
    Committed,
    Aborted,
}

#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
enum Message {
    Prepared { rm: usize },
    Commit,
    Abort,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    TmCommit,
    TmAbort,
    TmHear(usize),
    RmPrepare(usize),
    RmChooseAbort(usize),
    RmCommit(usize),
    RmAbort(usize),
}

impl Model for TwoPhase {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            rm: vec![Rm::Working; self.rms],
            tm: Tm::Init,
            tm_prepared: vec![false; self.rms],
            messages: BTreeSet::new(),
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        if state.tm == Tm::Init {
            if state.tm_prepared.iter().all(|&prepared| prepared) {
                actions.push(Action::TmCommit);
            }
            actions.push(Action::TmAbort);
        }
        for rm in 0..self.rms {
            if state.tm == Tm::Init && state.messages.contains(&Message::Prepared { rm }) {
                actions.push(Action::TmHear(rm));
            }
            if state.rm[rm] == Rm::Working {
                actions.push(Action::RmPrepare(rm));
                actions.push(Action::RmChooseAbort(rm));
            }
            if state.messages.contains(&Message::Commit) {
                actions.push(Action::RmCommit(rm));
            }
            if state.messages.contains(&Message::Abort) {
                actions.push(Action::RmAbort(rm));
            }
        }
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        let mut state = state.clone();
        match action {
            Action::TmCommit => {
                state.tm = Tm::Committed;
                state.messages.insert(Message::Commit);
            }
            Action::TmAbort => {
                state.tm = Tm::Aborted;
                state.messages.insert(Message::Abort);
            }
            Action::TmHear(rm) => state.tm_prepared[rm] = true,
            Action::RmPrepare(rm) => {
                state.rm[rm] = Rm::Prepared;
                state.messages.insert(Message::Prepared { rm });
            }
            Action::RmCommit(rm) => state.rm[rm] = Rm::Committed,
            Action::RmChooseAbort(rm) | Action::RmAbort(rm) => state.rm[rm] = Rm::Aborted,
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::<Self>::always("TCConsistent", |_, state| {
            !(state.rm.contains(&Rm::Committed) && state.rm.contains(&Rm::Aborted))
        })]
    }
}
