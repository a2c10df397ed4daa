//! Convex occluders, and the proof that one hides a box from another.
//!
//! A convex set O given by planes (outward normals) meets a segment from a to b if the segment is within all of
//! them at once somewhere. Let f(a) and f(b) be the heights of the ends above a plane. A plane with both ends
//! above it is missed; one with both below does not matter. What is left are planes p that the segment goes in
//! through (f_p(a) > 0 > f_p(b)) and planes q that it goes out through (f_q(a) < 0 < f_q(b)), and it meets O if
//! it goes in through each p before it goes out through each q:
//!
//! ```text
//! f_p(a) / (f_p(a) - f_p(b)) <= f_q(a) / (f_q(a) - f_q(b))
//! which is  [f_p(a) / -f_q(a)] * [f_q(b) / -f_p(b)] <= 1.
//! ```
//!
//! The first factor depends on a alone and the second on b alone, and both are greatest at corners of boxes.
//! So all of the 64 segments between corners, and with them all segments from box to box, meet O exactly if
//! for each p and q the greatest first factor times the greatest second factor is at most 1: 8 + 8 corners in place of
//! 64 segments.
//!
//! A flat polygon is the same with its own plane as the p of the edges behind which B lies, and as the q of the
//! edges behind which A lies.
//!
//! **Margin.** Planes are moved inwards by [`Scale::margin`], 2^-24 of the largest coordinate and more. Heights are sums of four
//! products in double precision and err by less than 2^-49 of it, quotients and products by 2^-50 of
//! themselves: what is found to hide the shrunk occluder's shadow lies strictly inside the true one.

use super::plane_runs::PlaneRun;
use super::{Plane, Point, dot};

/// A box by its centre and half its sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// Its centre.
    pub centre: Point,
    /// Half its sides.
    pub half: Point,
}

impl Span {
    /// The box between two corners.
    pub fn between(min: Point, max: Point) -> Self {
        Self {
            centre: std::array::from_fn(|k| 0.5 * (min[k] + max[k])),
            half: std::array::from_fn(|k| 0.5 * (max[k] - min[k])),
        }
    }

    /// The corner of the least coordinates.
    pub fn min(&self) -> Point {
        std::array::from_fn(|k| self.centre[k] - self.half[k])
    }

    /// The corner of the greatest coordinates.
    pub fn max(&self) -> Point {
        std::array::from_fn(|k| self.centre[k] + self.half[k])
    }

    /// Whether a point is in it.
    pub fn holds(&self, at: Point) -> bool {
        (0..3).all(|k| (at[k] - self.centre[k]).abs() <= self.half[k])
    }

    /// Whether it has a point in common with another.
    pub fn meets(&self, of: &Self) -> bool {
        (0..3).all(|k| (self.centre[k] - of.centre[k]).abs() <= self.half[k] + of.half[k])
    }

    /// The eight corners.
    pub fn corners(&self) -> [Point; 8] {
        std::array::from_fn(|corner| {
            std::array::from_fn(|k| {
                let side = if corner >> k & 1 == 1 { 1.0 } else { -1.0 };
                self.centre[k] + side * self.half[k]
            })
        })
    }

    /// The two parts on either side of a place along an axis: -1 is the least coordinate, 1 the greatest. What rounding
    /// leaves between the two is less than [`Scale::margin`] by far, so that what hides both hides that.
    #[inline(never)]
    pub fn cut(&self, axis: usize, at: f64) -> [Self; 2] {
        [-1.0, 1.0].map(|side| {
            let mut part = *self;
            part.centre[axis] += 0.5 * (at + side) * self.half[axis];
            part.half[axis] *= 0.5 * (1.0 - side * at);
            part
        })
    }

    /// The smallest box around two.
    pub fn around(&self, other: &Self) -> Self {
        let ([a, b], [c, d]) = ([self.min(), other.min()], [self.max(), other.max()]);
        Self::between(
            std::array::from_fn(|k| a[k].min(b[k])),
            std::array::from_fn(|k| c[k].max(d[k])),
        )
    }

    /// The height of its centre above a plane, and how much higher its highest corner is.
    #[inline(always)]
    fn above(&self, plane: &Face) -> (f64, f64) {
        let n = plane.normal;
        let height = dot(n, self.centre) - plane.dist;
        let rise =
            n[0].abs() * self.half[0] + n[1].abs() * self.half[1] + n[2].abs() * self.half[2];
        (height, rise)
    }

    /// The heights of its corners above a plane, above which its centre is at `height`.
    #[inline(always)]
    fn heights(&self, height: f64, n: Point) -> [f64; 8] {
        let [x, y, z] = [
            n[0] * self.half[0],
            n[1] * self.half[1],
            n[2] * self.half[2],
        ];
        std::array::from_fn(|corner| {
            let sign = |k: usize, by: f64| if corner >> k & 1 == 1 { by } else { -by };
            height + sign(0, x) + sign(1, y) + sign(2, z)
        })
    }
}

/// A plane of an occluder, moved inwards.
type Face = Plane;

/// A plane of an occluder between two boxes.
#[derive(Clone, Copy, Debug)]
struct Crossing {
    normal: Point,
    /// The height of the centre above it, and how much higher the highest corner is.
    of_a: (f64, f64),
    of_b: (f64, f64),
}

impl Crossing {
    const NONE: Self = Self {
        normal: [0.0; 3],
        of_a: (0.0, 0.0),
        of_b: (0.0, 0.0),
    };

    #[inline(always)]
    fn new(plane: &Face, a: &Span, b: &Span) -> Self {
        Self {
            normal: plane.normal,
            of_a: a.above(plane),
            of_b: b.above(plane),
        }
    }

    fn lowered(self, by: f64) -> Self {
        Self {
            of_a: (self.of_a.0 + by, self.of_a.1),
            of_b: (self.of_b.0 + by, self.of_b.1),
            ..self
        }
    }

    fn flipped(self) -> Self {
        Self {
            normal: self.normal.map(|x| -x),
            of_a: (-self.of_a.0, self.of_a.1),
            of_b: (-self.of_b.0, self.of_b.1),
        }
    }
}

/// What [`Occluder::shadow`] works with.
#[derive(Debug)]
pub struct ShadowScratch {
    ins: [Crossing; MOST],
    outs: [Crossing; MOST],
}

impl Default for ShadowScratch {
    fn default() -> Self {
        Self::new()
    }
}

impl ShadowScratch {
    /// Room for one test.
    pub fn new() -> Self {
        Self {
            ins: [Crossing::NONE; MOST],
            outs: [Crossing::NONE; MOST],
        }
    }
}

/// What arithmetic may err by.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// By how much occluders are made smaller.
    pub margin: f64,
    /// What a difference of products must be below to be surely negative.
    pub least: f64,
}

impl Scale {
    /// Of levels with coordinates up to `extent`.
    pub fn new(extent: f64) -> Self {
        Self {
            margin: extent * (2.0f64).powi(-24) + (2.0f64).powi(-18),
            least: -extent * extent * (2.0f64).powi(-44),
        }
    }
}

/// From which sides an occluder hides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OccluderSides {
    /// All that its planes enclose is opaque.
    Solid,
    /// A convex polygon: first its plane, which it is seen from on both sides, then planes through its edges.
    Flat,
    /// The same, but it hides only what is behind it from who is before it.
    FrontOnly,
}

/// A convex set that hides what is behind it.
#[derive(Clone, Debug)]
pub struct Occluder {
    /// From which sides it hides.
    pub kind: OccluderSides,
    /// What it lies behind.
    pub planes: Vec<Face>,
    /// The box around it.
    pub bounds: Span,
    /// How far the polygons that a flat one is made of may lie off its plane, on either side.
    pub thick: f64,
    /// Whether it hides nothing from who is in the box around it, and nobody who is: nobody is inside of a wall, but of smoke.
    pub outside_only: bool,
    /// Whether it is as good as the box around it, from both sides.
    pub(super) is_box: bool,
    /// Its planes, without that of a flat one.
    pub(super) runs: Vec<PlaneRun>,
}

/// As many planes of one side are looked at; an occluder with more hides nothing that needs them.
const MOST: usize = 16;

impl Occluder {
    /// The convex solid within some planes, made smaller by `margin`.
    pub fn solid(planes: impl IntoIterator<Item = Plane>, bounds: Span, margin: f64) -> Self {
        let shrunk = |plane: Plane| Plane {
            dist: plane.dist - margin,
            ..plane
        };
        let planes = planes.into_iter().map(shrunk).collect();
        Self::new(OccluderSides::Solid, planes, bounds, 0.0)
    }

    /// An occluder by its planes, which were moved inwards by whoever made them.
    pub fn new(kind: OccluderSides, planes: Vec<Plane>, bounds: Span, thick: f64) -> Self {
        let edges = match kind {
            OccluderSides::Solid => &planes[..],
            OccluderSides::Flat | OccluderSides::FrontOnly => planes.get(1..).unwrap_or_default(),
        };
        // Next to nothing beside an axis changes no estimate.
        let along = |plane: &Plane| plane.normal.iter().any(|x| x.abs() > 1.0 - 1e-9);
        Self {
            kind,
            is_box: kind != OccluderSides::FrontOnly && planes.iter().all(along),
            runs: PlaneRun::all(edges),
            planes,
            bounds,
            thick,
            outside_only: false,
        }
    }

    /// What it does to the segments from somewhere in `a` to somewhere in `b`. What hides a smaller share of
    /// them than another, whose cut is beyond by `limit`, need not be distinguished from what hides none.
    #[inline(always)]
    pub fn shadow(
        &self,
        a: &Span,
        b: &Span,
        scale: Scale,
        limit: f64,
        room: &mut ShadowScratch,
    ) -> Shadow {
        if self.outside_only && [a, b].into_iter().any(|of| self.bounds.meets(of)) {
            return Shadow::None;
        }
        let planes = &self.planes[..];
        let ShadowScratch { ins, outs } = room;
        let (mut in_count, mut out_count) = (0, 0);
        let mut cut = Cut::NONE;
        let is_flat = self.kind != OccluderSides::Solid;
        let mut edges = planes;
        if is_flat {
            let mut crossing = Crossing::new(&planes[0], a, b);
            if crossing.of_a.0 < 0.0 {
                if self.kind == OccluderSides::FrontOnly {
                    return if crossing.of_a.0 + crossing.of_a.1 < 0.0 {
                        Shadow::Beside
                    } else {
                        Shadow::None
                    };
                }
                crossing = crossing.flipped();
            }
            let Crossing { of_a, of_b, .. } = crossing;
            let off = self.thick + scale.margin;
            if of_a.0 - of_a.1 < off || of_b.0 + of_b.1 > -off {
                return if of_b.0 - of_b.1 > 0.0 && of_a.0 - of_a.1 > 0.0 {
                    Shadow::Beside
                } else {
                    Shadow::None
                };
            }
            // Wherever between the two planes the segment comes upon what is opaque.
            ins[0] = crossing.lowered(off);
            outs[0] = crossing.flipped().lowered(off);
            (in_count, out_count) = (1, 1);
            edges = &planes[1..];
        }
        for plane in edges {
            let crossing = Crossing::new(plane, a, b);
            let (height_a, rise_a) = crossing.of_a;
            let (height_b, rise_b) = crossing.of_b;
            let a_is_out = height_a + rise_a >= 0.0;
            let b_is_out = height_b + rise_b >= 0.0;
            if a_is_out && b_is_out {
                if height_a - rise_a > 0.0 && height_b - rise_b > 0.0 {
                    return Shadow::Beside;
                }
                if height_a >= 0.0 && height_b >= 0.0 {
                    return Shadow::None;
                }
                cut.take_plane(plane, [a, b], [height_a, height_b], [rise_a, rise_b]);
                if cut.beyond >= limit {
                    return Shadow::None;
                }
            }
            if a_is_out && (height_a >= 0.0 || !b_is_out) {
                if in_count == MOST {
                    return Shadow::None;
                }
                ins[in_count] = crossing;
                in_count += 1;
            } else if b_is_out {
                if out_count == MOST {
                    return Shadow::None;
                }
                outs[out_count] = crossing;
                out_count += 1;
            }
        }
        for (i, p) in ins[..in_count].iter().enumerate() {
            for (j, q) in outs[..out_count].iter().enumerate() {
                if is_flat && (i == 0) == (j == 0) {
                    // The plane itself; and edges, of which each is held against it.
                    continue;
                }
                if !cut.take_wedge(a, b, p, q, scale.least) || cut.beyond >= limit {
                    return Shadow::None;
                }
            }
        }
        cut.shadow()
    }
}

/// What an occluder does to the segments from box to box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shadow {
    /// It lies beside all of them.
    Beside,
    /// The middle segment misses it.
    None,
    /// It meets the middle segment, and misses others.
    Part(Cut),
    /// It meets all of them.
    Whole,
}

/// Across which axis boxes are best cut, and where, for an occluder to hide more of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cut {
    /// How much of the boxes is beyond the shadow: 0 for next to nothing, 1 for half of them.
    pub beyond: f64,
    /// 0 to 2 are those of the first box.
    pub axis: u8,
    /// Whether less is hidden of the part with greater coordinates.
    pub upper: bool,
    /// Where across the axis: -1 is the least coordinate, 1 the greatest.
    pub at: f64,
}

/// Parts are a little less than a shadow reaches, since what limits a shadow is not quite linear, and what is next to it
/// hides the rest the sooner. [Unit: half a side]
const WITHIN: f64 = 0.1;
/// Where a shadow ends before that, boxes are halved.
const LEAST_PART: f64 = -0.25;
/// Nor is next to nothing cut off.
const MOST_PART: f64 = 0.9;

impl Cut {
    const NONE: Self = Self {
        beyond: f64::NEG_INFINITY,
        axis: 0,
        upper: false,
        at: 0.0,
    };

    fn shadow(self) -> Shadow {
        if self.beyond == f64::NEG_INFINITY {
            Shadow::Whole
        } else {
            Shadow::Part(self)
        }
    }

    /// The same, of what is as much as `excess` too high at the corner where it is highest, which grows by `weight` along
    /// half the axis: the part that is low enough is cut off, if it is not too small.
    #[inline(always)]
    pub(super) fn new<T: Into<f64>>(beyond: T, axis: usize, excess: T, weight: T) -> Self {
        let [beyond, excess, weight] = [beyond, excess, weight].map(T::into);
        let end = 1.0 - WITHIN - excess / weight.abs();
        // What is no number halves.
        let end = if end > LEAST_PART {
            end.min(MOST_PART)
        } else {
            0.0
        };
        Self {
            beyond,
            axis: axis as u8,
            upper: weight > 0.0,
            at: if weight > 0.0 { end } else { -end },
        }
    }

    /// Parts of both boxes are above a plane; what is best halved is the one that is less so.
    #[inline(always)]
    fn take_plane(&mut self, plane: &Face, spans: [&Span; 2], heights: [f64; 2], rises: [f64; 2]) {
        let beyond = [0, 1].map(|k| (heights[k] + rises[k]) / rises[k].max(f64::MIN_POSITIVE));
        let which = usize::from(beyond[1] < beyond[0]);
        let n = plane.normal;
        let weights = [0, 1, 2].map(|k| n[k] * spans[which].half[k]);
        let axis = greatest_axis(weights.map(f64::abs));
        if beyond[which] > self.beyond {
            let excess = heights[which] + rises[which];
            *self = Self::new(beyond[which], 3 * which + axis, excess, weights[axis]);
        }
    }

    /// Takes into account whether segments from `a` to `b` go in through p before they go out through q. False
    /// if the middle one does not.
    #[inline(always)]
    fn take_wedge(&mut self, a: &Span, b: &Span, p: &Crossing, q: &Crossing, least: f64) -> bool {
        let ((f_p, f_q), (g_p, g_q)) = ((p.of_a.0, q.of_a.0), (p.of_b.0, q.of_b.0));
        let over = f_p * g_q - f_q * g_p;
        if over > 0.0 && f_p > 0.0 && g_q > 0.0 {
            return false;
        }
        let [m, n] = [p.normal, q.normal];
        let of_a = [0, 1, 2].map(|k| (m[k] * g_q - n[k] * g_p) * a.half[k]);
        let of_b = [0, 1, 2].map(|k| (f_p * n[k] - f_q * m[k]) * b.half[k]);
        let sum = |of: [f64; 3]| of[0].abs() + of[1].abs() + of[2].abs();
        let spread = sum(of_a) + sum(of_b);
        // The product of what two factors differ by at most.
        let second = p.of_a.1 * q.of_b.1 + q.of_a.1 * p.of_b.1;
        let is_behind = q.of_a.0 + q.of_a.1 < 0.0 && p.of_b.0 + p.of_b.1 < 0.0;
        if is_behind && (over + spread + second <= least || is_in_before_out(a, b, p, q)) {
            return true;
        }
        let beyond = (over + spread) / spread.max(f64::MIN_POSITIVE);
        if beyond > self.beyond {
            let (i, j) = (
                greatest_axis(of_a.map(f64::abs)),
                greatest_axis(of_b.map(f64::abs)),
            );
            let (axis, weight) = if of_a[i].abs() >= of_b[j].abs() {
                (i, of_a[i])
            } else {
                (3 + j, of_b[j])
            };
            *self = Self::new(beyond, axis, over + spread, weight);
        }
        true
    }
}

/// Which of three amounts is greatest.
#[inline(always)]
pub(super) fn greatest_axis<T: PartialOrd + Copy>([x, y, z]: [T; 3]) -> usize {
    if x >= y && x >= z {
        0
    } else if y >= z {
        1
    } else {
        2
    }
}

/// Whether all segments from `a`, behind q, to `b`, behind p, go in through p before they go out through q.
#[inline(always)]
fn is_in_before_out(a: &Span, b: &Span, p: &Crossing, q: &Crossing) -> bool {
    let heights = |span: &Span, middle: f64, normal: Point| span.heights(middle, normal);
    let first = greatest(
        &heights(a, p.of_a.0, p.normal),
        &heights(a, q.of_a.0, q.normal),
    );
    first
        * greatest(
            &heights(b, q.of_b.0, q.normal),
            &heights(b, p.of_b.0, p.normal),
        )
        <= 1.0
}

/// The greatest of in / -out; out is below 0 everywhere.
#[inline(always)]
fn greatest(over: &[f64; 8], under: &[f64; 8]) -> f64 {
    let mut most = [0.0; 8];
    for lane in 0..8 {
        // Rounding may have put a corner on the plane.
        let under = -under[lane];
        most[lane] = if under > 0.0 {
            over[lane] / under
        } else {
            f64::INFINITY
        };
    }
    let max = |a: f64, b: f64| if a > b { a } else { b };
    let four: [f64; 4] = std::array::from_fn(|k| max(most[k], most[k + 4]));
    max(max(four[0], four[2]), max(four[1], four[3])).max(0.0)
}
