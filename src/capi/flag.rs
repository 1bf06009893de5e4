//! A truth value that comes from C: any byte, because a caller may have filled it with anything.

/// `bool` in the header. What is not zero is true.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct Flag(u8);

impl Flag {
    /// Not set.
    pub const NO: Flag = Flag(0);

    /// Whether it is set.
    pub fn is_set(self) -> bool {
        self.0 != 0
    }
}
