//! Witnesses of visibility: a sight between two points that no line between them rises over.
//!
//! A proof of *hidden* holds for all that is below its bounds: over quarters of squares ([`super::covers`]), or over larger
//! quads ([`super::planes`]), whose bounds are nowhere below those of the quarters or the greatest ground of their squares. So a
//! sight between corners of two quarters, at the lower of these, that no line rises over shows that no line hides the
//! pair, and no proof has to be tried. First the highest points of sixteen pairs are tried at once ([`clear_lanes`]), then, for a pair, the
//! points that see best over the line that rises most ([`is_clear`]).
//!
//! Did not pay: five sights a search in place of three; the search after the first test of lines, for parts that a line
//! nearly hides (2 %); a pair visible once all lines are below the sight between its middles (2 % less time, 0.07 % more
//! visible).

use super::covers::CellCache;
use super::field::ShaftField;
use super::pair::{CoarsePair, PARTS, Way};
use super::ranking::ground_at;
use super::slopes::{Frame, MOST, STEPS, each_first, each_second, window};
use crate::visibility::lanes::VOID;
use crate::visibility::surface::POINTS;
use fearless_simd::{f32x16, prelude::*};
use fearless_simd_macros::simd;

/// Of a quad the highest point in each of 5 x 5 parts is kept; with room for whole vectors.
const SIDE: usize = 5;
const KEPT: usize = (SIDE * SIDE).next_multiple_of(PARTS);

/// So many sights of a pair are tried after the first. With four, one in sixteen of those that are left is found.
const TRIES: usize = 2;

/// Where nobody is, heights are below this, even with a body's added.
const NOBODY: f32 = 0.5 * VOID;

/// A place: major coordinate, growing on the way, minor coordinate, and height.
type Place = [f32; 3];

/// Points of a quad, with the bounds of eyes or heads over them.
#[derive(Clone)]
pub(crate) struct Points {
    columns: [f32; KEPT],
    rows: [f32; KEPT],
    /// [`VOID`] where is none.
    heights: [f32; KEPT],
    highest: usize,
}

impl Points {
    const NONE: Self = Self {
        columns: [0.0; KEPT],
        rows: [0.0; KEPT],
        heights: [VOID; KEPT],
        highest: 0,
    };

    /// Of those who look (0), or of those who are looked at (1).
    fn new(
        field: &ShaftField<'_>,
        cells: &mut CellCache,
        k: usize,
        level: u32,
        quad: (u32, u32),
    ) -> Self {
        let somebody = [&field.quads[0].eyes, &field.quads[0].heads][k];
        let body = [field.bodies.eye, field.bodies.head][k] as f32;
        let first = (quad.0 << level, quad.1 << level);
        let side = 1u32 << level;
        let ends = (
            (first.0 + side).min(field.samples.width()),
            (first.1 + side).min(field.samples.height()),
        );
        let points_a_side = 2 * side as usize + 1;
        let part = |point: usize| point * SIDE / points_a_side;
        let mut points = Self::NONE;
        for (row, column) in (first.1..ends.1).flat_map(|r| (first.0..ends.0).map(move |c| (r, c)))
        {
            if somebody[field.quads[0].number((column, row))] <= VOID {
                continue;
            }
            let cell = cells.of(field, (column, row));
            for (number, &ground) in cell.quarters.iter().enumerate() {
                // What is above the cell's greatest ground, larger quads need not bound.
                let ground = ground.min(cell.greatest);
                let i = 2 * (column - first.0) as usize + number % POINTS;
                let j = 2 * (row - first.1) as usize + number / POINTS;
                let at = part(j) * SIDE + part(i);
                if ground + body > points.heights[at] {
                    points.columns[at] = first.0 as f32 + 0.5 * i as f32 - 0.5;
                    points.rows[at] = first.1 as f32 + 0.5 * j as f32 - 0.5;
                    points.heights[at] = ground + body;
                }
            }
        }
        for number in 0..KEPT {
            if points.heights[number] > points.heights[points.highest] {
                points.highest = number;
            }
        }
        points
    }

    #[inline(always)]
    fn at(&self, way: Way, number: usize) -> Place {
        let (major, minor) = way.turn((self.columns[number], self.rows[number]));
        let major = if way.back { -major } else { major };
        [major, minor, self.heights[number]]
    }
}

/// The points of the quads that were asked for last: a direct-mapped cache.
pub(crate) struct PointCache {
    kept: Vec<((u32, u32, u32), Points)>,
    cells: CellCache,
}

/// Of quads whose columns and rows are equal modulo this the last one is kept.
const SLOTS: u32 = 16;

impl PointCache {
    pub(super) fn new() -> Self {
        let none = ((u32::MAX, 0, 0), Points::NONE);
        Self {
            kept: vec![none; (SLOTS * SLOTS) as usize],
            cells: CellCache::new(),
        }
    }

    /// The points of a quad: of those who look there (0), always, or of those who are looked at (1).
    pub(super) fn of(
        &mut self,
        field: &ShaftField<'_>,
        k: usize,
        level: u32,
        quad: (u32, u32),
    ) -> &Points {
        let key = (level, quad.0, quad.1);
        let kept = &mut self.kept[((quad.1 % SLOTS) * SLOTS + quad.0 % SLOTS) as usize];
        if kept.0 != key {
            *kept = (key, Points::new(field, &mut self.cells, k, level, quad));
        }
        &kept.1
    }
}

/// The highest points of the children of two quads.
pub(crate) struct Tops {
    /// The middle of each quad, major and minor.
    middles: [[f32; 2]; 2],
    /// By quad: major and minor coordinates of the points from there, and their heights.
    places: [[[f32; 4]; 3]; 2],
    /// How far any of them is, at most, from the line through both middles, along a line across the way.
    reach: f64,
}

impl Tops {
    pub(super) fn new(
        field: &ShaftField<'_>,
        points: &mut [PointCache; 2],
        pair: CoarsePair,
        way: Way,
    ) -> Self {
        let half = (1u32 << pair.level) as f32 * 0.5;
        let mut tops = Self {
            middles: [[0.0; 2]; 2],
            places: [[[0.0; 4]; 3]; 2],
            reach: 0.0,
        };
        for (k, quad) in [pair.a, pair.b].into_iter().enumerate() {
            let middle = |at: u32| (at << pair.level) as f32 + half - 0.5;
            let (major, minor) = way.turn((middle(quad.0), middle(quad.1)));
            let middle = [if way.back { -major } else { major }, minor];
            for child in 0..4 {
                let place = (2 * quad.0 + child as u32 % 2, 2 * quad.1 + child as u32 / 2);
                let points = points[k].of(field, k, pair.level - 1, place);
                let [major, minor, height] = points.at(way, points.highest);
                let is_there = height > NOBODY;
                let place = if is_there { [major, minor] } else { middle };
                tops.places[k][0][child] = place[0] - middle[0];
                tops.places[k][1][child] = place[1] - middle[1];
                tops.places[k][2][child] = height;
            }
            tops.middles[k] = middle;
        }
        let reach = half * (1.0 + tops.slope().abs() as f32);
        // Rounded outwards.
        tops.reach = f64::from(reach) * 1.001;
        tops
    }

    /// Of the line through both middles.
    #[inline(always)]
    fn slope(&self) -> f64 {
        let [from, to] = self.middles;
        f64::from(to[1] - from[1]) / f64::from(to[0] - from[0])
    }
}

/// For which of the `asked` pairs of children none of these lines rises over the sight from highest point to highest point.
#[simd]
pub(crate) fn clear_lanes<S: Simd>(
    simd: S,
    frame: Frame<'_>,
    lines: &[u32],
    tops: &Tops,
    asked: u16,
) -> u16 {
    let (zero, one) = (f32x16::splat(simd, 0.0), f32x16::splat(simd, 1.0));
    let [first, second] = tops.middles;
    let slope = tops.slope();
    let tilt = slope as f32;
    // Minor coordinates are counted from the line through both middles.
    let [viewers, players] = &tops.places;
    let a = each_first(simd, &viewers[0]);
    let b = each_second(simd, &players[0]);
    let c = each_first(simd, &viewers[1]) - a * tilt;
    let d = each_second(simd, &players[1]) - b * tilt;
    let b = b + (second[0] - first[0]);
    let per = one / (b - a);
    let across = (d - c) * per;
    let (eyes, heads) = (
        each_first(simd, &viewers[2]),
        each_second(simd, &players[2]),
    );
    let up = (heads - eyes) * per;
    let (c, eyes) = (c - a * across, eyes - a * up);
    let mut left = asked;
    for &x in lines {
        let along = frame.along(x) - first[0];
        let at = f32x16::splat(simd, along);
        let lanes = (at.simd_gt(a) & at.simd_lt(b)).to_bitmask() as u16 & left;
        if lanes == 0 {
            continue;
        }
        let middle = f64::from(first[1]) + f64::from(along) * slope;
        let begin = (middle - tops.reach).floor();
        let count = ((middle + tops.reach).ceil() - begin) as usize + 1;
        let line = frame.lines.least.line(x as usize).values();
        let ground = (count <= MOST).then(|| window(simd, line, begin as isize, count));
        let Some(ground) = ground.flatten() else {
            // Beside voids and the border no sight is called clear.
            left &= !lanes;
            continue;
        };
        let y = c + across * at - (begin - middle) as f32;
        let mut there = f32x16::splat(simd, ground[0]);
        for (&step, pair) in STEPS.iter().zip(ground.windows(2)) {
            there += (y - step).max(zero).min(one) * (pair[1] - pair[0]);
        }
        let rises = there.simd_gt(eyes + up * at);
        left &= !(rises.to_bitmask() as u16 & lanes);
        if left == 0 {
            break;
        }
    }
    left
}

/// Whether a sight is found between two quads that none of these lines rises over. That is a local search: a try moves one
/// end to where it sees best over the line that rises most.
#[simd]
pub(crate) fn is_clear<S: Simd>(
    simd: S,
    frame: Frame<'_>,
    way: Way,
    lines: &[u32],
    [viewers, players]: [&Points; 2],
) -> bool {
    let mut from = viewers.at(way, viewers.highest);
    let mut to = players.at(way, players.highest);
    if from[2] <= NOBODY || to[2] <= NOBODY {
        return false;
    }
    for tries in 0..=TRIES {
        let (rise, x) = rises_most(simd, frame, lines, [from, to]);
        if rise <= 0.0 {
            return true;
        }
        if tries == TRIES {
            break;
        }
        let (here, viewer) = best_over(simd, frame, way, x, viewers, to);
        let (there, player) = best_over(simd, frame, way, x, players, from);
        if here.max(there) < 0.0 {
            break;
        }
        if here > there {
            from = viewers.at(way, viewer);
        } else {
            to = players.at(way, player);
        }
    }
    false
}

/// By how much the line that rises most over the sight between two places does, and which it is.
#[inline(always)]
fn rises_most<S: Simd>(
    simd: S,
    frame: Frame<'_>,
    lines: &[u32],
    [from, to]: [Place; 2],
) -> (f32, u32) {
    let per = 1.0 / (to[0] - from[0]);
    let (across, up) = ((to[1] - from[1]) * per, (to[2] - from[2]) * per);
    let none = f32x16::splat(simd, f32::MIN);
    let (mut most, mut which) = (none, none);
    for lines in lines.chunks(PARTS) {
        let (mut at, mut all) = ([f32::MIN; PARTS], [0; PARTS]);
        let mut numbers = [0.0; PARTS];
        for (k, &x) in lines.iter().enumerate() {
            (at[k], all[k], numbers[k]) = (frame.along(x), x, x as f32);
        }
        let at = f32x16::from_slice(simd, &at);
        let numbers = f32x16::from_slice(simd, &numbers);
        let way = at - from[0];
        let ground = ground_at(simd, frame, &all, way * across + from[1]);
        let is_between = at.simd_gt(from[0]) & at.simd_lt(to[0]);
        let rise = is_between.select(ground - (way * up + from[2]), none);
        // Of lines that rise equally high the first, in whatever order they come.
        let is_first = rise.simd_eq(most) & numbers.simd_lt(which);
        let is_more = rise.simd_gt(most) | is_first;
        which = is_more.select(numbers, which);
        most = is_more.select(rise, most);
    }
    let (mut rises, mut numbers) = ([0.0; PARTS], [0.0; PARTS]);
    most.store_slice(&mut rises);
    which.store_slice(&mut numbers);
    let (mut rise, mut x) = (rises[0], numbers[0]);
    for (&other, &number) in rises.iter().zip(&numbers) {
        if other > rise || other == rise && number < x {
            (rise, x) = (other, number);
        }
    }
    (rise, x.max(0.0) as u32)
}

/// By how much the point is above line `x` whose sight to, or from, a place is highest there, and which it is.
#[inline(always)]
fn best_over<S: Simd>(
    simd: S,
    frame: Frame<'_>,
    way: Way,
    x: u32,
    points: &Points,
    place: Place,
) -> (f32, usize) {
    let at = f32x16::splat(simd, frame.along(x));
    let sign = if way.back { -1.0 } else { 1.0 };
    let (majors, minors) = way.turn((&points.columns, &points.rows));
    let (mut best, mut number) = (f32::MIN, 0);
    for first in (0..KEPT).step_by(PARTS) {
        let some = |of: &[f32; KEPT]| f32x16::from_slice(simd, &of[first..first + PARTS]);
        let (major, minor, height) = (some(majors) * sign, some(minors), some(&points.heights));
        // Both numbers are negative where the place is the viewer.
        let share = (at - major) / (major * -1.0 + place[0]);
        let row = minor + (minor * -1.0 + place[1]) * share;
        let ground = ground_at(simd, frame, &[x; PARTS], row);
        let above = height + (height * -1.0 + place[2]) * share - ground;
        let none = f32x16::splat(simd, f32::MIN);
        let mut all = [0.0; PARTS];
        height
            .simd_gt(NOBODY)
            .select(above, none)
            .store_slice(&mut all);
        let (lane, above) = greatest(&all);
        if above > best {
            (best, number) = (above, first + lane);
        }
    }
    (best, number)
}

/// The first lane with the greatest number.
#[inline(always)]
fn greatest(numbers: &[f32; PARTS]) -> (usize, f32) {
    let mut greatest = (0, f32::MIN);
    for (lane, &number) in numbers.iter().enumerate() {
        if number > greatest.1 {
            greatest = (lane, number);
        }
    }
    greatest
}

#[cfg(test)]
mod tests {
    use super::super::Shafts;
    use super::super::slopes::tests::{SIDE, terrain};
    use super::*;
    use crate::visibility::Bodies;
    use crate::visibility::sightline::Stance;
    use crate::visibility::simd::at_level;
    use fearless_simd::Level;
    use viewcell::dice::Dice;

    /// What has a witness is not proven hidden by any line.
    #[test]
    fn no_line_hides_what_has_a_witness() {
        let mut dice = Dice(5);
        let bodies = Bodies {
            eye: 1.8,
            head: 0.7,
        };
        let (mut witnessed, mut clear, mut asked) = (0, 0, 0);
        for _ in 0..20 {
            let terrain = terrain(&mut dice);
            let field = ShaftField::new(&terrain, bodies, Stance::Cell, 3);
            let mut shafts = Shafts::new(&field, Level::new());
            let mut points = [PointCache::new(), PointCache::new()];
            for _ in 0..1000 {
                let level = 1 + dice.roll(3);
                let quads = SIDE.div_ceil(1 << level);
                let mut quad = || (dice.roll(quads), dice.roll(quads));
                let pair = CoarsePair {
                    level,
                    a: quad(),
                    b: quad(),
                };
                let Some(way) = pair.separating_way() else {
                    continue;
                };
                let lines: Vec<u32> = (0..SIDE).collect();
                let frame = Frame::new(&field, way);
                let [viewers, players] = &mut points;
                let both = [
                    viewers.of(&field, 0, level, pair.a),
                    players.of(&field, 1, level, pair.b),
                ];
                asked += 1;
                if at_level!(Level::new(), simd => is_clear(simd, frame, way, &lines, both)) {
                    witnessed += 1;
                    assert!(shafts.may_see_by(pair, way, &lines), "{pair:?}");
                }
                let tops = Tops::new(&field, &mut points, pair, way);
                let lanes =
                    at_level!(Level::new(), simd => clear_lanes(simd, frame, &lines, &tops, !0));
                for lane in super::super::pair::lanes(lanes) {
                    let part = pair.part(lane);
                    let is_there = |(column, row): (u32, u32)| {
                        column << part.level < SIDE && row << part.level < SIDE
                    };
                    let has_way = part
                        .separating_way()
                        .is_some_and(|at| at.turned == way.turned);
                    if is_there(part.a) && is_there(part.b) && has_way {
                        clear += 1;
                        assert!(shafts.may_see_by(part, way, &lines), "{part:?}");
                    }
                }
            }
        }
        assert!(witnessed > asked / 10, "{witnessed} of {asked}");
        assert!(clear > asked / 10, "{clear} of {asked}");
    }
}
