//! Estimate of a shadow in single precision, the planes of an occluder as SIMD lanes: rejects occluders that hide nothing
//! before the proof (`occluder`) is begun, and says how others had best be divided.
//!
//! It decides nothing: what may hide a pair as a whole is left to the proof, and an occluder that is rejected by mistake
//! hides less, which is allowed. Comparisons lean towards *may hide* by a tolerance all the same, so that next to nothing
//! is lost to rounding. Arithmetic is without fused operations, the same at all SIMD levels.
//!
//! Did not pay: planes of one occluder as lanes alone: as fast as the scalar loop.

use super::occluder::{Cut, Occluder, OccluderSides, Span, greatest_axis};
use super::plane_runs::{LANES, Lane, PlaneRun};

/// As many runs of lanes; an occluder of more planes hides nothing.
const RUNS: usize = 8;

/// A pair of boxes, in single precision.
pub(super) struct Boxes {
    centres: [[f32; 3]; 2],
    halves: [[f32; 3]; 2],
}

impl Boxes {
    #[inline(always)]
    pub(super) fn new(a: &Span, b: &Span) -> Self {
        let single = |of: [f64; 3]| of.map(|x| x as f32);
        Self {
            centres: [single(a.centre), single(b.centre)],
            halves: [single(a.half), single(b.half)],
        }
    }
}

/// Heights of the two centres above planes, and how much higher the highest corners are.
#[derive(Clone, Copy, Debug)]
struct Heights {
    normal: [Lane; 3],
    of_a: Lane,
    rise_a: Lane,
    of_b: Lane,
    rise_b: Lane,
    /// 0 for the planes that a wedge may be of, else -∞: of solids those that segments go out through.
    asked: Lane,
    /// -∞ for the planes that a part of either box is above, else 0.
    both: Lane,
}

impl Heights {
    const NONE: Self = Self {
        normal: [[0.0; LANES]; 3],
        of_a: [0.0; LANES],
        rise_a: [0.0; LANES],
        of_b: [0.0; LANES],
        rise_b: [0.0; LANES],
        asked: [0.0; LANES],
        both: [0.0; LANES],
    };
}

/// What an estimate works with.
#[derive(Debug)]
pub(super) struct EstimateRoom([Heights; RUNS]);

impl EstimateRoom {
    pub(super) const fn new() -> Self {
        Self([Heights::NONE; RUNS])
    }
}

/// A plane that lanes are held against.
#[derive(Clone, Copy)]
struct Single {
    normal: [f32; 3],
    of_a: f32,
    rise_a: f32,
    of_b: f32,
    rise_b: f32,
    both: f32,
}

/// What is estimated.
pub(super) enum Estimate {
    /// The middle segment misses it, or it hides less than another.
    None,
    /// It meets the middle segment, and misses others.
    Part(Cut),
    /// It may meet all of them.
    Whole,
}

/// The greatest of what has been found beyond the shadow, by lanes: how much, and by which plane.
struct Worst {
    beyond: Lane,
    by: [u32; LANES],
}

/// Of planes of which both boxes have a part above: not a wedge.
const PLANE: u32 = 1 << 16;

impl Occluder {
    /// What it does to the segments from box to box, by `tolerance` in favour of hiding. What has `limit` beyond the
    /// shadow is none.
    #[inline(always)]
    pub(super) fn estimate(
        &self,
        boxes: &Boxes,
        tolerance: f32,
        limit: f32,
        EstimateRoom(heights): &mut EstimateRoom,
    ) -> Estimate {
        let runs = &self.runs[..];
        if runs.len() > RUNS {
            return Estimate::None;
        }
        let mut worst = Worst {
            beyond: [f32::NEG_INFINITY; LANES],
            by: [0; LANES],
        };
        let mut own = None;
        if self.kind == OccluderSides::Solid {
            let mut ins = 0_u64;
            for (at, (run, heights)) in runs.iter().zip(&mut *heights).enumerate() {
                let here = above::<false>(run, boxes, tolerance, at, heights, &mut worst);
                let Some(here) = here else {
                    return Estimate::None;
                };
                ins |= u64::from(here) << (at * LANES);
            }
            while ins != 0 {
                let number = ins.trailing_zeros() as usize;
                ins &= ins - 1;
                let single = Single::of(&heights[number / LANES], number % LANES);
                for (at, of) in heights[..runs.len()].iter().enumerate() {
                    let by = ((number << 8) | (at * LANES)) as u32;
                    wedge::<false>(&single, of, boxes, tolerance, by, &mut worst);
                }
            }
        } else {
            let Some(plane) = self.own_plane(boxes) else {
                return Estimate::None;
            };
            for (at, (run, heights)) in runs.iter().zip(&mut *heights).enumerate() {
                let here = above::<true>(run, boxes, tolerance, at, heights, &mut worst);
                if here.is_none() {
                    return Estimate::None;
                }
                let by = (at * LANES) as u32;
                wedge::<true>(&plane, heights, boxes, tolerance, by, &mut worst);
            }
            own = Some(plane);
        }
        let most = greatest_of(&worst.beyond);
        if most == f32::NEG_INFINITY {
            return Estimate::Whole;
        }
        if most >= limit {
            return Estimate::None;
        }
        let (lane, by) = worst.which(most);
        let at = (by as usize & 0xff) + lane;
        let last = Single::of(&heights[at / LANES], at % LANES);
        Estimate::Part(if by & PLANE != 0 {
            last.cut_of_plane(boxes, most)
        } else {
            let first = match own {
                Some(own) => own,
                None => {
                    let number = by as usize >> 8;
                    Single::of(&heights[number / LANES], number % LANES)
                }
            };
            first.cut_of_wedge(&last, boxes, most)
        })
    }

    /// The plane of a flat occluder, its front towards the first box; none unless it lies between the two.
    #[inline(always)]
    fn own_plane(&self, boxes: &Boxes) -> Option<Single> {
        let plane = self.planes.first()?;
        let normal = plane.normal.map(|x| x as f32);
        let above = |k: usize| {
            let (c, h) = (boxes.centres[k], boxes.halves[k]);
            let [x, y, z] = normal;
            let height = x * c[0] + y * c[1] + z * c[2] - plane.dist as f32;
            (height, x.abs() * h[0] + y.abs() * h[1] + z.abs() * h[2])
        };
        let ((of_a, rise_a), (of_b, rise_b)) = (above(0), above(1));
        let mut own = Single {
            normal,
            of_a,
            rise_a,
            of_b,
            rise_b,
            both: 0.0,
        };
        if of_a < 0.0 {
            if self.kind == OccluderSides::FrontOnly {
                return None;
            }
            own = own.flipped();
        }
        (own.of_a > own.rise_a && own.of_b < -own.rise_b).then_some(own)
    }
}

/// Heights above a run of planes, and through which of them segments go in; none if the middle segment is above one.
/// `FLAT`, if they are edges, which are all held against the plane.
#[inline(always)]
fn above<const FLAT: bool>(
    run: &PlaneRun,
    boxes: &Boxes,
    tolerance: f32,
    at: usize,
    heights: &mut Heights,
    worst: &mut Worst,
) -> Option<u8> {
    let [n0, n1, n2] = &run.normal;
    let [a, b] = &boxes.centres;
    let (mut of_a, mut of_b) = ([0.0; LANES], [0.0; LANES]);
    for lane in 0..LANES {
        of_a[lane] = n0[lane] * a[0] + n1[lane] * a[1] + n2[lane] * a[2] - run.dist[lane];
        of_b[lane] = n0[lane] * b[0] + n1[lane] * b[1] + n2[lane] * b[2] - run.dist[lane];
    }
    let mut missed = [0_u32; LANES];
    for lane in 0..LANES {
        missed[lane] = u32::from((of_a[lane] > tolerance) & (of_b[lane] > tolerance));
    }
    if any(&missed) {
        return None;
    }
    let [a, b] = &boxes.halves;
    let (mut rise_a, mut rise_b) = ([0.0; LANES], [0.0; LANES]);
    for lane in 0..LANES {
        let n = [n0[lane].abs(), n1[lane].abs(), n2[lane].abs()];
        rise_a[lane] = n[0] * a[0] + n[1] * a[1] + n[2] * a[2];
        rise_b[lane] = n[0] * b[0] + n[1] * b[1] + n[2] * b[2];
    }
    let (mut ins, mut both) = ([0_u8; LANES], [0_u32; LANES]);
    let (mut asked, mut open) = ([0.0; LANES], [0.0; LANES]);
    for lane in 0..LANES {
        let a_is_out = of_a[lane] + rise_a[lane] > tolerance;
        let b_is_out = of_b[lane] + rise_b[lane] > tolerance;
        let is_in = a_is_out & ((of_a[lane] >= 0.0) | !b_is_out);
        let is_both = a_is_out & b_is_out;
        let is_asked = if FLAT {
            a_is_out | b_is_out
        } else {
            b_is_out & !is_in
        };
        both[lane] = u32::from(is_both);
        ins[lane] = u8::from(is_in) << lane;
        asked[lane] = if is_asked { 0.0 } else { f32::NEG_INFINITY };
        open[lane] = if is_both { f32::NEG_INFINITY } else { 0.0 };
    }
    if any(&both) {
        for lane in 0..LANES {
            let beyond = |of: f32, rise: f32| (of + rise) / max(rise, f32::MIN_POSITIVE);
            let of_a = beyond(of_a[lane], rise_a[lane]);
            let of_b = beyond(of_b[lane], rise_b[lane]);
            let beyond = if of_a < of_b { of_a } else { of_b };
            let is_worse = (both[lane] != 0) & (beyond > worst.beyond[lane]);
            worst.beyond[lane] = if is_worse { beyond } else { worst.beyond[lane] };
            worst.by[lane] = if is_worse {
                PLANE | (at * LANES) as u32
            } else {
                worst.by[lane]
            };
        }
    }
    *heights = Heights {
        normal: run.normal,
        of_a,
        rise_a,
        of_b,
        rise_b,
        asked,
        both: open,
    };
    Some(ins.iter().fold(0, |all, one| all | one))
}

/// Whether segments go in through a plane before they go out through those of the lanes; `FLAT`, before they pass edges
/// of the plane.
#[inline(always)]
fn wedge<const FLAT: bool>(
    single: &Single,
    of: &Heights,
    boxes: &Boxes,
    tolerance: f32,
    by: u32,
    worst: &mut Worst,
) {
    let ([m0, m1, m2], [n0, n1, n2]) = (single.normal, &of.normal);
    let (f, g) = (single.of_a, single.of_b);
    let [a, b] = &boxes.halves;
    for lane in 0..LANES {
        let (of_a, of_b) = (of.of_a[lane], of.of_b[lane]);
        let first = (m0 * of_b - n0[lane] * g).abs() * a[0]
            + (m1 * of_b - n1[lane] * g).abs() * a[1]
            + (m2 * of_b - n2[lane] * g).abs() * a[2];
        let second = (f * n0[lane] - of_a * m0).abs() * b[0]
            + (f * n1[lane] - of_a * m1).abs() * b[1]
            + (f * n2[lane] - of_a * m2).abs() * b[2];
        let spread = first + second;
        let over = f * of_b - of_a * g;
        let product = single.rise_a * of.rise_b[lane] + of.rise_a[lane] * single.rise_b;
        let slack = tolerance * (f.abs() + g.abs() + of_a.abs() + of_b.abs());
        // The product is the least that corners may be off by. What is behind a plane at the worst corners is taken for
        // beyond the shadow as well: few, and other occluders or smaller boxes hide those.
        let may_hide = over + spread - product <= slack + of.both[lane] + single.both;
        let is_before = FLAT | (f > 0.0) & (of_b > 0.0);
        let is_missed = is_before & (over > slack);
        let beyond = (over + spread) / max(spread, f32::MIN_POSITIVE);
        let beyond = if is_missed { f32::INFINITY } else { beyond };
        let beyond = if may_hide { f32::NEG_INFINITY } else { beyond };
        let beyond = beyond + of.asked[lane];
        let is_worse = beyond > worst.beyond[lane];
        worst.beyond[lane] = if is_worse { beyond } else { worst.beyond[lane] };
        worst.by[lane] = if is_worse { by } else { worst.by[lane] };
    }
}

impl Worst {
    /// The first lane with so much, and by which plane.
    #[inline(always)]
    fn which(&self, most: f32) -> (usize, u32) {
        let mut first = 0;
        for lane in (0..LANES).rev() {
            first = if self.beyond[lane] == most {
                lane
            } else {
                first
            };
        }
        (first, self.by[first])
    }
}

/// The greatest of numbers, of which some may be none.
#[inline(always)]
fn greatest_of(of: &Lane) -> f32 {
    let four: [f32; 4] = std::array::from_fn(|k| max(of[k], of[k + 4]));
    max(max(four[0], four[2]), max(four[1], four[3]))
}

#[inline(always)]
fn any(of: &[u32; LANES]) -> bool {
    of.iter().fold(0, |all, one| all | one) != 0
}

#[inline(always)]
fn max(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

impl Single {
    #[inline(always)]
    fn of(heights: &Heights, lane: usize) -> Self {
        Self {
            normal: heights.normal.map(|of| of[lane]),
            of_a: heights.of_a[lane],
            rise_a: heights.rise_a[lane],
            of_b: heights.of_b[lane],
            rise_b: heights.rise_b[lane],
            both: heights.both[lane],
        }
    }

    #[inline(always)]
    fn flipped(&self) -> Self {
        Self {
            normal: self.normal.map(|x| -x),
            of_a: -self.of_a,
            of_b: -self.of_b,
            ..*self
        }
    }

    /// How to divide where parts of both boxes are above it: the one that is less so.
    #[inline(always)]
    fn cut_of_plane(&self, boxes: &Boxes, beyond: f32) -> Cut {
        let of = [(self.of_a, self.rise_a), (self.of_b, self.rise_b)];
        let shares = of.map(|(height, rise)| (height + rise) / max(rise, f32::MIN_POSITIVE));
        let which = usize::from(shares[1] < shares[0]);
        let weights = [0, 1, 2].map(|k| self.normal[k] * boxes.halves[which][k]);
        let axis = greatest_axis(weights.map(f32::abs));
        let excess = of[which].0 + of[which].1;
        Cut::new(beyond, 3 * which + axis, excess, weights[axis])
    }

    /// How to divide where segments do not all go in through it before they go out through `last`.
    #[inline(always)]
    fn cut_of_wedge(&self, last: &Self, boxes: &Boxes, beyond: f32) -> Cut {
        let (p, q) = (self, last);
        let of_a =
            [0, 1, 2].map(|k| (p.normal[k] * q.of_b - q.normal[k] * p.of_b) * boxes.halves[0][k]);
        let of_b =
            [0, 1, 2].map(|k| (p.of_a * q.normal[k] - q.of_a * p.normal[k]) * boxes.halves[1][k]);
        let sum = |of: [f32; 3]| of[0].abs() + of[1].abs() + of[2].abs();
        let (i, j) = (
            greatest_axis(of_a.map(f32::abs)),
            greatest_axis(of_b.map(f32::abs)),
        );
        let (axis, weight) = if of_a[i].abs() >= of_b[j].abs() {
            (i, of_a[i])
        } else {
            (3 + j, of_b[j])
        };
        let excess = beyond * (sum(of_a) + sum(of_b));
        Cut::new(beyond, axis, excess, weight)
    }
}
