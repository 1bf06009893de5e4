//! The byte strings of an environment, one behind the other in one piece of memory: so an environment
//! is plain data, and a copy of it is made without looking at any of them.

/// Where a byte string stands in its [`Texts`]. The default is the empty one of all.
#[derive(Clone, Copy, Debug, Default)]
pub struct Text {
    start: u32,
    length: u32,
}

/// Byte strings. Those that nothing refers to any more stay until the whole is written anew.
#[derive(Clone, Debug, Default)]
pub struct Texts(Vec<u8>);

impl Text {
    /// `length` bytes from `start` on; `None` if there is no such place.
    #[inline]
    pub fn at(start: usize, length: usize) -> Option<Text> {
        let (start, length) = (u32::try_from(start).ok()?, u32::try_from(length).ok()?);
        Some(Text { start, length })
    }

    /// How many bytes it has.
    pub fn len(self) -> usize {
        self.length as usize
    }

    /// Whether it has none.
    pub fn is_empty(self) -> bool {
        self.length == 0
    }

    /// Its first `count` bytes, or all if it has fewer.
    pub fn first(self, count: u64) -> Text {
        Text { length: u64::from(self.length).min(count) as u32, ..self }
    }

    /// What is behind its first `count` bytes.
    pub fn behind(self, count: usize) -> Text {
        let skipped = self.length.min(u32::try_from(count).unwrap_or(u32::MAX));
        Text { start: self.start + skipped, length: self.length - skipped }
    }
}

impl Texts {
    /// Keep `bytes`.
    pub fn add(&mut self, bytes: &[u8]) -> Text {
        let start =
            u32::try_from(self.0.len()).expect("caps keep the texts of a world below 4 GiB");
        self.0.extend_from_slice(bytes);
        Text { start, length: bytes.len() as u32 }
    }

    /// The bytes of `text`, which are of these texts.
    pub fn get(&self, text: Text) -> &[u8] {
        &self.0[text.start as usize..][..text.len()]
    }

    /// Become `bytes`, parts of which are byte strings.
    pub fn hold(&mut self, bytes: &[u8]) {
        self.0.clear();
        self.0.extend_from_slice(bytes);
    }

    /// Become a copy of `other`, in the memory that is there.
    pub fn copy_from(&mut self, other: &Texts) {
        self.0.clone_from(&other.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_where_it_is_said() {
        let mut texts = Texts::default();
        texts.add(b"ab");
        let text = texts.add(b"cdef");
        assert_eq!(texts.get(text), b"cdef");
        assert_eq!(texts.get(text.first(3)), b"cde");
        assert_eq!(texts.get(text.first(u64::MAX)), b"cdef");
        assert_eq!(texts.get(text.behind(3)), b"f");
        assert!(text.behind(9).is_empty());
        assert_eq!(texts.get(Text::default()), b"");
    }
}
