//! Words of a program's memory that differ between two runs. At the start of a program they are of
//! the loader, which keeps the time that relocation took by the processor's cycle counter: they are
//! found by comparing several starts, never guessed, and made constant at every start. A difference
//! outside the loader's own data is an error: the start of that program cannot be repeated.

use super::contract;
use super::memory::Memory;
use super::request::place;
use crate::error::Error;

/// Starts that are compared. A word that differs is missed when all of them agree by chance; whole
/// replay then finds the difference later.
pub const STARTS: usize = 3;

/// The writable memory of a process: by mapping, where it starts, whose it is, and its bytes.
pub type Image = Vec<(u64, String, Vec<u8>)>;

/// A word that two images hold differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where it is.
    pub address: u64,
    /// What the first image holds.
    pub first: u64,
    /// What the second image holds.
    pub second: u64,
}

/// The writable memory behind `memory`, of the stack what is above `stack` if that is known.
pub fn image(memory: Memory, stack: Option<u64>) -> Option<Image> {
    let mappings = memory.mappings()?;
    let writable = mappings.into_iter().filter(|mapping| mapping.writable && !mapping.is_log());
    writable
        .map(|mapping| {
            let range = mapping.start..mapping.end;
            let start = stack.filter(|stack| range.contains(stack)).unwrap_or(mapping.start);
            let end = match mapping.start == contract::ARENA_BASE {
                true => start + memory.word(start + contract::ARENA_USED)?,
                false => mapping.end,
            };
            let bytes = memory.bytes(start, (end - start) as usize)?;
            Some((start, mapping.name, bytes))
        })
        .collect()
}

/// The words in which two images differ; a mapping that one lacks counts by its first word.
pub fn compare(first: &Image, second: &Image) -> Vec<Difference> {
    let mut differences = Vec::new();
    for (start, _, a) in first {
        let Some((_, _, b)) = second.iter().find(|(other, ..)| other == start) else {
            differences.push(Difference { address: *start, first: 1, second: 0 });
            continue;
        };
        let words = a.chunks(8).zip(b.chunks(8)).zip((*start..).step_by(8));
        for ((a, b), address) in words.filter(|((a, b), _)| a != b) {
            differences.push(Difference { address, first: word(a), second: word(b) });
        }
        if a.len() != b.len() {
            let address = start + a.len().min(b.len()) as u64;
            differences.push(Difference { address, first: a.len() as u64, second: b.len() as u64 });
        }
    }
    differences
}

fn word(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(word)
}

/// The addresses of the words in which several starts of `program` differ.
pub fn differing(program: &str, memory: Memory, images: &[Image]) -> Result<Vec<u64>, Error> {
    let [first, others @ ..] = images else { return Ok(Vec::new()) };
    let mut words = Vec::new();
    for difference in others.iter().flat_map(|other| compare(first, other)) {
        let owner = first.iter().rfind(|(start, ..)| *start <= difference.address);
        let file = owner.and_then(|(_, name, _)| name.rsplit('/').next()).unwrap_or_default();
        if !file.starts_with("ld-linux") {
            return Err(Error::Divergence(format!(
                "program \"{program}\": two starts of it differ {}, before its own code has run; it \
                 cannot be checked unless its start can be repeated",
                place(memory, difference.address)
            )));
        }
        words.push(difference.address);
    }
    words.sort_unstable();
    words.dedup();
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_that_differ_are_named() {
        let image = |bytes: &[u8]| vec![(0x1000, "ld-linux".to_owned(), bytes.to_vec())];
        let (a, b) = (image(&[0; 20]), image(&[&[0; 8][..], &[1; 8], &[0; 4]].concat()));
        let expected = [Difference { address: 0x1008, first: 0, second: 0x0101_0101_0101_0101 }];
        assert_eq!(compare(&a, &b), expected);
        assert_eq!(compare(&a, &image(&[0; 12]))[0].address, 0x1008);
        assert!(compare(&a, &a).is_empty());
    }
}
