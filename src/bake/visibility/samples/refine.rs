//! One cell and another: whether any position in one sees a head at any position in the other.
//!
//! # When one grid line hides a whole cell
//!
//! Positions are counted in samples, in major and minor coordinates, from the middle of the
//! viewer's cell. The player's cell has its middle at (u, v).
//!
//! - The viewer stands at (a, c), the player at (u + b, v + d). Each of a, b, c and d lies between
//!   -1/2 and 1/2.
//! - The viewer's eye is no higher than E(a, c), the player's head no higher than H(b, d). Both
//!   bounds are bilinear: linear in each argument.
//! - The line of sight crosses the grid line at x after the share t = (x - a) / (u + b - a) of its
//!   way. It crosses it at the distance
//!
//!   > y = (1 - t)·c + t·d + m, where m = -(v/u)·(a·(u - x) + b·x) / (u + b - a),
//!
//!   from the place where the line of sight between the two middles crosses it.
//! - Along the grid line the ground is no lower than g + s·y, wherever it can be crossed. Any slope
//!   s will do for which such a g is known.
//!
//! The ground hides the player if it is higher than the line of sight, which is at most
//! (1 - t)·E + t·H there. That is to say, if
//!
//! > (1 - t)·(E(a, c) - s·c) + t·(H(b, d) - s·d) - s·m - g < 0.
//!
//! Multiplied by u + b - a, which is positive, the left side is linear in each of a, b, c and d. So
//! it is greatest where each of them is at an end of its range: if it is negative for these sixteen
//! choices, it is negative for all positions. For each of the four choices of (a, b), the greatest
//! over c and the greatest over d can be found apart from each other.
//!
//! This proves much more than to compare the lowest ground with the highest line of sight. On a
//! slope the ground at both ends and the ground between rise together, and s takes that into
//! account.
//!
//! All crossings lie within 1/2 + |v/u|/2 of the middle one, since |m| is at most |v/u|/2 (reached
//! for a = b = ±1/2).
//!
//! # Quarters of cells
//!
//! Both cells are quartered, which makes sixteen pairs of quarters. A pair is hidden if one grid
//! line hides it, by the argument above with the quarters' own edges as the ranges of a, b, c and d.
//! Different lines may hide different pairs. The cells are hidden from each other if all sixteen
//! pairs are; otherwise they count as visible. ARCHITECTURE.md has a figure.
//!
//! A SIMD lane is a pair of quarters here. Few lines are tried: the highest occluder, the highest of
//! the other parts of the way, and the two neighbours of the highest. If the highest leaves many
//! pairs of quarters open, the others are not tried, since they hardly ever hide the rest.
//!
//! Did not pay: all lines against all quarters (2 to 3.5 % fewer visible, ten times the time); quarters of quarters (0.5 to
//! 1.2 %, 13 to 40 % more time); one slope for all pairs of quarters (2 to 5 % more visible); nine heights a cell; lines
//! along the dominant axis as well (half a percent for 7 %); the three highest lines of all in place of the highest in each
//! third (three times the work).

use super::displacement::Occluders;
use super::rays::Rays;
use super::view_block::ViewpointRows;
use super::viewers::{PAIRS, Viewers};
use crate::visibility::lanes::{LANES, Lanes, ROW, VOID};
use fearless_simd::prelude::*;
use fearless_simd::{f32x4, f32x8, f32x16};
use fearless_simd_macros::simd;

/// Samples of a line that can matter to one pair of cells.
pub(crate) const NEAR: usize = 4;

/// No more lines are tried where the first leaves more pairs of quarters than this.
pub(crate) const MANY: u32 = 8;

/// Which quarter of its cell a lane's viewer (k / 4) and player (k % 4) are in, as bits: major
/// and minor of the viewer's, major and minor of the player's.
const QUARTERS: [[f32; PAIRS]; 4] = {
    let mut quarters = [[0.0; PAIRS]; 4];
    let mut k = 0;
    while k < PAIRS {
        quarters[0][k] = (k >> 2 & 1) as f32;
        quarters[1][k] = (k >> 3) as f32;
        quarters[2][k] = (k & 1) as f32;
        quarters[3][k] = (k >> 1 & 1) as f32;
        k += 1;
    }
    quarters
};

/// Offsets of the nearer and the further edge of quarters (0 or 1) from the middles of their cells.
#[inline(always)]
fn edges<S: Simd>(simd: S, quarters: &[f32; PAIRS], sign: f32) -> [f32x16<S>; 2] {
    let near = (f32x16::from_slice(simd, quarters) * 0.5 - 0.5) * sign;
    [near, near + 0.5 * sign]
}

/// The pairs of quarters of two cells, from each other's middles: what does not depend on where
/// the cells are.
pub(crate) struct Quarters<S: Simd> {
    /// Offsets of viewer and player: of the nearer and the further edge by major coordinate, of the
    /// lower by minor.
    a: [f32x16<S>; 2],
    b: [f32x16<S>; 2],
    c: f32x16<S>,
    d: f32x16<S>,
    /// 1 / (u + b - a) for edges [a][b].
    per: [[f32x16<S>; 2]; 2],
    u: f32,
    slope: f64,
}

/// How sight between quarters crosses a line.
pub(crate) struct Crossing<S: Simd> {
    /// The line.
    x: i32,
    /// Minor coordinate of the first of `NEAR` samples.
    pub first: i32,
    /// The way that has been gone, and how far from the middle's crossing, for edges [a][b].
    t: [[f32x16<S>; 2]; 2],
    m: [[f32x16<S>; 2]; 2],
    /// Between which offsets from the middle's crossing it is crossed.
    low: f32x16<S>,
    high: f32x16<S>,
    per_width: f32x16<S>,
    /// How much of each step from sample to sample lies before either.
    before_low: [f32x16<S>; NEAR - 1],
    before_high: [f32x16<S>; NEAR - 1],
    /// For the samples between the first and the last: their offsets, and what to add to those
    /// that do not lie between `low` and `high`.
    at: [f32; NEAR - 2],
    outside: [f32x16<S>; NEAR - 2],
}

impl<S: Simd> Quarters<S> {
    /// Of cells that are (`u`, `v`) apart, seen in the `sign` in which major coordinates count.
    #[inline(always)]
    pub(crate) fn new(simd: S, sign: f32, u: i32, v: i32) -> Self {
        let [a, b] = [
            edges(simd, &QUARTERS[0], sign),
            edges(simd, &QUARTERS[2], sign),
        ];
        let mut per = [[f32x16::splat(simd, 1.0); 2]; 2];
        for i in 0..2 {
            for j in 0..2 {
                per[i][j] /= b[j] - a[i] + u as f32;
            }
        }
        Self {
            a,
            b,
            c: edges(simd, &QUARTERS[1], 1.0)[0],
            d: edges(simd, &QUARTERS[3], 1.0)[0],
            per,
            u: u as f32,
            slope: f64::from(v) / f64::from(u),
        }
    }

    /// How the line at `x` is crossed.
    #[inline(always)]
    pub(crate) fn crossing(&self, simd: S, x: i32) -> Crossing<S> {
        let Self { a, b, c, d, .. } = *self;
        let zero: f32x16<S> = f32x16::splat(simd, 0.0);
        let one = f32x16::splat(simd, 1.0);
        let skew = -self.slope as f32;
        let middle = f64::from(x) * self.slope;
        // All crossings are within one sample of the middle's.
        let first = (middle - 1.0).floor();
        let (ahead, behind) = (x as f32, self.u - x as f32);
        let mut t = [[zero; 2]; 2];
        let mut m = [[zero; 2]; 2];
        let (mut lowest, mut highest) =
            (f32x16::splat(simd, f32::MAX), f32x16::splat(simd, f32::MIN));
        for i in 0..2 {
            for j in 0..2 {
                t[i][j] = (a[i] * -1.0 + ahead) * self.per[i][j];
                m[i][j] = (a[i] * behind + b[j] * ahead) * self.per[i][j] * skew;
                let y = (d - c) * t[i][j] + m[i][j];
                lowest = lowest.min(y);
                highest = highest.max(y);
            }
        }
        // Rounded outwards: all numbers here are below 2, with a few roundings. Where that is beyond
        // the first or last sample, the ground there stands for it: it moves by less than a
        // rounding.
        let low = c + lowest - 1e-6;
        let high = c + highest + (0.5 + 1e-6);
        let offset = (first - middle) as f32;
        let mut before_low = [zero; NEAR - 1];
        let mut before_high = [zero; NEAR - 1];
        for k in 0..NEAR - 1 {
            let at = offset + k as f32;
            before_low[k] = (low - at).max(zero).min(one);
            before_high[k] = (high - at).max(zero).min(one);
        }
        let mut outside = [zero; NEAR - 2];
        let mut offsets = [0.0; NEAR - 2];
        for k in 0..NEAR - 2 {
            offsets[k] = offset + (k + 1) as f32;
            let at = f32x16::splat(simd, offsets[k]);
            let inside = at.simd_gt(low) & at.simd_lt(high);
            outside[k] = inside.select(zero, f32x16::splat(simd, -VOID));
        }
        Crossing {
            x,
            first: first as i32,
            t,
            m,
            low,
            high,
            per_width: one / (high - low),
            before_low,
            before_high,
            at: offsets,
            outside,
        }
    }

    /// The pairs of quarters, a bit each, that the line hides: by the heights of eyes and heads
    /// over their corners, by major and minor.
    #[inline(always)]
    pub(crate) fn hidden(
        &self,
        simd: S,
        crossing: &Crossing<S>,
        ground: &[f32; NEAR],
        (e, h): (&Corners<S>, &Corners<S>),
        margin: f32,
    ) -> u16 {
        let Crossing {
            t, m, low, high, ..
        } = crossing;
        let zero: f32x16<S> = f32x16::splat(simd, 0.0);
        // Linear from sample to sample: the ground at both ends.
        let mut near = f32x16::splat(simd, ground[0]);
        let mut far = near;
        for k in 0..NEAR - 1 {
            let step = ground[k + 1] - ground[k];
            near += crossing.before_low[k] * step;
            far += crossing.before_high[k] * step;
        }
        // Any slope s would do.
        let s = (far - near) * crossing.per_width;
        let mut least = (near - s * *low).min(far - s * *high);
        for k in 0..NEAR - 2 {
            let inner = crossing.outside[k] + ground[k + 1];
            least = least.min(inner - s * crossing.at[k]);
        }
        // The greatest over the minor edges, less what the ground rises there.
        let half = s * 0.5;
        let (c_low, d_low) = (s * self.c, s * self.d);
        let (c_high, d_high) = (c_low + half, d_low + half);
        let (mut viewer, mut player) = ([zero; 2], [zero; 2]);
        for i in 0..2 {
            viewer[i] = (e[i][0] - c_low).max(e[i][1] - c_high);
            player[i] = (h[i][0] - d_low).max(h[i][1] - d_high);
        }
        let mut sight = f32x16::splat(simd, f32::MIN);
        for i in 0..2 {
            for j in 0..2 {
                let over = viewer[i] + (player[j] - viewer[i]) * t[i][j] - s * m[i][j];
                sight = sight.max(over);
            }
        }
        least.simd_gt(sight + margin).to_bitmask() as u16
    }
}

/// Heights over the corners of every lane's quarters, by major and minor.
pub(crate) type Corners<S> = [[f32x16<S>; 2]; 2];

/// Which of the lanes `open` cannot be shown not to see the cell at (`u`, `v`) from theirs, in
/// major and minor coordinates.
#[simd]
pub(crate) fn refine<S: Simd>(
    simd: S,
    rays: &mut Rays<'_>,
    rows: ViewpointRows<'_>,
    (u, v): (i32, i32),
    open: u64,
    occluders: &Occluders,
) -> u64 {
    let field = rays.field;
    let (eye, head) = (field.bodies.eye as f32, field.bodies.head as f32);
    let viewers = &mut rays.viewers[usize::from(rows.turned)];
    viewers.stand(&rows, eye - head);
    let cells = CellLanes {
        rows,
        displacement: (u, v),
        quarters: Quarters::new(simd, rows.sign as f32, u, v),
        viewers,
        margin: field.cell + head,
    };
    let mut left = [!0; LANES];
    cells.attempt(simd, open, &occluders.lines[0], 0.0, &mut left);
    let mut some = few(open, &left, MANY);
    let [first, second, third] = &occluders.lines;
    for (lines, shift) in [(second, 0.0), (third, 0.0), (first, -1.0), (first, 1.0)] {
        if some == 0 {
            break;
        }
        cells.attempt(simd, some, lines, shift, &mut left);
        some = few(some, &left, PAIRS as u32);
    }
    few(open, &left, PAIRS as u32)
}

/// Which of the lanes have pairs left, but at `most` so many.
#[inline(always)]
fn few(lanes: u64, left: &[u16; LANES], most: u32) -> u64 {
    let (mut few, mut rest) = (0, lanes);
    while rest != 0 {
        let lane = rest.trailing_zeros();
        rest &= rest - 1;
        let count = left[lane as usize].count_ones();
        few |= u64::from(count != 0 && count <= most) << lane;
    }
    few
}

/// Pairs of cells that are equally far apart: one for each lane of some rows.
struct CellLanes<'f, S: Simd> {
    rows: ViewpointRows<'f>,
    /// In major and minor coordinates.
    displacement: (i32, i32),
    quarters: Quarters<S>,
    viewers: &'f Viewers,
    /// By how much ground has to be above heads.
    margin: f32,
}

impl<S: Simd> CellLanes<'_, S> {
    /// Takes from what is `left` of the lanes' pairs of quarters those that their lines hide, or
    /// the lines `shift` further.
    #[inline(always)]
    fn attempt(
        &self,
        simd: S,
        lanes: u64,
        lines: &[f32; LANES],
        shift: f32,
        left: &mut [u16; LANES],
    ) {
        let mut untried = lanes;
        while untried != 0 {
            let line = lines[untried.trailing_zeros() as usize];
            let mut like = Lanes::<S, 4>::of(simd, lines).equal(line) & untried;
            untried &= !like;
            let x = (line + shift) as i32;
            if line == 0.0 || x <= 0 || x >= self.displacement.0 {
                continue;
            }
            // Neighbours mostly share their lines: what does not depend on heights is found once.
            let crossing = self.quarters.crossing(simd, x);
            while like != 0 {
                let lane = like.trailing_zeros();
                like &= like - 1;
                left[lane as usize] &= !self.hidden(simd, &crossing, lane);
            }
        }
    }

    /// The pairs of quarters of a lane's cells that a line hides, a bit each.
    #[inline(always)]
    fn hidden(&self, simd: S, crossing: &Crossing<S>, lane: u32) -> u16 {
        let axis = self.rows.axis;
        let (column, row) = self.rows.viewpoint(lane);
        let (u, v) = self.displacement;
        let player = (column + u * self.rows.sign, row + v);
        if !axis.holds(player) {
            return !0;
        }
        let rows = ViewpointRows {
            column,
            row,
            ..self.rows
        };
        let index = rows.index(crossing.x, crossing.first);
        let mut ground = [0.0; NEAR];
        for (k, ground) in (0..).zip(&mut ground) {
            *ground = axis.ground.value(index + k * ROW);
        }
        if ground.contains(&VOID) {
            return 0;
        }
        let viewer = &self.viewers.eyes[(rows.skipped + lane) as usize];
        let player = axis.quarters(player);
        let zero: f32x16<S> = f32x16::splat(simd, 0.0);
        // (Here and elsewhere loops, since closures are not inlined into SIMD kernels.)
        let (mut e, mut h) = ([[zero; 2]; 2], [[zero; 2]; 2]);
        for i in 0..2 {
            for j in 0..2 {
                let k = 2 * j + i;
                e[i][j] = f32x16::from_slice(simd, &viewer[k]);
                let four = f32x4::from_slice(simd, &player[4 * k..4 * k + 4]);
                let eight: f32x8<S> = four.combine(four);
                h[i][j] = eight.combine(eight);
            }
        }
        let quarters = &self.quarters;
        quarters.hidden(simd, crossing, &ground, (&e, &h), self.margin)
    }
}
