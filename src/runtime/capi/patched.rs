//! Bundles with patches over them, as files.

use core::ffi::{CStr, c_char};

use super::bundle::{Loaded, World, open, viewcell_bundle};
use super::status::{Answer, VIEWCELL_ARGUMENT, given, slice, viewcell_status};
use crate::runtime::{Layers, MappedBundle, OpenError};

/// Maps a bundle of a terrain, and lays patches over it.
fn with_patches(path: &str, patches: &[&str]) -> Result<Loaded, OpenError> {
    let map = MappedBundle::open(path)?;
    let read = |path: &&str| {
        std::fs::read(path).map_err(|error| OpenError::Io {
            path: path.into(),
            error,
        })
    };
    let bytes: Vec<Vec<u8>> = patches.iter().map(read).collect::<Result<_, _>>()?;
    let bundle = map.bundle()?;
    let mut layers = Layers::new(&bundle).map_err(|error| error.at(path.as_ref()))?;
    for (bytes, path) in bytes.iter().zip(patches) {
        layers.lay(bytes).map_err(|error| error.at(path.as_ref()))?;
    }
    // The bytes of map and patches stay where they are for as long as these, which are kept beside;
    // so do the layers in their box.
    let layers = unsafe { core::mem::transmute::<Layers<'_>, Layers<'static>>(layers) };
    let layers = Box::new(layers);
    let world = World::Terrain(layers.terrain());
    let world = unsafe { core::mem::transmute::<World<'_>, World<'static>>(world) };
    Ok(Loaded {
        world,
        _layers: Some(layers),
        _patches: bytes,
        _map: Some(map),
        pages: None,
    })
}

/// Opens a bundle of a terrain with patches over it, which viewcell rebake makes when ground changes:
/// count paths from patches on, in the order in which they were made. Patches are read whole; they
/// may be replaced or deleted then. Else as viewcell_open; VIEWCELL_FORMAT also for a patch that is
/// damaged, of another bundle, or out of order.
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
        let text = |path: *const c_char| {
            let path = unsafe { CStr::from_ptr(given(path)?) };
            path.to_str().map_err(|_| VIEWCELL_ARGUMENT)
        };
        let path = text(path)?;
        let patches = unsafe { slice(patches, count) }?;
        let patches = patches.iter().map(|&path| text(path));
        let patches: Vec<&str> = patches.collect::<Answer<_>>()?;
        Ok(with_patches(path, &patches))
    };
    unsafe { open(abi_version, bundle, message, message_size, source) }
}
