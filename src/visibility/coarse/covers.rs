//! Planes and patches that the ground of quads, and of the squares around single samples, is nowhere above.

use super::field::{NOWHERE, ShaftField};
use crate::visibility::conservative::refine::PAIRS;
use crate::visibility::lanes::VOID;
use crate::visibility::surface::{Cover, POINTS};

/// Heights over the corners of a rectangle on the map: north-west, north-east, south-west, south-east.
pub(crate) type Corners = [f32; 4];

/// Heights over a cell, less the field's base.
#[derive(Clone, Copy)]
pub(crate) struct CellCover {
    place: (u32, u32),
    /// Over the corners of its quarters: for each corner (north-western first, row by row) that of each quarter
    /// (likewise).
    pub quarters: [f32; PAIRS],
    /// Over its own corners.
    pub whole: Corners,
}

impl CellCover {
    pub(crate) fn new(field: &ShaftField<'_>, place: (u32, u32)) -> Self {
        let heights = Cover::new(field.terrain, place.0, place.1).quarters;
        let heights = heights.map(|height| height - field.base);
        let side = (POINTS - 1) as f64;
        let points: [_; POINTS * POINTS] = std::array::from_fn(|k| {
            let (column, row) = (k % POINTS, k / POINTS);
            [column as f64 / side, row as f64 / side, heights[k]]
        });
        Self {
            place,
            quarters: std::array::from_fn(|k| {
                // The low bits of corner and quarter are columns.
                let (corner, quarter) = (k / 4, k % 4);
                let (column, row) = (corner % 2 + quarter % 2, corner / 2 + quarter / 2);
                heights[row * POINTS + column] as f32
            }),
            whole: cover(&points),
        }
    }

    /// Over the corners of each of its quarters, row by row.
    pub(crate) fn by_quarter(&self) -> [Corners; 4] {
        let heights = &self.quarters;
        [0, 1, 2, 3].map(|quarter| [0, 1, 2, 3].map(|corner| heights[4 * corner + quarter]))
    }
}

/// The covers of cells that were asked for last.
pub(crate) struct Covers(Vec<CellCover>);

/// Columns and rows of cells of which one is kept.
const KEPT: u32 = 32;

impl Covers {
    pub(super) fn new() -> Self {
        let none = CellCover {
            place: NOWHERE,
            quarters: [0.0; PAIRS],
            whole: [VOID; 4],
        };
        Self(vec![none; (KEPT * KEPT) as usize])
    }

    pub(super) fn of(&mut self, field: &ShaftField<'_>, place: (u32, u32)) -> &CellCover {
        let (column, row) = place;
        let kept = &mut self.0[((row % KEPT) * KEPT + column % KEPT) as usize];
        if kept.place != place {
            *kept = CellCover::new(field, place);
        }
        kept
    }
}

/// Heights over the corners of a rectangle whose bilinear interpolation is nowhere below any of the points: columns
/// and rows in shares of its sides, and heights. The plane of least squares, raised.
pub(crate) fn cover(points: &[[f64; 3]]) -> Corners {
    let per = 1.0 / points.len() as f64;
    let sum = |of: &dyn Fn(&[f64; 3]) -> f64| points.iter().map(of).sum::<f64>();
    let mean = [0, 1, 2].map(|k| sum(&|point| point[k]) * per);
    let product = |i: usize, j: usize| sum(&|point| (point[i] - mean[i]) * (point[j] - mean[j]));
    let (xx, xy, yy) = (product(0, 0), product(0, 1), product(1, 1));
    let (xh, yh) = (product(0, 2), product(1, 2));
    let determinant = xx * yy - xy * xy;
    let (east, south) = match determinant > 1e-9 {
        true => (
            (xh * yy - yh * xy) / determinant,
            (yh * xx - xh * xy) / determinant,
        ),
        // Any plane will do.
        false => (0.0, 0.0),
    };
    let plane = |x: f64, y: f64| mean[2] + east * (x - mean[0]) + south * (y - mean[1]);
    let above = points.iter().map(|&[x, y, height]| height - plane(x, y));
    let raised = above.fold(f64::MIN, f64::max);
    [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)].map(|(x, y)| (plane(x, y) + raised) as f32)
}

#[cfg(test)]
mod tests {
    use super::super::slopes::HIGHEST;
    use super::super::slopes::tests::{SIDE, place, terrain};
    use super::super::step::side;
    use super::*;
    use crate::dice::Dice;
    use crate::visibility::Bodies;
    use crate::visibility::conservative::continuous::Surface;
    use crate::visibility::sightline::Stance;

    #[test]
    fn no_ground_rises_above_the_corners_of_its_quad() {
        let mut dice = Dice(12);
        let bodies = Bodies {
            eye: 1.0,
            head: 1.0,
        };
        for _ in 0..10 {
            let terrain = terrain(&mut dice);
            let field = ShaftField::new(&terrain, bodies, Stance::Cell, [3, 0]);
            for _ in 0..4000 {
                let level = dice.roll(HIGHEST);
                let quad = (dice.roll(SIDE) >> level, dice.roll(SIDE) >> level);
                let number = field.quads[level as usize].number(quad);
                if !field.has_anybody(level, number) {
                    continue;
                }
                let corners = match level {
                    0 => CellCover::new(&field, quad).whole,
                    _ => field.corners[level as usize][number],
                };
                let sides = [quad.0, quad.1].map(|at| side(level, at, SIDE));
                let at = sides.map(|side| place(&mut dice, side));
                let [x, y] = [0, 1].map(|k| (at[k] - sides[k][0]) / (sides[k][1] - sides[k][0]));
                let [nw, ne, sw, se] = corners.map(f64::from);
                let bound = (nw * (1.0 - x) + ne * x) * (1.0 - y) + (sw * (1.0 - x) + se * x) * y;
                for surface in Surface::ALL {
                    if let Some(ground) = surface.height(&terrain, at[0], at[1]) {
                        let ground = ground - field.base;
                        assert!(
                            ground <= bound + f64::from(field.cell),
                            "{ground} above {bound}"
                        );
                    }
                }
            }
        }
    }
}
