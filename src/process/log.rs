//! The ghost log: what clients were answered and, where a history is checked, what they asked for.
//! Nothing that a node can see depends on it. Only what the check needs of the place of a request is
//! kept, so that worlds in which nothing else differs are one: in real time requests between two
//! replies are in order of their clients; in the clients' order alone all requests stand in front.

use std::sync::Arc;

use super::config::Requests;
use crate::bytes::{ByteReader, put_bytes, put_uint};
use crate::error::Error;

/// What one message brought a client, or what a client sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Which client.
    pub client: usize,
    /// Whether the client sent it.
    pub request: bool,
    /// Its bytes.
    pub bytes: Arc<[u8]>,
}

/// Requests and replies in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log(Vec<Entry>);

impl Log {
    /// A node has answered `client`.
    pub fn reply(&mut self, client: usize, bytes: &[u8]) {
        self.0.push(Entry { client, request: false, bytes: bytes.into() });
    }

    /// `client` has sent `bytes`, in a model that keeps `requests` so.
    pub fn request(&mut self, requests: Requests, client: usize, bytes: &[u8]) {
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
        self.0.insert(place, Entry { client, request: true, bytes: bytes.into() });
    }

    /// Requests and replies in order.
    pub fn entries(&self) -> &[Entry] {
        &self.0
    }

    /// The replies in order.
    pub fn replies(&self) -> impl Iterator<Item = &Entry> {
        self.0.iter().filter(|entry| !entry.request)
    }

    /// Write it to `out`.
    pub fn encode(&self, out: &mut Vec<u8>) {
        put_uint(out, self.0.len() as u64);
        for entry in &self.0 {
            put_uint(out, (entry.client as u64) << 1 | u64::from(entry.request));
            put_bytes(out, &entry.bytes);
        }
    }

    /// Read what [`Log::encode`] wrote.
    pub fn decode(from: &mut ByteReader<'_>) -> Result<Log, Error> {
        let entry = |from: &mut ByteReader<'_>| {
            let who = from.uint()?;
            let (client, request) = ((who >> 1) as usize, who & 1 == 1);
            Ok(Entry { client, request, bytes: from.bytes()?.into() })
        };
        let count = from.uint()?;
        (0..count).map(|_| entry(from)).collect::<Result<_, Error>>().map(Log)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(requests: Requests, events: &[(usize, &str)]) -> Vec<String> {
        let mut log = Log::default();
        for &(client, text) in events {
            match text.strip_prefix('?') {
                Some(request) => log.request(requests, client, request.as_bytes()),
                None => log.reply(client, text.as_bytes()),
            }
        }
        let mut out = Vec::new();
        log.encode(&mut out);
        assert_eq!(Log::decode(&mut ByteReader::new(&out)), Ok(log.clone()));
        assert!(log.replies().all(|entry| !entry.request));
        let told = |entry: &Entry| {
            let mark = if entry.request { "?" } else { "" };
            format!("{}{mark}{}", entry.client, entry.bytes.escape_ascii())
        };
        log.entries().iter().map(told).collect()
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
