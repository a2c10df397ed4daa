//! Ground from slices of cubes, or from heights and the depths of layers (Pennings, section 4.3.1).

use std::ops::Range;

use super::change::Version;
use super::error::GroundError;
use super::frame::{Frame, Sides};
use super::patches::{Patches, Stack};
use super::tree::{EMPTY, Material, Tree};

/// The most cubes of ground that is built, unless somebody says otherwise.
pub const MOST_CUBES: u64 = 500_000_000;

/// What ground to build.
#[derive(Clone, Debug)]
pub struct Ask {
    /// Columns and rows.
    pub size: [u32; 2],
    /// A cube's size in metres: east, south, up.
    pub spacing: [f64; 3],
    /// The names of materials 1, 2 and so on.
    pub materials: Vec<String>,
    /// Sides of patches.
    pub sides: Sides,
    /// The most cubes: columns times rows times slices.
    pub most_cubes: u64,
}

impl Ask {
    /// Checks how many cubes it asks for. Nothing is allocated before.
    ///
    /// # Errors
    ///
    /// Where it asks for more cubes than there may be.
    pub fn check(&self, slices: &Range<i32>) -> Result<(), GroundError> {
        let count = (i64::from(slices.end) - i64::from(slices.start)).max(0) as u64;
        let [width, height] = self.size.map(u64::from);
        let cubes = (width * height).checked_mul(count);
        if cubes.is_none_or(|cubes| cubes > self.most_cubes) || count > Frame::MOST_SLICES as u64 {
            return Err(GroundError::TooLarge {
                size: [width, height, count],
                most: self.most_cubes,
            });
        }
        let most = Frame::MOST_SLICE;
        if slices.start < -most || slices.end > most {
            return Err(GroundError::bad(
                "slices",
                format!("numbers within {most} of the world's origin"),
                format!("{} to {}", slices.start, slices.end - 1),
            ));
        }
        Ok(())
    }
}

/// Builds ground from slices, each of which is asked for twice, upwards: `slice` fills in what its cubes
/// are of, row by row.
///
/// # Errors
///
/// Those of `slice`; too many cubes; a material without a name.
pub fn build<E: From<GroundError>>(
    ask: &Ask,
    slices: Range<i32>,
    mut slice: impl FnMut(i32, &mut [Material]) -> Result<(), E>,
) -> Result<Patches, E> {
    ask.check(&slices)?;
    let samples = ask.size[0] as usize * ask.size[1] as usize;
    let mut cubes = vec![EMPTY; samples];
    let mut has = vec![false; samples];
    for number in slices.clone() {
        slice(number, &mut cubes)?;
        for (i, (has, material)) in has.iter_mut().zip(&cubes).enumerate() {
            *has |= *material != EMPTY;
            if usize::from(*material) > ask.materials.len() {
                let (column, row) = (i as u32 % ask.size[0], i as u32 / ask.size[0]);
                return Err(GroundError::bad(
                    format!("slice {number}, cube ({column}, {row})"),
                    format!(
                        "a material of 0 to {}, which have names",
                        ask.materials.len()
                    ),
                    material.to_string(),
                )
                .into());
            }
        }
    }
    stacks(ask, slices, &has, slice)
}

fn stacks<E: From<GroundError>>(
    ask: &Ask,
    slices: Range<i32>,
    has: &[bool],
    mut slice: impl FnMut(i32, &mut [Material]) -> Result<(), E>,
) -> Result<Patches, E> {
    let [width, height] = ask.size;
    let is_ground = |x: u32, y: u32| has[y as usize * width as usize + x as usize];
    let materials = ask.materials.clone();
    let frame = Frame::new(ask.size, ask.spacing, materials, ask.sides, is_ground)?;
    let mut cubes = vec![EMPTY; has.len()];
    let mut trees: Vec<Vec<Tree>> = vec![Vec::with_capacity(slices.len()); frame.patches().len()];
    for number in slices.clone() {
        slice(number, &mut cubes)?;
        for (trees, patch) in trees.iter_mut().zip(frame.patches()) {
            trees.push(Tree::build(patch.level, &mut |x, y| {
                let (x, y) = (patch.x + x, patch.y + y);
                if x < width && y < height {
                    cubes[y as usize * width as usize + x as usize]
                } else {
                    EMPTY
                }
            }));
        }
    }
    let stacks = trees
        .into_iter()
        .map(|trees| Stack::new(slices.start, trees));
    Ok(Patches::new(frame, Version::default(), stacks.collect()))
}

/// How deep a layer is.
#[derive(Clone, Debug, PartialEq)]
pub enum Depth {
    /// The same everywhere. [Unit: m]
    Constant(f64),
    /// For each sample, row by row. [Unit: m]
    Raster(Vec<f64>),
    /// Down to the bottom; for the last layer only.
    Rest,
}

/// Builds ground from the heights of its surface, row by row, NaN for void, in metres, and from the depths of
/// its layers, material 1 first, downwards. `bottom` is where the last layer ends, if it is
/// [`Depth::Rest`]; ten cubes below the lowest place of that layer's top, if it is not said.
///
/// A surface or the border of two layers is put at the nearest face of a cube.
///
/// # Errors
///
/// Sizes that differ, numbers that are none, depths below zero, too many cubes.
pub fn of_layers(
    ask: &Ask,
    heights: &[f64],
    depths: &[Depth],
    bottom: Option<f64>,
) -> Result<Patches, GroundError> {
    let borders = borders(ask, heights, depths, bottom)?;
    let has: Vec<bool> = heights.iter().map(|height| !height.is_nan()).collect();
    let solid = || (0..has.len()).filter(|&i| has[i]);
    let top = solid().map(|i| borders[0][i]).max().unwrap_or(0);
    let floor = solid().map(|i| borders[depths.len()][i]).min().unwrap_or(0);
    let slices = floor..top;
    ask.check(&slices)?;
    stacks(ask, slices, &has, |number, cubes: &mut [Material]| {
        for (i, cube) in cubes.iter_mut().enumerate() {
            let inside =
                |layer: &usize| borders[*layer][i] > number && borders[layer + 1][i] <= number;
            *cube = if has[i] {
                (0..depths.len())
                    .find(inside)
                    .map_or(EMPTY, |l| l as u8 + 1)
            } else {
                EMPTY
            };
        }
        Ok(())
    })
}

/// For the surface and the underside of each layer, the slice above the highest cube below it.
fn borders(
    ask: &Ask,
    heights: &[f64],
    depths: &[Depth],
    bottom: Option<f64>,
) -> Result<Vec<Vec<i32>>, GroundError> {
    let [width, rows] = ask.size;
    let samples = width as usize * rows as usize;
    let up = ask.spacing[2];
    if !(1e-6..=1e9).contains(&up) {
        let found = up.to_string();
        return Err(GroundError::bad(
            "spacing",
            "cubes 1e-6 to 1e9 m high",
            found,
        ));
    }
    if depths.is_empty() || depths.len() != ask.materials.len() {
        let expected = format!(
            "a layer for each of {} materials, at least 1",
            ask.materials.len()
        );
        return Err(GroundError::bad(
            "layers",
            expected,
            depths.len().to_string(),
        ));
    }
    let sized = |name: &str, found: usize| {
        if found == samples {
            Ok(())
        } else {
            Err(GroundError::bad(
                name,
                format!("{width} x {rows} = {samples} samples, as the heightmap has"),
                found.to_string(),
            ))
        }
    };
    sized("heights", heights.len())?;
    let place = |i: usize| format!("({}, {})", i % width as usize, i / width as usize);
    let cube_of = |metres: f64, name: &str, i: usize| {
        let cube = (metres / up).round();
        if cube.abs() <= f64::from(Frame::MOST_SLICE) {
            Ok(cube as i32)
        } else {
            Err(GroundError::bad(
                format!("{name} at {}", place(i)),
                format!("a height within {} cubes of 0", Frame::MOST_SLICE),
                format!("{metres:?} m"),
            ))
        }
    };
    let mut level = heights.to_vec();
    let border = |level: &[f64], name: &str| -> Result<Vec<i32>, GroundError> {
        let cubes = level.iter().enumerate().map(|(i, metres)| {
            if metres.is_nan() {
                Ok(0)
            } else {
                cube_of(*metres, name, i)
            }
        });
        cubes.collect()
    };
    let mut borders = vec![border(&level, "surface")?];
    for (layer, depth) in depths.iter().enumerate() {
        let name = format!("layer {} ({})", layer + 1, ask.materials[layer]);
        let check = |depth: f64, i: usize| {
            if (0.0..=1e9).contains(&depth) {
                Ok(depth)
            } else {
                Err(GroundError::bad(
                    format!("{name} at {}", place(i)),
                    "a depth of 0 m to 1e9 m",
                    format!("{depth:?}"),
                ))
            }
        };
        match depth {
            Depth::Constant(depth) => {
                check(*depth, 0)?;
                level.iter_mut().for_each(|level| *level -= depth);
            }
            Depth::Raster(raster) => {
                sized(&name, raster.len())?;
                for (i, level) in level.iter_mut().enumerate() {
                    // Nobody asks how deep the ground is where there is none.
                    if !level.is_nan() {
                        *level -= check(raster[i], i)?;
                    }
                }
            }
            Depth::Rest if layer + 1 < depths.len() => {
                return Err(GroundError::bad(
                    name,
                    "a depth: only the last layer goes down to the bottom",
                    "none",
                ));
            }
            Depth::Rest => {
                let lowest = level.iter().copied().fold(f64::INFINITY, f64::min);
                let bottom = bottom.unwrap_or(lowest - 10.0 * up);
                if !bottom.is_finite() {
                    let found = bottom.to_string();
                    return Err(GroundError::bad("bottom", "a height in metres", found));
                }
                for level in level.iter_mut().filter(|level| !level.is_nan()) {
                    *level = level.min(bottom);
                }
            }
        }
        borders.push(border(&level, &name)?);
    }
    Ok(borders)
}
