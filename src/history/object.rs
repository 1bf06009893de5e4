//! What objects do when operations come one at a time.

use super::state::State;
use super::{Answer, Call, Key, Value};

/// A kind of object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Object {
    /// It holds one value or nothing.
    Register,
    /// First in, first out, of any length.
    Queue,
}

impl Object {
    /// Whether a call is one on this kind of object.
    pub fn has(self, call: Call) -> bool {
        matches!(call, Call::Enqueue(_) | Call::Dequeue) == (self == Object::Queue)
    }
}

/// What an operation does at some state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// It would have been answered otherwise.
    Impossible,
    /// It looked: an operation with this answer changes nothing at any state.
    Looked,
    /// It was done, and has left the state as it is now.
    Acted,
}

/// Do `call`, whose answer was `answer` if that is known, on the object `key` of `state`.
pub(super) fn apply(state: &mut State, key: Key, call: Call, answer: Option<Answer>) -> Effect {
    let answered = |possible: Answer| answer.is_none_or(|answer| answer == possible);
    match call {
        Call::Read => looked(answered(Answer::Found(state.held(key)))),
        Call::Write(value) => hold(state, key, value),
        Call::Delete => match answer {
            Some(Answer::Found(_)) => looked(state.held(key) == Value::NOTHING),
            _ => hold(state, key, Value::NOTHING),
        },
        Call::Swap { old, new } => match state.held(key) == old {
            true if answered(Answer::Done) => hold(state, key, new),
            holds => looked(!holds && answered(Answer::Failed)),
        },
        Call::Enqueue(value) => {
            state.push(key, value);
            Effect::Acted
        }
        Call::Dequeue => match state.front(key) {
            front if !answered(Answer::Found(front)) => Effect::Impossible,
            Value::NOTHING => Effect::Looked,
            _ => {
                state.shift(key);
                Effect::Acted
            }
        },
    }
}

fn looked(possible: bool) -> Effect {
    if possible { Effect::Looked } else { Effect::Impossible }
}

fn hold(state: &mut State, key: Key, value: Value) -> Effect {
    state.hold(key, value);
    Effect::Acted
}
