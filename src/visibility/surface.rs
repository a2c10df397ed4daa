//! Where the ground may be between the samples.
//!
//! An engine draws the four samples around a patch of ground as a bilinear surface, or as two
//! triangles split along either diagonal. All three agree on the grid lines; within a patch, at
//! (x, y) from its north-western sample, the triangulations differ from the bilinear surface by
//! the patch's twist h00 + h11 - h10 - h01 times a factor, one upwards and the other downwards.
//! So the bilinear surface lies between the other two.

use crate::world::Terrain;

/// How often cells are quartered.
pub(super) const DEPTH: usize = 2;

/// Splits of a cell's side, at the finest.
pub(super) const SPLIT: usize = 1 << DEPTH;

/// Points of the lattice on a cell's side.
const LATTICE: usize = SPLIT + 1;

/// Least and greatest ground at `SPLIT` + 1 by `SPLIT` + 1 points of a cell, from its
/// north-western corner on, over all three surfaces.
pub(super) struct Lattice {
    least: [f64; LATTICE * LATTICE],
    greatest: [f64; LATTICE * LATTICE],
}

/// Least and greatest ground over the three surfaces at (`x`, `y`), 0 to 1, of a patch with the
/// heights (nw, ne, sw, se).
pub(super) fn patch_bounds([nw, ne, sw, se]: [f64; 4], x: f64, y: f64) -> (f64, f64) {
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

impl Lattice {
    /// The lattice of the cell around sample (c, r), which is no void.
    ///
    /// Where a patch lacks samples (at a void or the grid's edge) the ones that it has stand in
    /// for them, the greatest for `greatest` and the least for `least`.
    pub fn new(terrain: &Terrain, column: u32, row: u32) -> Self {
        let at = |dc: i64, dr: i64| {
            let (c, r) = (i64::from(column) + dc, i64::from(row) + dr);
            let inside = (0..i64::from(terrain.width())).contains(&c)
                && (0..i64::from(terrain.height())).contains(&r);
            if inside {
                terrain.at(c as u32, r as u32)
            } else {
                f64::NAN
            }
        };
        let mut lattice = Self {
            least: [f64::INFINITY; LATTICE * LATTICE],
            greatest: [f64::NEG_INFINITY; LATTICE * LATTICE],
        };
        let half = SPLIT / 2;
        for (west, north) in [(-1, -1), (0, -1), (-1, 0), (0, 0)] {
            let patch = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(dc, dr)| at(west + dc, north + dr));
            let fill = |with: f64| patch.map(|h| if h.is_nan() { with } else { h });
            let low = fill(patch.iter().copied().fold(f64::INFINITY, f64::min));
            let high = fill(patch.iter().copied().fold(f64::NEG_INFINITY, f64::max));
            let range = |at: i64| if at < 0 { 0..=half } else { half..=SPLIT };
            for j in range(north) {
                for i in range(west) {
                    let place =
                        |k: usize, from: i64| (k as f64 - half as f64) / SPLIT as f64 - from as f64;
                    let (x, y) = (place(i, west), place(j, north));
                    let k = j * LATTICE + i;
                    lattice.least[k] = lattice.least[k].min(patch_bounds(low, x, y).0);
                    lattice.greatest[k] = lattice.greatest[k].max(patch_bounds(high, x, y).1);
                }
            }
        }
        lattice
    }

    /// Least ground in the cell.
    pub fn least(&self) -> f64 {
        self.least.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// Greatest ground in square (i, j) of `n` × `n` of the cell, `n` at most [`SPLIT`].
    ///
    /// The surfaces are bilinear or flat on such a square (or on its halves along a diagonal),
    /// so that they are greatest at a corner.
    pub fn greatest(&self, n: usize, i: usize, j: usize) -> f64 {
        let step = SPLIT / n;
        let mut most = f64::NEG_INFINITY;
        for y in j * step..=(j + 1) * step {
            for x in i * step..=(i + 1) * step {
                most = most.max(self.greatest[y * LATTICE + x]);
            }
        }
        most
    }
}
