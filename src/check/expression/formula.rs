//! Expressions in which every type is known: what [`super::typing`] makes and [`super::eval`]
//! evaluates. A variable is the number of quantifiers between its use and its own.

use super::memo::Local;
use super::tree::{Comparison, Domain, Operator};
use crate::check::field::Field;
use crate::world::Liveness;

/// A truth value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Truth {
    /// Known when the model is loaded.
    Constant(bool),
    /// The other one.
    Not(Box<Truth>),
    /// Every part, until one is false.
    And(Vec<Truth>),
    /// Some part, until one is true.
    Or(Vec<Truth>),
    /// The second, if the first is true.
    Implies(Box<(Truth, Truth)>),
    /// Two integers compared.
    Integers(Box<(Integer, Integer)>, Comparison),
    /// Two truth values; `true` asks for equal ones.
    Truths(Box<(Truth, Truth)>, bool),
    /// Two byte strings; `true` asks for equal ones.
    Strings(Box<(Bytes, Bytes)>, bool),
    /// Whether the second starts the first.
    StartsWith(Box<(Bytes, Bytes)>),
    /// Whether a node is like that.
    Is(NodeOf, Liveness),
    /// `forall`, and with `false` `exists`.
    Every(Range, bool),
    /// Its value in the earlier world.
    Old(Box<Truth>),
}

/// An integer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Integer {
    /// Known when the model is loaded.
    Constant(i128),
    /// The number of the node that a variable stands for, counted from the innermost variable.
    Node(usize),
    /// `client` of a reply variable.
    ReplyClient(usize),
    /// `to` of a message variable.
    MessageTo(usize),
    /// `from` of a message variable, -1 without one.
    MessageFrom(usize),
    /// `client` of a message variable, -1 without one.
    MessageClient(usize),
    /// Minus it, and the text it comes from.
    Negate(Box<Integer>, String),
    /// A chain of operators from the left, and the text it comes from.
    Arithmetic(Box<Integer>, Vec<(Operator, Integer)>, String),
    /// A field.
    Field(Box<FieldOf>),
    /// A node's clock.
    Clock(Box<NodeOf>),
    /// What is left of a budget.
    Budget(&'static str),
    /// How many there are.
    Count(Box<Range>),
    /// The length of a byte string.
    Length(Box<Bytes>),
    /// One byte of a byte string, and the text it comes from.
    Byte(Box<(Bytes, Integer)>, String),
    /// Its value in the earlier world.
    Old(Box<Integer>),
}

/// A byte string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bytes {
    /// Known when the model is loaded.
    Constant(Vec<u8>),
    /// `bytes` of a reply variable.
    Reply(usize),
    /// `bytes` of a message variable.
    Message(usize),
    /// A field.
    Field(Box<FieldOf>),
    /// Its value in the earlier world.
    Old(Box<Bytes>),
}

/// A node given by an integer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeOf {
    /// Its number.
    pub number: Box<Integer>,
    /// The text it comes from.
    pub text: String,
}

/// A field of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldOf {
    /// The node.
    pub node: NodeOf,
    /// The field's name.
    pub name: String,
    /// What each node has under the name.
    pub fields: Vec<Option<Field>>,
    /// The guard that makes sure that the node runs.
    pub guard: String,
}

/// What a variable ranges over, and what is said of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// Where the values come from.
    pub domain: Domain,
    /// What is said.
    pub body: Box<Truth>,
    /// What its values are remembered by, where it is said of local states alone.
    pub local: Option<Local>,
}
