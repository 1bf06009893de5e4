//! Structures that callers in C fill, which start with their size. A shorter one is of an older
//! header: the fields it lacks are zero. A longer one is of a newer header: what it has more must be
//! zero, because nobody here knows what it asks for. Nothing is read beyond the size that is given.
#![allow(unsafe_code)] // it reads what pointers of a caller in C point to

use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;

use crate::error::Error;

/// No structure gets this long: a larger size was never set.
const LARGEST: usize = 4096;

/// A structure that a caller fills.
///
/// # Safety
/// It is `repr(C)`, its first field is `size: usize`, and zero bytes are a value of each of its
/// fields, as are all bytes that C can put there: numbers, pointers, optional function pointers.
pub unsafe trait Filled: Copy {
    /// What it is called in C.
    const NAME: &'static str;
}

/// Copy the structure that `from` points to.
///
/// # Safety
/// `from` is NULL, or points to as many readable bytes as its first field says, aligned as a `T` is;
/// what its function pointers point to is what their types say.
pub unsafe fn read<T: Filled>(from: *const T) -> Result<T, Error> {
    let name = T::NAME;
    if from.is_null() {
        return Err(Error::Argument(format!("the {name} is NULL; pass the address of one")));
    }
    // SAFETY: a Filled starts with its size, which the caller vouches for.
    let size = unsafe { from.cast::<usize>().read() };
    if size < size_of::<usize>() || size > LARGEST || !size.is_multiple_of(align_of::<T>()) {
        return Err(Error::Argument(format!(
            "the size of a {name} is {size}; set its first field to sizeof({name})"
        )));
    }
    let known = size.min(size_of::<T>());
    let bytes = from.cast::<u8>();
    let mut value = MaybeUninit::<T>::zeroed();
    // SAFETY: `known` bytes are readable there, as the caller vouches, and writable here.
    unsafe { bytes.copy_to_nonoverlapping(value.as_mut_ptr().cast(), known) };
    // SAFETY: `size` bytes are readable.
    let more = unsafe { std::slice::from_raw_parts(bytes.add(known), size - known) };
    if more.iter().any(|&byte| byte != 0) {
        return Err(Error::Version(format!(
            "a {name} of {size} bytes says something behind the {known} bytes that this library \
             knows; leave the newer fields zero, or use a newer library"
        )));
    }
    // SAFETY: any bytes that C can put there are a value of a Filled, and so are zeros.
    Ok(unsafe { value.assume_init() })
}

/// Copy the text at `text`; `None` for NULL. What is no UTF-8 is replaced.
///
/// # Safety
/// `text` is NULL or points to bytes up to a NUL.
pub unsafe fn text(text: *const c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: the caller vouches for the NUL.
    Some(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

/// Copy the `len` bytes at `bytes`; `None` for NULL.
///
/// # Safety
/// `bytes` is NULL or points to `len` readable bytes.
pub unsafe fn bytes(bytes: *const u8, len: usize) -> Option<Vec<u8>> {
    if bytes.is_null() {
        return None;
    }
    // SAFETY: the caller vouches for `len` bytes.
    Some(unsafe { std::slice::from_raw_parts(bytes, len) }.to_vec())
}
