//! The places of a camera in a scene.

use super::aabb::Aabb;
use super::cells::{MOST_ALONG, PlaceBox, PlaceCells};
use super::error::PlacesError;
use super::level::SolidLevel;
use super::polyhedron::Solid;
use std::collections::BTreeMap;
use viewcell::convex::{Point, dot, plus};
use viewcell::format::solid::STEPS;

/// Where cameras are.
#[derive(Clone, Debug, PartialEq)]
pub enum Cameras {
    /// Anywhere in these boxes, in coordinates of the file.
    Volumes(Vec<Aabb>),
    /// Above all that a player can stand on: from the one height over it to the other.
    Floors([f64; 2]),
}

/// The view cells of cameras: all cubes of such a size that a camera may be in.
///
/// # Errors
///
/// No place, or too many cells.
pub(super) fn camera_cells(
    level: &SolidLevel,
    cameras: &Cameras,
    [size, height]: [f64; 2],
    most: usize,
) -> Result<PlaceCells, PlacesError> {
    let cell = [size, size, height];
    if let Some(length) = cell.into_iter().find(|of| !(of.is_finite() && *of > 0.0)) {
        return Err(PlacesError::Size(length));
    }
    let volumes = match cameras {
        Cameras::Volumes(volumes) => volumes.clone(),
        Cameras::Floors([low, high]) => {
            let over = |corners: Vec<Point>| {
                let mut floor = Aabb::around(&corners).about(level.middle.map(|x| -x));
                floor.min[2] += low;
                floor.max[2] += high;
                floor
            };
            level.floors().map(over).collect()
        }
    };
    let all = volumes.iter().fold(Aabb::EMPTY, |all, one| all.union(one));
    let size_of_all = all.size();
    if !size_of_all
        .iter()
        .all(|side| (0.0..f64::INFINITY).contains(side))
    {
        return Err(PlacesError::NoSpawn);
    }
    let origin: Point = std::array::from_fn(|k| (all.min[k] / cell[k]).floor() * cell[k]);
    let across = (0..3).map(|k| (all.max[k] - origin[k]) / cell[k]);
    let across = across.fold(0.0, f64::max);
    let many = |cells: f64, allowed: f64| {
        let times = (cells / allowed).cbrt().log2().ceil().max(1.0);
        Err(PlacesError::Many {
            cells: cells as u64,
            most,
            size: size * times.exp2(),
        })
    };
    if across >= f64::from(MOST_ALONG) {
        return many(across.powi(3), f64::from(MOST_ALONG).powi(3));
    }
    // By place the part of it that cameras are in, in steps.
    let mut places: BTreeMap<[u32; 3], [[u16; 3]; 2]> = BTreeMap::new();
    for volume in &volumes {
        let along = |at: Point| -> [f64; 3] {
            std::array::from_fn(|k| f64::from(STEPS) * (at[k] - origin[k]) / cell[k])
        };
        let low = along(volume.min).map(|at| at.floor().max(0.0) as u32);
        let high = along(volume.max).map(|at| at.ceil() as u32);
        let (first, last) = (low.map(|at| at / STEPS), high.map(|at| at / STEPS));
        let cells: f64 = (0..3).map(|k| f64::from(last[k] - first[k] + 1)).product();
        if cells > 2.0 * most as f64 || places.len() > most {
            return many(cells + places.len() as f64, most as f64);
        }
        for z in first[2]..=last[2] {
            for y in first[1]..=last[1] {
                for at in (first[0]..=last[0]).map(|x| [x, y, z]) {
                    let least = [0, 1, 2].map(|k| low[k].max(at[k] * STEPS) as u16);
                    let most = [0, 1, 2].map(|k| high[k].min((at[k] + 1) * STEPS) as u16);
                    // What only touches the volume is not in it.
                    if (0..3).all(|k| least[k] < most[k]) {
                        let inner = places.entry(at).or_insert([least, most]);
                        inner[0] = [0, 1, 2].map(|k| inner[0][k].min(least[k]));
                        inner[1] = [0, 1, 2].map(|k| inner[1][k].max(most[k]));
                    }
                }
            }
        }
    }
    if places.len() > most {
        return many(places.len() as f64, most as f64);
    }
    // Who is all in a solid sees what is drawn of its inside: nothing is known of that.
    places.retain(|at, _| {
        let low: Point = std::array::from_fn(|k| origin[k] + f64::from(at[k]) * cell[k]);
        let place = Aabb {
            min: low,
            max: plus(low, cell),
        }
        .about(level.middle);
        let holds = |solid: &Solid| {
            let behind = |at: &Point| solid.planes.iter().all(|of| dot(of.normal, *at) <= of.dist);
            solid.bounds.touches(&place) && place.corners().iter().all(behind)
        };
        !level.solids.iter().any(holds)
    });
    if places.is_empty() {
        return Err(PlacesError::NoSpawn);
    }
    let boxes = places
        .into_iter()
        .map(|(min, inner)| (PlaceBox { min, level: 0 }, inner));
    Ok(PlaceCells::trimmed(cell, origin, boxes.collect()))
}
