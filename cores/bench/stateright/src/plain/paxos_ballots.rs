//! Paxos with the variables of the specification, and its messages as a set.

use std::collections::BTreeSet;

use stateright::{Model, Property};

/// So many ballots; three acceptors and two values.
pub struct PaxosBallots {
    pub ballots: u8,
}

const ACCEPTORS: usize = 3;
const VALUES: u8 = 2;

#[derive(Clone, Debug, Hash, PartialEq)]
pub struct State {
    acceptors: Vec<Acceptor>,
    messages: BTreeSet<Message>,
}

#[derive(Clone, Debug, Default, Hash, PartialEq)]
struct Acceptor {
    max_ballot: Option<u8>,
    last_vote: Option<Vote>,
}

/// Votes are ordered by their ballots.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
struct Vote {
    ballot: u8,
    value: u8,
}

#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
enum Message {
    Phase1a { ballot: u8 },
    Phase1b { acceptor: usize, ballot: u8, last_vote: Option<Vote> },
    Phase2a { vote: Vote },
    Phase2b { acceptor: usize, vote: Vote },
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Phase1a { ballot: u8 },
    Phase1b { acceptor: usize, ballot: u8 },
    Phase2a { ballot: u8, value: u8 },
    Phase2b { acceptor: usize, ballot: u8, value: u8 },
}

impl State {
    fn is_proposed(&self, in_ballot: u8) -> bool {
        self.messages
            .iter()
            .any(|m| matches!(m, Message::Phase2a { vote } if vote.ballot == in_ballot))
    }

    /// The last votes that acceptors named when they promised the ballot, one for each.
    fn promises(&self, to_ballot: u8) -> Vec<Option<Vote>> {
        self.messages
            .iter()
            .filter_map(|m| match m {
                Message::Phase1b { ballot, last_vote, .. } if *ballot == to_ballot => {
                    Some(*last_vote)
                }
                _ => None,
            })
            .collect()
    }

    /// Two acceptors voted for it in the same ballot.
    fn is_chosen(&self, value: u8) -> bool {
        let votes: Vec<u8> = self
            .messages
            .iter()
            .filter_map(|m| match m {
                Message::Phase2b { vote, .. } if vote.value == value => Some(vote.ballot),
                _ => None,
            })
            .collect();
        votes.iter().any(|ballot| votes.iter().filter(|&other| other == ballot).count() >= 2)
    }
}

/// Two of those who promised let the value be proposed: neither had voted, or the later of their votes
/// was for it.
fn allow(promises: &[Option<Vote>], value: u8) -> bool {
    promises.iter().enumerate().any(|(i, one)| {
        promises[..i].iter().any(|other| one.max(other).is_none_or(|vote| vote.value == value))
    })
}

impl Model for PaxosBallots {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State { acceptors: vec![Acceptor::default(); ACCEPTORS], messages: BTreeSet::new() }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for ballot in 0..self.ballots {
            actions.push(Action::Phase1a { ballot });
            if !state.is_proposed(ballot) {
                let promises = state.promises(ballot);
                for value in 0..VALUES {
                    if allow(&promises, value) {
                        actions.push(Action::Phase2a { ballot, value });
                    }
                }
            }
        }
        for message in &state.messages {
            for acceptor in 0..ACCEPTORS {
                let max_ballot = state.acceptors[acceptor].max_ballot;
                match *message {
                    Message::Phase1a { ballot } if Some(ballot) > max_ballot => {
                        actions.push(Action::Phase1b { acceptor, ballot });
                    }
                    Message::Phase2a { vote: Vote { ballot, value } }
                        if Some(ballot) >= max_ballot =>
                    {
                        actions.push(Action::Phase2b { acceptor, ballot, value });
                    }
                    _ => {}
                }
            }
        }
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        let mut state = state.clone();
        let message = match action {
            Action::Phase1a { ballot } => Message::Phase1a { ballot },
            Action::Phase1b { acceptor, ballot } => {
                let sender = &mut state.acceptors[acceptor];
                sender.max_ballot = Some(ballot);
                Message::Phase1b { acceptor, ballot, last_vote: sender.last_vote }
            }
            Action::Phase2a { ballot, value } => Message::Phase2a { vote: Vote { ballot, value } },
            Action::Phase2b { acceptor, ballot, value } => {
                let vote = Vote { ballot, value };
                let sender = &mut state.acceptors[acceptor];
                sender.max_ballot = Some(ballot);
                sender.last_vote = Some(vote);
                Message::Phase2b { acceptor, vote }
            }
        };
        state.messages.insert(message);
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::<Self>::always("one value is chosen", |_, state| {
            (0..VALUES).filter(|&value| state.is_chosen(value)).count() <= 1
        })]
    }
}
