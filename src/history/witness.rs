//! Says what is wrong with a history: the first answer behind which nothing explains it, and which
//! answers there could have been.

use super::names::Names;
use super::search::{TooLarge, explained};
use super::{Answer, Call, Consistency, History, Operation, Value};

/// The operation whose answer nothing explains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// Its place among the operations of the history.
    pub place: usize,
    /// What was answered and what could have been, in a sentence.
    pub why: String,
}

/// The witness of `history`, which is not `consistency`.
pub(super) fn find(history: &History, consistency: Consistency) -> Result<Witness, TooLarge> {
    let mut ends: Vec<(u32, usize)> = history
        .operations
        .iter()
        .enumerate()
        .filter_map(|(place, operation)| Some((operation.ended()?.0, place)))
        .collect();
    ends.sort_unstable();
    // What is good stays good without its last answer, so the first bad answer is the last but those
    // without which the history is still bad. Mostly it is the last.
    let mut end = ends.len() - 1;
    while end > 0 && !explained(history, &until(history, ends[end - 1].0), consistency)? {
        end -= 1;
    }
    let (now, place) = ends[end];
    let mut then = until(history, now);
    let mut possible = Vec::new();
    for answer in answers(history, history.operations[place]) {
        then[place].answer = Some((now, answer));
        if explained(history, &then, consistency)? {
            possible.push(answer);
        }
    }
    let operation = &history.operations[place];
    let mut why = format!("client {} {}", operation.client, did(history, operation));
    if let Some(before) = before(history, operation, consistency) {
        let who = match before.client == operation.client {
            true => "it".into(),
            false => format!("client {}", before.client),
        };
        why += &format!(" after {who} {}", did(history, before));
    }
    let mut possible: Vec<String> =
        possible.iter().map(|answer| had(history, operation.call, *answer)).collect();
    if possible.is_empty() {
        // A later one of a client that did not wait has been seen, and this one in front of it not.
        possible.push("been lost".into());
    }
    why += &format!("; it could only have {}", possible.join(" or "));
    Ok(Witness { place, why })
}

/// The operations as they were at the time `now`.
fn until(history: &History, now: u32) -> Vec<Operation> {
    let called = history.operations.iter().filter(|operation| operation.called <= now);
    called
        .map(|operation| Operation {
            answer: operation.answer.filter(|&(at, _)| at <= now),
            ..*operation
        })
        .collect()
}

/// The answers that `operation` might have had.
fn answers(history: &History, operation: Operation) -> Vec<Answer> {
    match operation.call {
        Call::Read | Call::Dequeue => {
            let values = (0..=history.values.len() as u32).map(Value);
            values.map(Answer::Found).collect()
        }
        Call::Write(_) | Call::Enqueue(_) => vec![Answer::Done],
        Call::Delete => vec![Answer::Done, Answer::Found(Value::NOTHING)],
        Call::Swap { .. } => vec![Answer::Done, Answer::Failed],
    }
}

/// The last operation that must stand before `own`, of those that tell something about its answer.
fn before<'a>(
    history: &'a History,
    own: &Operation,
    consistency: Consistency,
) -> Option<&'a Operation> {
    let ended = history.operations.iter().filter(|other| match consistency {
        Consistency::Linearizable => {
            other.key == own.key && other.ended().is_some_and(|(at, _)| at < own.called)
        }
        Consistency::Sequential => {
            other.client == own.client && other.called < own.called && other.ended().is_some()
        }
    });
    ended.max_by_key(|other| other.ended().map(|(at, _)| at))
}

/// What `operation`, which has ended, did: `wrote "1" to "x"`.
fn did(history: &History, operation: &Operation) -> String {
    let on = |word: &str| match history.keys.bytes(operation.key.0) {
        b"" => String::new(),
        key => format!(" {word} {}", quoted(key)),
    };
    let value = |value: Value| shown(&history.values, value);
    let answer = operation.ended().map(|(_, answer)| answer);
    match (operation.call, answer) {
        (Call::Read, Some(Answer::Found(found))) => format!("read {}{}", value(found), on("from")),
        (Call::Dequeue, Some(Answer::Found(Value::NOTHING))) => {
            format!("found nothing to take{}", on("from"))
        }
        (Call::Dequeue, Some(Answer::Found(found))) => {
            format!("took {}{}", value(found), on("from"))
        }
        (Call::Write(written), _) => format!("wrote {}{}", value(written), on("to")),
        (Call::Enqueue(put), _) => format!("put {}{}", value(put), on("in")),
        (Call::Delete, Some(Answer::Found(_))) => format!("found nothing to delete{}", on("in")),
        (Call::Swap { old, new }, Some(Answer::Failed)) => {
            format!("failed to swap {} for {}{}", value(old), value(new), on("in"))
        }
        (Call::Swap { old, new }, _) => {
            format!("swapped {} for {}{}", value(old), value(new), on("in"))
        }
        (Call::Delete, _) => format!("deleted what there was{}", on("in")),
        (Call::Read | Call::Dequeue, _) => format!("asked for a value{}", on("of")),
    }
}

/// What a call with this answer has done: `read "1"`.
fn had(history: &History, call: Call, answer: Answer) -> String {
    match (call, answer) {
        (Call::Read, Answer::Found(found)) => format!("read {}", shown(&history.values, found)),
        (_, Answer::Found(Value::NOTHING)) => "found nothing".into(),
        (_, Answer::Found(found)) => format!("taken {}", shown(&history.values, found)),
        (Call::Delete, _) => "found something".into(),
        (_, Answer::Done) => "succeeded".into(),
        (_, Answer::Failed | Answer::Unknown) => "failed".into(),
    }
}

fn shown(values: &Names, value: Value) -> String {
    value.bytes(values).map_or_else(|| "nothing".into(), quoted)
}

fn quoted(bytes: &[u8]) -> String {
    format!("\"{}\"", bytes.escape_ascii())
}
