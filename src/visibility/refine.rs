//! One cell and another: whether any position in one sees a head at any position in the other.
//!
//! Both cells are quartered. A pair of quarters is hidden if one line hides it, by the argument of
//! [`super::ridge`] with the quarters' own edges for a, b, c and d; the cells are hidden if all
//! sixteen pairs are. What stays undecided counts as visible.
//!
//! Here a SIMD lane is a pair of quarters. Only few lines are tried: the highest in each part of
//! the way, and its neighbours if the corners give hope.

use super::band::Band;
use super::field::Field;
use super::lanes::VOID;
use super::ridge::{WALLS, Walls};
use fearless_simd::{f32x4, f32x8, f32x16, prelude::*};
use fearless_simd_macros::simd;

/// Samples of a line that can matter to one pair of cells.
const NEAR: usize = 5;

/// Which quarter of its cell a lane's viewer (k / 4) and player (k % 4) are in, as bits: major
/// and minor of the viewer's, major and minor of the player's.
const QUARTERS: [[f32; 16]; 4] = {
    let mut quarters = [[0.0; 16]; 4];
    let mut k = 0;
    while k < 16 {
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
fn edges<S: Simd>(simd: S, quarters: &[f32; 16], sign: f32) -> [f32x16<S>; 2] {
    let near = (f32x16::from_slice(simd, quarters) * 0.5 - 0.5) * sign;
    [near, near + 0.5 * sign]
}

/// Which of the lanes `open`, among which there is `hope` for some, cannot be shown not to see the
/// cell at (`u`, `v`) from theirs, in major and minor coordinates.
#[simd]
#[allow(clippy::too_many_arguments)]
pub(super) fn refine<S: Simd>(
    simd: S,
    field: &Field,
    band: Band<'_>,
    (u, v): (i32, i32),
    (open, hope): (u64, u64),
    walls: &Walls,
) -> u64 {
    let slope = f64::from(v) / f64::from(u);
    let (uf, skew) = (u as f32, -slope as f32);
    let zero: f32x16<S> = f32x16::splat(simd, 0.0);
    let (one, half) = (f32x16::splat(simd, 1.0), f32x16::splat(simd, 0.5));
    // Offsets from the cells' middles: of the nearer and the further edge, by major and by minor
    // coordinate.
    let axis = band.axis;
    let sign = band.sign as f32;
    let [a, b] = [
        edges(simd, &QUARTERS[0], sign),
        edges(simd, &QUARTERS[2], sign),
    ];
    let (c, d) = (
        edges(simd, &QUARTERS[1], 1.0)[0],
        edges(simd, &QUARTERS[3], 1.0)[0],
    );
    let per = [
        [one / (b[0] - a[0] + uf), one / (b[1] - a[0] + uf)],
        [one / (b[0] - a[1] + uf), one / (b[1] - a[1] + uf)],
    ];
    let (eyes, heads) = (field.bodies.eye as f32, field.bodies.head as f32);

    let mut seen = 0;
    let mut rest = open;
    while rest != 0 {
        let lane = rest.trailing_zeros();
        rest &= rest - 1;
        let from = band.viewpoint(lane);
        let to = (from.0 + u * band.sign, from.1 + v);
        if !axis.holds(to) {
            continue;
        }
        let band = Band {
            column: from.0,
            row: from.1,
            ..band
        };
        let (viewer, player) = (axis.quarters(from), axis.quarters(to));
        // Corner [i][j] of every lane's quarters, by major and minor. (Here and below loops, since
        // closures are not inlined into SIMD kernels.)
        let (mut e, mut h) = ([[zero; 2]; 2], [[zero; 2]; 2]);
        for i in 0..2 {
            for j in 0..2 {
                let k = 4 * (2 * j + i);
                let west: f32x8<S> =
                    f32x4::splat(simd, viewer[k]).combine(f32x4::splat(simd, viewer[k + 1]));
                let east =
                    f32x4::splat(simd, viewer[k + 2]).combine(f32x4::splat(simd, viewer[k + 3]));
                e[i][j] = west.combine(east) + eyes;
                let four = f32x4::from_slice(simd, &player[k..k + 4]);
                let eight: f32x8<S> = four.combine(four);
                h[i][j] = eight.combine(eight) + heads;
            }
        }

        let mut left = 0xffff_u32;
        let mut lines = [0.0; WALLS + 2];
        for (line, wall) in lines.iter_mut().zip(walls) {
            *line = wall[lane as usize];
        }
        [lines[WALLS], lines[WALLS + 1]] = [lines[0] - 1.0, lines[0] + 1.0];
        let hopeful = hope >> lane & 1 == 1;
        for &xf in &lines[..if hopeful { WALLS + 2 } else { WALLS }] {
            if xf <= 0.0 || xf >= uf {
                continue;
            }
            let x = xf as i32;
            let middle = f64::from(x) * slope;
            let first = (middle - 1.5).floor();
            let mut ground = [0.0; NEAR];
            for (k, ground) in ground.iter_mut().enumerate() {
                let at = band.index(x, first as i32 + k as i32);
                *ground = axis.ground.value(at);
            }
            if ground.contains(&VOID) {
                continue;
            }
            // How far along, and how far from the middle's crossing, for corners [a][b].
            let (behind, ahead) = (uf - xf, xf);
            let mut t = [[zero; 2]; 2];
            let mut m = [[zero; 2]; 2];
            let (mut lowest, mut highest) =
                (f32x16::splat(simd, f32::MAX), f32x16::splat(simd, f32::MIN));
            for i in 0..2 {
                for j in 0..2 {
                    t[i][j] = (a[i] * -1.0 + xf) * per[i][j];
                    m[i][j] = (a[i] * behind + b[j] * ahead) * per[i][j] * skew;
                    let y = (d - c) * t[i][j] + m[i][j];
                    lowest = lowest.min(y);
                    highest = highest.max(y);
                }
            }
            // Rounded outwards: all numbers here are below 2, with a few roundings.
            let low = c + lowest - 1e-6;
            let high = c + highest + (0.5 + 1e-6);
            let offset = (first - middle) as f32;
            // Linear from sample to sample: the ground at both ends.
            let (mut near, mut far) = (
                f32x16::splat(simd, ground[0]),
                f32x16::splat(simd, ground[0]),
            );
            for k in 0..NEAR - 1 {
                let step = ground[k + 1] - ground[k];
                let at = offset + k as f32;
                near += (low - at).max(zero).min(one) * step;
                far += (high - at).max(zero).min(one) * step;
            }
            let s = (far - near) / (high - low);
            let mut least = (near - s * low).min(far - s * high);
            for (k, ground) in ground.iter().enumerate().skip(1).take(NEAR - 2) {
                let at = f32x16::splat(simd, offset + k as f32);
                let inside = at.simd_gt(low) & at.simd_lt(high);
                let lower = least.min(f32x16::splat(simd, *ground) - s * at);
                least = inside.select(lower, least);
            }
            let mut sight = f32x16::splat(simd, f32::MIN);
            // The greatest over the minor edges, less what the ground rises there.
            let (c_low, c_high) = (s * c, s * (c + half));
            let (d_low, d_high) = (s * d, s * (d + half));
            let (mut viewer, mut player) = ([zero; 2], [zero; 2]);
            for i in 0..2 {
                viewer[i] = (e[i][0] - c_low).max(e[i][1] - c_high);
                player[i] = (h[i][0] - d_low).max(h[i][1] - d_high);
            }
            for i in 0..2 {
                for j in 0..2 {
                    let over = viewer[i] + (player[j] - viewer[i]) * t[i][j] - s * m[i][j];
                    sight = sight.max(over);
                }
            }
            left &= !(least.simd_gt(sight + field.ridge).to_bitmask() as u32);
            if left == 0 {
                break;
            }
        }
        seen |= u64::from(left != 0) << lane;
    }
    seen
}
