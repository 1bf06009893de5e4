//! "Did you mean": the name that is nearest to one that is not there.

use std::fmt::Write;

/// Names that are further away are no slip of the finger.
fn near_enough(name: &str) -> usize {
    1 + name.chars().count() / 4
}

/// What a message adds about `word`, which none of `names` is.
pub(super) fn advice(word: &str, names: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    // Distances cost the product of the lengths, and nothing this long is a slip of the finger.
    const LONGEST: usize = 64;
    if word.len() > LONGEST {
        return String::new();
    }
    let mut best: Option<(usize, String)> = None;
    for name in names {
        let name = name.as_ref();
        let distance = distance(word, name, near_enough(word));
        let near = distance <= near_enough(word) && distance < word.chars().count();
        if near && best.as_ref().is_none_or(|(least, _)| distance < *least) {
            best = Some((distance, name.to_owned()));
        }
    }
    let mut advice = String::new();
    if let Some((_, name)) = best {
        let _ = write!(advice, "; did you mean \"{name}\"?");
    }
    advice
}

/// Insertions, deletions, replacements and swaps of neighbours between `a` and `b`, upper and lower
/// case alike; any number above `limit` stands for all of them.
fn distance(a: &str, b: &str, limit: usize) -> usize {
    let letters = |text: &str| text.chars().flat_map(char::to_lowercase).collect::<Vec<_>>();
    let (a, b) = (letters(a), letters(b));
    if a.len().abs_diff(b.len()) > limit {
        return usize::MAX;
    }
    let mut before: Vec<usize> = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_name_and_a_stranger_none() {
        let names = ["buffer", "buffers", "table", "x"];
        assert_eq!(advice("bufer", names), "; did you mean \"buffer\"?");
        assert_eq!(advice("Tabel", names), "; did you mean \"table\"?");
        assert_eq!(advice("y", names), "");
        assert_eq!(advice("colour", names), "");
    }
}
