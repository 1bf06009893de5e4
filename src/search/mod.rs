//! Search strategies over a [`crate::system::System`]; they know nothing else.
