//! What the entries of a log mean, put together to a history. Per client in order: an answer goes to
//! the oldest request that has none.

use crate::history::{Answer, Call, History, Object, Value};

/// What a client asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked<'a> {
    /// What a register holds.
    Read,
    /// That it hold a value.
    Write(&'a [u8]),
    /// That it hold nothing.
    Delete,
    /// That it hold `new` if it holds `old`.
    Swap {
        /// What it must hold.
        old: &'a [u8],
        /// What it holds then.
        new: &'a [u8],
    },
    /// That a value stand last in a queue.
    Enqueue(&'a [u8]),
    /// The first value of a queue.
    Dequeue,
}

/// What it is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answered<'a> {
    /// It was done.
    Done,
    /// It was not done: something else was there.
    Failed,
    /// This was there.
    Found(&'a [u8]),
    /// Nothing was there.
    Nothing,
    /// Nobody knows whether it was or will be done.
    Unknown,
}

/// What an entry of a log means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// A client asks for something.
    Call {
        /// Which client.
        client: usize,
        /// The object; empty if there is only one.
        key: &'a [u8],
        /// What for.
        asked: Asked<'a>,
    },
    /// A client asks for something that is left out, with its answer.
    Skip {
        /// Which client.
        client: usize,
    },
    /// A client is answered.
    Answer {
        /// Which client.
        client: usize,
        /// What.
        answered: Answered<'a>,
    },
    /// Nothing to the history.
    Nothing,
}

/// Puts a history together.
pub struct Recorder {
    history: History,
    /// The requests that are not answered: the client, and the operation unless it is left out.
    open: Vec<(usize, Option<usize>)>,
}

impl Recorder {
    /// Of objects of one kind; a register holds `initial` at first.
    pub fn new(object: Object, initial: Option<&[u8]>) -> Self {
        Recorder { history: History::new(object, initial), open: Vec::new() }
    }

    /// The history so far.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The oldest request of `client` that was not answered: `None` without one, and `Some(None)` if
    /// it is one that is left out.
    pub fn oldest(&self, client: usize) -> Option<Option<Call>> {
        let open = self.open.iter().find(|(asking, _)| *asking == client);
        open.map(|(_, place)| place.map(|place| self.history.operations()[place].call))
    }

    /// The next entry; a text is why the history cannot go on so.
    pub fn hear(&mut self, event: Event<'_>) -> Result<(), String> {
        match event {
            Event::Call { client, key, asked } => {
                let call = self.call(asked);
                if !self.history.object().has(call) {
                    return Err(format!(
                        "client {client} asks for {}, which these objects do not do; correct the \
                         model of the history",
                        kind(call)
                    ));
                }
                let key = self.history.key(key);
                let place = self.history.call(client, key, call);
                self.open.push((client, Some(place)));
            }
            Event::Skip { client } => self.open.push((client, None)),
            Event::Answer { client, answered } => {
                let oldest = self.open.iter().position(|(asking, _)| *asking == client);
                let Some(oldest) = oldest else {
                    return Err(format!(
                        "client {client} is answered and has asked for nothing that was not \
                         answered; let the server write one answer to each request, in one piece"
                    ));
                };
                if let (_, Some(place)) = self.open.remove(oldest) {
                    self.answer(place, answered)?;
                }
            }
            Event::Nothing => {}
        }
        Ok(())
    }

    fn call(&mut self, asked: Asked<'_>) -> Call {
        match asked {
            Asked::Read => Call::Read,
            Asked::Write(value) => Call::Write(self.history.value(value)),
            Asked::Delete => Call::Delete,
            Asked::Swap { old, new } => {
                Call::Swap { old: self.history.value(old), new: self.history.value(new) }
            }
            Asked::Enqueue(value) => Call::Enqueue(self.history.value(value)),
            Asked::Dequeue => Call::Dequeue,
        }
    }

    fn answer(&mut self, place: usize, answered: Answered<'_>) -> Result<(), String> {
        let answer = match answered {
            Answered::Done => Answer::Done,
            Answered::Failed => Answer::Failed,
            Answered::Found(value) => Answer::Found(self.history.value(value)),
            Answered::Nothing => Answer::Found(Value::NOTHING),
            Answered::Unknown => Answer::Unknown,
        };
        let operation = self.history.operations()[place];
        if !operation.call.takes(answer) {
            return Err(format!(
                "client {} is answered {answered:?} to {}, which is no answer to it; correct how the \
                 log is read",
                operation.client,
                kind(operation.call)
            ));
        }
        self.history.answer(place, answer);
        Ok(())
    }
}

/// What a call is, in words.
pub fn kind(call: Call) -> &'static str {
    match call {
        Call::Read => "a read",
        Call::Write(_) => "a write",
        Call::Delete => "a delete",
        Call::Swap { .. } => "a compare-and-swap",
        Call::Enqueue(_) => "an enqueue",
        Call::Dequeue => "a dequeue",
    }
}
