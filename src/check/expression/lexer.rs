//! The text of an expression in tokens.

use std::ops::Range;

use super::Mistake;
use crate::check::field::literal;

/// A token of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// A number.
    Integer(i128),
    /// A byte string.
    Bytes(Vec<u8>),
    /// A name or a word of the language.
    Word(String),
    /// An operator or a bracket.
    Symbol(&'static str),
    /// The end of the text.
    End,
}

/// A token and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lexeme {
    /// The token.
    pub token: Token,
    /// Its byte range in the text.
    pub span: Range<usize>,
}

/// Longer symbols stand before those that they start with.
const SYMBOLS: [&str; 17] =
    ["==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "(", ")", ":", ",", ".", "="];

/// What other languages write, and what this one does.
const ELSEWHERE: [(&str, &str); 6] =
    [("&&", "and"), ("||", "or"), ("=>", "implies"), ("->", "implies"), ("<>", "!="), ("!", "not")];

/// Split `text` into tokens; the last one is [`Token::End`].
pub fn lex(text: &str) -> Result<Vec<Lexeme>, Mistake> {
    let mut lexemes = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let (token, length) = if first.is_ascii_digit() {
            integer(at, rest)?
        } else if first.is_ascii_alphabetic() || first == '_' {
            let word = word(rest);
            (Token::Word(word.to_owned()), word.len())
        } else if first == '"' || first == '\'' {
            string(at, rest, first)?
        } else {
            symbol(at, rest, first)?
        };
        lexemes.push(Lexeme { token, span: at..at + length });
        at += length;
    }
    lexemes.push(Lexeme { token: Token::End, span: text.len()..text.len() });
    Ok(lexemes)
}

fn word(rest: &str) -> &str {
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    &rest[..end.unwrap_or(rest.len())]
}

fn integer(at: usize, rest: &str) -> Result<(Token, usize), Mistake> {
    let word = word(rest);
    let (digits, radix) = match word.strip_prefix("0x") {
        Some(digits) => (digits, 16),
        None => (word, 10),
    };
    let span = at..at + word.len();
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        let text = format!("{word:?} is no integer; write decimal digits, or 0x and hex digits");
        return Err(Mistake::new(span, text));
    }
    match u64::from_str_radix(digits, radix) {
        Ok(value) => Ok((Token::Integer(value.into()), word.len())),
        Err(_) => {
            Err(Mistake::new(span, format!("this integer is too large; at most {}", u64::MAX)))
        }
    }
}

fn string(at: usize, rest: &str, quote: char) -> Result<(Token, usize), Mistake> {
    let Some(length) = rest[1..].find(quote) else {
        return Err(Mistake::new(
            at..at + 1,
            format!("this string has no closing {quote}; add it"),
        ));
    };
    let inside = &rest[1..=length];
    if let Some(escape) = inside.find('\\') {
        let place = at + 1 + escape;
        let text = "a byte string has no escapes; write its bytes as \"x:0a0b\"";
        return Err(Mistake::new(place..place + 1, text));
    }
    let span = at..at + length + 2;
    let bytes = literal(inside).map_err(|text| Mistake::new(span, text))?;
    Ok((Token::Bytes(bytes), length + 2))
}

fn symbol(at: usize, rest: &str, first: char) -> Result<(Token, usize), Mistake> {
    let matched = |symbol: &str| rest.starts_with(symbol);
    let symbol = SYMBOLS.into_iter().find(|symbol| matched(symbol));
    if let Some((wrong, right)) = ELSEWHERE.into_iter().find(|(wrong, _)| matched(wrong))
        && symbol.is_none_or(|symbol| symbol.len() < wrong.len())
    {
        let text = format!("\"{wrong}\" is no operator here; write \"{right}\"");
        return Err(Mistake::new(at..at + wrong.len(), text));
    }
    match symbol {
        Some("=") => Err(Mistake::new(at..at + 1, "\"=\" does not compare; write \"==\"")),
        Some(symbol) => Ok((Token::Symbol(symbol), symbol.len())),
        None => {
            let text = format!("{first:?} means nothing in an expression; remove it");
            Err(Mistake::new(at..at + first.len_utf8(), text))
        }
    }
}
