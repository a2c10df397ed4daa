//! Terrains: places, who sees whom.

use super::bundle::{source, viewcell_bundle};
use super::status::{
    Answer, VIEWCELL_BUFFER, VIEWCELL_FORMAT, VIEWCELL_OK, VIEWCELL_OUTSIDE, VIEWCELL_VOID, answer,
    buffer, place, slice, viewcell_status,
};
use crate::query::{Quad, Sample, TerrainBundle, Visibility};

/// A sample of the grid: the column counts from 0 in the west, the row from 0 in the north. Where a
/// bundle was baked from coarse cells of its heightmap, it is a cell, and width, height, dx and dy are
/// those of cells; viewcell_locate finds them by metres in any bundle.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct viewcell_sample {
    /// Column, less than the grid's width.
    pub column: u32,
    /// Row, less than the grid's height.
    pub row: u32,
}

impl From<viewcell_sample> for Sample {
    fn from(sample: viewcell_sample) -> Self {
        Self::new(sample.column, sample.row)
    }
}

/// What a bundle is of.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct viewcell_terrain {
    /// Columns of the grid.
    pub width: u32,
    /// Rows of the grid.
    pub height: u32,
    /// Levels of the quadtree: quads of level 0 are samples, of level l squares of 2^l samples a
    /// side; the quad of the last level is the whole grid.
    pub levels: u32,
    /// 1 if of any two samples either sees the other or neither does; else 0: ask both ways.
    pub mutual: u32,
    /// Metres between columns.
    pub dx: f64,
    /// Metres between rows.
    pub dy: f64,
    /// Height of the eye above ground in metres.
    pub eye_height: f64,
    /// Height of the top of the head above ground in metres.
    pub player_height: f64,
    /// Words of a block bitmap: one for each block of 8 x 8 samples.
    pub blocks: u64,
    /// Columns of blocks: sample (c, r) is bit (r % 8) * 8 + c % 8 of word
    /// (r / 8) * block_columns + c / 8.
    pub block_columns: u64,
}

/// The terrain behind a handle, for as long as the call lasts.
unsafe fn terrain<'a>(bundle: *const viewcell_bundle) -> Answer<&'a TerrainBundle<'static>> {
    // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
    unsafe { source(bundle) }?.terrain()
}

/// What a bundle of a terrain is of. Returns VIEWCELL_OK, VIEWCELL_KIND, VIEWCELL_NULL or
/// VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_info(
    bundle: *const viewcell_bundle,
    terrain_out: *mut viewcell_terrain,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let parameters = unsafe { terrain(bundle) }?.parameters();
        let grid = parameters.grid;
        let [dx, dy] = parameters.cell_spacing;
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        *unsafe { place(terrain_out) }? = viewcell_terrain {
            width: grid.width(),
            height: grid.height(),
            levels: grid.levels(),
            mutual: u32::from(parameters.mutual),
            dx,
            dy,
            eye_height: parameters.eye_height,
            player_height: parameters.player_height,
            blocks: grid.blocks() as u64,
            block_columns: u64::from(grid.block_shape().0),
        };
        Ok(VIEWCELL_OK)
    })
}

/// The sample that a position belongs to, in metres east and south of sample (0, 0). Returns
/// VIEWCELL_OK, VIEWCELL_OUTSIDE, VIEWCELL_VOID (nobody can be there; sample is left as it is),
/// VIEWCELL_KIND, VIEWCELL_NULL or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_locate(
    bundle: *const viewcell_bundle,
    east: f64,
    south: f64,
    sample: *mut viewcell_sample,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let terrain = unsafe { terrain(bundle) }?;
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        unsafe { put_sample(terrain, terrain.locate(east, south), sample) }
    })
}

/// The sample whose pixel holds a position in the bundle's coordinate reference system. Returns
/// VIEWCELL_OK, VIEWCELL_OUTSIDE (also for a bundle without a georeference), VIEWCELL_VOID (as
/// viewcell_locate), VIEWCELL_NULL or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_locate_georeferenced(
    bundle: *const viewcell_bundle,
    x: f64,
    y: f64,
    sample: *mut viewcell_sample,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let terrain = unsafe { terrain(bundle) }?;
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        unsafe { put_sample(terrain, terrain.locate_georeferenced(x, y), sample) }
    })
}

unsafe fn put_sample(
    terrain: &TerrainBundle<'_>,
    found: Option<Sample>,
    out: *mut viewcell_sample,
) -> Answer<viewcell_status> {
    // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
    let out = unsafe { place(out) }?;
    let found = found.ok_or(VIEWCELL_OUTSIDE)?;
    if !terrain.valid().has_sample(found) {
        return Err(VIEWCELL_VOID);
    }
    let Sample { column, row } = found;
    *out = viewcell_sample { column, row };
    Ok(VIEWCELL_OK)
}

/// Ground height of a sample in metres. Returns VIEWCELL_OK, VIEWCELL_OUTSIDE, VIEWCELL_VOID,
/// VIEWCELL_NULL or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_height(
    bundle: *const viewcell_bundle,
    sample: viewcell_sample,
    metres: *mut f32,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let terrain = unsafe { terrain(bundle) }?;
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        let out = unsafe { place(metres) }?;
        if !terrain.grid().has_sample(sample.into()) {
            return Err(VIEWCELL_OUTSIDE);
        }
        *out = terrain.height(sample.into()).ok_or(VIEWCELL_VOID)?;
        Ok(VIEWCELL_OK)
    })
}

/// Whether a player at sample to may be seen from sample from: 1 or 0. Where either is a void: 0.
/// Where the bundle is damaged: 1. Or VIEWCELL_OUTSIDE, VIEWCELL_NULL, VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_visible(
    bundle: *const viewcell_bundle,
    from: viewcell_sample,
    to: viewcell_sample,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let terrain = unsafe { terrain(bundle) }?;
        if !terrain.grid().has_sample(from.into()) || !terrain.grid().has_sample(to.into()) {
            return Err(VIEWCELL_OUTSIDE);
        }
        Ok(terrain.visible(from.into(), to.into()).into())
    })
}

/// Answers count pairs: visible[i] becomes 1 if a player at to[i] may be seen from from[i], else
/// 0; 0 as well where either is a void or outside the grid. Returns VIEWCELL_OK, VIEWCELL_NULL,
/// VIEWCELL_ARGUMENT or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_visible_pairs(
    bundle: *const viewcell_bundle,
    count: usize,
    from: *const viewcell_sample,
    to: *const viewcell_sample,
    visible: *mut u8,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let terrain = unsafe { terrain(bundle) }?;
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let from = unsafe { slice(from, count) }?;
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let to = unsafe { slice(to, count) }?;
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        let out = unsafe { buffer(visible, count) }?;
        for ((&from, &to), out) in from.iter().zip(to).zip(out) {
            *out = terrain.visible(from.into(), to.into()).into();
        }
        Ok(VIEWCELL_OK)
    })
}

/// Whom of count others may a player see? visible[i] becomes 1 if a player at to[i] may be seen
/// from from, else 0; 0 as well where to[i] is a void or outside the grid.
/// Returns VIEWCELL_OK, VIEWCELL_OUTSIDE (from is), VIEWCELL_NULL, VIEWCELL_ARGUMENT or
/// VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_visible_from(
    bundle: *const viewcell_bundle,
    from: viewcell_sample,
    count: usize,
    to: *const viewcell_sample,
    visible: *mut u8,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let terrain = unsafe { terrain(bundle) }?;
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let to = unsafe { slice(to, count) }?;
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        let out = unsafe { buffer(visible, count) }?;
        let from = Sample::from(from);
        if !terrain.grid().has_sample(from) {
            return Err(VIEWCELL_OUTSIDE);
        }
        for (&to, out) in to.iter().zip(out) {
            *out = terrain.visible(from, to.into()).into();
        }
        Ok(VIEWCELL_OK)
    })
}

/// What is known of sight from one quad to another: 0 if nothing of it can be seen from anywhere
/// in the first, 1 if each of its samples can be seen from somewhere, 2 if some can (or the bundle
/// is damaged). A quad is a level and the column and row among the quads of its level. Or
/// VIEWCELL_OUTSIDE, VIEWCELL_NULL, VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_visible_quads(
    bundle: *const viewcell_bundle,
    from_level: u32,
    from: viewcell_sample,
    to_level: u32,
    to: viewcell_sample,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let terrain = unsafe { terrain(bundle) }?;
        let from = Quad::new(from_level, from.column, from.row);
        let to = Quad::new(to_level, to.column, to.row);
        if !terrain.grid().has_quad(from) || !terrain.grid().has_quad(to) {
            return Err(VIEWCELL_OUTSIDE);
        }
        Ok(match terrain.visible_quads(from, to) {
            Visibility::Hidden => 0,
            Visibility::Visible => 1,
            Visibility::Unknown => 2,
        })
    })
}

/// Writes everything that may be seen from a quad (level 0: a sample) as a block bitmap, laid out
/// as viewcell_terrain says: 1 for each visible sample. count is the length of words, at least
/// viewcell_terrain.blocks. Returns VIEWCELL_OK, VIEWCELL_BUFFER, VIEWCELL_OUTSIDE,
/// VIEWCELL_FORMAT (the PVS is damaged), VIEWCELL_NULL or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_pvs(
    bundle: *const viewcell_bundle,
    level: u32,
    quad: viewcell_sample,
    words: *mut u64,
    count: usize,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let terrain = unsafe { terrain(bundle) }?;
        let quad = Quad::new(level, quad.column, quad.row);
        if !terrain.grid().has_quad(quad) {
            return Err(VIEWCELL_OUTSIDE);
        }
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        let words = unsafe { buffer(words, count) }?;
        let words = words
            .get_mut(..terrain.grid().blocks())
            .ok_or(VIEWCELL_BUFFER)?;
        terrain.pvs(quad).ok_or(VIEWCELL_FORMAT)?.expand(words);
        Ok(VIEWCELL_OK)
    })
}

/// Whether two players may see each other on their ways: one who is now at sample a and comes up
/// to reach_a metres far, and one at sample b who comes up to reach_b metres far. Reaches follow
/// from speed and ping: nobody who is told of all for whom this is 1 sees somebody too late. 1 or
/// 0; where either is a void: 0. Errs towards 1: where finding out would take too long, where the
/// bundle is damaged, and for a reach that is not a number. Or VIEWCELL_OUTSIDE, VIEWCELL_NULL,
/// VIEWCELL_KIND, VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_visible_within(
    bundle: *const viewcell_bundle,
    a: viewcell_sample,
    b: viewcell_sample,
    reach_a: f64,
    reach_b: f64,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let terrain = unsafe { terrain(bundle) }?;
        if !terrain.grid().has_sample(a.into()) || !terrain.grid().has_sample(b.into()) {
            return Err(VIEWCELL_OUTSIDE);
        }
        Ok(terrain
            .visible_within(a.into(), b.into(), [reach_a, reach_b])
            .into())
    })
}
