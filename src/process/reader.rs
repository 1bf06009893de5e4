//! Reads canonical bytes, as [`crate::bytes`] has them, and says where the byte strings in them stand:
//! whoever keeps the whole need not keep each of them.

use super::text::Text;
use crate::error::Error;

/// Reads what a [`Writer`](super::writer::Writer) wrote, and refuses anything else.
#[derive(Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// Start at the first byte of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader { bytes, at: 0 }
    }

    /// True when everything was read.
    pub fn is_empty(&self) -> bool {
        self.at == self.bytes.len()
    }

    /// The next byte.
    #[inline(always)]
    pub fn byte(&mut self) -> Result<u8, Error> {
        let byte = *self.bytes.get(self.at).ok_or_else(truncated)?;
        self.at += 1;
        Ok(byte)
    }

    /// The next unsigned number; its shortest form is the only one accepted.
    #[inline(always)]
    pub fn uint(&mut self) -> Result<u64, Error> {
        match self.byte()? {
            // Nearly all are small.
            small @ 0..0x80 => Ok(small.into()),
            first => {
                let (value, length) = long(first, &self.bytes[self.at..])?;
                self.at += length;
                Ok(value)
            }
        }
    }

    /// The next signed number.
    #[inline(always)]
    pub fn int(&mut self) -> Result<i64, Error> {
        let raw = self.uint()?;
        Ok((raw >> 1) as i64 ^ -((raw & 1) as i64))
    }

    /// Where among all bytes the next byte string stands.
    #[inline(always)]
    pub fn text(&mut self) -> Result<Text, Error> {
        let length = self.uint()?;
        if length > (self.bytes.len() - self.at) as u64 {
            return Err(truncated());
        }
        let text = Text::at(self.at, length as usize).ok_or_else(truncated)?;
        self.at += length as usize;
        Ok(text)
    }
}

/// The number that begins with `first`, which is not all of it; how many bytes of `rest` belong to it.
#[inline(never)]
fn long(first: u8, rest: &[u8]) -> Result<(u64, usize), Error> {
    let mut value = u64::from(first & 0x7f);
    for (place, shift) in (7..64).step_by(7).enumerate() {
        let byte = *rest.get(place).ok_or_else(truncated)?;
        let low = u64::from(byte & 0x7f);
        if shift == 63 && low > 1 || byte == 0 {
            break;
        }
        value |= low << shift;
        if byte & 0x80 == 0 {
            return Ok((value, place + 1));
        }
    }
    Err(Error::Internal("a number in a world is not in its shortest form".into()))
}

#[cold]
fn truncated() -> Error {
    Error::Internal("a world is cut short".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::{ByteReader, put_bytes, put_int, put_uint};
    use crate::process::text::Texts;

    #[test]
    fn numbers_and_strings_come_back() {
        let mut out = Vec::new();
        let unsigned = [0, 1, 127, 128, 16_383, 16_384, u64::MAX - 1, u64::MAX];
        let signed = [0, -1, 1, i64::MIN, i64::MAX, -64, 64];
        unsigned.iter().for_each(|&value| put_uint(&mut out, value));
        signed.iter().for_each(|&value| put_int(&mut out, value));
        put_bytes(&mut out, b"abc");
        put_bytes(&mut out, b"");
        let mut texts = Texts::default();
        texts.hold(&out);
        let mut reader = Reader::new(&out);
        unsigned.iter().for_each(|&value| assert_eq!(reader.uint(), Ok(value)));
        signed.iter().for_each(|&value| assert_eq!(reader.int(), Ok(value)));
        for expected in [&b"abc"[..], b""] {
            assert_eq!(reader.text().map(|text| texts.get(text)), Ok(expected));
        }
        assert!(reader.is_empty());
        assert!(reader.byte().is_err());
    }

    #[test]
    fn it_accepts_the_numbers_that_the_reader_of_all_bytes_accepts() {
        let mut draw = 1u64;
        let mut accepted = 0;
        for _ in 0..100_000 {
            draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let length = (draw >> 33) as usize % 12;
            // Bytes that go on are frequent, and so are those that say nothing.
            let byte = |place: usize| match draw.rotate_left(5 * place as u32) & 31 {
                0 => 0x80,
                1 => 0,
                2 => 1,
                low => 0x80 | low as u8,
            };
            let bytes: Vec<u8> = (0..length).map(byte).collect();
            let (mut reader, mut other) = (Reader::new(&bytes), ByteReader::new(&bytes));
            let read = reader.uint().ok();
            assert_eq!(read, other.uint().ok(), "{bytes:x?}");
            accepted += u32::from(read.is_some());
            if read.is_some() {
                assert_eq!(reader.is_empty(), other.is_empty(), "{bytes:x?}");
            }
        }
        assert!(accepted > 1000);
    }

    #[test]
    fn a_string_that_is_cut_is_refused() {
        assert!(Reader::new(&[3, b'a']).text().is_err());
        assert!(Reader::new(&[0xff; 10]).text().is_err());
        assert!(Reader::new(&[]).text().is_err());
    }
}
