//! Flood fill of configuration space: where players can be in a level of solids.
//!
//! A player's box at an origin p collides with a convex obstacle O iff p lies inside the Minkowski sum of O and
//! the box mirrored at its origin. A voxel of origins is blocked if it lies within one such sum, shrunk by a
//! slack; so a voxel in which some origin is free is never blocked. From the spawn points all free voxels are
//! filled that can be come to, through faces of voxels: in levels of games without regard to heights (jump pads
//! and rockets lift players anywhere), in others upwards only near above something to stand on. View cells are
//! the boxes of a coarser grid that hold such a voxel. They are too many rather than too few.
//!
//! Did not pay: Minkowski sums of obstacles kept from one size of cells to the next.

use super::aabb::Aabb;
use super::cells::PlaceCells;
use super::error::PlacesError;
use super::level::{Player, SolidLevel, Units};
use super::minkowski::Sum;
use super::scene::{Cameras, camera_cells};
use super::voxels::Voxels;
use viewcell::convex::{Point, minus, plus};

/// What view cells to make.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaceOptions {
    /// Width of the finest cells. [Unit: of the file]
    pub size: f64,
    /// Their height.
    pub height: f64,
    /// Up to the first height of the feet over a floor cells are of that size, up to the second at most twice, and
    /// further up four times as large. The second is no less. [Unit: of the file]
    pub near_floor: [f64; 2],
    /// The player.
    pub player: Player,
    /// Origins of players known besides the level's spawns, in coordinates of the file: of a trace, or given as points.
    pub reach: Vec<Point>,
    /// The box that bounds where players are, in coordinates of the file. Nobody is followed out of the cells that it has a
    /// part of.
    pub within: Option<Aabb>,
    /// Where cameras are, of a scene: cells are there, and nobody is followed.
    pub cameras: Option<Cameras>,
    /// The most cells.
    pub most: usize,
    /// Bytes that finding them may take.
    pub memory: Option<u64>,
}

impl PlaceOptions {
    /// Cells and player as is usual for a level.
    pub fn of(level: &SolidLevel) -> Self {
        Self {
            size: level.units.cell(),
            height: level.units.cell(),
            near_floor: [level.units.near_floor(); 2],
            player: level.player,
            reach: Vec::new(),
            within: None,
            cameras: None,
            most: 1 << 20,
            memory: None,
        }
    }
}

/// View cells in coordinates of the file, and how they were found.
#[derive(Clone, Debug, PartialEq)]
pub struct Places {
    /// The cells.
    pub cells: PlaceCells,
    /// Size of the voxels in which players were followed.
    pub voxel: [f64; 3],
    /// Number of voxels that can be reached.
    pub reached: u64,
    /// Spawn points, and points of `reach`, that are not in `within`: from them nothing was followed.
    pub outside: Vec<Point>,
    /// Those that are not free: nor from them.
    pub buried: Vec<Point>,
    /// Those from which next to nothing is reached: less than eight cells would hold, and than a hundredth of all.
    pub pockets: Vec<Point>,
    /// How many are free.
    pub started: usize,
    /// Those of them that have nothing above them.
    pub open: Vec<Point>,
    /// Number of cells with nothing above some place in them.
    pub open_cells: u64,
}

impl Places {
    /// Cells in which nobody was followed.
    pub fn of(cells: PlaceCells) -> Self {
        Self {
            voxel: cells.cell,
            reached: cells.len() as u64,
            cells,
            outside: Vec::new(),
            buried: Vec::new(),
            pockets: Vec::new(),
            started: 0,
            open: Vec::new(),
            open_cells: 0,
        }
    }
}

/// Less than so many cells hold is next to nothing, if it is a smaller share than this of all.
const FEW: f64 = 8.0;
const SMALL_SHARE: f64 = 0.01;

/// Finds the view cells of a level.
///
/// Time grows with the voxels within obstacles and with those reached; memory is at most four bits a voxel of the box
/// around the level, of at most 2^31 in 2^22 rows, and less where much of it is neither in obstacles nor near above
/// them. Voxels are made larger, up to the size of a cell, until they are as few.
///
/// # Errors
///
/// [`PlacesError`].
pub fn find_places(level: &SolidLevel, options: &PlaceOptions) -> Result<Places, PlacesError> {
    if let Some(cameras) = &options.cameras {
        let cells = camera_cells(level, cameras, [options.size, options.height], options.most)?;
        return Ok(Places::of(cells));
    }
    let hull = options.player.crouched;
    let cell = [options.size, options.size, options.height];
    for length in cell.into_iter().chain(hull.size()) {
        if !(length.is_finite() && length > 0.0) {
            return Err(PlacesError::Size(length));
        }
    }
    let of_file = |at: &Point| plus(*at, level.middle);
    let reach = options.reach.iter().map(|&at| minus(at, level.middle));
    let within = options.within.map(|within| within.about(level.middle));
    let (seeds, outside): (Vec<Point>, Vec<Point>) = (level.spawns.iter().copied())
        .chain(reach)
        .partition(|&at| within.is_none_or(|within| within.contains(at)));
    if seeds.is_empty() {
        return Err(match outside.len() {
            0 => PlacesError::NoSpawn,
            count => PlacesError::Outside(count),
        });
    }
    // Whoever stands on the top of the level is in it.
    let mut bounds = level.bounds().union(&Aabb::around(&seeds));
    bounds.max[2] += 2.0 * hull.size()[2];
    let bounds = within.map_or(bounds, |within| bounds.within(&within).unwrap_or(within));
    let mut voxels = Voxels::new(bounds, cell, &hull, options.memory)?;
    let slack = hull.size()[0] / 64.0;
    let solids = level
        .obstacles
        .iter()
        .map(|solid| Sum::of_solid(solid, &hull));
    let faces = level
        .obstacle_faces
        .iter()
        .map(|face| Sum::of_face(face, &hull));
    for sum in solids.chain(faces) {
        voxels.block(&sum, slack);
    }
    if level.units == Units::Metres {
        voxels.bound_climbs();
    }
    // A player appears, or is set down by a teleporter, near the point that the file names.
    let around = Aabb {
        min: [hull.min[0], hull.min[1], -0.25 * hull.size()[2]],
        max: [hull.max[0], hull.max[1], 0.75 * hull.size()[2]],
    };
    let near = |seed: Point| {
        let point = Aabb {
            min: seed,
            max: seed,
        };
        point.plus(&around)
    };
    let (mut buried, mut floods) = (Vec::new(), Vec::new());
    for &seed in &seeds {
        match voxels.flood(&near(seed)) {
            Some(count) => floods.push((seed, count)),
            None => buried.push(of_file(&seed)),
        }
    }
    if buried.len() == seeds.len() {
        return Err(PlacesError::Buried(buried.len()));
    }
    let started: Vec<Aabb> = floods.iter().map(|&(seed, _)| near(seed)).collect();
    let (flags, are_open) = voxels.cells(options.near_floor, &started);
    let count = flags.boxes(0).count();
    if count > options.most {
        let mut times = 1;
        while flags.boxes(times).count() > options.most {
            times += 1;
        }
        return Err(PlacesError::Many {
            cells: count as u64,
            most: options.most,
            size: options.size * f64::from(1_u32 << times),
        });
    }
    let open_cells = flags.boxes(0).filter(|one| flags.is_open(one)).count() as u64;
    let mut cells = voxels.trimmed(cell, flags.boxes(0));
    cells.origin = plus(cells.origin, level.middle);
    let reached = voxels.reached();
    let volume = |sides: [f64; 3]| sides.iter().product::<f64>();
    let few = FEW * volume(cell) / volume(voxels.size());
    let few = few.min(SMALL_SHARE * reached as f64);
    let pockets = floods
        .iter()
        .filter(|(_, count)| *count > 0 && (*count as f64) < few);
    let open = floods.iter().zip(are_open).filter(|(_, is_open)| *is_open);
    Ok(Places {
        cells,
        voxel: voxels.size(),
        reached,
        outside: outside.iter().map(of_file).collect(),
        buried,
        pockets: pockets.map(|(seed, _)| of_file(seed)).collect(),
        started: floods.len(),
        open: open.map(|((seed, _), _)| of_file(seed)).collect(),
        open_cells,
    })
}
