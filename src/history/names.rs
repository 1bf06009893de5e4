//! Keys and values as numbers: equal bytes have one number in a history.

/// The bytes behind numbers, in order of appearance.
#[derive(Clone, Debug, Default)]
pub(super) struct Names(Vec<Box<[u8]>>);

impl Names {
    pub(super) fn number(&mut self, bytes: &[u8]) -> u32 {
        let known = self.0.iter().position(|name| **name == *bytes);
        let place = known.unwrap_or_else(|| {
            self.0.push(bytes.into());
            self.0.len() - 1
        });
        u32::try_from(place).expect("fewer than 2^32 names")
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn bytes(&self, number: u32) -> &[u8] {
        &self.0[number as usize]
    }
}

/// The name of an object in one history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key(pub(super) u32);

/// A value in one history, or nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Value(pub(super) u32);

impl Value {
    /// What a register holds that was deleted or never written, and what an empty queue gives.
    pub const NOTHING: Value = Value(0);

    pub(super) fn numbered(values: &mut Names, bytes: &[u8]) -> Value {
        Value(1 + values.number(bytes))
    }

    /// Its bytes, unless it is nothing.
    pub(super) fn bytes(self, values: &Names) -> Option<&[u8]> {
        self.0.checked_sub(1).map(|number| values.bytes(number))
    }
}
