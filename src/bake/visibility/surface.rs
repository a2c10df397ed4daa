//! Upper bounds of drawn surfaces: where the ground may be between the samples.
//!
//! An engine draws the four samples around a patch of ground as a bilinear surface, or as two
//! triangles split along either diagonal. All three agree on the grid lines; within a patch, at
//! (x, y) from its north-western sample, the triangulations differ from the bilinear surface by
//! the patch's twist h00 + h11 - h10 - h01 times a factor, one upwards and the other downwards.
//! So the bilinear surface lies between the other two, and the *upper* surface, the higher of the
//! two triangulations, is nowhere below any of the three.
//!
//! A view cell covers a quarter of each of four patches. On a quarter the upper surface is one
//! plane, or two planes that meet in a ridge along a diagonal of the quarter. A [`Cover`] has, on
//! each quarter, a bilinear surface that is nowhere below the upper surface. For one plane that is
//! the plane itself. For a ridge from corner 00 to corner 11, t being the twist of the quarter's
//! corners, the two planes are above the bilinear surface through the corners by t·y·(1 - x) where
//! y ≤ x, and by t·x·(1 - y) elsewhere: at most t/4, so all four corners are raised by t/4.
//!
//! Where solids stand on the ground, feet in a cell are on that ground, drawn in whatever way, or no higher than the
//! cell's top ([`Terrain::top_over`]), wherever in the cell a roof begins and ends. So no point of a cover is below the
//! top. Who stands lower over the same place, at the foot of a wall or below eaves, is hidden by whatever hides the
//! highest: what blocks is solid from the ground up, and a line of sight that is lowered at both ends stays below it.

use super::TOLERANCE;
use super::sightline::Stance;
use viewcell_ingest::world::Terrain;

/// Points on the side of a cell: its corners, and between them the grid line through its sample.
pub(crate) const POINTS: usize = 3;

/// A number for each point of a cell, row by row.
pub(crate) type AtPoints = [f64; POINTS * POINTS];

/// The ground of one cell.
pub(crate) struct Cover {
    /// The least and the greatest ground in the cell, over all three surfaces and what stands on them.
    pub least: f64,
    pub greatest: f64,
    /// Heights whose bilinear interpolation over each quarter of the cell is nowhere below any
    /// of the three surfaces, nor what stands on them.
    pub quarters: AtPoints,
}

impl Cover {
    /// The ground of the cell around sample (c, r), which is no void.
    ///
    /// Where a patch lacks samples (at a void or the grid's edge) the ones that it has stand in
    /// for them, the greatest from above and the least from below.
    pub(super) fn new(terrain: &Terrain, column: u32, row: u32) -> Self {
        let at = |dc: i64, dr: i64| {
            let (c, r) = (i64::from(column) + dc, i64::from(row) + dr);
            let inside = (0..i64::from(terrain.width())).contains(&c)
                && (0..i64::from(terrain.height())).contains(&r);
            if inside {
                terrain.bare_ground_at(c as u32, r as u32)
            } else {
                f64::NAN
            }
        };
        let here = at(0, 0);
        // Comparisons with NaN are false, and the greater of NaN and a number is the number.
        let top = terrain.top_over(column, row);
        if here.is_nan() {
            // A roof over a void: no patch around the sample is drawn.
            let least = terrain.ground_at(column, row).min(top);
            return Self {
                least,
                greatest: top,
                quarters: [top; POINTS * POINTS],
            };
        }
        let (mut least, mut greatest) = (here, here);
        let mut quarters = [f64::NEG_INFINITY; POINTS * POINTS];
        for (west, north) in [(-1, -1), (0, -1), (-1, 0), (0, 0)] {
            let patch = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(dc, dr)| at(west + dc, north + dr));
            let fill = |with: f64| patch.map(|h| if h.is_nan() { with } else { h });
            let known = patch.iter().copied().filter(|h| !h.is_nan());
            let low = fill(known.clone().fold(f64::INFINITY, f64::min));
            let high = fill(known.fold(f64::NEG_INFINITY, f64::max));
            // The quarter's corners, north-western first: the point of the cell that each is, and
            // where it lies in the patch.
            let corners = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(i, j)| {
                let (i, j) = (west + 1 + i, north + 1 + j);
                let place = |k: i64, corner: i64| (k - 1) as f64 / 2.0 - corner as f64;
                let point = j as usize * POINTS + i as usize;
                (point, place(i, west), place(j, north))
            });
            let upper = corners.map(|(_, x, y)| patch_bounds(high, x, y).1);
            let raised = (upper[0] + upper[3] - upper[1] - upper[2]).abs() / 4.0;
            for ((point, x, y), upper) in corners.into_iter().zip(upper) {
                quarters[point] = quarters[point].max(upper + raised);
                greatest = greatest.max(upper);
                least = least.min(patch_bounds(low, x, y).0);
            }
        }
        Self {
            least,
            greatest: greatest.max(top),
            quarters: quarters.map(|height| height.max(top)),
        }
    }
}

/// Whether a point `above` metres over the ground at a sample, which is no void, is below the surface;
/// for a cell, whether such a point anywhere in the cell is.
///
/// Within a patch, the lowest and the highest of its three surfaces are each one of the two
/// triangulations. So on a quarter of a cell the lowest surface minus the highest ground is one
/// plane, or two that meet in a diagonal, and its minimum is at a corner of the quarter.
pub(crate) fn is_covered(
    terrain: &Terrain,
    (column, row): (u32, u32),
    above: f64,
    stance: Stance,
) -> bool {
    let covers = |surface: f64, ground: f64| surface - (ground + above) > TOLERANCE;
    let here = covers(terrain.at(column, row), terrain.ground_at(column, row));
    if !here || stance == Stance::Sample {
        return here;
    }
    let inside = |&(c, r): &(i64, i64)| {
        (0..i64::from(terrain.width())).contains(&c)
            && (0..i64::from(terrain.height())).contains(&r)
    };
    let corners = |(west, north): (i64, i64)| {
        let (c, r) = (i64::from(column) + west, i64::from(row) + north);
        [(c, r), (c + 1, r), (c, r + 1), (c + 1, r + 1)]
    };
    let heights = |patch: [(i64, i64); 4], of: fn(&Terrain, u32, u32) -> f64| {
        patch.map(|sample| {
            if inside(&sample) {
                of(terrain, sample.0 as u32, sample.1 as u32)
            } else {
                f64::NAN
            }
        })
    };
    // Beside the grid the samples that are there stand in for those that are not, as in a `Cover`.
    let fill = |patch: [f64; 4], join: fn(f64, f64) -> f64| {
        let with = patch.into_iter().reduce(join).unwrap_or(f64::NAN);
        patch.map(|height| if height.is_nan() { with } else { height })
    };
    [(-1, -1), (0, -1), (-1, 0), (0, 0)]
        .into_iter()
        .all(|corner| {
            let patch = corners(corner);
            let surface = heights(patch, Terrain::at);
            // A patch with a void is not drawn, and covers nobody.
            let is_void = |(sample, height): (&(i64, i64), &f64)| inside(sample) && height.is_nan();
            if patch.iter().zip(&surface).any(is_void) {
                return false;
            }
            let surface = fill(surface, f64::min);
            let ground = fill(heights(patch, Terrain::bare_ground_at), f64::max);
            let top = terrain.top_over(column, row);
            [(0.0, 0.0), (0.5, 0.0), (0.0, 0.5), (0.5, 0.5)]
                .into_iter()
                .all(|(x, y)| {
                    let (x, y) = (x - 0.5 * corner.0 as f64, y - 0.5 * corner.1 as f64);
                    let highest = patch_bounds(ground, x, y).1.max(top);
                    covers(patch_bounds(surface, x, y).0, highest)
                })
        })
}

/// Least and greatest ground over the three surfaces at (`x`, `y`), 0 to 1, of a patch with the
/// heights (nw, ne, sw, se).
fn patch_bounds([nw, ne, sw, se]: [f64; 4], x: f64, y: f64) -> (f64, f64) {
    let one = if x >= y {
        nw + x * (ne - nw) + y * (se - ne)
    } else {
        nw + y * (sw - nw) + x * (se - sw)
    };
    let other = if x + y <= 1.0 {
        nw + x * (ne - nw) + y * (sw - nw)
    } else {
        se + (1.0 - x) * (sw - se) + (1.0 - y) * (ne - se)
    };
    (one.min(other), one.max(other))
}

#[cfg(test)]
mod tests {
    use super::super::continuous::Surface;
    use super::*;
    use proptest::prelude::*;

    /// Bilinear over four heights, row by row.
    fn bilinear(h: [f64; 4], x: f64, y: f64) -> f64 {
        (h[0] * (1.0 - x) + h[1] * x) * (1.0 - y) + (h[2] * (1.0 - x) + h[3] * x) * y
    }

    proptest! {
        #[test]
        fn no_surface_rises_above_a_cover(
            heights in proptest::collection::vec(-9.0..9.0f64, 9),
            void in prop::option::weighted(0.2, 0usize..9),
            place in (-0.5..=0.5f64, -0.5..=0.5f64),
        ) {
            let mut heights = heights;
            if let Some(k) = void.filter(|&k| k != 4) {
                heights[k] = f64::NAN;
            }
            let terrain = Terrain::new(3, 3, heights, [1.0, 1.0]).unwrap();
            let cover = Cover::new(&terrain, 1, 1);
            let (x, y) = place;
            // The quarter's north-western point, and the place within it.
            let split = |at: f64| if at < 0.0 { (0, 2.0 * at + 1.0) } else { (1, 2.0 * at) };
            let ((i, u), (j, v)) = (split(x), split(y));
            let at = |di: usize, dj: usize| cover.quarters[(j + dj) * POINTS + i + di];
            let quarter = bilinear([at(0, 0), at(1, 0), at(0, 1), at(1, 1)], u, v);
            for surface in Surface::ALL {
                if let Some(ground) = surface.height(&terrain, 1.0 + x, 1.0 + y) {
                    prop_assert!(ground <= quarter + 1e-12, "{ground} > {quarter}");
                    prop_assert!(ground <= cover.greatest + 1e-12);
                    prop_assert!(ground >= cover.least - 1e-12);
                }
            }
        }

        #[test]
        fn nobody_in_a_covered_cell_looks_out_whatever_an_engine_draws(
            ground in proptest::collection::vec(-1.0..1.0f64, 9),
            over in prop_oneof![
                proptest::collection::vec(0.0..8.0f64, 9),
                proptest::collection::vec(4.0..8.0f64, 9),
            ],
            void in prop::option::weighted(0.3, 0usize..9),
        ) {
            let mut surface: Vec<f64> = ground.iter().zip(&over).map(|(g, o)| g + o).collect();
            if let Some(k) = void.filter(|&k| k != 4) {
                surface[k] = f64::NAN;
            }
            let terrain = Terrain::new(3, 3, surface.clone(), [1.0, 1.0]).unwrap();
            let terrain = terrain.with_ground(ground).unwrap();
            let surface = Terrain::new(3, 3, surface, [1.0, 1.0]).unwrap();
            let above = 1.5;
            let covered = is_covered(&terrain, (1, 1), above, Stance::Cell);
            let mut out = false;
            for k in 0..=100 {
                let [x, y] = [k % 10, k / 10].map(|at| 0.5 + f64::from(at.min(10)) / 10.0);
                for (above_it, below_it) in
                    Surface::ALL.into_iter().flat_map(|a| Surface::ALL.map(|b| (a, b)))
                {
                    let heights = (above_it.height(&surface, x, y), below_it.height(&terrain, x, y));
                    if let (Some(surface), Some(ground)) = heights {
                        out |= surface <= ground + above;
                    }
                }
            }
            prop_assert!(!(covered && out));
            // Not for nothing.
            prop_assert!(covered || over.iter().any(|&over| over < 4.0) || void.is_some());
        }
    }
}
