//! Shadows of boxes, an occluder a SIMD lane: what the boxes around occluders do to the segments from box to box, in
//! single precision.
//!
//! Along each axis segments mostly go one way: from the first centre to the second. A box is three slabs. Segments go in
//! through the near planes and out through the far ones, and meet the box if they go in through each before they go out
//! through each other: what `occluder` proves, with normals along the axes.
//!
//! The box around an occluder hides whatever the occluder hides. What it does not hide is rejected, but for rounding, which
//! costs what hides and never what sees.

use super::occluder::{Cut, Span};
use super::shaft::LANES;

/// A pair of boxes, along each axis counted in the direction from the first to the second.
pub(super) struct Slabs {
    axes: [Axis; 3],
    tolerance: f32,
    /// What differences of products may err by.
    slack: f32,
}

#[derive(Clone, Copy)]
struct Axis {
    /// 1, or -1 where coordinates are counted down.
    sign: f32,
    centres: [f32; 2],
    halves: [f32; 2],
    /// One by these.
    shares: [f32; 2],
}

/// Heights of the two centres above the near and above the far plane of a slab.
#[derive(Clone, Copy)]
struct Slab {
    near: [f32; 2],
    far: [f32; 2],
}

impl Slabs {
    /// With so much in favour of hiding.
    #[inline(always)]
    pub(super) fn new(a: &Span, b: &Span, tolerance: f32) -> Self {
        let axis = |k: usize| {
            let sign = if b.centre[k] >= a.centre[k] {
                1.0
            } else {
                -1.0
            };
            let halves = [a.half[k] as f32, b.half[k] as f32];
            Axis {
                sign,
                centres: [sign * a.centre[k] as f32, sign * b.centre[k] as f32],
                halves,
                shares: halves.map(|half| 1.0 / max(half, SMALL)),
            }
        };
        let axes = [axis(0), axis(1), axis(2)];
        let long = |of: &Axis| of.centres[1] - of.centres[0];
        Self {
            axes,
            tolerance,
            slack: tolerance * (long(&axes[0]) + long(&axes[1]) + long(&axes[2])),
        }
    }

    /// How much of the boxes is beyond the shadow of each box: ∞ where the middle segment misses it, -∞ where it may hide
    /// all. Lanes of no box have halves of -∞.
    #[inline(always)]
    pub(super) fn beyond(
        &self,
        centres: [&[f32; LANES]; 3],
        halves: [&[f32; LANES]; 3],
    ) -> [f32; LANES] {
        let [x, y, z] = &self.axes;
        let (tolerance, slack) = (self.tolerance, self.slack);
        let mut beyond = [0.0; LANES];
        for lane in 0..LANES {
            let p = x.slab(centres[0][lane], halves[0][lane]);
            let q = y.slab(centres[1][lane], halves[1][lane]);
            let r = z.slab(centres[2][lane], halves[2][lane]);
            let most = x.above(p.near, tolerance);
            let most = max(x.above(p.far, tolerance), most);
            let most = max(y.above(q.near, tolerance), most);
            let most = max(y.above(q.far, tolerance), most);
            let most = max(z.above(r.near, tolerance), most);
            let most = max(z.above(r.far, tolerance), most);
            let most = max(wedge(p.near, q.far, x, y, tolerance, slack), most);
            let most = max(wedge(p.near, r.far, x, z, tolerance, slack), most);
            let most = max(wedge(q.near, p.far, y, x, tolerance, slack), most);
            let most = max(wedge(q.near, r.far, y, z, tolerance, slack), most);
            let most = max(wedge(r.near, p.far, z, x, tolerance, slack), most);
            let most = max(wedge(r.near, q.far, z, y, tolerance, slack), most);
            beyond[lane] = most;
        }
        beyond
    }

    /// How to divide the pair for a box that has so much beyond its shadow.
    pub(super) fn cut(&self, of: &Span, beyond: f32) -> Cut {
        let slab = |k: usize| self.axes[k].slab(of.centre[k] as f32, of.half[k] as f32);
        let slabs = [slab(0), slab(1), slab(2)];
        // Which of two boxes, along which axis, how much too high and how steep.
        let mut worst = (f32::NEG_INFINITY, 0, 0.0, 1.0);
        let mut take = |of: (f32, usize, f32, f32)| {
            if of.0 > worst.0 {
                worst = of;
            }
        };
        for (k, (axis, slab)) in self.axes.iter().zip(&slabs).enumerate() {
            for (height, way) in [(slab.near, -axis.sign), (slab.far, axis.sign)] {
                let parts = axis.above(height, self.tolerance);
                let above = [0, 1].map(|i| height[i] + axis.halves[i]);
                let which = usize::from(above[1] * axis.shares[1] < above[0] * axis.shares[0]);
                take((parts, 3 * which + k, above[which], way * axis.halves[which]));
            }
        }
        for (i, j) in [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)] {
            let (x, y) = (&self.axes[i], &self.axes[j]);
            let (p, q) = (slabs[i].near, slabs[j].far);
            let parts = wedge(p, q, x, y, self.tolerance, self.slack);
            // The near plane's normal is against the direction, the far one's along it.
            let weights = [
                (i, -x.sign * q[1] * x.halves[0]),
                (j, -y.sign * p[1] * y.halves[0]),
                (3 + i, x.sign * q[0] * x.halves[1]),
                (3 + j, y.sign * p[0] * y.halves[1]),
            ];
            let mut best = weights[0];
            for weight in weights {
                if weight.1.abs() > best.1.abs() {
                    best = weight;
                }
            }
            let sum: f32 = weights.iter().map(|weight| weight.1.abs()).sum();
            take((parts, best.0, parts * sum, best.1));
        }
        let (_, axis, excess, weight) = worst;
        Cut::new(beyond, axis, excess, weight)
    }
}

impl Axis {
    #[inline(always)]
    fn slab(&self, centre: f32, half: f32) -> Slab {
        let [a, b] = self.centres;
        let centre = self.sign * centre;
        let (low, high) = (centre - half, centre + half);
        Slab {
            near: [low - a, low - b],
            far: [a - high, b - high],
        }
    }

    /// Both boxes have a part above a plane.
    #[inline(always)]
    fn above(&self, [of_a, of_b]: [f32; 2], tolerance: f32) -> f32 {
        let (above_a, above_b) = (of_a + self.halves[0], of_b + self.halves[1]);
        let beyond = min(above_a * self.shares[0], above_b * self.shares[1]);
        let beyond = if min(above_a, above_b) > tolerance {
            beyond
        } else {
            f32::NEG_INFINITY
        };
        if min(of_a, of_b) > tolerance {
            f32::INFINITY
        } else {
            beyond
        }
    }
}

/// Segments go in through a near plane and out through a far one of another axis.
#[inline(always)]
fn wedge(p: [f32; 2], q: [f32; 2], x: &Axis, y: &Axis, tolerance: f32, slack: f32) -> f32 {
    let ([a, b], [c, d]) = (x.halves, y.halves);
    let over = p[0] * q[1] - q[0] * p[1];
    let spread = q[1].abs() * a + p[1].abs() * c + q[0].abs() * b + p[0].abs() * d;
    let beyond = (over + spread) / spread;
    // At the corners that are highest above either plane.
    let (of_a, of_b) = (p[0] + a, q[1] + d);
    let misses = of_a * of_b - (q[0] + c) * (p[1] + b) > slack;
    let beyond = if (min(of_a, of_b) > tolerance) & misses {
        beyond
    } else {
        f32::NEG_INFINITY
    };
    if (min(p[0], q[1]) > 0.0) & (over > slack) {
        f32::INFINITY
    } else {
        beyond
    }
}

/// Less is as good as nothing.
const SMALL: f32 = 1e-30;

#[inline(always)]
fn max(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

#[inline(always)]
fn min(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}
