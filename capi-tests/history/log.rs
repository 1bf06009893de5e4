//! How `[history]` reads the log of a world: what answers what, what is left out, what could not be
//! checked and why; and the same for the log of a core.

use std::path::Path;

use cmc::check::file::ModelFile;
use cmc::check::history::event::{Answered, Asked, Event};
use cmc::check::history::{Subject, of_core};
use cmc::error::Error;
use cmc::history::{Consistency, Object};
use cmc::property::{Property, Rule};
use cmc::world::{Exchange, Liveness, Message, Reader, Reply, View};

/// A reader whose worlds are their log, a line an entry: `0? SET x 1` and `0! OK`. To a core that
/// is a log of replies of node 7.
struct Lines;

fn absent<T>() -> Result<T, Error> {
    Err(Error::Internal("a log is all there is".into()))
}

impl Reader for Lines {
    fn nodes(&self) -> usize {
        0
    }
    fn liveness(&self, _: &[u8], _: usize) -> Result<Liveness, Error> {
        absent()
    }
    fn content<'w>(&'w self, _: &'w [u8], _: usize) -> Result<Option<&'w [u8]>, Error> {
        absent()
    }
    fn clock(&self, _: &[u8], _: usize) -> Result<i64, Error> {
        absent()
    }
    fn budget(&self, _: &[u8], _: &str) -> Result<Option<u64>, Error> {
        absent()
    }
    fn messages(&self, _: &[u8], _: &mut dyn FnMut(Message<'_>) -> bool) -> Result<(), Error> {
        absent()
    }
    fn replies(&self, world: &[u8], each: &mut dyn FnMut(Reply<'_>) -> bool) -> Result<(), Error> {
        let mut lines = world.split(|byte| *byte == b'\n');
        let _ = lines.all(|bytes| each(Reply { node: Some(7), client: None, bytes }));
        Ok(())
    }
    fn exchanges(
        &self,
        world: &[u8],
        each: &mut dyn FnMut(Exchange<'_>) -> bool,
    ) -> Result<(), Error> {
        let _ = world.split(|byte| *byte == b'\n').all(|line| {
            let (client, request) = (usize::from(line[0] - b'0'), line[1] == b'?');
            each(Exchange { client, request, bytes: &line[3..] })
        });
        Ok(())
    }
}

/// What `property` finds wrong in a log, entries between commas.
fn judged(property: &Property, log: &str) -> Result<Option<String>, String> {
    let Rule::Faultless(fault) = &property.rule else { panic!("{} is no history", property.name) };
    let world = log.replace(", ", "\n");
    fault(&View { world: world.as_bytes(), reader: &Lines }).map_err(|error| error.to_string())
}

/// The property of a model with this `[history]`, whose client sends `send`.
fn property(history: &str, send: &str) -> Property {
    let text = format!(
        "[[node]]\nprogram = 'a'\n[network]\nmode = 'message'\n[[client]]\nnode = 0\n\
         send = {send}\n[history]\n{history}"
    );
    let model = ModelFile::parse(Path::new("m.toml"), text.as_bytes());
    let mut model = model.unwrap_or_else(|error| panic!("{error}"));
    model.properties.pop().expect("a property")
}

fn register(more: &str) -> Property {
    property(&format!("model = 'register'\n{more}"), "['SET x 1', 'GET x']")
}

#[test]
fn a_reply_answers_the_oldest_request_of_its_client() {
    let registers = register("");
    let good = |log| assert_eq!(judged(&registers, log), Ok(None), "{log}");
    good("0? SET x 1, 0? GET x, 0! OK, 0! 1");
    good("0? SET x 1, 1? GET x, 1! NONE, 0! OK, 1? GET x, 1! 1");
    good("0? SET x 1, 1? GET y, 0! OK, 1! NONE");
    assert_eq!(
        judged(&registers, "0? SET x 1, 0! OK, 1? GET x, 1! NONE"),
        Ok(Some(
            "client 1 read nothing from \"x\" after client 0 wrote \"1\" to \"x\"; it could only \
             have read \"1\""
                .into()
        ))
    );
    let sequential = register("consistency = 'sequential'");
    assert_eq!(sequential.name, "sequentially consistent");
    assert_eq!(judged(&sequential, "0? SET x 1, 1? GET x, 0! OK, 1! NONE"), Ok(None));
}

#[test]
fn all_models_read_their_requests_and_replies() {
    let kv = property("model = 'kv'\ninitial = '0'", "['SET x 1', 'GET x', 'DEL x']");
    let log = "0? GET x, 0! 0, 0? DEL x, 0! OK, 0? GET x, 0! NONE, 0? DEL x, 0! NONE";
    assert_eq!(judged(&kv, log), Ok(None));
    assert!(judged(&kv, "0? DEL x, 0! NONE").is_ok_and(|fault| fault.is_some()));
    let cas = property("model = 'cas'\ninitial = '0'", "['CAS x 0 1']");
    assert_eq!(judged(&cas, "0? CAS x 0 1, 1? CAS x 0 1, 0! OK, 1! FAIL"), Ok(None));
    assert!(judged(&cas, "0? CAS x 0 1, 1? CAS x 0 1, 0! OK, 1! OK").is_ok_and(|f| f.is_some()));
    let queue = property("model = 'queue'", "['PUT a', 'GET']");
    assert_eq!(judged(&queue, "0? PUT a, 0! OK, 1? GET, 1! a, 1? GET, 1! EMPTY"), Ok(None));
    assert!(judged(&queue, "0? PUT a, 0! OK, 1? GET, 1! EMPTY").is_ok_and(|f| f.is_some()));
    let binary = "model = 'register'\nwrite = 'x:01{key:1}{value:2}'\nread = 'x:02{key:1}'\n\
                  done = 'x:00'\nvalue = 'x:01{value:2}'";
    let binary = property(binary, "['x:01780001', 'x:0278']");
    let log = "0? \u{1}x\u{0}\u{1}, 0! \u{0}, 1? \u{2}x, 1! \u{1}\u{0}\u{1}";
    assert_eq!(judged(&binary, log), Ok(None));
}

#[test]
fn what_is_unknown_or_ignored_constrains_nothing() {
    let registers = register("unknown = 'LATER {any}'\nignore = ['PING', 'PONG', 'HELLO {any}']");
    let good = |log| assert_eq!(judged(&registers, log), Ok(None), "{log}");
    good("0? SET x 1, 0! LATER on, 1? GET x, 1! NONE, 1? GET x, 1! 1");
    good("0! HELLO you, 0? PING, 0? SET x 1, 0! PONG, 0! OK");
    // Whatever answers a request that is ignored is ignored with it.
    good("0? PING, 0? SET x 1, 0! what, 0! OK");
    assert!(
        judged(&registers, "0? SET x 1, 0! LATER on, 1? GET x, 1! 1, 1? GET x, 1! NONE")
            .is_ok_and(|fault| fault.is_some())
    );
}

#[test]
fn what_cannot_be_read_is_named_with_its_remedy() {
    let registers = register("");
    for (log, expected) in [
        (
            "0? SET x 1, 0! ERR\t7",
            "property \"linearizable\": client 0 is answered \"ERR\\t7\" to a write, which is not done \
             or unknown of [history]; correct it there, or name it in ignore",
        ),
        (
            "0? SET x 1, 0! OK, 0! OK",
            "property \"linearizable\": client 0 is answered \"OK\" and has asked for nothing that \
             was not answered; let the server write one answer to each request, in one piece, or \
             name the text in ignore",
        ),
        (
            "0? INC x",
            "property \"linearizable\": client 0 asks \"INC x\", which is no request of [history]; \
             correct it there, or name it in ignore",
        ),
    ] {
        assert_eq!(judged(&registers, log), Err(expected.into()), "{log}");
    }
}

/// Eighteen writes at once that no read has seen, and a read of what nobody wrote.
#[test]
fn a_history_with_too_many_orders_could_not_be_checked() {
    let queue = property("model = 'queue'", "['PUT a', 'GET']");
    let puts = (0..9).map(|client| format!("{client}? PUT {client}"));
    let log: Vec<String> = puts.chain(["9? GET".into(), "9! never".into()]).collect();
    let found = judged(&queue, &log.join(", "));
    let expected = "property \"linearizable\": its 10 operations can be ordered in too many ways; \
                    let fewer clients ask at once";
    assert_eq!(found, Err(expected.into()));
}

/// `I CLIENT write KEY VALUE`, `R CLIENT ok`: what a core might log.
fn parse(reply: Reply<'_>) -> Result<Event<'_>, String> {
    assert_eq!(reply.node, Some(7));
    let words: Vec<&[u8]> = reply.bytes.split(|byte| *byte == b' ').collect();
    let client = usize::from(words[1][0] - b'0');
    Ok(match (words[0], words[2]) {
        (b"I", b"write") => Event::Call { client, key: words[3], asked: Asked::Write(words[4]) },
        (b"I", b"read") => Event::Call { client, key: words[3], asked: Asked::Read },
        (b"I", b"take") => Event::Call { client, key: words[3], asked: Asked::Dequeue },
        (b"R", b"ok") => Event::Answer { client, answered: Answered::Done },
        (b"R", b"got") => Event::Answer { client, answered: Answered::Found(words[3]) },
        (b"R", b"none") => Event::Answer { client, answered: Answered::Nothing },
        (b"N", _) => Event::Nothing,
        _ => {
            return Err(format!(
                "the reply {:?} means nothing",
                reply.bytes.escape_ascii().to_string()
            ));
        }
    })
}

#[test]
fn the_log_of_a_core_is_read_by_its_author() {
    let subject = Subject {
        consistency: Consistency::Linearizable,
        object: Object::Register,
        initial: Some(b"0".to_vec()),
    };
    let property = of_core(subject, |reply, hear| hear(parse(reply)?));
    assert_eq!(property.name, "linearizable");
    assert_eq!(
        judged(&property, "I 0 write x 1, N 0 note, I 1 read x, R 1 got 0, R 0 ok"),
        Ok(None)
    );
    assert_eq!(
        judged(&property, "I 0 write x 1, R 0 ok, I 1 read x, R 1 got 0"),
        Ok(Some(
            "client 1 read \"0\" from \"x\" after client 0 wrote \"1\" to \"x\"; it could only \
             have read \"1\""
                .into()
        ))
    );
    for (log, expected) in [
        ("I 0 what", "reply 0, \"I 0 what\" of node 7: the reply \"I 0 what\" means nothing"),
        (
            "N 0 note, R 0 ok",
            "reply 1, \"R 0 ok\" of node 7: client 0 is answered and has asked for nothing that was \
             not answered; let the server write one answer to each request, in one piece",
        ),
        (
            "I 0 take q",
            "reply 0, \"I 0 take q\" of node 7: client 0 asks for a dequeue, which these objects do \
             not do; correct the model of the history",
        ),
        (
            "I 0 read x, R 0 ok",
            "reply 1, \"R 0 ok\" of node 7: client 0 is answered Done to a read, which is no answer \
             to it; correct how the log is read",
        ),
    ] {
        let expected = format!("property \"linearizable\": {expected}");
        assert_eq!(judged(&property, log), Err(expected), "{log}");
    }
}

/// Its node crashed in between, say: if the answer were taken for one to the first read, the second,
/// which began too late for it, would not be seen.
#[test]
fn the_client_of_a_core_waits_for_its_answer() {
    let subject =
        Subject { consistency: Consistency::Linearizable, object: Object::Register, initial: None };
    let property = of_core(subject, |reply, hear| hear(parse(reply)?));
    let log = "I 1 read x, I 0 write x 1, R 0 ok, I 1 read x, R 1 none";
    let expected = "property \"linearizable\": reply 3, \"I 1 read x\" of node 7: client 1 asks again \
                    and was not answered; give a request that may be overtaken or lost a client of \
                    its own";
    assert_eq!(judged(&property, log), Err(expected.into()));
    let log = "I 1 read x, I 0 write x 1, R 0 ok, I 2 read x, R 2 none";
    assert!(judged(&property, log).is_ok_and(|fault| fault.is_some()), "{log}");
}
