//! Rust source without its comments and literals, so that gates look at code only.

/// `source` with comments, strings and character literals replaced by blanks; lines stay.
pub fn code(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while !rest.is_empty() {
        let skipped = literal(rest, out.chars().last());
        if skipped == 0 {
            let next = rest.chars().next().expect("not empty");
            out.push(next);
            rest = &rest[next.len_utf8()..];
        } else {
            out.extend(rest[..skipped].chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
            rest = &rest[skipped..];
        }
    }
    out
}

/// How many bytes at the start of `rest` are a comment or a literal.
fn literal(rest: &str, before: Option<char>) -> usize {
    if rest.starts_with("//") {
        return rest.find('\n').unwrap_or(rest.len());
    }
    if rest.starts_with("/*") {
        return block_comment(rest);
    }
    if let Some(tail) = rest.strip_prefix('"') {
        return 1 + quoted(tail, '"');
    }
    if rest.starts_with('r') && !before.is_some_and(|c| c.is_alphanumeric() && c != 'b') {
        let hashes = rest[1..].bytes().take_while(|&b| b == b'#').count();
        if rest[1 + hashes..].starts_with('"') {
            let end = format!("\"{}", "#".repeat(hashes));
            let body = 2 + hashes;
            return rest[body..].find(&end).map_or(rest.len(), |at| body + at + end.len());
        }
    }
    if let Some(tail) = rest.strip_prefix('\'') {
        // A lifetime has no second quote behind one character.
        let mut chars = tail.chars();
        let closes = match chars.next() {
            Some('\\') => true,
            Some(_) => chars.next() == Some('\''),
            None => false,
        };
        return if closes { 1 + quoted(tail, '\'') } else { 0 };
    }
    0
}

/// How many bytes up to and with the closing `quote`.
fn quoted(tail: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in tail.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    tail.len()
}

fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        if rest[at..].starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest[at..].starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += rest[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    rest.len()
}

/// Whether `word` stands in `code` by itself.
pub fn has_word(code: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word).any(|(at, _)| {
        !code[..at].chars().next_back().is_some_and(part)
            && !code[at + word.len()..].chars().next().is_some_and(part)
    })
}

#[test]
fn comments_and_literals_are_no_code() {
    let source = "a /* b /* c */ d */ \"e \\\" f\" r#\"g \" h\"# 'i' '\\'' <'j> // k\nl b\"m\"";
    let words: Vec<String> = code(source).split_whitespace().map(str::to_owned).collect();
    assert_eq!(words, ["a", "<'j>", "l", "b"]);
    assert!(has_word("x unsafe {", "unsafe"));
    assert!(!has_word("deny(unsafe_code)", "unsafe"));
}
