//! Some content that saved memories hold, mostly of a page: as it is, or as what makes it differ from
//! zeros or from another block. That one is never a difference from a third, so that putting content
//! together takes two looks at most, and it is kept as long as somebody needs it.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::difference::Difference;
use super::memory::PAGE;

/// A page of zeros.
pub static ZEROS: [u8; PAGE as usize] = [0; PAGE as usize];
/// What it is known by.
pub const ZERO: u128 = xxhash_rust::const_xxh3::xxh3_128(&[0; PAGE as usize]);

/// A difference that takes more than this part of the content is not worth it: what is plain is
/// compared faster, and others can differ from it.
const MUCH: usize = 8;
/// A difference that is not larger is good enough: no smaller one is looked for.
const SMALL: usize = 128;

/// Some content.
#[derive(Debug)]
pub struct Block {
    digest: u128,
    length: usize,
    form: Form,
}

#[derive(Debug)]
enum Form {
    /// As it is.
    Plain(Box<[u8]>),
    /// How it differs from zeros.
    Sparse(Difference),
    /// How it differs from a block that is not of this form.
    Changed(Arc<Block>, Difference),
}

impl Block {
    /// The content `bytes`, whose digest is `digest`, in the form that takes least: it may be like one
    /// of `near`.
    pub fn new(digest: u128, bytes: &[u8], near: &[Option<&Arc<Block>>]) -> Self {
        let mut form = None;
        let mut most = bytes.len() / MUCH;
        let mut room = ZEROS;
        for root in near.iter().flatten().map(|block| block.root()) {
            if most <= SMALL {
                break;
            }
            let base = root.look(&mut room);
            if let Some(found) = Difference::between(base, bytes, most) {
                most = found.size();
                form = Some(Form::Changed(Arc::clone(root), found));
            }
        }
        if most > SMALL
            && let Some(zeros) = ZEROS.get(..bytes.len())
            && let Some(found) = Difference::between(zeros, bytes, most)
        {
            form = Some(Form::Sparse(found));
        }
        let form = form.unwrap_or_else(|| Form::Plain(bytes.into()));
        Block { digest, length: bytes.len(), form }
    }

    /// What it is known by.
    pub fn digest(&self) -> u128 {
        self.digest
    }

    /// What other blocks may differ from.
    fn root(self: &Arc<Self>) -> &Arc<Block> {
        match &self.form {
            Form::Changed(base, _) => base,
            Form::Plain(_) | Form::Sparse(_) => self,
        }
    }

    /// The content.
    pub fn bytes(&self) -> Cow<'_, [u8]> {
        match self.plain() {
            Some(bytes) => Cow::Borrowed(bytes),
            None => {
                let mut bytes = vec![0; self.length];
                self.put(&(0..self.length), &mut bytes);
                Cow::Owned(bytes)
            }
        }
    }

    /// The content, if it is kept as it is.
    pub fn plain(&self) -> Option<&[u8]> {
        match &self.form {
            Form::Plain(bytes) => Some(bytes),
            Form::Sparse(_) | Form::Changed(..) => None,
        }
    }

    /// The content, put together in `room` if need be.
    fn look<'a>(&'a self, room: &'a mut [u8; PAGE as usize]) -> &'a [u8] {
        match self.plain() {
            Some(bytes) => bytes,
            None => {
                // What is no longer than a page alone is not plain.
                let bytes = &mut room[..self.length];
                self.put(&(0..self.length), bytes);
                bytes
            }
        }
    }

    /// Make `bytes` what stands in `range` of the content.
    pub fn put(&self, range: &Range<usize>, bytes: &mut [u8]) {
        match &self.form {
            Form::Plain(kept) => bytes.copy_from_slice(&kept[range.clone()]),
            Form::Sparse(difference) => {
                bytes.fill(0);
                difference.put(range, bytes);
            }
            Form::Changed(base, difference) => {
                base.put(range, bytes);
                difference.put(range, bytes);
            }
        }
    }

    /// Whether the content is `bytes`.
    pub fn is(&self, bytes: &[u8]) -> bool {
        self.length == bytes.len() && self.is_in(bytes, 0..bytes.len())
    }

    /// Whether it is in `range`, where both have it.
    fn is_in(&self, bytes: &[u8], range: Range<usize>) -> bool {
        match &self.form {
            Form::Plain(kept) => kept[range.clone()] == bytes[range],
            Form::Sparse(difference) => {
                difference.makes(bytes, range, |part| ZEROS[part.clone()] == bytes[part])
            }
            Form::Changed(base, difference) => {
                difference.makes(bytes, range, |part| base.is_in(bytes, part))
            }
        }
    }

    /// Bytes that it takes itself, its place apart.
    pub fn size(&self) -> usize {
        match &self.form {
            Form::Plain(bytes) => bytes.len(),
            Form::Sparse(difference) | Form::Changed(_, difference) => difference.size(),
        }
    }

    /// The block that it differed from, which nobody else may need any more.
    pub fn into_base(self) -> Option<Arc<Block>> {
        match self.form {
            Form::Changed(base, _) => Some(base),
            Form::Plain(_) | Form::Sparse(_) => None,
        }
    }
}

/// Where the page `new` may differ from the page `old`; none of them is zeros.
pub fn span(new: Option<&Arc<Block>>, old: Option<&Arc<Block>>) -> Range<usize> {
    let from_root = |block: &Block| match &block.form {
        Form::Changed(_, difference) => difference.span(),
        Form::Plain(_) | Form::Sparse(_) => 0..0,
    };
    let from_zeros = |block: Option<&Arc<Block>>| match block.map(|block| &block.form) {
        None => Some(0..0),
        Some(Form::Sparse(difference)) => Some(difference.span()),
        Some(Form::Plain(_) | Form::Changed(..)) => None,
    };
    match (new, old) {
        (Some(new), Some(old)) if Arc::ptr_eq(new.root(), old.root()) => {
            around(from_root(new), from_root(old))
        }
        _ => match (from_zeros(new), from_zeros(old)) {
            (Some(new), Some(old)) => around(new, old),
            _ => 0..PAGE as usize,
        },
    }
}

/// From the first to the last place of both.
fn around(one: Range<usize>, other: Range<usize>) -> Range<usize> {
    match (one.is_empty(), other.is_empty()) {
        (true, _) => other,
        (_, true) => one,
        _ => one.start.min(other.start)..one.end.max(other.end),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::page_store::digest;
    use super::*;

    fn block(bytes: &[u8], near: &[Option<&Arc<Block>>]) -> Arc<Block> {
        Arc::new(Block::new(digest(bytes), bytes, near))
    }

    /// A page that no difference from zeros pays for.
    fn full() -> Vec<u8> {
        (0..PAGE).map(|at| at as u8 | 1).collect()
    }

    #[test]
    fn content_is_kept_in_the_form_that_takes_least() {
        let zeros = block(&ZEROS, &[]);
        assert_eq!((zeros.size(), zeros.digest()), (0, ZERO));
        let plain = block(&full(), &[Some(&zeros)]);
        assert_eq!(plain.size(), PAGE as usize);
        let mut bytes = full();
        bytes[100] = 0;
        let changed = block(&bytes, &[None, Some(&plain)]);
        assert!(changed.size() < 16, "{}", changed.size());
        // What differs from a difference is kept as one from what that one is of.
        bytes[200] = 0;
        let again = block(&bytes, &[Some(&changed)]);
        assert!(Arc::ptr_eq(again.root(), &plain));
        assert_eq!(*again.bytes(), bytes);
        // The nearer of two is taken, and zeros where they are.
        bytes[300..].fill(0);
        let near = block(&bytes, &[Some(&plain)]);
        assert!(near.size() < 400 && Arc::ptr_eq(near.root(), &near));
        bytes[1000..1200].copy_from_slice(&full()[..200]);
        let nearer = block(&bytes, &[Some(&plain), Some(&near)]);
        assert!(nearer.size() < 250 && Arc::ptr_eq(nearer.root(), &near));
        // What is too large a difference from all of them is kept as it is.
        bytes[1000..3000].copy_from_slice(&full()[..2000]);
        assert!(block(&bytes, &[Some(&plain), Some(&near)]).plain().is_some());
    }

    #[test]
    fn content_that_is_no_page_is_kept_too() {
        for length in [0, 7, 832, 2 * PAGE as usize] {
            let mut bytes = vec![0; length];
            bytes.iter_mut().step_by(400).for_each(|byte| *byte = 3);
            let one = block(&bytes, &[]);
            assert_eq!(*one.bytes(), bytes);
            assert!(one.is(&bytes));
            assert!(!one.is(&vec![0; length + 1]));
        }
    }

    proptest! {
        #[test]
        fn what_is_kept_is_what_was_given(
            fills in prop::collection::vec((0..PAGE as usize, 1..900usize, any::<u8>()), 1..9),
            other in any::<prop::sample::Index>(),
        ) {
            let mut bytes = ZEROS.to_vec();
            let mut known: Vec<(Vec<u8>, Arc<Block>)> = Vec::new();
            for (at, length, fill) in fills {
                let end = (at + length).min(bytes.len());
                bytes[at..end].iter_mut().enumerate().for_each(|(n, byte)| *byte = fill ^ n as u8);
                let near = known.last().map(|(_, block)| block);
                let first = known.first().map(|(_, block)| block);
                let kept = block(&bytes, &[near, first]);
                known.push((bytes.clone(), kept));
            }
            for (bytes, block) in &known {
                prop_assert_eq!(&*block.bytes(), &bytes[..]);
                prop_assert!(block.size() <= bytes.len());
                prop_assert!(block.root().root().bytes() == block.root().bytes());
                prop_assert!(!matches!(block.root().form, Form::Changed(..)));
                let (other, old) = &known[other.index(known.len())];
                prop_assert_eq!(block.is(other), bytes == other);
                for (old, other) in [(Some(old), &other[..]), (None, &ZEROS)] {
                    let mut made = other.to_vec();
                    let span = span(Some(block), old);
                    block.put(&span, &mut made[span.clone()]);
                    prop_assert_eq!(&made[..], &bytes[..]);
                    prop_assert_eq!(super::span(old, Some(block)), span);
                }
            }
        }
    }
}
