//! Conservative sight between cells: pairs are divided down to quarters of the squares around samples, until lines hide
//! all parts ([`super::slopes`]) or a pair of quarters is found that none hides, or a witness of sight ([`super::witness`]).
//!
//! Did not pay: parts hidden as wholes only if all their samples look along the same axis (3.5 times as long); more tries a
//! part with `--detail 1` (8 % less visible in 1.6 times the time); cells of 2 × 2 out of the kernel of samples (16 pairs
//! of 30 ns for one of 450); threads given tiles of 32 × 32 cells.

use super::ends::End;
use super::pair::{CoarsePair, PARTS, Way, lanes};
use super::ranking::{FIRST, rank_lines};
use super::slopes::{Frame, LINES};
use super::tries::test_lines;
use super::witness::{Tops, clear_lanes, is_clear};
use super::{Open, Shafts};
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
    pub(super) fn may_any_see(&mut self, pair: CoarsePair, known: Option<usize>) -> bool {
        let Some(way) = pair.separating_way() else {
            // No line separates neighbours, but it may separate their parts.
            return pair.level == 0 || self.may_neighbours_see(pair);
        };
        let lines = self.lines_between(pair, way, known);
        let found = self.is_witnessed(pair, way, &lines) || self.may_see_by(pair, way, &lines);
        self.lines = lines;
        found
    }

    /// The same by proofs with these lines alone.
    pub(super) fn may_see_by(&mut self, pair: CoarsePair, way: Way, lines: &[u32]) -> bool {
        let mut highest = std::mem::take(&mut self.highest);
        highest.clear();
        highest.extend_from_slice(lines);
        self.rank(pair, way, &mut highest);
        let between = Between {
            way,
            highest: &highest,
            in_full: FIRST,
        };
        let found = self.may_parts_see(pair, between);
        self.highest = highest;
        found
    }

    /// Those of the `asked` parts of a pair, which are view cells and have the same major axis as `open` says, that are not
    /// proven hidden. What hides or shows several of them is tried first.
    pub(super) fn may_cells_see(&mut self, open: Open, asked: u16) -> u16 {
        let Open {
            pair,
            turned,
            known,
        } = open;
        let field = self.field;
        let Some(way) = pair.way(turned) else {
            let see = |lane: &usize| {
                let part = pair.part(*lane);
                part.a == part.b || field.is_smallest(part) || self.may_any_see(part, None)
            };
            return lanes(asked)
                .filter(see)
                .fold(0, |all, lane| all | 1 << lane);
        };
        let lines = self.lines_between(pair, way, known);
        let frame = Frame::new(field, way);
        let near = lanes(asked).filter(|&lane| self.is_near(pair.part(lane)));
        let near = near.fold(0, |all, lane| all | 1 << lane);
        let tops = Tops::new(field, &mut self.points, pair, way);
        let mut seen = at_level!(self.level, simd => clear_lanes(simd, frame, &lines, &tops, near));
        if seen != asked {
            let mut highest = std::mem::take(&mut self.highest);
            highest.clone_from(&lines);
            let ends = self.rank(pair, way, &mut highest);
            let left = at_level!(self.level, simd => test_lines(
                simd, frame, [&ends[0], &ends[1]], &highest, asked & !seen, FIRST
            ));
            for lane in lanes(left.lanes) {
                let part = pair.part(lane);
                let (lines_for_part, count) = left.lines_for(lane, &highest);
                let between = Between {
                    way,
                    highest: &lines_for_part[..count],
                    in_full: LINES,
                };
                if field.is_smallest(part)
                    || self.is_witnessed(part, way, &lines)
                    || self.may_parts_see(part, between)
                {
                    seen |= 1 << lane;
                }
            }
            self.highest = highest;
        }
        self.lines = lines;
        seen
    }

    /// The same of quads that are neighbours, part by part.
    fn may_neighbours_see(&mut self, pair: CoarsePair) -> bool {
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
    fn may_parts_see(&mut self, pair: CoarsePair, between: Between<'_>) -> bool {
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
            let (highest, count) = left.lines_for(lane, between.highest);
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

    /// Lists the lines between two quads that may matter; the list is [`Self::lines`] and is to be given back.
    fn lines_between(&mut self, pair: CoarsePair, way: Way, known: Option<usize>) -> Vec<u32> {
        let slabs = match known {
            Some(_) => &self.left[pair.level as usize],
            None => {
                self.list(pair, way);
                &self.all[pair.level as usize]
            }
        };
        let lane = known.unwrap_or(0);
        let matter = slabs.iter().filter(|slab| slab.lanes >> lane & 1 == 1);
        let mut lines = std::mem::take(&mut self.lines);
        lines.clear();
        lines.extend(matter.map(|slab| slab.x));
        lines
    }

    /// Leaves those lines between two quads that rise highest, the highest first; and says what lies at both ends.
    fn rank(&mut self, pair: CoarsePair, way: Way, lines: &mut Vec<u32>) -> [End; 2] {
        let ends = End::both(self.field, &mut self.cell_heights, pair, way);
        let frame = Frame::new(self.field, way);
        let (rises, ranks) = (&mut self.rises, &mut self.ranks);
        at_level!(self.level, simd => rank_lines(
            simd, frame, [&ends[0], &ends[1]], lines, rises, ranks
        ));
        ends
    }

    /// Whether a sight between two quads is found that none of these lines rises over.
    fn is_witnessed(&mut self, pair: CoarsePair, way: Way, lines: &[u32]) -> bool {
        if !self.is_near(pair) {
            return false;
        }
        let CoarsePair { level, a, b } = pair;
        let frame = Frame::new(self.field, way);
        let [viewers, players] = &mut self.points;
        let points = [
            viewers.of(self.field, 0, level, a),
            players.of(self.field, 1, level, b),
        ];
        at_level!(self.level, simd => is_clear(simd, frame, way, lines, points))
    }

    /// The parts of a pair in which somebody may look and somebody may be near enough to be seen.
    fn occupied_lanes(&self, pair: CoarsePair, ends: &[End; 2]) -> u16 {
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
