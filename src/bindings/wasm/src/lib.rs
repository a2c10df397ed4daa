//! The C interface as WebAssembly, and memory for what JavaScript hands over.
//!
//! JavaScript writes a bundle into memory that it got from here, and opens it where it lies; all else
//! goes through the C interface, whose manual is `viewcell.h`, and whose arguments are numbers and pointers.

use std::alloc::{Layout, alloc, dealloc};

pub use viewcell::capi::*;

/// Words of bitmaps are of 64 bits.
const ALIGNMENT: usize = 8;

fn layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes.max(1), ALIGNMENT).ok()
}

/// So many bytes, aligned for words of 64 bits; null where there is no room.
#[unsafe(no_mangle)]
pub extern "C" fn viewcell_allocate(bytes: usize) -> *mut u8 {
    match layout(bytes) {
        // SAFETY: the layout is never of size 0.
        Some(layout) => unsafe { alloc(layout) },
        None => core::ptr::null_mut(),
    }
}

/// Gives back what [`viewcell_allocate`] gave, with the same number of bytes. Of null, does nothing.
///
/// # Safety
///
/// Once for each piece of memory, and nothing may use it any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_release(at: *mut u8, bytes: usize) {
    if let (false, Some(layout)) = (at.is_null(), layout(bytes)) {
        // SAFETY: as the caller promises.
        unsafe { dealloc(at, layout) }
    }
}
