//! Upper bounds of the ground over the cell of a sample: a bilinear patch over each quarter of it. Quads have planes
//! ([`super::planes`]).

use super::field::{NOWHERE, ShaftField};
use super::planes::Corners;
use crate::visibility::lanes::VOID;
use crate::visibility::surface::{Cover, POINTS};

/// Heights over the points of a rectangle, row by row: its corners, the middles of its sides, and its middle.
pub(crate) type Heights = [f32; POINTS * POINTS];

/// Heights over corners, where the other points do not count.
pub(super) fn over_corners([nw, ne, sw, se]: Corners) -> Heights {
    [nw, VOID, ne, VOID, VOID, VOID, sw, VOID, se]
}

/// Bounds of the cells that were asked for last, less the field's base: a direct-mapped cache.
pub(crate) struct CellCache(Vec<((u32, u32), CellHeights)>);

/// Heights whose bilinear interpolation over each quarter of a cell is nowhere below its ground.
#[derive(Clone, Copy)]
pub(crate) struct CellHeights {
    /// For quarters one by one: those of the [`Cover`].
    pub quarters: Heights,
    /// For the whole cell at once: the same, or the cell's greatest ground at all points.
    pub whole: Heights,
    /// The greatest ground.
    pub greatest: f32,
}

/// Of cells whose columns and rows are equal modulo this the last one is kept.
const KEPT: u32 = 32;

impl CellCache {
    pub(super) fn new() -> Self {
        let none = CellHeights {
            quarters: [VOID; POINTS * POINTS],
            whole: [VOID; POINTS * POINTS],
            greatest: VOID,
        };
        Self(vec![(NOWHERE, none); (KEPT * KEPT) as usize])
    }

    /// The bounds of a cell: kept ones, or new ones in the place of what was kept.
    pub(super) fn of(&mut self, field: &ShaftField<'_>, place: (u32, u32)) -> &CellHeights {
        let (column, row) = place;
        let kept = &mut self.0[((row % KEPT) * KEPT + column % KEPT) as usize];
        if kept.0 != place {
            let cover = Cover::new(field.terrain, column, row);
            let quarters = cover.quarters.map(|height| (height - field.base) as f32);
            let greatest = (cover.greatest - field.base) as f32;
            let highest = quarters.iter().fold(VOID, |most, &height| most.max(height));
            let mean = quarters.iter().sum::<f32>() / quarters.len() as f32;
            // Over roofs the points overshoot the ground, and a level bound hides more. By a quarter: always level
            // hides as much of Bilbao for three times as many divided pairs of mountains, never leaves 1.6 % more visible.
            let whole = if highest - greatest > 0.25 * (greatest - mean) {
                [greatest; POINTS * POINTS]
            } else {
                quarters
            };
            let heights = CellHeights {
                quarters,
                whole,
                greatest,
            };
            *kept = (place, heights);
        }
        &kept.1
    }
}

#[cfg(test)]
mod tests {
    use super::super::pair::side;
    use super::super::planes::MAX_SLOPE_LEVEL;
    use super::super::slopes::tests::{SIDE, place, sample_at, terrain};
    use super::*;
    use crate::visibility::Bodies;
    use crate::visibility::continuous::Surface;
    use crate::visibility::sightline::Stance;
    use viewcell::dice::Dice;

    /// At shares of the way from west to east and from north to south.
    fn bilinear(corners: Corners, [x, y]: [f64; 2]) -> f64 {
        let [nw, ne, sw, se] = corners.map(f64::from);
        (nw * (1.0 - x) + ne * x) * (1.0 - y) + (sw * (1.0 - x) + se * x) * y
    }

    /// The same by the quarter that the place is in.
    fn over(heights: &Heights, share: [f64; 2]) -> f64 {
        let quarter = share.map(|share| usize::from(share > 0.5));
        let first = quarter[1] * POINTS + quarter[0];
        let corners = [0, 1, POINTS, POINTS + 1].map(|corner| heights[first + corner]);
        bilinear(corners, [0, 1].map(|k| 2.0 * share[k] - quarter[k] as f64))
    }

    #[test]
    fn no_ground_rises_above_the_corners_of_its_quad() {
        let mut dice = Dice(12);
        let bodies = Bodies {
            eye: 1.0,
            head: 1.0,
        };
        for _ in 0..10 {
            let terrain = terrain(&mut dice);
            let field = ShaftField::new(&terrain, bodies, Stance::Cell, 3);
            let mut cells = CellCache::new();
            for _ in 0..4000 {
                let level = dice.roll(MAX_SLOPE_LEVEL);
                let quad = (dice.roll(SIDE) >> level, dice.roll(SIDE) >> level);
                let number = field.quads[level as usize].number(quad);
                if !field.has_anybody(level, number) {
                    continue;
                }
                let sides = [quad.0, quad.1].map(|at| side(level, at, SIDE));
                let at = sides.map(|side| place(&mut dice, side));
                let sample = sample_at(at, sides);
                if !field.has_anybody(0, field.quads[0].number(sample)) {
                    continue;
                }
                let share = [0, 1].map(|k| (at[k] - sides[k][0]) / (sides[k][1] - sides[k][0]));
                let bounds = match level {
                    0 => {
                        let cell = cells.of(&field, quad);
                        vec![over(&cell.quarters, share), over(&cell.whole, share)]
                    }
                    _ => {
                        let corners = field.corners[level as usize][number];
                        vec![bilinear(corners, share)]
                    }
                };
                for surface in Surface::ALL {
                    if let Some(ground) = surface.height(&terrain, at[0], at[1]) {
                        let ground = ground - field.base;
                        for bound in &bounds {
                            assert!(
                                ground <= bound + f64::from(field.margin_slopes),
                                "{ground} above {bound}, level {level}"
                            );
                        }
                    }
                }
            }
        }
    }
}
