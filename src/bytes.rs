//! Canonical bytes: one way to write each value, so that equal values are equal bytes.
//! Integers are LEB128 in their shortest form, byte strings carry their length in front.

use crate::error::Error;

/// Append `value` as an unsigned LEB128 number.
#[inline]
pub fn put_uint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Append a signed number (zigzag, then as [`put_uint`]).
pub fn put_int(out: &mut Vec<u8>, value: i64) {
    put_uint(out, ((value << 1) ^ (value >> 63)) as u64);
}

/// Append the length of `bytes`, then `bytes`.
pub fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_uint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Reads what the functions above wrote, and refuses anything else.
#[derive(Clone, Copy, Debug)]
pub struct ByteReader<'a> {
    rest: &'a [u8],
}

impl<'a> ByteReader<'a> {
    /// Start at the first byte of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        ByteReader { rest: bytes }
    }

    /// True when everything was read.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next byte.
    #[inline]
    pub fn byte(&mut self) -> Result<u8, Error> {
        let (&first, rest) = self.rest.split_first().ok_or_else(truncated)?;
        self.rest = rest;
        Ok(first)
    }

    /// The next unsigned number; its shortest form is the only one accepted.
    #[inline]
    pub fn uint(&mut self) -> Result<u64, Error> {
        // Nearly all are small.
        if let Some((&first @ 0..0x80, rest)) = self.rest.split_first() {
            self.rest = rest;
            return Ok(first.into());
        }
        self.long_uint()
    }

    fn long_uint(&mut self) -> Result<u64, Error> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let low = u64::from(byte & 0x7f);
            if shift == 63 && low > 1 || shift > 0 && byte == 0 {
                break;
            }
            value |= low << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(Error::Internal("a number in the world bytes is not in its shortest form".into()))
    }

    /// The next signed number.
    pub fn int(&mut self) -> Result<i64, Error> {
        let raw = self.uint()?;
        Ok((raw >> 1) as i64 ^ -((raw & 1) as i64))
    }

    /// The next byte string.
    pub fn bytes(&mut self) -> Result<&'a [u8], Error> {
        let length = self.uint()?;
        if length > self.rest.len() as u64 {
            return Err(truncated());
        }
        let (bytes, rest) = self.rest.split_at(length as usize);
        self.rest = rest;
        Ok(bytes)
    }
}

#[cold]
fn truncated() -> Error {
    Error::Internal("the world bytes are truncated".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_strings_come_back() {
        let mut out = Vec::new();
        let unsigned = [0, 1, 127, 128, 16_383, 16_384, u64::MAX - 1, u64::MAX];
        let signed = [0, -1, 1, i64::MIN, i64::MAX, -64, 64];
        unsigned.iter().for_each(|&value| put_uint(&mut out, value));
        signed.iter().for_each(|&value| put_int(&mut out, value));
        put_bytes(&mut out, b"abc");
        let mut reader = ByteReader::new(&out);
        unsigned.iter().for_each(|&value| assert_eq!(reader.uint(), Ok(value)));
        signed.iter().for_each(|&value| assert_eq!(reader.int(), Ok(value)));
        assert_eq!(reader.bytes(), Ok(&b"abc"[..]));
        assert!(reader.is_empty());
    }

    #[test]
    fn a_longer_form_or_a_cut_one_is_refused() {
        for bad in [&[0x80, 0x00][..], &[0x80], &[0xff; 10], &[0x81, 0x80, 0x00]] {
            assert!(ByteReader::new(bad).uint().is_err(), "{bad:x?}");
        }
        assert!(ByteReader::new(&[3, b'a']).bytes().is_err());
    }
}
