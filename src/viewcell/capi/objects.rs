//! What a scene draws.

use core::ffi::c_char;

use super::bundle::{source, viewcell_bundle};
use super::place::{position, viewcell_position};
use super::status::{
    Outcome, VIEWCELL_BUFFER, VIEWCELL_FORMAT, VIEWCELL_KIND, VIEWCELL_OUTSIDE, answer, buffer,
    viewcell_status,
};
use crate::format::Objects;
use crate::query::{SolidBundle, World};

/// A scene and its objects, if it is one.
fn scene<'a>(world: &World<'a>) -> Outcome<(SolidBundle<'a>, Objects<'a>)> {
    let scene = *world.solid().ok_or(VIEWCELL_KIND)?;
    Ok((scene, scene.objects().ok_or(VIEWCELL_KIND)?))
}

/// Which objects of a scene may be seen by a camera at a position: bit n % 64 of word n / 64 becomes 1 if object n has to be
/// drawn, else 0. All from a position in no cell. count is the length of words, at least (viewcell_world.objects + 63) / 64;
/// further words become 0. Returns how many objects they are; VIEWCELL_BUFFER, VIEWCELL_KIND (no scene), VIEWCELL_NULL or
/// VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_objects_seen(
    bundle: *const viewcell_bundle,
    position: *const viewcell_position,
    words: *mut u64,
    count: usize,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let (scene, objects) = scene(unsafe { source(bundle) }?.world())?;
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let at = unsafe { self::position(position) }?;
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        let out = unsafe { buffer(words, count) }?;
        if out.len() < objects.count().div_ceil(64) as usize {
            return Err(VIEWCELL_BUFFER);
        }
        Ok(scene.objects_seen(at, out) as viewcell_status)
    })
}

/// Where an object is in its scene: names from the root to it, with / between them, in UTF-8 with a zero at its end. Written
/// where size, the length of path, has room for it and its zero. Returns how many bytes it has without the zero;
/// VIEWCELL_OUTSIDE (no such object), VIEWCELL_FORMAT (it is damaged), VIEWCELL_KIND (no scene), VIEWCELL_NULL (path is null,
/// and size is not 0) or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_object_path(
    bundle: *const viewcell_bundle,
    object: u32,
    path: *mut c_char,
    size: usize,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let (_, objects) = scene(unsafe { source(bundle) }?.world())?;
        if object >= objects.count() {
            return Err(VIEWCELL_OUTSIDE);
        }
        let name = objects.get(object).ok_or(VIEWCELL_FORMAT)?.path.as_bytes();
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        let out = unsafe { buffer(path.cast::<u8>(), size) }?;
        if let Some((end, room)) = out.get_mut(..=name.len()).and_then(<[u8]>::split_last_mut) {
            room.copy_from_slice(name);
            *end = 0;
        }
        Ok(name.len() as viewcell_status)
    })
}
