//! A single displacement: which of 64 viewpoints see the sample there, exactly; and the highest occluders between.
//!
//! Occluders are the grid lines whose ground rises highest above the line of sight. They are the ones most likely to
//! hide the whole view cells around the two samples, which `cells` asks for.
//!
//! Did not pay: a window test before the exact one; viewpoints in halves (a fifth slower); rows of tables aligned to cache
//! lines, huge pages, hits gathered over four slabs without a branch (even, or slower).

use super::height_field::LEVELS;
use super::rays::Rays;
use super::view_block::ViewpointRows;
use crate::visibility::lanes::{LANES, Lanes, ROW};
use crate::visibility::sightline::sees;
use fearless_simd::prelude::*;
use fearless_simd_macros::simd;

/// Fixed point: minor coordinates in units of 2⁻⁴⁴.
const POINT: u32 = 44;

/// The fraction of a fixed-point number.
const FRACTION: i64 = (1 << POINT) - 1;

/// The lines of sight of one displacement.
#[derive(Clone, Copy)]
struct Sights<'f, S: Simd, const N: usize> {
    rows: ViewpointRows<'f>,
    /// Major and minor coordinate of the targets.
    u: i32,
    v: i32,
    /// v/u in fixed point, rounded down.
    slope: i64,
    inv_u: f32,
    inv_v: f32,
    /// Heads above eyes.
    rise: Lanes<S, N>,
}

/// v/u in fixed point, rounded down.
#[inline(always)]
pub(crate) fn slope(u: i32, v: i32) -> i64 {
    (i64::from(v) << POINT).div_euclid(i64::from(u))
}

/// x·v/u, for x from 0 to u: the whole number not above it, and how far it is beyond that, off by
/// less than 2⁻²⁶ for u up to 2¹⁷ and never more than 0 where it is whole.
///
/// For x·v/u is a whole number, or at least 1/u from one; x times the slope is less by up to x
/// units; and u are added, and taken away again.
#[inline(always)]
pub(crate) fn crossing(x: i32, u: i32, slope: i64) -> (i32, f32) {
    let at = i64::from(x) * slope + i64::from(u);
    let beyond = ((at & FRACTION) - i64::from(u)).max(0);
    let one = (1i64 << POINT) as f32;
    ((at >> POINT) as i32, beyond as f32 * (1.0 / one))
}

impl<S: Simd, const N: usize> Sights<'_, S, N> {
    /// How far the ground on line x across the major direction is above the sight, less the eye.
    #[inline(always)]
    fn across(&self, simd: S, x: i32) -> Lanes<S, N> {
        // Where a sample is crossed itself nothing is beyond it: its neighbour may be a void.
        let (whole, beyond) = crossing(x, self.u, self.slope);
        let ground = &self.rows.axis.ground;
        let at = self.rows.index(x, whole);
        let first = ground.load(simd, at);
        let second = ground.load(simd, at + ROW);
        let terrain = first.towards(second, beyond);
        self.rise.mul_add(-(x as f32 * self.inv_u), terrain)
    }

    /// The same for the line in the major direction that is crossed strictly between x and x + 1,
    /// if one is.
    #[inline(always)]
    fn along(&self, simd: S, x: i32) -> Option<Lanes<S, N>> {
        let (u, v) = (i64::from(self.u), i64::from(self.v));
        let whole = i64::from(crossing(x, self.u, self.slope).0);
        let rest = i64::from(x) * v - whole * u;
        // `past`: how far beyond the line j the segment is at x + 1, in 1/u of a sample.
        let (j, past) = if v >= 0 {
            (whole + 1, rest + v - u)
        } else if rest == 0 {
            (whole - 1, -v - u)
        } else {
            (whole, -v - rest)
        };
        if past <= 0 {
            return None;
        }
        let j = j as i32;
        let first = self.rows.ground(simd, x, j);
        let second = self.rows.ground(simd, x + 1, j);
        let terrain = first.towards(second, 1.0 - past as f32 * self.inv_v);
        Some(self.rise.mul_add(-(j.abs() as f32 * self.inv_v), terrain))
    }
}

/// A displacement that is decided by itself.
#[derive(Clone, Copy)]
pub(crate) struct Single<'f> {
    pub rows: ViewpointRows<'f>,
    /// In major and minor coordinates.
    pub u: i32,
    pub v: i32,
    /// Lanes for which it is open.
    pub active: u64,
    /// Which slabs may block: the first so many of a level's list, or as error all from one to
    /// before another.
    pub slabs: Result<(usize, usize), (usize, usize)>,
}

/// Which of the active lanes see the sample that lies there from theirs, by the definition.
///
/// For cells, `occluders` is what their sight has to pass.
#[simd]
pub(crate) fn exact<S: Simd, const N: usize>(
    simd: S,
    rays: &mut Rays<'_>,
    single: Single<'_>,
    occluders: Option<&mut Occluders>,
) -> u64 {
    let Single {
        rows, u, v, active, ..
    } = single;
    let field = rays.field;
    let eye: Lanes<S, N> = rows.axis.eye.load(simd, rows.index(0, 0));
    let eye_above = eye.raised(field.above);
    let sights = Sights {
        rows,
        u,
        v,
        slope: slope(u, v),
        inv_u: 1.0 / u as f32,
        inv_v: if v == 0 { 0.0 } else { 1.0 / v.abs() as f32 },
        rise: rows.axis.head.load(simd, rows.index(u, v)).minus(eye),
    };
    let slabs = match single.slabs {
        Ok((level, count)) => &rays.slabs[level][..count],
        Err((first, end)) => &rays.slabs[LEVELS][first..end],
    };

    // How far terrain rises above sight, less the eye. First over the lines across the major
    // direction, since most of what is hidden is hidden by one of them, and of these over those
    // that hid the neighbours.
    let mut highest = Lanes::splat(simd, f32::MIN);
    if let Some(occluders) = occluders {
        // All lines are looked at, in so many parts of the way.
        let mut ranking = OccluderSearch::none(simd);
        let mut rest = slabs;
        for k in 0..OCCLUDERS {
            let end = u * (k as i32 + 1) / OCCLUDERS as i32;
            let (part, beyond) = rest.split_at(rest.partition_point(|slab| (slab.x as i32) < end));
            rest = beyond;
            for slab in part {
                let x = slab.x as i32;
                if slab.lanes >> rows.skipped & active == 0 || x == 0 {
                    continue;
                }
                let above = sights.across(simd, x);
                highest = highest.max(above);
                ranking.note(simd, k, x, above);
            }
        }
        *occluders = ranking.occluders(eye);
    } else {
        for x in rays.cached[0].before(u) {
            highest = highest.max(sights.across(simd, x));
        }
        let mut left = active & !highest.above(eye_above);
        for (at, slab) in slabs.iter().enumerate() {
            let x = slab.x as i32;
            if slab.lanes >> rows.skipped & left == 0 || x == 0 || x >= u {
                continue;
            }
            highest = highest.max(sights.across(simd, x));
            if at % 4 == 3 {
                let before = left;
                left = active & !highest.above(eye_above);
                if left == 0 {
                    break;
                }
                if left != before {
                    rays.cached[0].note(x);
                }
            }
        }
    }

    // Then over those in the major direction.
    let mut left = active & !highest.above(eye_above);
    for slab in slabs {
        if left == 0 {
            return 0;
        }
        let x = slab.x as i32;
        if slab.lanes >> rows.skipped & left == 0 || x >= u {
            continue;
        }
        if let Some(above) = sights.along(simd, x) {
            highest = highest.max(above);
            left = active & !highest.above(eye_above);
        }
    }
    let mut seen = left;
    let mut unsure = seen & highest.above(eye.raised(field.below));
    while unsure != 0 {
        let lane = unsure.trailing_zeros();
        unsure &= unsure - 1;
        let a = rows.viewpoint(lane);
        let b = (a.0 + u * rows.sign, a.1 + v);
        let there = rows.axis.holds(b);
        let [a, b] = [a, b].map(|(c, r)| rows.turn((c as u32, r as u32)));
        if !there || !sees(rays.terrain, field.bodies, a, b) {
            seen &= !(1 << lane);
        }
    }
    seen
}

/// The way from viewer to target is cut into so many parts; of each the highest line is kept.
pub(crate) const OCCLUDERS: usize = 3;

/// For each lane, the occluders of its line of sight.
pub(crate) struct Occluders {
    /// The grid lines whose ground rises highest above it, one in each part of the way, the highest
    /// of all first; 0 for none.
    pub lines: [[f32; LANES]; OCCLUDERS],
    /// How far the ground of the first rises above it, in metres.
    pub above: [f32; LANES],
}

/// Finds the [`Occluders`] while lines go by.
pub(crate) struct OccluderSearch<S: Simd, const N: usize> {
    above: [Lanes<S, N>; OCCLUDERS],
    lines: [Lanes<S, N>; OCCLUDERS],
}

impl<S: Simd, const N: usize> OccluderSearch<S, N> {
    #[inline(always)]
    pub(crate) fn none(simd: S) -> Self {
        Self {
            above: [Lanes::splat(simd, f32::MIN); OCCLUDERS],
            lines: [Lanes::splat(simd, 0.0); OCCLUDERS],
        }
    }

    /// Takes note of the line `x` in part `k` of the way, whose ground is `above` sight.
    #[inline(always)]
    pub(crate) fn note(&mut self, simd: S, k: usize, x: i32, above: Lanes<S, N>) {
        let line = Lanes::splat(simd, x as f32);
        self.lines[k] = above.choose(self.above[k], line, self.lines[k]);
        self.above[k] = above.max(self.above[k]);
    }

    /// The highest line of all first; `eye` is what `above` was not less of.
    #[inline(always)]
    pub(crate) fn occluders(mut self, eye: Lanes<S, N>) -> Occluders {
        for k in 1..OCCLUDERS {
            let (above, other) = (self.above[0], self.above[k]);
            let (line, other_line) = (self.lines[0], self.lines[k]);
            self.above[0] = above.max(other);
            self.lines[0] = other.choose(above, other_line, line);
            self.lines[k] = other.choose(above, line, other_line);
        }
        let [first, second, third] = self.lines;
        Occluders {
            lines: [first.values(), second.values(), third.values()],
            above: self.above[0].minus(eye).values(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        #[test]
        fn crossings_have_the_true_whole_part_on_the_longest_sides(
            u in prop_oneof![1..40i32, 1..1 << 17],
            along in 0.0..=1.0f64,
            steep in prop_oneof![Just(-1.0), Just(1.0), -1.0..=1.0f64],
        ) {
            let x = (along * f64::from(u)) as i32;
            let v = (steep * f64::from(u)) as i32;
            let (whole, beyond) = crossing(x, u, slope(u, v));
            let product = i64::from(x) * i64::from(v);
            prop_assert_eq!(i64::from(whole), product.div_euclid(i64::from(u)));
            let rest = product.rem_euclid(i64::from(u));
            let truth = rest as f64 / f64::from(u);
            // The single precision of the result comes on top.
            prop_assert!((f64::from(beyond) - truth).abs() < 2f64.powi(-26) + 2f64.powi(-25));
            prop_assert!(rest > 0 || beyond == 0.0);
        }
    }
}
