//! The bytes of a message, of a record to persist, or of a reply: at most 32, without a place on the
//! heap. What is behind the end is zero, so that a core that reads too far reads the same each time.

use super::abi::CMC_MAX_BYTES;

/// Up to [`CMC_MAX_BYTES`] bytes.
#[derive(Clone, Copy)]
pub struct Payload {
    len: u8,
    data: [u8; CMC_MAX_BYTES],
}

impl Payload {
    /// No bytes.
    pub const ZERO: Payload = Payload { len: 0, data: [0; CMC_MAX_BYTES] };

    /// The first `len` bytes of `data`; `None` if there are not so many.
    pub fn of(data: &[u8; CMC_MAX_BYTES], len: u8) -> Option<Self> {
        data.get(..usize::from(len)).and_then(Payload::new)
    }

    /// These bytes; `None` if they are too many.
    pub fn new(bytes: &[u8]) -> Option<Self> {
        let mut data = [0; CMC_MAX_BYTES];
        data.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(Payload { len: bytes.len() as u8, data })
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.data[..usize::from(self.len)]
    }

    /// How many bytes there are.
    pub fn len(&self) -> u8 {
        self.len
    }

    /// The bytes, and zeros behind them.
    pub const fn padded(&self) -> [u8; CMC_MAX_BYTES] {
        self.data
    }
}

impl PartialEq for Payload {
    fn eq(&self, other: &Self) -> bool {
        self.bytes() == other.bytes()
    }
}

impl Eq for Payload {}

impl std::fmt::Debug for Payload {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.bytes().fmt(f)
    }
}
