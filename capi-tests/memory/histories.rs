//! Every history that the clients of a model give a program that serves one connection at a time,
//! and how many states they lead to by its rules.

use std::collections::BTreeSet;
use std::path::Path;

use crate::machine::Machine;

/// A script that sends each message once, in every order.
#[derive(Clone)]
pub struct Client {
    pub messages: Vec<String>,
    pub close: bool,
}

/// The clients of a model file, whose arrays are JSON too.
pub fn clients(model_file: &Path) -> Vec<Client> {
    let text = std::fs::read_to_string(model_file).expect("a model file is text");
    let tables: Vec<&str> = text.split("\n[").filter(|t| t.starts_with("[client]]")).collect();
    assert!(!tables.is_empty(), "{}: no client", model_file.display());
    let read = |table: &&str| {
        let value = |key: &str| {
            let mut pairs = table.lines().filter_map(|line| line.split_once(" = "));
            pairs.find(|(known, _)| *known == key).map(|(_, value)| value)
        };
        assert!(value("order") == Some("\"any\"") && value("wait") == Some("true"));
        let send: Vec<String> =
            serde_json::from_str(value("send").expect("messages")).expect("an array of strings");
        let messages = send.iter().map(|message| plain(message)).collect();
        Client { messages, close: value("close") == Some("true") }
    };
    tables.iter().map(read).collect()
}

/// A message without hexadecimal digits.
fn plain(message: &str) -> String {
    let Some(digits) = message.strip_prefix("x:") else {
        return message.into();
    };
    let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).expect("two digits");
    let bytes = (0..digits.len()).step_by(2).map(byte).collect();
    String::from_utf8(bytes).expect("text")
}

/// How many states there are: that must be told apart, that may be with what stays in buffers, and
/// at most, one for each history.
#[derive(Debug, PartialEq)]
pub struct Counts {
    pub ideal: usize,
    pub stale: usize,
    pub histories: usize,
}

#[derive(Default)]
struct Seen {
    ideal: BTreeSet<String>,
    stale: BTreeSet<String>,
    histories: usize,
}

impl Seen {
    fn note(&mut self, call: &str, machine: &dyn Machine) {
        let state = format!("{call} {}", machine.content());
        self.stale.insert(format!("{state} {}", machine.stale()));
        self.ideal.insert(state);
        self.histories += 1;
    }

    fn accept(&mut self, machine: &dyn Machine, clients: &[Client]) {
        self.note("accept", machine);
        for place in 0..clients.len() {
            let mut others = clients.to_vec();
            let client = others.remove(place);
            self.read(machine, &client, &others);
        }
    }

    fn read(&mut self, machine: &dyn Machine, client: &Client, others: &[Client]) {
        self.note("read", machine);
        for message in client.messages.iter().collect::<BTreeSet<_>>() {
            let mut next = machine.copy();
            next.obey(message);
            let mut rest = client.clone();
            let place = rest.messages.iter().position(|known| known == message);
            rest.messages.remove(place.expect("it is one of them"));
            self.read(&*next, &rest, others);
        }
        if client.messages.is_empty() && client.close {
            let mut next = machine.copy();
            next.hang_up();
            self.accept(&*next, others);
        }
    }
}

/// What `clients` lead `machine` to.
pub fn count(machine: &dyn Machine, clients: &[Client]) -> Counts {
    let mut seen = Seen::default();
    seen.accept(machine, clients);
    let Seen { ideal, stale, histories } = seen;
    Counts { ideal: ideal.len(), stale: stale.len(), histories }
}
