//! Sight between any two positions on a drawn surface: what `Stance::Cell` is held to.

use crate::visibility::Bodies;
use viewcell::dice::Dice;
use viewcell_ingest::world::Terrain;

/// How an engine draws the ground between four samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    /// As a bilinear patch.
    Bilinear,
    /// As two triangles, split from north-west to south-east.
    NorthWestSouthEast,
    /// As two triangles, split from north-east to south-west.
    NorthEastSouthWest,
}

impl Surface {
    /// All of them.
    pub const ALL: [Self; 3] = [
        Self::Bilinear,
        Self::NorthWestSouthEast,
        Self::NorthEastSouthWest,
    ];

    /// Height at (`x`, `y`), 0 to 1, of a patch with the heights [nw, ne, sw, se].
    fn within(self, [nw, ne, sw, se]: [f64; 4], x: f64, y: f64) -> f64 {
        match self {
            Self::Bilinear => nw + x * (ne - nw) + y * (sw - nw) + x * y * (nw + se - ne - sw),
            Self::NorthWestSouthEast if x >= y => nw + x * (ne - nw) + y * (se - ne),
            Self::NorthWestSouthEast => nw + y * (sw - nw) + x * (se - sw),
            Self::NorthEastSouthWest if x + y <= 1.0 => nw + x * (ne - nw) + y * (sw - nw),
            Self::NorthEastSouthWest => se + (1.0 - x) * (sw - se) + (1.0 - y) * (ne - se),
        }
    }

    /// Ground height at column `x`, row `y`; `None` outside the grid and where a sample of the
    /// patch is void.
    pub fn height(self, terrain: &Terrain, x: f64, y: f64) -> Option<f64> {
        let (patch, column, row) = patch(terrain, Terrain::ground_at, x, y)?;
        Some(self.within(patch, x - column, y - row))
    }
}

/// Heights [nw, ne, sw, se] of the patch at (x, y), of ground or surface, and its north-western corner.
fn patch(
    terrain: &Terrain,
    of: fn(&Terrain, u32, u32) -> f64,
    x: f64,
    y: f64,
) -> Option<([f64; 4], f64, f64)> {
    let corner = |at: f64, side: u32| at.floor().min(f64::from(side) - 2.0).max(0.0);
    let inside = |at: f64, side: u32| side >= 2 && (0.0..=f64::from(side - 1)).contains(&at);
    if !inside(x, terrain.width()) || !inside(y, terrain.height()) {
        return None;
    }
    let (column, row) = (corner(x, terrain.width()), corner(y, terrain.height()));
    let (c, r) = (column as u32, row as u32);
    let heights = [(c, r), (c + 1, r), (c, r + 1), (c + 1, r + 1)].map(|(c, r)| of(terrain, c, r));
    (!heights.iter().any(|h| h.is_nan())).then_some((heights, column, row))
}

/// By how many metres what hides, drawn as `surface`, rises above the straight segment from an eye over
/// position `a` to a head over position `b` (columns and rows, with fractions), at its highest:
/// sight is blocked if that is more than 0. `None` if one of them stands on no ground.
///
/// Where the segment passes over a patch with a void, nothing blocks it. O(distance in samples).
pub fn obstruction(
    terrain: &Terrain,
    bodies: Bodies,
    surface: Surface,
    a: (f64, f64),
    b: (f64, f64),
) -> Option<f64> {
    let eye = surface.height(terrain, a.0, a.1)? + bodies.eye;
    let head = surface.height(terrain, b.0, b.1)? + bodies.head;
    // The segment in pieces, each over one patch and on one side of its diagonals.
    let mut cuts = vec![0.0, 1.0];
    let mut cut = |from: f64, to: f64| {
        let (low, high) = (from.min(to), from.max(to));
        let mut at = low.ceil();
        while at <= high && to != from {
            cuts.push(((at - from) / (to - from)).clamp(0.0, 1.0));
            at += 1.0;
        }
    };
    cut(a.0, b.0);
    cut(a.1, b.1);
    cut(a.0 - a.1, b.0 - b.1);
    cut(a.0 + a.1, b.0 + b.1);
    cuts.sort_by(f64::total_cmp);
    let mut most = f64::NEG_INFINITY;
    for piece in cuts.windows(2) {
        let (start, end) = (piece[0], piece[1]);
        let at = |t: f64| (a.0 + t * (b.0 - a.0), a.1 + t * (b.1 - a.1));
        let middle = at((start + end) / 2.0);
        let Some((heights, column, row)) = patch(terrain, Terrain::at, middle.0, middle.1) else {
            continue;
        };
        let rise = |t: f64| {
            let (x, y) = at(t);
            surface.within(heights, x - column, y - row) - (eye + t * (head - eye))
        };
        // A parabola in t at most: known from three values.
        let (p, q, r) = (rise(start), rise((start + end) / 2.0), rise(end));
        most = most.max(p).max(r);
        let bend = p - 2.0 * q + r;
        if bend < 0.0 {
            let peak = (p - r) / (2.0 * bend);
            if peak.abs() < 1.0 {
                most = most.max(q - bend * peak * peak / 2.0);
            }
        }
    }
    Some(most)
}

/// Whether [`obstruction`] is more than 0, which grid lines often show much sooner: on them all
/// surfaces agree.
pub fn is_blocked(
    terrain: &Terrain,
    bodies: Bodies,
    surface: Surface,
    a: (f64, f64),
    b: (f64, f64),
) -> Option<bool> {
    let eye = surface.height(terrain, a.0, a.1)? + bodies.eye;
    let head = surface.height(terrain, b.0, b.1)? + bodies.head;
    let (along_x, along_y) = (b.0 - a.0, b.1 - a.1);
    // The lines across the longer way, but for those too near its ends to be sure of.
    let swap = along_y.abs() > along_x.abs();
    let (from, way) = if swap { (a.1, along_y) } else { (a.0, along_x) };
    let (least, most) = (from.min(from + way), from.max(from + way));
    let at = |line: f64, across: f64| {
        let (column, row) = if swap { (across, line) } else { (line, across) };
        let inside = (0.0..f64::from(terrain.width())).contains(&column)
            && (0.0..f64::from(terrain.height())).contains(&row);
        inside.then(|| terrain.at(column as u32, row as u32))
    };
    let mut line = (least + 1e-6).ceil();
    while line < most - 1e-6 {
        let t = (line - from) / way;
        let across = if swap {
            a.0 + t * along_x
        } else {
            a.1 + t * along_y
        };
        let (first, w) = (across.floor(), across - across.floor());
        if let (Some(low), Some(high)) = (at(line, first), at(line, first + 1.0)) {
            let rise = low + w * (high - low) - (eye + t * (head - eye));
            // The patches on both sides must be drawn.
            let beside = [(-1.0, 0.0), (-1.0, 1.0), (1.0, 0.0), (1.0, 1.0)];
            let drawn = |(dl, da)| at(line + dl, first + da).is_some_and(f64::is_finite);
            if rise > 1e-6 && beside.into_iter().all(drawn) {
                return Some(true);
            }
        }
        line += 1.0;
    }
    obstruction(terrain, bodies, surface, a, b).map(|rise| rise > 0.0)
}

/// Searches for a line of sight from the view cell of sample `a` to that of `b`, on any surface and
/// no longer than `max_distance` metres over the ground: between the samples, between corners of the
/// cells, and between so many random `positions`, of which corners and edges are preferred. `false`
/// says only that none was found. `seed` chooses the positions. O(`positions` · distance in samples).
pub fn find_sight(
    terrain: &Terrain,
    bodies: Bodies,
    max_distance: f64,
    a: (u32, u32),
    b: (u32, u32),
    positions: u32,
    seed: u64,
) -> bool {
    let near = |a: (f64, f64), b: (f64, f64)| {
        let [dx, dy] = terrain.spacing();
        let (x, y) = ((b.0 - a.0) * dx, (b.1 - a.1) * dy);
        x * x + y * y <= max_distance * max_distance
    };
    let at = |sample: (u32, u32), by: [f64; 2]| {
        (f64::from(sample.0) + by[0], f64::from(sample.1) + by[1])
    };
    if near(at(a, [0.0; 2]), at(b, [0.0; 2])) && crate::visibility::sees(terrain, bodies, a, b) {
        return true;
    }
    let clear = |surface, from: [f64; 2], to: [f64; 2]| {
        let (from, to) = (at(a, from), at(b, to));
        near(from, to) && is_blocked(terrain, bodies, surface, from, to) == Some(false)
    };
    // A cell's edge belongs to its neighbour too.
    for reach in [0.499_999, 0.25] {
        for corners in 0..16 {
            let side = |bit: u32| {
                if corners >> bit & 1 == 0 {
                    -reach
                } else {
                    reach
                }
            };
            let (from, to) = ([side(0), side(1)], [side(2), side(3)]);
            if Surface::ALL.iter().any(|&surface| clear(surface, from, to)) {
                return true;
            }
        }
    }
    let mut dice = Dice(seed);
    let mut place = || match dice.roll(5) {
        0 => -0.499_999,
        1 => 0.499_999,
        _ => dice.fraction() - 0.5,
    };
    (0..positions as usize).any(|k| {
        let (from, to) = ([place(), place()], [place(), place()]);
        clear(Surface::ALL[k % 3], from, to)
    })
}
