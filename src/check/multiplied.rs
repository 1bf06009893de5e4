//! What multiplies the local states of nodes, as a table and as JSON.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::process::why::{Multiplied, Word};

/// Rows that are shown of one node.
const SHOWN: usize = 12;

/// The tables of all nodes.
pub fn text(all: &[Multiplied], out: &mut String) {
    for Multiplied { node, states, looked_at, words, more } in all {
        let _ = write!(out, "what multiplies the {states} local states of node {node}");
        let _ = match looked_at == states {
            true => writeln!(out, ":"),
            false => writeln!(out, ", by {looked_at} of them, for which there was room:"),
        };
        if words.is_empty() {
            let _ = writeln!(out, "  nothing: no word has two values");
            continue;
        }
        let _ = writeln!(out, "  {:>6}  {:>10}  {:>6}  word", "saved", "with above", "values");
        for Word { name, values, saved, together } in &words[..words.len().min(SHOWN)] {
            let (together, name) = match together {
                Some(together) => (together.to_string(), format!("\"{name}\"")),
                None => ("-".into(), name.clone()),
            };
            let _ = writeln!(out, "  {saved:>6}  {together:>10}  {values:>6}  {name}");
        }
        let rest = words.len().saturating_sub(SHOWN) as u64 + more;
        if rest > 0 {
            let _ = writeln!(out, "  … and {rest} more words that save no more");
        }
    }
    if all.iter().any(|node| node.words.iter().any(|word| word.together.is_some())) {
        out.push_str(
            "  saved: local states fewer if the word were left out; with above: if those in quotes above \
             it were too\n  what is in quotes can be left out: ignore = [\"…\"] in its [[node]]\n",
        );
    }
}

/// The same as an object; it has all the words that are known.
pub fn object(all: &[Multiplied]) -> Value {
    let nodes = all.iter().map(|Multiplied { node, states, looked_at, words, more }| {
        let words = words.iter().map(|Word { name, values, saved, together }| {
            json!({
                "name": name,
                "values": values,
                "saved": saved,
                "together": together,
                "ignore": together.map(|_| name),
            })
        });
        json!({
            "node": node,
            "states": states,
            "looked_at": looked_at,
            "words": words.collect::<Vec<_>>(),
            "more": more,
        })
    });
    json!({ "nodes": nodes.collect::<Vec<_>>() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(name: &str, values: u64, saved: u64, together: Option<u64>) -> Word {
        Word { name: name.into(), values, saved, together }
    }

    #[test]
    fn what_can_be_left_out_is_in_quotes() {
        let words = vec![word("main:buf", 6, 49, Some(49)), word("stack of read", 2, 0, None)];
        let node = Multiplied { node: 1, states: 82, looked_at: 82, words, more: 0 };
        let mut out = String::new();
        text(std::slice::from_ref(&node), &mut out);
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(lines[0], "what multiplies the 82 local states of node 1:");
        assert_eq!(lines[2], "      49          49       6  \"main:buf\"");
        assert_eq!(lines[3], "       0           -       2  stack of read");
        let object = object(&[node]);
        let words = &object["nodes"][0]["words"];
        assert_eq!((&words[0]["ignore"], &words[1]["ignore"]), (&json!("main:buf"), &Value::Null));
    }

    #[test]
    fn a_table_says_what_it_does_not_show() {
        let words = (0..SHOWN + 3).map(|number| word(&format!("w{number}"), 2, 1, None)).collect();
        let node = Multiplied { node: 0, states: 9, looked_at: 4, words, more: 2 };
        let none = Multiplied { node: 1, states: 1, looked_at: 1, words: vec![], more: 0 };
        let mut out = String::new();
        text(&[node, none], &mut out);
        assert!(out.contains("node 0, by 4 of them, for which there was room:"), "{out}");
        assert!(out.contains("… and 5 more words"), "{out}");
        assert!(out.ends_with("node 1:\n  nothing: no word has two values\n"), "{out}");
    }
}
