//! The values of formulas in a world. Evaluation allocates nothing
//! unless it fails, reads worlds only through [`crate::world::Reader`], and stops where `and`, `or`
//! and `implies` are decided, so that `alive(n) implies …` guards what stands behind it.

use super::Fault;
use super::formula::{Bytes, FieldOf, Integer, NodeOf, Range, Truth};
use super::memo;
use super::tree::{Comparison, Domain, Operator};
use crate::check::field::Field;
use crate::error::Error;
use crate::world::{Liveness, Message, Reply, View};

/// Where an expression is evaluated: its world, the earlier world, and the variables around it.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    view: View<'a>,
    old: View<'a>,
    bound: Option<&'a Bound<'a>>,
}

/// A variable's value, and the variables around it.
struct Bound<'a> {
    value: Bind<'a>,
    outer: Option<&'a Bound<'a>>,
}

#[derive(Clone, Copy)]
enum Bind<'a> {
    Node(usize),
    Reply(Reply<'a>),
    Message(Message<'a>),
}

impl<'a> Scene<'a> {
    /// No variables yet, in the world `new` behind the world `old`.
    pub fn new(old: View<'a>, new: View<'a>) -> Self {
        Scene { view: new, old, bound: None }
    }

    fn earlier(self) -> Self {
        Scene { view: self.old, ..self }
    }

    fn variable(&self, depth: usize) -> Evaluated<Bind<'a>> {
        let mut bound = self.bound;
        for _ in 0..depth {
            bound = bound.and_then(|bound| bound.outer);
        }
        bound.map(|bound| bound.value).ok_or_else(unbound)
    }

    fn reply(&self, depth: usize) -> Evaluated<Reply<'a>> {
        match self.variable(depth)? {
            Bind::Reply(reply) => Ok(reply),
            Bind::Node(_) | Bind::Message(_) => Err(unbound()),
        }
    }

    fn message(&self, depth: usize) -> Evaluated<Message<'a>> {
        match self.variable(depth)? {
            Bind::Message(message) => Ok(message),
            Bind::Node(_) | Bind::Reply(_) => Err(unbound()),
        }
    }
}

/// Typing gives every variable its place, so that this is a defect of the checker.
fn unbound() -> Box<Fault> {
    Error::Internal("an expression's variable has no value".into()).into()
}

/// In a box a fault leaves the answer of every part small: there is none in nearly every world.
type Evaluated<T> = Result<T, Box<Fault>>;

impl From<Error> for Box<Fault> {
    fn from(error: Error) -> Self {
        Box::new(Fault::World(error))
    }
}

/// An expression asks for what the world does not have.
#[cold]
fn lacking(text: String) -> Box<Fault> {
    Box::new(Fault::Expression(text))
}

impl Truth {
    /// Its value in `scene`.
    pub fn eval(&self, scene: Scene<'_>) -> Evaluated<bool> {
        match self {
            Truth::Constant(value) => Ok(*value),
            Truth::Not(inner) => Ok(!inner.eval(scene)?),
            Truth::And(parts) => {
                for part in parts {
                    if !part.eval(scene)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Truth::Or(parts) => {
                for part in parts {
                    if part.eval(scene)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Truth::Implies(sides) => Ok(!sides.0.eval(scene)? || sides.1.eval(scene)?),
            Truth::Integers(sides, comparison) => {
                let (left, right) = (sides.0.eval(scene)?, sides.1.eval(scene)?);
                Ok(match comparison {
                    Comparison::Equal => left == right,
                    Comparison::Unequal => left != right,
                    Comparison::Less => left < right,
                    Comparison::AtMost => left <= right,
                    Comparison::Greater => left > right,
                    Comparison::AtLeast => left >= right,
                })
            }
            Truth::Truths(sides, equal) => {
                Ok((sides.0.eval(scene)? == sides.1.eval(scene)?) == *equal)
            }
            Truth::Strings(sides, equal) => {
                Ok((sides.0.eval(scene)? == sides.1.eval(scene)?) == *equal)
            }
            Truth::StartsWith(sides) => Ok(sides.0.eval(scene)?.starts_with(sides.1.eval(scene)?)),
            Truth::Is(node, liveness) => {
                let node = node.eval(scene)?;
                Ok(scene.view.reader.liveness(scene.view.world, node)? == *liveness)
            }
            Truth::Every(range, wanted) => {
                let mut result = *wanted;
                range.each(scene, &mut |value| {
                    result = value;
                    value == *wanted
                })?;
                Ok(result)
            }
            Truth::Old(inner) => inner.eval(scene.earlier()),
        }
    }
}

impl Integer {
    /// Its value in `scene`.
    pub fn eval(&self, scene: Scene<'_>) -> Evaluated<i128> {
        let or_none = |index: Option<usize>| index.map_or(-1, |index| index as i128);
        match self {
            Integer::Constant(value) => Ok(*value),
            Integer::Node(depth) => match scene.variable(*depth)? {
                Bind::Node(node) => Ok(node as i128),
                Bind::Reply(_) | Bind::Message(_) => Err(unbound()),
            },
            Integer::ReplyClient(depth) => Ok(or_none(scene.reply(*depth)?.client)),
            Integer::MessageTo(depth) => Ok(scene.message(*depth)?.to as i128),
            Integer::MessageFrom(depth) => Ok(or_none(scene.message(*depth)?.from)),
            Integer::MessageClient(depth) => Ok(or_none(scene.message(*depth)?.client)),
            Integer::Negate(inner, text) => {
                inner.eval(scene)?.checked_neg().ok_or_else(|| overflow(text))
            }
            Integer::Arithmetic(first, rest, text) => {
                let mut value = first.eval(scene)?;
                for (operator, right) in rest {
                    let right = right.eval(scene)?;
                    let divides = matches!(operator, Operator::Divide | Operator::Remainder);
                    if divides && right == 0 {
                        return Err(lacking(format!(
                            "{text} divides by zero; guard it with \"… != 0 implies\""
                        )));
                    }
                    value = match operator {
                        Operator::Add => value.checked_add(right),
                        Operator::Subtract => value.checked_sub(right),
                        Operator::Multiply => value.checked_mul(right),
                        Operator::Divide => value.checked_div(right),
                        Operator::Remainder => value.checked_rem(right),
                    }
                    .ok_or_else(|| overflow(text))?;
                }
                Ok(value)
            }
            Integer::Field(field) => {
                let (found, bytes) = field.eval(scene)?;
                found.form.integer(bytes).ok_or_else(unbound)
            }
            Integer::Clock(node) => {
                let node = node.eval(scene)?;
                Ok(scene.view.reader.clock(scene.view.world, node)?.into())
            }
            Integer::Budget(name) => {
                let left = scene.view.reader.budget(scene.view.world, name)?;
                left.map(i128::from)
                    .ok_or_else(|| lacking(format!("this system has no budget.{name}; remove it")))
            }
            Integer::Count(range) => {
                let mut count = 0;
                range.each(scene, &mut |value| {
                    count += i128::from(value);
                    true
                })?;
                Ok(count)
            }
            Integer::Length(bytes) => Ok(bytes.eval(scene)?.len() as i128),
            Integer::Byte(parts, text) => {
                let bytes = parts.0.eval(scene)?;
                let index = parts.1.eval(scene)?;
                let byte = usize::try_from(index).ok().and_then(|index| bytes.get(index));
                byte.map(|byte| i128::from(*byte)).ok_or_else(|| {
                    lacking(format!(
                        "{text} asks for byte {index} of {} bytes; guard it with len(…)",
                        bytes.len()
                    ))
                })
            }
            Integer::Old(inner) => inner.eval(scene.earlier()),
        }
    }
}

fn overflow(text: &str) -> Box<Fault> {
    lacking(format!("{text} overflows 128 bits; use smaller numbers"))
}

impl Bytes {
    /// Its value in `scene`.
    pub fn eval<'a>(&'a self, scene: Scene<'a>) -> Evaluated<&'a [u8]> {
        match self {
            Bytes::Constant(bytes) => Ok(bytes),
            Bytes::Reply(depth) => Ok(scene.reply(*depth)?.bytes),
            Bytes::Message(depth) => Ok(scene.message(*depth)?.bytes),
            Bytes::Field(field) => Ok(field.eval(scene)?.1),
            Bytes::Old(inner) => inner.eval(scene.earlier()),
        }
    }
}

impl NodeOf {
    /// Its number in `scene`, which is the number of a node there.
    pub fn eval(&self, scene: Scene<'_>) -> Evaluated<usize> {
        let number = self.number.eval(scene)?;
        let nodes = scene.view.reader.nodes();
        match usize::try_from(number) {
            Ok(node) if node < nodes => Ok(node),
            _ => Err(lacking(format!(
                "there is no node {number}, which {} is; guard it with \"… >= 0\" or \"… < {nodes}\"",
                self.text
            ))),
        }
    }
}

impl FieldOf {
    /// What the node has under the name, and its bytes.
    fn eval<'a>(&'a self, scene: Scene<'a>) -> Evaluated<(&'a Field, &'a [u8])> {
        let node = self.node.eval(scene)?;
        let View { world, reader } = scene.view;
        let fail = |why: String| {
            let (text, name) = (&self.node.text, &self.name);
            lacking(format!("{text}.{name} cannot be read: {why}"))
        };
        let Some(content) = reader.content(world, node)? else {
            let state = match reader.liveness(world, node)? {
                Liveness::Running => "has no local state",
                Liveness::Exited => "has exited",
                Liveness::Crashed => "has crashed",
            };
            return Err(fail(format!("node {node} {state}; guard it with {}", self.guard)));
        };
        let Some(field) = self.fields.get(node).and_then(Option::as_ref) else {
            return Err(fail(format!(
                "node {node} has no field \"{}\"; declare it there, or name the nodes that have it",
                self.name
            )));
        };
        let Some(bytes) = field.bytes(content) else {
            return Err(fail(format!(
                "it ends at byte {} and the content of node {node} has only {} bytes; correct the \
                 field, or let the program report before it waits",
                field.offset + field.form.length(),
                content.len()
            )));
        };
        Ok((field, bytes))
    }
}

impl Range {
    /// Hand the value of the body for each to `visit`, in order, until that answers `false`.
    fn each(&self, scene: Scene<'_>, visit: &mut dyn FnMut(bool) -> bool) -> Evaluated<()> {
        let View { world, reader } = scene.view;
        let mut fault = None;
        let mut one = |value: Bind<'_>| match self.of(scene, value) {
            Ok(value) => visit(value),
            Err(found) => {
                fault = Some(found);
                false
            }
        };
        match self.domain {
            Domain::Nodes => return self.each_node(scene, visit),
            Domain::Replies => reader.replies(world, &mut |reply| one(Bind::Reply(reply)))?,
            Domain::Messages => {
                reader.messages(world, &mut |message| one(Bind::Message(message)))?;
            }
        }
        fault.map_or(Ok(()), Err)
    }

    /// The value of the body for `value`.
    fn of(&self, scene: Scene<'_>, value: Bind<'_>) -> Evaluated<bool> {
        let bound = Bound { value, outer: scene.bound };
        self.body.eval(Scene { bound: Some(&bound), ..scene })
    }

    /// The same as [`Range::each`] for nodes, where a value may be remembered.
    fn each_node(&self, scene: Scene<'_>, visit: &mut dyn FnMut(bool) -> bool) -> Evaluated<()> {
        let outer = scene.bound.and_then(|bound| match bound.value {
            Bind::Node(node) => Some(node),
            Bind::Reply(_) | Bind::Message(_) => None,
        });
        for node in 0..scene.view.reader.nodes() {
            let views = [scene.view, scene.old];
            let key = |memo: &mut memo::Memo| self.local?.key(memo, views, node, outer);
            let value = memo::value(key, || self.of(scene, Bind::Node(node)))?;
            if !visit(value) {
                break;
            }
        }
        Ok(())
    }
}
