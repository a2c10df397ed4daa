//! Bundles: opening and closing.

use core::ffi::{CStr, c_char};

use super::handle::{Kept, Table, close, get, keep};
use super::status::{
    Outcome, VIEWCELL_ABI_VERSION, VIEWCELL_ARGUMENT, VIEWCELL_KIND, VIEWCELL_OK, VIEWCELL_VERSION,
    answer, buffer, given, place, slice, status_of_open, viewcell_status,
};
use crate::query::{OpenError, OwnedBundle, TerrainBundle};

/// The kind of a bundle of a terrain: a grid of samples.
pub const VIEWCELL_TERRAIN: viewcell_status = 1;
/// The kind of a bundle of a level of cells.
pub const VIEWCELL_CELLS: viewcell_status = 2;
/// A bundle of a solid level.
pub const VIEWCELL_SOLID: viewcell_status = 3;

/// An open bundle, of any kind of world.
#[derive(Debug)]
pub struct viewcell_bundle {
    source: OwnedBundle,
}

impl Kept for viewcell_bundle {
    const KIND: usize = 1;

    fn table() -> &'static Table<Self> {
        static TABLE: Table<viewcell_bundle> = Table::new();
        &TABLE
    }
}

/// What a bundle is of, for as long as it or a clone of it is kept.
impl OwnedBundle {
    pub(super) fn terrain(&self) -> Outcome<&TerrainBundle<'static>> {
        self.lasting_world().terrain().ok_or(VIEWCELL_KIND)
    }
}

pub(super) unsafe fn source<'a>(bundle: *const viewcell_bundle) -> Outcome<&'a OwnedBundle> {
    // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
    Ok(&unsafe { get(bundle) }?.source)
}

/// Writes words for people, cut to fit, with a zero at the end.
fn tell(message: &mut [u8], words: &str) {
    let Some(most) = message.len().checked_sub(1) else {
        return;
    };
    let mut end = words.len().min(most);
    while !words.is_char_boundary(end) {
        end -= 1;
    }
    for (to, from) in message.iter_mut().zip(words.bytes().take(end).chain([0])) {
        *to = from;
    }
}

/// What both ways to open do: no handle yet, the version, a place for the message, and at the end
/// the handle or the reason why there is none.
pub(super) unsafe fn open(
    abi_version: u32,
    bundle: *mut *mut viewcell_bundle,
    message: *mut c_char,
    message_size: usize,
    source: impl FnOnce() -> Outcome<Result<OwnedBundle, OpenError>>,
) -> viewcell_status {
    answer(|| {
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        let out = unsafe { place(bundle) }?;
        *out = core::ptr::null_mut();
        if abi_version != VIEWCELL_ABI_VERSION {
            return Err(VIEWCELL_VERSION);
        }
        let message = if message.is_null() {
            &mut []
        } else {
            // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
            unsafe { buffer(message.cast::<u8>(), message_size) }?
        };
        let source = source()?.map_err(|error| {
            tell(message, &error.to_string());
            status_of_open(&error)
        })?;
        *out = keep(viewcell_bundle { source })?;
        Ok(VIEWCELL_OK)
    })
}

/// Map the file, in a time that does not depend on its size.
pub const VIEWCELL_MAP: u32 = 0;
/// Map the file, and check every page of 64 KiB on first access: what depends on a damaged page counts as visible, and
/// viewcell_pages reports it. What all queries need is checked at once. VIEWCELL_FORMAT also where the bundle has no
/// checksums by page, as older versions wrote it: viewcell repack adds them. Allocates a byte a page.
pub const VIEWCELL_CHECK: u32 = 1;
/// Read the file into memory, in a time that grows with its length; it may then be truncated, written to or deleted. Uses
/// huge pages where the system has them, so that queries of large bundles wait less for address translation. VIEWCELL_IO
/// also where there is too little memory.
pub const VIEWCELL_COPY: u32 = 2;

/// Opens a bundle.
///
/// abi_version is VIEWCELL_ABI_VERSION. path is UTF-8 with a zero at its end. how is VIEWCELL_MAP, VIEWCELL_CHECK or
/// VIEWCELL_COPY. *bundle becomes the handle, or null; close it with viewcell_close. message may be null; else it gets the
/// error message for people, at most message_size bytes with a zero at the end.
///
/// A file that is mapped must not be truncated or written to while it is open: rename a new file over it.
///
/// Returns VIEWCELL_OK, VIEWCELL_NULL, VIEWCELL_VERSION, VIEWCELL_ARGUMENT (the path is no UTF-8, or how is none of
/// these), VIEWCELL_IO, VIEWCELL_FORMAT or VIEWCELL_FULL. Any thread, any time. Allocates.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_open(
    abi_version: u32,
    path: *const c_char,
    how: u32,
    bundle: *mut *mut viewcell_bundle,
    message: *mut c_char,
    message_size: usize,
) -> viewcell_status {
    let source = || {
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let path = unsafe { text(path) }?;
        Ok(match how {
            VIEWCELL_MAP => OwnedBundle::open(path),
            VIEWCELL_CHECK => OwnedBundle::open_checked(path),
            VIEWCELL_COPY => OwnedBundle::open_copy(path),
            _ => return Err(VIEWCELL_ARGUMENT),
        })
    };
    // SAFETY: what the header tells the caller is passed on as it is.
    unsafe { open(abi_version, bundle, message, message_size, source) }
}

/// A path of the caller's.
///
/// # Safety
///
/// Null, or as the header says.
pub(super) unsafe fn text<'a>(path: *const c_char) -> Outcome<&'a str> {
    // SAFETY: null, or readable during the call: the header tells the caller so.
    let path = unsafe { CStr::from_ptr(given(path)?) };
    path.to_str().map_err(|_| VIEWCELL_ARGUMENT)
}

/// Opens a bundle that lies in memory: length bytes from bytes on, which must stay there,
/// unchanged, until the bundle and all that was made from it are closed. Otherwise like viewcell_open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_open_memory(
    abi_version: u32,
    bytes: *const u8,
    length: usize,
    bundle: *mut *mut viewcell_bundle,
    message: *mut c_char,
    message_size: usize,
) -> viewcell_status {
    let source = || {
        // SAFETY: for ever, as far as Rust is concerned: the caller keeps the bytes long enough.
        let bytes: &'static [u8] = unsafe { slice(bytes, length) }?;
        Ok(OwnedBundle::from_static(bytes))
    };
    // SAFETY: what the header tells the caller is passed on as it is.
    unsafe { open(abi_version, bundle, message, message_size, source) }
}

/// How many pages a bundle that was opened with VIEWCELL_CHECK has, how many of them were checked so far, and how many
/// of these are damaged: replace the file when that is more than 0. Each may be null. All are 0 for a bundle
/// that was opened otherwise. Takes time in proportion to the pages. Returns VIEWCELL_OK, VIEWCELL_NULL or
/// VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_pages(
    bundle: *const viewcell_bundle,
    count: *mut usize,
    checked: *mut usize,
    damaged: *mut usize,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let pages = unsafe { source(bundle) }?.bundle().pages();
        let [done, found] = pages.map_or([0; 2], |pages| pages.found());
        let all = pages.map_or(0, |pages| pages.count());
        for (out, number) in [(count, all), (checked, done), (damaged, found)] {
            if !out.is_null() {
                // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
                *unsafe { place(out) }? = number;
            }
        }
        Ok(VIEWCELL_OK)
    })
}

/// Checks up to count pages from page first on, whether or not they were checked before: for a background
/// thread, while others query. *next becomes the page to continue with, after the last one
/// 0. Returns VIEWCELL_OK, or 1 if one of these pages is damaged; VIEWCELL_NULL or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_check_pages(
    bundle: *const viewcell_bundle,
    first: usize,
    count: usize,
    next: *mut usize,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let pages = unsafe { source(bundle) }?.bundle().pages();
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        let next = unsafe { place(next) }?;
        *next = pages.map_or(0, |pages| pages.check_some(first, count));
        let mut damaged = pages.into_iter().flat_map(|pages| pages.damaged());
        let is_damaged = damaged.any(|page| page >= first && page - first < count);
        Ok(is_damaged.into())
    })
}

/// Closes a bundle. What was made from it lives on until it is closed itself. Of null, does
/// nothing.
///
/// Returns VIEWCELL_OK, or VIEWCELL_CLOSED if it was closed before. No other call may use the
/// handle at the same time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_close(bundle: *mut viewcell_bundle) -> viewcell_status {
    // SAFETY: nobody else uses the handle during the call: the header tells the caller so.
    answer(|| unsafe { close(bundle) })
}
