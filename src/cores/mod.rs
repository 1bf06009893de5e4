//! The front end of cores: pure C step functions, called in this process.

pub mod abi;
