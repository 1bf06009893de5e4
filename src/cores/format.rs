//! How a core's states and bytes are shown: the functions of a `CmcFormat`, and hexadecimal where
//! there are none.
#![allow(unsafe_code)] // it calls functions of the core's author

use std::ffi::{c_char, c_int, c_void};

use super::abi::{CmcBytesKind, CmcEvent, CmcFormat, CmcNode};
use super::sized::Filled;

// SAFETY: it is repr(C), starts with `size`, and holds optional functions.
unsafe impl Filled for CmcFormat {
    const NAME: &'static str = "CmcFormat";
}

/// The most that is shown of anything; what is longer is cut, and says so.
const LONGEST: usize = 1 << 16;
/// What nearly everything fits into.
const USUAL: usize = 512;

/// The functions of a `CmcFormat`.
#[derive(Clone, Copy, Default)]
pub struct Format {
    state: Option<unsafe extern "C" fn(*const CmcNode, *const c_void, *mut c_char, usize) -> usize>,
    bytes: Option<
        unsafe extern "C" fn(*const CmcNode, c_int, *const u8, usize, *mut c_char, usize) -> usize,
    >,
    action:
        Option<unsafe extern "C" fn(*const CmcNode, *const CmcEvent, *mut c_char, usize) -> usize>,
}

/// Memory for a state as a core wants it.
#[repr(align(16))]
#[derive(Clone, Copy)]
struct Block([u8; 16]);

impl Format {
    /// The functions of `format`.
    ///
    /// # Safety
    /// They do what `cmc.h` says of them, as long as the value is used.
    pub unsafe fn new(format: &CmcFormat) -> Self {
        Format { state: format.state, bytes: format.bytes, action: format.action }
    }

    /// A node's state in the words of its author.
    pub fn state(&self, node: &CmcNode, state: &[u8]) -> Option<String> {
        let show = self.state?;
        let mut blocks = vec![Block([0; 16]); state.len().div_ceil(16)];
        for (block, bytes) in blocks.iter_mut().zip(state.chunks(16)) {
            block.0[..bytes.len()].copy_from_slice(bytes);
        }
        // SAFETY: `new` was promised that the function is as cmc.h says, which asks for a node, for an
        // aligned state of the core's size, and for room of the length that it is told.
        Some(text(|text, room| unsafe { show(node, blocks.as_ptr().cast(), text, room) }))
    }

    /// A message, record or reply in the words of the core's author.
    pub fn bytes(&self, node: &CmcNode, kind: CmcBytesKind, bytes: &[u8]) -> Option<String> {
        let show = self.bytes?;
        // SAFETY: as above; the bytes are as long as the function is told.
        Some(text(|text, room| unsafe {
            show(node, kind as c_int, bytes.as_ptr(), bytes.len(), text, room)
        }))
    }

    /// An action of calibration mode in the words of the core's author.
    pub fn action(&self, node: &CmcNode, action: &CmcEvent) -> Option<String> {
        let show = self.action?;
        // SAFETY: as above.
        Some(text(|text, room| unsafe { show(node, action, text, room) }))
    }
}

/// What `show` writes, on one line. It answers the length that its text has or would have.
fn text(show: impl Fn(*mut c_char, usize) -> usize) -> String {
    let mut room = vec![0u8; USUAL];
    let length = show(room.as_mut_ptr().cast(), room.len());
    if length >= room.len() {
        room = vec![0; length.saturating_add(1).min(LONGEST)];
        show(room.as_mut_ptr().cast(), room.len());
    }
    let end = room.iter().position(|&byte| byte == 0).unwrap_or(room.len());
    let shown = String::from_utf8_lossy(&room[..end]);
    let mut shown: String = shown.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if length >= LONGEST {
        shown.push_str("… (more)");
    }
    shown
}
