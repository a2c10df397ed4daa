//! Conservative sight between cells: pairs are divided down to quarters of the squares around samples, until lines hide
//! all parts ([`super::slopes`]) or a pair of quarters is found that none hides.

use super::Shafts;
use super::ends::End;
use super::field::NOWHERE;
use super::pair::{PARTS, Pair, Way};
use super::ranking::{FIRST, rank_lines};
use super::sight::sight;
use super::slopes::{Frame, LINES, test_lines};
use crate::visibility::simd::at_level;

/// The lines between two quads.
#[derive(Clone, Copy)]
struct Between<'l> {
    way: Way,
    /// The best ranked of those that may matter.
    highest: &'l [u32],
    /// So many of them get the full test: the first [`FIRST`] for the pair that they were ranked for, all for its parts.
    in_full: usize,
}

impl Shafts<'_> {
    /// Whether a pair is not proven hidden: some position in the one may see some in the other. `known` is the lane under
    /// which `left` lists the slabs that may matter to it, if it does.
    pub(super) fn may_any_see(&mut self, pair: Pair, known: Option<usize>) -> bool {
        let Some(way) = pair.separating_way() else {
            // No line separates neighbours, but it may separate their parts.
            return pair.level == 0 || self.may_neighbours_see(pair);
        };
        let mut lines = std::mem::take(&mut self.lines);
        lines.clear();
        let slabs = match known {
            Some(_) => &self.left[pair.level as usize],
            None => {
                self.list(pair, way);
                &self.all[pair.level as usize]
            }
        };
        let lane = known.unwrap_or(0);
        let matter = slabs.iter().filter(|slab| slab.lanes >> lane & 1 == 1);
        lines.extend(matter.map(|slab| slab.x));
        if self.do_peaks_see(pair, way, &lines) {
            self.lines = lines;
            return true;
        }
        let mut highest = std::mem::take(&mut self.highest);
        highest.clone_from(&lines);
        let ends = End::both(self.field, &mut self.cell_heights, pair, way);
        let frame = Frame::new(self.field, way);
        let (rises, ranks) = (&mut self.rises, &mut self.ranks);
        at_level!(self.level, simd => rank_lines(
            simd, frame, [&ends[0], &ends[1]], &mut highest, rises, ranks
        ));
        let between = Between {
            way,
            highest: &highest,
            in_full: FIRST,
        };
        let found = self.may_parts_see(pair, between);
        (self.lines, self.highest) = (lines, highest);
        found
    }

    /// The same of quads that are neighbours, part by part.
    fn may_neighbours_see(&mut self, pair: Pair) -> bool {
        (0..PARTS).any(|lane| {
            let part = pair.part(lane);
            if !self.is_asked(part) {
                return false;
            }
            if part.a == part.b || self.field.is_smallest(part) {
                return true;
            }
            self.may_any_see(part, None)
        })
    }

    /// The same of two quads, by the lines between them or between those that they are parts of.
    fn may_parts_see(&mut self, pair: Pair, between: Between<'_>) -> bool {
        let field = self.field;
        let ends = End::both(field, &mut self.cell_heights, pair, between.way);
        let asked = self.occupied_lanes(pair, &ends);
        let frame = Frame::new(field, between.way);
        let left = at_level!(self.level, simd => test_lines(
            simd, frame, [&ends[0], &ends[1]], between.highest, asked, between.in_full
        ));
        if left.lanes == 0 || pair.level == 0 {
            return left.lanes != 0;
        }
        let mut lanes = left.lanes;
        while lanes != 0 {
            // Who is furthest from being hidden is seen most.
            let mut lane = lanes.trailing_zeros() as usize;
            for other in lane + 1..PARTS {
                if lanes >> other & 1 == 1 && left.nearest[other] < left.nearest[lane] {
                    lane = other;
                }
            }
            lanes &= !(1 << lane);
            let part = pair.part(lane);
            if field.is_smallest(part) {
                return true;
            }
            // What comes nearest to hiding the whole hides most of its parts.
            let (mut highest, mut count) = ([0; LINES + 1], 0);
            let first = left.nearest_line[lane] as usize;
            if left.matters[first] >> lane & 1 == 1 {
                highest[0] = between.highest[first];
                count = 1;
            }
            for (number, (&x, matters)) in between.highest.iter().zip(left.matters).enumerate() {
                // Written in any case, and written over where it does not matter.
                highest[count] = x;
                count += usize::from(matters >> lane & 1 == 1 && number != first);
            }
            let between = Between {
                highest: &highest[..count],
                in_full: LINES,
                ..between
            };
            if self.may_parts_see(part, between) {
                return true;
            }
        }
        false
    }

    /// Whether the highest places of two quads see each other, of which these lines of a way may matter.
    fn do_peaks_see(&mut self, pair: Pair, between: Way, lines: &[u32]) -> bool {
        let field = self.field;
        let peaks = match pair.level {
            0 => [pair.a, pair.b],
            _ => field.peaks(pair.level, [pair.a, pair.b]),
        };
        if peaks.contains(&NOWHERE) {
            return false;
        }
        let [a, b] = peaks;
        if field.too_far(a.0.abs_diff(b.0), a.1.abs_diff(b.1)) {
            return false;
        }
        let pair = Pair { level: 0, a, b };
        let way = pair.major();
        if way.turned == between.turned {
            return sight(field, way, lines.iter().copied(), peaks);
        }
        self.list(pair, way);
        sight(field, way, self.all[0].iter().map(|slab| slab.x), peaks)
    }

    /// The parts of a pair in which somebody may look and somebody may be near enough to be seen.
    fn occupied_lanes(&self, pair: Pair, ends: &[End; 2]) -> u16 {
        let mut lanes = 0;
        for lane in 0..PARTS {
            let is_somebody = ends[0].is_there(lane / 4) && ends[1].is_there(lane % 4);
            if is_somebody && (pair.level == 0 || self.may_be_near(pair.part(lane))) {
                lanes |= 1 << lane;
            }
        }
        lanes
    }
}
