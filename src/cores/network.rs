//! The messages in flight, in the one order that stands for them. In a FIFO network they are sorted
//! by receiver and sender, and within such a channel by age; in a bag by receiver, sender and bytes.
//! So two networks that hold the same are equal, whatever the order in which it was sent.

use super::abi::CMC_MAX_NODES;
use super::env::Discipline;
use super::payload::Payload;
use super::set::Set;

/// A message in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// The node that it goes to.
    pub to: u8,
    /// The node that sent it.
    pub from: u8,
    /// What it says.
    pub payload: Payload,
}

impl Message {
    fn channel(&self) -> (u8, u8) {
        (self.to, self.from)
    }

    fn key(&self) -> (u8, u8, &[u8]) {
        (self.to, self.from, self.payload.bytes())
    }

    fn concerns(&self, node: u8) -> bool {
        self.to == node || self.from == node
    }
}

/// The messages in flight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    discipline: Discipline,
    messages: Vec<Message>,
}

impl Network {
    /// No message.
    pub fn new(discipline: Discipline) -> Self {
        Network { discipline, messages: Vec::new() }
    }

    /// How messages travel.
    pub fn discipline(&self) -> Discipline {
        self.discipline
    }

    /// Become equal to `other`, a network of the same kind, in the memory that is there.
    pub fn copy_from(&mut self, other: &Self) {
        self.messages.clone_from(&other.messages);
    }

    /// Lose everything.
    pub fn clear(&mut self) {
        self.messages.clear();
    }

    /// The messages, in order.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Append a message that comes last in the order: how a network is read back.
    pub fn push(&mut self, message: Message) {
        self.messages.push(message);
    }

    /// Send a message.
    pub fn send(&mut self, message: Message) {
        let place = match self.discipline {
            Discipline::Fifo => {
                self.messages.partition_point(|other| other.channel() <= message.channel())
            }
            Discipline::Bag => self.messages.partition_point(|other| other.key() <= message.key()),
        };
        self.messages.insert(place, message);
    }

    /// The messages that can be delivered next, with their places: heads of channels, or the first
    /// of equal ones in the bag.
    pub fn first(&self) -> impl Iterator<Item = (usize, &Message)> {
        let fresh = |&(place, message): &(usize, &Message)| {
            let before = place.checked_sub(1).map(|place| &self.messages[place]);
            before.is_none_or(|before| match self.discipline {
                Discipline::Fifo => before.channel() != message.channel(),
                Discipline::Bag => before != message,
            })
        };
        self.messages.iter().enumerate().filter(fresh)
    }

    /// The place of the message to `to` that an action with this argument is about: the sender of a
    /// channel's head, or a place in the bag.
    pub fn place(&self, to: u8, argument: u32) -> Option<usize> {
        match self.discipline {
            Discipline::Fifo => {
                let channel = (to, u8::try_from(argument).ok()?);
                let place = self.messages.partition_point(|other| other.channel() < channel);
                self.messages.get(place).filter(|head| head.channel() == channel).map(|_| place)
            }
            Discipline::Bag => {
                let place = usize::try_from(argument).ok()?;
                self.messages.get(place).filter(|message| message.to == to).map(|_| place)
            }
        }
    }

    /// The argument of an action about the message at `place`.
    pub fn argument(&self, place: usize) -> u32 {
        match self.discipline {
            Discipline::Fifo => self.messages[place].from.into(),
            Discipline::Bag => place as u32,
        }
    }

    /// Take the message at `place` out.
    pub fn take(&mut self, place: usize) -> Message {
        self.messages.remove(place)
    }

    /// Between which nodes something is in flight: for each node, those above it.
    pub fn connections(&self) -> [Set; CMC_MAX_NODES] {
        let mut between = [Set::EMPTY; CMC_MAX_NODES];
        for &Message { to, from, .. } in self.messages.iter().filter(|m| m.to != m.from) {
            between[usize::from(to.min(from))].insert(to.max(from));
        }
        between
    }

    /// Lose what is in flight between `a` and `b`, in both directions; `None` if nothing is.
    pub fn cut(&mut self, a: u8, b: u8) -> Option<()> {
        let before = self.messages.len();
        self.messages.retain(|message| message.channel() != (a, b) && message.channel() != (b, a));
        (self.messages.len() < before).then_some(())
    }

    /// Lose what is in flight to and from `node`.
    pub fn forget(&mut self, node: u8) {
        self.messages.retain(|message| !message.concerns(node));
    }
}
