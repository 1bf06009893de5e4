//! How some content differs from other content of the same length: the runs of bytes that are not the
//! same. What a step changes of a page is a few words, so that most pages are kept as that.

use std::ops::Range;

use smallvec::SmallVec;

/// Contents are compared by words, which is what programs change.
const WORD: usize = 8;
/// Where a piece of this size is the same, its words are not looked at.
const LINE: usize = 64;
/// What stands before the bytes of a run: where they go, and how many they are, 16 bits each.
const HEAD: usize = 4;
/// So many bytes between two runs are kept with them: few long runs are put together sooner.
const GAP: usize = 16;
/// Where runs cannot go any more.
const LARGEST: usize = u16::MAX as usize;

/// Runs of bytes, by ascending place, each behind its [`HEAD`].
#[derive(Debug, PartialEq, Eq)]
pub struct Difference(Box<[u8]>);

impl Difference {
    /// What makes `base` into `bytes`; `None` if that takes more than `most` bytes, or the two cannot
    /// be compared.
    pub fn between(base: &[u8], bytes: &[u8], most: usize) -> Option<Self> {
        if base.len() != bytes.len() || bytes.len() > LARGEST {
            return None;
        }
        let mut runs: SmallVec<[Range<usize>; 16]> = SmallVec::new();
        let mut size = 0;
        for line in pieces(0..bytes.len(), LINE) {
            if base[line.clone()] == bytes[line.clone()] {
                continue;
            }
            for word in pieces(line, WORD).filter(|word| base[word.clone()] != bytes[word.clone()])
            {
                match runs.last_mut() {
                    Some(last) if word.start <= last.end + GAP => {
                        size += word.end - last.end;
                        last.end = word.end;
                    }
                    _ => {
                        size += HEAD + word.len();
                        runs.push(word);
                    }
                }
                if size > most {
                    return None;
                }
            }
        }
        let mut kept = Vec::with_capacity(size);
        for run in runs {
            kept.extend((run.start as u16).to_le_bytes());
            kept.extend((run.len() as u16).to_le_bytes());
            kept.extend(&bytes[run]);
        }
        Some(Difference(kept.into_boxed_slice()))
    }

    /// Bytes that it takes.
    pub fn size(&self) -> usize {
        self.0.len()
    }

    /// The runs, and where they go.
    fn runs(&self) -> impl Iterator<Item = (usize, &[u8])> {
        let mut rest = &self.0[..];
        std::iter::from_fn(move || {
            let (head, behind) = rest.split_first_chunk::<HEAD>()?;
            let [at, length] = [[head[0], head[1]], [head[2], head[3]]].map(u16::from_le_bytes);
            let (run, behind) = behind.split_at(length.into());
            rest = behind;
            Some((at.into(), run))
        })
    }

    /// Where it differs, from the first to the last place.
    pub fn span(&self) -> Range<usize> {
        let first = self.runs().next().map_or(0, |(at, _)| at);
        first..self.runs().last().map_or(first, |(at, run)| at + run.len())
    }

    /// Make `bytes`, which are `range` of what it differs from, into that of what it was made of.
    pub fn put(&self, range: &Range<usize>, bytes: &mut [u8]) {
        for (at, run) in self.runs() {
            let (from, to) = (at.max(range.start), (at + run.len()).min(range.end));
            if from < to {
                bytes[from - range.start..to - range.start]
                    .copy_from_slice(&run[from - at..to - at]);
            }
        }
    }

    /// Whether it makes what it differs from into `bytes`, as far as `range` goes; `same` says of a part
    /// of it whether they are the same there.
    pub fn makes(
        &self,
        bytes: &[u8],
        range: Range<usize>,
        same: impl Fn(Range<usize>) -> bool,
    ) -> bool {
        let mut at = range.start;
        for (start, run) in self.runs() {
            if start >= range.end {
                break;
            }
            let (from, to) = (start.max(at), (start + run.len()).min(range.end));
            if from >= to {
                continue;
            }
            if run[from - start..to - start] != bytes[from..to] || !same(at..from) {
                return false;
            }
            at = to;
        }
        same(at..range.end)
    }
}

/// `range` in pieces of `size`, of which the last may be shorter.
fn pieces(range: Range<usize>, size: usize) -> impl Iterator<Item = Range<usize>> {
    let end = range.end;
    range.step_by(size).map(move |start| start..(start + size).min(end))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Two contents of one length, of which the second is mostly the first.
    fn pairs() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
        let length = prop_oneof![Just(4096usize), 0..300usize];
        let base = length.prop_flat_map(|length| {
            prop_oneof![Just(vec![0; length]), prop::collection::vec(any::<u8>(), length)]
        });
        let change = (any::<prop::sample::Index>(), 1..90usize, any::<u8>());
        (base, prop::collection::vec(change, 0..12)).prop_map(|(base, changes)| {
            let mut bytes = base.clone();
            for (at, length, fill) in changes.into_iter().filter(|_| !base.is_empty()) {
                let at = at.index(bytes.len());
                let end = (at + length).min(bytes.len());
                bytes[at..end].fill(fill);
            }
            (base, bytes)
        })
    }

    fn round(base: &[u8], bytes: &[u8]) {
        let difference = Difference::between(base, bytes, usize::MAX).expect("nothing is too much");
        let mut made = base.to_vec();
        difference.put(&(0..bytes.len()), &mut made);
        assert_eq!(made, bytes);
        let span = difference.span();
        made.copy_from_slice(base);
        made[span.clone()].copy_from_slice(&bytes[span]);
        assert_eq!(made, bytes);
        assert!(makes(&difference, base, bytes, 0..bytes.len()));
    }

    fn makes(difference: &Difference, base: &[u8], bytes: &[u8], range: Range<usize>) -> bool {
        difference.makes(bytes, range, |range| base[range.clone()] == bytes[range])
    }

    proptest! {
        #[test]
        fn any_two_contents_of_one_length_go_round((base, bytes) in pairs()) {
            round(&base, &bytes);
            round(&bytes, &base);
        }

        #[test]
        fn what_has_nothing_in_common_goes_round(
            base in prop::collection::vec(any::<u8>(), 4096),
            bytes in prop::collection::vec(any::<u8>(), 4096),
        ) {
            round(&base, &bytes);
        }

        #[test]
        fn another_content_is_told_apart_where_it_is_another(
            (base, bytes) in pairs(),
            at in any::<prop::sample::Index>(),
            bit in 0..8u8,
            ends in any::<[prop::sample::Index; 2]>(),
        ) {
            prop_assume!(!bytes.is_empty());
            let difference = Difference::between(&base, &bytes, usize::MAX).expect("as above");
            let at = at.index(bytes.len());
            let mut other = bytes.clone();
            other[at] ^= 1 << bit;
            prop_assert!(!makes(&difference, &base, &other, 0..bytes.len()));
            let [one, two] = ends.map(|end| end.index(bytes.len() + 1));
            let range = one.min(two)..one.max(two);
            let within = range.contains(&at);
            let mut part = base[range.clone()].to_vec();
            difference.put(&range, &mut part);
            prop_assert_eq!(&part[..], &bytes[range.clone()]);
            prop_assert_eq!(makes(&difference, &base, &other, range), !within);
        }

        #[test]
        fn there_is_none_that_is_larger_than_it_may_be((base, bytes) in pairs(), most in 0..200usize) {
            let whole = Difference::between(&base, &bytes, usize::MAX).expect("as above");
            let bounded = Difference::between(&base, &bytes, most);
            prop_assert_eq!(bounded.is_some(), whole.size() <= most);
        }
    }

    #[test]
    fn a_word_that_changed_takes_little() {
        let base = [7; 4096];
        let mut bytes = base;
        bytes[4095] = 8;
        let size = |bytes: &[u8]| Difference::between(&base, bytes, usize::MAX).map(|d| d.size());
        assert_eq!(size(&base), Some(0));
        assert_eq!(size(&bytes), Some(HEAD + WORD));
        // With two words between them it is one run.
        bytes[4071] = 8;
        assert_eq!(size(&bytes), Some(HEAD + 4 * WORD));
        bytes[4039] = 8;
        assert_eq!(size(&bytes), Some(2 * HEAD + 5 * WORD));
    }

    #[test]
    fn what_cannot_be_compared_has_no_difference() {
        assert_eq!(Difference::between(&[1], &[1, 2], usize::MAX), None);
        let large = vec![0; LARGEST + 1];
        assert_eq!(Difference::between(&large, &large, usize::MAX), None);
    }
}
