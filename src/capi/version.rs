//! The version: of the header that a program was compiled with, and of the library it runs with.
#![allow(unsafe_code)] // an exported name could collide with one elsewhere: ours all start with cmc_

use std::ffi::{CStr, c_char};

/// The version of this package, and what the header says as `CMC_VERSION`.
pub const VERSION: &CStr =
    match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => panic!("a zero byte in the version"),
    };

/// The version of the library that is running, such as "0.1.0": compare it with CMC_VERSION.
/// The text is static and is never freed. Cannot fail. Threads: any.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub extern "C" fn cmc_version() -> *const c_char {
    VERSION.as_ptr()
}
