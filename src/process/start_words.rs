//! Words of a program's memory that differ from one start to the next although nothing that the
//! program did differs: the loader keeps the time that relocation took, by the processor's cycle
//! counter. They are found by comparing several starts, never guessed, and made constant at every
//! start. A difference outside the loader's own data is an error: the start of that program cannot
//! be repeated.

use super::memory::Memory;
use super::request::place;
use crate::error::Error;

/// Starts that are compared. A word that differs is missed when all of them agree by chance; whole
/// replay then finds the difference later.
pub const STARTS: usize = 3;

/// A writable mapping: where it starts, whose it is, and its bytes.
type Image = (u64, String, Vec<u8>);

/// The writable memory of a program that has just been loaded.
pub fn image(memory: Memory) -> Option<Vec<Image>> {
    let mappings = memory.mappings()?;
    let writable = mappings.into_iter().filter(|mapping| mapping.writable);
    writable
        .map(|mapping| {
            let length = match mapping.start == super::contract::ARENA_BASE {
                true => memory.word(mapping.start + super::contract::ARENA_USED)?,
                false => mapping.end - mapping.start,
            };
            let bytes = memory.bytes(mapping.start, length as usize)?;
            Some((mapping.start, mapping.name, bytes))
        })
        .collect()
}

/// The addresses of the words in which `images` differ.
pub fn differing(program: &str, memory: Memory, images: &[Vec<Image>]) -> Result<Vec<u64>, Error> {
    let unlike = |what: String| {
        Error::Divergence(format!(
            "program \"{program}\": two starts of it differ {what}, before its own code has run; it \
             cannot be checked unless its start can be repeated"
        ))
    };
    let [first, others @ ..] = images else { return Ok(Vec::new()) };
    let mut words = Vec::new();
    for other in others {
        let shape = |image: &[Image]| -> Vec<(u64, usize)> {
            image.iter().map(|(start, _, bytes)| (*start, bytes.len())).collect()
        };
        if shape(first) != shape(other) {
            return Err(unlike("in where its memory is mapped".into()));
        }
        for ((start, name, a), (_, _, b)) in first.iter().zip(other) {
            let pairs = a.chunks(8).zip(b.chunks(8)).zip((*start..).step_by(8));
            for (_, address) in pairs.filter(|((a, b), _)| a != b) {
                let file = name.rsplit('/').next().unwrap_or_default();
                if !file.starts_with("ld-linux") {
                    return Err(unlike(place(memory, address)));
                }
                words.push(address);
            }
        }
    }
    words.sort_unstable();
    words.dedup();
    Ok(words)
}
