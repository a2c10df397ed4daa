//! Places by number, and positions: what every question is asked with, in a bundle of any kind.

use super::bundle::{source, viewcell_bundle};
use super::status::{
    Outcome, VIEWCELL_BUFFER, VIEWCELL_FORMAT, VIEWCELL_KIND, VIEWCELL_OK, VIEWCELL_OUTSIDE,
    VIEWCELL_UNREACHABLE, VIEWCELL_VOID, answer, buffer, given, place, slice, viewcell_status,
};
use crate::query::{Place, Sample, World};

/// A place: the number of a view cell, from 0. Of a terrain, sample (column, row) has the number row * width + column;
/// of a level of cells it is the number of the cluster, of a solid level that of the cell.
pub type viewcell_place = u32;

/// No place: off the map, in no cell, at a void. Who is there may be anywhere: they see all and are seen by all.
pub const VIEWCELL_NOWHERE: viewcell_place = u32::MAX;

/// A position. Of a terrain: metres east of sample (0, 0), metres south of it, and a height that is ignored. Of a level: the
/// units and axes of its file; of a mesh those of the engine that was named in its bake, or else metres with z up.
/// In a solid level a player's position is that of the origin. Velocities, boxes and lengths have the same units and axes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct viewcell_position {
    /// Metres east, or the level's x.
    pub x: f64,
    /// Metres south, or the level's y.
    pub y: f64,
    /// The level's z.
    pub z: f64,
}

/// All positions between two corners.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct viewcell_box {
    /// The corner with the least coordinates.
    pub low: viewcell_position,
    /// The corner with the greatest coordinates.
    pub high: viewcell_position,
}

impl From<[f64; 3]> for viewcell_position {
    fn from([x, y, z]: [f64; 3]) -> Self {
        Self { x, y, z }
    }
}

impl From<viewcell_position> for [f64; 3] {
    fn from(at: viewcell_position) -> Self {
        [at.x, at.y, at.z]
    }
}

impl From<[[f64; 3]; 2]> for viewcell_box {
    fn from(corners: [[f64; 3]; 2]) -> Self {
        let [low, high] = corners.map(viewcell_position::from);
        Self { low, high }
    }
}

impl From<viewcell_box> for [[f64; 3]; 2] {
    fn from(of: viewcell_box) -> Self {
        [of.low.into(), of.high.into()]
    }
}

/// The place that has a number; `None` for nowhere.
pub(super) fn numbered(world: &World<'_>, number: viewcell_place) -> Outcome<Option<Place>> {
    match number {
        VIEWCELL_NOWHERE => Ok(None),
        _ => known(world, number).map(Some),
    }
}

/// The place that has a number, and nowhere has none.
#[inline]
pub(super) fn known(world: &World<'_>, number: viewcell_place) -> Outcome<Place> {
    world.place(number.into()).ok_or(VIEWCELL_OUTSIDE)
}

/// The number of a place that was located.
fn number(world: &World<'_>, place: Place) -> viewcell_place {
    let number = world.number(place).map(u32::try_from);
    number.and_then(Result::ok).unwrap_or(VIEWCELL_NOWHERE)
}

/// What boxes the caller gave.
#[cfg(any(not(target_arch = "wasm32"), feature = "server"))]
pub(super) unsafe fn boxes(at: *const viewcell_box, count: usize) -> Outcome<Vec<[[f64; 3]; 2]>> {
    // SAFETY: null, or readable during the call: the header tells the caller so.
    let boxes = unsafe { slice(at, count) }?;
    Ok(boxes.iter().map(|&corners| corners.into()).collect())
}

/// The place that a position belongs to: the sample whose square holds it, the cell that it is in. *place becomes its
/// number, and VIEWCELL_NOWHERE where there is none. Returns VIEWCELL_OK, VIEWCELL_OUTSIDE (off the map, in solid, not a
/// number; in a solid level also where the bake found that no player can be), VIEWCELL_VOID (a sample where nobody can
/// be), VIEWCELL_NULL or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_locate(
    bundle: *const viewcell_bundle,
    position: *const viewcell_position,
    place: *mut viewcell_place,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let world = unsafe { source(bundle) }?.world();
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let position = unsafe { given(position) }?;
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        let out = unsafe { self::place(place) }?;
        *out = VIEWCELL_NOWHERE;
        if let Some(terrain) = world.terrain() {
            return put_sample(world, terrain.locate(position.x, position.y), out);
        }
        let found = world.locate((*position).into()).ok_or(VIEWCELL_OUTSIDE)?;
        *out = number(world, found);
        Ok(VIEWCELL_OK)
    })
}

/// Locates count positions: places[i] becomes the number of the place of positions[i], and VIEWCELL_NOWHERE where there
/// is none. Returns VIEWCELL_OK, VIEWCELL_NULL, VIEWCELL_ARGUMENT or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_locate_all(
    bundle: *const viewcell_bundle,
    count: usize,
    positions: *const viewcell_position,
    places: *mut viewcell_place,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let world = unsafe { source(bundle) }?.world();
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let positions = unsafe { slice(positions, count) }?;
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        let places = unsafe { buffer(places, count) }?;
        for (&position, out) in positions.iter().zip(places) {
            let found = world.locate(position.into());
            *out = found.map_or(VIEWCELL_NOWHERE, |place| number(world, place));
        }
        Ok(VIEWCELL_OK)
    })
}

/// The sample of a terrain whose pixel holds a position in the bundle's coordinate reference system, as x and y of
/// position. Returns what viewcell_locate does, VIEWCELL_OUTSIDE also for a bundle without a georeference, or
/// VIEWCELL_KIND.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_locate_georeferenced(
    bundle: *const viewcell_bundle,
    position: *const viewcell_position,
    place: *mut viewcell_place,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let source = unsafe { source(bundle) }?;
        let terrain = source.terrain()?;
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let position = unsafe { given(position) }?;
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        let out = unsafe { self::place(place) }?;
        *out = VIEWCELL_NOWHERE;
        let found = terrain.locate_georeferenced(position.x, position.y);
        put_sample(source.world(), found, out)
    })
}

/// The number of a sample where somebody can be.
fn put_sample(
    world: &World<'_>,
    found: Option<Sample>,
    out: &mut viewcell_place,
) -> Outcome<viewcell_status> {
    let found = found.ok_or(VIEWCELL_OUTSIDE)?;
    let found = Place::Sample(found);
    if !world.can_be_at(found) {
        return Err(VIEWCELL_VOID);
    }
    *out = number(world, found);
    Ok(VIEWCELL_OK)
}

/// The positions that a place stands for: of a terrain the square around its sample, with the height of the ground in
/// metres as z of both corners; of a level the box of its cell, in a solid level of players' origins. Returns VIEWCELL_OK,
/// VIEWCELL_OUTSIDE (no such place), VIEWCELL_VOID (no terrain there), VIEWCELL_FORMAT (the bundle is damaged, or made
/// without boxes), VIEWCELL_NULL or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_bounds(
    bundle: *const viewcell_bundle,
    place: viewcell_place,
    bounds: *mut viewcell_box,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let world = unsafe { source(bundle) }?.world();
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        let out = unsafe { self::place(bounds) }?;
        let missing = match world.terrain() {
            Some(_) => VIEWCELL_VOID,
            None => VIEWCELL_FORMAT,
        };
        let corners = world.bounds(known(world, place)?).ok_or(missing)?;
        *out = corners.into();
        Ok(VIEWCELL_OK)
    })
}

/// Whether a place is in a bitmap of places, such as a PVS: 1 or 0. count is the length of words, viewcell_world.words.
/// Or VIEWCELL_OUTSIDE (no such place), VIEWCELL_BUFFER (there are fewer words), VIEWCELL_NULL, VIEWCELL_ARGUMENT or
/// VIEWCELL_CLOSED. Constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_contains(
    bundle: *const viewcell_bundle,
    words: *const u64,
    count: usize,
    place: viewcell_place,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let world = unsafe { source(bundle) }?.world();
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let words = unsafe { slice(words, count) }?;
        let (word, bit) = world.bit(known(world, place)?).ok_or(VIEWCELL_OUTSIDE)?;
        let word = words.get(word).ok_or(VIEWCELL_BUFFER)?;
        Ok((word >> bit & 1 == 1).into())
    })
}

/// How many visible steps lead from one cell of a level of cells to another: 0 from a cell to itself, 1 if it is
/// visible, 2 if it is visible from one that is, and so on (the extended PVS). Or VIEWCELL_UNREACHABLE, VIEWCELL_OUTSIDE
/// (no such cell), VIEWCELL_KIND, VIEWCELL_NULL, VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_distance(
    bundle: *const viewcell_bundle,
    from: viewcell_place,
    to: viewcell_place,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let world = unsafe { source(bundle) }?.world();
        let level = world.cells().ok_or(VIEWCELL_KIND)?;
        for cell in [from, to] {
            known(world, cell)?;
        }
        // Distances take 16 bits at most.
        level
            .distance(from, to)
            .map(|steps| steps as viewcell_status)
            .ok_or(VIEWCELL_UNREACHABLE)
    })
}

/// A position of the caller's.
pub(super) unsafe fn position(at: *const viewcell_position) -> Outcome<[f64; 3]> {
    // SAFETY: null, or readable during the call: the header tells the caller so.
    Ok((*unsafe { given(at) }?).into())
}
