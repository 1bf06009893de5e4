//! Pointers of callers: into references, texts and paths on the way in, out of boxes on the way out.
//! NULL is an error that names the parameter. What a pointer points to is the caller's word.
#![allow(unsafe_code)] // it reads and writes where callers in C say

use std::ffi::{CStr, OsStr, c_char};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::NonNull;

use super::error::Failure;

/// What the parameter `name` points to.
///
/// # Safety
/// `pointer` is NULL, or points to a `T` that nobody changes or frees while `'a` lasts.
pub(super) unsafe fn lent<'a, T>(pointer: *const T, name: &str) -> Result<&'a T, Failure> {
    // SAFETY: the caller vouches for what it points to.
    unsafe { pointer.as_ref() }.ok_or_else(|| null(name))
}

/// The text that the parameter `name` points to.
///
/// # Safety
/// `pointer` is NULL, or points to bytes up to a NUL that nobody changes or frees while `'a` lasts.
pub(super) unsafe fn text<'a>(pointer: *const c_char, name: &str) -> Result<&'a str, Failure> {
    if pointer.is_null() {
        return Err(null(name));
    }
    // SAFETY: the caller vouches for the text.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map_err(|_| Failure::argument(format!("{name} is no text in UTF-8: {text:?}")))
}

/// The `count` texts that the parameter `name` points to.
///
/// # Safety
/// `pointer` is NULL, or points to `count` pointers that are as [`text`] wants them.
pub(super) unsafe fn texts<'a>(
    pointer: *const *const c_char,
    count: usize,
    name: &str,
) -> Result<Vec<&'a str>, Failure> {
    if count == 0 {
        return Ok(Vec::new());
    }
    if pointer.is_null() {
        return Err(Failure::argument(format!(
            "{name} is NULL and its count {count}; pass the texts, or a count of 0"
        )));
    }
    // SAFETY: the caller vouches for `count` pointers,
    let pointer = |index: usize| unsafe { *pointer.add(index) };
    // SAFETY: and for their texts.
    (0..count).map(|index| unsafe { text(pointer(index), &format!("{name}[{index}]")) }).collect()
}

/// The path that the parameter `name` points to.
///
/// # Safety
/// As for [`text`].
pub(super) unsafe fn path<'a>(pointer: *const c_char, name: &str) -> Result<&'a Path, Failure> {
    if pointer.is_null() {
        return Err(null(name));
    }
    // SAFETY: the caller vouches for the text.
    let bytes = unsafe { CStr::from_ptr(pointer) }.to_bytes();
    match bytes.is_empty() {
        true => Err(Failure::argument(format!("{name} is empty; pass the name of a file"))),
        false => Ok(Path::new(OsStr::from_bytes(bytes))),
    }
}

/// Where a result goes, once there is one.
pub(super) struct Out<T>(NonNull<T>);

impl<T> Out<T> {
    /// The parameter `name`.
    ///
    /// # Safety
    /// `pointer` is NULL, or a `T` can be written there until the call returns.
    pub(super) unsafe fn new(pointer: *mut T, name: &str) -> Result<Self, Failure> {
        NonNull::new(pointer).map(Out).ok_or_else(|| null(name))
    }

    /// Write the result.
    pub(super) fn put(self, value: T) {
        // SAFETY: whoever made it vouched for the place. What stands there is C's, and not dropped.
        unsafe { self.0.write(value) }
    }
}

impl<T> Out<*mut T> {
    /// Hand out `value`, which is the caller's from now on.
    pub(super) fn give(self, value: T) {
        self.put(Box::into_raw(Box::new(value)));
    }
}

/// Take back what [`Out::give`] handed out.
///
/// # Safety
/// It was handed out, has not been taken back, and nobody uses it any more.
pub(super) unsafe fn take<T>(pointer: *mut T) -> Box<T> {
    // SAFETY: as the caller vouches, it is from a box.
    unsafe { Box::from_raw(pointer) }
}

fn null(name: &str) -> Failure {
    Failure::argument(format!("{name} is NULL"))
}
