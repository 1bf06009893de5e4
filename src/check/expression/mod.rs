//! The expression language of properties: text to tokens ([`lexer`]), to a [`tree`] of what is
//! written ([`parser`]), to a [`formula`] in which every type is known ([`typing`]), which is
//! evaluated on worlds ([`eval`]), which remembers some of it ([`memo`]). All that can be found when the model is loaded is a [`Mistake`]; what only a world
//! can show is a [`Fault`]. Nothing here enables an action.

pub mod eval;
pub mod formula;
pub mod lexer;
pub mod memo;
pub mod parser;
pub mod tree;
pub mod typing;

use std::ops::Range;

use super::field::Fields;
use super::source::Source;
use crate::error::Error;
use crate::world::View;

/// The deepest nesting of an expression: recursion over its trees stays that shallow.
pub const DEPTH: usize = 64;

/// Whether an expression speaks of one world or of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// One world.
    State,
    /// A world and its successor: `old(…)` may be used.
    Step,
}

/// Something wrong with an expression, at a byte range of its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Where.
    pub span: Range<usize>,
    /// What is wrong, and the remedy.
    pub text: String,
}

/// Why an expression has no value in a world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The expression asks for what the world does not have.
    Expression(String),
    /// The world could not be read.
    World(Error),
}

/// A property's condition, ready to be evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    truth: formula::Truth,
    /// What its value is remembered by, where it looks at local states alone.
    whole: Option<memo::Whole>,
}

impl Expression {
    /// Read `text` for a model whose nodes have the fields `nodes`.
    pub fn compile(text: &str, nodes: &[Fields], scope: Scope) -> Result<Expression, Mistake> {
        let tree = parser::parse(text)?;
        let truth = typing::check(text, &tree, nodes, scope)?;
        Ok(Expression { whole: memo::Whole::of(&truth), truth })
    }

    /// Whether it holds on the way from the world `old` to the world `new`; for an expression of
    /// [`Scope::State`] the two are one.
    pub fn holds(&self, old: View<'_>, new: View<'_>) -> Result<bool, Fault> {
        let key = |memo: &mut memo::Memo| self.whole?.key(memo, [new, old]);
        memo::value(key, || self.truth.eval(eval::Scene::new(old, new))).map_err(|fault| *fault)
    }
}

impl Fault {
    /// The error that it is for the property `name`.
    pub fn of(self, name: &str) -> Error {
        match self {
            Fault::Expression(text) => Error::Property { name: name.to_owned(), text },
            Fault::World(error) => error,
        }
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Fault::World(error)
    }
}

impl Mistake {
    fn new(span: Range<usize>, text: impl Into<String>) -> Self {
        Mistake { span, text: text.into() }
    }

    /// The error at its place in the model file, where the string whose value is `text` stands at
    /// `string`. Where the two differ (escapes, line ends) the place is the start of the string.
    pub fn place(&self, source: &Source, string: Range<usize>, text: &str) -> Error {
        let raw = &source.text()[string.clone()];
        let written = ["\"\"\"\n", "'''\n", "\"\"\"", "'''", "\"", "'"]
            .into_iter()
            .find_map(|quote| Some((quote.len(), raw.strip_prefix(quote)?)))
            .filter(|(_, inner)| inner.starts_with(text));
        if let Some((quote, _)) = written {
            let start = string.start + quote;
            return source.error(start + self.span.start..start + self.span.end, &self.text);
        }
        let column = text[..self.span.start].chars().count() + 1;
        let message = format!("{} (at column {column} of the expression)", self.text);
        source.error(string.start..string.start, &message)
    }
}
