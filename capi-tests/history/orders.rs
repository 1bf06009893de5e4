//! What the checker says of small histories is what trying every order of their operations says, for
//! all four models and both consistencies.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};

use cmc::history::{Answer, Call, Consistency, History, Object, Value};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

const CONSISTENCIES: [Consistency; 2] = [Consistency::Linearizable, Consistency::Sequential];

/// An operation as the oracle sees it. Values are 1 and 2, nothing is 0.
#[derive(Clone, Copy, Debug)]
enum Request {
    Read,
    Write(u8),
    Delete,
    Swap(u8, u8),
    Put(u8),
    Take,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Reply {
    Yes,
    No,
    Got(u8),
    Maybe,
}

#[derive(Clone, Copy, Debug)]
struct Op {
    client: usize,
    key: u8,
    request: Request,
    from: usize,
    reply: Option<(usize, Reply)>,
}

impl Op {
    /// When it was over as far as its client knows.
    fn over(&self) -> Option<usize> {
        self.reply.filter(|&(_, reply)| reply != Reply::Maybe).map(|(at, _)| at)
    }
}

/// Whether `operations`, done one after another, give their replies.
fn legal(operations: &[Op], initial: u8) -> bool {
    let mut cells: HashMap<u8, u8> = HashMap::new();
    let mut queues: HashMap<u8, VecDeque<u8>> = HashMap::new();
    operations.iter().all(|op| {
        let cell = cells.entry(op.key).or_insert(initial);
        let queue = queues.entry(op.key).or_default();
        let before = *cell;
        let real = match op.request {
            Request::Read => Reply::Got(before),
            Request::Write(value) => {
                *cell = value;
                Reply::Yes
            }
            Request::Delete => {
                *cell = 0;
                Reply::Yes
            }
            Request::Swap(old, new) if before == old => {
                *cell = new;
                Reply::Yes
            }
            Request::Swap(..) => Reply::No,
            Request::Put(value) => {
                queue.push_back(value);
                Reply::Yes
            }
            Request::Take => Reply::Got(queue.pop_front().unwrap_or(0)),
        };
        match (op.request, op.reply) {
            (_, None | Some((_, Reply::Maybe))) => true,
            (Request::Delete, Some((_, Reply::Got(0)))) => before == 0,
            (_, Some((_, reply))) => reply == real,
        }
    })
}

/// Whether `first` may stand before `second`.
fn may_precede(first: &Op, second: &Op, consistency: Consistency) -> bool {
    match consistency {
        Consistency::Linearizable => second.over().is_none_or(|end| first.from < end),
        Consistency::Sequential => {
            let maybe = second.reply.is_some_and(|(_, reply)| reply == Reply::Maybe);
            first.client != second.client || first.from < second.from || maybe
        }
    }
}

/// Try every order of every choice of operations that holds all that are over.
fn some_order(rest: &[Op], chosen: &mut Vec<Op>, initial: u8, consistency: Consistency) -> bool {
    if !legal(chosen, initial) {
        return false;
    }
    if rest.iter().all(|op| op.over().is_none()) {
        return true;
    }
    (0..rest.len()).any(|at| {
        let mut rest = rest.to_vec();
        let next = rest.remove(at);
        if !chosen.iter().all(|before| may_precede(before, &next, consistency)) {
            return false;
        }
        chosen.push(next);
        let found = some_order(&rest, chosen, initial, consistency);
        chosen.pop();
        found
    })
}

#[derive(Clone, Copy, Debug)]
enum Model {
    Register,
    Cas,
    Queue,
    Kv,
}

const MODELS: [Model; 4] = [Model::Register, Model::Cas, Model::Queue, Model::Kv];

/// What one step of a drawn history is made of.
type Draw = (u8, u8, u8, u8, u8);

fn request(model: Model, (_, kind, a, b, _): Draw) -> Request {
    let value = |byte: u8| 1 + byte % 2;
    match model {
        Model::Register => [Request::Read, Request::Write(value(a))][usize::from(kind % 2)],
        Model::Cas => {
            let swap = Request::Swap(value(a), value(b));
            [Request::Read, Request::Write(value(a)), swap, swap][usize::from(kind % 4)]
        }
        Model::Queue => [Request::Put(value(a)), Request::Take][usize::from(kind % 2)],
        Model::Kv => {
            let write = Request::Write(value(a));
            [Request::Read, write, Request::Read, Request::Delete][usize::from(kind % 4)]
        }
    }
}

fn reply(request: Request, (_, kind, a, _, _): Draw) -> Reply {
    if kind % 11 == 0 {
        return Reply::Maybe;
    }
    match request {
        Request::Read | Request::Take => Reply::Got(a % 3),
        Request::Write(_) | Request::Put(_) => Reply::Yes,
        Request::Delete => [Reply::Yes, Reply::Got(0)][usize::from(a % 2)],
        Request::Swap(..) => [Reply::Yes, Reply::No][usize::from(a % 2)],
    }
}

/// At most `most` operations of three clients; each step calls or answers, some clients call again
/// before they are answered.
fn operations(model: Model, draws: &[Draw], most: usize) -> Vec<Op> {
    let mut all: Vec<Op> = Vec::new();
    for (now, draw) in draws.iter().enumerate() {
        let client = usize::from(draw.0 % 3);
        let open = all.iter().position(|op| op.client == client && op.reply.is_none());
        match open {
            Some(at) if draw.4 % 6 != 0 => {
                all[at].reply = Some((now, reply(all[at].request, *draw)));
            }
            _ if all.len() < most => {
                let request = request(model, *draw);
                all.push(Op { client, key: draw.3 % 2, request, from: now, reply: None });
            }
            _ => {}
        }
    }
    all
}

fn value(history: &mut History, number: u8) -> Value {
    if number == 0 { Value::NOTHING } else { history.value(&[b'0' + number]) }
}

/// The same for the checker.
fn history(model: Model, operations: &[Op], initial: u8) -> History {
    let object = if let Model::Queue = model { Object::Queue } else { Object::Register };
    let initial = [b'0' + initial];
    let mut history = History::new(object, (initial != *b"0").then_some(&initial));
    let mut events: Vec<(usize, usize, bool)> = Vec::new();
    for (at, op) in operations.iter().enumerate() {
        events.push((op.from, at, true));
        events.extend(op.reply.map(|(end, _)| (end, at, false)));
    }
    events.sort_unstable();
    for (_, at, is_call) in events {
        let op = operations[at];
        if is_call {
            let key = history.key(&[b'x' + op.key]);
            let call = match op.request {
                Request::Read => Call::Read,
                Request::Write(number) => Call::Write(value(&mut history, number)),
                Request::Delete => Call::Delete,
                Request::Swap(old, new) => {
                    Call::Swap { old: value(&mut history, old), new: value(&mut history, new) }
                }
                Request::Put(number) => Call::Enqueue(value(&mut history, number)),
                Request::Take => Call::Dequeue,
            };
            assert_eq!(history.call(op.client, key, call), at);
        } else {
            let answer = match op.reply.expect("it has one").1 {
                Reply::Yes => Answer::Done,
                Reply::No => Answer::Failed,
                Reply::Got(number) => Answer::Found(value(&mut history, number)),
                Reply::Maybe => Answer::Unknown,
            };
            history.answer(at, answer);
        }
    }
    history
}

/// What the checker says, held to the oracle.
fn agreed(model: Model, operations: &[Op], initial: u8, consistency: Consistency) -> bool {
    let history = history(model, operations, initial);
    let found = history.judge(consistency).expect("a small history");
    let good = some_order(operations, &mut Vec::new(), initial, consistency);
    assert_eq!(found.is_none(), good, "{consistency:?} {model:?} {operations:#?}: {found:?}");
    if let Some(witness) = found {
        let (end, _) = operations[witness.place].reply.expect("it names an answered operation");
        let cut = |now: usize| -> Vec<Op> {
            let then = operations.iter().filter(|op| op.from <= now);
            then.map(|op| Op { reply: op.reply.filter(|&(at, _)| at <= now), ..*op }).collect()
        };
        assert!(!some_order(&cut(end), &mut Vec::new(), initial, consistency), "{witness:?}");
        let before = cut(end - 1);
        assert!(some_order(&before, &mut Vec::new(), initial, consistency), "{witness:?}");
        assert!(witness.why.contains("; it could only have "), "{witness:?}");
    }
    good
}

#[test]
fn small_histories_are_judged_as_by_trying_every_order() {
    // How many were good and bad, by model and consistency: draws of one kind only show nothing.
    let seen = RefCell::new([[[0; 2]; 2]; 4]);
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let draws = prop::collection::vec(any::<Draw>(), 1..12);
    let all = runner.run(&(draws, 0..3u8), |(draws, initial)| {
        for (at, model) in MODELS.into_iter().enumerate() {
            let operations = operations(model, &draws, 5);
            for (which, consistency) in CONSISTENCIES.into_iter().enumerate() {
                let good = agreed(model, &operations, initial, consistency);
                seen.borrow_mut()[at][which][usize::from(good)] += 1;
            }
        }
        Ok(())
    });
    all.unwrap_or_else(|failure| panic!("{failure}"));
    let seen = seen.into_inner();
    assert!(seen.iter().flatten().flatten().all(|&count| count > 150), "{seen:?}");
}

#[test]
fn a_linearizable_history_is_sequentially_consistent() {
    let mut runner = TestRunner::deterministic();
    let draws = prop::collection::vec(any::<Draw>(), 1..40);
    let all = runner.run(&draws, |draws| {
        for model in MODELS {
            let history = history(model, &operations(model, &draws, 12), 0);
            let [strong, weak] = CONSISTENCIES.map(|c| history.judge(c).expect("a small history"));
            // A client that does not wait has an order of its own, which real time does not know.
            let all = history.operations();
            let waits = all.iter().enumerate().all(|(at, op)| {
                let mut earlier = all[..at].iter().filter(|other| other.client == op.client);
                earlier.all(|other| other.answer.is_some_and(|(end, _)| end < op.called))
            });
            prop_assert!(!waits || strong.is_some() || weak.is_none(), "{:?}", history);
        }
        Ok(())
    });
    all.unwrap_or_else(|failure| panic!("{failure}"));
}
