//! Writes canonical bytes, as [`crate::bytes`] has them, into room that is there already: where it has
//! come to is a number and not the length of a vector, which would be stored and loaded again with each
//! byte of a world.

/// Writes into some room, and counts on behind its end.
#[derive(Debug)]
pub struct Writer<'a> {
    room: &'a mut [u8],
    at: usize,
}

/// Byte strings below this are copied piece by piece: a call takes longer.
const SHORT: usize = 16;
/// Room that is made at least.
const LEAST: usize = 128;

/// Have `write` overwrite `out`, in what room that has, and once more if it was too little.
#[inline(always)]
pub fn overwrite(out: &mut Vec<u8>, write: impl Fn(&mut Writer<'_>)) {
    // Mostly a world was there that is as long, or about.
    out.resize((out.len() + SHORT).max(LEAST), 0);
    loop {
        let mut writer = Writer { room: out, at: 0 };
        write(&mut writer);
        let length = writer.at;
        if length <= out.len() {
            return out.truncate(length);
        }
        out.resize(length, 0);
    }
}

impl Writer<'_> {
    /// Write one byte.
    #[inline(always)]
    pub fn byte(&mut self, byte: u8) {
        if let Some(place) = self.room.get_mut(self.at) {
            *place = byte;
        }
        self.at += 1;
    }

    /// Write all bytes of `chunk`.
    #[inline(always)]
    pub fn chunk<const N: usize>(&mut self, chunk: &[u8; N]) {
        let room = self.room.get_mut(self.at..).and_then(|room| room.first_chunk_mut::<N>());
        if let Some(room) = room {
            *room = *chunk;
        }
        self.at += N;
    }

    /// Write an unsigned number.
    #[inline(always)]
    pub fn uint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.byte(value as u8 | 0x80);
            value >>= 7;
        }
        self.byte(value as u8);
    }

    /// Write a signed number.
    #[inline(always)]
    pub fn int(&mut self, value: i64) {
        self.uint(((value << 1) ^ (value >> 63)) as u64);
    }

    /// Write the length of `bytes`, then `bytes`.
    #[inline(always)]
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.uint(bytes.len() as u64);
        if bytes.len() < SHORT {
            return self.short(bytes);
        }
        if let Some(room) = self.room.get_mut(self.at..self.at + bytes.len()) {
            room.copy_from_slice(bytes);
        }
        self.at += bytes.len();
    }

    #[inline(always)]
    fn short(&mut self, bytes: &[u8]) {
        let rest = self.pieces::<8>(bytes);
        let rest = self.pieces::<4>(rest);
        for &byte in rest {
            self.byte(byte);
        }
    }

    /// Write what of `bytes` is a piece of `N`, if there is one; the rest.
    #[inline(always)]
    fn pieces<'b, const N: usize>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        match bytes.split_first_chunk::<N>() {
            Some((piece, rest)) => {
                self.chunk(piece);
                rest
            }
            None => bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::{put_bytes, put_int, put_uint};

    #[test]
    fn it_writes_what_a_vector_is_given_in_whatever_room() {
        let text: Vec<u8> = (0..100).collect();
        let numbers = [0, 1, -1, 63, 64, 127, 128, 1 << 40, i64::MAX, i64::MIN];
        let mut expected = Vec::new();
        for &number in &numbers {
            put_int(&mut expected, number);
            put_uint(&mut expected, number as u64);
        }
        (0..text.len()).for_each(|length| put_bytes(&mut expected, &text[..length]));
        expected.extend_from_slice(&[7; 17]);
        expected.push(9);
        for room in [0, 1, 255, 256, 1000, 10_000] {
            let mut out = vec![1; room];
            for _ in 0..2 {
                overwrite(&mut out, |to| {
                    for &number in &numbers {
                        to.int(number);
                        to.uint(number as u64);
                    }
                    (0..text.len()).for_each(|length| to.bytes(&text[..length]));
                    to.chunk(&[7; 17]);
                    to.byte(9);
                });
                assert_eq!(out, expected);
            }
        }
        let mut out = vec![1; 300];
        overwrite(&mut out, |_| {});
        assert!(out.is_empty());
    }
}
