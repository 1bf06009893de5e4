//! What is wrong with a history, in words.

use cmc::history::{Answer, Call, Consistency, History, Object, Value};

/// What is wrong with a history told in events: `c0 write x 1`, `c0 done`, `c1 read x`, `c1 found 0`.
fn why(object: Object, initial: Option<&str>, events: &str, consistency: Consistency) -> String {
    let mut history = History::new(object, initial.map(str::as_bytes));
    for event in events.split(", ") {
        let words: Vec<&str> = event.split(' ').collect();
        let client: usize = words[0][1..].parse().expect("a client");
        let word = |at: usize| words.get(at).copied().unwrap_or_default();
        let mut named = |at: usize| history.value(word(at).as_bytes());
        let call = match word(1) {
            "read" => Call::Read,
            "write" => Call::Write(named(3)),
            "delete" => Call::Delete,
            "swap" => Call::Swap { old: named(3), new: named(4) },
            "put" => Call::Enqueue(named(3)),
            "take" => Call::Dequeue,
            answer => {
                let answer = match answer {
                    "done" => Answer::Done,
                    "failed" => Answer::Failed,
                    "nothing" => Answer::Found(Value::NOTHING),
                    "unknown" => Answer::Unknown,
                    _ => Answer::Found(named(2)),
                };
                let mut all = history.operations().iter();
                let open = all.position(|op| op.client == client && op.answer.is_none());
                history.answer(open.expect("a call"), answer);
                continue;
            }
        };
        let key = history.key(word(2).as_bytes());
        history.call(client, key, call);
    }
    let found = history.judge(consistency).expect("a small history");
    found.map_or_else(|| "nothing".into(), |witness| witness.why)
}

#[test]
fn what_is_wrong_is_said_with_what_was_possible() {
    use Consistency::{Linearizable, Sequential};
    use Object::{Queue, Register};
    let stale = "c0 write x 1, c0 done, c1 read x, c1 found 0";
    let buffers = "c0 write x 1, c0 done, c1 write y 1, c1 done, c0 read y, c1 read x, c0 nothing, \
                   c1 nothing";
    for (object, initial, events, consistency, expected) in [
        (
            Register,
            Some("0"),
            stale,
            Linearizable,
            r#"client 1 read "0" from "x" after client 0 wrote "1" to "x"; it could only have read "1""#,
        ),
        (Register, Some("0"), stale, Sequential, "nothing"),
        (
            Register,
            None,
            "c0 write x 1, c1 read x, c1 found 1, c2 read x, c2 nothing, c0 done",
            Linearizable,
            r#"client 2 read nothing from "x" after client 1 read "1" from "x"; it could only have read "1""#,
        ),
        (
            Register,
            None,
            "c0 write x 1, c1 read x, c1 found 7",
            Linearizable,
            r#"client 1 read "7" from "x"; it could only have read nothing or read "1""#,
        ),
        // Each key by itself is sequentially consistent; both together are not.
        (
            Register,
            None,
            buffers,
            Sequential,
            r#"client 1 read nothing from "x" after it wrote "1" to "y"; it could only have read "1""#,
        ),
        (
            Register,
            Some("a"),
            "c0 swap  a b, c1 swap  a c, c0 done, c1 done",
            Linearizable,
            r#"client 1 swapped "a" for "c"; it could only have failed"#,
        ),
        (
            Register,
            Some("a"),
            "c0 swap k a b, c0 failed",
            Linearizable,
            r#"client 0 failed to swap "a" for "b" in "k"; it could only have succeeded"#,
        ),
        (
            Register,
            None,
            "c0 write k a, c0 done, c0 delete k, c0 nothing",
            Sequential,
            r#"client 0 found nothing to delete in "k" after it wrote "a" to "k"; it could only have found something"#,
        ),
        (
            Queue,
            None,
            "c0 put q a, c0 done, c0 put q b, c0 done, c1 take q, c1 found b, c1 take q, c1 found a",
            Linearizable,
            r#"client 1 took "b" from "q" after client 0 put "b" in "q"; it could only have taken "a""#,
        ),
        (
            Queue,
            None,
            "c0 put  a, c0 done, c1 take , c2 take , c1 found a, c2 found a",
            Linearizable,
            r#"client 2 took "a" after client 0 put "a"; it could only have found nothing"#,
        ),
        (
            Queue,
            None,
            "c0 put  a, c0 put  b, c1 take , c1 found b, c0 done",
            Sequential,
            r#"client 0 put "a"; it could only have been lost"#,
        ),
    ] {
        assert_eq!(why(object, initial, events, consistency), expected, "{events}");
    }
}

#[test]
fn an_operation_that_was_not_answered_may_have_taken_effect_or_not() {
    use Consistency::Linearizable;
    let good =
        |events| assert_eq!(why(Object::Register, Some("0"), events, Linearizable), "nothing");
    good("c0 write x 1, c1 read x, c1 found 0, c1 read x, c1 found 1");
    good("c0 write x 1, c1 read x, c1 found 0, c1 read x, c1 found 0");
    good(
        "c0 write x 1, c0 unknown, c1 read x, c1 found 0, c0 read x, c0 found 0, c1 read x, c1 found 1",
    );
    let once = "c0 write x 1, c1 read x, c1 found 1, c1 read x, c1 found 0";
    assert!(
        why(Object::Register, Some("0"), once, Linearizable).starts_with("client 1 read \"0\"")
    );
}

#[test]
fn a_history_of_many_clients_at_once_is_judged_soon() {
    // Writes at once, and a reader that sees two of them when all have ended.
    let mut history = History::new(Object::Register, None);
    let key = history.key(b"x");
    let write = |history: &mut History, client: usize| {
        let value = history.value(&[client as u8]);
        history.call(client, key, Call::Write(value))
    };
    let places: Vec<usize> = (0..14).map(|client| write(&mut history, client)).collect();
    for place in places {
        history.answer(place, Answer::Done);
    }
    for found in [3, 4] {
        let found = history.value(&[found]);
        let read = history.call(20, key, Call::Read);
        history.answer(read, Answer::Found(found));
    }
    let witness = history.judge(Consistency::Linearizable).expect("few configurations");
    let why = witness.expect("no write follows the first read").why;
    assert_eq!(
        why,
        r#"client 20 read "\x04" from "x" after it read "\x03" from "x"; it could only have read "\x03""#
    );
}
