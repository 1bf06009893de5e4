//! Tokens to a tree of what is written. From loose to tight: `implies` (groups to the right), `or`,
//! `and`, `not` and the quantifiers, comparisons (which do not chain), `+ -`, `* / %`, unary `-`,
//! `.FIELD`. The body of a quantifier reaches as far right as it can. Chains of one operator are one
//! flat node, so that only nesting is depth, and nesting has a bound.

use std::ops::Range;

use super::lexer::{Lexeme, Token, lex};
use super::tree::{Comparison, Domain, Operator, Quantifier, Shape, Tree};
use super::{DEPTH, Mistake};
use crate::spelling;

/// Every word with a meaning, which no variable may have as its name.
pub const WORDS: [&str; 24] = [
    "true",
    "false",
    "and",
    "or",
    "not",
    "implies",
    "forall",
    "exists",
    "count",
    "in",
    "nodes",
    "replies",
    "messages",
    "node",
    "alive",
    "crashed",
    "exited",
    "clock",
    "budget",
    "old",
    "len",
    "starts_with",
    "u8",
    "if",
];
/// The words for domains.
const DOMAINS: [(&str, Domain); 3] =
    [("nodes", Domain::Nodes), ("replies", Domain::Replies), ("messages", Domain::Messages)];
const COMPARISONS: [(&str, Comparison); 6] = [
    ("==", Comparison::Equal),
    ("!=", Comparison::Unequal),
    ("<", Comparison::Less),
    ("<=", Comparison::AtMost),
    (">", Comparison::Greater),
    (">=", Comparison::AtLeast),
];
const SUMS: [(&str, Operator); 2] = [("+", Operator::Add), ("-", Operator::Subtract)];
const PRODUCTS: [(&str, Operator); 3] =
    [("*", Operator::Multiply), ("/", Operator::Divide), ("%", Operator::Remainder)];

/// Parse a whole expression.
pub fn parse(text: &str) -> Result<Tree, Mistake> {
    let mut parser = Parser { lexemes: lex(text)?, next: 0, depth: 0 };
    let tree = parser.implication()?;
    match &parser.peek().token {
        Token::End => Ok(tree),
        Token::Symbol(symbol) if COMPARISONS.iter().any(|(word, _)| word == symbol) => {
            Err(parser.wrong("comparisons do not chain; join two of them with \"and\""))
        }
        _ => Err(parser.wrong("this does not continue the expression; is an operator missing?")),
    }
}

struct Parser {
    lexemes: Vec<Lexeme>,
    next: usize,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> &Lexeme {
        // The last lexeme is the end, and `take` stays on it.
        &self.lexemes[self.next]
    }

    fn take(&mut self) -> Lexeme {
        let lexeme = self.peek().clone();
        self.next = (self.next + 1).min(self.lexemes.len() - 1);
        lexeme
    }

    fn wrong(&self, text: impl Into<String>) -> Mistake {
        Mistake::new(self.peek().span.clone(), text)
    }

    fn is_word(&self, wanted: &str) -> bool {
        matches!(&self.peek().token, Token::Word(word) if word == wanted)
    }

    fn is_symbol(&self, wanted: &str) -> bool {
        matches!(&self.peek().token, Token::Symbol(symbol) if *symbol == wanted)
    }

    fn accept_word(&mut self, wanted: &str) -> bool {
        let found = self.is_word(wanted);
        if found {
            self.take();
        }
        found
    }

    fn accept_symbol(&mut self, wanted: &str) -> bool {
        let found = self.is_symbol(wanted);
        if found {
            self.take();
        }
        found
    }

    fn expect(&mut self, symbol: &'static str, after: &str) -> Result<Lexeme, Mistake> {
        if self.is_symbol(symbol) {
            return Ok(self.take());
        }
        Err(self.wrong(format!("expected \"{symbol}\" {after}")))
    }

    fn operator<T: Copy>(&mut self, table: &[(&str, T)]) -> Option<T> {
        let found = table.iter().find(|(symbol, _)| self.is_symbol(symbol))?.1;
        self.take();
        Some(found)
    }

    /// Run `inner` one level deeper.
    fn nested<T>(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Result<T, Mistake>,
    ) -> Result<T, Mistake> {
        if self.depth == DEPTH {
            return Err(self.wrong(format!(
                "this nests deeper than {DEPTH} levels; split the property into several"
            )));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    fn implication(&mut self) -> Result<Tree, Mistake> {
        let left = self
            .chain("or", Shape::Or, |parser| parser.chain("and", Shape::And, Parser::negation))?;
        if !self.accept_word("implies") {
            return Ok(left);
        }
        let right = self.nested(Parser::implication)?;
        let span = left.span.start..right.span.end;
        Ok(Tree { span, shape: Shape::Implies(Box::new((left, right))) })
    }

    /// Parts joined by `word`; one part alone is itself.
    fn chain(
        &mut self,
        word: &str,
        shape: fn(Vec<Tree>) -> Shape,
        part: fn(&mut Self) -> Result<Tree, Mistake>,
    ) -> Result<Tree, Mistake> {
        let first = part(self)?;
        if !self.is_word(word) {
            return Ok(first);
        }
        let start = first.span.start;
        let mut parts = vec![first];
        while self.accept_word(word) {
            parts.push(part(self)?);
        }
        let end = parts.last().map_or(start, |last| last.span.end);
        Ok(Tree { span: start..end, shape: shape(parts) })
    }

    fn negation(&mut self) -> Result<Tree, Mistake> {
        let start = self.peek().span.start;
        if self.accept_word("not") {
            let inner = self.nested(Parser::negation)?;
            let span = start..inner.span.end;
            return Ok(Tree { span, shape: Shape::Not(Box::new(inner)) });
        }
        for (word, quantifier) in [("forall", Quantifier::Forall), ("exists", Quantifier::Exists)] {
            if self.accept_word(word) {
                return self.quantified(start, quantifier);
            }
        }
        self.comparison()
    }

    /// `x in DOMAIN: body`, behind the quantifier that starts at `start`.
    fn quantified(&mut self, start: usize, quantifier: Quantifier) -> Result<Tree, Mistake> {
        let Token::Word(name) = &self.peek().token else {
            return Err(self.wrong("expected a variable, as in \"forall n in nodes: …\""));
        };
        let name = name.clone();
        if WORDS.contains(&name.as_str()) {
            let text = format!("\"{name}\" is a word of the language; use another name");
            return Err(self.wrong(text));
        }
        self.take();
        if !self.accept_word("in") {
            return Err(self.wrong("expected \"in\" behind the variable"));
        }
        let found = DOMAINS.iter().find(|(word, _)| self.is_word(word));
        let Some((_, domain)) = found else {
            let words = DOMAINS.map(|(word, _)| word);
            let hint = match &self.peek().token {
                Token::Word(word) => spelling::nearest(word, words),
                _ => None,
            };
            let hint = hint.map_or(String::new(), |near| format!("; did you mean \"{near}\"?"));
            return Err(self.wrong(format!("expected nodes, replies or messages{hint}")));
        };
        self.take();
        self.expect(":", "and then what is said of each")?;
        let body = self.nested(Parser::implication)?;
        let span = start..body.span.end;
        Ok(Tree { span, shape: Shape::Quantified(quantifier, name, *domain, Box::new(body)) })
    }

    fn comparison(&mut self) -> Result<Tree, Mistake> {
        let left = self.sum()?;
        let Some(comparison) = self.operator(&COMPARISONS) else { return Ok(left) };
        let right = self.sum()?;
        let span = left.span.start..right.span.end;
        Ok(Tree { span, shape: Shape::Compare(Box::new((left, right)), comparison) })
    }

    fn sum(&mut self) -> Result<Tree, Mistake> {
        self.arithmetic(&SUMS, |parser| parser.arithmetic(&PRODUCTS, Parser::unary))
    }

    fn arithmetic(
        &mut self,
        operators: &[(&str, Operator)],
        part: fn(&mut Self) -> Result<Tree, Mistake>,
    ) -> Result<Tree, Mistake> {
        let first = part(self)?;
        let start = first.span.start;
        let mut end = first.span.end;
        let mut rest = Vec::new();
        while let Some(operator) = self.operator(operators) {
            let right = part(self)?;
            end = right.span.end;
            rest.push((operator, right));
        }
        if rest.is_empty() {
            return Ok(first);
        }
        Ok(Tree { span: start..end, shape: Shape::Arithmetic(Box::new(first), rest) })
    }

    fn unary(&mut self) -> Result<Tree, Mistake> {
        let start = self.peek().span.start;
        if !self.accept_symbol("-") {
            return self.member();
        }
        let inner = self.nested(Parser::unary)?;
        let span = start..inner.span.end;
        Ok(Tree { span, shape: Shape::Negate(Box::new(inner)) })
    }

    fn member(&mut self) -> Result<Tree, Mistake> {
        let owner = self.primary()?;
        if !self.accept_symbol(".") {
            return Ok(owner);
        }
        let Token::Word(name) = &self.peek().token else {
            return Err(self.wrong("expected a name behind \".\""));
        };
        let name = name.clone();
        let place = self.take().span;
        if self.is_symbol(".") {
            return Err(self.wrong(format!(
                "what \"{name}\" names has no fields; for a node by its number write node(…)"
            )));
        }
        let span = owner.span.start..place.end;
        Ok(Tree { span, shape: Shape::Member(Box::new(owner), name, place) })
    }

    fn primary(&mut self) -> Result<Tree, Mistake> {
        let mistake = match self.peek().token {
            Token::End => Some("the expression ends here; something is missing"),
            Token::Symbol(symbol) if symbol != "(" => Some("expected a value here"),
            _ => None,
        };
        if let Some(text) = mistake {
            return Err(self.wrong(text));
        }
        let Lexeme { token, span } = self.take();
        match token {
            Token::Integer(value) => Ok(Tree { span, shape: Shape::Integer(value) }),
            Token::Bytes(bytes) => Ok(Tree { span, shape: Shape::Bytes(bytes) }),
            Token::Word(word) => self.word(word, span),
            Token::Symbol(_) | Token::End => {
                let inner = self.nested(Parser::implication)?;
                let close = self.expect(")", "to close the parenthesis")?;
                Ok(Tree { span: span.start..close.span.end, shape: inner.shape })
            }
        }
    }

    /// What starts with `word`, which stands at `span`.
    fn word(&mut self, word: String, span: Range<usize>) -> Result<Tree, Mistake> {
        match word.as_str() {
            "true" | "false" => {
                return Ok(Tree { span, shape: Shape::Boolean(word == "true") });
            }
            "forall" | "exists" | "not" => {
                let text = format!("\"{word}\" needs parentheses around it here");
                return Err(Mistake::new(span, text));
            }
            "and" | "or" | "implies" | "in" => {
                return Err(Mistake::new(span, format!("a value is missing before \"{word}\"")));
            }
            "if" => {
                return Err(Mistake::new(span, "there is no \"if\"; write \"a implies b\""));
            }
            _ => (),
        }
        if !self.accept_symbol("(") {
            return Ok(Tree { span, shape: Shape::Name(word) });
        }
        if word == "count" {
            let mut tree = self.quantified(span.start, Quantifier::Count)?;
            tree.span.end = self.expect(")", "to close the count")?.span.end;
            return Ok(tree);
        }
        let mut arguments = Vec::new();
        while !self.is_symbol(")") {
            arguments.push(self.nested(Parser::implication)?);
            if !self.accept_symbol(",") {
                break;
            }
        }
        let close = self.expect(")", &format!("to close the arguments of {word}"))?;
        let whole = span.start..close.span.end;
        Ok(Tree { span: whole, shape: Shape::Call(word, span, arguments) })
    }
}
