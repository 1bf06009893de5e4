//! From what is written to formulas, in which every type is known. Names become places of variables,
//! fields become places in the contents of the nodes, and what cannot be meant is a mistake with its
//! remedy.

use std::ops::Range as Span;

use super::formula::{Bytes, FieldOf, Integer, NodeOf, Range, Truth};
use super::memo::Local;
use super::parser::WORDS;
use super::tree::{Comparison, Domain, Quantifier, Shape, Tree};
use super::{Mistake, Scope};
use crate::check::field::{Field, Fields, Form};
use crate::check::key;
use crate::spelling;
use crate::world::Liveness;

/// Functions and how many arguments they take.
const FUNCTIONS: [(&str, usize); 9] = [
    ("node", 1),
    ("alive", 1),
    ("crashed", 1),
    ("exited", 1),
    ("clock", 1),
    ("old", 1),
    ("len", 1),
    ("starts_with", 2),
    ("u8", 2),
];

/// The truth value that `tree`, the tree of `text`, is for nodes with the fields `nodes`.
pub fn check(text: &str, tree: &Tree, nodes: &[Fields], scope: Scope) -> Result<Truth, Mistake> {
    let mut typing = Typing { text, nodes, scope, inside_old: false, variables: Vec::new() };
    typing.truth(tree)
}

enum Typed {
    Truth(Truth),
    Integer(Integer),
    Bytes(Bytes),
    Node(NodeOf),
    Reply(usize),
    Message(usize),
}

impl Typed {
    fn kind(&self) -> &'static str {
        match self {
            Typed::Truth(_) => "a truth value",
            Typed::Integer(_) => "an integer",
            Typed::Bytes(_) => "a byte string",
            Typed::Node(_) => "a node",
            Typed::Reply(_) => "a reply",
            Typed::Message(_) => "a message",
        }
    }
}

struct Typing<'t> {
    text: &'t str,
    nodes: &'t [Fields],
    scope: Scope,
    inside_old: bool,
    variables: Vec<(&'t str, Domain)>,
}

impl<'t> Typing<'t> {
    fn truth(&mut self, tree: &'t Tree) -> Result<Truth, Mistake> {
        match self.typed(tree)? {
            Typed::Truth(truth) => Ok(truth),
            other => Err(expected("a truth value", &other, tree)),
        }
    }

    fn integer(&mut self, tree: &'t Tree) -> Result<Integer, Mistake> {
        match self.typed(tree)? {
            Typed::Integer(integer) => Ok(integer),
            Typed::Node(node) => Ok(*node.number),
            other => Err(expected("an integer", &other, tree)),
        }
    }

    fn bytes(&mut self, tree: &'t Tree) -> Result<Bytes, Mistake> {
        match self.typed(tree)? {
            Typed::Bytes(bytes) => Ok(bytes),
            other => Err(expected("a byte string", &other, tree)),
        }
    }

    /// A node, or an integer that is the number of one.
    fn node(&mut self, tree: &'t Tree) -> Result<NodeOf, Mistake> {
        let node = match self.typed(tree)? {
            Typed::Node(node) => node,
            Typed::Integer(integer) => {
                NodeOf { number: Box::new(integer), text: self.quote(&tree.span) }
            }
            other => return Err(expected("a node", &other, tree)),
        };
        if let Integer::Constant(number) = *node.number
            && usize::try_from(number).map_or(true, |number| number >= self.nodes.len())
        {
            let last = self.nodes.len() - 1;
            let text = format!("there is no node {number}; the last one is {last}");
            return Err(Mistake::new(tree.span.clone(), text));
        }
        Ok(node)
    }

    fn typed(&mut self, tree: &'t Tree) -> Result<Typed, Mistake> {
        Ok(match &tree.shape {
            Shape::Integer(value) => Typed::Integer(Integer::Constant(*value)),
            Shape::Boolean(value) => Typed::Truth(Truth::Constant(*value)),
            Shape::Bytes(bytes) => Typed::Bytes(Bytes::Constant(bytes.clone())),
            Shape::Name(name) => self.name(name, &tree.span)?,
            Shape::Member(owner, name, place) => self.member(owner, name, place)?,
            Shape::Call(name, place, arguments) => self.call(name, place, arguments, tree)?,
            Shape::Not(inner) => Typed::Truth(Truth::Not(Box::new(self.truth(inner)?))),
            Shape::Negate(inner) => Typed::Integer(match self.integer(inner)? {
                Integer::Constant(value) => Integer::Constant(-value),
                inner => Integer::Negate(Box::new(inner), self.quote(&tree.span)),
            }),
            Shape::And(parts) => Typed::Truth(Truth::And(self.truths(parts)?)),
            Shape::Or(parts) => Typed::Truth(Truth::Or(self.truths(parts)?)),
            Shape::Implies(sides) => {
                let sides = (self.truth(&sides.0)?, self.truth(&sides.1)?);
                Typed::Truth(Truth::Implies(Box::new(sides)))
            }
            Shape::Compare(sides, comparison) => {
                Typed::Truth(self.compare(&sides.0, *comparison, &sides.1, tree)?)
            }
            Shape::Arithmetic(first, rest) => {
                let first = Box::new(self.integer(first)?);
                let rest = rest
                    .iter()
                    .map(|(operator, tree)| Ok((*operator, self.integer(tree)?)))
                    .collect::<Result<_, Mistake>>()?;
                Typed::Integer(Integer::Arithmetic(first, rest, self.quote(&tree.span)))
            }
            Shape::Quantified(quantifier, name, domain, body) => {
                self.quantified(*quantifier, name, *domain, body, tree)?
            }
        })
    }

    fn truths(&mut self, trees: &'t [Tree]) -> Result<Vec<Truth>, Mistake> {
        trees.iter().map(|tree| self.truth(tree)).collect()
    }

    fn name(&self, name: &str, span: &Span<usize>) -> Result<Typed, Mistake> {
        let fail = |text: String| Err(Mistake::new(span.clone(), text));
        // Variables are counted from the innermost one.
        if let Some(depth) = self.variables.iter().rev().position(|(other, _)| *other == name) {
            return Ok(match self.variables[self.variables.len() - 1 - depth].1 {
                Domain::Nodes => Typed::Node(NodeOf {
                    number: Box::new(Integer::Node(depth)),
                    text: name.to_owned(),
                }),
                Domain::Replies => Typed::Reply(depth),
                Domain::Messages => Typed::Message(depth),
            });
        }
        match name {
            "budget" => return fail(format!("write budget.NAME; {}", budgets())),
            "clock" => return fail("every node has its clock; write clock(n)".into()),
            "count" => return fail("write count(x in nodes: …)".into()),
            _ if FUNCTIONS.iter().any(|(function, _)| *function == name) => {
                return fail(format!("{name} is a function; write {name}(…)"));
            }
            _ if WORDS.contains(&name) => {
                return fail(format!("\"{name}\" is no value; write \"forall x in {name}: …\""));
            }
            _ => (),
        }
        let known = self.variables.iter().map(|(name, _)| *name).chain(WORDS);
        match spelling::nearest(name, known) {
            Some(near) => fail(format!("unknown name {name:?}; did you mean \"{near}\"?")),
            None if self.nodes.iter().any(|fields| fields.get(name).is_some()) => {
                fail(format!("a field belongs to a node; write n.{name} or node(0).{name}"))
            }
            None => fail(format!("unknown name {name:?}; bind it with \"forall {name} in …\"")),
        }
    }

    fn member(
        &mut self,
        owner: &'t Tree,
        name: &str,
        place: &Span<usize>,
    ) -> Result<Typed, Mistake> {
        let fail = |text: String| Err(Mistake::new(place.clone(), text));
        if matches!(&owner.shape, Shape::Name(name) if name == "budget") {
            let Some(budget) = key::BUDGETS.into_iter().find(|budget| *budget == name) else {
                let advice = spelling::advice(name, "the budgets", &key::BUDGETS);
                return fail(format!("unknown budget {name:?}; {advice}"));
            };
            return Ok(Typed::Integer(Integer::Budget(budget)));
        }
        let choose = |name, found: Option<Typed>, kind, members: &[&str]| {
            found.ok_or_else(|| {
                let advice = spelling::advice(name, "there", members);
                Mistake::new(place.clone(), format!("{kind} has no {name:?}; {advice}"))
            })
        };
        match self.typed(owner)? {
            Typed::Reply(depth) => {
                let found = match name {
                    "client" => Some(Typed::Integer(Integer::ReplyClient(depth))),
                    "bytes" => Some(Typed::Bytes(Bytes::Reply(depth))),
                    _ => None,
                };
                choose(name, found, "a reply", &["client", "bytes"])
            }
            Typed::Message(depth) => {
                let found = match name {
                    "to" => Some(Typed::Integer(Integer::MessageTo(depth))),
                    "from" => Some(Typed::Integer(Integer::MessageFrom(depth))),
                    "client" => Some(Typed::Integer(Integer::MessageClient(depth))),
                    "bytes" => Some(Typed::Bytes(Bytes::Message(depth))),
                    _ => None,
                };
                choose(name, found, "a message", &["to", "from", "client", "bytes"])
            }
            Typed::Node(node) => self.field(node, name, place),
            other @ Typed::Integer(_) => {
                let text = self.quote(&owner.span);
                let kind = other.kind();
                fail(format!("{kind} has no fields; for a node by its number write node({text})"))
            }
            other => fail(format!("{} has no fields; only nodes have them", other.kind())),
        }
    }

    /// The field `name` of `node`.
    fn field(&self, node: NodeOf, name: &str, place: &Span<usize>) -> Result<Typed, Mistake> {
        let fail = |text: String| Err(Mistake::new(place.clone(), text));
        // A node known now must have the field; among several nodes one must.
        let nodes = match *node.number {
            Integer::Constant(number) => {
                let number = usize::try_from(number).unwrap_or_default();
                &self.nodes[number..=number]
            }
            _ => self.nodes,
        };
        let named = |fields: &Fields| fields.get(name).cloned();
        let found: Vec<Field> = nodes.iter().filter_map(named).collect();
        let Some(first) = found.first() else {
            let who = match *node.number {
                Integer::Constant(number) => format!("node {number} has no field {name:?}"),
                _ => format!("no node has a field {name:?}"),
            };
            let mut names: Vec<&str> = Vec::new();
            for field in nodes.iter().flat_map(|fields| &fields.list) {
                if !names.contains(&field.name.as_str()) {
                    names.push(&field.name);
                }
            }
            if names.is_empty() {
                return fail(format!("{who}; declare it in [fields] or [node.fields]"));
            }
            let advice = spelling::advice(name, "the fields", &names);
            return fail(format!("{who}; {advice}"));
        };
        let is_integer = |field: &Field| matches!(field.form, Form::Integer { .. });
        if found.iter().any(|field| is_integer(field) != is_integer(first)) {
            return fail(format!(
                "field \"{name}\" is an integer on some nodes and a byte string on others; give \
                 one another name"
            ));
        }
        let integer = is_integer(first);
        // The guard speaks of the node as the expression does, without a node(…) around it.
        let inner = node.text.strip_prefix("node(").and_then(|text| text.strip_suffix(')'));
        let guard = format!("alive({})", inner.unwrap_or(&node.text));
        let guard = if self.inside_old { format!("old({guard})") } else { guard };
        let fields = self.nodes.iter().map(named).collect();
        let field = Box::new(FieldOf { node, name: name.to_owned(), fields, guard });
        Ok(if integer {
            Typed::Integer(Integer::Field(field))
        } else {
            Typed::Bytes(Bytes::Field(field))
        })
    }

    fn call(
        &mut self,
        name: &str,
        place: &Span<usize>,
        arguments: &'t [Tree],
        tree: &Tree,
    ) -> Result<Typed, Mistake> {
        let fail = |text: String| Err(Mistake::new(place.clone(), text));
        let Some((_, count)) = FUNCTIONS.iter().find(|(function, _)| *function == name) else {
            let names: Vec<&str> =
                FUNCTIONS.iter().map(|(name, _)| *name).chain(["count"]).collect();
            let advice = spelling::advice(name, "the functions", &names);
            return fail(format!("unknown function {name:?}; {advice}"));
        };
        let (first, second) = match (arguments, count) {
            ([first], 1) => (first, first),
            ([first, second], 2) => (first, second),
            _ => {
                let plural = if *count == 1 { "" } else { "s" };
                let given = arguments.len();
                return fail(format!("{name} takes {count} argument{plural}, this has {given}"));
            }
        };
        Ok(match name {
            "alive" => Typed::Truth(Truth::Is(self.node(first)?, Liveness::Running)),
            "crashed" => Typed::Truth(Truth::Is(self.node(first)?, Liveness::Crashed)),
            "exited" => Typed::Truth(Truth::Is(self.node(first)?, Liveness::Exited)),
            "clock" => Typed::Integer(Integer::Clock(Box::new(self.node(first)?))),
            "len" => Typed::Integer(Integer::Length(Box::new(self.bytes(first)?))),
            "starts_with" => {
                let parts = (self.bytes(first)?, self.bytes(second)?);
                Typed::Truth(Truth::StartsWith(Box::new(parts)))
            }
            "u8" => {
                let parts = (self.bytes(first)?, self.integer(second)?);
                Typed::Integer(Integer::Byte(Box::new(parts), self.quote(&tree.span)))
            }
            "node" => {
                let node = self.node(first)?;
                Typed::Node(NodeOf { text: self.quote(&tree.span), ..node })
            }
            _ => self.old(first, place)?,
        })
    }

    fn old(&mut self, inner: &'t Tree, place: &Span<usize>) -> Result<Typed, Mistake> {
        let fail = |text: &str| Err(Mistake::new(place.clone(), text));
        if self.scope == Scope::State {
            return fail("old(…) compares two worlds; move the property to [steps]");
        }
        if self.inside_old {
            return fail("old(…) inside old(…) says nothing more; remove one");
        }
        self.inside_old = true;
        let typed = self.typed(inner);
        self.inside_old = false;
        match typed? {
            Typed::Truth(truth) => Ok(Typed::Truth(Truth::Old(Box::new(truth)))),
            Typed::Integer(integer) => Ok(Typed::Integer(Integer::Old(Box::new(integer)))),
            Typed::Bytes(bytes) => Ok(Typed::Bytes(Bytes::Old(Box::new(bytes)))),
            other => {
                let text = self.quote(&inner.span);
                let what = other.kind();
                fail(&format!("old(…) takes a value, not {what}; write old({text}.NAME)"))
            }
        }
    }

    fn compare(
        &mut self,
        left: &'t Tree,
        comparison: Comparison,
        right: &'t Tree,
        tree: &Tree,
    ) -> Result<Truth, Mistake> {
        let fail = |text: String| Err(Mistake::new(tree.span.clone(), text));
        let number = |typed| match typed {
            Typed::Node(node) => Typed::Integer(*node.number),
            other => other,
        };
        let (left, right) = (number(self.typed(left)?), number(self.typed(right)?));
        let equal = match comparison {
            Comparison::Equal => Some(true),
            Comparison::Unequal => Some(false),
            _ => None,
        };
        match (left, right, equal) {
            (Typed::Integer(left), Typed::Integer(right), _) => {
                Ok(Truth::Integers(Box::new((left, right)), comparison))
            }
            (Typed::Truth(left), Typed::Truth(right), Some(equal)) => {
                Ok(Truth::Truths(Box::new((left, right)), equal))
            }
            (Typed::Bytes(left), Typed::Bytes(right), Some(equal)) => {
                Ok(Truth::Strings(Box::new((left, right)), equal))
            }
            (Typed::Reply(_), Typed::Reply(_), _) | (Typed::Message(_), Typed::Message(_), _) => {
                fail("compare what they hold, such as their bytes".into())
            }
            (left, right, _) if left.kind() == right.kind() => {
                fail("only integers have an order; compare with == or !=".into())
            }
            (left, right, _) => fail(format!(
                "{} and {} are never equal; compare like with like",
                left.kind(),
                right.kind()
            )),
        }
    }

    fn quantified(
        &mut self,
        quantifier: Quantifier,
        name: &'t str,
        domain: Domain,
        body: &'t Tree,
        tree: &Tree,
    ) -> Result<Typed, Mistake> {
        if self.variables.iter().any(|(other, _)| *other == name) {
            let text = format!("the variable {name:?} is in use around this; take another name");
            return Err(Mistake::new(tree.span.start..body.span.start, text));
        }
        self.variables.push((name, domain));
        let body = self.truth(body);
        self.variables.pop();
        let body = body?;
        let local = match domain {
            Domain::Nodes => Local::of(&body),
            Domain::Replies | Domain::Messages => None,
        };
        let range = Range { domain, body: Box::new(body), local };
        Ok(match quantifier {
            Quantifier::Forall => Typed::Truth(Truth::Every(range, true)),
            Quantifier::Exists => Typed::Truth(Truth::Every(range, false)),
            Quantifier::Count => Typed::Integer(Integer::Count(Box::new(range))),
        })
    }

    /// The text at `span`, on one line.
    fn quote(&self, span: &Span<usize>) -> String {
        self.text[span.clone()].split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

fn expected(wanted: &str, found: &Typed, tree: &Tree) -> Mistake {
    Mistake::new(tree.span.clone(), format!("expected {wanted}, this is {}", found.kind()))
}

fn budgets() -> String {
    spelling::advice("", "the budgets", &key::BUDGETS)
}
