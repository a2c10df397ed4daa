//! Handles over the C interface.

use std::ptr::null_mut;

use viewcell::capi::*;

/// A bundle that lies in memory.
pub fn open(bytes: &'static [u8]) -> *mut viewcell_bundle {
    let mut bundle = null_mut();
    let (version, at, length) = (VIEWCELL_ABI_VERSION, bytes.as_ptr(), bytes.len());
    // SAFETY: the bytes live for ever, and there is room for the handle.
    let opened =
        unsafe { viewcell_open_memory(version, at, length, &raw mut bundle, null_mut(), 0) };
    assert_eq!(opened, VIEWCELL_OK);
    bundle
}
