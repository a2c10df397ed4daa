//! A single sample and another, and the view cells around them.

use super::field::ShaftField;
use super::sparse_table::SparseTable;
use super::step::{Pair, Way};
use crate::visibility::conservative::refine::PAIRS;
use crate::visibility::conservative::refine::{Corners, MANY, NEAR, Quarters};
use crate::visibility::exact::displacement::{crossing, slope};
use crate::visibility::lanes::VOID;
use crate::visibility::{TOLERANCE, sees};
use fearless_simd::{f32x4, f32x8, f32x16, prelude::*};
use fearless_simd_macros::simd;

/// Within what heights in double precision are not sure, in metres: the definition decides.
const UNSURE: f64 = 1e-6;

/// The way is cut into so many parts; of each the highest line is kept.
const OCCLUDERS: usize = 3;

/// The lines across the way that rise highest above the sight between two samples.
pub(crate) struct Occluders {
    /// The highest of each part of the way, the highest of all first: how far they are from the viewer; 0 for
    /// none.
    lines: [u32; OCCLUDERS],
    /// How far the highest rises above it, in metres.
    above: f64,
}

/// The line of sight from a sample to another that is further from it along the way than across.
struct Sight<'f> {
    field: &'f ShaftField<'f>,
    way: Way,
    /// The first sample, major and minor, and in which direction major coordinates count.
    from: (i64, i64),
    sign: i64,
    /// How far it is to the second.
    u: i64,
    v: i64,
    /// v/u in fixed point, and 1/u.
    slope: i64,
    inverse: f64,
    eye: f64,
    /// How much higher the head is than the eye.
    rise: f64,
}

impl<'f> Sight<'f> {
    fn new(field: &'f ShaftField<'f>, way: Way, [a, b]: [(u32, u32); 2]) -> Self {
        let from = way.turn((i64::from(a.0), i64::from(a.1)));
        let to = way.turn((i64::from(b.0), i64::from(b.1)));
        let (eye, head) = (field.eye_and_head(a)[0], field.eye_and_head(b)[1]);
        let (u, v) = ((to.0 - from.0).abs(), to.1 - from.1);
        Self {
            field,
            way,
            from,
            sign: (to.0 - from.0).signum(),
            u,
            v,
            slope: slope(u as i32, v as i32),
            inverse: 1.0 / u as f64,
            eye,
            rise: head - eye,
        }
    }

    #[inline(always)]
    fn ground(&self, x: i64, y: i64) -> f64 {
        let (column, row) = self.way.turn((x as u32, y as u32));
        self.field.terrain.at(column, row) - self.field.base
    }

    /// How far a line across the way is from the first sample.
    #[inline(always)]
    fn steps_to(&self, x: u32) -> i64 {
        (i64::from(x) - self.from.0) * self.sign
    }

    /// s·v/u: the whole number not above it, and what is left of 1/u.
    #[inline(always)]
    fn crossing(&self, s: i64) -> (i64, i64) {
        let (whole, _) = crossing(s as i32, self.u as i32, self.slope);
        let whole = i64::from(whole);
        (whole, s * self.v - whole * self.u)
    }

    /// Whether the line across the way lies strictly between the two.
    #[inline(always)]
    fn is_between(&self, s: i64) -> bool {
        0 < s && s < self.u
    }

    /// In which part of the way the line lies.
    #[inline(always)]
    fn part(&self, s: i64) -> usize {
        (1..OCCLUDERS)
            .filter(|&k| s >= self.u * k as i64 / OCCLUDERS as i64)
            .count()
    }

    /// How far the ground rises above sight on the line across the way.
    #[inline(always)]
    fn across(&self, s: i64) -> f64 {
        let (whole, rest) = self.crossing(s);
        let (x, y) = (self.from.0 + s * self.sign, self.from.1 + whole);
        let mut there = self.ground(x, y);
        if rest > 0 {
            there += (self.ground(x, y + 1) - there) * (rest as f64 * self.inverse);
        }
        there - (self.eye + self.rise * (s as f64 * self.inverse))
    }

    /// How far the ground rises above sight on the line along the way that is crossed strictly between this line
    /// across it and the next, if one is.
    #[inline(always)]
    fn along(&self, s: i64) -> Option<f64> {
        let &Self { u, v, .. } = self;
        if s < 0 || s >= u || v == 0 {
            return None;
        }
        let (whole, rest) = self.crossing(s);
        let (j, past) = match (v > 0, rest) {
            (true, _) => (whole + 1, rest + v - u),
            (false, 0) => (whole - 1, -v - u),
            (false, _) => (whole, -v - rest),
        };
        if past <= 0 {
            return None;
        }
        let [x, next] = [s, s + 1].map(|s| self.from.0 + s * self.sign);
        let y = self.from.1 + j;
        let (near, far) = (self.ground(x, y), self.ground(next, y));
        let there = near + (far - near) * (1.0 - past as f64 / v.abs() as f64);
        Some(there - (self.eye + self.rise * (j as f64 / v as f64)))
    }
}

/// Whether the ground of `slabs` leaves the sight from sample `a` to `b` free: if not, what blocks it.
///
/// The two have to be further apart along the way than across. No other slab may block. `wanted` tells that
/// what blocks is asked for, and not only whether anything does.
pub(crate) fn sight(
    field: &ShaftField<'_>,
    way: Way,
    slabs: impl Iterator<Item = u32>,
    [a, b]: [(u32, u32); 2],
    wanted: bool,
) -> Result<(), Occluders> {
    let sight = Sight::new(field, way, [a, b]);
    let mut highest = f64::NEG_INFINITY;
    let mut parts = [(f64::NEG_INFINITY, 0); OCCLUDERS];
    for x in slabs {
        if !wanted && highest > TOLERANCE + UNSURE {
            return Err(Occluders::of(parts));
        }
        let s = sight.steps_to(x);
        if sight.is_between(s) {
            let over = sight.across(s);
            highest = highest.max(over);
            let part = &mut parts[sight.part(s)];
            // Of lines that rise as high the nearer one, in whatever order they come.
            if over > part.0 || over == part.0 && (s as u32) < part.1 {
                *part = (over, s as u32);
            }
        }
        // The slab is what lies between this line and the one with the next greater coordinate.
        let s = if sight.sign > 0 { s } else { s - 1 };
        if let Some(over) = sight.along(s) {
            highest = highest.max(over);
        }
    }
    let sure = highest < TOLERANCE - UNSURE;
    if sure || highest < TOLERANCE + UNSURE && sees(field.terrain, field.bodies, a, b) {
        return Ok(());
    }
    Err(Occluders::of(parts))
}

impl Occluders {
    /// The highest line of each part of the way.
    fn of(mut parts: [(f64, u32); OCCLUDERS]) -> Self {
        for part in 1..OCCLUDERS {
            if parts[part].0 > parts[0].0 {
                parts.swap(0, part);
            }
        }
        Self {
            lines: parts.map(|(_, line)| line),
            above: parts[0].0,
        }
    }
}

/// When it pays to try quarters, as in `cells`.
const LEAST_RISE: f64 = 0.4;

/// Whether the cell of sample `a` is shown not to see the cell of `b`, by the lines that block sight from the
/// one to the other.
#[simd]
pub(crate) fn are_quarters_hidden<S: Simd>(
    simd: S,
    (field, way): (&ShaftField<'_>, Way),
    [a, b]: [(u32, u32); 2],
    covers: [&[f32; PAIRS]; 2],
    occluders: &Occluders,
) -> bool {
    let [first, ..] = occluders.lines.map(|line| line as i32);
    if first == 0 {
        return false;
    }
    // How much higher than between the samples sight may be over the highest line.
    let quads = &field.quads[0];
    let eye_higher = f64::from(quads.eyes[quads.number(a)]) - field.eye_and_head(a)[0];
    let head_higher = f64::from(quads.heads[quads.number(b)]) - field.eye_and_head(b)[1];
    let apart = Pair { level: 0, a, b }.apart();
    let per = 1.0 / f64::from(way.turn(apart).0.abs());
    let higher = eye_higher + (head_higher - eye_higher) * (f64::from(first) * per);
    if occluders.above < LEAST_RISE * higher {
        return false;
    }
    let pairs = QuarterPairs::new(simd, (field, way), [a, b], covers);
    let mut left = !pairs.hidden(simd, first);
    // The others hardly ever hide the rest.
    if left.count_ones() > MANY {
        return false;
    }
    let [_, second, third] = occluders.lines.map(|line| line as i32);
    for line in [second, third, first - 1, first + 1] {
        if left == 0 {
            break;
        }
        left &= !pairs.hidden(simd, line);
    }
    left == 0
}

/// The sixteen pairs of quarters of the cells of two samples.
struct QuarterPairs<'f, S: Simd> {
    quarters: Quarters<S>,
    eyes: Corners<S>,
    heads: Corners<S>,
    ground: &'f SparseTable<false>,
    /// The first sample, major and minor, and in which direction major coordinates count.
    from: (i32, i32),
    sign: i32,
    /// How far away the second is along the way.
    u: i32,
    /// Samples of a line.
    samples: i32,
    margin: f32,
}

impl<'f, S: Simd> QuarterPairs<'f, S> {
    #[inline(always)]
    fn new(
        simd: S,
        (field, way): (&'f ShaftField<'_>, Way),
        [a, b]: [(u32, u32); 2],
        [viewer, player]: [&[f32; PAIRS]; 2],
    ) -> Self {
        let from = way.turn((a.0 as i32, a.1 as i32));
        let to = way.turn((b.0 as i32, b.1 as i32));
        let sign = (to.0 - from.0).signum();
        let u = (to.0 - from.0) * sign;
        let (eye, head) = (field.bodies.eye as f32, field.bodies.head as f32);
        let turn = |k: usize| if way.turned { TURNED[k] } else { k };
        let zero: f32x16<S> = f32x16::splat(simd, 0.0);
        let (mut eyes, mut heads) = ([[zero; 2]; 2], [[zero; 2]; 2]);
        for i in 0..2 {
            for j in 0..2 {
                let k = 2 * j + i;
                let mut sixteen = [0.0; PAIRS];
                for (lane, value) in sixteen.iter_mut().enumerate() {
                    *value = viewer[turn(k * 4 + lane / 4)] + (eye - head);
                }
                eyes[i][j] = f32x16::from_slice(simd, &sixteen);
                let four: [f32; 4] = std::array::from_fn(|lane| player[turn(k * 4 + lane)]);
                let four = f32x4::from_slice(simd, &four);
                let eight: f32x8<S> = four.combine(four);
                heads[i][j] = eight.combine(eight);
            }
        }
        let (_, samples) = way.turn((field.samples.width(), field.samples.height()));
        Self {
            quarters: Quarters::new(simd, sign as f32, u, to.1 - from.1),
            eyes,
            heads,
            ground: &field.axes[usize::from(way.turned)].least,
            from,
            sign,
            u,
            samples: samples as i32,
            margin: field.cell + head,
        }
    }

    /// Which pairs, a bit each, the line hides that is so far from the first sample.
    #[inline(always)]
    fn hidden(&self, simd: S, line: i32) -> u16 {
        if !(1..self.u).contains(&line) {
            return 0;
        }
        let crossing = self.quarters.crossing(simd, line);
        let mut ground = [VOID; NEAR];
        for (k, ground) in (0..).zip(&mut ground) {
            let row = self.from.1 + crossing.first + k;
            if (0..self.samples).contains(&row) {
                let line = self.ground.line((self.from.0 + line * self.sign) as usize);
                *ground = line.at(row as u32);
            }
        }
        if ground.contains(&VOID) {
            return 0;
        }
        let corners = (&self.eyes, &self.heads);
        self.quarters
            .hidden(simd, &crossing, &ground, corners, self.margin)
    }
}

/// By corner and quarter: those that lie there on a grid that is turned over its diagonal.
const TURNED: [usize; PAIRS] = {
    let mut turned = [0; PAIRS];
    let mut k = 0;
    while k < PAIRS {
        let (corner, quarter) = (k / 4, k % 4);
        turned[k] = (corner % 2 * 2 + corner / 2) * 4 + quarter % 2 * 2 + quarter / 2;
        k += 1;
    }
    turned
};
