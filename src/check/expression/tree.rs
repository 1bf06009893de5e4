//! What is written in an expression, before anything is known about its names and types.

use std::ops::Range;

/// A part of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// Its byte range in the text.
    pub span: Range<usize>,
    /// What it is.
    pub shape: Shape,
}

/// What a part of an expression is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A number.
    Integer(i128),
    /// `true` or `false`.
    Boolean(bool),
    /// A byte string.
    Bytes(Vec<u8>),
    /// A variable.
    Name(String),
    /// `a.NAME`, with the place of the name.
    Member(Box<Tree>, String, Range<usize>),
    /// `NAME(a, …)`, with the place of the name.
    Call(String, Range<usize>, Vec<Tree>),
    /// `not a`.
    Not(Box<Tree>),
    /// `-a`.
    Negate(Box<Tree>),
    /// `a and b and …`.
    And(Vec<Tree>),
    /// `a or b or …`.
    Or(Vec<Tree>),
    /// `a implies b`.
    Implies(Box<(Tree, Tree)>),
    /// `a < b` and its like.
    Compare(Box<(Tree, Tree)>, Comparison),
    /// `a + b - c` or `a * b / c`.
    Arithmetic(Box<Tree>, Vec<(Operator, Tree)>),
    /// `forall x in DOMAIN: a`, `exists x in DOMAIN: a`, `count(x in DOMAIN: a)`.
    Quantified(Quantifier, String, Domain, Box<Tree>),
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `==`
    Equal,
    /// `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

/// An arithmetic operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`, towards zero.
    Divide,
    /// `%`, with the sign of its left side.
    Remainder,
}

/// How a variable ranges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// Every one.
    Forall,
    /// At least one.
    Exists,
    /// How many.
    Count,
}

/// What a variable ranges over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// The nodes, running or not.
    Nodes,
    /// The replies to clients so far.
    Replies,
    /// The messages on their way to nodes.
    Messages,
}
