//! Witnesses of sight: segments that no occluder of a list meets, a segment a SIMD lane.
//!
//! A pair of boxes with such a segment between them is hidden by nothing, which is found out sooner than a proof fails.
//! In single precision: a segment that passes an occluder within a tolerance counts as met, so that next to none is said
//! to be clear by rounding alone; one that is costs what hides, and never what sees.
//!
//! Did not pay: eight segments of a pair of cells before the proof (a sixth of the looks less, a tenth more time); a
//! witness first where the pair before was seen.

use super::candidates::{Candidates, List};
use super::occluder::{Occluder, OccluderSides, Span};
use super::plane::Point;
use super::plane_runs;
use super::shaft::LANES;

/// Some segments, each by its middle and half of what leads from end to end.
#[derive(Debug)]
pub struct Segments {
    middles: [[f32; LANES]; 3],
    ways: [[f32; LANES]; 3],
    count: usize,
}

impl Default for Segments {
    fn default() -> Self {
        Self {
            middles: [[0.0; LANES]; 3],
            ways: [[0.0; LANES]; 3],
            count: 0,
        }
    }
}

impl Segments {
    /// As many are tested at a time.
    pub const MOST: usize = LANES;

    /// Spread over all from box to box: the first eight from towards a corner to towards the opposite one, the others
    /// from nearer the middle to the same side.
    pub fn spread(a: &Span, b: &Span) -> Self {
        let towards = |span: &Span, corner: usize, part: f64| -> Point {
            std::array::from_fn(|k| {
                let side = if corner >> k & 1 == 1 { part } else { -part };
                span.centre[k] + side * span.half[k]
            })
        };
        let mut segments = Self::default();
        for corner in 0..8 {
            segments.push(towards(a, corner, 0.75), towards(b, !corner, 0.75));
        }
        for corner in 0..8 {
            segments.push(towards(a, corner, 0.98), towards(b, corner, 0.98));
        }
        segments
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds the segment from `a` to `b`; there may be [`Segments::MOST`].
    pub fn push(&mut self, a: Point, b: Point) {
        for k in 0..3 {
            self.middles[k][self.count] = (0.5 * (a[k] + b[k])) as f32;
            self.ways[k][self.count] = (0.5 * (b[k] - a[k])) as f32;
        }
        self.count += 1;
    }

    /// Which no occluder of a list meets: bit n for the one that was added after n others.
    #[inline(always)]
    pub(super) fn clear_of(
        &self,
        occluders: &[Occluder],
        candidates: &Candidates,
        list: List,
        tolerance: f32,
    ) -> u32 {
        let mut clear = (1_u32 << self.count) - 1;
        for at in 0..list.len() {
            let (number, centre, half) = candidates.at(list, at);
            let mut met = self.meet_box(centre, half) & clear;
            if met == 0 {
                continue;
            }
            let Some(occluder) = occluders.get(number as usize) else {
                continue;
            };
            if !occluder.is_box {
                met &= self.meet(occluder, tolerance);
            }
            clear &= !met;
            if clear == 0 {
                break;
            }
        }
        clear
    }

    /// Which meet a box, by separating axes.
    #[inline(always)]
    fn meet_box(&self, centre: [f32; 3], half: [f32; 3]) -> u32 {
        let mut met = [0_u32; LANES];
        for (lane, met) in met.iter_mut().enumerate() {
            let way = [self.ways[0][lane], self.ways[1][lane], self.ways[2][lane]];
            let long = way.map(f32::abs);
            let off = [
                self.middles[0][lane] - centre[0],
                self.middles[1][lane] - centre[1],
                self.middles[2][lane] - centre[2],
            ];
            let along = |k: usize| off[k].abs() <= half[k] + long[k];
            let across = |i: usize, j: usize| {
                (way[i] * off[j] - way[j] * off[i]).abs() <= half[i] * long[j] + half[j] * long[i]
            };
            let all = along(0) & along(1) & along(2) & across(0, 1) & across(0, 2) & across(1, 2);
            *met = u32::from(all) << lane;
        }
        met.iter().fold(0, |all, one| all | one)
    }

    /// Which meet an occluder: from -1 to 1 along the segment, what is within all of its planes.
    #[inline(always)]
    fn meet(&self, occluder: &Occluder, tolerance: f32) -> u32 {
        let (mut first, mut last) = ([-1.0_f32; LANES], [1.0_f32; LANES]);
        let is_flat = occluder.kind != OccluderSides::Solid;
        if is_flat {
            let Some(plane) = occluder.planes.first() else {
                return 0;
            };
            let normal = plane.normal.map(|x| x as f32);
            let front_only = occluder.kind == OccluderSides::FrontOnly;
            for lane in 0..LANES {
                let (height, rise) = self.height(normal, plane.dist as f32, lane);
                let crosses = (height.abs() <= rise.abs()) & !(front_only & (rise > 0.0));
                let place = -height / rise;
                first[lane] = if crosses { place } else { f32::INFINITY };
                last[lane] = if crosses { place } else { f32::NEG_INFINITY };
            }
        }
        for edge in 0..occluder.planes.len() - usize::from(is_flat) {
            let (run, at) = (edge / plane_runs::LANES, edge % plane_runs::LANES);
            let run = &occluder.runs[run];
            let normal = [run.normal[0][at], run.normal[1][at], run.normal[2][at]];
            let dist = run.dist[at] + tolerance;
            for lane in 0..LANES {
                let (height, rise) = self.height(normal, dist, lane);
                let place = -height / rise;
                let enters = (rise < 0.0) & (place > first[lane]);
                let leaves = (rise > 0.0) & (place < last[lane]);
                let entry = if enters { place } else { first[lane] };
                let is_above = height > rise.abs();
                first[lane] = if is_above { f32::INFINITY } else { entry };
                last[lane] = if leaves { place } else { last[lane] };
            }
        }
        let mut met = [0_u32; LANES];
        for lane in 0..LANES {
            met[lane] = u32::from(first[lane] <= last[lane]) << lane;
        }
        met.iter().fold(0, |all, one| all | one)
    }

    /// The height of a segment's middle above a plane, and how much higher its end is.
    #[inline(always)]
    fn height(&self, normal: [f32; 3], dist: f32, lane: usize) -> (f32, f32) {
        let along = |of: &[[f32; LANES]; 3]| {
            normal[0] * of[0][lane] + normal[1] * of[1][lane] + normal[2] * of[2][lane]
        };
        (along(&self.middles) - dist, along(&self.ways))
    }
}
