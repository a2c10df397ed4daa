//! What functions return.

use core::ffi::c_char;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::frontier::FrontierError;
use crate::query::{FormatError, OpenError};

/// The version of this header. Pass it to viewcell_open: a library of another version refuses.
pub const VIEWCELL_ABI_VERSION: u32 = 4;

/// What a function returns: 0 or more is an answer, less than 0 a status that says why there is
/// none. An unlucky `if (viewcell_visible(...))` takes a failure for "visible", which is safe.
pub type viewcell_status = i32;

/// Done.
pub const VIEWCELL_OK: viewcell_status = 0;
/// A pointer is null that must not be.
pub const VIEWCELL_NULL: viewcell_status = -1;
/// The library is of another version than the header that the caller was compiled with.
pub const VIEWCELL_VERSION: viewcell_status = -2;
/// The file cannot be opened or mapped.
pub const VIEWCELL_IO: viewcell_status = -3;
/// The bytes are no bundle, or a damaged one, or of a version that this library does not read.
pub const VIEWCELL_FORMAT: viewcell_status = -4;
/// The bundle is of another kind of world than the function is for.
pub const VIEWCELL_KIND: viewcell_status = -5;
/// The handle was closed, is of another type, or was never a handle of this library.
pub const VIEWCELL_CLOSED: viewcell_status = -6;
/// A sample, quad or position lies outside the grid; a cell is not there; a point is in no cell.
pub const VIEWCELL_OUTSIDE: viewcell_status = -7;
/// A sample is a void: no terrain, nobody stands there.
pub const VIEWCELL_VOID: viewcell_status = -8;
/// The buffer is too small; nothing was written into it.
pub const VIEWCELL_BUFFER: viewcell_status = -9;
/// An argument has a value that it cannot have: a side, an option, a path that is no UTF-8.
pub const VIEWCELL_ARGUMENT: viewcell_status = -10;
/// No chain of visible steps leads from the one cell to the other.
pub const VIEWCELL_UNREACHABLE: viewcell_status = -12;
/// Too many handles of that type are open: 16 million, 262,144 on machines of 32 bits.
pub const VIEWCELL_FULL: viewcell_status = -13;
/// A fault of the library's own. Please report it.
pub const VIEWCELL_INTERNAL: viewcell_status = -11;

/// A status in words: a static string, also for numbers that are no status.
/// Any thread, any time.
#[unsafe(no_mangle)]
pub extern "C" fn viewcell_status_text(status: viewcell_status) -> *const c_char {
    match status {
        VIEWCELL_NULL => c"a pointer is null that must not be",
        VIEWCELL_VERSION => c"the library is of another version than the header",
        VIEWCELL_IO => c"the file cannot be opened or mapped",
        VIEWCELL_FORMAT => c"the bytes are no bundle that this library reads",
        VIEWCELL_KIND => c"the bundle is of another kind of world",
        VIEWCELL_CLOSED => c"the handle was closed, or is none of this type",
        VIEWCELL_OUTSIDE => c"outside the world: no such sample, quad or cell, or a place in none",
        VIEWCELL_VOID => c"a void: no terrain, nobody stands there",
        VIEWCELL_BUFFER => c"the buffer is too small",
        VIEWCELL_ARGUMENT => c"an argument has a value that it cannot have",
        VIEWCELL_UNREACHABLE => c"no chain of visible steps leads there",
        VIEWCELL_FULL => c"too many handles of this type are open",
        VIEWCELL_INTERNAL => c"a fault of the library's own; please report it",
        status if status >= VIEWCELL_OK => c"done",
        _ => c"no status of this library",
    }
    .as_ptr()
}

/// The version of the library: the VIEWCELL_ABI_VERSION of its own header. Any thread, any time.
#[unsafe(no_mangle)]
pub extern "C" fn viewcell_abi_version() -> u32 {
    VIEWCELL_ABI_VERSION
}

/// Why there is no answer.
pub(super) type Outcome<T> = Result<T, viewcell_status>;

/// Runs the body of a function; no panic crosses into C.
pub(super) fn answer(body: impl FnOnce() -> Outcome<viewcell_status>) -> viewcell_status {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(status) | Err(status)) => status,
        Err(_) => VIEWCELL_INTERNAL,
    }
}

/// A number of the caller's that says no or yes.
pub(super) fn flag(value: u32) -> Outcome<bool> {
    match value {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(VIEWCELL_ARGUMENT),
    }
}

/// What the caller's pointer points to, to read.
///
/// # Safety
///
/// Null, or as the header says.
pub(super) unsafe fn given<'a, T>(pointer: *const T) -> Outcome<&'a T> {
    // SAFETY: as the caller promises.
    unsafe { pointer.as_ref() }.ok_or(VIEWCELL_NULL)
}

/// What the caller's pointer points to, to write.
///
/// # Safety
///
/// Null, or as the header says.
pub(super) unsafe fn place<'a, T>(pointer: *mut T) -> Outcome<&'a mut T> {
    // SAFETY: as the caller promises.
    unsafe { pointer.as_mut() }.ok_or(VIEWCELL_NULL)
}

/// The caller's array; null is taken for one of length 0 alone.
///
/// # Safety
///
/// Null, or as the header says.
pub(super) unsafe fn slice<'a, T>(pointer: *const T, length: usize) -> Outcome<&'a [T]> {
    match (pointer.is_null(), length) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(VIEWCELL_NULL),
        // No array is longer than half of the address space.
        _ if length > isize::MAX as usize / size_of::<T>().max(1) => Err(VIEWCELL_ARGUMENT),
        // SAFETY: as the caller promises.
        _ => Ok(unsafe { core::slice::from_raw_parts(pointer, length) }),
    }
}

/// The caller's buffer; null is taken for one of length 0 alone.
///
/// # Safety
///
/// Null, or as the header says.
pub(super) unsafe fn buffer<'a, T>(pointer: *mut T, length: usize) -> Outcome<&'a mut [T]> {
    match (pointer.is_null(), length) {
        (_, 0) => Ok(&mut []),
        (true, _) => Err(VIEWCELL_NULL),
        _ if length > isize::MAX as usize / size_of::<T>().max(1) => Err(VIEWCELL_ARGUMENT),
        // SAFETY: as the caller promises.
        _ => Ok(unsafe { core::slice::from_raw_parts_mut(pointer, length) }),
    }
}

pub(super) fn status_of_open(error: &OpenError) -> viewcell_status {
    match error {
        OpenError::Io { .. } => VIEWCELL_IO,
        OpenError::Format {
            error: FormatError::OtherKind { .. },
            ..
        } => VIEWCELL_KIND,
        OpenError::Format { .. } => VIEWCELL_FORMAT,
    }
}

pub(super) fn status_of_place(error: FrontierError) -> viewcell_status {
    match error {
        FrontierError::Outside(_) | FrontierError::NoCell { .. } => VIEWCELL_OUTSIDE,
        FrontierError::Void(_) => VIEWCELL_VOID,
        FrontierError::NoPlayer { .. } => VIEWCELL_ARGUMENT,
        // The C interface puts no other terrain in the place of one.
        FrontierError::OtherKind => VIEWCELL_KIND,
    }
}
