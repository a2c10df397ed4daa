//! A single sample and another, and the view cells around them.

use super::super::lanes::VOID;
use super::super::refine::{MANY, NEAR, Quarters};
use super::super::surface::{Cover, POINTS};
use super::super::viewers::PAIRS;
use super::super::{TOLERANCE, sees};
use super::field::{NOWHERE, ShaftField};
use super::step::Way;
use fearless_simd::{f32x4, f32x8, f32x16, prelude::*};
use fearless_simd_macros::simd;

/// Within what heights in double precision are not sure, in metres: the definition decides.
const UNSURE: f64 = 1e-6;

/// The way is cut into so many parts; of each the highest line is kept.
const OCCLUDERS: usize = 3;

/// The lines across the way that rise highest above the sight between two samples.
pub(super) struct Occluders {
    /// How far they are from the viewer, the highest of all first; 0 for none. One in each part of the way.
    lines: [u32; OCCLUDERS],
    /// How far the first rises above it, in metres.
    above: f64,
    /// Whether single precision may take other lines for the highest: then the kernel of samples may find
    /// nothing that hides, and nothing is to be hidden that it shows.
    is_unsure: bool,
}

/// The line of a part of the way that rises highest.
#[derive(Clone, Copy)]
struct Highest {
    line: u32,
    above: f64,
    /// Whether that is the same number in any precision: between level ends, on level ground.
    is_plain: bool,
    /// How far the others rise, but for those that rise as high and are plain, too: of these the nearest is
    /// taken in any precision.
    others: f64,
}

impl Highest {
    const NONE: Self = Self {
        line: 0,
        above: f64::NEG_INFINITY,
        is_plain: false,
        others: f64::NEG_INFINITY,
    };

    /// Whether two rise equally high in any precision.
    fn ties(&self, above: f64, is_plain: bool) -> bool {
        self.above == above && self.is_plain && is_plain
    }

    /// Takes a line into account, in any order. Of two that rise as high the nearer one is kept, as in
    /// `exact`.
    fn take(&mut self, line: u32, above: f64, is_plain: bool) {
        let lower = if above > self.above {
            self.above
        } else {
            above
        };
        if !self.ties(above, is_plain) {
            self.others = self.others.max(lower);
        }
        if above > self.above || above == self.above && line < self.line {
            (self.line, self.above, self.is_plain) = (line, above, is_plain);
        }
    }
}

/// Whether the ground of `slabs` leaves the sight from sample `a` to `b` free: if not, what blocks it.
///
/// The two have to be further apart along the way than across. No other slab may block. `wanted` tells that
/// what blocks is asked for, and not only whether anything does.
pub(super) fn sight(
    field: &ShaftField<'_>,
    way: Way,
    slabs: impl Iterator<Item = u32>,
    [a, b]: [(u32, u32); 2],
    wanted: bool,
) -> Result<(), Occluders> {
    let ground = |x: i64, y: i64| {
        let (column, row) = way.turn((x as u32, y as u32));
        field.terrain.at(column, row) - field.base
    };
    let from = way.turn((i64::from(a.0), i64::from(a.1)));
    let to = way.turn((i64::from(b.0), i64::from(b.1)));
    let (eye, head) = (field.eye_and_head(a)[0], field.eye_and_head(b)[1]);
    let rise = head - eye;
    let (u, v) = ((to.0 - from.0).abs(), to.1 - from.1);
    let sign = (to.0 - from.0).signum();
    // s·v/u: the whole number not above it, and what is left of 1/u.
    let inverse = 1.0 / u as f64;
    let crossing = |s: i64| {
        let whole = ((s * v) as f64 * inverse).floor() as i64;
        match s * v - whole * u {
            rest if rest < 0 => (whole - 1, rest + u),
            rest if rest >= u => (whole + 1, rest - u),
            rest => (whole, rest),
        }
    };
    let mut highest = f64::NEG_INFINITY;
    let mut parts = [Highest::NONE; OCCLUDERS];
    for x in slabs.map(i64::from) {
        if !wanted && highest > TOLERANCE + UNSURE {
            return Err(Occluders::of(field, parts));
        }
        let s = (x - from.0) * sign;
        if 0 < s && s < u {
            let (whole, rest) = crossing(s);
            let mut there = ground(x, from.1 + whole);
            let mut is_plain = rise == 0.0;
            if rest > 0 {
                let next = ground(x, from.1 + whole + 1);
                is_plain &= there == next;
                there += (next - there) * (rest as f64 * inverse);
            }
            let over = there - (eye + rise * (s as f64 * inverse));
            highest = highest.max(over);
            let part = (1..OCCLUDERS)
                .filter(|&k| s >= u * k as i64 / OCCLUDERS as i64)
                .count();
            parts[part].take(s as u32, over, is_plain);
        }
        // The line along the way that is crossed strictly between this line and the next, if one is.
        let s = if sign > 0 { s } else { s - 1 };
        if s < 0 || s >= u || v == 0 {
            continue;
        }
        let (whole, rest) = crossing(s);
        let (j, past) = match (v > 0, rest) {
            (true, _) => (whole + 1, rest + v - u),
            (false, 0) => (whole - 1, -v - u),
            (false, _) => (whole, -v - rest),
        };
        if past <= 0 {
            continue;
        }
        let (x, next) = (from.0 + s * sign, from.0 + (s + 1) * sign);
        let (near, far) = (ground(x, from.1 + j), ground(next, from.1 + j));
        let gone = 1.0 - past as f64 / v.abs() as f64;
        let there = near + (far - near) * gone;
        highest = highest.max(there - (eye + rise * (j as f64 / v as f64)));
    }
    let sure = highest < TOLERANCE - UNSURE;
    if sure || highest < TOLERANCE + UNSURE && sees(field.terrain, field.bodies, a, b) {
        return Ok(());
    }
    Err(Occluders::of(field, parts))
}

impl Occluders {
    fn of(field: &ShaftField<'_>, mut parts: [Highest; OCCLUDERS]) -> Self {
        for part in 1..OCCLUDERS {
            if parts[part].above > parts[0].above {
                parts.swap(0, part);
            }
        }
        let [first, rest @ ..] = &mut parts;
        for part in rest.iter_mut() {
            // Slabs that are not listed may rise higher then, and nothing is to be hidden that `cells` would
            // not hide.
            if part.above <= TOLERANCE {
                part.line = 0;
            }
        }
        let close = |high: f64, low: f64| high - low <= field.rounding();
        let is_unsure = rest.iter().any(|part| {
            close(first.above, part.above) && !first.ties(part.above, part.is_plain)
                || part.line != 0 && close(part.above, part.others)
        });
        Self {
            is_unsure: is_unsure || close(first.above, first.others),
            above: first.above,
            lines: parts.map(|part| part.line),
        }
    }
}

/// When it pays to try quarters, as in `cells`.
const LEAST_RISE: f64 = 0.4;

/// Whether the cell of sample `a` is shown not to see the cell of `b`, by the lines that block sight from the
/// one to the other.
#[simd]
pub(super) fn are_quarters_hidden<S: Simd>(
    simd: S,
    (field, way): (&ShaftField<'_>, Way),
    [a, b]: [(u32, u32); 2],
    [viewer, player]: [&[f32; PAIRS]; 2],
    occluders: &Occluders,
) -> bool {
    let from = way.turn((a.0 as i32, a.1 as i32));
    let to = way.turn((b.0 as i32, b.1 as i32));
    let sign = (to.0 - from.0).signum();
    let (u, v) = ((to.0 - from.0) * sign, to.1 - from.1);
    let (_, height) = way.turn((field.samples.width(), field.samples.height()));
    let (eye, head) = (field.bodies.eye as f32, field.bodies.head as f32);
    let first = occluders.lines[0];
    if first == 0 || occluders.is_unsure {
        return false;
    }
    // How much higher than between the samples sight may be over the highest line.
    let quads = &field.quads[0];
    let eye_higher = f64::from(quads.eyes[quads.number(a)]) - field.eye_and_head(a)[0];
    let head_higher = f64::from(quads.heads[quads.number(b)]) - field.eye_and_head(b)[1];
    let gone = f64::from(first) / f64::from(u);
    let higher = eye_higher + (head_higher - eye_higher) * gone;
    if occluders.above < LEAST_RISE * higher + field.rounding() {
        return false;
    }
    let quarters = Quarters::new(simd, sign as f32, u, v);
    let turn = |k: usize| if way.turned { TURNED[k] } else { k };
    let zero: f32x16<S> = f32x16::splat(simd, 0.0);
    let (mut e, mut h) = ([[zero; 2]; 2], [[zero; 2]; 2]);
    for i in 0..2 {
        for j in 0..2 {
            let k = 2 * j + i;
            let mut eyes = [0.0; PAIRS];
            for (lane, value) in eyes.iter_mut().enumerate() {
                *value = viewer[turn(k * 4 + lane / 4)] + (eye - head);
            }
            e[i][j] = f32x16::from_slice(simd, &eyes);
            let four: [f32; 4] = std::array::from_fn(|lane| player[turn(k * 4 + lane)]);
            let four = f32x4::from_slice(simd, &four);
            let eight: f32x8<S> = four.combine(four);
            h[i][j] = eight.combine(eight);
        }
    }
    let lines = &field.axes[usize::from(way.turned)].least;
    let mut left = !0_u16;
    let [first, second, third] = occluders.lines.map(|line| line as i32);
    for (number, x) in [first, second, third, first - 1, first + 1]
        .into_iter()
        .enumerate()
    {
        if (1..u).contains(&x) {
            let crossing = quarters.crossing(simd, x);
            let mut ground = [VOID; NEAR];
            for (k, ground) in (0..).zip(&mut ground) {
                let row = from.1 + crossing.first + k;
                if (0..height as i32).contains(&row) {
                    *ground = lines.line((from.0 + x * sign) as usize).at(row as u32);
                }
            }
            if !ground.contains(&VOID) {
                left &= !quarters.hidden(simd, &crossing, &ground, (&e, &h), field.cell + head);
            }
        }
        if left == 0 {
            return true;
        }
        // The others hardly ever hide the rest.
        if number == 0 && left.count_ones() > MANY {
            return false;
        }
    }
    false
}

/// Heights over the corners of the quarters of cells, for each corner (north-western first, row by row)
/// that of each quarter (likewise): of those that were asked for last.
pub(super) struct Covers(Vec<((u32, u32), [f32; PAIRS])>);

/// Columns and rows of cells of which one is kept.
const KEPT: u32 = 32;

impl Covers {
    pub fn new() -> Self {
        Self(vec![(NOWHERE, [0.0; PAIRS]); (KEPT * KEPT) as usize])
    }

    pub fn of(&mut self, field: &ShaftField<'_>, place: (u32, u32)) -> &[f32; PAIRS] {
        let (column, row) = place;
        let kept = &mut self.0[((row % KEPT) * KEPT + column % KEPT) as usize];
        if kept.0 != place {
            let cover = Cover::new(field.terrain, column, row);
            let heights = std::array::from_fn(|k| {
                // The low bits of corner and quarter are columns.
                let (corner, quarter) = (k / 4, k % 4);
                let (column, row) = (corner % 2 + quarter % 2, corner / 2 + quarter / 2);
                (cover.quarters[row * POINTS + column] - field.base) as f32
            });
            *kept = (place, heights);
        }
        &kept.1
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
