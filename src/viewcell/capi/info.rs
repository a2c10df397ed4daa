//! What a bundle is of.

use super::bundle::{source, viewcell_bundle};
use super::place::viewcell_box;
use super::status::{VIEWCELL_OK, answer, place, viewcell_status};
use crate::query::World;

/// What a bundle is of. Fields of one kind of world are 0 for the others.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct viewcell_world {
    /// VIEWCELL_TERRAIN, VIEWCELL_CELLS or VIEWCELL_SOLID.
    pub kind: u32,
    /// 1 if sight is mutual: A sees B exactly when B sees A; else 0: query both directions.
    pub mutual: u32,
    /// View cells; they are numbered from 0.
    pub places: u64,
    /// Words of a bitmap of places, such as a PVS.
    pub words: u64,
    /// Of a terrain: columns of the grid. Where a bundle was baked from coarse cells of its heightmap, width, height, dx
    /// and dy are those of cells, and a sample is a cell; viewcell_locate finds them by metres in any bundle.
    pub width: u32,
    /// Of a terrain: rows of the grid.
    pub height: u32,
    /// Of a terrain: levels of the quadtree. Quads of level 0 are samples, of level l squares of 2^l samples a side; the
    /// quad of the last level is the whole grid.
    pub levels: u32,
    /// Of a terrain: words of a row of blocks of 8 x 8 samples in a bitmap, as viewcell_pvs says.
    pub block_columns: u32,
    /// Of a terrain: metres between columns.
    pub dx: f64,
    /// Of a terrain: metres between rows.
    pub dy: f64,
    /// Of a terrain: height of the top of the head above ground in metres.
    pub player_height: f64,
    /// Of a terrain: height of the eye above ground in metres, twice. Of a solid level: heights of the eye over the
    /// player's origin, crouched and standing.
    pub eye: [f64; 2],
    /// Of a level of cells: the greatest distance of two cells that some chain of visible steps joins.
    pub greatest_distance: u32,
    /// Of a level of cells: 1 if the bundle has the level's BSP, so that viewcell_locate is quick and exact; 0 if it uses the
    /// boxes of cells, or finds nothing because there are none.
    pub has_bsp: u32,
    /// Of a level of cells: 1 if the bundle lists which cells are adjacent. No function needs that list.
    pub has_neighbours: u32,
    /// Of a solid level: opaque convex solids.
    pub solids: u32,
    /// Of a solid level: opaque faces that are of no solid.
    pub faces: u32,
    /// Of a solid level: CRC-32 of the file that it was read from.
    pub input_crc32: u32,
    /// Of a solid level: length of that file. Compare both with the map's.
    pub input_bytes: u64,
    /// Of a solid level: size of the smallest cells, by axis.
    pub cell: [f64; 3],
    /// Of a solid level: the box of the body, from the player's origin.
    pub hull: viewcell_box,
    /// Of any world: how the positions that all functions take and give, those of the engine that a solid level was exported
    /// from, become those that were baked, in which z is up. x, y and z of the level are scale times coordinates |axes[0]|,
    /// |axes[1]| and |axes[2]| of the engine's position, counted from 1, with the signs of axes. 1, 2, 3 and a scale of 1 where
    /// the bake was told of no engine, and in worlds of other kinds. By them a caller knows whose positions are expected.
    pub axes: [i32; 3],
    /// Of a scene: the objects that it draws, numbered from 0. Else 0.
    pub objects: u32,
    /// Of any world: units of the level in a unit of the engine: 0.01 where a level in metres is asked in centimetres.
    pub scale: f64,
}

/// What a bundle is of. Functions that are for another kind of world return VIEWCELL_KIND. Returns VIEWCELL_OK,
/// VIEWCELL_NULL or VIEWCELL_CLOSED.
///
/// This and all queries of a bundle below: any number of threads at a time, except during
/// viewcell_close; no allocation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_info(
    bundle: *const viewcell_bundle,
    world: *mut viewcell_world,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let of = unsafe { source(bundle) }?.world();
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        let out = unsafe { place(world) }?;
        let frame = of.frame();
        let common = viewcell_world {
            scale: frame.scale,
            axes: frame.axes.map(i32::from),
            mutual: of.is_mutual().into(),
            places: of.places(),
            words: of.words() as u64,
            kind: of.kind().code(),
            ..viewcell_world::default()
        };
        *out = match of {
            World::Terrain(terrain) => {
                let parameters = terrain.parameters();
                let [dx, dy] = parameters.cell_spacing;
                viewcell_world {
                    width: parameters.grid.width(),
                    height: parameters.grid.height(),
                    levels: parameters.grid.levels(),
                    block_columns: parameters.grid.block_shape().0,
                    dx,
                    dy,
                    player_height: parameters.player_height,
                    eye: [parameters.eye_height; 2],
                    ..common
                }
            }
            World::Cells(level) => viewcell_world {
                greatest_distance: level.parameters().greatest_distance,
                has_bsp: (level.parameters().nodes > 0).into(),
                has_neighbours: level.has_neighbours().into(),
                ..common
            },
            World::Solid(level) => {
                let parameters = level.parameters();
                viewcell_world {
                    solids: parameters.solids,
                    faces: parameters.faces,
                    cell: level.cell_size(),
                    hull: level.hull().into(),
                    eye: level.eye(),
                    objects: level.objects().map_or(0, |all| all.count()),
                    input_bytes: parameters.input_bytes,
                    input_crc32: parameters.input_crc32,
                    ..common
                }
            }
        };
        Ok(VIEWCELL_OK)
    })
}
