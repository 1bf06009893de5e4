//! Why something could not be checked. A broken rule is not an error: see [`crate::system::Stop`].
//! One variant for each cause that a caller can act on; messages are lower case, name the thing,
//! the place and the remedy, and end without a full stop.

use std::fmt;

/// A reason why the checker cannot answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// An option or a call was used wrongly.
    Argument(String),
    /// A structure of a newer header says something that this library does not know.
    Version(String),
    /// A model file or a core says something that it cannot mean; for a file, the text shows line,
    /// column and caret.
    Model(String),
    /// A program cannot be a node: missing, not executable, static, of another machine.
    Program(String),
    /// A node did something that the checker or the model does not cover.
    Node {
        /// Which node.
        node: usize,
        /// What it did, where, and what to do about it.
        text: String,
    },
    /// A property could not be evaluated.
    Property {
        /// The property's name.
        name: String,
        /// Why.
        text: String,
    },
    /// A trace is malformed, or the run departed from it.
    Trace(String),
    /// The host refused something that the checker needs.
    Host(String),
    /// The run of a program was not repeatable, so that no answer can be trusted.
    Divergence(String),
    /// The user asked to stop in the middle of a step.
    Interrupted,
    /// The checker contradicts itself; always a defect of the checker.
    Internal(String),
}

impl Error {
    /// A refusal by the host: what was asked, the system's answer, and what to do.
    pub fn host(what: &str, error: &std::io::Error, remedy: &str) -> Self {
        Error::Host(format!("{what}: {error}; {remedy}"))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Argument(text)
            | Error::Version(text)
            | Error::Model(text)
            | Error::Program(text)
            | Error::Trace(text)
            | Error::Host(text)
            | Error::Divergence(text) => f.write_str(text),
            Error::Node { node, text } => write!(f, "node {node}: {text}"),
            Error::Property { name, text } => write!(f, "property \"{name}\": {text}"),
            Error::Interrupted => f.write_str("interrupted"),
            Error::Internal(text) => write!(f, "internal error, please report it: {text}"),
        }
    }
}

impl std::error::Error for Error {}
