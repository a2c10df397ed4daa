//! Bundles with patches over them, as files.

use core::ffi::c_char;

use super::bundle::{open, text, viewcell_bundle};
use super::status::{Outcome, slice, viewcell_status};
use crate::query::{OpenError, OwnedBundle};

/// Maps a bundle of a terrain, and lays patches over it.
fn with_patches(path: &str, patches: &[&str]) -> Result<OwnedBundle, OpenError> {
    let bundle = OwnedBundle::open(path)?;
    let read = |path: &&str| match std::fs::read(path) {
        Ok(bytes) => Ok((path.into(), bytes)),
        Err(error) => Err(OpenError::Io {
            path: path.into(),
            error,
        }),
    };
    let patches = patches.iter().map(read).collect::<Result<_, _>>()?;
    let patched = bundle.with_patches(patches);
    patched.map_err(|error| error.at(path.as_ref()))
}

/// Opens a bundle of a terrain with patches over it, which viewcell rebake makes when ground changes:
/// count paths from patches on, in the order in which they were made. Patches are read whole; after
/// that they may be replaced or deleted. Otherwise like viewcell_open with VIEWCELL_MAP; VIEWCELL_FORMAT also for a patch
/// that is damaged, of another bundle, or out of order.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_open_patched(
    abi_version: u32,
    path: *const c_char,
    patches: *const *const c_char,
    count: usize,
    bundle: *mut *mut viewcell_bundle,
    message: *mut c_char,
    message_size: usize,
) -> viewcell_status {
    let source = || {
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let text = |path| unsafe { text(path) };
        let path = text(path)?;
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let patches = unsafe { slice(patches, count) }?;
        let patches = patches.iter().map(|&path| text(path));
        let patches: Vec<&str> = patches.collect::<Outcome<_>>()?;
        Ok(with_patches(path, &patches))
    };
    // SAFETY: what the header tells the caller is passed on as it is.
    unsafe { open(abi_version, bundle, message, message_size, source) }
}
