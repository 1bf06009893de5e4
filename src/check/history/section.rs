//! `[history]`: which objects the clients use, what must hold of their history, and how requests and
//! replies are written.

use super::pattern::{Name, Pattern};
use super::protocol::{FORMS, Form, MODELS, Model, Protocol};
use super::{Subject, name, of_clients};
use crate::check::field::literal;
use crate::check::key::{CLIENT, HISTORY};
use crate::check::table::{Item, Table};
use crate::error::Error;
use crate::history::{Consistency, Object};
use crate::process::config::Requests;
use crate::property::Property;

/// What the table says.
pub struct Section {
    subject: Subject,
    protocol: Protocol,
}

impl Section {
    /// What worlds must keep of the requests.
    pub fn requests(&self) -> Requests {
        match self.subject.consistency {
            Consistency::Linearizable => Requests::InRealTime,
            Consistency::Sequential => Requests::InClientOrder,
        }
    }

    /// What the property is called.
    pub fn name(&self) -> &'static str {
        name(self.subject.consistency)
    }

    /// The property.
    pub fn property(self) -> Property {
        let Section { subject, protocol } = self;
        of_clients(subject, move |recorder, entry| protocol.hear(recorder, entry))
    }
}

/// Read the table of a model with these `[[client]]`s, whose requests it must know.
pub fn read(history: Item<'_>, clients: Option<Item<'_>>) -> Result<Section, Error> {
    let table = history.table(HISTORY)?;
    let models = MODELS.each_ref().map(|model| (model.name, model));
    let model = table.require("model", "model = \"register\"")?.choice(&models)?;
    let consistency = match table.get("consistency") {
        Some(word) => word.choice(&[
            ("linearizable", Consistency::Linearizable),
            ("sequential", Consistency::Sequential),
        ])?,
        None => Consistency::Linearizable,
    };
    foreign(&table, model)?;
    let protocol = protocol(&table, model)?;
    let clients = clients.ok_or_else(|| {
        history.error("the model has no client, so that there is no history; add [[client]]")
    })?;
    known(clients, &protocol)?;
    let initial = match table.get("initial") {
        Some(item) => Some(literal(item.string()?).map_err(|fault| item.error(&fault))?),
        None => None,
    };
    let initial = initial.filter(|initial| !initial.is_empty());
    Ok(Section { subject: Subject { consistency, object: model.object, initial }, protocol })
}

/// Refuse keys that other models have.
fn foreign(table: &Table<'_>, model: &Model) -> Result<(), Error> {
    let is_foreign = |key: &str| match key {
        "initial" => model.object == Object::Queue,
        _ => {
            let has = |model: &Model| model.requests.contains(&key) || model.replies.contains(&key);
            MODELS.iter().any(has) && !has(model)
        }
    };
    match table.entries().into_iter().find(|entry| is_foreign(entry.name)) {
        Some(entry) => {
            let (key, name) = (entry.name, model.name);
            let message = format!("model = \"{name}\" has no {key}; remove it");
            Err(entry.value.error(&message))
        }
        None => Ok(()),
    }
}

fn protocol(table: &Table<'_>, model: &Model) -> Result<Protocol, Error> {
    let patterns = |keys: &[&'static str]| -> Result<Vec<(&'static str, Pattern)>, Error> {
        keys.iter().map(|key| Ok((*key, pattern(table, key)?))).collect()
    };
    let requests = patterns(model.requests)?;
    one_way_to_name(table, model, &requests)?;
    let unknown = table.get("unknown").map(|item| compiled("unknown", &item, &[], &[]));
    let ignore = match table.get("ignore") {
        Some(ignore) => ignore
            .array()?
            .map(|text| compiled("ignore", &text, &[], &[]))
            .collect::<Result<_, _>>()?,
        None => Vec::new(),
    };
    let replies = patterns(model.replies)?;
    Ok(Protocol { requests, replies, unknown: unknown.transpose()?, ignore })
}

/// The pattern of `key`: the table's, or the default.
fn pattern(table: &Table<'_>, key: &'static str) -> Result<Pattern, Error> {
    let form = FORMS.iter().find(|form| form.key == key);
    let Some(Form { default, needed, allowed, .. }) = form else {
        return Err(Error::Internal(format!("[history] has no pattern for {key}")));
    };
    match table.get(key) {
        Some(item) => compiled(key, &item, needed, allowed),
        None => Pattern::compile(default, needed, allowed).map_err(Error::Internal),
    }
}

fn compiled(
    key: &str,
    item: &Item<'_>,
    needed: &[Name],
    allowed: &[Name],
) -> Result<Pattern, Error> {
    let pattern = Pattern::compile(item.string()?, needed, allowed);
    pattern.map_err(|fault| item.error(&format!("{key} {fault}")))
}

/// All requests name their object, or none; a store has many.
fn one_way_to_name(
    table: &Table<'_>,
    model: &Model,
    requests: &[(&'static str, Pattern)],
) -> Result<(), Error> {
    let names = |(_, pattern): &&(&'static str, Pattern)| pattern.has(Name::Key);
    let with = requests.iter().find(names);
    let without = requests.iter().find(|request| !names(request));
    let at = |key: &'static str, message: &str| match table.get(key) {
        Some(item) => item.error(message),
        None => table.error(message),
    };
    match (with, without) {
        (None, Some((key, _))) if model.name == "kv" => Err(at(
            key,
            &format!("{key} lacks {{key}}; a store has many, else it is a \"register\""),
        )),
        (Some((with, _)), Some((without, _))) => {
            let culprit = if table.get(without).is_some() { without } else { with };
            let message = format!(
                "{with} has {{key}} and {without} has not; write it in both, or in neither if there \
                 is one object only"
            );
            Err(at(culprit, &message))
        }
        _ => Ok(()),
    }
}

/// Whether the clients send nothing that the protocol does not know.
fn known(clients: Item<'_>, protocol: &Protocol) -> Result<(), Error> {
    for table in clients.tables(CLIENT)? {
        let Some(send) = table.get("send") else { continue };
        for text in send.array()? {
            let bytes = literal(text.string()?).map_err(|fault| text.error(&fault))?;
            if !protocol.knows(&bytes) {
                let keys: Vec<&str> = protocol.requests.iter().map(|(key, _)| *key).collect();
                let message = format!(
                    "this is no {} of [history]; correct it there, or name it in ignore",
                    keys.join(" or ")
                );
                return Err(text.error(&message));
            }
        }
    }
    Ok(())
}
