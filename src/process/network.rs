//! Connections: two ends, and for each the messages on their way to it.

use std::sync::Arc;

use smallvec::SmallVec;

/// Who holds an end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// Nobody any more.
    Gone,
    /// A node, on this descriptor.
    Node(usize, i32),
    /// It waits at the port of this node.
    Waiting(usize),
    /// A client.
    Client(usize),
}

/// One end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// Who holds it.
    pub end: End,
    /// Messages on their way to it, oldest first.
    pub queue: SmallVec<[Arc<[u8]>; 2]>,
    /// Whether it will see EOF when the queue is empty. Only ends that can be read have this: a client
    /// does not read, and nobody reads an end that is gone, so that it says nothing of how either
    /// came about.
    pub finished: bool,
}

/// A connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connection {
    /// Its two ends.
    pub sides: [Side; 2],
}

/// An end of a connection: the connection's place in the table, and which side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SideId {
    /// Place in the table.
    connection: u16,
    /// 0 or 1.
    side: u16,
}

impl SideId {
    /// The other end.
    pub fn other(self) -> Self {
        SideId { side: 1 - self.side, ..self }
    }
}

/// All connections that some end still holds. Places are for this table only; in a world a
/// connection is named by its ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Network {
    connections: SmallVec<[Option<Connection>; 4]>,
}

impl Network {
    /// Add a connection between two ends; the first side's id.
    pub fn connect(&mut self, ends: [End; 2]) -> SideId {
        let sides = ends.map(|end| Side { end, queue: SmallVec::new(), finished: false });
        let free = self.connections.iter().position(Option::is_none);
        let place = free.unwrap_or_else(|| {
            self.connections.push(None);
            self.connections.len() - 1
        });
        self.connections[place] = Some(Connection { sides });
        let connection = u16::try_from(place).expect("caps keep connections below 65,536");
        SideId { connection, side: 0 }
    }

    /// The side with this id.
    pub fn side(&self, id: SideId) -> &Side {
        let connection = self.connections[usize::from(id.connection)].as_ref();
        &connection.expect("an end that is held has a connection").sides[usize::from(id.side)]
    }

    /// The side with this id.
    pub fn side_mut(&mut self, id: SideId) -> &mut Side {
        let connection = self.connections[usize::from(id.connection)].as_mut();
        &mut connection.expect("an end that is held has a connection").sides[usize::from(id.side)]
    }

    /// Send `message` to the side `to`, where it vanishes if nobody holds that side.
    pub fn send(&mut self, to: SideId, message: &[u8]) {
        let side = self.side_mut(to);
        if side.end != End::Gone {
            side.queue.push(message.into());
        }
    }

    /// The holder of `id` lets go: messages to it vanish, and the other end sees EOF if `shown`.
    pub fn release(&mut self, id: SideId, shown: bool) {
        let side = self.side_mut(id);
        side.end = End::Gone;
        side.queue.clear();
        side.finished = false;
        let other = self.side_mut(id.other());
        if other.end == End::Gone {
            self.connections[usize::from(id.connection)] = None;
        } else if shown {
            self.finish(id.other());
        }
    }

    /// Nothing more will be sent to `id`: it sees EOF behind what is on its way.
    pub fn finish(&mut self, id: SideId) {
        let side = self.side_mut(id);
        side.finished |= matches!(side.end, End::Node(..) | End::Waiting(_));
    }

    /// Messages on their way, to whatever end.
    pub fn messages(&self) -> usize {
        let sides = self.connections.iter().flatten().flat_map(|connection| &connection.sides);
        sides.map(|side| side.queue.len()).sum()
    }
}
