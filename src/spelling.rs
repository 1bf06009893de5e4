//! "Did you mean": the nearest of the words that would have been right.

/// The candidate that `word` most likely stands for, if one is near enough.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Distances cost the product of the lengths, and nothing this long is a slip of the finger.
    if word.len() > 64 {
        return None;
    }
    let word: Vec<char> = word.chars().flat_map(char::to_lowercase).collect();
    candidates
        .into_iter()
        .filter(|candidate| candidate.len().abs_diff(word.len()) <= 1 + candidate.len() / 4)
        .map(|candidate| (distance(&word, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= 1 + candidate.len() / 4)
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, candidate)| *distance < candidate.chars().count())
        .map(|(_, candidate)| candidate)
}

/// What an error adds about `word` where there are too many candidates to list: the nearest, or nothing.
pub fn hint(word: &str, candidates: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let candidates: Vec<_> = candidates.into_iter().collect();
    let near = nearest(word, candidates.iter().map(AsRef::as_ref));
    near.map_or_else(String::new, |near| format!("; did you mean \"{near}\"?"))
}

/// What an error adds about `word`: the nearest candidate, or else all of them as `what`.
pub fn advice(word: &str, what: &str, candidates: &[&str]) -> String {
    match (nearest(word, candidates.iter().copied()), candidates) {
        (Some(near), _) => format!("did you mean \"{near}\"?"),
        (None, [only]) => format!("{what} is {only}"),
        (None, _) => format!("{what} are {}", candidates.join(", ")),
    }
}

/// Insertions, deletions, replacements and swaps of neighbours between `a` and `b`.
fn distance(a: &[char], b: &str) -> usize {
    let b: Vec<char> = b.chars().flat_map(char::to_lowercase).collect();
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
    fn a_slip_finds_its_word_and_a_stranger_none() {
        let words = ["timeouts", "crashes", "restarts", "drops", "crash"];
        for (slip, word) in [("timeuots", "timeouts"), ("crashs", "crashes"), ("Drops", "drops")] {
            assert_eq!(nearest(slip, words), Some(word));
        }
        assert_eq!(hint("tabel", ["table".to_owned()]), "; did you mean \"table\"?");
        assert_eq!(hint("colour", words), "");
        assert_eq!(nearest("colour", words), None);
        assert_eq!(nearest("", ["a"]), None);
        assert_eq!(nearest(&"x".repeat(100), words), None);
    }
}
