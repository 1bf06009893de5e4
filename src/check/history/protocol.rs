//! How the clients of a model ask and are answered: a pattern for each kind of request and reply, by
//! the key of `[history]`.

use super::Entry;
use super::event::{Answered, Asked, Event, Recorder, kind};
use super::pattern::{Holes, Name, Pattern};
use crate::history::{Call, Object};

/// A model of `[history]`, and the keys that it has.
pub(super) struct Model {
    /// Its name.
    pub(super) name: &'static str,
    /// What its objects are.
    pub(super) object: Object,
    /// The keys of its requests, in the order in which their patterns are tried.
    pub(super) requests: &'static [&'static str],
    /// The keys of its replies.
    pub(super) replies: &'static [&'static str],
}

/// All models.
pub(super) const MODELS: [Model; 4] = [
    Model {
        name: "register",
        object: Object::Register,
        requests: &["write", "read"],
        replies: &["done", "value", "none"],
    },
    Model {
        name: "cas",
        object: Object::Register,
        requests: &["write", "read", "cas"],
        replies: &["done", "value", "none", "failed"],
    },
    Model {
        name: "kv",
        object: Object::Register,
        requests: &["write", "read", "delete"],
        replies: &["done", "value", "none"],
    },
    Model {
        name: "queue",
        object: Object::Queue,
        requests: &["enqueue", "dequeue"],
        replies: &["done", "value", "empty"],
    },
];

/// A key with a pattern: what it is by default, and the names that must and may stand in it.
pub(super) struct Form {
    pub(super) key: &'static str,
    pub(super) default: &'static str,
    pub(super) needed: &'static [Name],
    pub(super) allowed: &'static [Name],
}

const fn request(key: &'static str, default: &'static str, needed: &'static [Name]) -> Form {
    Form { key, default, needed, allowed: &[Name::Key] }
}

const fn reply(key: &'static str, default: &'static str, needed: &'static [Name]) -> Form {
    Form { key, default, needed, allowed: &[] }
}

/// All keys with a pattern that has a default.
pub(super) const FORMS: [Form; 11] = [
    request("write", "SET {key} {value}", &[Name::Value]),
    request("read", "GET {key}", &[]),
    request("cas", "CAS {key} {old} {new}", &[Name::Old, Name::New]),
    request("delete", "DEL {key}", &[]),
    request("enqueue", "PUT {value}", &[Name::Value]),
    request("dequeue", "GET", &[]),
    reply("done", "OK", &[]),
    reply("value", "{value}", &[Name::Value]),
    reply("none", "NONE", &[]),
    reply("failed", "FAIL", &[]),
    reply("empty", "EMPTY", &[]),
];

/// The patterns of one model.
pub(super) struct Protocol {
    /// In the order in which they are tried.
    pub(super) requests: Vec<(&'static str, Pattern)>,
    /// In any order.
    pub(super) replies: Vec<(&'static str, Pattern)>,
    /// A reply that says nothing.
    pub(super) unknown: Option<Pattern>,
    /// Requests and replies that are left out.
    pub(super) ignore: Vec<Pattern>,
}

impl Protocol {
    /// What `text` asks for: the key and the names of its pattern.
    fn request<'a>(&self, text: &'a [u8]) -> Option<(&'static str, Holes<'a>)> {
        self.requests.iter().find_map(|(key, pattern)| Some((*key, pattern.fit(text)?)))
    }

    fn ignores(&self, text: &[u8]) -> bool {
        self.ignore.iter().any(|pattern| pattern.fit(text).is_some())
    }

    /// Whether a client may send `text`.
    pub(super) fn knows(&self, text: &[u8]) -> bool {
        self.ignores(text) || self.request(text).is_some()
    }

    /// Take an entry of the log into the history.
    pub(super) fn hear(&self, recorder: &mut Recorder, entry: Entry<'_>) -> Result<(), String> {
        let Entry { who: client, request, bytes, .. } = entry;
        let event = match request {
            true => self.asked(client, bytes)?,
            false => self.answered(recorder, client, bytes)?,
        };
        recorder.hear(event)
    }

    fn asked<'a>(&self, client: usize, text: &'a [u8]) -> Result<Event<'a>, String> {
        if self.ignores(text) {
            return Ok(Event::Skip { client });
        }
        let Some((key, holes)) = self.request(text) else {
            return Err(format!(
                "client {client} asks \"{}\", which is no request of [history]; correct it there, or \
                 name it in ignore",
                text.escape_ascii()
            ));
        };
        let asked = match key {
            "write" => Asked::Write(holes.value),
            "cas" => Asked::Swap { old: holes.old, new: holes.new },
            "delete" => Asked::Delete,
            "enqueue" => Asked::Enqueue(holes.value),
            "dequeue" => Asked::Dequeue,
            _ => Asked::Read,
        };
        Ok(Event::Call { client, key: holes.key, asked })
    }

    /// What the reply `text` to `client` is. One that is left out answers a request that is left
    /// out, and is nothing to others: a greeting.
    fn answered<'a>(
        &self,
        recorder: &Recorder,
        client: usize,
        text: &'a [u8],
    ) -> Result<Event<'a>, String> {
        let call = match recorder.oldest(client) {
            Some(None) => return Ok(Event::Answer { client, answered: Answered::Unknown }),
            _ if self.ignores(text) => return Ok(Event::Nothing),
            Some(Some(call)) => call,
            None => {
                return Err(format!(
                    "client {client} is answered \"{}\" and has asked for nothing that was not \
                     answered; let the server write one answer to each request, in one piece, or \
                     name the text in ignore",
                    text.escape_ascii()
                ));
            }
        };
        let fits = |key| {
            let (_, pattern) = self.replies.iter().find(|(known, _)| *known == key)?;
            pattern.fit(text)
        };
        let answered = if self.unknown.as_ref().is_some_and(|unknown| unknown.fit(text).is_some()) {
            Some(Answered::Unknown)
        } else {
            possible(call).iter().find_map(|key| {
                let holes = fits(*key)?;
                Some(match *key {
                    "done" => Answered::Done,
                    "failed" => Answered::Failed,
                    "value" => Answered::Found(holes.value),
                    _ => Answered::Nothing,
                })
            })
        };
        answered.map(|answered| Event::Answer { client, answered }).ok_or_else(|| {
            format!(
                "client {client} is answered \"{}\" to {}, which is not {} of [history]; correct it \
                 there, or name it in ignore",
                text.escape_ascii(),
                kind(call),
                [possible(call), &["unknown"]].concat().join(" or "),
            )
        })
    }
}

/// The keys of the replies to `call`, in the order in which their patterns are tried.
fn possible(call: Call) -> &'static [&'static str] {
    match call {
        Call::Read => &["none", "value"],
        Call::Write(_) | Call::Enqueue(_) => &["done"],
        Call::Delete => &["done", "none"],
        Call::Swap { .. } => &["done", "failed"],
        Call::Dequeue => &["empty", "value"],
    }
}
