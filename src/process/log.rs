//! The ghost log: what clients were answered and, where a history is checked, what they asked for.
//! Nothing that a node can see depends on it. Only what the check needs of the place of a request is
//! kept, so that worlds in which nothing else differs are one: in real time requests between two
//! replies are in order of their clients; in the clients' order alone all requests stand in front.

use super::config::Requests;
use super::reader::Reader;
use super::text::{Text, Texts};
use super::writer::Writer;
use crate::error::Error;

/// What one message brought a client, or what a client sent.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Which client.
    pub client: usize,
    /// Whether the client sent it.
    pub request: bool,
    /// Its bytes.
    pub text: Text,
}

/// Requests and replies in order.
#[derive(Clone, Debug, Default)]
pub struct Log(Vec<Entry>);

impl Log {
    /// A node has answered `client` with `text`.
    pub fn reply(&mut self, client: usize, text: Text) {
        self.0.push(Entry { client, request: false, text });
    }

    /// `client` has sent `text`, in a model that keeps `requests` so.
    pub fn request(&mut self, requests: Requests, client: usize, text: Text) {
        let replies_before = match requests {
            Requests::Forgotten => return,
            Requests::InClientOrder => 0,
            Requests::InRealTime => {
                self.0.iter().rposition(|entry| !entry.request).map_or(0, |last| last + 1)
            }
        };
        let later = |entry: &Entry| !entry.request || entry.client > client;
        let place = self.0[replies_before..].iter().position(later);
        let place = place.map_or(self.0.len(), |place| replies_before + place);
        self.0.insert(place, Entry { client, request: true, text });
    }

    /// Requests and replies in order.
    pub fn entries(&self) -> &[Entry] {
        &self.0
    }

    /// The replies in order.
    pub fn replies(&self) -> impl Iterator<Item = &Entry> {
        self.0.iter().filter(|entry| !entry.request)
    }

    /// Call `each` with the text of every entry.
    pub fn each_text(&mut self, each: impl FnMut(&mut Text)) {
        self.0.iter_mut().map(|entry| &mut entry.text).for_each(each);
    }

    /// Become a copy of `other`, in the memory that is there.
    pub fn copy_from(&mut self, other: &Log) {
        self.0.clone_from(&other.0);
    }

    /// Write it; its bytes are in `texts`.
    #[inline(always)]
    pub fn write(&self, texts: &Texts, out: &mut Writer<'_>) {
        out.uint(self.0.len() as u64);
        for entry in &self.0 {
            out.uint((entry.client as u64) << 1 | u64::from(entry.request));
            out.bytes(texts.get(entry.text));
        }
    }

    /// Become what [`Log::write`] wrote.
    #[inline(always)]
    pub fn read(&mut self, from: &mut Reader<'_>) -> Result<(), Error> {
        self.0.clear();
        for _ in 0..from.uint()? {
            let who = from.uint()?;
            let (client, request) = ((who >> 1) as usize, who & 1 == 1);
            self.0.push(Entry { client, request, text: from.text()? });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::writer::overwrite;

    fn log(requests: Requests, events: &[(usize, &str)]) -> Vec<String> {
        let (mut log, mut texts) = (Log::default(), Texts::default());
        for &(client, text) in events {
            match text.strip_prefix('?') {
                Some(request) => log.request(requests, client, texts.add(request.as_bytes())),
                None => log.reply(client, texts.add(text.as_bytes())),
            }
        }
        let told = |log: &Log, texts: &Texts| -> Vec<String> {
            let told = |entry: &Entry| {
                let mark = if entry.request { "?" } else { "" };
                format!("{}{mark}{}", entry.client, texts.get(entry.text).escape_ascii())
            };
            log.entries().iter().map(told).collect()
        };
        let mut out = Vec::new();
        overwrite(&mut out, |out| log.write(&texts, out));
        let (mut again, mut others) = (Log::default(), Texts::default());
        others.hold(&out);
        assert_eq!(again.read(&mut Reader::new(&out)), Ok(()));
        assert_eq!(told(&again, &others), told(&log, &texts));
        assert!(log.replies().all(|entry| !entry.request));
        told(&log, &texts)
    }

    #[test]
    fn requests_keep_their_place_between_replies_and_among_those_of_their_client() {
        let events = [(1, "?a"), (0, "?b"), (1, "?c"), (0, "r"), (2, "?d"), (0, "?e"), (1, "s")];
        assert_eq!(
            log(Requests::InRealTime, &events),
            ["0?b", "1?a", "1?c", "0r", "0?e", "2?d", "1s"]
        );
        assert_eq!(
            log(Requests::InClientOrder, &events),
            ["0?b", "0?e", "1?a", "1?c", "2?d", "0r", "1s"]
        );
        assert_eq!(log(Requests::Forgotten, &events), ["0r", "1s"]);
    }
}
