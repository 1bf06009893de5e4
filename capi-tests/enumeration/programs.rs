//! The example programs as functions from one wait to the next, written from their C.

use super::actions::{Input, Program};
use super::world::{Fd, Io, Text, Wait};

/// A server that serves one connection at a time: what it starts with, and what it does with a
/// message (its content changed, the answer returned).
pub struct OneByOne {
    pub start: &'static [u8],
    pub obey: fn(&mut Text, &[u8]) -> Text,
}

impl Program for OneByOne {
    fn boot(&self, io: &mut Io) -> Wait {
        io.listen();
        io.node().content = self.start.to_vec();
        Wait::Accept(None)
    }

    fn resume(&self, input: Input, io: &mut Io) -> Wait {
        match (input, io.node().wait) {
            (Input::Connection(conn), _) => Wait::Read(conn, None),
            (Input::Bytes(text), Wait::Read(conn, _)) if text.is_empty() => {
                io.close(conn);
                Wait::Accept(None)
            }
            (Input::Bytes(text), Wait::Read(conn, _)) => {
                let answer = (self.obey)(&mut io.node().content, &text);
                io.write(conn, &answer);
                Wait::Read(conn, None)
            }
            _ => unreachable!("no time-outs"),
        }
    }
}

pub fn kv(bug: bool) -> OneByOne {
    fn correct(cells: &mut Text, text: &[u8]) -> Text {
        match text {
            b"SET a" => cells[0] = 1,
            b"SET b" => cells[1] = 1,
            _ => return b"ERROR".to_vec(),
        }
        b"OK".to_vec()
    }
    fn forgetful(cells: &mut Text, text: &[u8]) -> Text {
        if text == b"SET a" {
            cells[1] = 0;
        }
        correct(cells, text)
    }
    OneByOne { start: &[0, 0], obey: if bug { forgetful } else { correct } }
}

/// The content is the report: the sorted keys, zeros behind them.
pub fn list(bug: bool) -> OneByOne {
    fn correct(report: &mut Text, text: &[u8]) -> Text {
        let mut keys: Text = report.iter().copied().filter(|&key| key != 0).collect();
        keys.push(text[4] - b'0');
        keys.sort();
        keys.dedup();
        keys.resize(report.len(), 0);
        *report = keys;
        b"OK".to_vec()
    }
    fn forgetful(report: &mut Text, text: &[u8]) -> Text {
        if text[4] - b'0' < report[0] {
            report.remove(0);
            report.push(0);
        }
        correct(report, text)
    }
    OneByOne { start: &[0; 4], obey: if bug { forgetful } else { correct } }
}

/// The list without a report: its memory keeps at least the order of insertion.
pub fn raw_list() -> OneByOne {
    fn obey(history: &mut Text, text: &[u8]) -> Text {
        history.push(text[4] - b'0');
        b"OK".to_vec()
    }
    OneByOne { start: &[], obey }
}

pub fn echo() -> OneByOne {
    fn obey(echoed: &mut Text, text: &[u8]) -> Text {
        echoed[0] = echoed[0].wrapping_add(1);
        text.to_vec()
    }
    OneByOne { start: &[0], obey }
}

/// A program whose reads take no more than these bytes.
pub struct Short(pub usize, pub OneByOne);

impl Program for Short {
    fn boot(&self, io: &mut Io) -> Wait {
        self.1.boot(io)
    }

    fn resume(&self, input: Input, io: &mut Io) -> Wait {
        self.1.resume(input, io)
    }

    fn room(&self) -> usize {
        self.0
    }
}

/// The content is holder, first connected, second connected.
pub struct Lock {
    pub bug: bool,
}

impl Lock {
    /// The connections are accepted one behind the other while none is closed, behind the listener.
    const CONNS: [Fd; 2] = [5, 6];

    fn turn(content: &[u8], next: usize) -> Option<Wait> {
        let who = [next, 1 - next].into_iter().find(|&i| content[1 + i] == 1)?;
        Some(Wait::Read(Self::CONNS[who], None))
    }
}

impl Program for Lock {
    fn boot(&self, io: &mut Io) -> Wait {
        io.listen();
        io.node().content = vec![0, 0, 0];
        Wait::Accept(None)
    }

    fn resume(&self, input: Input, io: &mut Io) -> Wait {
        let next = match (input, io.node().wait) {
            (Input::Connection(conn), _) => {
                let i = usize::from(conn == Self::CONNS[1]);
                io.node().content[1 + i] = 1;
                if i == 0 {
                    return Wait::Accept(None);
                }
                0
            }
            (Input::Bytes(text), Wait::Read(conn, _)) => {
                let i = usize::from(conn == Self::CONNS[1]);
                let me = if i == 0 { 1 } else { 2 };
                let holder = io.node().content[0];
                if text.is_empty() {
                    io.close(conn);
                    io.node().content[1 + i] = 0;
                    if holder == me && !self.bug {
                        io.node().content[0] = 0;
                    }
                } else {
                    let (holder, answer): (u8, &[u8]) = match (text.as_slice(), holder) {
                        (b"LOCK", h) if h == 0 || h == me => (me, b"GRANTED"),
                        (b"UNLOCK", h) if h == 0 || h == me => (0, b"RELEASED"),
                        (b"LOCK" | b"UNLOCK", h) => (h, b"BUSY"),
                        (_, h) => (h, b"ERROR"),
                    };
                    io.node().content[0] = holder;
                    io.write(conn, answer);
                }
                1 - i
            }
            _ => unreachable!("no time-outs"),
        };
        match Self::turn(&io.node().content, next) {
            Some(wait) => wait,
            None => io.exit(),
        }
    }
}

/// The content is the number.
pub struct Ack {
    pub bug: bool,
}

impl Program for Ack {
    fn boot(&self, io: &mut Io) -> Wait {
        io.node().content = io.node().durable.clone().unwrap_or_else(|| vec![0]);
        io.listen();
        Wait::Accept(None)
    }

    fn resume(&self, input: Input, io: &mut Io) -> Wait {
        match (input, io.node().wait) {
            (Input::Connection(conn), _) => Wait::Read(conn, None),
            (Input::Bytes(text), Wait::Read(conn, _)) if text.is_empty() => {
                io.close(conn);
                Wait::Accept(None)
            }
            (Input::Bytes(text), Wait::Read(conn, _)) => {
                match text.as_slice() {
                    &[b'S', b'E', b'T', b' ', digit] => {
                        let record = vec![digit - b'0'];
                        io.node().content = record.clone();
                        if self.bug {
                            io.write(conn, b"OK");
                            io.persist(record);
                        } else {
                            io.persist(record);
                            io.write(conn, b"OK");
                        }
                    }
                    _ => {
                        let answer = b'0' + io.node().content[0];
                        io.write(conn, &[answer]);
                    }
                }
                Wait::Read(conn, None)
            }
            _ => unreachable!("no time-outs"),
        }
    }
}

/// The content is the report: id, role, term, vote, position, peer, votes.
pub struct Election {
    pub bug: bool,
}

const ID: usize = 0;
const ROLE: usize = 1;
const TERM: usize = 2;
const VOTE: usize = 3;
const POSITION: usize = 4;
const PEER: usize = 5;
const VOTES: usize = 6;
const FOLLOWER: u8 = 0;
const CANDIDATE: u8 = 1;
const LEADER: u8 = 2;
const IDLE: u8 = 0;
const ANSWERING: u8 = 1;
const ASKING: u8 = 2;

impl Election {
    fn patience(id: u8) -> Option<u64> {
        Some(300 + 200 * u64::from(id))
    }

    fn persist(io: &mut Io) {
        let record = vec![io.node().content[TERM], io.node().content[VOTE]];
        io.persist(record);
    }

    fn idle(io: &mut Io) -> Wait {
        let me = &mut io.node().content;
        me[POSITION] = IDLE;
        Wait::Accept(Self::patience(me[ID]))
    }

    /// Asks the peer at this distance; the program asks no further once it has its majority.
    fn ask(io: &mut Io, distance: u8) -> Wait {
        let me = io.node().content.clone();
        let peer = (me[ID] + distance) % 3;
        let conn = io.dial(usize::from(peer));
        io.write(conn, &[b'V', b'0' + me[TERM], b'0' + me[ID]]);
        io.node().content[POSITION] = ASKING;
        io.node().content[PEER] = peer;
        Wait::Read(conn, Some(150))
    }

    fn answered(io: &mut Io, conn: Fd, yes: bool) -> Wait {
        io.close(conn);
        let me = &mut io.node().content;
        me[VOTES] += u8::from(yes);
        let distance = (me[PEER] + 3 - me[ID]) % 3;
        if me[VOTES] < 2 && distance < 2 {
            return Self::ask(io, distance + 1);
        }
        if me[VOTES] >= 2 {
            me[ROLE] = LEADER;
        }
        me[PEER] = 0;
        me[VOTES] = 0;
        Self::idle(io)
    }

    fn answer(&self, io: &mut Io, conn: Fd, request: &[u8]) -> Wait {
        if let &[b'V', term, candidate] = request {
            let term = term - b'0';
            let granted = term > io.node().content[TERM];
            if granted {
                let me = &mut io.node().content;
                me[ROLE] = FOLLOWER;
                me[TERM] = term;
                me[VOTE] = 1 + candidate - b'0';
                if !self.bug {
                    Self::persist(io);
                }
            }
            io.write(conn, if granted { b"Y" } else { b"N" });
        }
        io.close(conn);
        Self::idle(io)
    }
}

impl Program for Election {
    fn boot(&self, io: &mut Io) -> Wait {
        let id = u8::try_from(io.me).expect("few nodes");
        let durable = io.node().durable.clone().unwrap_or_else(|| vec![0, 0]);
        io.node().content = vec![id, FOLLOWER, durable[0], durable[1], IDLE, 0, 0];
        io.listen();
        Self::idle(io)
    }

    fn resume(&self, input: Input, io: &mut Io) -> Wait {
        let asking = io.node().content[POSITION] == ASKING;
        match (input, io.node().wait) {
            (Input::Connection(conn), _) => {
                let me = &mut io.node().content;
                me[POSITION] = ANSWERING;
                Wait::Read(conn, Self::patience(me[ID]))
            }
            (Input::Bytes(text), Wait::Read(conn, _)) if asking => {
                Self::answered(io, conn, text == b"Y")
            }
            (Input::Bytes(text), Wait::Read(conn, _)) => self.answer(io, conn, &text),
            (Input::TimedOut, Wait::Read(conn, _)) if asking => Self::answered(io, conn, false),
            (Input::TimedOut, Wait::Read(conn, _)) => self.answer(io, conn, b""),
            (Input::TimedOut, _) if io.node().content[ROLE] == LEADER => Self::idle(io),
            (Input::TimedOut, _) => {
                let me = &mut io.node().content;
                me[ROLE] = CANDIDATE;
                me[TERM] += 1;
                me[VOTE] = 1 + me[ID];
                me[VOTES] = 1;
                Self::persist(io);
                Self::ask(io, 1)
            }
            (Input::Bytes(_), _) => unreachable!("bytes come to a reader"),
        }
    }
}
