//! Checks of the log of replies: a property that holds while the history in it is linearizable, or
//! sequentially consistent. The log is in the world, so that the property reads nothing outside of
//! it, and worlds with one log are judged once.

pub mod event;

mod passed;
mod pattern;
mod protocol;
mod section;

use event::{Event, Recorder};
use passed::Passed;

pub use section::{Section, read};

use crate::bytes::{ByteReader, put_bytes, put_uint};
use crate::error::Error;
use crate::fingerprint::Fingerprint;
use crate::history::{Consistency, Object};
use crate::property::{Property, Rule};
use crate::world::{Exchange, Reply, View};

/// What a property must know of the objects whose history it judges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// What must hold.
    pub consistency: Consistency,
    /// What they are.
    pub object: Object,
    /// What registers hold at first.
    pub initial: Option<Vec<u8>>,
}

/// An entry of a log: the client and whether it asked, or for a core the node that answered.
#[derive(Clone, Copy)]
struct Entry<'a> {
    /// Its place in the log.
    place: usize,
    who: usize,
    request: bool,
    bytes: &'a [u8],
}

/// What the property is called.
pub fn name(consistency: Consistency) -> &'static str {
    match consistency {
        Consistency::Linearizable => "linearizable",
        Consistency::Sequential => "sequentially consistent",
    }
}

/// Takes what an entry means; a text is why the history cannot go on so.
pub type Hear<'h> = &'h mut dyn FnMut(Event<'_>) -> Result<(), String>;

/// The property for a core: `parse` hands on what each reply in its log means. A core has no clients
/// that the checker knows, so that its replies tell of the requests too; a text is why one cannot be
/// read. Each client waits for its answer: where a crash may lose one, the answer to a later request
/// would else be taken for that to the lost one, and what is wrong about it would not be seen.
pub fn of_core(
    subject: Subject,
    parse: impl Fn(Reply<'_>, Hear<'_>) -> Result<(), String> + Send + Sync + 'static,
) -> Property {
    let entries = |view: View<'_>, each: &mut dyn FnMut(usize, bool, &[u8])| {
        view.reader.replies(view.world, &mut |reply| {
            each(reply.node.unwrap_or(0), false, reply.bytes);
            true
        })
    };
    let hear = move |recorder: &mut Recorder, Entry { place, who, bytes, .. }: Entry<'_>| {
        let reply = Reply { node: Some(who), client: None, bytes };
        let heard = parse(reply, &mut |event| {
            waits(recorder, event)?;
            recorder.hear(event)
        });
        heard.map_err(|why| {
            format!("reply {place}, \"{}\" of node {who}: {why}", bytes.escape_ascii())
        })
    };
    property(subject, entries, hear)
}

/// Whether the client of `event` waits for its answer before it asks again.
fn waits(recorder: &Recorder, event: Event<'_>) -> Result<(), String> {
    match event {
        Event::Call { client, .. } | Event::Skip { client }
            if recorder.oldest(client).is_some() =>
        {
            Err(format!(
                "client {client} asks again and was not answered; give a request that may be \
                 overtaken or lost a client of its own"
            ))
        }
        _ => Ok(()),
    }
}

/// The property for clients: `hear` says what each of their requests and replies is.
fn of_clients(
    subject: Subject,
    hear: impl Fn(&mut Recorder, Entry<'_>) -> Result<(), String> + Send + Sync + 'static,
) -> Property {
    let entries = |view: View<'_>, each: &mut dyn FnMut(usize, bool, &[u8])| {
        view.reader.exchanges(view.world, &mut |Exchange { client, request, bytes }| {
            each(client, request, bytes);
            true
        })
    };
    property(subject, entries, hear)
}

fn property(
    subject: Subject,
    entries: impl Fn(View<'_>, &mut dyn FnMut(usize, bool, &[u8])) -> Result<(), Error>
    + Send
    + Sync
    + 'static,
    hear: impl Fn(&mut Recorder, Entry<'_>) -> Result<(), String> + Send + Sync + 'static,
) -> Property {
    let name = name(subject.consistency);
    let cannot = move |text: String| Error::Property { name: name.into(), text };
    let passed = Passed::default();
    let fault = move |view: &View<'_>| {
        let mut log = Vec::new();
        entries(*view, &mut |who, request, bytes| {
            put_uint(&mut log, (who as u64) << 1 | u64::from(request));
            put_bytes(&mut log, bytes);
        })?;
        let print = Fingerprint::of(&log);
        if passed.contains(print) {
            return Ok(None);
        }
        let mut recorder = Recorder::new(subject.object, subject.initial.as_deref());
        let (mut rest, mut place) = (ByteReader::new(&log), 0);
        while !rest.is_empty() {
            let who = rest.uint()?;
            let (who, request) = ((who >> 1) as usize, who & 1 == 1);
            let entry = Entry { place, who, request, bytes: rest.bytes()? };
            hear(&mut recorder, entry).map_err(cannot)?;
            place += 1;
        }
        let witness = recorder.history().judge(subject.consistency).map_err(|_| {
            cannot(format!(
                "its {} operations can be ordered in too many ways; let fewer clients ask at once",
                recorder.history().operations().len()
            ))
        })?;
        if witness.is_none() {
            passed.insert(print);
        }
        Ok(witness.map(|witness| witness.why))
    };
    Property { name: name.into(), rule: Rule::Faultless(Box::new(fault)) }
}
