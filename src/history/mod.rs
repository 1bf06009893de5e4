//! Histories of operations on shared objects, and whether one is linearizable (Herlihy and Wing,
//! *Linearizability: a correctness condition for concurrent objects*, 1990) or sequentially
//! consistent (Lamport, *How to make a multiprocessor computer that correctly executes multiprocess
//! programs*, 1979). An operation that was not answered may have taken effect or not: such a history
//! is good when one of its completions is.
//!
//! This is vocabulary: it knows neither worlds nor how a protocol writes its requests.

mod names;
mod object;
mod order;
mod search;
mod state;
mod witness;

pub use names::{Key, Value};
pub use object::Object;
pub use search::TooLarge;
pub use witness::Witness;

use names::Names;

/// What order the operations must be explained by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Consistency {
    /// One in which an operation that ended before another began stands before it.
    Linearizable,
    /// One in which each client's operations stand in the client's order. Not a local property: all
    /// keys are explained together.
    Sequential,
}

/// What a client asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Call {
    /// What a register holds. Answered [`Answer::Found`].
    Read,
    /// That a register hold a value. Answered [`Answer::Done`].
    Write(Value),
    /// That a register hold nothing. Answered [`Answer::Done`] whatever it held, or
    /// [`Answer::Found`] nothing.
    Delete,
    /// That a register hold `new` if it holds `old`. Answered [`Answer::Done`] or
    /// [`Answer::Failed`].
    Swap {
        /// What it must hold.
        old: Value,
        /// What it holds then.
        new: Value,
    },
    /// That a value stand last in a queue. Answered [`Answer::Done`].
    Enqueue(Value),
    /// The first value of a queue, which it then no longer holds. Answered [`Answer::Found`].
    Dequeue,
}

/// What a client is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// It was done.
    Done,
    /// It was not done, because the register held something else.
    Failed,
    /// This, or nothing, was there.
    Found(Value),
    /// Nothing that tells whether it was or will ever be done.
    Unknown,
}

impl Call {
    /// Whether `answer` is one that an operation of this kind can have.
    pub fn takes(self, answer: Answer) -> bool {
        match (self, answer) {
            (_, Answer::Unknown) => true,
            (Call::Read | Call::Dequeue, answer) => matches!(answer, Answer::Found(_)),
            (Call::Write(_) | Call::Enqueue(_), answer) => answer == Answer::Done,
            (Call::Delete, answer) => {
                matches!(answer, Answer::Done | Answer::Found(Value::NOTHING))
            }
            (Call::Swap { .. }, answer) => matches!(answer, Answer::Done | Answer::Failed),
        }
    }
}

/// One operation of a client. Times are places in the log of calls and answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Whose it is.
    pub client: usize,
    /// The object that it is on.
    pub key: Key,
    /// What is asked for.
    pub call: Call,
    /// When.
    pub called: u32,
    /// When it was answered, and what; `None` while it is pending.
    pub answer: Option<(u32, Answer)>,
}

impl Operation {
    /// When it ended, and how, if its client knows.
    fn ended(&self) -> Option<(u32, Answer)> {
        self.answer.filter(|&(_, answer)| answer != Answer::Unknown)
    }
}

/// What some clients did with some objects of one kind. A client's operations are answered in the
/// order of their calls.
#[derive(Clone, Debug)]
pub struct History {
    object: Object,
    initial: Value,
    keys: Names,
    values: Names,
    operations: Vec<Operation>,
    now: u32,
}

impl History {
    /// Nothing has happened yet. A register holds `initial` then, a queue nothing.
    pub fn new(object: Object, initial: Option<&[u8]>) -> Self {
        let mut values = Names::default();
        let initial =
            initial.map_or(Value::NOTHING, |initial| Value::numbered(&mut values, initial));
        History { object, initial, keys: Names::default(), values, operations: Vec::new(), now: 0 }
    }

    /// What its objects are.
    pub fn object(&self) -> Object {
        self.object
    }

    /// The value that is written `bytes`.
    pub fn value(&mut self, bytes: &[u8]) -> Value {
        Value::numbered(&mut self.values, bytes)
    }

    /// The key of the object that is called `bytes`; the empty name is one too.
    pub fn key(&mut self, bytes: &[u8]) -> Key {
        Key(self.keys.number(bytes))
    }

    /// A client begins an operation: its place among [`History::operations`].
    ///
    /// # Panics
    /// If the call is not one of this kind of object.
    pub fn call(&mut self, client: usize, key: Key, call: Call) -> usize {
        assert!(self.object.has(call), "{call:?} on a {:?}", self.object);
        let called = self.tick();
        self.operations.push(Operation { client, key, call, called, answer: None });
        self.operations.len() - 1
    }

    /// The client of the operation at `place`, its oldest that was not answered, is answered.
    ///
    /// # Panics
    /// If it is not such an operation, or if the answer does not fit it.
    pub fn answer(&mut self, place: usize, answer: Answer) {
        let Operation { client, call, .. } = self.operations[place];
        let mut its = self.operations.iter().filter(|other| other.client == client);
        let oldest = its.find(|other| other.answer.is_none()).map(|oldest| oldest.called);
        assert_eq!(oldest, Some(self.operations[place].called), "answered out of order");
        assert!(call.takes(answer), "{answer:?} to {call:?}");
        let now = self.tick();
        self.operations[place].answer = Some((now, answer));
    }

    /// The operations, in the order of their calls.
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// What is wrong with it, if something is.
    pub fn judge(&self, consistency: Consistency) -> Result<Option<Witness>, TooLarge> {
        if search::explained(self, &self.operations, consistency)? {
            return Ok(None);
        }
        witness::find(self, consistency).map(Some)
    }

    fn tick(&mut self) -> u32 {
        self.now += 1;
        self.now
    }
}
