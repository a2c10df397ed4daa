//! The two ends of a pair: what of a quad, or of the cell of a sample, lies where, and how high.

use super::covers::Corners;
use super::field::ShaftField;
use super::step::{Way, side};
use crate::visibility::lanes::VOID;

/// Heights of children that are not there are less, even with eyes above them.
const NOT_THERE: f32 = 0.5 * VOID;

/// One end of a pair: the four children of a quad, or the four quarters of a cell.
pub(crate) struct End {
    /// The middle of the quad: major, growing on the way, and minor.
    pub middle: [f32; 2],
    /// From where to where each child reaches, from the middle.
    pub major: [[f32; 4]; 2],
    pub minor: [[f32; 4]; 2],
    /// Heights over the corners of each: corner i + 2·j has major edge i and minor edge j.
    pub heights: [[f32; 4]; 4],
}

impl End {
    /// The children of a quad; eyes or heads are `above` the ground.
    pub(crate) fn quad(
        field: &ShaftField<'_>,
        way: Way,
        (level, quad): (u32, (u32, u32)),
        children: [Corners; 4],
        above: f32,
    ) -> Self {
        let span = |at: u32, k: u32, samples: u32| {
            // Nothing is asked of what is not there.
            let is_there = (2 * at + k) << (level - 1) < samples;
            let child = 2 * at + if is_there { k } else { 0 };
            let [low, high] = side(level - 1, child, samples);
            [low as f32, high as f32]
        };
        let (width, height) = (field.samples.width(), field.samples.height());
        let columns = [span(quad.0, 0, width), span(quad.0, 1, width)];
        let rows = [span(quad.1, 0, height), span(quad.1, 1, height)];
        Self::new(way, (columns, rows), children, above)
    }

    /// The quarters of a sample's cell.
    pub(crate) fn cell(way: Way, sample: (u32, u32), quarters: [Corners; 4], above: f32) -> Self {
        let halves = |at: u32| {
            let at = at as f32;
            [[at - 0.5, at], [at, at + 0.5]]
        };
        Self::new(way, (halves(sample.0), halves(sample.1)), quarters, above)
    }

    // Loops, and not `map`, whose closures are not inlined here.
    #[inline(always)]
    fn new(
        way: Way,
        sides: ([[f32; 2]; 2], [[f32; 2]; 2]),
        heights: [Corners; 4],
        above: f32,
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
            major: [[0.0; 4]; 2],
            minor: [[0.0; 4]; 2],
            heights: [[0.0; 4]; 4],
        };
        // A corner's number has one bit for columns and one for rows.
        let (along_bit, across_bit) = if way.turned { (2, 1) } else { (1, 2) };
        let first = if way.back { along_bit } else { 0 };
        for (k, heights) in heights.iter().enumerate() {
            let (u, v) = way.turn((k % 2, k / 2));
            for i in 0..2 {
                end.major[i][k] = along[u][i] - end.middle[0];
                end.minor[i][k] = across[v][i] - end.middle[1];
                for j in 0..2 {
                    let corner = (first ^ (along_bit * i)) + across_bit * j;
                    end.heights[i + 2 * j][k] = heights[corner] + above;
                }
            }
        }
        end
    }

    /// Whether anybody is in a child.
    pub(crate) fn is_there(&self, k: usize) -> bool {
        self.heights[0][k] > NOT_THERE
    }

    /// The middle of those children that are there on one side of the middle across the way, or else of all that are:
    /// major, minor and height.
    pub(super) fn beside(&self, is_high: bool) -> [f32; 3] {
        let on_side =
            |k: usize| self.is_there(k) && (self.minor[0][k] + self.minor[1][k] > 0.0) == is_high;
        let is_any = on_side(0) || on_side(1) || on_side(2) || on_side(3);
        let (mut sum, mut count) = ([0.0; 3], 0.0);
        for k in 0..4 {
            if on_side(k) || !is_any && self.is_there(k) {
                sum[0] += (self.major[0][k] + self.major[1][k]) * 0.5;
                sum[1] += (self.minor[0][k] + self.minor[1][k]) * 0.5;
                for corner in &self.heights {
                    sum[2] += corner[k] * 0.25;
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

    /// How far the children reach from the middle across a way that leaves by so much for each sample.
    pub(super) fn reach(&self, tilt: f32) -> f32 {
        let side = |[low, high]: &[[f32; 4]; 2]| {
            let ends = low.iter().chain(high);
            ends.fold(0.0f32, |most, at| most.max(at.abs()))
        };
        side(&self.minor) + side(&self.major) * tilt.abs()
    }
}
