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

/// The property for a core: `parse` says what each reply in its log is. A core has no clients that
/// the checker knows, so that its replies tell of the requests too; a text is why one cannot be read.
pub fn of_core(
    subject: Subject,
    parse: impl for<'a> Fn(Reply<'a>) -> Result<Event<'a>, String> + Send + Sync + 'static,
) -> Property {
    let entries = |view: View<'_>, each: &mut dyn FnMut(Entry<'_>)| {
        view.reader.replies(view.world, &mut |reply| {
            each(Entry { who: reply.node.unwrap_or(0), request: false, bytes: reply.bytes });
            true
        })
    };
    let hear = move |recorder: &mut Recorder, entry: Entry<'_>| {
        recorder.hear(parse(Reply { node: Some(entry.who), client: None, bytes: entry.bytes })?)
    };
    property(subject, entries, hear)
}

/// The property for clients: `hear` says what each of their requests and replies is.
fn of_clients(
    subject: Subject,
    hear: impl Fn(&mut Recorder, Entry<'_>) -> Result<(), String> + Send + Sync + 'static,
) -> Property {
    let entries = |view: View<'_>, each: &mut dyn FnMut(Entry<'_>)| {
        view.reader.exchanges(view.world, &mut |Exchange { client, request, bytes }| {
            each(Entry { who: client, request, bytes });
            true
        })
    };
    property(subject, entries, hear)
}

fn property(
    subject: Subject,
    entries: impl Fn(View<'_>, &mut dyn FnMut(Entry<'_>)) -> Result<(), Error> + Send + Sync + 'static,
    hear: impl Fn(&mut Recorder, Entry<'_>) -> Result<(), String> + Send + Sync + 'static,
) -> Property {
    let name = name(subject.consistency);
    let cannot = move |text: String| Error::Property { name: name.into(), text };
    let passed = Passed::default();
    let fault = move |view: View<'_>| {
        let mut log = Vec::new();
        entries(view, &mut |Entry { who, request, bytes }| {
            put_uint(&mut log, (who as u64) << 1 | u64::from(request));
            put_bytes(&mut log, bytes);
        })?;
        let print = Fingerprint::of(&log);
        if passed.contains(print) {
            return Ok(None);
        }
        let mut recorder = Recorder::new(subject.object, subject.initial.as_deref());
        let mut rest = ByteReader::new(&log);
        while !rest.is_empty() {
            let who = rest.uint()?;
            let (who, request) = ((who >> 1) as usize, who & 1 == 1);
            hear(&mut recorder, Entry { who, request, bytes: rest.bytes()? }).map_err(cannot)?;
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
