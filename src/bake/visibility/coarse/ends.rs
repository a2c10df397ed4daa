//! The two ends of a pair: what of a quad, or of the cell of a sample, lies where, and how high.

use super::covers::{CellCache, Heights, over_corners};
use super::field::ShaftField;
use super::pair::{CoarsePair, Way, side};
use crate::visibility::lanes::VOID;
use crate::visibility::surface::POINTS;

/// The height of a child that is not there is below this, even with a body's added.
const NOT_THERE: f32 = 0.5 * VOID;

/// One end of a pair: the four children of a quad, or the four quarters of a cell.
pub(crate) struct End {
    /// The middle of the quad: major, growing on the way, and minor.
    pub middle: [f32; 2],
    /// Of each child, from that: its near and its far edge, and its own middle.
    pub major: [[f32; 4]; POINTS],
    pub minor: [[f32; 4]; POINTS],
    /// Of each child: heights of eyes, or heads, over `major[i]` and `minor[j]`.
    pub heights: [[[f32; 4]; POINTS]; POINTS],
    /// 2 where heights are bilinear over each child, so that the edges alone count; 3 where they are so over each quarter of a
    /// child.
    pub points: usize,
}

impl End {
    /// Both ends of a pair: of those who look, and of those who are looked at. `cells` are caches for the one and the other.
    pub(super) fn both(
        field: &ShaftField<'_>,
        cells: &mut [CellCache; 2],
        pair: CoarsePair,
        way: Way,
    ) -> [Self; 2] {
        let bodies = [field.bodies.eye as f32, field.bodies.head as f32];
        let mut of = |k: usize, quad: (u32, u32)| {
            let cells = &mut cells[k];
            if pair.level == 0 {
                return Self::cell(way, quad, &cells.of(field, quad).quarters, bodies[k]);
            }
            let level = pair.level - 1;
            let quads = &field.quads[level as usize];
            let somebody = [&quads.eyes, &quads.heads][k];
            let mut children = [[VOID; POINTS * POINTS]; 4];
            for (child, heights) in (0..).zip(&mut children) {
                let child = (2 * quad.0 + child % 2, 2 * quad.1 + child / 2);
                let is_there = child.0 << level < field.samples.width()
                    && child.1 << level < field.samples.height();
                if is_there && somebody[quads.number(child)] > VOID {
                    *heights = match level {
                        0 => cells.of(field, child).whole,
                        _ => over_corners(field.corners[level as usize][quads.number(child)]),
                    };
                }
            }
            Self::quad(field, way, (pair.level, quad), &children, bodies[k])
        };
        [of(0, pair.a), of(1, pair.b)]
    }

    /// The children of a quad, with eyes or heads of a `body` over heights of the ground.
    fn quad(
        field: &ShaftField<'_>,
        way: Way,
        (level, quad): (u32, (u32, u32)),
        children: &[Heights; 4],
        body: f32,
    ) -> Self {
        let span = |at: u32, k: u32, samples: u32| {
            // A child that is not there takes its sibling's place: nothing is asked of it.
            let is_there = (2 * at + k) << (level - 1) < samples;
            let child = 2 * at + if is_there { k } else { 0 };
            let [low, high] = side(level - 1, child, samples);
            [low as f32, high as f32]
        };
        let (width, height) = (field.samples.width(), field.samples.height());
        let columns = [span(quad.0, 0, width), span(quad.0, 1, width)];
        let rows = [span(quad.1, 0, height), span(quad.1, 1, height)];
        // Of the cell of a sample the heights over its quarters are known.
        let points = if level == 1 { POINTS } else { 2 };
        Self::new(way, (columns, rows), children, points, body)
    }

    /// The quarters of a sample's cell.
    fn cell(way: Way, sample: (u32, u32), cell: &Heights, body: f32) -> Self {
        let halves = |at: u32| {
            let at = at as f32;
            [[at - 0.5, at], [at, at + 0.5]]
        };
        let mut quarters = [[VOID; POINTS * POINTS]; 4];
        for (k, quarter) in quarters.iter_mut().enumerate() {
            let first = k / 2 * POINTS + k % 2;
            *quarter = over_corners([0, 1, POINTS, POINTS + 1].map(|corner| cell[first + corner]));
        }
        Self::new(
            way,
            (halves(sample.0), halves(sample.1)),
            &quarters,
            2,
            body,
        )
    }

    // Loops, and not `map`, whose closures are not inlined here.
    #[inline(always)]
    fn new(
        way: Way,
        sides: ([[f32; 2]; 2], [[f32; 2]; 2]),
        heights: &[Heights; 4],
        points: usize,
        body: f32,
    ) -> Self {
        let (mut along, across) = way.turn(sides);
        if way.back {
            for side in &mut along {
                *side = [-side[1], -side[0]];
            }
        }
        let mean = |sides: [[f32; 2]; 2]| {
            let (low, high) = (sides[0][0].min(sides[1][0]), sides[0][1].max(sides[1][1]));
            (low + high) * 0.5
        };
        let mut end = Self {
            middle: [mean(along), mean(across)],
            major: [[0.0; 4]; POINTS],
            minor: [[0.0; 4]; POINTS],
            heights: [[[0.0; 4]; POINTS]; POINTS],
            points,
        };
        // Where the edges and the middle are among the points of a child, from west to east or north to south.
        let places = [0, POINTS - 1, POINTS / 2];
        for (k, heights) in heights.iter().enumerate() {
            let (u, v) = way.turn((k % 2, k / 2));
            for i in 0..2 {
                end.major[i][k] = along[u][i] - end.middle[0];
                end.minor[i][k] = across[v][i] - end.middle[1];
            }
            end.major[2][k] = (end.major[0][k] + end.major[1][k]) * 0.5;
            end.minor[2][k] = (end.minor[0][k] + end.minor[1][k]) * 0.5;
            for (i, &major) in places.iter().enumerate().take(points) {
                let major = if way.back { POINTS - 1 - major } else { major };
                for (j, &minor) in places.iter().enumerate().take(points) {
                    let (column, row) = way.turn((major, minor));
                    end.heights[i][j][k] = heights[row * POINTS + column] + body;
                }
            }
        }
        end
    }

    /// Whether anybody is in a child.
    pub(crate) fn is_there(&self, k: usize) -> bool {
        self.heights[0][0][k] > NOT_THERE
    }

    /// The middle of those children that are there on one side of the middle across the way, or else of all that are:
    /// major, minor and height.
    pub(super) fn side_center(&self, is_high: bool) -> [f32; 3] {
        let on_side =
            |k: usize| self.is_there(k) && (self.minor[0][k] + self.minor[1][k] > 0.0) == is_high;
        let is_any = on_side(0) || on_side(1) || on_side(2) || on_side(3);
        let (mut sum, mut count) = ([0.0; 3], 0.0);
        for k in 0..4 {
            if on_side(k) || !is_any && self.is_there(k) {
                sum[0] += (self.major[0][k] + self.major[1][k]) * 0.5;
                sum[1] += (self.minor[0][k] + self.minor[1][k]) * 0.5;
                for [low, high, _] in &self.heights[..2] {
                    sum[2] += (low[k] + high[k]) * 0.25;
                }
                count += 1.0;
            }
        }
        let [major, minor, height] = sum;
        [
            self.middle[0] + major / count,
            self.middle[1] + minor / count,
            height / count,
        ]
    }

    /// How far, at most, any corner of the children is from a line through the middle with slope `tilt`.
    pub(super) fn reach(&self, tilt: f32) -> f32 {
        let side = |[low, high, _]: &[[f32; 4]; POINTS]| {
            let ends = low.iter().chain(high);
            ends.fold(0.0f32, |most, at| most.max(at.abs()))
        };
        side(&self.minor) + side(&self.major) * tilt.abs()
    }
}
