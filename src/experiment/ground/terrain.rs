//! Ground of the description that the thesis gives (section 5.1.2), made up.
//!
//! 1024 × 1024 × 100 cubes in one patch; five soils upon one another, the border of each of a different
//! height at different places, with parts that stand out over lower ones; 13 heights at the surface; 33
//! slices of a single node; about 183,000 nodes. The images that the thesis used were not published.

use crate::ground::{Ask, GroundError, Patches, Sides, build};

/// How many soils there are.
pub const SOILS: u8 = 5;

/// The soil at the surface.
pub const TOP_SOIL: u8 = 1;

const SIDE: u32 = 1024;
/// The lowest slice into which each border comes, from the lowest border to the surface, and into how
/// many.
const BORDERS: [(i32, i32); 5] = [(2, 14), (16, 14), (30, 14), (44, 13), (63, 12)];

/// Hills of a border: middle, radii, height as a share.
const HILLS: [[f64; 5]; 3] = [
    [300.0, 340.0, 190.0, 150.0, 1.0],
    [700.0, 620.0, 150.0, 210.0, 0.75],
    [610.0, 170.0, 120.0, 90.0, 0.5],
];

/// The ground.
///
/// # Errors
///
/// None in truth.
pub fn paper_terrain() -> Result<Patches, GroundError> {
    let names = ["topsoil", "loam", "clay", "gravel", "rock"];
    let ask = Ask {
        size: [SIDE; 2],
        spacing: [1.0; 3],
        materials: names.map(String::from).to_vec(),
        sides: Sides { most: 10, least: 4 },
        most_cubes: 1 << 28,
    };
    // How far each border's hills reach up at each place, in slices.
    let reach: Vec<Vec<f32>> = (0..BORDERS.len()).map(reach_of).collect();
    build(&ask, 0..76, |slice, cubes: &mut [u8]| {
        for y in 0..SIDE {
            for x in 0..SIDE {
                let soil = (0..BORDERS.len()).find(|&border| {
                    let (first, count) = BORDERS[border];
                    let above = slice - first;
                    if above < 0 || above >= count {
                        return above < 0;
                    }
                    // What stands out: every fourth slice lies some cubes further east.
                    let east = if above % 4 == 3 { 7 } else { 0 };
                    let at = y * SIDE + x.saturating_sub(east);
                    reach[border][at as usize] > above as f32
                });
                // The lowest border is that of the deepest soil.
                let material = soil.map_or(0, |border| SOILS - border as u8);
                cubes[(y * SIDE + x) as usize] = material;
            }
        }
        Ok(())
    })
}

fn reach_of(border: usize) -> Vec<f32> {
    let (_, count) = BORDERS[border];
    let turn = border as f64 * 1.3;
    let mut reach = Vec::with_capacity((SIDE * SIDE) as usize);
    for y in 0..SIDE {
        for x in 0..SIDE {
            let mut most = 0.0f64;
            for [middle_x, middle_y, east, south, height] in HILLS {
                // Each border has its hills elsewhere, with an outline that is not smooth.
                let shift = [90.0 * turn.sin(), 80.0 * turn.cos()];
                let away = [
                    (f64::from(x) - middle_x - shift[0]) / (east * WIDTH),
                    (f64::from(y) - middle_y - shift[1]) / (south * WIDTH),
                ];
                let angle = away[1].atan2(away[0]);
                let ripple = 1.0 + 0.06 * (5.0 * angle + turn).sin() + 0.03 * (17.0 * angle).cos();
                let square = (away[0] * away[0] + away[1] * away[1]) * ripple * ripple;
                most = most.max(height * (1.0 - square));
            }
            reach.push((most * f64::from(count)) as f32);
        }
    }
    reach
}

/// Makes the hills as wide as gives the thesis's number of nodes.
const WIDTH: f64 = 0.47;
