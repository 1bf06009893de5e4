//! The programs whose state is in a place of its own: one class of roots, the C library, a request.

use crate::machine::{Machine, overlay_text};

/// A level that goes up and down.
#[derive(Clone, Default)]
struct Level(i8);

impl Machine for Level {
    fn copy(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }

    fn obey(&mut self, request: &str) -> Option<String> {
        self.0 += if request == "+" { 1 } else { -1 };
        Some(char::from(b'c'.checked_add_signed(self.0)?).into())
    }

    fn content(&self) -> String {
        self.0.to_string()
    }
}

/// How many numbers `rand` has given.
#[derive(Clone, Default)]
struct Draws(usize);

impl Machine for Draws {
    fn copy(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }

    fn obey(&mut self, request: &str) -> Option<String> {
        // glibc's first numbers where nobody has called srand.
        const FIRST: [u32; 3] = [1_804_289_383, 846_930_886, 1_681_692_777];
        if request == "n" {
            return Some("-".into());
        }
        let number = FIRST.get(self.0)?;
        self.0 += 1;
        char::from_u32(u32::from('a') + number % 26).map(String::from)
    }

    fn content(&self) -> String {
        self.0.to_string()
    }
}

/// Two records with their letters, and which is registered.
#[derive(Clone)]
struct Records {
    letters: [u8; 2],
    registered: usize,
}

impl Machine for Records {
    fn copy(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }

    fn obey(&mut self, request: &str) -> Option<String> {
        if request == "s" {
            self.registered = 1 - self.registered;
        } else {
            self.letters[self.registered] += 1;
        }
        Some(char::from(self.letters[self.registered]).into())
    }

    fn content(&self) -> String {
        format!("{:?} {}", self.letters, self.registered)
    }
}

/// What the C library remembers.
#[derive(Clone, Default)]
struct Statics {
    words: usize,
    time: bool,
    /// The buffer was read into, and cleared.
    begun: bool,
}

impl Machine for Statics {
    fn copy(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }

    fn obey(&mut self, request: &str) -> Option<String> {
        self.begun = true;
        match request {
            "t" => {
                self.words += 1;
                Some(["one", "two", "three"].get(self.words - 1)?.to_string())
            }
            "e" => Some("No such file or directory".into()),
            _ => {
                self.time = true;
                None
            }
        }
    }

    fn content(&self) -> String {
        format!("{} {}", self.words, self.time)
    }

    fn stale(&self) -> String {
        self.begun.to_string()
    }
}

/// Accounts, the newest first, with what the request and the parts of it leave behind.
#[derive(Clone)]
struct Session {
    accounts: Vec<(String, i64)>,
    cleared: bool,
    request: Vec<u8>,
    /// The same where the buffer of one connection is that of the next.
    old_request: Vec<u8>,
    length: usize,
    command: Vec<u8>,
    name: Vec<u8>,
    cents: i64,
    /// The log has been written to, so that it has its buffer.
    logged: bool,
    /// An amount that is no binary fraction was divided, which sets a flag of the processor.
    inexact: bool,
}

impl Machine for Session {
    fn copy(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }

    fn obey(&mut self, request: &str) -> Option<String> {
        for buffer in [&mut self.request, &mut self.old_request] {
            overlay_text(buffer, request);
        }
        self.length = request.len();
        let mut parts = request.split(' ');
        let (command, name) = (parts.next()?, parts.next()?);
        overlay_text(&mut self.command, command);
        overlay_text(&mut self.name, name);
        self.cents = parts.next().map_or(0, |cents| cents.parse().expect("a number"));
        let place = self.accounts.iter().position(|(known, _)| known == name);
        let answer = match (command, place) {
            ("login", None) => {
                self.accounts.insert(0, (name.into(), 0));
                format!("hello {name}")
            }
            ("pay", Some(place)) => {
                self.accounts[place].1 += self.cents;
                format!("{name} has {}", self.amount(self.accounts[place].1))
            }
            ("logout", Some(place)) => {
                let (_, cents) = self.accounts.remove(place);
                format!("goodbye {name} with {}", self.amount(cents))
            }
            _ => format!("no {command} for {name}"),
        };
        self.logged = true;
        if self.cleared {
            self.request.clear();
            self.old_request.clear();
        }
        Some(answer)
    }

    fn content(&self) -> String {
        format!("{:?} {:?}", self.accounts, self.request)
    }

    fn stale(&self) -> String {
        let Session { old_request, length, command, name, cents, logged, inexact, .. } = self;
        format!("{old_request:?} {length} {command:?} {name:?} {cents} {logged} {inexact}")
    }

    fn hang_up(&mut self) {
        // The request belongs to a connection.
        self.request.clear();
    }
}

impl Session {
    fn amount(&mut self, cents: i64) -> String {
        self.inexact |= cents % 25 != 0;
        format!("{}.{:02}", cents / 100, cents % 100)
    }
}

/// The rules of the program of `model`, if it is one of these.
pub fn machine(model: &str) -> Option<Box<dyn Machine>> {
    match model {
        "root_data" | "root_tls" | "root_stack" | "root_register" => {
            Some(Box::new(Level::default()))
        }
        "root_library" => Some(Box::new(Draws::default())),
        "root_held" => Some(Box::new(Records { letters: *b"ak", registered: 0 })),
        "statics" => Some(Box::new(Statics::default())),
        "session" | "session_cleared" | "session_few" => Some(Box::new(Session {
            accounts: Vec::new(),
            cleared: model != "session",
            request: Vec::new(),
            old_request: Vec::new(),
            length: 0,
            command: Vec::new(),
            name: Vec::new(),
            cents: 0,
            logged: false,
            inexact: false,
        })),
        _ => None,
    }
}
