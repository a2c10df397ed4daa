//! Grid lines that hide parts of two quads from each other, proved with sloped bounds.
//!
//! Positions are counted in samples along the way (major) and across it (minor). The viewer stands at (a, c) in
//! one rectangle, the player at (b, d) in another, further along the way. The eye is no higher than E(a, c), the head
//! no higher than H(b, d), both bilinear. Sight crosses the grid line at x, between the two rectangles, after the share
//! t = (x - a) / (b - a) of its way, at the minor coordinate y = (1 - t)·c + t·d. The ground along the line is no lower
//! than g + s·y wherever it can be crossed. It hides the player if
//!
//! > (b - x)·(E(a, c) - s·c) + (x - a)·(H(b, d) - s·d) - (b - a)·g < 0,
//!
//! which is linear in each of a, b, c and d: if it is so for the sixteen choices of corners, it is so for all
//! positions. (`samples/refine.rs` has the same argument for quarters of cells.) Over the cell of a sample E and H are
//! bilinear on each quarter: to test all pairs of the nine points of two cells is to test all sixteen pairs of their quarters.
//!
//! Straight lines stay straight if each minor coordinate is counted from the line through the middles of both
//! quads. So numbers stay small, and a slope along the grid line adds no error of rounding that grows with distance.
//!
//! Any s will do. The one that is taken joins the ground at both ends of where the line can be crossed; g is then
//! the least that is left. Between its samples the ground is linear, so that samples and the two ends tell. On a hillside
//! the ground, the eyes and the heads rise together, and s cancels that; a constant as bound of each would lose all of it.
//!
//! A SIMD lane is a pair of a child of the one quad and a child of the other. Every line is tried on all of them at once,
//! so that different lines hide different parts. Two cheap tests come first: a line whose ground near a pair is nowhere
//! above the sight between its middles is dropped, for the pair and for its parts; one whose ground is not above that
//! sight where it crosses cannot hide the whole pair, and is kept for its parts. Which line comes nearest to hiding what
//! none hides is tried first on its parts.
//!
//! Did not pay: level bounds for all cells (twice the time), or for quads of cells before slopes (one test of 16 × 16
//! samples costs two of 4 × 4); a second, level bound for each line and part (0.4 % less visible, 3 % longer); nine points
//! for quads of 2 × 2 samples and more (3 of 10 hidden parts lost); bounds with each pair's own margin (0.2 % of near
//! pairs); sloped bounds two levels above small cells; sixteen lines of one part at a time where few parts are open (a
//! third longer).

use super::ends::End;
use super::field::{Lines, ShaftField};
use super::pair::{PARTS, Way};
use super::planes::MAX_SLOPE_LEVEL;
use crate::visibility::lanes::VOID;
use crate::visibility::surface::POINTS;
use fearless_simd::{f32x4, f32x8, f32x16, mask32x16, prelude::*};

/// So many lines of those between two quads are tried: those that rise highest.
pub(crate) const LINES: usize = 56;

/// Most samples of a window, in whole vectors. Quads of 32 samples a side reach 16 from their middle, along and across; the line
/// through both middles leaves by at most 64 / 48.5 samples for each, where the far one has a single row or column: 2 · 16 · 2.32,
/// and two more. A line with a longer window hides nothing.
pub(super) const MOST: usize = 80;
const _: () = assert!(MOST.is_multiple_of(PARTS) && MAX_SLOPE_LEVEL == 5);

/// Taken from how near a line comes to hiding a pair if it is below the sight between the middles: every line above that
/// sight comes nearer.
const BELOW: f32 = 1e5;

/// Where the lines across a way are.
#[derive(Clone, Copy)]
pub(crate) struct Frame<'f> {
    pub lines: &'f Lines,
    /// Samples of a line.
    pub samples: usize,
    sign: f32,
    /// By how much a line has to be above sight.
    margin: f32,
}

impl<'f> Frame<'f> {
    pub(crate) fn new(field: &'f ShaftField<'_>, way: Way) -> Self {
        let (_, samples) = way.turn((field.samples.width(), field.samples.height()));
        Self {
            lines: &field.axes[usize::from(way.turned)],
            samples: samples as usize,
            sign: if way.back { -1.0 } else { 1.0 },
            margin: field.margin_slopes,
        }
    }

    /// Major coordinate of a line.
    #[inline(always)]
    pub(super) fn along(&self, x: u32) -> f32 {
        x as f32 * self.sign
    }
}

/// How sight between sixteen pairs of rectangles lies, a lane each.
pub(super) struct Sixteen<S: Simd> {
    /// Major coordinates of near edge, far edge and middle, from the middle of the first quad; and 1 / (b - a).
    a: [f32x16<S>; POINTS],
    b: [f32x16<S>; POINTS],
    per: [[f32x16<S>; POINTS]; POINTS],
    /// Of points, by major and minor place: minor coordinates from the line through both middles, and
    /// heights.
    c: [[f32x16<S>; POINTS]; POINTS],
    d: [[f32x16<S>; POINTS]; POINTS],
    e: [[f32x16<S>; POINTS]; POINTS],
    h: [[f32x16<S>; POINTS]; POINTS],
    /// How many places count ([`End::points`]).
    points: usize,
    /// The sight between their middles: where it begins, 1 / its length, its height there, and how far it rises; its
    /// minor coordinate there, and how far it goes across.
    from: f32x16<S>,
    share: f32x16<S>,
    height: f32x16<S>,
    rise: f32x16<S>,
    side: f32x16<S>,
    drift: f32x16<S>,
    /// How far about any other sight between the same two is from it, across, and a sample more: lines beyond that are
    /// dropped.
    wide: f32x16<S>,
    /// The line through the middles, from that of the first quad.
    middle: [f32; 2],
    slope: f64,
    /// How far from it any line is crossed, at most.
    reach: f32,
}

impl<S: Simd> Sixteen<S> {
    #[inline(always)]
    pub(super) fn new(simd: S, [viewers, players]: [&End; 2]) -> Self {
        let far = [0, 1].map(|k| players.middle[k] - viewers.middle[k]);
        let slope = f64::from(far[1]) / f64::from(far[0]);
        let tilt = slope as f32;
        let (zero, one) = (f32x16::splat(simd, 0.0), f32x16::splat(simd, 1.0));
        let mut sixteen = Self {
            a: [zero; POINTS],
            b: [zero; POINTS],
            per: [[one; POINTS]; POINTS],
            c: [[zero; POINTS]; POINTS],
            d: [[zero; POINTS]; POINTS],
            e: [[zero; POINTS]; POINTS],
            h: [[zero; POINTS]; POINTS],
            points: viewers.points,
            from: zero,
            share: zero,
            height: zero,
            rise: zero,
            side: zero,
            drift: zero,
            wide: zero,
            middle: viewers.middle,
            slope,
            reach: viewers.reach(tilt).max(players.reach(tilt)),
        };
        for i in 0..sixteen.points {
            let (near, beyond) = (
                each_first(simd, &viewers.major[i]),
                each_second(simd, &players.major[i]),
            );
            sixteen.a[i] = near;
            sixteen.b[i] = beyond + far[0];
            for j in 0..sixteen.points {
                sixteen.c[i][j] = each_first(simd, &viewers.minor[j]) - near * tilt;
                sixteen.d[i][j] = each_second(simd, &players.minor[j]) - beyond * tilt;
                sixteen.e[i][j] = each_first(simd, &viewers.heights[i][j]);
                sixteen.h[i][j] = each_second(simd, &players.heights[i][j]);
            }
        }
        for i in 0..sixteen.points {
            for j in 0..sixteen.points {
                sixteen.per[i][j] = one / (sixteen.b[j] - sixteen.a[i]);
            }
        }
        for i in 0..2 {
            for j in 0..2 {
                sixteen.height += sixteen.e[i][j] * 0.25;
                sixteen.rise += sixteen.h[i][j] * 0.25;
                sixteen.side += sixteen.c[i][j] * 0.25;
                sixteen.drift += sixteen.d[i][j] * 0.25;
            }
        }
        for i in 0..2 {
            for j in 0..2 {
                let near = sixteen.c[i][j] - sixteen.side;
                let far = sixteen.d[i][j] - sixteen.drift;
                let wide = near.max(near * -1.0).max(far).max(far * -1.0);
                sixteen.wide = sixteen.wide.max(wide);
            }
        }
        sixteen.wide += one;
        sixteen.rise -= sixteen.height;
        sixteen.drift -= sixteen.side;
        sixteen.from = (sixteen.a[0] + sixteen.a[1]) * 0.5;
        sixteen.share = one / ((sixteen.b[0] + sixteen.b[1]) * 0.5 - sixteen.from);
        sixteen
    }

    /// By how much more than the margin the ground along line `x` is proven to be above all sight of each pair, which is
    /// hidden if that is positive. Where the line is not above the sight between the middles, or does not lie between the
    /// two: a number below -[`BELOW`] that says how near it comes. [`f32::MIN`] where it does not matter, or is not to be
    /// tried `in_full`. And which of the pairs, a bit each, the line may hide, or parts of them.
    #[inline(always)]
    pub(super) fn clearance(
        &self,
        simd: S,
        frame: Frame<'_>,
        x: u32,
        asked: u16,
        in_full: bool,
    ) -> (f32x16<S>, u16) {
        let (zero, one) = (f32x16::splat(simd, 0.0), f32x16::splat(simd, 1.0));
        let none = f32x16::splat(simd, f32::MIN);
        let along = frame.along(x) - self.middle[0];
        let at = f32x16::splat(simd, along);
        // A line through one of the rectangles may still separate parts of the two.
        let touching = at.simd_gt(self.a[0]) & at.simd_lt(self.b[1]);
        let mut matters = touching.to_bitmask() as u16 & asked;
        if matters == 0 {
            return (none, 0);
        }
        // Rounded outwards: all numbers here are within the reach, with some ten roundings.
        let out = 4e-6 * self.reach;
        let middle = f64::from(self.middle[1]) + f64::from(along) * self.slope;
        let reach = f64::from(self.reach + 2.0 * out);
        let first = (middle - reach).floor();
        let count = ((middle + reach).ceil() - first) as usize + 1;
        if count > MOST {
            return (none, 0);
        }
        let offset = (first - middle) as f32;

        // The ground there; of what is void or outside nothing is known.
        let line = frame.lines.least.line(x as usize).values();
        let begin = first as isize;
        let mut patched = [0.0; MOST];
        let (ground, voids) = match window(simd, line, begin, count) {
            Some(ground) => (ground, 0),
            None => {
                let mut voids = 0u128;
                for (k, ground) in patched[..count].iter_mut().enumerate() {
                    // A negative place, as `usize`, is past the end as well.
                    match line.get((begin + k as isize) as usize) {
                        Some(&there) if there != VOID => *ground = there,
                        _ => voids |= 1 << k,
                    }
                }
                (&patched[..count], voids)
            }
        };

        // The greatest ground near where the sight between the middles crosses it, and the ground there. (What is left out
        // here is not called hidden, so that no rounding matters.)
        let share = (at - self.from) * self.share;
        let sight = self.height + self.rise * share;
        let y = self.side + self.drift * share;
        let mut greatest = none;
        for (&step, &here) in STEPS.iter().zip(ground) {
            let past = y - (f32x16::splat(simd, step) + offset);
            let is_near = past.simd_lt(self.wide) & past.simd_gt(self.wide * -1.0);
            greatest = is_near.select(greatest.max(f32x16::splat(simd, here)), greatest);
        }
        matters &= sight.simd_lt(greatest).to_bitmask() as u16;
        if matters == 0 || !in_full {
            return (none, matters);
        }
        let mut there = f32x16::splat(simd, ground[0]);
        for (&step, pair) in STEPS.iter().zip(ground.windows(2)) {
            let rise = f32x16::splat(simd, pair[1]) - pair[0];
            let past = y - (f32x16::splat(simd, step) + offset);
            there += past.max(zero).min(one) * rise;
        }
        let above = there - (sight + frame.margin);
        let is_between = at.simd_gt(self.a[1]) & at.simd_lt(self.b[0]);
        let mut lanes = matters & (is_between & above.simd_gt(0.0)).to_bitmask() as u16;
        let below = mask32x16::from_bitmask(simd, u64::from(matters));
        let below = below.select(above.min(zero) - BELOW, none);
        if lanes == 0 {
            return (below, matters);
        }

        let mut t = [[zero; POINTS]; POINTS];
        for (i, t) in t.iter_mut().enumerate().take(self.points) {
            for (j, t) in t.iter_mut().enumerate().take(self.points) {
                *t = (at - self.a[i]) * self.per[i][j];
            }
        }
        let (mut low, mut high) = (f32x16::splat(simd, f32::MAX), none);
        for (i, t) in t.iter().enumerate().take(2) {
            for (j, &t) in t.iter().enumerate().take(2) {
                low = low.min(self.c[i][0] + (self.d[j][0] - self.c[i][0]) * t);
                high = high.max(self.c[i][1] + (self.d[j][1] - self.c[i][1]) * t);
            }
        }
        low -= out;
        high += out;
        let mut left = voids;
        while left != 0 {
            let at = f32x16::splat(simd, offset + left.trailing_zeros() as f32);
            let is_near = low.simd_lt(at + one) & high.simd_gt(at - one);
            lanes &= !(is_near.to_bitmask() as u16);
            left &= left - 1;
        }

        // Linear from sample to sample: the ground at both ends.
        let mut near = f32x16::splat(simd, ground[0]);
        let mut far = near;
        for (&step, pair) in STEPS.iter().zip(ground.windows(2)) {
            let rise = f32x16::splat(simd, pair[1]) - pair[0];
            let at = f32x16::splat(simd, step) + offset;
            near += (low - at).max(zero).min(one) * rise;
            far += (high - at).max(zero).min(one) * rise;
        }
        let s = (far - near) / (high - low);
        let mut least = (near - s * low).min(far - s * high);
        for (&step, &ground) in STEPS.iter().zip(&ground[..count - 1]).skip(1) {
            let at = f32x16::splat(simd, step) + offset;
            let inside = at.simd_gt(low) & at.simd_lt(high);
            let inner = (s * at) * -1.0 + ground;
            least = least.min(inside.select(inner, none * -1.0));
        }

        let (mut viewer, mut player) = ([none; POINTS], [none; POINTS]);
        for i in 0..self.points {
            for j in 0..self.points {
                viewer[i] = viewer[i].max(self.e[i][j] - s * self.c[i][j]);
                player[i] = player[i].max(self.h[i][j] - s * self.d[i][j]);
            }
        }
        let mut sight = none;
        for i in 0..self.points {
            for j in 0..self.points {
                sight = sight.max(viewer[i] + (player[j] - viewer[i]) * t[i][j]);
            }
        }
        // A difference of two numbers is rounded, but never past 0.
        let above = least - (sight + frame.margin);
        let lanes = mask32x16::from_bitmask(simd, u64::from(lanes));
        (lanes.select(above, below), matters)
    }
}

/// The first `count` samples of a line from `begin`, if they are there and none of them is void.
#[inline(always)]
pub(super) fn window<S: Simd>(simd: S, line: &[f32], begin: isize, count: usize) -> Option<&[f32]> {
    let begin = usize::try_from(begin).ok()?;
    let whole = line.get(begin..begin + count.next_multiple_of(PARTS))?;
    let mut voids = 0;
    for sixteen in whole.chunks_exact(PARTS) {
        let sixteen = f32x16::from_slice(simd, sixteen);
        voids |= sixteen.simd_le(VOID).to_bitmask();
    }
    (voids == 0).then(|| &whole[..count])
}

/// 0, 1, 2 and so on.
pub(super) const STEPS: [f32; MOST] = {
    let mut steps = [0.0; MOST];
    let mut k = 0;
    while k < MOST {
        steps[k] = k as f32;
        k += 1;
    }
    steps
};

/// Lane 4·i + k gets number i: that of a child of the first quad.
#[inline(always)]
pub(super) fn each_first<S: Simd>(simd: S, of: &[f32; 4]) -> f32x16<S> {
    let four = of.map(|value| f32x4::splat(simd, value));
    let [a, b, c, d] = four;
    a.combine(b).combine(c.combine(d))
}

/// Lane 4·i + k gets number k: that of a child of the second quad.
#[inline(always)]
pub(super) fn each_second<S: Simd>(simd: S, of: &[f32; 4]) -> f32x16<S> {
    let four = f32x4::from_slice(simd, of);
    let eight: f32x8<S> = four.combine(four);
    eight.combine(eight)
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::covers::CellCache;
    use super::*;
    use crate::visibility::continuous::Surface;
    use crate::visibility::sightline::Stance;
    use crate::visibility::simd::at_level;
    use crate::visibility::{Bodies, TOLERANCE};
    use fearless_simd::Level;
    use fearless_simd_macros::simd;
    use viewcell::dice::Dice;
    use viewcell_ingest::world::Terrain;

    /// Four of the greatest quads a side, of which the last is not whole, nor is that of any other level.
    pub(in super::super) const SIDE: u32 = 107;

    /// Hills with a ridge across them, now and then a void, and in half of all trees over the ground.
    pub(in super::super) fn terrain(dice: &mut Dice) -> Terrain {
        let [tilt, height, roughness] = [4.0, 60.0, 6.0].map(|most| most * dice.fraction());
        let (along, lean) = (20.0 + 40.0 * dice.fraction(), 2.0 * dice.fraction() - 1.0);
        let voids = dice.roll(2) == 0;
        let heights = (0..SIDE * SIDE).map(|at| {
            let (column, row) = (f64::from(at % SIDE), f64::from(at / SIDE));
            let ridge = (column + lean * row - along).abs();
            if voids && dice.roll(2000) == 0 {
                f64::NAN
            } else {
                tilt * row + (height - 6.0 * ridge).max(0.0) + roughness * dice.fraction()
            }
        });
        let terrain = Terrain::new(SIDE, SIDE, heights.collect(), [1.0; 2]).unwrap();
        if dice.roll(2) == 0 {
            return terrain;
        }
        let trees: Vec<f64> = (0..SIDE * SIDE).map(|_| 4.0 * dice.fraction()).collect();
        let tree = |at: u32| trees[(at / SIDE / 5 * SIDE + at % SIDE / 5) as usize];
        let ground = terrain
            .heights()
            .iter()
            .zip(0..)
            .map(|(surface, at)| surface - tree(at));
        let ground = ground.collect();
        terrain.with_ground(ground).unwrap()
    }

    /// Somewhere in a rectangle, often on its edges.
    pub(in super::super) fn place(dice: &mut Dice, [low, high]: [f64; 2]) -> f64 {
        match dice.roll(4) {
            0 => low,
            1 => high,
            _ => low + (high - low) * dice.fraction(),
        }
    }

    /// The sample in whose square a place of a rectangle of squares, or of quarters of squares, is.
    pub(in super::super) fn sample_at(at: [f64; 2], sides: [[f64; 2]; 2]) -> (u32, u32) {
        let along = |k: usize| {
            let [low, high] = sides[k];
            (at[k].min(high - 1e-9).max(low + 1e-9) + 0.5).floor() as u32
        };
        (along(0), along(1))
    }

    /// From where to where a child of a quad reaches along an axis, or a quarter of a cell (level 0), within the grid; `None`
    /// where the child is not there.
    fn child_side(level: u32, at: u32, k: u32) -> Option<[f64; 2]> {
        let at = f64::from(2 * at + k);
        let [low, high] = match level {
            0 => [at / 2.0 - 0.5, at / 2.0],
            _ => {
                let side = f64::from(1 << (level - 1));
                [at * side - 0.5, (at + 1.0) * side - 0.5]
            }
        };
        let last = f64::from(SIDE - 1);
        (low <= last).then_some([low.max(0.0), high.min(last)])
    }

    /// No sight that is tried contradicts a line that is said to hide a pair of children; and most lines that are above all
    /// sight that is tried are said to hide it.
    #[test]
    fn no_sight_passes_over_a_line_that_hides_a_pair_of_parts() {
        let mut dice = Dice(11);
        let bodies = Bodies {
            eye: 1.8,
            head: 0.7,
        };
        let (mut hidden, mut higher) = (0, 0);
        for _ in 0..30 {
            let terrain = terrain(&mut dice);
            let field = ShaftField::new(&terrain, bodies, Stance::Cell, 3);
            let mut cells = [CellCache::new(), CellCache::new()];
            for _ in 0..240 {
                let level = dice.roll(MAX_SLOPE_LEVEL + 1);
                let quads = SIDE.div_ceil(1 << level);
                let mut quad = || (dice.roll(quads), dice.roll(quads));
                let pair = super::super::pair::CoarsePair {
                    level,
                    a: quad(),
                    b: quad(),
                };
                let Some(way) = pair.way(dice.roll(2) == 0) else {
                    continue;
                };
                let somebody = |at: (u32, u32)| level > 0 || !terrain.at(at.0, at.1).is_nan();
                if !somebody(pair.a) || !somebody(pair.b) {
                    continue;
                }
                let ends = End::both(&field, &mut cells, pair, way);
                let frame = Frame::new(&field, way);
                let x = dice.roll(SIDE);
                let found = at_level!(Level::new(), simd => hidden_by(simd, frame, [&ends[0], &ends[1]], x));
                for lane in 0..PARTS {
                    let (i, k) = (lane as u32 / 4, lane as u32 % 4);
                    let child = |quad: (u32, u32), k: u32| {
                        let columns = child_side(level, quad.0, k % 2)?;
                        Some([columns, child_side(level, quad.1, k / 2)?])
                    };
                    let (Some(viewers), Some(players)) = (child(pair.a, i), child(pair.b, k))
                    else {
                        continue;
                    };
                    let (mut tried, mut all_higher) = (0, true);
                    for _ in 0..60 {
                        let mut at = |[columns, rows]: [[f64; 2]; 2]| {
                            (place(&mut dice, columns), place(&mut dice, rows))
                        };
                        let (from, to) = (at(viewers), at(players));
                        // Under trees that cover all of a square nobody looks out, or is seen.
                        let highest = |of: &[f32], (column, row): (f64, f64), sides| {
                            of[field.quads[0].number(sample_at([column, row], sides))]
                        };
                        if highest(&field.quads[0].eyes, from, viewers) == VOID
                            || highest(&field.quads[0].heads, to, players) == VOID
                        {
                            continue;
                        }
                        let surface = Surface::ALL[dice.roll(3) as usize];
                        let height = |(c, r)| surface.height(&terrain, c, r);
                        let (Some(eye), Some(head)) = (height(from), height(to)) else {
                            continue;
                        };
                        let (eye, head) = (eye + bodies.eye, head + bodies.head);
                        let (start, end) = (way.turn(from), way.turn(to));
                        let t = (f64::from(x) - start.0) / (end.0 - start.0);
                        let y = start.1 + t * (end.1 - start.1);
                        let inside = (0.0..f64::from(SIDE - 1)).contains(&y) && t > 0.0 && t < 1.0;
                        let there = |y: f64| {
                            let (column, row) = way.turn((x, y as u32));
                            terrain.at(column, row)
                        };
                        let is_higher = inside && {
                            let ground = there(y) + (there(y + 1.0) - there(y)) * y.fract();
                            ground - (eye + t * (head - eye)) > TOLERANCE
                        };
                        tried += 1;
                        all_higher &= is_higher;
                        assert!(
                            is_higher || found >> lane & 1 == 0,
                            "{pair:?} {way:?}, part {lane}, line {x}: {from:?} {to:?}"
                        );
                    }
                    if tried > 20 {
                        hidden += u32::from(found >> lane & 1);
                        higher += u32::from(all_higher);
                    }
                }
            }
        }
        assert!(hidden > 1000, "{hidden} of {higher}");
        assert!(
            f64::from(hidden) > 0.6 * f64::from(higher),
            "{hidden} of {higher}"
        );
    }

    /// What is higher than all sight from the edges of a cell is not higher than that from a crest in its middle.
    #[test]
    fn a_crest_in_the_middle_of_a_cell_counts() {
        let bodies = Bodies {
            eye: 1.0,
            head: 1.0,
        };
        let wall_at = 20;
        for k in 0..8 {
            let (turned, back, high) = (k & 1 != 0, k & 2 != 0, k & 4 != 0);
            // Sight from the crest is up to 4.2 m high at the wall, that from the edges of its cell up to 2.7.
            let height = |at: u32| match at {
                10 => 6.0,
                _ if at == wall_at => [3.0, 5.0][usize::from(high)],
                _ => 0.0,
            };
            let along = |at: u32| if turned { at / SIDE } else { at % SIDE };
            let heights = (0..SIDE * SIDE).map(|at| height(along(at))).collect();
            let terrain = Terrain::new(SIDE, SIDE, heights, [1.0; 2]).unwrap();
            let field = ShaftField::new(&terrain, bodies, Stance::Cell, 3);
            let mut cells = [CellCache::new(), CellCache::new()];
            let [crest, beyond] = [5, 15].map(|at| if turned { (8, at) } else { (at, 8) });
            let (a, b) = if back {
                (beyond, crest)
            } else {
                (crest, beyond)
            };
            let pair = super::super::pair::CoarsePair { level: 1, a, b };
            let way = pair.way(turned).unwrap();
            let ends = End::both(&field, &mut cells, pair, way);
            let frame = Frame::new(&field, way);
            let found = at_level!(Level::new(), simd => hidden_by(simd, frame, [&ends[0], &ends[1]], wall_at));
            for lane in 0..PARTS {
                let child = if back { lane % 4 } else { lane / 4 };
                let is_on_crest = child >> usize::from(turned) & 1 == 0;
                let is_hidden = found >> lane & 1 == 1;
                assert_eq!(is_hidden, high || !is_on_crest, "{pair:?}, part {lane}");
            }
        }
    }

    #[simd]
    fn hidden_by<S: Simd>(simd: S, frame: Frame<'_>, ends: [&End; 2], x: u32) -> u16 {
        let (above, _) = Sixteen::new(simd, ends).clearance(simd, frame, x, !0, true);
        above.simd_gt(0.0).to_bitmask() as u16
    }
}
