//! Connections: two ends, and for each the messages on their way to it. All of it is plain data, so
//! that a copy is a few moves of memory.

use super::text::Text;

/// Who holds an end of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum End {
    /// Nobody any more.
    #[default]
    Gone,
    /// A node, on this descriptor.
    Node(u8, i32),
    /// It waits at the port of this node.
    Waiting(u8),
    /// A client.
    Client(u8),
}

/// One end.
#[derive(Clone, Copy, Debug)]
pub struct Side {
    /// Who holds it.
    pub end: End,
    /// Whether it will see EOF when the queue is empty. Only ends that can be read have this: a client
    /// does not read, and nobody reads an end that is gone, so that it says nothing of how either
    /// came about.
    pub finished: bool,
    /// How many messages are on their way to it.
    pub waiting: u16,
    /// The oldest and the newest of them, where there are any.
    oldest: u16,
    newest: u16,
}

/// A message, and the one behind it.
#[derive(Clone, Copy, Debug)]
struct Letter {
    text: Text,
    next: u16,
}

/// An end of a connection: twice the connection's place in the table, and which side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SideId(u16);

impl SideId {
    /// The other end.
    pub fn other(self) -> Self {
        SideId(self.0 ^ 1)
    }

    /// A number below [`Network::places`].
    pub fn place(self) -> usize {
        self.0.into()
    }

    fn connection(self) -> usize {
        usize::from(self.0 >> 1)
    }
}

/// All connections that some end still holds. Places are for this table only; in a world a
/// connection is named by its ends.
#[derive(Clone, Debug, Default)]
pub struct Network {
    connections: Vec<Option<[Side; 2]>>,
    /// How many of them are none.
    free: usize,
    /// Messages, those that arrived too: caps keep what one environment ever sends below 65,536.
    letters: Vec<Letter>,
    messages: usize,
}

impl Network {
    /// Forget all connections.
    pub fn clear(&mut self) {
        self.connections.clear();
        self.free = 0;
        self.letters.clear();
        self.messages = 0;
    }

    /// Become a copy of `other`, in the memory that is there.
    pub fn copy_from(&mut self, other: &Network) {
        self.connections.clone_from(&other.connections);
        self.free = other.free;
        self.letters.clone_from(&other.letters);
        self.messages = other.messages;
    }

    /// Ids of ends are below this.
    pub fn places(&self) -> usize {
        2 * self.connections.len()
    }

    /// Add a connection between two ends; the first side's id.
    #[inline]
    pub fn connect(&mut self, ends: [End; 2]) -> SideId {
        let empty = |end| Side { end, finished: false, waiting: 0, oldest: 0, newest: 0 };
        let free = match self.free {
            0 => None,
            _ => self.connections.iter().position(Option::is_none),
        };
        let place = free.unwrap_or_else(|| {
            self.connections.push(None);
            self.free += 1;
            self.connections.len() - 1
        });
        self.free -= 1;
        self.connections[place] = Some(ends.map(empty));
        SideId(u16::try_from(2 * place).expect("caps keep connections below 32,768"))
    }

    /// The side with this id.
    #[inline]
    pub fn side(&self, id: SideId) -> &Side {
        let connection = self.connections[id.connection()].as_ref();
        &connection.expect("an end that is held has a connection")[usize::from(id.0 & 1)]
    }

    /// The side with this id.
    #[inline]
    pub fn side_mut(&mut self, id: SideId) -> &mut Side {
        let connection = self.connections[id.connection()].as_mut();
        &mut connection.expect("an end that is held has a connection")[usize::from(id.0 & 1)]
    }

    /// The messages on their way to the side `id`, oldest first.
    #[inline]
    pub fn queue(&self, id: SideId) -> impl Iterator<Item = Text> {
        let Side { waiting, oldest, .. } = *self.side(id);
        let mut next = usize::from(oldest);
        (0..waiting).map(move |_| {
            let letter = self.letters[next];
            next = letter.next.into();
            letter.text
        })
    }

    /// The oldest message on its way to the side `id`.
    pub fn oldest(&self, id: SideId) -> Option<Text> {
        let side = self.side(id);
        (side.waiting > 0).then(|| self.letters[usize::from(side.oldest)].text)
    }

    /// Send `text` to the side `to`, where it vanishes if nobody holds that side.
    pub fn send(&mut self, to: SideId, text: Text) {
        if self.side(to).end != End::Gone {
            self.put(to, text);
        }
    }

    /// Put `text` on its way to the side `to`, behind what is.
    #[inline]
    pub fn put(&mut self, to: SideId, text: Text) {
        let new = u16::try_from(self.letters.len()).expect("caps keep messages below 65,536");
        self.letters.push(Letter { text, next: 0 });
        self.messages += 1;
        let side = self.side_mut(to);
        side.waiting += 1;
        let newest = std::mem::replace(&mut side.newest, new);
        match side.waiting {
            1 => side.oldest = new,
            _ => self.letters[usize::from(newest)].next = new,
        }
    }

    /// The oldest message to the side `id`, where there is one, arrives up to its first `taken` bytes:
    /// the others stay first in line.
    pub fn arrive(&mut self, id: SideId, taken: usize) {
        let side = *self.side(id);
        if side.waiting == 0 {
            return;
        }
        let letter = &mut self.letters[usize::from(side.oldest)];
        if taken < letter.text.len() {
            letter.text = letter.text.behind(taken);
            return;
        }
        let next = letter.next;
        self.messages -= 1;
        let side = self.side_mut(id);
        side.waiting -= 1;
        side.oldest = next;
    }

    /// The holder of `id` lets go: messages to it vanish, and the other end sees EOF if `shown`.
    pub fn release(&mut self, id: SideId, shown: bool) {
        let side = self.side_mut(id);
        side.end = End::Gone;
        side.finished = false;
        let lost = std::mem::take(&mut side.waiting);
        self.messages -= usize::from(lost);
        if self.side(id.other()).end == End::Gone {
            self.connections[id.connection()] = None;
            self.free += 1;
        } else if shown {
            self.finish(id.other());
        }
    }

    /// Nothing more will be sent to `id`: it sees EOF behind what is on its way.
    pub fn finish(&mut self, id: SideId) {
        let side = self.side_mut(id);
        side.finished |= matches!(side.end, End::Node(..) | End::Waiting(_));
    }

    /// Forget messages that have arrived, and call `each` with the texts of the others.
    pub fn compact(&mut self, each: &mut dyn FnMut(&mut Text)) {
        let old = std::mem::take(&mut self.letters);
        for side in self.connections.iter_mut().flatten().flatten() {
            let mut from = usize::from(side.oldest);
            for place in 0..side.waiting {
                let mut letter = old[from];
                from = letter.next.into();
                each(&mut letter.text);
                let new = self.letters.len() as u16;
                if place == 0 {
                    side.oldest = new;
                }
                side.newest = new;
                self.letters.push(Letter { next: new + 1, ..letter });
            }
        }
    }

    /// Messages on their way, to whatever end.
    pub fn messages(&self) -> usize {
        self.messages
    }
}
