//! A pair of quads in sixteen parts: which are hidden, which are seen, and which lines matter to the
//! others.

use super::field::{Lines, ShaftField};
use super::pair::{CoarsePair, PARTS, Way, extent};
use crate::visibility::lanes::VOID;
use crate::visibility::sightline::Stance;
use fearless_simd::{f32x16, i32x16, prelude::*};
use fearless_simd_macros::simd;

/// So many of the highest lines are put in order.
const SORTED: usize = 4;

/// Up to this level, cells are soon seen from highest place to highest place, so that a search for lines that do not
/// matter to them takes longer than it saves.
const SMALL: u32 = 3;

/// The ground between the grid line `x` and the next, across the way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slab {
    pub x: u32,
    /// By how much line x is above all sight of a part, at most, or a bit less; less than 0 where it hides none. Of a list the
    /// greatest [`SORTED`] come first.
    pub clearance: f32,
    /// Parts of a pair for which it may matter.
    pub lanes: u16,
}

/// What a step has found, a bit a lane. Lanes that are neither are hidden.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    /// Each cell, or sample, of the one sees each of the other.
    pub clear: u16,
    pub open: u16,
}

/// All segments from one rectangle to another: sixteen pairs of rectangles, or sixteen times the same.
/// Coordinates are counted from the first quad's corner, major ones on the way.
#[derive(Clone, Copy)]
struct ShaftBounds<S: Simd> {
    /// From where to where the first rectangle reaches, and the second.
    a: [f32x16<S>; 2],
    b: [f32x16<S>; 2],
    /// 1 / (b - a) of the far sides, and of the near sides.
    per: [f32x16<S>; 2],
    /// The lower and the upper side of the first, and how much higher those of the second are.
    side: [f32x16<S>; 2],
    rise: [f32x16<S>; 2],
    /// How far the sides at a crossing may be off.
    slack: [f32x16<S>; 2],
    /// The highest eye and head: the first, and how much higher the second is; the lowest; and the lowest
    /// of those that have to see each other.
    high: [f32x16<S>; 2],
    low: [f32x16<S>; 2],
    peak: [f32x16<S>; 2],
}

/// The same as numbers: sides of the rectangles (major and minor of the first, and of the second), and
/// heights (highest eye and head, lowest, and lowest of those that have to see each other).
struct Parts {
    sides: [[f32; PARTS]; 8],
    heights: [[f32; PARTS]; 6],
}

impl<S: Simd> ShaftBounds<S> {
    /// Of rectangles and heights as [`Parts`] has them.
    #[inline(always)]
    fn new(simd: S, sides: [f32x16<S>; 8], heights: [f32x16<S>; 6]) -> Self {
        let one = f32x16::splat(simd, 1.0);
        let [a0, a1, c0, c1, b0, b1, d0, d1] = sides;
        let rise = [d0 - c0, d1 - c1];
        // Products and sums of numbers of up to 2¹⁷ are off by less.
        let mut slack = rise;
        for slack in &mut slack {
            let far = slack.max(*slack * -1.0);
            *slack = far.min(one) * (1.0 / 4096.0) + far * (1.0 / 524_288.0);
        }
        Self {
            a: [a0, a1],
            b: [b0, b1],
            per: [one / (b1 - a1), one / (b0 - a0)],
            side: [c0, c1],
            rise,
            slack,
            high: [heights[0], heights[1] - heights[0]],
            low: [heights[2], heights[3] - heights[2]],
            peak: [heights[4], heights[5] - heights[4]],
        }
    }

    /// The least and the greatest share of the way at major coordinates from `from` to `to`, at most all of
    /// it; and the first and the last sample that the ground there depends on.
    #[inline(always)]
    fn crossed(&self, simd: S, from: f32x16<S>, to: f32x16<S>) -> ([f32x16<S>; 2], [f32x16<S>; 2]) {
        let (zero, one) = (f32x16::splat(simd, 0.0), f32x16::splat(simd, 1.0));
        // In both ends the share only falls.
        let near = ((from - self.a[1]) * self.per[0]).max(zero).min(one);
        let far = ((to - self.a[0]) * self.per[1]).max(zero).min(one);
        let low = (self.rise[0] * near).min(self.rise[0] * far);
        let high = (self.rise[1] * near).max(self.rise[1] * far);
        let rows = [
            (self.side[0] + low - self.slack[0]).floor(),
            (self.side[1] + high + self.slack[1]).ceil(),
        ];
        ([near, far], rows)
    }
}

/// What a step is asked.
#[derive(Clone, Copy)]
pub(crate) struct Question<'l> {
    pub pair: CoarsePair,
    pub way: Way,
    /// Slabs that may matter, and the lane of them that is asked for.
    pub slabs: &'l [Slab],
    pub lane: usize,
    /// Parts that are asked for.
    pub active: u16,
}

/// Where a pair lies.
#[derive(Clone, Copy)]
struct Frame<'f> {
    lines: &'f Lines,
    /// Number of samples in a line.
    samples: f32,
    /// The first quad's corner, major and minor.
    corner: (f32, f32),
    sign: f32,
    above: f32,
    below: f32,
}

/// Decides what can be decided of the parts of a pair as wholes; writes into `left` the slabs that
/// matter to those that stay open: all where the parts are samples, or cells up to level [`SMALL`].
#[simd]
pub(crate) fn step<S: Simd>(
    simd: S,
    field: &ShaftField<'_>,
    question: Question<'_>,
    left: &mut Vec<Slab>,
) -> Found {
    let Question { pair, way, .. } = question;
    let corner = way.turn((pair.a.0 << pair.level, pair.a.1 << pair.level));
    let frame = Frame {
        lines: &field.axes[usize::from(way.turned)],
        samples: way.turn((field.samples.width(), field.samples.height())).1 as f32,
        corner: (corner.0 as f32, corner.1 as f32),
        sign: if way.back { -1.0 } else { 1.0 },
        above: field.margin_blocked,
        below: field.margin_clear,
    };
    let parts = Parts::new(field, question);
    let mut sides = [f32x16::splat(simd, 0.0); 8];
    for (vector, side) in sides.iter_mut().zip(&parts.sides) {
        *vector = f32x16::from_slice(simd, side);
    }
    let mut heights = [f32x16::splat(simd, 0.0); 6];
    for (vector, height) in heights.iter_mut().zip(&parts.heights) {
        *vector = f32x16::from_slice(simd, height);
    }
    let all = ShaftBounds::new(simd, sides, heights);

    // Hidden: one line that is higher than all sight.
    left.clear();
    let mut active = question.active;
    for slab in question.slabs {
        if slab.lanes >> question.lane & 1 == 0 {
            continue;
        }
        let (hidden, clearance) = hidden_by(simd, frame, &all, slab.x, active);
        active &= !hidden;
        if active == 0 {
            return Found { clear: 0, open: 0 };
        }
        left.push(Slab {
            x: slab.x,
            clearance,
            lanes: !0,
        });
    }
    let mut blocked = active;
    let are_small =
        field.stance == Stance::Cell && pair.level == field.finest + 1 && field.finest <= SMALL;
    if pair.level > 1 && !are_small {
        // Seen: no slab is higher than any sight that is looked for.
        blocked = 0;
        left.retain_mut(|slab| {
            let (matters, blocks) = blocked_in(simd, frame, &all, slab.x, active);
            slab.lanes = matters;
            blocked |= blocks;
            slab.lanes != 0
        });
    }
    // All in order would take longer than it saves.
    for first in 0..left.len().min(SORTED) {
        let rest = left.iter().enumerate().skip(first);
        let highest = rest.max_by(|(_, a), (_, b)| a.clearance.total_cmp(&b.clearance));
        let (highest, _) = highest.expect("not empty");
        left.swap(first, highest);
    }
    Found {
        clear: active & !blocked,
        open: active & blocked,
    }
}

impl Parts {
    fn new(field: &ShaftField<'_>, question: Question<'_>) -> Self {
        let Question { pair, way, .. } = question;
        let level = pair.level - 1;
        let quads = &field.quads[level as usize];
        let (width, height) = way.turn((field.samples.width(), field.samples.height()));
        let half = if field.stance == Stance::Cell {
            0.5
        } else {
            0.0
        };
        let corner = way.turn((pair.a.0 << pair.level, pair.a.1 << pair.level));
        let (ours, theirs) = (way.turn(pair.a), way.turn(pair.b));
        let span = |at: u32, k: u32, samples: u32, origin: u32| {
            let at = 2 * at + k;
            if at << level >= samples {
                return [0.0, 0.0];
            }
            let (first, last) = extent(level, at, samples);
            [
                (first as i32 - origin as i32) as f32 - half,
                (last as i32 - origin as i32) as f32 + half,
            ]
        };
        let on_way = |[low, high]: [f32; 2]| if way.back { [-high, -low] } else { [low, high] };
        let spans = [
            [0, 1].map(|k| on_way(span(ours.0, k, width, corner.0))),
            [0, 1].map(|k| span(ours.1, k, height, corner.1)),
            [0, 1].map(|k| on_way(span(theirs.0, k, width, corner.0))),
            [0, 1].map(|k| span(theirs.1, k, height, corner.1)),
        ];
        let mut parts = Self {
            sides: [[0.0; PARTS]; 8],
            heights: [[VOID; PARTS]; 6],
        };
        // So that what is computed of others is a number.
        parts.sides[4] = [1.0; PARTS];
        parts.sides[5] = [1.0; PARTS];
        // Of samples nothing is seen as a whole: they have none of these.
        let lowest = [&quads.low_eyes, &quads.low_heads];
        let peaks = if level >= field.finest {
            [&quads.peak_eyes, &quads.peak_heads]
        } else {
            lowest
        };
        let height = |heights: &Vec<f32>, at: usize| heights.get(at).copied().unwrap_or(VOID);
        for lane in 0..PARTS {
            if question.active >> lane & 1 == 0 {
                continue;
            }
            let part = pair.part(lane);
            let (one, other) = (quads.number(part.a), quads.number(part.b));
            let heights = [
                quads.eyes[one],
                quads.heads[other],
                height(lowest[0], one),
                height(lowest[1], other),
                height(peaks[0], one),
                height(peaks[1], other),
            ];
            for (height, here) in parts.heights.iter_mut().zip(heights) {
                height[lane] = here;
            }
            let bits = |k: usize| way.turn((k & 1, k >> 1));
            let (a, b) = (bits(lane / 4), bits(lane % 4));
            for (k, side) in [a.0, a.1, b.0, b.1].into_iter().enumerate() {
                parts.sides[2 * k][lane] = spans[k][side][0];
                parts.sides[2 * k + 1][lane] = spans[k][side][1];
            }
        }
        parts
    }
}

impl Frame<'_> {
    /// Samples of a line, which are there, from minor coordinates.
    #[inline(always)]
    fn rows<S: Simd>(&self, rows: [f32x16<S>; 2]) -> [[i32; PARTS]; 2] {
        let mut numbers = [[0; PARTS]; 2];
        for (numbers, rows) in numbers.iter_mut().zip(rows) {
            let row: i32x16<S> = (rows + self.corner.1).to_int();
            row.store_slice(numbers);
        }
        numbers
    }

    /// Major coordinate of a line on the way.
    #[inline(always)]
    fn along(&self, x: u32) -> f32 {
        (x as f32 - self.corner.0) * self.sign
    }
}

/// Which of the `active` lanes the ground along line `x` hides; and by how much it is above all sight of any of these, at
/// most, or a bit less.
#[simd]
fn hidden_by<S: Simd>(
    simd: S,
    frame: Frame<'_>,
    shafts: &ShaftBounds<S>,
    x: u32,
    active: u16,
) -> (u16, f32) {
    let at = f32x16::splat(simd, frame.along(x));
    let (t, [low, high]) = shafts.crossed(simd, at, at);
    let within = low.simd_ge(-frame.corner.1) & high.simd_lt(frame.samples - frame.corner.1);
    let between = at.simd_gt(shafts.a[1]) & at.simd_lt(shafts.b[0]);
    let mut lanes = (within & between).to_bitmask() as u16 & active;
    let (mut hidden, mut most) = (0, f32::MIN);
    if lanes == 0 {
        return (hidden, most);
    }
    let [eye, rise] = shafts.high;
    let mut bounds = [0.0; PARTS];
    (eye + (rise * t[0]).max(rise * t[1]) + frame.above).store_slice(&mut bounds);
    let rows = frame.rows([low, high]);
    let line = frame.lines.least.line(x as usize);
    while lanes != 0 {
        let lane = lanes.trailing_zeros() as usize;
        lanes &= lanes - 1;
        let (low, high) = (rows[0][lane] as u32, rows[1][lane] as u32);
        let mut above = line.at((low + high) / 2) - bounds[lane];
        if above > 0.0 {
            above = line.over(low, high) - bounds[lane];
            hidden |= u16::from(above > 0.0) << lane;
        }
        most = if above > most { above } else { most };
    }
    (hidden, most)
}

/// In which of the `active` lanes the ground between line `x` and the next may block any sight; and in which
/// any of those that have to see each other.
#[simd]
fn blocked_in<S: Simd>(
    simd: S,
    frame: Frame<'_>,
    shafts: &ShaftBounds<S>,
    x: u32,
    active: u16,
) -> (u16, u16) {
    let at = f32x16::splat(simd, frame.along(x));
    let (from, to) = if frame.sign < 0.0 {
        (at - 1.0, at)
    } else {
        (at, at + 1.0)
    };
    let within = to.simd_gt(shafts.a[0]) & from.simd_lt(shafts.b[1]);
    let mut lanes = within.to_bitmask() as u16 & active;
    if lanes == 0 {
        return (0, 0);
    }
    let (t, [low, high]) = shafts.crossed(simd, from, to);
    let last = frame.samples - 1.0 - frame.corner.1;
    let rows = frame.rows([low.max(-frame.corner.1), high.min(last)]);
    let line = frame.lines.greatest.line(x as usize);
    let mut greatest = [VOID; PARTS];
    while lanes != 0 {
        let lane = lanes.trailing_zeros() as usize;
        lanes &= lanes - 1;
        greatest[lane] = line.over(rows[0][lane] as u32, rows[1][lane] as u32);
    }
    let greatest = f32x16::from_slice(simd, &greatest) - frame.below;
    let [low, peak] = [shafts.low, shafts.peak];
    let above_low = greatest.simd_gt(low[0] + (low[1] * t[0]).min(low[1] * t[1]));
    let above_peak = greatest.simd_gt(peak[0] + (peak[1] * t[0]).min(peak[1] * t[1]));
    (
        above_low.to_bitmask() as u16 & active,
        above_peak.to_bitmask() as u16 & active,
    )
}
