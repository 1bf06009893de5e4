//! Peterson's lock with the variables of the algorithm.

use stateright::{Model, Property};

pub struct Peterson {
    pub n: usize,
}

#[derive(Clone, Debug, Hash, PartialEq)]
pub struct State {
    processes: Vec<Process>,
    /// The level of each process.
    pos: Vec<usize>,
    /// Who came last to each level from 1, at the level less 1.
    last: Vec<usize>,
}

#[derive(Clone, Debug, Hash, PartialEq)]
struct Process {
    at: At,
    j: usize,
    k: usize,
}

#[derive(Clone, Copy, Debug, Hash, PartialEq)]
enum At {
    Idle,
    Wait,
    Q2,
    Q3,
    Critical,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Try(usize),
    Climb(usize),
    Enter(usize),
    ComeLast(usize),
    Look(usize),
    Pass(usize),
    Leave(usize),
}

impl Model for Peterson {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            processes: vec![Process { at: At::Idle, j: 0, k: 0 }; self.n],
            pos: vec![0; self.n],
            last: vec![0; self.n],
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for (i, &Process { at, j, k }) in state.processes.iter().enumerate() {
            match at {
                At::Idle => actions.push(Action::Try(i)),
                At::Wait if j < self.n => actions.push(Action::Climb(i)),
                At::Wait => actions.push(Action::Enter(i)),
                At::Q2 => actions.push(Action::ComeLast(i)),
                At::Q3 => {
                    if k < self.n && (k == i || state.pos[k] < j) {
                        actions.push(Action::Look(i));
                    }
                    if k == self.n || state.last[j - 1] != i {
                        actions.push(Action::Pass(i));
                    }
                }
                At::Critical => actions.push(Action::Leave(i)),
            }
        }
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        let mut state = state.clone();
        match action {
            Action::Try(i) => {
                state.processes[i].j = 1;
                state.processes[i].at = At::Wait;
            }
            Action::Climb(i) => {
                state.pos[i] = state.processes[i].j;
                state.processes[i].at = At::Q2;
            }
            Action::Enter(i) => state.processes[i].at = At::Critical,
            Action::ComeLast(i) => {
                state.last[state.processes[i].j - 1] = i;
                state.processes[i].k = 0;
                state.processes[i].at = At::Q3;
            }
            Action::Look(i) => state.processes[i].k += 1,
            Action::Pass(i) => {
                state.processes[i].j += 1;
                state.processes[i].k = 0;
                state.processes[i].at = At::Wait;
            }
            Action::Leave(i) => {
                state.pos[i] = 0;
                state.processes[i].j = 0;
                state.processes[i].at = At::Idle;
            }
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::<Self>::always("mutual exclusion", |_, state| {
            state.processes.iter().filter(|process| process.at == At::Critical).count() <= 1
        })]
    }
}
